//! The emulator: what is served, what happens, and what happened.

mod attach;
mod azure;
mod document;
mod live;
mod prometheus;
mod start;
mod summary;

use iobound_catalog::{Configuration, Resolved};
use iobound_model::{Blueprint, Dimension};
use iobound_units::{Bytes, Span};

pub use document::{emulate_end_json, emulate_ready_json, emulate_state_document, emulate_state_json};
pub use live::{emulate_line, emulate_model_screen, emulate_screen};
pub use prometheus::emulate_metrics;
pub use start::emulate_start_text;
pub use summary::emulate_summary_text;

/// Served devices of an emulator, as it starts.
#[derive(Clone, Debug)]
pub struct Serving<'a> {
    /// The request.
    pub configuration: &'a Configuration,
    /// Its meaning.
    pub resolved: &'a Resolved,
    /// True if limits are emulated; without them there is nothing to show.
    pub blueprint: &'a Blueprint,
    /// The devices, in order.
    pub devices: &'a [Device],
    /// Their addresses.
    pub fronts: &'a [Served],
    /// Storage of the data, in words.
    pub backing: &'a str,
    /// The most that memory holds of it.
    pub memory: Option<Bytes>,
    /// Time subtracted from every latency; `None`: nothing was.
    pub made_up: Option<Span>,
    /// Latencies that were smaller than that, and by how much.
    pub short: &'a [(String, Span)],
    /// Content of host caches, in words.
    pub cache: Option<String>,
    /// Content of burst credits, in words.
    pub credits: Option<String>,
    /// True if a clean end drops what a ReadWrite cache has not written back.
    pub crash: bool,
    /// The control socket.
    pub control: &'a str,
    /// Address of the metrics.
    pub metrics: Option<&'a str>,
    /// Further notes.
    pub notes: &'a [String],
}

/// One device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: Bytes,
    /// True if it is a volume; else a single disk of one.
    pub is_volume: bool,
    /// Number of disks that it lies on.
    pub disks: u16,
}

/// A front, where it serves, and what its transport costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its address.
    pub at: ServedAt,
    /// The median of its round trips; `None` where it was not measured.
    pub cost: Option<Span>,
}

/// Address of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServedAt {
    /// NBD on a unix socket: its path, absolute.
    NbdUnix(String),
    /// NBD on TCP: host and port.
    NbdTcp(String, u16),
    /// Files of a folder: its path, absolute.
    Fuse(String),
}

impl ServedAt {
    /// The front's name.
    pub fn front(&self) -> &'static str {
        match self {
            ServedAt::NbdUnix(_) | ServedAt::NbdTcp(..) => "nbd",
            ServedAt::Fuse(_) => "fuse",
        }
    }

    /// Address in the words of the command line.
    pub fn place(&self) -> String {
        match self {
            ServedAt::NbdUnix(path) => format!("unix:{path}"),
            ServedAt::NbdTcp(host, port) => format!("tcp:{host}:{port}"),
            ServedAt::Fuse(path) => path.clone(),
        }
    }
}

/// The events in an interval, and since the start.
#[derive(Clone, Debug, Default)]
pub struct EmulatorState {
    /// The end of the interval, in seconds since the start.
    pub at_s: f64,
    /// Its length in seconds.
    pub interval_s: f64,
    /// By device.
    pub devices: Vec<DeviceState>,
    /// By limiter and dimension.
    pub limits: Vec<LimitState>,
    /// By disk: what reaches its media.
    pub disks: Vec<DiskState>,
    /// By host cache.
    pub caches: Vec<HostCacheState>,
    /// By front.
    pub fronts: Vec<FrontState>,
    /// Space of the data, in bytes.
    pub held_bytes: u64,
    /// The most that memory holds.
    pub memory_bytes: Option<u64>,
    /// Requests under way.
    pub under_way: usize,
    /// Faults that are on, in words.
    pub faults: Vec<String>,
}

/// I/O of a device.
#[derive(Clone, Debug, Default)]
pub struct DeviceState {
    /// Its name.
    pub name: String,
    /// True if it is a volume.
    pub is_volume: bool,
    /// Reads.
    pub read: OpState,
    /// Writes.
    pub write: OpState,
    /// Flushes and trims since the start.
    pub other_ios: u64,
    /// Failures, since the start.
    pub errors: u64,
    /// Number of them that in the interval.
    pub failed: u64,
    /// Latencies of the interval in µs: median, 99th percentile, maximum.
    pub percentiles_us: Option<[f64; 3]>,
}

impl DeviceState {
    /// Reads and writes a second.
    pub fn iops(&self) -> f64 {
        self.read.iops + self.write.iops
    }

    /// Bytes a second.
    pub fn throughput_bytes_per_s(&self) -> f64 {
        self.read.throughput_bytes_per_s + self.write.throughput_bytes_per_s
    }

    /// The mean latency of the interval in µs.
    pub fn mean_us(&self) -> Option<f64> {
        let weighed = |op: &OpState| op.mean_us.map_or(0.0, |mean| mean * op.iops);
        (self.iops() > 0.0).then(|| (weighed(&self.read) + weighed(&self.write)) / self.iops())
    }
}

/// One direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpState {
    /// I/Os a second in the interval.
    pub iops: f64,
    /// Bytes a second in the interval.
    pub throughput_bytes_per_s: f64,
    /// Mean latency of the interval in µs.
    pub mean_us: Option<f64>,
    /// I/Os since the start.
    pub ios: u64,
    /// Bytes since the start.
    pub bytes: u64,
    /// The sum of latencies since the start, in seconds.
    pub latency_s: f64,
}

