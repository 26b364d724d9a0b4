//! Simulated I/Os a second on one core, and the cost of the run loop on the null engine.
//!
//! `cargo bench -p iobound-drive` prints a table: the median of interleaved rounds, and the best. `--once NAME` runs
//! one case once and prints its number of I/Os, `--list` the names: for `benches/instructions.sh` to count.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::time::Instant as Wall;

use iobound_drive::{Clock, Engine, Flow, Modelled, Null, VirtualClock, Window, Worker, layout_of, run};
use iobound_measure::Recorder;
use iobound_model::{
    Algorithm, Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, Charge, DiskId, DiskSpec, Latency, Limit,
    LimiterId, LimiterName, LimiterSpec, Media, Routes, Stack, Start, StartCredits, VolumeSpec,
};
use iobound_units::{Bytes, Instant, Op, Ppm, Span, TargetId};
use iobound_workload::{Access, Job, Load, Share, Target, Workload};

/// Ten P30 (5,000 IOPS, 200 MB/s) behind a DS14's limits.
fn ten_p30(algorithm: Algorithm, cached: bool) -> Blueprint {
    let limiter = |name: LimiterName, ios: u64, mb: u64| LimiterSpec {
        name,
        ios: Some(Limit::published(ios)),
        bytes: Some(Limit::published(mb * 1_000_000)),
        charge: Charge::Per(Bytes::kib(256)),
        algorithm,
        factor: Ppm(1_020_000),
        credits: None,
    };
    let latency = |us: u64, per_kib: u64| Latency {
        mean: Span::from_us(us),
        floor: Ppm(800_000),
        per_kib: Span::from_us(per_kib),
    };
    let mut limiters = vec![
        limiter(LimiterName::only("vm.uncached"), 51_200, 512),
        limiter(LimiterName::only("vm.cached"), 64_000, 512),
    ];
    let mut disks = Vec::new();
    for n in 0..10u16 {
        let disk = LimiterId(n + 2);
        limiters.push(limiter(LimiterName::of("disk", &format!("data.{n}")), 5_000, 200));
        let remote = if cached { vec![LimiterId(1), LimiterId(0), disk] } else { vec![LimiterId(0), disk] };
        disks.push(DiskSpec {
            name: format!("data.{n}"),
            size: Bytes::gib(1_024),
            media: Media { read: latency(2_100, 20), write: latency(1_800, 20) },
            routes: Routes {
                read_hit: vec![LimiterId(1)],
                read: remote.clone(),
                write: remote.clone(),
                write_ack: vec![LimiterId(1)],
                write_back: vec![LimiterId(0), disk],
            },
            cache: cached.then_some(CacheUse { cache: CacheId(0), mode: CacheMode::ReadOnly }),
            max_transfer: Bytes::kib(256),
        });
    }
    Blueprint {
        volumes: vec![VolumeSpec {
            name: "data".into(),
            size: Bytes::gib(10_240),
            disks: (0..10).map(DiskId).collect(),
            columns: 10,
            interleave: Bytes::kib(64),
            partition_offset: Bytes(0),
        }],
        disks,
        caches: vec![CacheSpec {
            capacity: Bytes::gib(576),
            line: Bytes::kib(64),
            hit: latency(60, 0),
            ack: latency(60, 0),
            dirty_high: Bytes::gib(2),
            dirty_low: Bytes(0),
        }],
        limiters,
    }
}

struct Case {
    name: &'static str,
    algorithm: Algorithm,
    cached: bool,
    block: u32,
    /// Virtual seconds a round.
    seconds: u64,
    threads: u32,
    depth: u32,
    sequential: bool,
    least: &'static str,
}

const SLICE: Algorithm = Algorithm::Slice { length: Span::from_ms(50) };
const BUCKET: Algorithm = Algorithm::Bucket { depth: Span::from_secs(1) };

const CASES: [Case; 5] = [
    Case {
        name: "slice",
        algorithm: SLICE,
        cached: false,
        block: 4096,
        seconds: 60,
        threads: 4,
        depth: 32,
        sequential: false,
        least: "10 M",
    },
    Case {
        name: "bucket",
        algorithm: BUCKET,
        cached: false,
        block: 4096,
        seconds: 60,
        threads: 4,
        depth: 32,
        sequential: false,
        least: "5 M",
    },
    Case {
        name: "fragments-256k",
        algorithm: SLICE,
        cached: false,
        block: 262_144,
        seconds: 600,
        threads: 4,
        depth: 32,
        sequential: false,
        least: "5 M",
    },
    Case {
        name: "cached-misses",
        algorithm: SLICE,
        cached: true,
        block: 4096,
        seconds: 60,
        threads: 4,
        depth: 32,
        sequential: false,
        least: "3 M",
    },
    Case {
        name: "e7",
        algorithm: SLICE,
        cached: false,
        block: 4096,
        seconds: 65,
        threads: 32,
        depth: 128,
        sequential: true,
        least: "0.5 s",
    },
];

