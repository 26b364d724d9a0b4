//! The machine that a real run was on, as far as its figures depend on it.

use serde::{Deserialize, Serialize};

/// Cost of a run in processor time, and what the machine had besides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// Processors that are online.
    pub online: u32,
    /// Time of the run's own threads in the program, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_s: Option<f64>,
    /// Time of the run's own threads in the kernel, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_s: Option<f64>,
    /// Processor time of the run's own threads ÷ I/Os completed, in µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub us_per_io: Option<f64>,
    /// The share of all processor time that the hypervisor gave to others while a processor had work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// Each processor while counting was on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<Processor>,
}

/// One processor while counting was on; shares of its time between 0 and 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Processor {
    /// Its number.
    pub cpu: u32,
    /// Its core's number within the socket, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
    /// Its socket's number, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<u32>,
    /// Its NUMA node's number, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// Its kind of core, where known: from 0, a faster kind has a higher number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_class: Option<u32>,
    /// In programs.
    pub user: f64,
    /// In the kernel, interrupts included.
    pub system: f64,
    /// Idle, waiting for I/O included.
    pub idle: f64,
    /// Taken by the hypervisor.
    pub steal: f64,
}

/// Facts about a block device below a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// The kernel's name: `nvme0n1`, `md0`.
    pub name: String,
    /// The names of the targets on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Kind of attachment: `nvme`, `scsi`, `virtio`, `md`, `dm`, `loop`, `zram`, `ram`, else the driver's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Model name that it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// The I/O scheduler in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Read-ahead of buffered reads in KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead_kib: Option<u64>,
    /// Requests that each of its queues takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_requests: Option<u64>,
    /// Hardware queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_queues: Option<u32>,
    /// The largest request that the kernel sends it, in KiB: larger I/Os are split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_request_kib: Option<u64>,
    /// The largest request that it would take, in KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hardware_request_kib: Option<u64>,
    /// True if it turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// The smallest I/O that it takes, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_sector: Option<u32>,
    /// The smallest I/O that it writes without reading, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_sector: Option<u32>,
    /// True if it has a volatile write cache: `write back` or `write through`, in the kernel's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
    /// The devices that it is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_of: Vec<String>,
    /// The kernel's counters of it during the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<DeviceCounters>,
}

/// The kernel's counters of a device (`/proc/diskstats`), the difference of two looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceCounters {
    /// Seconds between the looks.
    pub seconds: f64,
    /// Reads completed, as requests: after splits and merges.
    pub reads: u64,
    /// Reads merged into others before they were sent.
    pub reads_merged: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes completed.
    pub writes: u64,
    /// Writes merged into others.
    pub writes_merged: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Flushes completed.
    pub flushes: u64,
    /// Discards completed.
    pub discards: u64,
    /// Mean time of a read in the queue and the device, in µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_us: Option<f64>,
    /// Mean time of a write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_us: Option<f64>,
    /// Mean number of requests in the queue and the device.
    pub queue: f64,
    /// The share of the time with at least one.
    pub busy: f64,
}
