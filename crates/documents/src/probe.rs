//! `probe`: `iobound.probe/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::{Amount, Microseconds, Seconds, Share};

/// Measured limits of a disk, with the evidence of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ProbeDocument>,
    /// `complete`: every experiment was done. `budget`: the time was used up. `stopped`: the user interrupted. `starved`: other work
    /// kept processors from the client. `failed`: the disk failed.
    pub ending: ProbeEnding,
    /// Reason for a failure; `null` without one.
    pub failure: Option<String>,
    /// The targets.
    pub targets: Vec<ProbedTarget>,
    /// The limits that were found.
    pub limits: Vec<ProbeLimit>,
    /// Offers of the catalogue whose limits match, the nearest first.
    pub offers: Vec<ProbeOffer>,
    /// Limits that were not reached, and what would reach them.
    pub not_reached: Vec<String>,
    /// Questions that are open because the budget was too short, the user interrupted, or the client lacked processor time.
    pub open: Vec<String>,
    /// Budget that would have answered them, as far as is known; `null` where none is open.
    pub budget_for_open_s: Option<Seconds>,
    /// Least share of the processor time it wanted that the client got, over experiments that say nothing for that reason; `null` if
    /// it always had enough.
    pub client_got: Option<Share>,
    /// Drift and disturbance; `null` where the first experiment was not repeated.
    pub noise: Option<ProbeNoise>,
    /// Cost of the probe.
    pub cost: ProbeCost,
    /// Writes that the kernel counted on the targets' block devices during the probe, whoever made them; `null` where the kernel
    /// counts none, as for files over FUSE or a network.
    pub device_writes: Option<ProbeDeviceWrites>,
}

impl Contract for ProbeDocument {
    const ID: &'static str = "iobound.probe/1";
}

/// End of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeEnding {
    /// Every experiment was done.
    Complete,
    /// The time was used up.
    Budget,
    /// The user interrupted.
    Stopped,
    /// Other work kept processors from the client, so that some experiments say nothing.
    Starved,
    /// The disk failed.
    Failed,
}

/// Findings about one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbedTarget {
    /// File, folder or device.
    pub name: String,
    /// Size in bytes.
    #[schemars(extend("x-unit" = "bytes"))]
    pub size_bytes: u64,
    /// Latencies below every limit, by operation and size.
    pub latencies: Vec<ProbedLatencyPart>,
    /// Charge of large I/Os, in words; `null` if it was not measured.
    pub charge: Option<String>,
    /// An I/O counts one for each begun unit of this size; `null` where each I/O counts one, or where it was not seen.
    #[schemars(extend("x-unit" = "bytes"))]
    pub unit_bytes: Option<u64>,
    /// Size up to which sequential reads count as one; `null` where they count one each, or where it was not seen.
    #[schemars(extend("x-unit" = "bytes"))]
    pub merges_up_to_bytes: Option<u64>,
    /// Rates of reads by size, the evidence of the charge.
    pub sizes: Vec<ProbedSize>,
    /// The read cache before the media; `null` where none was seen.
    pub cache: Option<ProbedCachePart>,
    /// Most I/Os per second that were reached.
    #[schemars(extend("x-unit" = "IOPS"))]
    pub reached_iops: f64,
    /// Most bytes per second that were reached.
    #[schemars(extend("x-unit" = "bytes/s"))]
    pub reached_bytes_per_s: f64,
}

/// Latency of one operation and size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbedLatencyPart {
    /// `true` for writes, `false` for reads.
    pub is_write: bool,
    /// Size of the I/Os in bytes.
    #[schemars(extend("x-unit" = "bytes"))]
    pub block_bytes: u32,
    /// Least latency.
    pub floor_us: Microseconds,
    /// Mean latency.
    pub mean_us: Microseconds,
    /// Lower end of the 95 % interval of the mean.
    pub mean_low_us: Microseconds,
    /// Upper end of the 95 % interval of the mean.
    pub mean_high_us: Microseconds,
    /// 99th percentile.
    pub p99_us: Microseconds,
    /// Number of I/Os.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
}

/// Rate of one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbedSize {
    /// Size of the I/Os in bytes.
    #[schemars(extend("x-unit" = "bytes"))]
    pub block_bytes: u32,
    /// I/Os per second at a depth that reaches the limit.
    #[schemars(extend("x-unit" = "IOPS"))]
    pub iops: f64,
}

