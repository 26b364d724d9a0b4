//! The recorder: what the run loop calls for every completion and at every edge of an interval.

mod alike;
mod append;
mod finish;
mod gathered;
mod interval;
mod layout;
mod measured;
mod open;
mod published;
mod restored;
mod series;
mod tally;
mod together;

use std::sync::Arc;

use iobound_units::{Instant, Op};

pub use gathered::Gathered;
pub use interval::{Interval, IntervalTally, LatencyCount, Phase, Tick};
pub use layout::{Cell, CellId, JobLayout, Layout, Loop};
pub use measured::{Measured, MeasuredCell, MeasuredCellOp, MeasuredJob, MeasuredOp};

use crate::histogram::{Bins, HIGHEST_NS, Histogram, Repeated};
pub use published::Published;
pub use series::{Keep, SeriesLatencies};
pub use together::Together;

use alike::Alike;
use gathered::Late;
use layout::Own;
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
/// - **Memory** does not grow with the I/Os. Each histogram is allocated when its first value is counted; after
///   [`Recorder::reserve`] nothing is allocated for these operations until [`Recorder::merge`] or [`Recorder::finish`].
///   A recorder of one thread ([`Recorder::of_thread`]) has memory for its own jobs and cells only, and drops intervals
///   that it handed out as its [`Keep`] says.
#[derive(Clone)]
pub struct Recorder {
    layout: Arc<Layout>,
    /// Part of the layout that is counted here. Cell ids that are passed in count from the first of these.
    own: Own,
    cells: Vec<CellTally>,
    jobs: Vec<JobTally>,
    open: OpenInterval,
    series: Series,
    /// Number of intervals of the series that [`Recorder::advance`] has handed out.
    reported: usize,
    /// An interval that the series had no room for: to be handed out, and handed out.
    unkept: Option<Interval>,
    handed_out: Option<Interval>,
    /// Completions of intervals that were handed out before; `None` where nobody puts intervals together.
    late: Option<Late>,
    /// I/Os completed within the warm-up, for a run that ends there; `None` if they are not kept.
    warmup: Option<Box<Recorder>>,
}

#[derive(Clone)]
struct CellTally {
    /// Index among the recorder's own jobs.
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
    /// Time of its issue.
    pub issued: Instant,
    /// Time of its completion.
    pub completed: Instant,
    /// Intended time of its issue; not used in a closed loop.
    pub intended: Instant,
    /// Its owner.
    pub cell: CellId,
    /// Time that it was, in bytes.
    pub len: u32,
    /// Its activity.
    pub op: Op,
    /// True if it moved all its bytes without an error.
    pub ok: bool,
}

/// An I/O that is still outstanding when a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outstanding {
    /// Its owner.
    pub cell: CellId,
    /// Time of its issue.
    pub issued: Instant,
}

impl Recorder {
    /// A recorder with all its memory. The layout must be sound: cells name jobs, threads and targets that
    /// are there, and counting does not end before it starts.
    pub fn new(layout: impl Into<Arc<Layout>>) -> Recorder {
        let layout = layout.into();
        let own = Own::all(&layout);
        Recorder::of(layout, own, Keep::All)
    }

    /// A recorder of one thread of a run. Its cells are numbered from zero, in the layout's order; what it counts is put
    /// together with the other threads' by [`Gathered`].
    pub fn of_thread(layout: Arc<Layout>, thread: u16, keep: Keep) -> Recorder {
        let own = Own::of_thread(&layout, thread);
        Recorder { late: Some(Late::default()), ..Recorder::of(layout, own, keep) }
    }

    fn of(layout: Arc<Layout>, own: Own, keep: Keep) -> Recorder {
        layout.assert_sound();
        let jobs = layout.jobs[own.jobs.clone()]
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
        let cells = layout.cells[own.cells.clone()]
            .iter()
            .map(|cell| CellTally {
                job: cell.job - own.jobs.start as u16,
                open_loop: layout.jobs[usize::from(cell.job)].is_open(),
                outstanding_ns: 0,
                by_op: std::array::from_fn(|_| Tally::new()),
            })
            .collect();
        let open = OpenInterval::first(&layout);
        let series = Series::new(&layout, keep);
        Recorder {
            layout,
            own,
            cells,
            jobs,
            open,
            series,
            reported: 0,
            unkept: None,
            handed_out: None,
            late: None,
            warmup: None,
        }
    }

    /// Counts what completes within the warm-up as well, for [`Recorder::ended_at`]. Memory for these operations is
    /// allocated now.
    pub fn keep_warmup(&mut self, ops: &[Op], keep: Keep) {
        let Layout { begin, start, .. } = *self.layout;
        if begin < start {
            let layout = Layout { start: begin, end: start, ..(*self.layout).clone() };
            let mut warmup = Recorder::of(Arc::new(layout), self.own.clone(), keep);
            warmup.reserve(ops);
            self.warmup = Some(Box::new(warmup));
        }
    }

    /// The figures of a run that ended at `at`: those of its warm-up where that was not over and they were kept.
    pub fn ended_at(mut self, at: Instant) -> Recorder {
        match self.warmup.take() {
            Some(warmup) if at <= self.layout.start => *warmup,
            _ => self,
        }
    }

