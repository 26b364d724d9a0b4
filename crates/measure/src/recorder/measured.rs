use iobound_units::{Instant, Op, Span};

use super::interval::Interval;
use super::layout::{Cell, Layout};
use super::series::SeriesLatencies;
use crate::histogram::Histogram;

/// All that was recorded of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Separate counters, and their planned times.
    pub layout: Layout,
    /// Start of the counted time.
    pub start: Instant,
    /// End of the counted time: the layout's end, or earlier where the run was cut short.
    pub end: Instant,
    /// The jobs, in the order of the layout.
    pub jobs: Vec<MeasuredJob>,
    /// The cells, in the order of the layout.
    pub cells: Vec<MeasuredCell>,
    /// The intervals in order of time, warm-up and cool-down included.
    pub series: Vec<Interval>,
    /// The latencies behind the percentiles of `series`.
    pub latencies: SeriesLatencies,
    /// Intervals after those of `series`, for which there was no room.
    pub series_left_out: u64,
}

/// Figures of a job during the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredJob {
    /// By operation, in the order of [`Op::ALL`].
    pub by_op: [MeasuredOp; 4],
    /// I/Os issued before the end of the counting and not completed by then.
    pub unfinished: u64,
    /// I/Os of an open loop whose intended time had come and that were never issued.
    pub never_issued: u64,
    /// The integral of the number of outstanding I/Os over the counted time, in I/O × ns: the sum over all
    /// I/Os (of every operation, failed and unfinished ones too) of the part of their service time that lies
    /// within it.
    pub outstanding_ns: u128,
}

/// Figures of one operation of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredOp {
    /// Bytes moved by I/Os that completed without an error.
    pub bytes: u64,
    /// I/Os that failed; they are counted nowhere else.
    pub errors: u64,
    /// Latency: from issue in a closed loop, from the intended time in an open one.
    pub response: Histogram<3>,
    /// From issue to completion in an open loop; `None` in a closed one, where it is the same.
    pub service: Option<Histogram<3>>,
}

/// Figures of one cell during the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCell {
    /// Job, thread and target.
    pub cell: Cell,
    /// By operation, in the order of [`Op::ALL`].
    pub by_op: [MeasuredCellOp; 4],
    /// As in [`MeasuredJob::outstanding_ns`].
    pub outstanding_ns: u128,
}

/// Figures of one operation of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCellOp {
    /// Bytes moved by I/Os that completed without an error.
    pub bytes: u64,
    /// I/Os that failed; they are counted nowhere else.
    pub errors: u64,
    /// Latency, as in [`MeasuredOp::response`], to two digits.
    pub response: Histogram<2>,
}

impl Measured {
    /// Time that counting was on.
    pub fn window(&self) -> Span {
        self.end.since(self.start)
    }
}

impl MeasuredJob {
    /// Figures of one operation.
    pub fn op(&self, op: Op) -> &MeasuredOp {
        &self.by_op[op as usize]
    }
}

impl MeasuredOp {
    /// I/Os completed without an error.
    pub fn count(&self) -> u64 {
        self.response.count()
    }
}