fn workload(case: &Case) -> Workload {
    let mut job = Job::new("bench");
    job.threads = case.threads;
    job.load = Load::Closed { depth: case.depth, cap: None };
    job.mix = vec![Share { weight: 1, op: Op::Read, block: case.block, random: None, align: None }];
    if case.sequential {
        job.access = Access { shared: true, ..Access::sequential() };
    }
    Workload::new(vec![job], Span::from_secs(case.seconds))
}

fn target(size: Bytes) -> Vec<Target> {
    vec![Target { name: "data".into(), id: TargetId(0), size, members_of: None }]
}

/// Runs a workload; says how many I/Os completed.
fn drive<E: Engine>(workload: &Workload, targets: &[Target], engine: impl FnOnce(usize) -> E) -> u64 {
    let mut engine_start = engine_begin();
    let window = Window::of(workload, engine_start.now());
    let mut worker = Worker::new(workload, targets, window).expect("the workload fits");
    let queues: Vec<_> = worker.queues().cloned().collect();
    let layout = layout_of(workload, &queues, targets, window, Span::from_secs(1));
    let recorder = Recorder::new(layout);
    let mut engine = engine(worker.capacity());
    let end = run(&mut worker, &mut engine, recorder, &mut |_| Flow::Continue).expect("no engine fails here");
    end.measured.jobs.iter().map(|job| job.op(Op::Read).count()).sum()
}

fn engine_begin() -> VirtualClock {
    VirtualClock::default()
}

fn simulate(case: &Case) -> (u64, f64) {
    let blueprint = ten_p30(case.algorithm, case.cached);
    let workload = workload(case);
    let targets = target(blueprint.volumes[0].size);
    let wall = Wall::now();
    let ios = drive(&workload, &targets, |capacity| {
        let start = Start { seed: 1, credits: StartCredits::Spent };
        let stack = Stack::new(&blueprint, &start, capacity).expect("the blueprint holds");
        Modelled::new(stack, VirtualClock::default())
    });
    (ios, wall.elapsed().as_secs_f64())
}

/// The wall clock, from the first look at it.
struct WallClock(Wall);

impl Clock for WallClock {
    fn now(&mut self) -> Instant {
        Instant::from_ns(self.0.elapsed().as_nanos() as u64)
    }

    fn sleep_until(&mut self, _at: Instant) {}
}

fn null(depth: u32) -> (u64, f64) {
    let mut job = Job::new("bench");
    job.load = Load::Closed { depth, cap: None };
    let workload = Workload::new(vec![job], Span::from_ms(500));
    let targets = target(Bytes::gib(1_024));
    let wall = Wall::now();
    let ios = drive(&workload, &targets, |capacity| Null::new(WallClock(Wall::now()), capacity));
    (ios, wall.elapsed().as_secs_f64())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if arguments.iter().any(|a| a == "--list") {
        CASES.iter().for_each(|case| println!("{}", case.name));
        return;
    }
    if let Some(at) = arguments.iter().position(|a| a == "--once") {
        let name = arguments.get(at + 1).expect("--once and the name of a case");
        let case = CASES.iter().find(|case| case.name == name).expect("a case of the table");
        let (ios, _) = simulate(case);
        println!("{ios}");
        return;
    }
    let rounds = 5;
    let mut seconds = vec![Vec::new(); CASES.len() + 2];
    let mut counts = vec![0; CASES.len() + 2];
    for _ in 0..rounds {
        for (n, case) in CASES.iter().enumerate() {
            let (ios, took) = simulate(case);
            counts[n] = ios;
            seconds[n].push(took / ios as f64);
        }
        for (n, depth) in [(CASES.len(), 32), (CASES.len() + 1, 1)] {
            let (ios, took) = null(depth);
            counts[n] = ios;
            seconds[n].push(took / ios as f64);
        }
    }
    println!("{:<16} {:>10} {:>12} {:>12} {:>14}  asked", "case", "I/Os", "ns/I/O", "best", "M I/Os/s");
    let names =
        CASES.iter().map(|case| (case.name, case.least)).chain([("null-32", "30 ns"), ("null-1", "100 ns")]);
    for (n, (name, least)) in names.enumerate() {
        seconds[n].sort_by(f64::total_cmp);
        let (median, best) = (seconds[n][rounds / 2], seconds[n][0]);
        println!(
            "{name:<16} {:>10} {:>12.1} {:>12.1} {:>14.2}  {least}",
            counts[n],
            median * 1e9,
            best * 1e9,
            1e-6 / median
        );
    }
}
