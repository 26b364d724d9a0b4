use iobound_units::Bytes;

use crate::clouds::disk_kind::VmLimit;
use crate::clouds::names::{Cloud, DiskType};
use crate::era::Era;
use crate::error::CatalogError;
use crate::table::Row;

/// A limit on I/O units and one on bytes a second; `None` is unknown, never zero or unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// I/O units a second.
    pub ios: Option<u64>,
    /// Bytes a second.
    pub bytes: Option<u64>,
}

impl Limits {
    /// The figures of two columns of a row.
    pub(crate) fn of(row: &Row, ios: &str, bytes: &str) -> Result<Limits, CatalogError> {
        Ok(Limits { ios: row.count(ios)?, bytes: row.micro(bytes)? })
    }

    /// True if both figures are known.
    pub const fn known(self) -> bool {
        self.ios.is_some() && self.bytes.is_some()
    }
}

/// A limit of a VM on remote disks without host cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteLimit {
    /// True if it holds beside the limit of other disks, not together with it.
    pub is_apart: bool,
    /// For as long as it takes.
    pub sustained: Limits,
    /// The most while credits last.
    pub burst: Limits,
}

/// A VM's limits on all its disks of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindLimits {
    /// The kind.
    pub disk: DiskType,
    /// Of reads.
    pub read: Limits,
    /// Of writes.
    pub write: Limits,
    /// Number of disks of the kind on one VM at most; `None`: as many as the VM takes.
    pub disks_max: Option<u64>,
    /// Number of disks on one VM at most of all kinds together that have such a number; `None`: the kind does not count among them.
    pub together_max: Option<u64>,
}

/// A VM size, in one era: what it has and what limits its disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VmSize {
    /// Cloud that sells it.
    pub cloud: Cloud,
    /// `Standard_DS14`, `m5.large`.
    pub name: String,
    /// `SCSI` or `NVMe` where a size has two rows; the bandwidth weighting where one was chosen.
    pub interface: Option<String>,
    /// The vendor's family.
    pub family: Option<String>,
    /// Virtual CPUs of the size.
    pub vcpus: Option<u64>,
    /// Virtual CPUs that can be used (fewer on constrained sizes).
    pub vcpus_available: Option<u64>,
    /// Memory.
    pub memory: Option<Bytes>,
    /// The most data disks (Azure) or attachments (AWS, the root volume among them).
    pub max_data_disks: Option<u64>,
    /// The most that all its disks have together.
    pub max_disks_size: Option<Bytes>,
    /// True if it takes Premium SSD, Premium SSD v2 and Ultra disks.
    pub premium: Option<bool>,
    /// `x64`, `Arm64`, `x86_64`, `arm64`.
    pub arch: Option<String>,
    /// True if the vendor still sells it as current.
    pub current_generation: Option<bool>,
    /// The limit of all disks without host cache; on AWS the instance's baseline.
    pub uncached: Limits,
    /// Published figures of is only a figure for each Standard disk, `500 a disk`: no limit of the VM itself.
    pub uncached_is: Option<String>,
    /// The most while credits last.
    pub uncached_burst: Limits,
    /// The limit of Premium SSD v2 and Ultra disks where it is another.
    pub uncached_v2: Limits,
    /// The most of that while credits last.
    pub uncached_v2_burst: Limits,
    /// The limits of each kind of disk, where each has its own.
    pub kinds: Vec<KindLimits>,
    /// True if disks can have a host cache; `Some(false)`: none has.
    pub host_cache: Option<bool>,
    /// The limit of all cached disks and the temporary disk together.
    pub cached: Limits,
    /// The throughput of cached writes where it is another figure.
    pub cached_write_bytes: Option<u64>,
    /// The most of the cached limit while credits last.
    pub cached_burst: Limits,
    /// The host cache's capacity.
    pub cache_size: Option<Bytes>,
    /// The temporary disk.
    pub temp: LocalDisk,
    /// Local NVMe disks.
    pub nvme: LocalDisk,
    /// The uncached throughput as the service's own records count it, in bytes a second.
    pub raw_uncached_bytes: Option<u64>,
    /// The cached throughput of reads as the service's own records count it.
    pub raw_cached_read_bytes: Option<u64>,
    /// The cached throughput of writes as the service's own records count it.
    pub raw_cached_write_bytes: Option<u64>,
    /// The source of the limits.
    pub limits_source: Option<String>,
    /// The source of the figures of local NVMe disks, where it is another.
    pub nvme_source: Option<String>,
    /// The source of the rest.
    pub basics_source: String,
    /// Further notes.
    pub notes: Option<String>,
    /// The era whose row was laid over today's; `None`: today's figures.
    pub era: Option<Era>,
    /// Regions where it can't be had, with the seller's reason, as far as an import knows them.
    pub restricted: Vec<(String, String)>,
    /// The availability zones of regions where it can be had, as far as an import knows them; none of them: in no zone.
    pub zones: Vec<(String, Vec<String>)>,
    /// True if its processors run on credits, where the seller's list says so itself.
    pub cpu_burstable: Option<bool>,
}

/// Disks that are the host's own and lose their data with the VM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalDisk {
    /// Their number.
    pub count: Option<u64>,
    /// The capacity: of the temporary disk as a whole, of each NVMe disk.
    pub size: Option<Bytes>,
    /// Shared limit of all reads.
    pub read: Limits,
    /// Shared limit of all writes.
    pub write: Limits,
}

/// Local disks that a VM is ordered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedLocal {
    /// Their number, size and figures, all together.
    pub disks: LocalDisk,
    /// Name of the price of each in the table of VM prices; `None`: it is not known.
    pub priced_as: Option<String>,
}

impl VmSize {
    /// A limit on remote disks. Figures that are not stated apart are those of all disks.
    pub fn remote(&self, limit: VmLimit) -> RemoteLimit {
        let all = RemoteLimit { is_apart: false, sustained: self.uncached, burst: self.uncached_burst };
        let own = match limit {
            VmLimit::Uncached => return all,
            VmLimit::UncachedV2 => self.uncached_v2,
            VmLimit::Kind(disk) => {
                let of_kind = self.kinds.iter().find(|limits| limits.disk == disk);
                let sustained = of_kind.map_or(Limits::default(), |limits| limits.read);
                return RemoteLimit { sustained, burst: Limits::default(), ..all };
            }
        };
        if own == Limits::default() {
            return all;
        }
        let sustained =
            Limits { ios: own.ios.or(self.uncached.ios), bytes: own.bytes.or(self.uncached.bytes) };
        RemoteLimit { is_apart: true, sustained, burst: self.uncached_v2_burst }
    }

    /// Reason why it can't be had in a region, where an import knows that it can't.
    pub fn restricted_in(&self, region: &str) -> Option<&str> {
        self.restricted.iter().find(|(of, _)| of == region).map(|(_, reason)| reason.as_str())
    }

    /// The zones of a region where it can be had; `None` is unknown.
    pub fn zones_in(&self, region: &str) -> Option<&[String]> {
        self.zones.iter().find(|(of, _)| of == region).map(|(_, zones)| zones.as_slice())
    }

    /// The interface with the name, where the size has two: `Standard_E16bds_v5:NVMe`.
    pub fn full_name(&self) -> String {
        match &self.interface {
            Some(interface) => format!("{}:{interface}", self.name),
            None => self.name.clone(),
        }
    }
}
