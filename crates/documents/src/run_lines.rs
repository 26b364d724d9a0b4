//! Documents beside the result of a run: a line for each interval (`iobound.interval/1`), and the search for the knee
//! (`iobound.knee/1`).

use iobound_measure::result::PhaseLabel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::{BytesPerSecond, Iops, Microseconds, Seconds, Share};

/// An interval of a run, as one line of JSON. It is written when the interval ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<IntervalDocument>,
    /// Stage of the workload, from 1.
    #[schemars(extend("x-unit" = "number"))]
    pub stage: u64,
    /// Start of the interval since the start of the stage's I/O. The interval has what completed after it.
    pub start_s: Seconds,
    /// End of the interval, which belongs to it.
    pub end_s: Seconds,
    /// `warmup`, `counted` or `cooldown`.
    pub phase: PhaseLabel,
    /// True if the interval is shorter than the others.
    pub cut_short: bool,
    /// Completed reads and writes per second.
    pub iops: Iops,
    /// Bytes per second; `null` if unknown.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// Reads and writes that failed.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub errors: u64,
    /// The reads; `null` in a run without reads.
    pub read: Option<IntervalFigures>,
    /// The writes; `null` in a run without writes.
    pub write: Option<IntervalFigures>,
}

impl Contract for IntervalDocument {
    const ID: &'static str = "iobound.interval/1";
}

/// One direction in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalFigures {
    /// Completed I/Os per second.
    pub iops: Iops,
    /// Bytes per second; `null` if unknown.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// I/Os that failed.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub errors: u64,
    /// Mean latency; `null` if nothing completed.
    pub mean_us: Option<Microseconds>,
    /// Minimum latency; `null` if nothing completed.
    pub min_us: Option<Microseconds>,
    /// Median latency, to two digits; `null` below 20 I/Os.
    pub p50_us: Option<Microseconds>,
    /// 99th percentile of latency, to two digits; `null` below 1,000 I/Os.
    pub p99_us: Option<Microseconds>,
    /// Maximum latency; `null` if nothing completed.
    pub max_us: Option<Microseconds>,
}

/// Measurements at rising concurrency (`run --find-knee`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KneeDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<KneeDocument>,
    /// Measured workload, in a line.
    pub title: String,
    /// Smallest concurrency that reaches the most, as measured; `null` if IOPS still grew with the depth.
    pub knee: Option<ConcurrencyPoint>,
    /// Measurements in order of concurrency.
    pub curve: Vec<CurvePointPart>,
    /// Reason why the search ended, as a sentence.
    pub because: String,
}

impl Contract for KneeDocument {
    const ID: &'static str = "iobound.knee/1";
}

/// A measurement at one concurrency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConcurrencyPoint {
    /// Outstanding I/Os of each thread on each target.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub depth: u64,
    /// Threads.
    #[schemars(extend("x-unit" = "threads"))]
    pub threads: u64,
    /// Outstanding I/Os of all threads.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: u64,
    /// I/Os per second.
    pub iops: Iops,
    /// Throughput.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Mean latency; `null` if unknown.
    pub mean_us: Option<Microseconds>,
    /// 99th percentile of latency; `null` below 1,000 I/Os.
    pub p99_us: Option<Microseconds>,
}

/// A measurement of the search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurvePointPart {
    /// The measurement.
    #[serde(flatten)]
    pub point: ConcurrencyPoint,
    /// IOPS ÷ IOPS of the measurement before - 1; `null` of the first.
    pub gain: Option<Share>,
    /// True if this measurement is the knee.
    pub knee: bool,
}
