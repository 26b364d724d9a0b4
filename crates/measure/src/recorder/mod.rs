//! The recorder: what the run loop calls for every completion and at every edge of an interval.

mod append;
mod finish;
mod interval;
mod layout;
mod measured;
mod open;
mod published;
mod restored;
mod series;
mod tally;
mod together;

use iobound_units::{Instant, Op};

pub use interval::{Interval, IntervalTally, LatencyCount, Phase, Tick};
pub use layout::{Cell, CellId, JobLayout, Layout, Loop};
pub use measured::{Measured, MeasuredCell, MeasuredCellOp, MeasuredJob, MeasuredOp};

use crate::histogram::{Bins, HIGHEST_NS, Histogram};
pub use published::Published;
pub use series::SeriesLatencies;
pub use together::Together;

use open::OpenInterval;
use series::Series;
use tally::Tally;

/// Counts completions: by job and operation, by cell and operation, and by interval and direction.
///
/// - **What counts.** An I/O counts if it completes while counting is on: after [`Layout::start`] and not
///   after [`Layout::end`] (without a warm-up, at the start as well). When it was issued does not matter. An
///   I/O that failed counts as an error and nowhere else. Flush and discard have counts and latencies of
///   their own and are no part of IOPS, throughput or the series.
/// - **Latency.** In a closed loop from issue to completion, and the intended time is not used. In an open
///   loop from the intended time (response), with the time from issue kept beside it (service).
/// - **Order.** Completions come in any order and carry their own times. One later than the open interval
///   closes it; one that belongs to a closed interval is still added there, but for its percentiles. The
///   totals of the counted intervals equal those of the jobs.
/// - **Memory** is fixed by the layout: nothing is allocated after [`Recorder::new`] until [`Recorder::merge`]
///   or [`Recorder::finish`], however many I/Os there are.
#[derive(Clone)]
pub struct Recorder {
    layout: Layout,
    cells: Vec<CellTally>,
    jobs: Vec<JobTally>,
    open: OpenInterval,
    series: Series,
    /// How many intervals [`Recorder::advance`] has handed out of those that the series holds.
    reported: usize,
    /// An interval that the series had no room for: to be handed out, and handed out.
    unkept: Option<Interval>,
    handed_out: Option<Interval>,
}

#[derive(Clone)]
struct CellTally {
    job: u16,
    open_loop: bool,
    outstanding_ns: u128,
    by_op: [Tally; 4],
}

#[derive(Clone)]
struct JobTally {
    response: [Bins<3>; 4],
    /// Empty in a closed loop, else by operation.
    service: Vec<Histogram<3>>,
    unfinished: u64,
    never_issued: u64,
}

/// A completed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// When it was issued.
    pub issued: Instant,
    /// When it completed.
    pub completed: Instant,
    /// When it was to be issued; not used in a closed loop.
    pub intended: Instant,
    /// Whose it is.
    pub cell: CellId,
    /// How long it was, in bytes.
    pub len: u32,
    /// What it did.
    pub op: Op,
    /// Whether it moved all its bytes without an error.
    pub ok: bool,
}

/// An I/O that is still outstanding when a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outstanding {
    /// Whose it is.
    pub cell: CellId,
    /// When it was issued.
    pub issued: Instant,
}

impl Recorder {
    /// A recorder with all its memory. The layout must be sound: cells name jobs, threads and targets that
    /// are there, and counting does not end before it starts.
    pub fn new(layout: Layout) -> Recorder {
        layout.assert_sound();
        let jobs = layout
            .jobs
            .iter()
            .map(|job| JobTally {
                response: std::array::from_fn(|_| Bins::new()),
                service: match job.kind {
                    Loop::Closed => Vec::new(),
                    Loop::Open => Op::ALL.iter().map(|_| Histogram::new()).collect(),
                },
                unfinished: 0,
                never_issued: 0,
            })
            .collect();
        let cells = layout
            .cells
            .iter()
            .map(|cell| CellTally {
                job: cell.job,
                open_loop: layout.jobs[usize::from(cell.job)].is_open(),
                outstanding_ns: 0,
                by_op: std::array::from_fn(|_| Tally::new()),
            })
            .collect();
        let open = OpenInterval::first(&layout);
        let series = Series::new(&layout);
        Recorder { layout, cells, jobs, open, series, reported: 0, unkept: None, handed_out: None }
    }

