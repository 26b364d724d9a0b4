//! `doctor`: `iobound.doctor/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::Amount;

/// The machine, its disks and volumes, and what is wrong with their setup. No load runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DoctorDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<DoctorDocument>,
    /// Facts about the machine, each with its origin.
    pub machine: MachinePart,
    /// VM size whose limits are shown; `null` if no limits can be shown.
    pub vm: Option<String>,
    /// Limits of the VM size and its disks; only those of the VM size if the disks are unknown.
    pub limits: Vec<MachineLimit>,
    /// Complete disks. Loop devices, memory disks, and devices that are built from others are not listed.
    pub disks: Vec<MachineDisk>,
    /// Volumes that are built from the disks, and disks that are mounted directly.
    pub volumes: Vec<MachineVolume>,
    /// Problems of the setup that show without a load, the most important first.
    pub findings: Vec<SetupFinding>,
    /// File that the configuration was written to (`--save`); otherwise `null`.
    pub saved: Option<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

impl Contract for DoctorDocument {
    const ID: &'static str = "iobound.doctor/1";
}

/// Facts about a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachinePart {
    /// Cloud: `azure`, `aws` or `gcp`. It comes from the firmware, otherwise from the metadata service that answers.
    pub cloud: FactPart,
    /// VM size, with the cloud's own name.
    pub vm: FactPart,
    /// Region of the VM.
    pub region: FactPart,
    /// Availability zone of the VM.
    pub zone: FactPart,
    /// Online processors.
    pub vcpus: FactPart,
    /// NUMA nodes.
    pub numa_nodes: FactPart,
    /// Memory that the kernel manages, in bytes.
    pub memory_bytes: FactPart,
    /// Release of the kernel.
    pub kernel: FactPart,
    /// Share of the last ten seconds in which at least one task waited for I/O, as the kernel averages it.
    pub io_pressure: FactPart,
}

/// A fact and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FactPart {
    /// The value as text; `null` if unknown.
    pub value: Option<String>,
    /// `known`: the machine or its cloud reports it. `assumed`: it follows from a report, or is the usual value. `unknown`.
    pub certainty: CertaintyWord,
    /// Origin of the value, or the reason why it is unknown.
    pub source: String,
}

/// Reliability of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CertaintyWord {
    /// The machine or its cloud reports it.
    Known,
    /// It follows from a report, or is the usual value.
    Assumed,
    /// It cannot be determined.
    Unknown,
}

/// A limit of the VM size or of a disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineLimit {
    /// Name of the limit: `disk.iops`, `vm.uncached.throughput`.
    pub name: String,
    /// Disks that the limit is for, where the VM size has two limits of this name; otherwise `null`.
    pub of: Option<String>,
    /// Limits of this kind: ten equal disks have ten.
    #[schemars(extend("x-unit" = "limits"))]
    pub count: u64,
    /// Unit of the figures: `iops` or `bytes_per_s`.
    pub unit: LimitUnit,
    /// Published limit, the sum over `count`.
    #[schemars(extend("x-unit" = "by `unit`"))]
    pub published: Amount,
    /// Enforced limit: published limit × factor; `null` if no disk is known.
    #[schemars(extend("x-unit" = "by `unit`"))]
    pub enforced: Option<Amount>,
    /// Limit while burst credits last; `null` without credits.
    #[schemars(extend("x-unit" = "by `unit`"))]
    pub burst: Option<Amount>,
}

/// Unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitUnit {
    /// I/Os per second, as the limit counts them.
    Iops,
    /// Bytes per second.
    BytesPerS,
}

/// A disk of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineDisk {
    /// Kernel name; `null` if only the metadata service lists the disk.
    pub device: Option<String>,
    /// Role of the disk: `os`, `data` or `local` (on the host, lost with the VM); `null` if it is not a disk of the cloud.
    pub used_for: Option<String>,
    /// Logical unit number on Azure; otherwise `null`.
    pub lun: Option<u32>,
    /// Name of the disk in the cloud; `null` if unknown.
    pub name: Option<String>,
    /// Origin of the match between the device and the disk of the cloud; `null` without a match.
    pub told_by: Option<String>,
    /// The disk as `--disk` takes it; `null` if unknown.
    pub disk: Option<String>,
    /// Type of the disk; `null` if unknown.
    #[serde(rename = "type")]
    pub kind_of_disk: Option<String>,
    /// Name of the disk in the configuration; `null` if it is not part of it.
    pub configured_as: Option<String>,
    /// Host-cache setting; `null` if unknown.
    pub cache: Option<String>,
    /// True if Azure's Write Accelerator is on.
    pub write_accelerator: bool,
    /// Published or provisioned IOPS; `null` if unknown.
    pub iops: Option<u64>,
    /// Published or provisioned throughput; `null` if unknown.
    pub throughput_bytes_per_s: Option<u64>,
    /// Reliability of type and figures: `known`, `assumed` or `unknown`.
    pub figures: CertaintyWord,
    /// Reason for that reliability.
    pub figures_source: String,
    /// Model that the device reports; `null` if it reports none.
    pub model: Option<String>,
    /// Bus of the device: `nvme`, `scsi`, `virtio`; `null` if unknown.
    pub kind: Option<String>,
    /// Size of the device; `null` if unknown.
    pub size_bytes: Option<u64>,
    /// Settings of the block queue.
    pub queue: DiskQueue,
    /// Partitions of the disk.
    pub partitions: Vec<DiskPartition>,
    /// Time above each limit since the disk was attached, as the volume counts it (EBS, NVMe log page 0xD0, as root); otherwise `null`.
    pub exceeded: Option<DiskExceeded>,
}

