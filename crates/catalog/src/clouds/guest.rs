//! The facts that a cloud tells its VMs, and the texts that tell a VM which cloud it is on.

use crate::clouds::names::Cloud;

/// The facts by which a VM of a cloud is recognised from inside, and its metadata service.
#[derive(Clone, Copy, Debug)]
pub struct GuestRules {
    /// Marks of its firmware, the surest first.
    pub firmware: &'static [FirmwareMark],
    /// Beginnings of the models that its NVMe controllers state, and true for the host's own disks. The longer ones come first
    /// where one begins with another.
    pub nvme: &'static [(&'static str, bool)],
    /// The fact that maps a device to one of its disks.
    pub naming: DeviceNaming,
    /// Its metadata service; `None`: a session has to be opened first, which is the caller's to do.
    pub metadata: Option<MetadataRules>,
}

/// The fact that maps a device to a disk of the cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceNaming {
    /// The LUN, or the NVMe namespace. The metadata lists all disks by it.
    Lun,
    /// The NVMe serial number, or the name that it was attached with.
    Serial,
    /// A link in `/dev/disk/by-id`.
    Link,
}

/// A text of the firmware's tables (DMI) that only one cloud's VMs have.
#[derive(Clone, Copy, Debug)]
pub struct FirmwareMark {
    /// The table: `chassis_asset_tag`.
    pub table: &'static str,
    /// True if a text of it is the cloud's.
    pub is: fn(&str) -> bool,
    /// The VM size in a text of `product_name`.
    pub size: fn(&str) -> Option<String>,
}

impl FirmwareMark {
    /// A mark that comes without the VM size.
    pub(crate) const fn without_size(table: &'static str, is: fn(&str) -> bool) -> FirmwareMark {
        FirmwareMark { table, is, size: |_| None }
    }
}

/// A metadata service that answers plain requests.
#[derive(Clone, Copy, Debug)]
pub struct MetadataRules {
    /// The header that each request needs: name and value.
    pub header: (&'static str, &'static str),
    /// Paths to ask, in order.
    pub paths: &'static [&'static str],
    /// Reads the answers to all paths, in the same order. The error is a sentence about the answer.
    pub read: fn(&[String]) -> Result<Instance, String>,
}

/// Facts of a metadata service about the VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Cloud of the service.
    pub provider: Cloud,
    /// The VM size: `Standard_D8s_v3`, `m5.large`, `n2-standard-8`.
    pub size: Option<String>,
    /// Its region.
    pub region: Option<String>,
    /// The zone in it.
    pub zone: Option<String>,
    /// The disks that are attached, as far as the service knows them.
    pub disks: Vec<CloudDisk>,
    /// Contradictions in the answer.
    pub notes: Vec<String>,
}

impl Instance {
    /// A VM of which nothing else is known.
    pub fn of(provider: Cloud) -> Instance {
        Instance { provider, size: None, region: None, zone: None, disks: Vec::new(), notes: Vec::new() }
    }
}

/// A disk as the cloud knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudDisk {
    /// Slot that it is attached to.
    pub slot: Slot,
    /// Its name there.
    pub name: Option<String>,
    /// Its type in the cloud's words: `Premium_LRS`, `PERSISTENT`.
    pub kind: Option<String>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    /// Its host cache in the cloud's words: `None`, `ReadOnly`, `ReadWrite`.
    pub cache: Option<String>,
    /// I/Os a second that are provisioned.
    pub iops: Option<u64>,
    /// Bytes a second that are provisioned.
    pub bytes_per_s: Option<u64>,
    /// True if the Write Accelerator is on.
    pub write_accelerator: bool,
    /// True if it lies on the host itself, and is gone with the VM.
    pub is_ephemeral: bool,
}

impl CloudDisk {
    /// A disk of which only its slot is known.
    pub fn at(slot: Slot) -> CloudDisk {
        CloudDisk {
            slot,
            name: None,
            kind: None,
            bytes: None,
            cache: None,
            iops: None,
            bytes_per_s: None,
            write_accelerator: false,
            is_ephemeral: false,
        }
    }
}

/// Slot that a disk is attached to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The operating system's disk.
    Os,
    /// A data disk of that number, on Azure.
    Lun(u32),
    /// The name that was asked for when it was attached, on EC2: `sdf`.
    Named(String),
    /// A link in `/dev/disk/by-id`, by its name there.
    Link(String),
}
