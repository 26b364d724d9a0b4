//! Setup of a machine's disks, and its problems that are visible without load: its disks as the cloud sells them,
//! the volumes that are built on them, and the configuration that they are.

mod configuration;
mod exceeded;
mod limits;
mod look;

pub use configuration::{Proposal, ProposedVolume, propose};
pub(crate) use exceeded::held_findings;
pub use exceeded::{exceeded_findings, with_exceeded};
pub use limits::{SetupLimit, limits, limits_of_vm};
pub(crate) use look::{Look, names_log};

use iobound_catalog::{CacheSetting, Cloud, DiskType};
use iobound_measure::result::DeviceFacts;

/// Reliability of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The machine or its cloud says so.
    Known,
    /// It follows from known facts, or is usual.
    Assumed,
    /// It can't be told from here.
    Unknown,
}

impl Certainty {
    /// The word of documents and screens.
    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Known => "known",
            Certainty::Assumed => "assumed",
            Certainty::Unknown => "unknown",
        }
    }
}

/// A fact about the machine, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Name of the fact: `vm`, `region`.
    pub name: &'static str,
    /// Its value; `None` if unknown.
    pub value: Option<String>,
    /// Reliability of that.
    pub certainty: Certainty,
    /// Source of the fact, or the reason why there is none.
    pub source: String,
}

impl Fact {
    /// The fact is stated by a source.
    pub fn known(name: &'static str, value: impl Into<String>, source: impl Into<String>) -> Fact {
        Fact { name, value: Some(value.into()), certainty: Certainty::Known, source: source.into() }
    }

    /// No source states the fact.
    pub fn assumed(name: &'static str, value: impl Into<String>, why: impl Into<String>) -> Fact {
        Fact { name, value: Some(value.into()), certainty: Certainty::Assumed, source: why.into() }
    }

    /// The part that cannot be told.
    pub fn unknown(name: &'static str, why: impl Into<String>) -> Fact {
        Fact { name, value: None, certainty: Certainty::Unknown, source: why.into() }
    }
}

/// Purpose of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The operating system.
    Os,
    /// Data.
    Data,
    /// Data that may be lost: a local disk of the host.
    Local,
}

impl Use {
    /// The word of documents and screens.
    pub const fn name(self) -> &'static str {
        match self {
            Use::Os => "os",
            Use::Data => "data",
            Use::Local => "local",
        }
    }
}

/// The operating system of a setup, whose tools remedies name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetupSystem {
    /// Linux.
    #[default]
    Linux,
    /// Windows.
    Windows,
}

/// Setup of a machine's disks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// The operating system.
    pub system: SetupSystem,
    /// The cloud; `None`: not a known cloud's VM.
    pub cloud: Option<Cloud>,
    /// The VM size, as the cloud calls it.
    pub vm: Option<String>,
    /// The whole disks.
    pub disks: Vec<SetupDisk>,
    /// Volumes built on them, and mounts.
    pub volumes: Vec<SetupVolume>,
    /// Names of file-system filter drivers that scan for viruses.
    pub virus_scanners: Vec<String>,
}

/// A whole disk.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupDisk {
    /// The kernel's name, its queue, its size; of a disk that no device here is, a name of its own.
    pub facts: DeviceFacts,
    /// True if a device here is it: else only the cloud says that it is attached.
    pub is_seen: bool,
    /// The best size of an I/O that its queue states, in bytes.
    pub optimal_io_bytes: Option<u64>,
    /// Purpose of the disk; `None` if it is not a disk of the cloud.
    pub used_for: Option<Use>,
    /// Its number, on Azure.
    pub lun: Option<u32>,
    /// Its name in the cloud.
    pub name: Option<String>,
    /// Evidence for the assignment to a disk of the cloud.
    pub told_by: Option<String>,
    /// Its type in the catalogue's terms.
    pub disk: Option<DiskType>,
    /// As `--disk` would have it, without its host cache; `None`: not known.
    pub spec: Option<String>,
    /// Reliability of its type and figures, and why.
    pub figures: (Certainty, String),
    /// Its host cache.
    pub cache: Option<CacheSetting>,
    /// True if the Write Accelerator is on.
    pub write_accelerator: bool,
    /// Its partitions.
    pub partitions: Vec<Partition>,
    /// Time that its limits were exceeded since it was attached, where the device itself counts that.
    pub exceeded: Option<Exceeded>,
}

