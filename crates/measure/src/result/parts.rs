use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::{ByOperation, Depth, Figures, LoopLabel};
use crate::histogram::Histogram;

/// Figures of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobResult {
    /// Name of the job.
    pub name: String,
    /// Loop of the job: `closed` or `open`.
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
    /// IOPS that the job requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_iops: Option<f64>,
    /// I/Os that were issued before the end of the counted time and not completed by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub unfinished: Option<u64>,
    /// I/Os of open loops that were intended before the end and never issued: the backlog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub never_issued: Option<u64>,
    /// Every latency by operation, in ns, in the bins of HdrHistogram; only with `--html`, in kept runs, and of a run on
    /// the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histograms: Option<Histograms>,
}

/// The latencies of a job by operation (response time in an open loop), each where there were any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histograms {
    /// Latencies of the reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Histogram<3>>,
    /// Latencies of the writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Histogram<3>>,
    /// Latencies of the flushes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<Histogram<3>>,
    /// Latencies of the discards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard: Option<Histogram<3>>,
}

/// Figures of a thread or a target, over all jobs. Percentiles are to two digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartResult {
    /// Number of the thread, or name of the target.
    pub name: String,
    /// Reads and writes together.
    #[serde(flatten)]
    pub total: Figures,
    /// Each operation by itself.
    #[serde(flatten)]
    pub by_operation: ByOperation,
}

/// Figures of one job on one target by one thread. Percentiles are to two digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellResult {
    /// Name of the job.
    pub job: String,
    /// Number of the thread.
    #[schemars(extend("x-unit" = "number"))]
    pub thread: u16,
    /// Name of the target.
    pub target: String,
    /// Reads and writes together.
    #[serde(flatten)]
    pub total: Figures,
    /// Each operation by itself.
    #[serde(flatten)]
    pub by_operation: ByOperation,
}
