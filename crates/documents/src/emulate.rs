//! `emulate --json`: `iobound.emulate/1`, one document a line: when everything is served, each second, and at the end.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::{Amount, BytesPerSecond, Iops, Microseconds, Seconds, Share};

/// The devices, states and totals of an emulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EmulateDocument {
    /// The first line: everything is served from now on.
    Ready(Box<EmulateReady>),
    /// The last line.
    End(Box<EmulateEnd>),
    /// A line for each second, and the answer to `ctl state`.
    State(Box<EmulateState>),
}

impl Contract for EmulateDocument {
    const ID: &'static str = "iobound.emulate/1";
}

/// The first line of an emulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EmulateReady {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<EmulateDocument>,
    /// `ready`, `state` or `end`.
    pub event: String,
    /// VM size.
    pub vm: String,
    /// Era of the figures.
    pub era: String,
    /// Devices that are served.
    pub devices: Vec<ServedDevice>,
    /// Fronts that speak to clients.
    pub fronts: Vec<ServedFront>,
    /// Each limit.
    pub limits: Vec<ServedLimit>,
    /// Place of the data, in words.
    pub backing: String,
    /// Most memory that holds data; `null` if data is in files.
    pub memory_bytes: Option<u64>,
    /// Time by which the mean of every media, hit and acknowledgement latency is smaller: the least `transport_us`, or
    /// `--transport-cost`; `null` if nothing is subtracted.
    pub subtracted_us: Option<Microseconds>,
    /// Latencies that were smaller than that. A client sees them longer by the rest.
    pub short: Vec<ShortLatency>,
    /// Content of host caches, in words; `null` without host caches.
    pub cache: Option<String>,
    /// Content of burst credits, in words; `null` without credits.
    pub credits: Option<String>,
    /// True if the end loses what a ReadWrite cache has not written back.
    pub crash: bool,
    /// Control socket.
    pub control: String,
    /// Address of the metrics; `null` without.
    pub metrics: Option<String>,
    /// Commands that attach the volumes, by front and by the privilege that they need.
    pub attach: Vec<AttachPart>,
    /// Values that were assumed because they were not given: name, value, and reason.
    pub assumed: Vec<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// A device that is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServedDevice {
    /// Name of the device.
    pub name: String,
    /// `volume`, or `disk` for a single disk of a volume.
    pub kind: String,
    /// Size of the device.
    pub size_bytes: u64,
    /// Disks of the device.
    #[schemars(extend("x-unit" = "disks"))]
    pub disks: u16,
    /// Place of the device at each front: an NBD address, or a file.
    pub at: Vec<String>,
}

/// A front of the emulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServedFront {
    /// `nbd` or `fuse`.
    pub front: String,
    /// Place where it serves.
    pub at: String,
    /// Transport cost: the lowest of several medians, each of 100 to 400 reads of 4 KiB at the start, one outstanding, by the emulator's
    /// own client on a disk without limits, minus the time that each read takes there: the least latency of the configuration, 200 µs
    /// to 2 ms. It includes the time to wake client and emulator. `null` if it was not measured.
    pub transport_us: Option<Microseconds>,
}

/// A limit of the emulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServedLimit {
    /// Name of the limit: `disk.iops`, `vm.uncached.throughput`.
    pub name: String,
    /// Disk that the limit is for; `null` if there is one limit of this name.
    pub instance: Option<String>,
    /// Limit in the documentation of the cloud, such as 5,000 IOPS for a P30.
    #[schemars(extend("x-unit" = "I/O units/s, bytes/s"))]
    pub published: u64,
    /// Enforced limit.
    #[schemars(extend("x-unit" = "I/O units/s, bytes/s"))]
    pub enforced: Amount,
}

/// A latency that was smaller than the transport cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShortLatency {
    /// The latency, in words.
    pub of: String,
    /// Rest of the transport cost.
    pub by_us: Microseconds,
}

/// Commands that attach a volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttachPart {
    /// Front, and the privilege that the commands need.
    pub title: String,
    /// The commands.
    pub lines: Vec<String>,
}

/// Activity in an interval, and since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EmulateState {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<EmulateDocument>,
    /// `ready`, `state` or `end`.
    pub event: String,
    /// End of the interval since the start.
    pub at_s: Seconds,
    /// Length of the interval: a second; of the answer to `ctl state` and of metrics, the last complete second and the part of the
    /// next.
    pub interval_s: Seconds,
    /// I/O of each device.
    pub devices: Vec<DeviceLine>,
    /// Use of each limit.
    pub limits: Vec<LimitLine>,
    /// I/O that reached the media of each disk: fragments of I/Os, and write-backs.
    pub disks: Vec<DiskLine>,
    /// Each host cache.
    pub caches: Vec<CacheLine>,
    /// Lateness of each front.
    pub fronts: Vec<FrontLine>,
    /// Memory that holds data, of `memory_bytes`.
    pub held_bytes: u64,
    /// Most memory that holds data; `null` if data is in files.
    pub memory_bytes: Option<u64>,
    /// Requests that are not complete.
    #[schemars(extend("x-unit" = "requests"))]
    pub under_way: u64,
    /// Active faults in words, with their remaining time.
    pub faults: Vec<String>,
}

