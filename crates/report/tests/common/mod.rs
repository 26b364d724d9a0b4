//! Runs to show: one that is E7 of the published experiments, one with every part that there is, and one without I/O.
#![allow(dead_code, reason = "each test takes what it needs of these")]

use iobound_catalog::{DiskLayout, Regime};
use iobound_measure::result::*;
use iobound_measure::{Cell, CellId, JobLayout, Layout, Loop, Measured, Outstanding, Recorder};
use iobound_model::Dimension;
use iobound_predict::{
    BandBasis, Binding, Ceiling, Coverage, Ends, Expected, LatencyBands, LimiterUse, Prediction,
};
use iobound_report::{Ended, Prepared, Preparing, RunScreen, RunStage, Style};
use iobound_units::{Bytes, Instant, Op, Percent, Rate, Span, TargetId};
use iobound_workload::{Arrivals, Job, Load, Share, Workload};

pub(crate) fn style(width: usize) -> Style {
    Style { width: Some(width), color: false, ascii: false }
}

pub(crate) fn wide() -> Style {
    Style { width: None, color: false, ascii: false }
}

/// A run, its workload, and what was to be expected.
pub(crate) struct Ran {
    pub(crate) workload: Workload,
    pub(crate) result: RunResult,
    pub(crate) prediction: Option<Prediction>,
    pub(crate) ended: Ended,
    pub(crate) prepared: Vec<Prepared>,
    pub(crate) next: Vec<String>,
}

impl Ran {
    pub(crate) fn stage(&self) -> RunStage<'_> {
        RunStage {
            workload: &self.workload,
            result: &self.result,
            prediction: self.prediction.as_ref(),
            ended: self.ended.clone(),
        }
    }

    pub(crate) fn show<T>(&self, with: impl FnOnce(&RunScreen<'_>) -> T) -> T {
        with(&RunScreen {
            stages: &[self.stage()],
            prepared: &self.prepared,
            next: &self.next,
            conditions: &[],
        })
    }
}

fn check(name: &str, outcome: Outcome, says: &str) -> Check {
    Check { name: name.into(), outcome, says: says.into() }
}

/// The IOPS of E7's seconds, and their mean: 45,500.
const E7: [f64; 12] = [
    42_000.0, 45_500.0, 43_000.0, 47_500.0, 44_000.0, 48_500.0, 43_000.0, 51_000.0, 47_000.0, 44_500.0,
    46_500.0, 43_500.0,
];

