//! Stacks, jobs and runs in a few words.

use iobound_drive::{Clock, Crew, End, Engine, Flow, Modelled, Window, layout_of, run};
use iobound_measure::{MeasuredOp, Recorder, Tick};
use iobound_model::{
    Blueprint, Charge, Discipline, GateId, GateName, GateSpec, Latency, Limit, Routes, Stack, Start,
    StartCredits,
};
use iobound_units::{Bytes, Op, Ppm, Rate, Span, TargetId};
use iobound_workload::{Arrivals, Job, Load, Share, Target, Workload};

pub(crate) const SLICE: Discipline = Discipline::Slice { length: Span::from_ms(50) };
pub(crate) const BUCKET: Discipline = Discipline::Bucket { depth: Span::from_secs(1) };

/// A disk that takes the same time for every I/O, and no gate before it.
pub(crate) fn constant(us: u64) -> Blueprint {
    striped(1, Latency::constant(Span::from_us(us)), None)
}

/// A disk of constant latency behind a gate of so many I/Os a second.
pub(crate) fn gated(us: u64, iops: u64, discipline: Discipline) -> Blueprint {
    striped(1, Latency::constant(Span::from_us(us)), Some((iops, discipline)))
}

/// So many disks as one stripe at 64 KiB, each behind a gate of its own.
pub(crate) fn striped(disks: u16, latency: Latency, gate: Option<(u64, Discipline)>) -> Blueprint {
    let gates = (0..disks).filter_map(|n| {
        gate.map(|(iops, discipline)| GateSpec {
            name: GateName::of("disk", &format!("data.{n}")),
            ios: Some(Limit::published(iops)),
            bytes: None,
            charge: Charge::Per(Bytes::kib(256)),
            discipline,
            factor: Ppm::ONE,
            credits: None,
        })
    });
    let gates: Vec<GateSpec> = gates.collect();
    let route = |n: u16| if gates.is_empty() { vec![] } else { vec![GateId(n)] };
    let mut blueprint = Blueprint::striped("data", disks, Bytes::gib(4), latency);
    for (n, disk) in blueprint.disks.iter_mut().enumerate() {
        disk.routes = Routes { read: route(n as u16), write: route(n as u16), ..Routes::default() };
    }
    blueprint.gates = gates;
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
    let mut crew = Crew::new(workload, targets, window).expect("the workload fits");
    let lanes: Vec<_> = crew.lanes().cloned().collect();
    let recorder = Recorder::new(layout_of(workload, &lanes, targets, window, Span::from_secs(1)));
    let mut engine = make(crew.capacity());
    let end = run(&mut crew, &mut engine, recorder, watch).expect("no engine fails here");
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

/// What one operation of a run's first job did.
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
