use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of a run, or of a part of it: I/Os that completed without an error during the measurement.
///
/// A foreign tool may not tell all of them; what nobody knows is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// I/Os completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ios: Option<u64>,
    /// Bytes moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// I/Os that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// I/Os completed per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bytes moved per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_bytes_per_s: Option<f64>,
    /// Latency in µs; in an open loop from the intended time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<Latency>,
    /// In an open loop, the time from issue to completion in µs.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Definition of the latency; a latency without it says little.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LoopLabel>,
    /// The mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The standard deviation of the latencies (not of their mean).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdev: Option<f64>,
    /// The shortest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<f64>,
    /// The 90th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90: Option<f64>,
    /// The 95th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    /// The 99th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// The 99.9th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_9: Option<f64>,
    /// The 99.99th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_99: Option<f64>,
    /// The 99.999th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_999: Option<f64>,
    /// The 99.9999th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_9999: Option<f64>,
    /// The longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// The figures of reads, writes, flushes and discards, each where there were any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ByOperation {
    /// The reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Figures>,
    /// The writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Figures>,
    /// The flushes; no part of any IOPS or throughput but their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<Figures>,
    /// The discards; no part of any IOPS or throughput but their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard: Option<Figures>,
}

/// Number of I/Os that were outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Depth {
    /// The most that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<u64>,
    /// The mean over the counted time: the sum over all I/Os, of every operation and failed ones too, of the
    /// part of their time from issue to completion that lies within it, divided by its length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub achieved: Option<f64>,
    /// The mean number of I/Os at the device, of a closed loop on real targets: by the kernel's counters, else `achieved` less
    /// the time that submission took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_device: Option<f64>,
}