/// The last line of an emulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EmulateEnd {
    /// The last state.
    #[serde(flatten)]
    pub state: EmulateState,
    /// Reason of the end: `a signal`, `ctl stop` or `--duration`.
    pub because: String,
    /// Data that `--crash` lost, acknowledged but not written back, by disk; `null` without it.
    pub lost: Option<Vec<LostPart>>,
}

/// I/O of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceLine {
    /// Name of the device.
    pub name: String,
    /// `volume`, or `disk` for a single disk of a volume.
    pub kind: String,
    /// Completed reads and writes per second, in the interval.
    pub iops: Iops,
    /// Throughput in the interval.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Latency in the interval, from submission to the time at which the model completes the I/O; `null` without I/O. A client sees
    /// it longer by transport and lateness.
    pub latency_us: Option<DeviceLatency>,
    /// Reads.
    pub read: OpLine,
    /// Writes.
    pub write: OpLine,
    /// Flushes and trims since the start.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub others: u64,
    /// I/Os that failed since the start.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub errors: u64,
}

/// Latency of a device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceLatency {
    /// Mean latency; `null` if unknown.
    pub mean: Option<Microseconds>,
    /// Median latency, to two digits.
    pub p50: Microseconds,
    /// 99th percentile of latency, to two digits.
    pub p99: Microseconds,
    /// Maximum latency.
    pub max: Microseconds,
}

/// One direction of a device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpLine {
    /// Completed I/Os per second, in the interval.
    pub iops: Iops,
    /// Throughput in the interval.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Mean latency in the interval; `null` without I/O.
    pub mean_us: Option<Microseconds>,
    /// I/Os since the start.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Bytes since the start.
    pub bytes: u64,
}

/// Use of a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitLine {
    /// Name of the limit: `disk.iops`, `vm.uncached.throughput`.
    pub name: String,
    /// Disk that the limit is for; `null` if there is one limit of this name.
    pub instance: Option<String>,
    /// Limit in the documentation of the cloud, such as 5,000 IOPS for a P30.
    #[schemars(extend("x-unit" = "I/O units/s, bytes/s"))]
    pub published: Amount,
    /// Enforced limit.
    #[schemars(extend("x-unit" = "I/O units/s, bytes/s"))]
    pub enforced: Amount,
    /// Rate that passed in the interval.
    #[schemars(extend("x-unit" = "I/O units/s, bytes/s"))]
    pub used: Amount,
    /// `used` ÷ `enforced`.
    pub share: Share,
    /// Time for which the limit held I/Os back in each second of the interval, summed over I/Os.
    #[schemars(extend("x-unit" = "ms/s"))]
    pub held_ms_per_s: Amount,
    /// Time for which the limit held I/Os back since the start, summed over I/Os.
    pub held_s: Seconds,
    /// I/Os that wait at the limit now.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub waiting: u32,
    /// Burst credits; `null` without credits.
    pub credits: Option<CreditsPart>,
    /// The same by the names of Azure Monitor, in percent: consumed percentages are of the published limit, used burst credits of the
    /// capacity. Azure's own figures are means of a minute.
    pub azure: BTreeMap<String, Amount>,
}

/// Burst credits of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreditsPart {
    /// Credits that are left.
    #[schemars(extend("x-unit" = "I/O units or bytes"))]
    pub left: u64,
    /// Most credits that there can be.
    #[schemars(extend("x-unit" = "I/O units or bytes"))]
    pub capacity: u64,
}

/// I/O that reached the media of a disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskLine {
    /// Name of the disk.
    pub name: String,
    /// The disk now, as `--disk` takes it. It need not equal the other disks of its volume.
    pub disk: String,
    /// Host-cache setting now.
    pub cache: String,
    /// I/Os per second in the interval.
    pub iops: Iops,
    /// Throughput in the interval.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// I/Os since the start.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Bytes since the start.
    pub bytes: u64,
}

/// A host cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheLine {
    /// Share of the reads that the cache served in the interval; `null` without reads.
    pub hit_rate: Option<Share>,
    /// Reads since the start that the cache served.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub hits: u64,
    /// Reads since the start that the cache did not serve.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub misses: u64,
    /// Data that is acknowledged and not yet on the media.
    pub dirty_bytes: u64,
    /// Time for which writes waited in each second of the interval because too much was dirty, summed over writes.
    #[schemars(extend("x-unit" = "ms/s"))]
    pub held_ms_per_s: Amount,
    /// Data that was written back since the start.
    pub written_back_bytes: u64,
}

/// Lateness of a front: the time of a reply minus the time at which it was due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrontLine {
    /// `nbd` or `fuse`.
    pub front: String,
    /// Lateness in the interval; `null` without replies.
    pub late_us: Option<LatenessPart>,
    /// Lateness since the start; `null` without replies.
    pub late_total_us: Option<LatenessPart>,
    /// Replies since the start.
    #[schemars(extend("x-unit" = "replies"))]
    pub replies: u64,
}

/// A distribution of lateness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatenessPart {
    /// Median.
    pub p50: Microseconds,
    /// 99th percentile.
    pub p99: Microseconds,
    /// Maximum.
    pub max: Microseconds,
}

/// Data that a crash lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostPart {
    /// Name of the disk.
    pub disk: String,
    /// Lost data.
    pub bytes: u64,
}
