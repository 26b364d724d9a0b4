use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of a run, or of a part of it: I/Os that completed without an error during the measurement.
///
/// A foreign tool may not tell all of them; what nobody knows is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// Completed I/Os without an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: Option<u64>,
    /// Bytes that they transferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "bytes"))]
    pub bytes: Option<u64>,
    /// I/Os that failed. They count nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub errors: Option<u64>,
    /// Completed I/Os ÷ counted time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bytes ÷ counted time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_bytes_per_s: Option<f64>,
    /// Response time: in a closed loop from issue, in an open loop from the intended time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<Latency>,
    /// In an open loop, time from issue to completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_us: Option<Latency>,
}

/// Definition of the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoopLabel {
    /// From issue; the next I/O waited for one to complete.
    Closed,
    /// From the intended time of a schedule.
    Open,
    /// Both, by job.
    Mixed,
}

/// Latency in µs. Percentiles that fewer than ten I/Os exceed are absent; see
/// [`percentile`](crate::percentile).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Definition of the latency: `closed` from issue, `open` from the intended time, `mixed` if the jobs differ.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LoopLabel>,
    /// Mean latency, exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub mean: Option<f64>,
    /// Standard deviation of the latencies, not of their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub stdev: Option<f64>,
    /// Minimum latency, exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub min: Option<f64>,
    /// Median latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p50: Option<f64>,
    /// 90th percentile of latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p90: Option<f64>,
    /// 95th percentile of latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p95: Option<f64>,
    /// 99th percentile of latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p99: Option<f64>,
    /// 99.9th percentile of latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p99_9: Option<f64>,
    /// 99.99th percentile of latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p99_99: Option<f64>,
    /// 99.999th percentile of latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p99_999: Option<f64>,
    /// 99.9999th percentile of latency; absent if fewer than ten I/Os exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub p99_9999: Option<f64>,
    /// Maximum latency, exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub max: Option<f64>,
}

/// The figures of reads, writes, flushes and discards, each where there were any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ByOperation {
    /// The reads; absent without reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Figures>,
    /// The writes; absent without writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Figures>,
    /// The flushes. They are in no other IOPS or throughput.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<Figures>,
    /// The discards. They are in no other IOPS or throughput.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard: Option<Figures>,
}

/// Number of I/Os that were outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Depth {
    /// Requested outstanding I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub requested: Option<u64>,
    /// Mean number of outstanding I/Os in the counted time, of every operation, also failed ones: the integral of
    /// outstanding I/Os ÷ its length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub achieved: Option<f64>,
    /// Mean number of I/Os at the device, of a closed loop on real targets: the kernel's queue length if it counts the
    /// run's I/Os alone, else `achieved` - IOPS × mean submission time, and no more than the queue that the run shares with
    /// others. Absent if other work kept processors from the client and no counter tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub at_device: Option<f64>,
}
