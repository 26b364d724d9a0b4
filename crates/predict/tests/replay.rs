//! A trace of a workload has the latencies of the workload, on the same configuration.

mod common;

use common::Case;
use iobound_catalog::{Catalog, resolve};
use iobound_drive::{Flow, ReplayMode, VirtualClock};
use iobound_predict::{
    Age, CacheState, Counted, Question, ReplayGoal, ReplayQuestion, ReplayStop, Replayed, full_run,
    latency_of, replay_on_model, targets_of,
};
use iobound_trace::{InMemory, NO_LATENCY, Record};
use iobound_units::{Instant, Ppm, Rate, Span};
use iobound_workload::{Arrivals, Cursors, Job, Load, Workload};

fn resolved(vm: &str, disk: &str) -> iobound_catalog::Resolved {
    let case = Case::new(vm, &[disk]);
    resolve(&case.configuration, &Catalog::shipped()).expect("a configuration")
}

/// Random 8 KiB I/Os, two thirds of them reads, as independent arrivals.
fn open(iops: u64, seconds: u64) -> Workload {
    let mut job = Job::new("open");
    job.set_mix(8_192, iobound_units::Percent::whole(67).expect("a share"));
    job.load = Load::Open {
        rate: Rate::Ios { count: iops, per: Span::from_secs(1) },
        arrivals: Arrivals::Poisson,
        depth: 4_096,
    };
    let mut workload = Workload::new(vec![job], Span::from_secs(seconds));
    workload.seed = 7;
    workload
}

/// The I/Os of a workload with their intended times.
fn recorded(workload: &Workload, resolved: &iobound_catalog::Resolved) -> InMemory {
    let targets = targets_of(resolved);
    let queues = workload.queues(&targets).expect("the workload fits");
    let mut generators = workload.generators_on(&queues, &Cursors::new(&queues));
    let mut pacer = workload.pacer(&queues[0], Instant::ZERO);
    let mut records = Vec::new();
    while pacer.next_allowed().ns() < workload.duration.ns() {
        let at = pacer.next_allowed();
        let io = generators[0].next();
        pacer.issued(at, &io);
        records.push(Record {
            at_ns: at.ns(),
            offset: io.offset,
            length: u64::from(io.len),
            latency_ns: NO_LATENCY,
            device: 0,
            op: io.op,
        });
    }
    InMemory::new(records, vec!["data".into()])
}

fn replayed(
    resolved: &iobound_catalog::Resolved,
    mut source: InMemory,
    goal: Option<ReplayGoal>,
) -> Replayed {
    let question = ReplayQuestion {
        resolved,
        mode: ReplayMode::Timed,
        speed: Ppm::ONE,
        full_credits: false,
        seed: 7,
        map: &[],
        goal,
    };
    replay_on_model(&question, &mut source, &mut || Flow::Continue).expect("a replay")
}

#[test]
fn a_trace_of_a_workload_has_its_latencies_and_its_rate() {
    let (resolved, workload) = (resolved("D16s_v3", "4xP30"), open(12_000, 20));
    let question = Question {
        resolved: &resolved,
        workload: &workload,
        cache: CacheState::Cold,
        age: Age::Sustained,
        counted: Counted::Run,
    };
    let (simulated, _) =
        full_run(VirtualClock::default(), &question, &mut |_| Flow::Continue).expect("a run");
    let of_run = latency_of(&simulated.measured).expect("latencies");
    let replay = replayed(&resolved, recorded(&workload, &resolved), None);
    let data = replay.data();
    for (percentile, of_run) in
        [(50.0, of_run.p50), (90.0, of_run.p90), (95.0, of_run.p95), (99.0, of_run.p99)]
    {
        let (us, of_run) = (data.value_at_percentile(percentile) as f64 / 1e3, of_run.expect("enough I/Os"));
        assert!((us / of_run - 1.0).abs() < 0.05, "p{percentile}: {us} and {of_run}");
    }
    let rate = data.count() as f64 / replay.duration.secs_f64();
    assert!((rate / 12_000.0 - 1.0).abs() < 0.01, "{rate}");
    assert!(replay.points.len() == 20 || replay.points.len() == 21, "{}", replay.points.len());
}

#[test]
fn a_replay_that_cannot_meet_its_goal_ends_in_the_second_in_which_that_is_sure() {
    // 6,000 I/Os a second on a disk of 5,000: after some seconds the backlog is beyond 100 ms.
    let (resolved, workload) = (resolved("D16s_v3", "P30"), open(6_000, 20));
    let goal = ReplayGoal { most: Span::from_ms(100), over: 1_200 };
    let replay = replayed(&resolved, recorded(&workload, &resolved), Some(goal));
    let Some(ReplayStop::Goal(at)) = replay.stop else { panic!("{:?}", replay.stop) };
    assert!(at > Span::from_ms(200) && at < Span::from_secs(3), "{at}");
    assert!(replay.points.iter().all(|point| point.bound_by.is_some()));
    let first = replay.points[0].bound_by.expect("a limit");
    assert_eq!(resolved.blueprint.limiters[usize::from(first.0.0)].name.group, "disk");
}