    /// Allocates the memory for these operations now, so that recording them never does.
    pub fn reserve(&mut self, ops: &[Op]) {
        for op in ops {
            self.cells.iter_mut().for_each(|cell| cell.by_op[*op as usize].bins.reserve());
            for job in &mut self.jobs {
                job.response[*op as usize].reserve();
                if let Some(service) = job.service.get_mut(*op as usize) {
                    service.reserve();
                }
            }
            if op.moves_data() {
                self.open.sides[*op as usize].bins.reserve();
            }
        }
    }

    /// The most memory that [`Recorder::of_thread`] takes for so many cells and operations. Much less is used where
    /// latencies are close together, since memory counts once it is written to.
    pub fn bytes_of_thread(cells: u64, ops: u64, kind: Loop) -> u64 {
        let job = match kind {
            Loop::Closed => Bins::<3>::BYTES,
            Loop::Open => 2 * Bins::<3>::BYTES,
        };
        let of_ops = ops.saturating_mul(job + Bins::<2>::BYTES);
        of_ops.saturating_add(Recorder::bytes_of_cells(cells, ops)).saturating_add(Series::LEAST_BYTES)
    }

    /// The most memory that so many cells take, each with so many operations.
    pub fn bytes_of_cells(cells: u64, ops: u64) -> u64 {
        let cell = size_of::<CellTally>() as u64;
        cells.saturating_mul(cell.saturating_add(ops.saturating_mul(Bins::<2>::BYTES)))
    }

    /// Separate counters, and their times.
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

        let ios = Alike::new(completed, op, ok, len, Repeated::new(latency_ns, count));
        let tally = if self.open.phase == Phase::Counted && self.open.holds(completed) {
            if op.moves_data() {
                self.open.sides[op as usize].take(&ios);
            }
            tally
        } else {
            if self.record_elsewhere(&completion, latency_ns, count) != Phase::Counted {
                return;
            }
            &mut self.cells[cell.0 as usize]
        };
        tally.by_op[op as usize].take(&ios);
        if ok {
            let job = &mut self.jobs[usize::from(tally.job)];
            job.response[op as usize].add(Bins::<3>::index(latency_ns.min(HIGHEST_NS)), count);
            if tally.open_loop {
                job.service[op as usize].record_n(service_ns, count);
            }
        }
    }

    /// A completion that is not of the open interval, or that does not count. Returns its phase.
    #[cold]
    #[inline(never)]
    fn record_elsewhere(&mut self, completion: &Completion, latency_ns: u64, count: u64) -> Phase {
        let &Completion { issued, completed: at, cell, op, ok, len, .. } = completion;
        let ios = &Alike::new(at, op, ok, len, Repeated::new(latency_ns, count));
        let phase = if self.open.holds(at) { self.record_open(ios) } else { self.record_by_time(ios) };
        match (phase, &mut self.warmup) {
            (Phase::Warmup, Some(warmup)) => warmup.record_alike(*completion, count),
            (Phase::Cooldown, _) if issued < self.layout.end => {
                let job = self.cells[cell.0 as usize].job;
                self.jobs[usize::from(job)].unfinished += count;
            }
            _ => {}
        }
        phase
    }

    /// A completion of an interval before or after the open one.
    fn record_by_time(&mut self, ios: &Alike) -> Phase {
        if ios.at <= self.open.start {
            let index = self.series.add_late(ios);
            if let Some(late) = self.late.as_mut().filter(|_| index < self.reported) {
                late.take(&self.layout, ios);
            }
            return self.layout.phase_at(ios.at);
        }
        while self.open.edge < ios.at {
            self.close();
        }
        self.record_open(ios)
    }

    /// A completion of the open interval.
    fn record_open(&mut self, ios: &Alike) -> Phase {
        if ios.op.moves_data() {
            self.open.sides[ios.op as usize].take(ios);
        }
        self.open.phase
    }

    /// Closes the open interval at its edge and opens the next.
    fn close(&mut self) {
        let kept = self.series.closed();
        let edge = self.open.edge;
        let interval = self.series.close(&mut self.open, edge);
        if self.series.closed() == kept {
            self.unkept = Some(interval);
        }
        self.open.next(&self.layout);
    }

    /// The next edge: the end of an interval, of the warm-up, or of the counting.
    pub fn next_edge(&self) -> Instant {
        self.open.edge
    }

    /// True if [`Recorder::advance`] has an interval to hand out: one that ends by `now`, or that a later completion
    /// has closed.
    #[inline]
    pub fn is_due(&self, now: Instant) -> bool {
        self.open.edge <= now || self.reported < self.series.closed() || self.unkept.is_some()
    }

    /// Closes the interval that ends at or before `now` and hands out the next closed one that has not been
    /// handed out; `None` when there is none. To be called until then. All completions up to the edge should
    /// have been recorded, and `now` never goes back.
    pub fn advance(&mut self, now: Instant) -> Option<Tick<'_>> {
        if self.reported == self.series.closed() && self.unkept.is_none() {
            self.series.drop_reported();
            if self.open.edge > now {
                return None;
            }
            self.close();
        }
        if self.reported < self.series.closed() {
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