/// Time that each limit was exceeded, in µs, by the device's own count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exceeded {
    /// The disk's IOPS.
    pub disk_iops_us: u64,
    /// The disk's throughput.
    pub disk_throughput_us: u64,
    /// The IOPS that the VM lets through.
    pub vm_iops_us: u64,
    /// The throughput that the VM lets through.
    pub vm_throughput_us: u64,
}

impl SetupDisk {
    /// A disk of which only the kernel knows.
    pub fn bare(facts: DeviceFacts) -> SetupDisk {
        SetupDisk {
            facts,
            is_seen: true,
            optimal_io_bytes: None,
            used_for: None,
            lun: None,
            name: None,
            told_by: None,
            disk: None,
            spec: None,
            figures: (Certainty::Unknown, "its type is unknown".to_string()),
            cache: None,
            write_accelerator: false,
            partitions: Vec::new(),
            exceeded: None,
        }
    }

    /// The kernel's name.
    pub fn device(&self) -> &str {
        &self.facts.name
    }
}

/// A part of a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The kernel's name.
    pub device: String,
    /// Start in bytes.
    pub start_bytes: u64,
}

/// Layout of a volume's addresses on its disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One disk.
    Single,
    /// In turn.
    Striped {
        /// Disks that one stripe spans.
        columns: u32,
        /// Bytes on one before the next.
        interleave: u64,
    },
    /// One after the other.
    Linear,
    /// Each on several.
    Mirrored,
    /// With parity.
    Parity,
    /// It can't be told.
    Unknown {
        /// Reason against it.
        why: String,
    },
}

impl Layout {
    /// The word of documents.
    pub const fn name(&self) -> &'static str {
        match self {
            Layout::Single => "single",
            Layout::Striped { .. } => "striped",
            Layout::Linear => "linear",
            Layout::Mirrored => "mirrored",
            Layout::Parity => "parity",
            Layout::Unknown { .. } => "unknown",
        }
    }
}

/// A volume: disks as one address space.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupVolume {
    /// Usual name: `md0`, `vg-data`, `sdc`.
    pub name: String,
    /// The kernel's name.
    pub device: String,
    /// Its kind: `md raid0`, `lvm`, `disk`.
    pub kind: String,
    /// Layout of its addresses on its disks.
    pub layout: Layout,
    /// The source of the fact.
    pub told_by: String,
    /// The whole disks at the bottom of it, by the kernel's names.
    pub disks: Vec<String>,
    /// Its read-ahead, in KiB.
    pub read_ahead_kib: Option<u64>,
    /// Its mounts.
    pub mounts: Vec<Mounted>,
}

/// A file system in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// Mount point.
    pub point: String,
    /// Its type: `ext4`, `xfs`.
    pub filesystem: String,
    /// Its options.
    pub options: Vec<String>,
    /// Start on the volume, in bytes.
    pub start_bytes: u64,
    /// Its label.
    pub label: Option<String>,
    /// Bytes that it allocates at once, where that is known: NTFS's and ReFS's allocation unit.
    pub allocation_unit: Option<u64>,
}

impl Setup {
    /// A disk by the kernel's name.
    pub fn disk(&self, device: &str) -> Option<&SetupDisk> {
        self.disks.iter().find(|disk| disk.device() == device)
    }

    /// The volumes that a disk is part of.
    pub fn volumes_on<'a>(&'a self, device: &'a str) -> impl Iterator<Item = &'a SetupVolume> {
        self.volumes.iter().filter(move |volume| volume.disks.iter().any(|disk| disk == device))
    }
}

/// Names, as many as a line has room for.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 4;
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}
