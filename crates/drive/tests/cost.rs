//! What the run loop costs: nothing allocated after the start, two looks at the clock a batch (invariant 5).

mod common;

use common::audit::Audit;
use common::build::*;
use common::clocks::{Counting, Sloppy, virtual_time};
use iobound_drive::{Engine, Flow, Null, Window, Worker, layout_of, run};
use iobound_measure::Recorder;
use iobound_model::{Blueprint, Latency};
use iobound_units::{Instant, Ppm, Span};
use iobound_workload::{Access, Arrivals, Job, Load, Think, Workload};

/// Number of allocations of a run with its start and end, and number of its I/Os. The list of what is
/// outstanding at the end is one, where there is something.
fn allocations<E: Engine>(
    workload: &Workload,
    size: iobound_units::Bytes,
    make: impl FnOnce(usize) -> E,
) -> (u64, u64) {
    let targets = target(size);
    let window = Window::of(workload, Instant::ZERO);
    let mut worker = Worker::new(workload, &targets, window).unwrap();
    let queues: Vec<_> = worker.queues().cloned().collect();
    let recorder = Recorder::new(layout_of(workload, &queues, &targets, window, Span::from_secs(1)));
    let mut engine = make(worker.capacity());
    let mut end = None;
    let used = allocation_counter::measure(|| {
        end = Some(run(&mut worker, &mut engine, recorder, &mut |_| Flow::Continue).unwrap());
    });
    let ios = end.unwrap().measured.jobs.iter().flat_map(|job| &job.by_op).map(|op| op.count()).sum();
    (used.count_total - u64::from(worker.outstanding() > 0), ios)
}

/// A run ten times as long allocates no more: what there is, is at the start and at the end.
fn allocates_nothing_on_the_way<E: Engine>(job: &Job, size: iobound_units::Bytes, make: impl Fn(usize) -> E) {
    let (short, few) = allocations(&for_seconds(vec![job.clone()], 2), size, &make);
    let (long, many) = allocations(&for_seconds(vec![job.clone()], 20), size, &make);
    assert!(many > 8 * few && few > 100, "{few} and {many} I/Os");
    assert_eq!(short, long, "{few} I/Os made {short} allocations, {many} made {long}: {job:?}");
}

fn jobs() -> Vec<Job> {
    let mut striped = closed(2, 16);
    striped.mix[0].block = 262_144;
    let think = Some(Think { burst: 16, time: Span::from_ms(2), after_completion: true });
    vec![
        closed(1, 1),
        closed(4, 32),
        Job { access: Access { shared: true, ..Access::sequential() }, ..closed(4, 8) },
        striped,
        Job { think, ..closed(2, 4) },
        Job { load: Load::Closed { depth: 4, cap: Some(per_second(900)) }, ..closed(2, 4) },
        Job { flush_every: Some(3), ..writes(closed(2, 4)) },
        open(2_000, Arrivals::Fixed, 16),
        open(2_000, Arrivals::Poisson, 16),
        // Ten times what the disks take: the backlog is a number.
        open(200_000, Arrivals::Poisson, 16),
    ]
}

fn disks(algorithm: iobound_model::Algorithm) -> Blueprint {
    let latency = Latency { mean: Span::from_us(900), floor: Ppm(800_000), per_kib: Span::from_us(2) };
    striped(4, latency, Some((5_000, algorithm)))
}

#[test]
fn the_loop_on_the_model_allocates_nothing_after_the_start() {
    for algorithm in [SLICE, BUCKET] {
        let blueprint = disks(algorithm);
        for job in jobs() {
            allocates_nothing_on_the_way(&job, blueprint.volumes[0].size, |capacity| {
                modelled(&blueprint, virtual_time(), capacity)
            });
        }
    }
}

#[test]
fn the_loop_on_the_null_engine_allocates_nothing_after_the_start() {
    let size = disks(SLICE).volumes[0].size;
    for job in jobs() {
        allocates_nothing_on_the_way(&job, size, |capacity| {
            Null::new(Sloppy::new(Span::from_us(20), Span::from_us(60)), capacity)
        });
    }
}

#[test]
fn a_batch_on_the_null_engine_looks_at_the_clock_twice() {
    let (clock, asked) = Counting::new(Sloppy::new(Span::from_us(5), Span::ZERO));
    let targets = target(disks(SLICE).volumes[0].size);
    // The books look once themselves after each wait.
    let make = |capacity| Audit::new(Null::new(clock, capacity), capacity, &targets);
    let workload = for_seconds(vec![closed(4, 32)], 1);
    let (_, audit) = run_on(&workload, &targets, make, &mut |_| Flow::Continue);
    assert!(audit.waits > 10_000 && audit.entries.len() as u64 > 100 * audit.waits);
    let own = asked.reads.get() - audit.waits;
    assert_eq!(own, 2 * audit.waits + 1, "two a batch, and one at the start");
}

#[test]
fn the_model_looks_at_the_clock_once_a_sleep_and_the_loop_once_a_batch() {
    for (sloppy, name) in [(false, "virtual"), (true, "real")] {
        let late = if sloppy { Span::from_us(300) } else { Span::ZERO };
        let look = if sloppy { Span::from_ns(40) } else { Span::ZERO };
        let (clock, asked) = Counting::new(Sloppy::new(look, late));
        let blueprint = disks(SLICE);
        let targets = target(blueprint.volumes[0].size);
        let make = |capacity| Audit::new(modelled(&blueprint, clock, capacity), capacity, &targets);
        let workload = for_seconds(vec![closed(4, 64)], 5);
        let (_, audit) = run_on(&workload, &targets, make, &mut |_| Flow::Continue);
        let own = asked.reads.get() - audit.waits;
        // One when the engine is made and one at the start of the run.
        assert_eq!(own, asked.sleeps.get() + audit.waits + 2, "{name}");
        assert!(audit.entries.len() > 50_000);
    }
}
