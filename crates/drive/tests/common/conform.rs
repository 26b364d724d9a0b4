//! One body of tests for every engine: what the run loop and an engine promise each other.
//!
//! [`Audit`] stands between them and panics where a promise is broken; the body adds what must hold of a whole run.

use iobound_drive::{Engine, Flow};
use iobound_units::{Bytes, Op, Span};
use iobound_workload::{Access, Arrivals, Job, Load, Share, Target, Think, Workload};

use super::audit::{Audit, Entry};
use super::build::*;

/// What the body runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// The size of the one target.
    pub(crate) size: Bytes,
    /// Length of the body's second: virtual time costs nothing.
    pub(crate) second: Span,
    /// True if the engine knows discards.
    pub(crate) discards: bool,
}

impl Body {
    fn ms(&self, ms: u64) -> Span {
        Span::from_ns(self.second.ns() / 1_000 * ms)
    }

    /// Every way a job can issue its I/Os.
    fn jobs(&self) -> Vec<Job> {
        let share = |weight, op, block| Share { weight, op, block, random: None, align: None };
        let mix =
            vec![share(6, Op::Read, 4096), share(3, Op::Write, 262_144), share(1, Op::Discard, 1 << 20)];
        let mix: Vec<Share> =
            mix.into_iter().filter(|share| self.discards || share.op != Op::Discard).collect();
        let think = |after_completion| Some(Think { burst: 7, time: self.ms(3), after_completion });
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
            Job { start_after: self.ms(400), runtime: Some(self.ms(300)), ..closed(1, 2) },
        ]
    }

    fn workloads(&self) -> Vec<Workload> {
        let alone = self.jobs().into_iter().map(|job| Workload::new(vec![job], self.second));
        let together = Workload::new(self.jobs(), self.second);
        let mut staged = Workload::new(self.jobs(), self.second);
        for (n, job) in staged.jobs.iter_mut().enumerate() {
            job.stage = n as u16 / 5;
        }
        let mut edges = Workload::new(self.jobs(), self.second);
        (edges.warmup, edges.cooldown) = (self.ms(350), self.ms(150));
        alone.chain([together, staged, edges]).collect()
    }

    /// Every I/O goes out once, comes back once, and is counted once. `make` is given how many can be outstanding;
    /// `leave` gets what it made when the run is over.
    pub(crate) fn conforms<E: Engine>(&self, make: impl Fn(usize) -> E, leave: impl Fn(E)) {
        for workload in self.workloads() {
            let targets: Vec<Target> = target(self.size);
            let audited = |capacity| Audit::new(make(capacity), capacity, &targets);
            let (end, audit) = run_on(&workload, &targets, audited, &mut |_| Flow::Continue);
            let Audit { inner, entries, most_outstanding, .. } = audit;
            leave(inner);
            let depth: u64 =
                workload.queues(&targets).unwrap().iter().map(|queue| u64::from(queue.depth)).sum();
            assert!(most_outstanding as u64 <= depth, "{most_outstanding} > {depth}");

            let (start, stop) = (end.measured.start, end.measured.end);
            let counted = |at| at <= stop && (at > start || workload.warmup.is_zero());
            for op in Op::ALL {
                let expected = || {
                    let of_op = entries.iter().filter(move |entry| entry.io.op == op);
                    of_op.filter(|entry| entry.completed.is_some_and(counted))
                };
                let recorded: u64 = end.measured.jobs.iter().map(|job| job.op(op).count()).sum();
                assert_eq!(recorded, expected().count() as u64, "{} of {:?}", op.name(), workload.jobs);
                let bytes: u64 = expected().map(|entry| u64::from(entry.io.len)).sum();
                let moved: u64 = end.measured.jobs.iter().map(|job| job.op(op).bytes).sum();
                assert_eq!(moved, bytes);
            }
            // Issued before the end of the counting and not back by then: neither lost nor counted twice.
            let late = |entry: &&Entry| entry.submitted < stop && entry.completed.is_none_or(|at| at > stop);
            let unfinished: u64 = end.measured.jobs.iter().map(|job| job.unfinished).sum();
            assert_eq!(unfinished, entries.iter().filter(late).count() as u64, "{:?}", workload.jobs);
            assert!(end.measured.jobs.iter().all(|job| job.by_op.iter().all(|op| op.errors == 0)));
        }
    }
}
