//! Runs and emulators of this user that go on: their list (`iobound.running/1`), and the status of a run
//! (`iobound.run-status/1`).

use iobound_measure::result::PhaseLabel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::{BytesPerSecond, Iops, Microseconds, Seconds};

/// Runs and emulators of this user that can be watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunningDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<RunningDocument>,
    /// Each of them.
    pub running: Vec<RunningPart>,
}

impl Contract for RunningDocument {
    const ID: &'static str = "iobound.running/1";
}

/// A run or an emulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunningPart {
    /// Name by which its state is asked for.
    pub id: String,
    /// `run` or `emulator`.
    pub kind: String,
    /// Number of its process.
    #[schemars(extend("x-unit" = "number"))]
    pub process: u32,
    /// Its activity, in words.
    pub what: String,
    /// Time since its start.
    pub for_s: Seconds,
}

/// The last interval of a run that goes on, under the keys of an emulator's states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStatusDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<RunStatusDocument>,
    /// `state`.
    pub event: String,
    /// End of the interval since the start.
    pub at_s: Seconds,
    /// Length of the interval.
    pub interval_s: Seconds,
    /// `warmup`, `counted` or `cooldown`.
    pub phase: PhaseLabel,
    /// The targets of the run together, as one device.
    pub devices: [RunStatusDevice; 1],
    /// Limits: a run knows none.
    pub limits: [String; 0],
}

impl Contract for RunStatusDocument {
    const ID: &'static str = "iobound.run-status/1";
}

/// I/O of the targets of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStatusDevice {
    /// The targets, in words.
    pub name: String,
    /// `target`.
    pub kind: String,
    /// Completed reads and writes per second, in the interval.
    pub iops: Iops,
    /// Throughput in the interval.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Latency in the interval; `null` without I/O.
    pub latency_us: Option<RunStatusLatency>,
    /// Reads.
    pub read: RunStatusOp,
    /// Writes.
    pub write: RunStatusOp,
}

/// Latency of reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStatusLatency {
    /// Mean of reads and writes.
    pub mean: Microseconds,
    /// Median of the direction with more I/Os; percentiles of both directions cannot be combined.
    pub p50: Option<Microseconds>,
    /// 99th percentile of the direction with more I/Os.
    pub p99: Option<Microseconds>,
}

/// I/O of one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStatusOp {
    /// Completed I/Os per second.
    pub iops: Iops,
    /// Throughput.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Median latency; `null` without I/O.
    pub p50_us: Option<Microseconds>,
    /// 99th percentile of the latency; `null` without I/O.
    pub p99_us: Option<Microseconds>,
}
