//! Figures of a run, divided as in DiskSpd's tables: by thread and target, reads and writes apart.

use iobound_measure::{Histogram, MeasuredCell, MeasuredCellOp, Moments};
use iobound_units::{Op, TargetId};

use super::iops::{self, Bucket};
use crate::Ran;

/// Unit of count of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CountUnit {
    /// Reads and writes.
    Total,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl CountUnit {
    /// All of them, in the order of their tables.
    pub(super) const ALL: [CountUnit; 3] = [CountUnit::Total, CountUnit::Read, CountUnit::Write];

    /// The title of its table.
    pub(super) const fn title(self) -> &'static str {
        match self {
            CountUnit::Total => "Total IO",
            CountUnit::Read => "Read IO",
            CountUnit::Write => "Write IO",
        }
    }

    /// The operations that it counts. Flushes and discards are in no table: DiskSpd issues none.
    pub(super) const fn ops(self) -> &'static [Op] {
        match self {
            CountUnit::Total => &[Op::Read, Op::Write],
            CountUnit::Read => &[Op::Read],
            CountUnit::Write => &[Op::Write],
        }
    }
}

/// A run as its tables see it.
pub(super) struct Parts<'a> {
    /// The run.
    pub ran: &'a Ran<'a>,
    /// Time that counting was on, in seconds; zero where the run was interrupted before.
    pub seconds: f64,
    /// Its rows: each target of each thread, in the order of the threads.
    pub rows: Vec<TargetRow<'a>>,
    /// All of its intervals of `-D`, where they are asked for and known.
    pub buckets: Option<Vec<Bucket>>,
}

/// A target of a thread.
pub(super) struct TargetRow<'a> {
    /// The thread's number.
    pub thread: u16,
    /// The target's path.
    pub path: &'a str,
    /// The target's size in bytes.
    pub size: u64,
    cell: &'a MeasuredCell,
    /// Its intervals. A thread has one series: of a thread on several targets, nobody knows whose they are.
    pub buckets: Option<Vec<Bucket>>,
}

/// Counts, bytes and latencies of some rows in one section.
#[derive(Default)]
pub(super) struct PartSums {
    /// Bytes moved.
    pub bytes: u64,
    /// I/Os completed without an error.
    pub ios: u64,
    response: Histogram<2>,
}

impl<'a> Parts<'a> {
    /// The parts of a run; with the length of an interval in ms where `-D` asks for the intervals.
    pub(super) fn of(ran: &'a Ran<'a>, bucket_ms: Option<u32>) -> Parts<'a> {
        let mut cells: Vec<&MeasuredCell> = ran.total.cells.iter().collect();
        cells.sort_by_key(|part| part.cell.thread);
        let alone = |thread: u16| cells.iter().filter(|part| part.cell.thread == thread).count() == 1;
        let buckets = |measured| bucket_ms.and_then(|ms| iops::buckets(measured, ms));
        let rows = cells
            .iter()
            .map(|part| {
                let target = &ran.targets[usize::from(part.cell.target.0)];
                let thread = ran.threads.get(usize::from(part.cell.thread));
                TargetRow {
                    thread: part.cell.thread,
                    path: &target.path,
                    size: target.size.get(),
                    cell: part,
                    buckets: thread
                        .filter(|_| alone(part.cell.thread))
                        .and_then(|thread| buckets(&thread.measured)),
                }
            })
            .collect();
        let seconds = ran.total.window().secs_f64();
        Parts { ran, seconds, rows, buckets: buckets(ran.total) }
    }

    /// Number of threads it that had.
    pub(super) fn threads(&self) -> usize {
        usize::from(self.ran.total.layout.threads)
    }

    /// All rows together.
    pub(super) fn total(&self, section: CountUnit) -> PartSums {
        PartSums::of(self.rows.iter(), section)
    }

    /// Every latency of one direction of the whole run, to three digits.
    pub(super) fn latencies(&self, op: Op) -> Histogram<3> {
        let mut all = Histogram::new();
        self.ran.total.jobs.iter().for_each(|job| all.merge(&job.op(op).response));
        all
    }
}

impl TargetRow<'_> {
    fn op(&self, op: Op) -> &MeasuredCellOp {
        &self.cell.by_op[op as usize]
    }

    /// Its activity.
    pub(super) fn side(&self, section: CountUnit) -> PartSums {
        PartSums::of(std::iter::once(self), section)
    }

    /// The target's id.
    pub(super) fn target(&self) -> TargetId {
        self.cell.cell.target
    }

    /// Its latencies of one direction, to two digits.
    pub(super) fn latencies(&self, op: Op) -> &Histogram<2> {
        &self.op(op).response
    }
}

impl PartSums {
    fn of<'a>(rows: impl Iterator<Item = &'a TargetRow<'a>>, section: CountUnit) -> PartSums {
        let mut side = PartSums::default();
        for row in rows {
            for op in section.ops() {
                let part = row.op(*op);
                side.bytes += part.bytes;
                side.ios += part.response.count();
                side.response.merge(&part.response);
            }
        }
        side
    }

    /// Mean and deviation of its latencies: exact.
    pub(super) fn moments(&self) -> &Moments {
        self.response.moments()
    }
}

/// Nanoseconds as milliseconds; zero for none, as DiskSpd has an average of no I/Os.
pub(super) fn ms(ns: Option<f64>) -> f64 {
    ns.unwrap_or(0.0) / 1e6
}
