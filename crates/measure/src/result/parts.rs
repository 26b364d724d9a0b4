use serde::{Deserialize, Serialize};

use super::figures::{ByOperation, Depth, Figures, LoopLabel};
use crate::histogram::Histogram;

/// Figures of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// Its name.
    pub name: String,
    /// Closed or open loop.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LoopLabel>,
    /// Reads and writes together.
    #[serde(flatten)]
    pub total: Figures,
    /// Each operation by itself.
    #[serde(flatten)]
    pub by_operation: ByOperation,
    /// Outstanding I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// The IOPS that it asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_iops: Option<f64>,
    /// I/Os issued before the end of the counting and not completed by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<u64>,
    /// I/Os of an open loop whose time had come and that were never issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_issued: Option<u64>,
    /// Every latency, for those who want to look closer or to merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histograms: Option<Histograms>,
}

/// The latencies of a job by operation (response time in an open loop), each where there were any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histograms {
    /// The reads'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Histogram<3>>,
    /// The writes'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Histogram<3>>,
    /// The flushes'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<Histogram<3>>,
    /// The discards'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard: Option<Histogram<3>>,
}

/// Figures of a thread or a target, over all jobs. Percentiles are to two digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartResult {
    /// The thread's number or the target's name.
    pub name: String,
    /// Reads and writes together.
    #[serde(flatten)]
    pub total: Figures,
    /// Each operation by itself.
    #[serde(flatten)]
    pub by_operation: ByOperation,
}

/// Figures of one job on one target by one thread. Percentiles are to two digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The job's name.
    pub job: String,
    /// The thread's number.
    pub thread: u16,
    /// The target's name.
    pub target: String,
    /// Reads and writes together.
    #[serde(flatten)]
    pub total: Figures,
    /// Each operation by itself.
    #[serde(flatten)]
    pub by_operation: ByOperation,
}
