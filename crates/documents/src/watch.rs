//! `watch`: `iobound.watch/1`, a line for each interval and a last one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::explain::WatchedDiskPart;
use crate::quantity::{Amount, BytesPerSecond, Iops, Microseconds, Seconds, Share};

/// Seconds of a watched machine. Counters are the kernel's (`/proc/diskstats`) of complete disks, between two readings.
/// No load runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WatchDocument {
    /// A line for each interval.
    Second(WatchSecondLine),
    /// The last line.
    Summary(WatchSummaryLine),
}

impl Contract for WatchDocument {
    const ID: &'static str = "iobound.watch/1";
}

/// An interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchSecondLine {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<WatchDocument>,
    /// `second` for an interval, `summary` for the last line.
    pub event: String,
    /// End of the interval since the start of the watch.
    pub at_s: Seconds,
    /// Length of the interval.
    pub seconds: Seconds,
    /// Complete disks.
    pub disks: Vec<WatchDiskSecond>,
    /// Each volume of Windows (`LogicalDisk`), whose I/Os are those of its disks once more; absent on other systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<WatchedDiskPart>,
    /// Limits that I/Os pass, the fullest first.
    pub limits: Vec<WatchLimitSecond>,
    /// Share of the time in which at least one task waited for I/O (`/proc/pressure/io`); `null` if the kernel does not say.
    pub io_pressure: Option<Share>,
    /// Limits that a volume itself counted as exceeded (EBS, as root).
    pub exceeded: Vec<ExceededPart>,
}

/// A disk in an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchDiskSecond {
    /// The counters.
    #[serde(flatten)]
    pub counters: WatchedDiskPart,
    /// Share of the fullest limit of the disk itself, of the burst limit if it has one; `null` if its limits are unknown.
    pub share: Option<Share>,
}

/// A limit in an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchLimitSecond {
    /// Name of the limit.
    pub name: String,
    /// Limits of this kind.
    #[schemars(extend("x-unit" = "limits"))]
    pub count: u64,
    /// Enforced limit, of the burst limit while credits may be left.
    #[schemars(extend("x-unit" = "IOPS or bytes/s"))]
    pub enforced: Amount,
    /// Highest rate that can have passed. From inside the VM, nobody sees which reads hit a host cache.
    #[schemars(extend("x-unit" = "IOPS or bytes/s"))]
    pub used: Amount,
    /// `used` ÷ `enforced`.
    pub share: Share,
    /// Credits that can be left at most, inferred, if they were full when the watch began; of several disks the sum; `null` without
    /// credits.
    pub credits_at_most: Option<Share>,
}

/// A limit that a device counted as exceeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExceededPart {
    /// The limit.
    pub limit: String,
    /// Time above the limit.
    #[schemars(extend("x-unit" = "µs"))]
    pub us: u64,
}

/// The last line of a watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchSummaryLine {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<WatchDocument>,
    /// `second` for an interval, `summary` for the last line.
    pub event: String,
    /// Length of the watch.
    pub watched_s: Seconds,
    /// Complete disks.
    pub disks: Vec<WatchDiskSummary>,
    /// Each volume of Windows (`LogicalDisk`), whose I/Os are those of its disks once more; absent on other systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<WatchDiskSummary>,
    /// Limits that I/Os pass.
    pub limits: Vec<WatchLimitSummary>,
    /// Limits that a volume itself counted as exceeded (EBS, as root).
    pub exceeded: Vec<ExceededPart>,
    /// File that `--record` wrote; otherwise `null`.
    pub recorded: Option<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// A disk over the intervals of a watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchDiskSummary {
    /// Kernel name.
    pub device: String,
    /// Name of the disk in the configuration; `null` if it is unknown.
    pub disk: Option<String>,
    /// Completed reads and writes per second, after merges, over the intervals.
    pub iops: OverIntervals<Iops>,
    /// Throughput over the intervals.
    pub throughput_bytes_per_s: OverIntervals<BytesPerSecond>,
    /// Mean time of an I/O in the queue and the device; `null` without I/O.
    pub latency_us: Option<Microseconds>,
    /// Outstanding I/Os over the intervals, the mean of each interval.
    pub depth: OverIntervals<Amount>,
}

/// A figure over the intervals of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OverIntervals<Q> {
    /// Mean over the complete watch.
    pub mean: Q,
    /// Median of the intervals, by nearest rank.
    pub p50: Q,
    /// 95th percentile of the intervals, by nearest rank.
    pub p95: Q,
    /// Highest interval.
    pub max: Q,
}

/// A limit over the intervals of a watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchLimitSummary {
    /// Name of the limit.
    pub name: String,
    /// Limits of this kind.
    #[schemars(extend("x-unit" = "limits"))]
    pub count: u64,
    /// Share of the limit in the fullest interval.
    pub fullest: Share,
    /// Time at a share of 0.98 or more.
    pub full_s: Seconds,
}
