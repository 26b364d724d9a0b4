//! The document of `predict --trace`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::prediction::LimiterPart;
use crate::quantity::{BytesPerSecond, Iops, Seconds, Share};
use crate::trace::{TraceLatency, TraceRead};

/// The answer of `predict --trace`: a trace on a configuration, simulated I/O by I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ReplayDocument>,
    /// Files that were read, with their format and what was counted.
    pub read: TraceRead,
    /// VM size.
    pub vm: String,
    /// Disks of the configuration, as `--disk` takes them.
    pub disks: Vec<String>,
    /// Mode: `timed` issues each I/O at its recorded time; `dependent` waits for the I/Os that had completed before it.
    pub mode: String,
    /// Factor on the recorded speed.
    pub speed: Share,
    /// True if the simulation was stopped before the end: all figures are of the I/Os up to there.
    pub interrupted: bool,
    /// I/Os that were simulated.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// I/Os that were left out: of length zero, or longer than 4 GiB.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub left_out: u64,
    /// I/Os beyond the end of their volume; their offsets were wrapped.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub wrapped: u64,
    /// I/Os that waited because as many were outstanding as a replay keeps: 65,536, or fewer on volumes of more than 100 disks.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub held_back: u64,
    /// Duration of the recording, divided by the speed.
    pub recorded_s: Seconds,
    /// Time from the first issue to the last: that of the recording if every I/O was issued at its recorded time.
    pub issued_s: Seconds,
    /// Time from the first issue to the last completion.
    pub duration_s: Seconds,
    /// Completed reads and writes per second.
    pub iops: Iops,
    /// Bytes read and written per second.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Latencies of reads and writes, from the intended time of each; `null` without any.
    pub latency: Option<TraceLatency>,
    /// Latencies of reads; `null` without any.
    pub read_latency: Option<TraceLatency>,
    /// Latencies of writes; `null` without any.
    pub write_latency: Option<TraceLatency>,
    /// Recorded latencies of the same reads and writes; `null` if none were recorded.
    pub recorded_latency: Option<TraceLatency>,
    /// Mean latency divided by the mean recorded latency; `null` if none were recorded.
    pub slowdown: Option<Share>,
    /// Volume of each device of the trace.
    pub map: Vec<ReplayMap>,
    /// Hits of the host caches; `null` without a cache that was read.
    pub hit_rate: Option<Share>,
    /// Credits that ran out.
    pub credits: Vec<ReplayCredits>,
    /// Limits that held I/Os back longest in a window, each with the sum of its windows, the most first.
    pub bound_by: Vec<ReplayBound>,
    /// Every limit with its use, the fullest in its busiest second first.
    pub limits: Vec<ReplayLimit>,
    /// Seconds of the replay.
    pub series: Vec<ReplayPoint>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Contract for ReplayDocument {
    const ID: &'static str = "iobound.replay/1";
}

/// A device of a trace and its volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayMap {
    /// Name of the device in the trace.
    pub device: String,
    /// File of the device, as given, if `--map` names the file; `null` if it names the device, or neither.
    pub file: Option<String>,
    /// Name of the volume.
    pub volume: String,
}

/// Credits that ran out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayCredits {
    /// Limit that the credits let I/Os exceed.
    pub limit: String,
    /// First second at whose end the credits were spent.
    pub at_s: Seconds,
}

/// A limit, and the windows in which it held I/Os back longest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayBound {
    /// Limit.
    pub limit: String,
    /// Sum of the whole windows in which it held I/Os back longer than any other limit did, for however short a part of
    /// them.
    pub seconds: Seconds,
}

/// A limit and its use in a replay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayLimit {
    /// Limit, with its use in the whole replay. `burst` and `enforced` are those at the end: the burst limit if its credits did
    /// not run out.
    pub limiter: LimiterPart,
    /// Used ÷ enforced of the fullest limit of the family in the busiest window of a second or more; above 100 % while credits
    /// last that ran out later, or quota from before the window.
    pub peak_share: Share,
}

/// A window of a replay. Windows without I/O are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayPoint {
    /// Begin of the window.
    pub start_s: Seconds,
    /// Length of the window: a second, and longer after the first 10,000 windows.
    pub length_s: Seconds,
    /// Reads and writes that completed per second.
    pub iops: Iops,
    /// Bytes of them per second.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Latencies of the reads and writes that completed in it; `null` without any.
    pub latency: Option<TraceLatency>,
    /// Limit that held I/Os back longest in it; `null` if none did.
    pub bound_by: Option<String>,
    /// Share of the window's reads that host caches held; `null` without a cache that was read.
    pub hit_rate: Option<Share>,
    /// I/Os outstanding at its end.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: u64,
}