    /// What is counted apart, and when.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Takes in one completion of `len` bytes. `ok` is whether it moved them all without an error.
    #[allow(clippy::too_many_arguments, reason = "the hot path: arguments stay in registers")]
    #[inline]
    pub fn record(
        &mut self,
        cell: CellId,
        op: Op,
        len: u32,
        intended: Instant,
        issued: Instant,
        completed: Instant,
        ok: bool,
    ) {
        self.record_alike(Completion { issued, completed, intended, cell, len, op, ok }, 1);
    }

    /// Takes in `count` completions that are alike in everything: what they would come to one by one. I/Os that go out in
    /// one batch and come back in one are, since a batch has one time.
    #[inline]
    pub fn record_alike(&mut self, completion: Completion, count: u64) {
        let Completion { issued, completed, intended, cell, len, op, ok } = completion;
        let service_ns = completed.since(issued).ns();
        let tally = &mut self.cells[cell.0 as usize];
        let latency_ns = if tally.open_loop { completed.since(intended).ns() } else { service_ns };
        // Zero for an I/O that neither began nor ended within the counted time.
        let within = completed.min(self.layout.end).since(issued.max(self.layout.start));
        tally.outstanding_ns += u128::from(within.ns()) * u128::from(count);

        let coarse = Bins::<2>::index(latency_ns.min(HIGHEST_NS));
        let phase = if self.open.holds(completed) {
            if op.moves_data() {
                self.open.sides[op as usize].take(coarse, latency_ns, len, ok, count);
            }
            self.open.phase
        } else {
            self.record_elsewhere(op, len, latency_ns, completed, ok, count)
        };
        if phase != Phase::Counted {
            if phase == Phase::Cooldown && issued < self.layout.end {
                let job = self.cells[cell.0 as usize].job;
                self.jobs[usize::from(job)].unfinished += count;
            }
            return;
        }
        let tally = &mut self.cells[cell.0 as usize];
        tally.by_op[op as usize].take(coarse, latency_ns, len, ok, count);
        if ok {
            let job = &mut self.jobs[usize::from(tally.job)];
            job.response[op as usize].add(Bins::<3>::index(latency_ns.min(HIGHEST_NS)), count);
            if tally.open_loop {
                job.service[op as usize].record_n(service_ns, count);
            }
        }
    }

    /// A completion that is not of the open interval: of a later one, or of a closed one.
    #[cold]
    #[inline(never)]
    fn record_elsewhere(
        &mut self,
        op: Op,
        len: u32,
        latency_ns: u64,
        completed: Instant,
        ok: bool,
        count: u64,
    ) -> Phase {
        if completed <= self.open.start {
            self.series.add_late(completed, op, len, latency_ns, ok, count);
            return self.layout.phase_at(completed);
        }
        while self.open.edge < completed {
            self.close();
        }
        if op.moves_data() {
            let bin = Bins::<2>::index(latency_ns.min(HIGHEST_NS));
            self.open.sides[op as usize].take(bin, latency_ns, len, ok, count);
        }
        self.open.phase
    }

    /// Closes the open interval at its edge and opens the next.
    fn close(&mut self) {
        let kept = self.series.intervals().len();
        let edge = self.open.edge;
        let interval = self.series.close(&mut self.open, edge);
        if self.series.intervals().len() == kept {
            self.unkept = Some(interval);
        }
        self.open.next(&self.layout);
    }

    /// The next edge: the end of an interval, of the warm-up, or of the counting.
    pub fn next_edge(&self) -> Instant {
        self.open.edge
    }

    /// Whether [`Recorder::advance`] has an interval to hand out: one that ends by `now`, or that a later completion
    /// has closed.
    #[inline]
    pub fn is_due(&self, now: Instant) -> bool {
        self.open.edge <= now || self.reported < self.series.intervals().len() || self.unkept.is_some()
    }

    /// Closes the interval that ends at or before `now` and hands out the next closed one that has not been
    /// handed out; `None` when there is none. To be called until then. All completions up to the edge should
    /// have been recorded, and `now` never goes back.
    pub fn advance(&mut self, now: Instant) -> Option<Tick<'_>> {
        if self.reported == self.series.intervals().len() && self.unkept.is_none() {
            if self.open.edge > now {
                return None;
            }
            self.close();
        }
        if self.reported < self.series.intervals().len() {
            self.reported += 1;
            return self.series.tick(self.reported - 1);
        }
        self.handed_out = self.unkept.take();
        self.handed_out.as_ref().map(|interval| Tick { interval, latencies: [&[], &[]] })
    }

    /// Counts `count` I/Os of an open loop whose intended time has come and that will never be issued.
    pub fn never_issued(&mut self, cell: CellId, count: u64) {
        let job = self.cells[cell.0 as usize].job;
        self.jobs[usize::from(job)].never_issued += count;
    }
}