/// A limit, and what passes it.
#[derive(Clone, Debug)]
pub struct LimitState {
    /// The limiter's group: `disk`, `vm.uncached`.
    pub group: String,
    /// Name, where there are several: a disk's name.
    pub instance: Option<String>,
    /// Its unit of count.
    pub dimension: Dimension,
    /// As published, a second.
    pub published: f64,
    /// Enforced limit, a second.
    pub enforced: f64,
    /// Rate, a second.
    pub used: f64,
    /// Total since the start.
    pub used_total: u64,
    /// For how many ms a second it held I/Os back: a sum over I/Os.
    pub held_ms_per_s: f64,
    /// The same since the start, in seconds.
    pub held_total_s: f64,
    /// I/Os that wait at its limiter now.
    pub waiting: u32,
    /// Burst credits left, and the most there can be.
    pub credits: Option<(u64, u64)>,
}

impl LimitState {
    /// `disk.iops`, `vm.uncached.throughput`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.group, self.dimension.name())
    }

    /// Used share of the enforced limit.
    pub fn share(&self) -> f64 {
        if self.enforced > 0.0 { self.used / self.enforced } else { 0.0 }
    }
}

/// I/O of a disk's media.
#[derive(Clone, Debug, Default)]
pub struct DiskState {
    /// Its name.
    pub name: String,
    /// Its current spec, as for `--disk`: `P30`.
    pub is: String,
    /// Its host-cache setting.
    pub cache: &'static str,
    /// I/Os a second in the interval.
    pub iops: f64,
    /// Bytes a second in the interval.
    pub throughput_bytes_per_s: f64,
    /// I/Os since the start.
    pub ios: u64,
    /// Bytes since the start.
    pub bytes: u64,
}

/// A host cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostCacheState {
    /// Reads that it held, of all in the interval.
    pub hit_rate: Option<f64>,
    /// Hits since the start.
    pub hits: u64,
    /// Misses since the start.
    pub misses: u64,
    /// Acknowledged and not yet on the media.
    pub dirty_bytes: u64,
    /// For how many ms a second writes waited since there was too much of it.
    pub held_ms_per_s: f64,
    /// Written back since the start.
    pub written_back_bytes: u64,
}

/// The delay with which a front's replies go out.
#[derive(Clone, Debug, Default)]
pub struct FrontState {
    /// Its name: `nbd`, `fuse`.
    pub name: String,
    /// Of the interval, in µs: median, 99th percentile, maximum.
    pub late_us: Option<[f64; 3]>,
    /// The same since the start.
    pub late_total_us: Option<[f64; 3]>,
    /// Replies since the start.
    pub replies: u64,
    /// The sum of their lateness, in seconds.
    pub late_s: f64,
}

/// End of an emulator.
#[derive(Clone, Debug)]
pub struct EmulatorEnd {
    /// The last state: its totals count.
    pub state: EmulatorState,
    /// Reason, in words.
    pub because: &'static str,
    /// Data lost in a crash, by disk, in bytes; `None`: it ended cleanly.
    pub lost: Option<Vec<(String, u64)>>,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A state in which everything is something.
    pub(crate) fn state() -> EmulatorState {
        let op = OpState {
            iops: 15_000.0,
            throughput_bytes_per_s: 61.44e6,
            mean_us: Some(2_100.0),
            ios: 30_000,
            bytes: 122_880_000,
            latency_s: 63.0,
        };
        let device = |name: &str, is_volume| DeviceState {
            name: name.into(),
            is_volume,
            read: op,
            write: op,
            other_ios: 3,
            errors: 1,
            failed: 0,
            percentiles_us: Some([2_000.0, 5_000.0, 9_000.0]),
        };
        let limit = |group: &str, instance: Option<&str>, dimension, published: f64| LimitState {
            group: group.into(),
            instance: instance.map(String::from),
            dimension,
            published,
            enforced: published * 1.02,
            used: published / 2.0,
            used_total: 100_000,
            held_ms_per_s: 12.5,
            held_total_s: 0.5,
            waiting: 3,
            credits: (group == "disk").then_some((25, 100)),
        };
        EmulatorState {
            at_s: 12.0,
            interval_s: 1.0,
            devices: vec![device("data", true), device("data.0", false), device("data.1", false)],
            limits: vec![
                limit("disk", Some("data.0"), Dimension::Ios, 5_000.0),
                limit("disk", Some("data.1"), Dimension::Ios, 5_000.0),
                limit("disk", Some("data.0"), Dimension::Bytes, 200e6),
                limit("vm.uncached", None, Dimension::Ios, 51_200.0),
                limit("vm.cached", None, Dimension::Bytes, 512e6),
            ],
            disks: vec![DiskState {
                name: "data.0".into(),
                is: "P30".into(),
                cache: "readonly",
                iops: 7_500.0,
                ..DiskState::default()
            }],
            caches: vec![HostCacheState {
                hit_rate: Some(0.93),
                dirty_bytes: 1 << 30,
                ..HostCacheState::default()
            }],
            fronts: vec![FrontState {
                name: "nbd".into(),
                late_us: Some([12.0, 80.0, 1_100.0]),
                late_total_us: Some([12.0, 90.0, 2_100.0]),
                replies: 60_000,
                late_s: 0.9,
            }],
            held_bytes: 1 << 20,
            memory_bytes: Some(4 << 30),
            under_way: 32,
            faults: vec!["data.0: latency 5x".into()],
        }
    }
}
