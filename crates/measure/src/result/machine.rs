//! The machine that a real run was on, as far as its figures depend on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cost of a run in processor time, and what the machine had besides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Online processors.
    #[schemars(extend("x-unit" = "processors"))]
    pub online: u32,
    /// Time of the run's own threads in the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_s: Option<f64>,
    /// Time of the run's own threads in the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_s: Option<f64>,
    /// Processor time of the run's own threads ÷ completed I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "µs"))]
    pub us_per_io: Option<f64>,
    /// Share of all processor time that the hypervisor gave to others while a processor had work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "1"))]
    pub steal: Option<f64>,
    /// Each processor during the counted time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<Processor>,
}

/// One processor while counting was on; shares of its time between 0 and 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Processor {
    /// Number of the processor.
    #[schemars(extend("x-unit" = "number"))]
    pub cpu: u32,
    /// Number of its core within the socket; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "number"))]
    pub core: Option<u32>,
    /// Number of its socket; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "number"))]
    pub socket: Option<u32>,
    /// Number of its NUMA node; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "number"))]
    pub node: Option<u32>,
    /// Kind of its core, from 0; a faster kind has a higher number; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "number"))]
    pub efficiency_class: Option<u32>,
    /// Share of its time in programs.
    #[schemars(extend("x-unit" = "1"))]
    pub user: f64,
    /// Share of its time in the kernel, including interrupts.
    #[schemars(extend("x-unit" = "1"))]
    pub system: f64,
    /// Share of its time without work, including waits for I/O.
    #[schemars(extend("x-unit" = "1"))]
    pub idle: f64,
    /// Share of its time that the hypervisor took.
    #[schemars(extend("x-unit" = "1"))]
    pub steal: f64,
}

/// Facts about a block device below a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceFacts {
    /// Kernel name: `nvme0n1`, `md0`.
    pub name: String,
    /// Targets on the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Kind of attachment: `nvme`, `scsi`, `virtio`, `md`, `dm`, `loop`, `zram`, `ram`, else the name of the driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Model that the device reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Size of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// I/O scheduler in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Read-ahead of buffered reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead_kib: Option<u64>,
    /// Requests that each queue takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "requests"))]
    pub queue_requests: Option<u64>,
    /// Hardware queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "queues"))]
    pub hardware_queues: Option<u32>,
    /// Largest request that the kernel sends; larger I/Os are split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_request_kib: Option<u64>,
    /// Largest request that the device would take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hardware_request_kib: Option<u64>,
    /// True if the device is a rotating disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// Smallest I/O of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "bytes"))]
    pub logical_sector: Option<u32>,
    /// Smallest write that needs no read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "bytes"))]
    pub physical_sector: Option<u32>,
    /// Write cache: `write back` (volatile) or `write through`, in the kernel's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
    /// Devices that the device is built from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_of: Vec<String>,
    /// Kernel counters of the device (`/proc/diskstats`) during the measurement: the difference of two readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<DeviceCounters>,
}

/// The kernel's counters of a device (`/proc/diskstats`), the difference of two looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceCounters {
    /// Time between the readings.
    #[schemars(extend("x-unit" = "s"))]
    pub seconds: f64,
    /// Completed reads, as requests after splits and merges.
    #[schemars(extend("x-unit" = "requests"))]
    pub reads: u64,
    /// Reads that were merged into others before they were sent.
    #[schemars(extend("x-unit" = "requests"))]
    pub reads_merged: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Completed writes, as requests after splits and merges.
    #[schemars(extend("x-unit" = "requests"))]
    pub writes: u64,
    /// Writes that were merged into others before they were sent.
    #[schemars(extend("x-unit" = "requests"))]
    pub writes_merged: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Completed flushes.
    #[schemars(extend("x-unit" = "requests"))]
    pub flushes: u64,
    /// Completed discards.
    #[schemars(extend("x-unit" = "requests"))]
    pub discards: u64,
    /// Mean time of a read in the queue and the device; absent without reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_us: Option<f64>,
    /// Mean time of a write in the queue and the device; absent without writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_us: Option<f64>,
    /// Mean number of requests in the queue and the device.
    #[schemars(extend("x-unit" = "requests"))]
    pub queue: f64,
    /// Share of the time with at least one request.
    #[schemars(extend("x-unit" = "1"))]
    pub busy: f64,
}