/// 32 threads with 128 outstanding each on ten P30: 4,096 / 45,500 = 90.0 ms.
pub(crate) fn e7() -> Ran {
    let mut job = Job::new("run");
    job.threads = 32;
    job.load = Load::Closed { depth: 128, cap: None };
    job.access.random = Percent::ZERO;
    job.access.shared = true;
    let mut workload = Workload::new(vec![job], Span::from_secs(12));
    workload.warmup = Span::from_secs(5);
    let latency = Latency {
        label: Some(LoopLabel::Closed),
        mean: Some(90_022.0),
        stdev: Some(11_000.0),
        min: Some(2_100.0),
        p50: Some(88_000.0),
        p90: Some(104_000.0),
        p95: Some(109_000.0),
        p99: Some(121_000.0),
        p99_9: Some(133_000.0),
        max: Some(151_234.0),
        ..Latency::default()
    };
    let figures = Figures {
        ios: Some(546_000),
        bytes: Some(546_000 * 4096),
        errors: Some(0),
        iops: Some(45_500.0),
        throughput_bytes_per_s: Some(45_500.0 * 4096.0),
        latency_us: Some(latency),
        service_us: None,
    };
    let point = |(second, iops): (usize, &f64)| Point {
        start_s: (5 + second) as f64,
        end_s: (6 + second) as f64,
        phase: PhaseLabel::Counted,
        cut_short: false,
        iops: *iops,
        throughput_bytes_per_s: Some(iops * 4096.0),
        read: Some(PointFigures { iops: *iops, ..PointFigures::default() }),
        write: None,
    };
    let result = RunResult {
        engine: Some("io_uring".into()),
        device: Some("md0 = 10 x P30, cache none".into()),
        kernel: Some("6.12.48".into()),
        start: Some(Start {
            warmup_s: Some(5.0),
            counted_s: Some(12.0),
            interval_s: Some(1.0),
            seed: Some(1),
            ..Start::default()
        }),
        total: figures.clone(),
        by_operation: ByOperation { read: Some(figures), ..ByOperation::default() },
        depth: Some(Depth { requested: Some(4096), achieved: Some(4_094.8), at_device: None }),
        per_second: Some(PerSecond { min: 42_000.0, max: 51_000.0 }),
        unfinished: Some(4096),
        steady: Some(Steady {
            steady: true,
            from_s: Some(5.0),
            round_s: 2.0,
            read: Some(SteadyDirection { steady: true, range: 0.08, excursion: 0.03 }),
            write: None,
        }),
        confidence: Some(Confidence {
            level: 0.95,
            low_iops: 43_800.0,
            high_iops: 47_200.0,
            relative: 0.0374,
            batches: 12,
            batch_s: 1.0,
            independent: true,
        }),
        cpu: Some(Cpu {
            online: 16,
            user_s: Some(0.61),
            system_s: Some(2.9),
            us_per_io: Some(6.43),
            steal: Some(0.002),
            processors: Vec::new(),
        }),
        devices: vec![DeviceFacts {
            name: "md0".into(),
            kind: Some("md".into()),
            size_bytes: Some(10 << 40),
            counters: Some(DeviceCounters {
                seconds: 12.0,
                reads: 546_012,
                read_bytes: 546_012 * 4096,
                read_us: Some(89_950.0),
                queue: 4_093.0,
                busy: 1.0,
                ..DeviceCounters::default()
            }),
            ..DeviceFacts::default()
        }],
        checks: vec![
            check("kernel-counters", Outcome::Ok, "546,012 reads were counted for 546,000"),
            check("depth", Outcome::Ok, "4,095 of 4,096"),
            check("file-written", Outcome::Ok, ""),
            check("no-other-io", Outcome::Ok, ""),
        ],
        series: E7.iter().enumerate().map(point).collect(),
        ..RunResult::new(Source::Measured)
    };
    let limiter = |name: &str, dimension, count, limit: f64, used: f64| LimiterUse {
        name: name.into(),
        of: None,
        dimension,
        count,
        limit,
        burst: None,
        enforced: limit * 1.02,
        used,
        share: used / (limit * 1.02),
        held_us: 1.0,
    };
    let prediction = Prediction {
        ceiling: Ceiling {
            iops: Some(51_000.0),
            throughput_bytes_per_s: Some(208_896_000.0),
            full: Vec::new(),
            shares: Vec::new(),
        },
        ceiling_binding: vec![Binding::Limit("disk".into(), Dimension::Ios)],
        expected: Expected {
            iops: 51_000.0,
            low_iops: 49_900.0,
            high_iops: 51_500.0,
            throughput_bytes_per_s: 208_896_000.0,
        },
        latency: None,
        latency_bands: LatencyBands::default(),
        band: BandBasis {
            regime: Regime::Limit,
            layout: DiskLayout::One,
            coverage: Some(Coverage { claimed: 0.8, sources: 20, runs: 61, layout: Some(DiskLayout::One) }),
            one_slow_vm_in: Some(20.4),
            mechanism: Ends { low: 49_900.0, high: 51_500.0 },
            latency_mechanism: [None; 3],
        },
        binding: vec![Binding::Limit("disk".into(), Dimension::Ios)],
        limiters: vec![
            limiter("disk.iops", Dimension::Ios, 10, 50_000.0, 51_000.0),
            limiter("vm.uncached.iops", Dimension::Ios, 1, 51_200.0, 51_000.0),
            limiter("vm.uncached.throughput", Dimension::Bytes, 1, 512e6, 208_896_000.0),
        ],
        shares: Vec::new(),
        burst: None,
        knee: None,
        volumes: Vec::new(),
        disks: Vec::new(),
        hit_rate: None,
        outstanding: 4096,
        alone: Span::from_us(2_100),
    };
    Ran {
        workload,
        result,
        prediction: Some(prediction),
        ended: Ended::Complete,
        prepared: vec![Prepared {
            target: "/mnt/data/iobound.0.data".into(),
            did: Preparing::Created,
            size: Bytes(50 << 30),
            written: Bytes(50 << 30),
            seconds: 268.0,
            content: Some("incompressible".into()),
        }],
        next: vec!["iobound run /mnt/data --find-knee".into(), "iobound explain r-142".into()],
    }
}