/// A read cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbedCachePart {
    /// Mean latency of a hit of 4 KiB.
    pub hit_us: Microseconds,
    /// Bytes that it holds; `null` where it holds all that was read.
    #[schemars(extend("x-unit" = "bytes"))]
    pub size_bytes: Option<u64>,
    /// Bytes that it holds at least.
    #[schemars(extend("x-unit" = "bytes"))]
    pub at_least_bytes: u64,
}

/// A limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeLimit {
    /// `iops` or `throughput`.
    pub counts: String,
    /// I/Os that it limits: `reads`, `writes`, `reads and writes` or `cache hits`. A read-only probe measures `reads`.
    pub of: String,
    /// Targets that share it.
    pub targets: Vec<String>,
    /// Sustained rate, in I/Os or bytes per second.
    pub per_second: Amount,
    /// Lower end of its 95 % interval; of a limit that targets share, 0.5 % below the figure.
    pub low: Amount,
    /// Upper end of its 95 % interval; of a limit that targets share, 0.5 % above the figure.
    pub high: Amount,
    /// `slice`: a quota for each slice of time. `bucket`: a token bucket. `unresolved`: neither was seen.
    pub enforcement: String,
    /// Length of a slice, or time in which the limit fills the bucket; `null` where neither was seen.
    pub enforcement_s: Option<Seconds>,
    /// Lower end of its interval; `null` where neither was seen.
    pub enforcement_low_s: Option<Seconds>,
    /// Upper end of its interval; `null` where neither was seen.
    pub enforcement_high_s: Option<Seconds>,
    /// Likeness of the slices, 1 at most: correlation of completions with those one slice later, or 1 minus the relative scatter of the
    /// numbers of I/Os in them; `null` without slices.
    pub correlation: Option<Share>,
    /// Rate of a burst that ended, in I/Os or bytes per second; `null` where none ended.
    pub burst_per_second: Option<Amount>,
    /// `true` if the burst may be faster than the rate that was reached; `null` where none ended.
    pub burst_is_at_least: Option<bool>,
    /// Credits of a full burst, in I/Os or bytes; `null` where none ended.
    pub burst_size: Option<Amount>,
    /// `true` if the burst may have more credits than were seen, because they may not have been full when the probe began; `null`
    /// where none ended.
    pub burst_size_is_at_least: Option<bool>,
    /// Time for which the limit was loaded; a burst that lasts longer was not seen to end.
    pub watched_s: Seconds,
    /// Largest difference between the measured and the simulated number of completions in the first second of load, as a share of
    /// a second's limit; `null` where it was not simulated.
    pub misfit: Option<Share>,
    /// Rate against queue depth.
    pub ramp: Vec<ProbeRampPoint>,
    /// I/Os that completed in each millisecond under load.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub staircase: Vec<u32>,
}

/// A point of a depth ramp.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRampPoint {
    /// Outstanding I/Os of each target.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub depth: u32,
    /// I/Os per second.
    #[schemars(extend("x-unit" = "IOPS"))]
    pub iops: f64,
    /// Mean latency.
    pub mean_us: Microseconds,
}

/// An offer whose limits match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeOffer {
    /// Disk and VM size: `P30 on Standard_D8s_v3`.
    pub name: String,
    /// Its enforced limits beside the published ones, in words.
    pub because: String,
    /// Mean difference between its limits and the measured ones.
    pub difference: Share,
    /// Measurement that would tell it from the nearest offer; `null` for the nearest.
    pub told_apart_by: Option<String>,
}

/// Drift and disturbance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeNoise {
    /// Latency of the first experiment when it was repeated at the end, relative to the first time, minus 1.
    pub drift: Share,
    /// Standard deviation of the latency from interval to interval (100 ms), relative to its mean.
    pub variation: Share,
}

/// Writes on block devices during a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeDeviceWrites {
    /// Names of the devices.
    pub devices: Vec<String>,
    /// Bytes written to them, by this probe and by others.
    #[schemars(extend("x-unit" = "bytes"))]
    pub bytes: u64,
}

/// Cost of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeCost {
    /// Time.
    pub time_s: Seconds,
    /// I/Os.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Bytes read.
    #[schemars(extend("x-unit" = "bytes"))]
    pub read_bytes: u64,
    /// Bytes written.
    #[schemars(extend("x-unit" = "bytes"))]
    pub written_bytes: u64,
}
