use std::ops::Range;

use iobound_units::{Instant, Span, TargetId};

use super::Phase;

/// The index of a [`Cell`] in its [`Layout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId(pub u32);

/// One job on one target by one thread: the smallest part that is counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Index of the job in [`Layout::jobs`].
    pub job: u16,
    /// The thread, from 0 to [`Layout::threads`] - 1.
    pub thread: u16,
    /// Index of the target in [`Layout::targets`].
    pub target: TargetId,
}

/// True if completions or a schedule of its own decide when an I/O is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loop {
    /// An I/O is issued when another completes: latency is from issue, and follows from depth and rate.
    Closed,
    /// An I/O is issued at its intended time, whatever completes: latency is from the intended time.
    Open,
}

/// Facts about a job that a recorder needs.
#[derive(Clone, Debug, PartialEq)]
pub struct JobLayout {
    /// Its name in the result.
    pub name: String,
    /// Closed or open loop.
    pub kind: Loop,
    /// The most I/Os that it asks to have outstanding, over all its threads and targets.
    pub requested_depth: Option<u64>,
    /// The rate that it asks for, in I/Os per second over all its threads and targets.
    pub requested_iops: Option<f64>,
}

/// Separate counters, and their times: known before the start. Recorders that are to be merged have the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The jobs.
    pub jobs: Vec<JobLayout>,
    /// Number of threads, of all jobs together.
    pub threads: u16,
    /// The names of the targets.
    pub targets: Vec<String>,
    /// Every job, thread and target that meet.
    pub cells: Vec<Cell>,
    /// Start of I/O: the warm-up lasts from here to `start`.
    pub begin: Instant,
    /// Start of the counted time.
    pub start: Instant,
    /// End of the counted time; I/O after it is cool-down. `Instant::MAX` where it is unknown.
    pub end: Instant,
    /// Time that an interval of the series is.
    pub interval: Span,
}

/// The one of a run's jobs and cells a recorder counts: all of them, or those of one thread, which follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own {
    /// Indices in [`Layout::jobs`].
    pub(crate) jobs: Range<usize>,
    /// Indices in [`Layout::cells`].
    pub(crate) cells: Range<usize>,
}

impl Own {
    /// Everything.
    pub(crate) fn all(layout: &Layout) -> Own {
        Own { jobs: 0..layout.jobs.len(), cells: 0..layout.cells.len() }
    }

    /// Layout for one thread.
    pub(crate) fn of_thread(layout: &Layout, thread: u16) -> Own {
        let is_own = |cell: &Cell| cell.thread == thread;
        let first = layout.cells.iter().position(is_own).unwrap_or(layout.cells.len());
        let count = layout.cells[first..].iter().take_while(|cell| is_own(cell)).count();
        let cells = first..first + count;
        let jobs = || layout.cells[cells.clone()].iter().map(|cell| usize::from(cell.job));
        let jobs = jobs().min().unwrap_or(0)..jobs().max().map_or(0, |last| last + 1);
        Own { jobs, cells }
    }

    /// The layout of these alone: jobs and targets are numbered anew.
    pub(crate) fn layout(&self, whole: &Layout) -> Layout {
        if *self == Own::all(whole) {
            return whole.clone();
        }
        let mut used: Vec<TargetId> =
            whole.cells[self.cells.clone()].iter().map(|cell| cell.target).collect();
        used.sort_unstable();
        used.dedup();
        let own = |cell: &Cell| Cell {
            job: cell.job - self.jobs.start as u16,
            target: TargetId(used.binary_search(&cell.target).unwrap_or(0) as u16),
            ..*cell
        };
        Layout {
            jobs: whole.jobs[self.jobs.clone()].to_vec(),
            threads: whole.threads,
            targets: used.iter().map(|target| whole.targets[usize::from(target.0)].clone()).collect(),
            cells: whole.cells[self.cells.clone()].iter().map(own).collect(),
            begin: whole.begin,
            start: whole.start,
            end: whole.end,
            interval: whole.interval,
        }
    }
}

impl JobLayout {
    /// True if its I/Os have intended times.
    pub fn is_open(&self) -> bool {
        self.kind == Loop::Open
    }
}

impl Layout {
    /// One job in closed loop by one thread on one target: for simulations of one stream, and for tests.
    pub fn single(job: &str, target: &str, start: Instant, end: Instant, interval: Span) -> Layout {
        Layout {
            jobs: vec![JobLayout {
                name: job.to_string(),
                kind: Loop::Closed,
                requested_depth: None,
                requested_iops: None,
            }],
            threads: 1,
            targets: vec![target.to_string()],
            cells: vec![Cell { job: 0, thread: 0, target: TargetId(0) }],
            begin: Instant::ZERO,
            start,
            end,
            interval,
        }
    }

    /// Phase of the run for a completion at this time.
    pub(crate) fn phase_at(&self, at: Instant) -> Phase {
        let without_warmup = self.begin == self.start;
        if at < self.start || (at == self.start && !without_warmup) {
            Phase::Warmup
        } else if at <= self.end {
            Phase::Counted
        } else {
            Phase::Cooldown
        }
    }

    /// A layout that contradicts itself is a defect of whoever built it.
    pub(crate) fn assert_sound(&self) {
        assert!(!self.interval.is_zero(), "an interval of no length never ends");
        assert!(self.begin <= self.start && self.start <= self.end, "counting ends before it starts");
        for cell in &self.cells {
            assert!(usize::from(cell.job) < self.jobs.len(), "{cell:?} names a job that is not there");
            assert!(cell.thread < self.threads, "{cell:?} names a thread that is not there");
            assert!(usize::from(cell.target.0) < self.targets.len(), "{cell:?} names no target");
        }
    }
}
