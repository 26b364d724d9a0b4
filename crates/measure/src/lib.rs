//! Measurement: the recorder that the run loop writes to, and the results made from it.
//!
//! A [`Recorder`] counts completions into cells, jobs and intervals of time without allocating; its
//! [`Measured`] is the whole of a run, and a [`RunResult`] the document that is made of it.

mod beside;
pub mod compare;
pub mod confidence;
pub mod histogram;
pub mod percentile;
pub mod recorder;
pub mod result;
pub mod rounds;
pub mod steady;
pub mod summary;
pub mod thread;

pub use beside::{Done, Unlike, first_and_last_done};
pub use histogram::{Bucket, HIGHEST_NS, Histogram, KeptMoments, Moments};
pub use recorder::{
    Cell, CellId, Completion, Gathered, Interval, IntervalTally, JobLayout, Keep, LatencyCount, Layout, Loop,
    Measured, MeasuredCell, MeasuredCellOp, MeasuredJob, MeasuredOp, Outstanding, Phase, Published, Recorder,
    SeriesLatencies, Tick, Together,
};
pub use result::RunResult;
pub use thread::{Apart, Batches, ThreadMeasured, Usage};
