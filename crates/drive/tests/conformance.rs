//! One body of tests for every engine: what the run loop and an engine promise each other.
//!
//! [`Audit`](common::audit::Audit) stands between them and panics where a promise is broken; the body adds what
//! must hold of a whole run. An engine on real targets gets the same body.

mod common;

use common::audit::Audit;
use common::build::*;
use common::clocks::{Sloppy, virtual_time};
use iobound_drive::{Engine, Flow, Null};
use iobound_model::Latency;
use iobound_units::{Bytes, Op, Ppm, Span};
use iobound_workload::{Access, Arrivals, Job, Load, Share, Target, Think, Workload};

const SIZE: Bytes = Bytes::gib(4);

/// Every way a job can issue its I/Os.
fn jobs() -> Vec<Job> {
    let share = |weight, op, block| Share { weight, op, block, random: None };
    let mix = vec![share(6, Op::Read, 4096), share(3, Op::Write, 262_144), share(1, Op::Discard, 1 << 20)];
    let think = |after_completion| Some(Think { burst: 7, time: Span::from_ms(3), after_completion });
    vec![
        closed(1, 1),
        closed(4, 16),
        Job { mix: mix.clone(), ..closed(2, 8) },
        Job { access: Access { shared: true, ..Access::sequential() }, ..closed(3, 4) },
        Job { flush_every: Some(5), ..writes(closed(2, 4)) },
        Job { think: think(false), ..closed(2, 3) },
        Job { think: think(true), ..closed(2, 3) },
        Job { load: Load::Closed { depth: 8, cap: Some(per_second(700)) }, ..closed(2, 8) },
        Job { threads: 3, ..open(900, Arrivals::Fixed, 8) },
        Job { threads: 3, ..open(900, Arrivals::Poisson, 8) },
        Job { flush_every: Some(3), ..writes(open(900, Arrivals::Poisson, 2)) },
        Job { mix, ..open(1_000_000, Arrivals::Fixed, 4) },
        Job { stop_after: Some(Bytes::mib(1)), ..closed(2, 4) },
        Job { start_after: Span::from_ms(400), runtime: Some(Span::from_ms(300)), ..closed(1, 2) },
    ]
}

fn workloads() -> Vec<Workload> {
    let alone = jobs().into_iter().map(|job| for_seconds(vec![job], 1));
    let together = for_seconds(jobs(), 1);
    let mut staged = for_seconds(jobs(), 1);
    for (n, job) in staged.jobs.iter_mut().enumerate() {
        job.stage = n as u16 / 5;
    }
    let mut edges = for_seconds(jobs(), 1);
    (edges.warmup, edges.cooldown) = (Span::from_ms(350), Span::from_ms(150));
    alone.chain([together, staged, edges]).collect()
}

/// The body: every I/O goes out once, comes back once, and is counted once.
fn conforms<E: Engine>(make: impl Fn(usize) -> E) {
    for workload in workloads() {
        let targets: Vec<Target> = target(SIZE);
        let audited = |capacity| Audit::new(make(capacity), capacity, &targets);
        let (end, audit) = run_on(&workload, &targets, audited, &mut |_| Flow::Continue);
        let depth: u64 = workload.lanes(&targets).unwrap().iter().map(|lane| u64::from(lane.depth)).sum();
        assert!(audit.most_outstanding as u64 <= depth, "{} > {depth}", audit.most_outstanding);

        let (start, stop) = (end.measured.start, end.measured.end);
        let counted = |at| at <= stop && (at > start || workload.warmup.is_zero());
        for op in Op::ALL {
            let expected = audit.of(op).filter(|entry| entry.completed.is_some_and(counted)).count();
            let recorded: u64 = end.measured.jobs.iter().map(|job| job.op(op).count()).sum();
            assert_eq!(recorded, expected as u64, "{} of {:?}", op.name(), workload.jobs);
            let bytes = audit.of(op).filter(|entry| entry.completed.is_some_and(counted));
            let bytes: u64 = bytes.map(|entry| u64::from(entry.io.len)).sum();
            let moved: u64 = end.measured.jobs.iter().map(|job| job.op(op).bytes).sum();
            assert_eq!(moved, bytes);
        }
        // Issued before the end of the counting and not back by then: neither lost nor counted twice.
        let late = |entry: &&common::audit::Entry| {
            entry.submitted < stop && entry.completed.is_none_or(|at| at > stop)
        };
        let unfinished: u64 = end.measured.jobs.iter().map(|job| job.unfinished).sum();
        assert_eq!(unfinished, audit.entries.iter().filter(late).count() as u64, "{:?}", workload.jobs);
        assert!(end.measured.jobs.iter().all(|job| job.by_op.iter().all(|op| op.errors == 0)));
    }
}

#[test]
fn nothing_at_all_conforms() {
    conforms(|capacity| Null::new(Sloppy::new(Span::from_us(20), Span::from_us(60)), capacity));
}

#[test]
fn the_model_in_virtual_time_conforms() {
    let latency = Latency { mean: Span::from_us(900), floor: Ppm(800_000), per_kib: Span::from_us(2) };
    for discipline in [SLICE, BUCKET] {
        let blueprint = striped(1, latency, Some((3_000, discipline)));
        conforms(|capacity| modelled(&blueprint, virtual_time(), capacity));
    }
}

#[test]
fn the_model_on_a_clock_that_is_always_late_conforms() {
    let latency = Latency { mean: Span::from_us(900), floor: Ppm(800_000), per_kib: Span::from_us(2) };
    let blueprint = striped(1, latency, Some((3_000, SLICE)));
    let clock = || Sloppy::new(Span::from_ns(400), Span::from_us(200));
    conforms(|capacity| modelled(&blueprint, clock(), capacity));
}

#[test]
fn a_wait_with_nothing_outstanding_lasts_until_the_asked_time() {
    fn waits<E: Engine>(mut engine: E) {
        let until = engine.now() + Span::from_ms(20);
        let mut done = Vec::new();
        engine.wait(until, &mut done).unwrap();
        assert!(engine.now() >= until && done.is_empty());
    }
    waits(Null::new(virtual_time(), 1));
    waits(modelled(&constant(100), virtual_time(), 1));
    waits(modelled(&gated(100, 50, SLICE), Sloppy::new(Span::from_ns(30), Span::from_us(50)), 1));
}

/// A clock that goes on by itself, and whose time others see.
struct Shared(std::rc::Rc<std::cell::Cell<u64>>);

impl iobound_drive::Clock for Shared {
    fn now(&mut self) -> iobound_units::Instant {
        self.0.set(self.0.get() + 3_000_000);
        iobound_units::Instant::from_ns(self.0.get())
    }

    fn sleep_until(&mut self, _at: iobound_units::Instant) {}
}

#[test]
fn an_interval_is_handed_out_as_soon_as_a_later_completion_has_closed_it() {
    let now = std::rc::Rc::new(std::cell::Cell::new(0));
    let mut seen = 0;
    let workload = for_seconds(vec![closed(1, 4)], 10);
    // No look at this clock falls on a whole second: it is always a completion that closes the interval.
    let engine = |capacity| Null::new(Shared(now.clone()), capacity);
    run_on(&workload, &target(SIZE), engine, &mut |interval| {
        let late = Span::from_ns(now.get() - interval.end.ns());
        assert!(late < Span::from_ms(20), "an interval that ended at {} came {late} late", interval.end.ns());
        seen += 1;
        Flow::Continue
    });
    assert!(seen >= 9);
}
