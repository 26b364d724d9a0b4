//! Stacks and workloads of every kind that clouds have.

use iobound_model::{
    Algorithm, Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, Charge, DiskSpec, Latency, Limit,
    LimiterId, LimiterName, LimiterSpec, Media, Routes, VolumeSpec,
};
use iobound_units::{Bytes, Op, Ppm, Rate, Span};
use iobound_workload::{Arrivals, Job, Load, Share, Targets, Workload};

/// A run that the simulator and the emulator both do.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) blueprint: Blueprint,
    pub(crate) workload: Workload,
    /// Check that everything that is compared did happen.
    pub(crate) least_ios: u64,
}

const SLICE: Algorithm = Algorithm::Slice { length: Span::from_ms(50) };
const BUCKET: Algorithm = Algorithm::Bucket { depth: Span::from_ms(20) };

const DISK: Bytes = Bytes::mib(256);

/// A number of P30 (5,000 IOPS, 200 MB/s) as one stripe behind the limits of a VM, with a host cache or without.
fn vm(disks: u16, algorithm: Algorithm, cache: Option<CacheMode>) -> Blueprint {
    let limiter = |name: LimiterName, ios: u64, mb: u64| LimiterSpec {
        name,
        ios: Some(Limit::published(ios)),
        bytes: Some(Limit::published(mb * 1_000_000)),
        charge: Charge::Per(Bytes::kib(256)),
        algorithm,
        factor: Ppm(1_020_000),
        credits: None,
    };
    let latency =
        |us: u64| Latency { mean: Span::from_us(us), floor: Ppm(800_000), per_kib: Span::from_us(2) };
    let mut limiters = vec![
        limiter(LimiterName::only("vm.uncached"), 51_200, 512),
        limiter(LimiterName::only("vm.cached"), 64_000, 512),
    ];
    let disk = |n: u16| {
        let own = LimiterId(n + 2);
        let (uncached, cached) = (LimiterId(0), LimiterId(1));
        let remote = if cache.is_some() { vec![cached, uncached, own] } else { vec![uncached, own] };
        let name = format!("data.{n}");
        DiskSpec {
            media: Media { read: latency(1_100), write: latency(800) },
            routes: Routes {
                read_hit: vec![cached],
                read: remote.clone(),
                write: remote,
                write_ack: vec![cached],
                write_back: vec![uncached, own],
            },
            cache: cache.map(|mode| CacheUse { cache: CacheId(0), mode }),
            ..DiskSpec::plain(name, DISK, latency(800))
        }
    };
    limiters.extend((0..disks).map(|n| limiter(LimiterName::of("disk", &format!("data.{n}")), 5_000, 200)));
    Blueprint {
        volumes: vec![VolumeSpec::striped("data", 0..disks, DISK)],
        disks: (0..disks).map(disk).collect(),
        caches: vec![CacheSpec {
            capacity: Bytes::mib(64),
            line: Bytes::kib(64),
            hit: latency(60),
            ack: latency(60),
            dirty_high: Bytes::mib(4),
            dirty_low: Bytes::mib(1),
        }],
        limiters,
    }
}

fn share(weight: u32, op: Op, block: u32) -> Share {
    Share { weight, op, block, random: None, align: None }
}

/// Threads of so many outstanding I/Os on the volume.
fn closed(threads: u32, depth: u32, mix: Vec<Share>) -> Job {
    let mut job = on("data", Job::new("job"));
    (job.threads, job.mix, job.load) = (threads, mix, Load::Closed { depth, cap: None });
    job
}

fn open(rate: Rate, arrivals: Arrivals, depth: u32, mix: Vec<Share>) -> Job {
    let mut job = closed(2, 1, mix);
    job.load = Load::Open { rate, arrivals, depth };
    job
}

fn on(target: &str, mut job: Job) -> Job {
    (job.targets, job.name) = (Targets::Named(vec![target.into()]), format!("on-{target}"));
    job
}

fn for_ms(jobs: Vec<Job>, ms: u64) -> Workload {
    let mut workload = Workload::new(jobs, Span::from_ms(ms));
    workload.warmup = Span::from_ms(100);
    workload
}

pub(crate) fn scenes() -> Vec<Scene> {
    let reads = || vec![share(1, Op::Read, 4096)];
    let mixed = || vec![share(7, Op::Read, 8192), share(3, Op::Write, 8192)];
    let kinds = || {
        let all = [(5, Op::Read, 4096), (4, Op::Write, 16_384), (1, Op::Discard, 65_536)];
        all.map(|(weight, op, block)| share(weight, op, block)).to_vec()
    };
    let with_flushes = |mut job: Job| {
        job.flush_every = Some(4);
        job
    };
    let scene = |name, blueprint, workload, least_ios| Scene { name, blueprint, workload, least_ios };
    let (read_only, read_write) = (Some(CacheMode::ReadOnly), Some(CacheMode::ReadWrite));
    // A disk gives 5,100 I/Os a second, or 200 to 1,000 where one is outstanding.
    vec![
        scene("one disk, slices, alone", vm(1, SLICE, None), for_ms(vec![closed(1, 1, reads())], 1_000), 200),
        scene(
            "one disk, slices, deep",
            vm(1, SLICE, None),
            for_ms(vec![closed(1, 256, reads())], 700),
            3_000,
        ),
        scene(
            "one disk, a bucket, deep",
            vm(1, BUCKET, None),
            for_ms(vec![closed(2, 64, mixed())], 700),
            3_000,
        ),
        scene("ten disks, slices", vm(10, SLICE, None), for_ms(vec![closed(4, 32, reads())], 500), 15_000),
        scene(
            "ten disks, a bucket, blocks over two disks",
            vm(10, BUCKET, None),
            for_ms(vec![closed(2, 16, vec![share(1, Op::Read, 98_304), share(1, Op::Write, 98_304)])], 300),
            500,
        ),
        scene(
            "eleven cached disks, slices",
            vm(11, SLICE, read_only),
            for_ms(vec![closed(4, 64, mixed())], 400),
            8_000,
        ),
        scene(
            "four cached disks, buckets",
            vm(4, BUCKET, read_only),
            for_ms(vec![closed(1, 16, reads())], 500),
            3_000,
        ),
        scene(
            "a cache that acknowledges writes, and flushes",
            vm(3, SLICE, read_write),
            for_ms(vec![with_flushes(closed(3, 8, mixed())), closed(1, 4, kinds())], 600),
            2_000,
        ),
        scene(
            "a volume and one of its disks, jobs of both kinds",
            vm(4, SLICE, read_write),
            for_ms(
                vec![
                    on("data", closed(2, 32, kinds())),
                    on("data.2", with_flushes(closed(1, 2, vec![share(1, Op::Write, 4096)]))),
                    on(
                        "data",
                        open(
                            Rate::Ios { count: 2_000, per: Span::from_secs(1) },
                            Arrivals::Poisson,
                            64,
                            reads(),
                        ),
                    ),
                ],
                500,
            ),
            2_000,
        ),
        scene(
            "an open loop that is too much",
            vm(2, BUCKET, None),
            for_ms(
                vec![open(
                    Rate::Ios { count: 30_000, per: Span::from_secs(1) },
                    Arrivals::Fixed,
                    128,
                    mixed(),
                )],
                400,
            ),
            3_000,
        ),
    ]
}
