//! Stacks, jobs and runs in a few words.

use iobound_drive::{Clock, End, Engine, Flow, Modelled, Window, Worker, layout_of, run};
use iobound_measure::{MeasuredOp, Recorder, Tick};
use iobound_model::{
    Algorithm, Blueprint, Charge, Latency, Limit, LimiterId, LimiterName, LimiterSpec, Routes, Stack, Start,
    StartCredits,
};
use iobound_units::{Bytes, Op, Ppm, Rate, Span, TargetId};
use iobound_workload::{Arrivals, Job, Load, Share, Target, Workload};

pub(crate) const SLICE: Algorithm = Algorithm::Slice { length: Span::from_ms(50) };
pub(crate) const BUCKET: Algorithm = Algorithm::Bucket { depth: Span::from_secs(1) };

/// A disk that takes the same time for every I/O, and no limiter before it.
pub(crate) fn constant(us: u64) -> Blueprint {
    striped(1, Latency::constant(Span::from_us(us)), None)
}

/// A disk of constant latency behind a limiter of so many I/Os a second.
pub(crate) fn limited(us: u64, iops: u64, algorithm: Algorithm) -> Blueprint {
    striped(1, Latency::constant(Span::from_us(us)), Some((iops, algorithm)))
}

/// A number of disks as one stripe at 64 KiB, each behind a limiter of its own.
pub(crate) fn striped(disks: u16, latency: Latency, limiter: Option<(u64, Algorithm)>) -> Blueprint {
    let limiters = (0..disks).filter_map(|n| {
        limiter.map(|(iops, algorithm)| LimiterSpec {
            name: LimiterName::of("disk", &format!("data.{n}")),
            ios: Some(Limit::published(iops)),
            bytes: None,
            charge: Charge::Per(Bytes::kib(256)),
            algorithm,
            factor: Ppm::ONE,
            credits: None,
        })
    });
    let limiters: Vec<LimiterSpec> = limiters.collect();
    let route = |n: u16| if limiters.is_empty() { vec![] } else { vec![LimiterId(n)] };
    let mut blueprint = Blueprint::striped("data", disks, Bytes::gib(4), latency);
    for (n, disk) in blueprint.disks.iter_mut().enumerate() {
        disk.routes = Routes { read: route(n as u16), write: route(n as u16), ..Routes::default() };
    }
    blueprint.limiters = limiters;
    blueprint
}

pub(crate) fn target(size: Bytes) -> Vec<Target> {
    vec![Target { name: "data".into(), id: TargetId(0), size, members_of: None }]
}

/// Random 4 KiB reads in a closed loop.
pub(crate) fn closed(threads: u32, depth: u32) -> Job {
    let mut job = Job::new("job");
    job.threads = threads;
    job.load = Load::Closed { depth, cap: None };
    job
}

/// Random 4 KiB reads in an open loop.
pub(crate) fn open(iops: u64, arrivals: Arrivals, depth: u32) -> Job {
    let mut job = Job::new("job");
    job.load = Load::Open { rate: per_second(iops), arrivals, depth };
    job
}

pub(crate) fn per_second(iops: u64) -> Rate {
    Rate::Ios { count: iops, per: Span::from_secs(1) }
}

pub(crate) fn writes(mut job: Job) -> Job {
    job.mix = vec![Share { weight: 1, op: Op::Write, block: 4096, random: None, align: None }];
    job
}

/// Jobs for so many seconds.
pub(crate) fn for_seconds(jobs: Vec<Job>, seconds: u64) -> Workload {
    Workload::new(jobs, Span::from_secs(seconds))
}

/// A stack of this blueprint on a clock.
pub(crate) fn modelled<C: Clock>(blueprint: &Blueprint, clock: C, capacity: usize) -> Modelled<C> {
    let start = Start { seed: 1, credits: StartCredits::Spent };
    Modelled::new(Stack::new(blueprint, &start, capacity).expect("the blueprint holds"), clock)
}

/// Runs a workload on an engine and hands both back.
pub(crate) fn run_on<E: Engine>(
    workload: &Workload,
    targets: &[Target],
    make: impl FnOnce(usize) -> E,
    watch: &mut impl FnMut(Tick) -> Flow,
) -> (End, E) {
    let window = Window::of(workload, iobound_units::Instant::ZERO);
    let mut worker = Worker::new(workload, targets, window).expect("the workload fits");
    let queues: Vec<_> = worker.queues().cloned().collect();
    let recorder = Recorder::new(layout_of(workload, &queues, targets, window, Span::from_secs(1)));
    let mut engine = make(worker.capacity());
    let end = run(&mut worker, &mut engine, recorder, watch).expect("no engine fails here");
    (end, engine)
}

/// Runs a workload on a stack in virtual time, with every I/O on the books.
pub(crate) fn simulate(
    workload: &Workload,
    blueprint: &Blueprint,
) -> (End, super::audit::Audit<Modelled<iobound_drive::VirtualClock>>) {
    let targets = target(blueprint.volumes[0].size);
    let make = |capacity| {
        super::audit::Audit::new(
            modelled(blueprint, iobound_drive::VirtualClock::default(), capacity),
            capacity,
            &targets,
        )
    };
    run_on(workload, &targets, make, &mut |_| Flow::Continue)
}

/// Figures of one operation of a run's first job.
pub(crate) fn of(end: &End, op: Op) -> &MeasuredOp {
    end.measured.jobs[0].op(op)
}

/// Reads of the first job a second.
pub(crate) fn read_iops(end: &End) -> f64 {
    of(end, Op::Read).count() as f64 / end.measured.window().secs_f64()
}

pub(crate) fn mean_us(op: &MeasuredOp) -> f64 {
    op.response.moments().mean_ns().expect("something completed") / 1e3
}

/// The mean number of outstanding I/Os of the first job.
pub(crate) fn achieved_depth(end: &End) -> f64 {
    end.measured.jobs[0].outstanding_ns as f64 / end.measured.window().ns() as f64
}

#[track_caller]
pub(crate) fn assert_within(actual: f64, expected: f64, share: f64) {
    assert!(
        (actual - expected).abs() <= share * expected.abs(),
        "{actual} is not within {} % of {expected}",
        share * 100.0
    );
}