/// Settings of a block queue in the kernel; `null` where the kernel does not report one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskQueue {
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// Requests that each queue takes.
    #[schemars(extend("x-unit" = "requests"))]
    pub requests: Option<u64>,
    /// Hardware queues.
    #[schemars(extend("x-unit" = "queues"))]
    pub hardware_queues: Option<u32>,
    /// Largest request that the kernel sends.
    pub max_request_kib: Option<u64>,
    /// Optimal I/O size that the device reports; `null` if it reports none.
    pub optimal_io_bytes: Option<u64>,
    /// Read-ahead.
    pub read_ahead_kib: Option<u64>,
    /// True if the device is a rotating disk.
    pub rotational: Option<bool>,
    /// Write cache of the device. `write back` is a volatile cache.
    pub write_cache: Option<String>,
    /// Logical sector: the smallest I/O.
    #[schemars(extend("x-unit" = "bytes"))]
    pub logical_sector: Option<u32>,
    /// Physical sector: the smallest write that needs no read.
    #[schemars(extend("x-unit" = "bytes"))]
    pub physical_sector: Option<u32>,
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskPartition {
    /// Kernel name.
    pub device: String,
    /// Offset of the partition on the disk.
    pub start_bytes: u64,
}

/// Time above each limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskExceeded {
    /// Time above the IOPS of the volume.
    pub disk_iops_us: u64,
    /// Time above the throughput of the volume.
    pub disk_throughput_us: u64,
    /// Time above the IOPS of the instance.
    pub vm_iops_us: u64,
    /// Time above the throughput of the instance.
    pub vm_throughput_us: u64,
}

/// A volume: disks as one address space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineVolume {
    /// Name that administrators use: `md0`, `vg-data`, `sdc`.
    pub name: String,
    /// Kernel name.
    pub device: String,
    /// Kind of volume: `md raid0`, `lvm`, `disk`.
    pub kind: String,
    /// Layout on its disks: `single`, `striped`, `linear`, `mirrored`, `parity` or `unknown`.
    pub layout: String,
    /// Disks that one stripe spans; `null` if the layout is not `striped`.
    #[schemars(extend("x-unit" = "disks"))]
    pub columns: Option<u64>,
    /// Bytes on each disk before the next one; `null` if the layout is not `striped`.
    pub interleave_bytes: Option<u64>,
    /// Origin of the layout.
    pub told_by: String,
    /// Kernel names of the complete disks below the volume.
    pub disks: Vec<String>,
    /// Read-ahead; `null` if unknown.
    pub read_ahead_kib: Option<u64>,
    /// File systems on the volume that are mounted.
    pub mounts: Vec<VolumeMount>,
}

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VolumeMount {
    /// Mount point.
    pub point: String,
    /// Type of the file system: `ext4`, `xfs`.
    pub filesystem: String,
    /// Mount options.
    pub options: Vec<String>,
    /// Offset of the file system on the volume.
    pub start_bytes: u64,
    /// Bytes that the file system allocates at once: the allocation unit of NTFS and ReFS; `null` if it is unknown, as on Linux.
    pub allocation_unit_bytes: Option<u64>,
}

/// A problem of the setup. A rule of the same name in `explain` has the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetupFinding {
    /// Name of the rule.
    pub rule: String,
    /// `strong`, `likely` or `possible`, as in `explain`.
    pub confidence: String,
    /// The problem.
    pub claim: String,
    /// Evidence for the problem.
    pub evidence: Vec<String>,
    /// Advice: the action to take.
    pub remedy: String,
    /// Measurement that would confirm it; `null` if none is needed.
    pub to_be_sure: Option<String>,
}