/// What a recorder makes of two jobs on two targets for 12 s, 2 s of them warm-up: `log` writes 500 times a second in
/// a closed loop of depth 1 with 2 ms each, flushes after each tenth and fails at one write in a thousand; `data`
/// reads 2,000 times a second in an open loop, issued 0.1 ms late, with latencies between 0.6 and 1.6 ms.
pub(crate) fn recorded(mut watch: impl FnMut(iobound_measure::Tick<'_>)) -> Measured {
    let job = |name: &str, kind, requested_depth, requested_iops| JobLayout {
        name: name.to_string(),
        kind,
        requested_depth,
        requested_iops,
    };
    let mut recorder = Recorder::new(Layout {
        jobs: vec![job("log", Loop::Closed, Some(1), None), job("data", Loop::Open, Some(16), Some(2_000.0))],
        threads: 2,
        targets: vec!["/mnt/a".to_string(), "/mnt/b".to_string()],
        cells: vec![
            Cell { job: 0, thread: 0, target: TargetId(0) },
            Cell { job: 1, thread: 1, target: TargetId(1) },
        ],
        begin: Instant::ZERO,
        start: Instant::from_ns(2_000_000_000),
        end: Instant::from_ns(12_000_000_000),
        interval: Span::from_secs(1),
    });
    // Operation, its cell, and when it was intended, issued and completed, in ns.
    let mut completions: Vec<(u64, u32, Op, u64, u64, bool)> = Vec::new();
    for n in 1..=24_000_u64 {
        let now = n * 500_000;
        if n % 4 == 0 {
            completions.push((now, 0, Op::Write, now - 2_000_000, now - 2_000_000, n % 4_000 != 0));
        }
        if n % 40 == 0 {
            completions.push((now, 0, Op::Flush, now - 2_000_000, now - 2_000_000, true));
        }
        let (intended, response) = (now - 500_000, 600_000 + n % 1_000 * 1_000);
        completions.push((intended + response, 1, Op::Read, intended, intended + 100_000, true));
    }
    completions.retain(|(completed, ..)| *completed <= 12_000_000_000);
    completions.sort_by_key(|(completed, cell, ..)| (*completed, *cell));
    let at = Instant::from_ns;
    for (completed, cell, op, intended, issued, ok) in completions {
        // An interval holds what completes at its end.
        while let Some(tick) = recorder.advance(at(completed - 1)) {
            watch(tick);
        }
        let len = [8192, 65_536, 0, 0][op as usize];
        recorder.record(CellId(cell), op, len, at(intended), at(issued), at(completed), ok);
    }
    while let Some(tick) = recorder.advance(at(12_000_000_000)) {
        watch(tick);
    }
    let outstanding = [
        Outstanding { cell: CellId(0), issued: at(12_000_000_000) },
        Outstanding { cell: CellId(1), issued: at(11_999_600_000) },
    ];
    recorder.finish(at(12_000_000_000), &outstanding)
}

/// Everything that a result can hold.
pub(crate) fn everything() -> Ran {
    let measured = recorded(|_| {});
    let mut result = RunResult::from_measured(&measured, Source::Measured);
    result.attach_histograms(&measured);
    result.engine = Some("libaio".into());
    result.device = Some("/mnt/a, /mnt/b".into());
    result.kernel = Some("6.12.48".into());
    result.never_issued = Some(1_234);
    let start = result.start.get_or_insert_default();
    start.at = Some("2026-07-01T12:00:00Z".into());
    start.host = Some("vm1".into());
    start.command = Some("iobound run /mnt/a /mnt/b --workload w.toml".into());
    start.configuration = Some("Standard_DS14, 2 x P30".into());
    start.seed = Some(7);
    result.cpu = Some(Cpu {
        online: 2,
        user_s: Some(0.1),
        system_s: Some(12.4),
        us_per_io: Some(480.0),
        steal: Some(0.031),
        processors: vec![Processor {
            cpu: 0,
            core: Some(0),
            socket: Some(0),
            node: Some(0),
            efficiency_class: Some(0),
            user: 0.02,
            system: 0.9,
            idle: 0.05,
            steal: 0.03,
        }],
    });
    result.devices = vec![DeviceFacts {
        name: "sda".into(),
        targets: vec!["/mnt/a".into(), "/mnt/b".into()],
        kind: Some("scsi".into()),
        model: Some("Virtual Disk".into()),
        size_bytes: Some(1 << 40),
        scheduler: Some("none".into()),
        read_ahead_kib: Some(4096),
        queue_requests: Some(169),
        hardware_queues: Some(4),
        max_request_kib: Some(32),
        max_hardware_request_kib: Some(256),
        rotational: Some(false),
        logical_sector: Some(512),
        physical_sector: Some(4096),
        write_cache: Some("write back".into()),
        made_of: vec!["sda1".into()],
        counters: Some(DeviceCounters {
            seconds: 10.0,
            reads: 20_001,
            reads_merged: 12,
            read_bytes: 20_001 * 8192,
            writes: 10_000,
            writes_merged: 0,
            written_bytes: 10_000 * 32_768,
            flushes: 500,
            discards: 0,
            read_us: Some(1_010.0),
            write_us: Some(1_950.0),
            queue: 3.2,
            busy: 0.97,
        }),
    }];
    result.checks = vec![
        check(
            "kernel-counters",
            Outcome::Warning,
            "the kernel counted 10,000 writes for 5,000: each was split",
        ),
        check("depth", Outcome::Failed, "1.0 of 16 outstanding"),
        check("steal", Outcome::Unknown, "/proc/stat has no steal time here"),
        check("client-cpu", Outcome::Ok, ""),
    ];
    result.notes.push("the page cache answered nothing".into());
    let mut log = Job::new("log");
    log.mix = vec![Share { weight: 1, op: Op::Write, block: 65_536, random: None, align: None }];
    log.flush_every = Some(10);
    log.buffered = true;
    let mut data = Job::new("data");
    data.mix = vec![Share { weight: 1, op: Op::Read, block: 8192, random: None, align: None }];
    let rate = Rate::Ios { count: 2_000, per: Span::from_secs(1) };
    data.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 16 };
    let mut workload = Workload::new(vec![log, data], Span::from_secs(10));
    workload.warmup = Span::from_secs(2);
    Ran { workload, result, ended: Ended::Interrupted, ..e7() }
}

/// A run in which nothing completed and nothing is known.
pub(crate) fn nothing() -> Ran {
    let begin = Instant::ZERO;
    let layout = Layout::single("run", "/mnt/a", begin, begin, Span::from_secs(1));
    let measured = Recorder::new(layout).finish(begin, &[]);
    Ran {
        workload: Workload::new(vec![Job::new("run")], Span::ZERO),
        result: RunResult::from_measured(&measured, Source::Measured),
        prediction: None,
        ended: Ended::Failed("/mnt/a: Input/output error (EIO) at the first read".into()),
        prepared: Vec::new(),
        next: Vec::new(),
    }
}
