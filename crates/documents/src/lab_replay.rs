//! The document of `lab --trace`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::{BytesPerSecond, Iops, Seconds, Share};
use crate::replay::{ReplayBound, ReplayCredits, ReplayMap};
use crate::trace::{TraceLatency, TraceRead};

/// The answer of `lab --trace`: a trace in place of the workload of each run, simulated I/O by I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabReplayDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<LabReplayDocument>,
    /// Name of the experiment.
    pub name: String,
    /// Files that were read, with their format and what was counted.
    pub read: TraceRead,
    /// Mode: `timed` issues each I/O at its recorded time; `dependent` waits for the I/Os that had completed before it.
    pub mode: String,
    /// Factor on the recorded speed.
    pub speed: Share,
    /// True if the simulation was stopped. The last run is then partial (`runs[].interrupted`), and later runs are missing.
    pub interrupted: bool,
    /// Replays, in the order of the experiment.
    pub runs: Vec<LabReplayRun>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Contract for LabReplayDocument {
    const ID: &'static str = "iobound.lab-replay/1";
}

/// A trace on the configuration of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabReplayRun {
    /// Name of the run.
    pub name: String,
    /// True if the simulation was stopped before the end of the trace: all figures are of the I/Os up to then. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// VM size.
    pub vm: String,
    /// Disks of the configuration, as `--disk` takes them.
    pub disks: Vec<String>,
    /// I/Os that were simulated.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// I/Os that were left out: of length zero, or longer than 4 GiB.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub left_out: u64,
    /// I/Os beyond the end of their volume; their offsets were wrapped.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub wrapped: u64,
    /// Time from the first issue to the last completion.
    pub duration_s: Seconds,
    /// Completed reads and writes per second.
    pub iops: Iops,
    /// Bytes read and written per second.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Latencies of reads and writes, from the intended time of each; `null` without any.
    pub latency: Option<TraceLatency>,
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
}
