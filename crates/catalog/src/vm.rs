use iobound_units::{Bytes, GIB, MIB};

use crate::disk::Cloud;
use crate::era::Era;
use crate::error::CatalogError;
use crate::import::by_region;
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
    /// Whether both figures are known.
    pub const fn known(self) -> bool {
        self.ios.is_some() && self.bytes.is_some()
    }
}

/// A VM size, in one era: what it has and what limits its disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VmSize {
    /// Who sells it.
    pub cloud: Cloud,
    /// `Standard_DS14`, `m5.large`.
    pub name: String,
    /// `SCSI` or `NVMe` where a size has two rows.
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
    /// Whether it takes Premium SSD, Premium SSD v2 and Ultra disks.
    pub premium: Option<bool>,
    /// `x64`, `Arm64`, `x86_64`, `arm64`.
    pub arch: Option<String>,
    /// Whether the vendor still sells it as current.
    pub current_generation: Option<bool>,
    /// The limit of all disks without host cache; on AWS the instance's baseline.
    pub uncached: Limits,
    /// What is published is only a figure for each Standard disk, `500 a disk`: no limit of the VM itself.
    pub uncached_is: Option<String>,
    /// The most while credits last.
    pub uncached_burst: Limits,
    /// The limit of Premium SSD v2 and Ultra disks where it is another.
    pub uncached_v2: Limits,
    /// The most of that while credits last.
    pub uncached_v2_burst: Limits,
    /// Whether disks can have a host cache; `Some(false)`: none has.
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
    /// The source of the rest.
    pub basics_source: String,
    /// What else is to be known.
    pub notes: Option<String>,
    /// The era whose row was laid over today's; `None`: today's figures.
    pub era: Option<Era>,
    /// Regions where it can't be had, with the seller's reason, as far as an import knows them.
    pub restricted: Vec<(String, String)>,
    /// The availability zones of regions where it can be had, as far as an import knows them; none of them: in no zone.
    pub zones: Vec<(String, Vec<String>)>,
    /// Whether its processors run on credits, where the seller's list says so itself.
    pub cpu_burstable: Option<bool>,
}

/// Disks that are the host's own and lose their data with the VM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalDisk {
    /// How many.
    pub count: Option<u64>,
    /// The capacity: of the temporary disk as a whole, of each NVMe disk.
    pub size: Option<Bytes>,
    /// What reads may take, of all of them.
    pub read: Limits,
    /// What writes may take, of all of them.
    pub write: Limits,
}

impl VmSize {
    pub(crate) fn from_azure_row(row: &Row) -> Result<VmSize, CatalogError> {
        let limits = |ios: &str, bytes: &str| -> Result<Limits, CatalogError> {
            Ok(Limits { ios: row.count(ios)?, bytes: row.micro(bytes)? })
        };
        let gib = |column: &str| -> Result<Option<Bytes>, CatalogError> {
            Ok(row.micro(column)?.map(|micro| {
                let bytes = u128::from(micro) * u128::from(GIB) / 1_000_000;
                Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
            }))
        };
        Ok(VmSize {
            cloud: Cloud::Azure,
            name: row.required("name")?,
            interface: row.owned("disk_interface"),
            family: row.owned("family"),
            vcpus: row.count("vcpus")?,
            vcpus_available: row.count("vcpus_available")?.or(row.count("vcpus")?),
            memory: gib("memory_gib")?,
            max_data_disks: row.count("max_data_disks")?,
            premium: row.flag("premium_io")?,
            arch: row.owned("cpu_arch"),
            current_generation: None,
            uncached: limits("uncached_iops", "uncached_mbps")?,
            uncached_is: row.owned("uncached_is"),
            uncached_burst: limits("uncached_burst_iops", "uncached_burst_mbps")?,
            uncached_v2: limits("uncached_v2ultra_iops", "uncached_v2ultra_mbps")?,
            uncached_v2_burst: limits("uncached_v2ultra_burst_iops", "uncached_v2ultra_burst_mbps")?,
            host_cache: row.flag("host_cache")?,
            cached: limits("cached_iops", "cached_mbps")?,
            cached_write_bytes: row.micro("cached_write_mbps")?,
            cached_burst: limits("cached_burst_iops", "cached_burst_mbps")?,
            cache_size: gib("cache_size_gib")?,
            temp: LocalDisk {
                count: row.count("temp_disks")?,
                size: gib("temp_disk_gib")?,
                read: limits("temp_read_iops", "temp_read_mbps")?,
                write: limits("temp_write_iops", "temp_write_mbps")?,
            },
            nvme: LocalDisk {
                count: row.count("nvme_disks")?,
                size: row.count("nvme_disk_gb")?.map(|gb| Bytes(gb.saturating_mul(1_000_000_000))),
                read: limits("nvme_read_iops", "nvme_read_mbps")?,
                write: limits("nvme_write_iops", "nvme_write_mbps")?,
            },
            raw_uncached_bytes: row.count("raw_uncached_bytes_per_s")?,
            raw_cached_read_bytes: row.count("raw_cached_read_bytes_per_s")?,
            raw_cached_write_bytes: row.count("raw_cached_write_bytes_per_s")?,
            limits_source: row.owned("limits_source"),
            basics_source: row.owned("basics_source").unwrap_or_else(|| row.file.to_string()),
            notes: row.owned("notes"),
            era: row.text("era").map(Era::parse).transpose()?,
            restricted: by_region(row.text("restricted_in").unwrap_or_default()),
            zones: zones_of(row),
            cpu_burstable: None,
        })
    }

    pub(crate) fn from_aws_row(row: &Row) -> Result<VmSize, CatalogError> {
        // Mbit/s as describe-instance-types gives them: an eighth in bytes.
        let bytes = |column: &str| -> Result<Option<u64>, CatalogError> {
            Ok(row.count(column)?.map(|mbit| mbit.saturating_mul(125_000)))
        };
        let source = row.owned("source").unwrap_or_else(|| row.file.to_string());
        let name = row.required("instance_type")?;
        Ok(VmSize {
            cloud: Cloud::Aws,
            family: name.split('.').next().map(str::to_string),
            name,
            interface: None,
            vcpus: row.count("vcpus")?,
            vcpus_available: row.count("vcpus")?,
            memory: row.count("memory_mib")?.map(|mib| Bytes(mib.saturating_mul(MIB))),
            max_data_disks: row.count("max_ebs_attachments")?,
            premium: None,
            arch: row.owned("arch"),
            current_generation: row.flag("current_generation")?,
            uncached: Limits {
                ios: row.count("ebs_baseline_iops")?,
                bytes: bytes("ebs_baseline_bandwidth_mbit")?,
            },
            uncached_is: None,
            uncached_burst: Limits {
                ios: row.count("ebs_max_iops")?,
                bytes: bytes("ebs_max_bandwidth_mbit")?,
            },
            uncached_v2: Limits::default(),
            uncached_v2_burst: Limits::default(),
            host_cache: Some(false),
            cached: Limits::default(),
            cached_write_bytes: None,
            cached_burst: Limits::default(),
            cache_size: None,
            temp: LocalDisk::default(),
            nvme: LocalDisk {
                count: row.count("instance_storage_disks")?,
                size: match (row.count("instance_storage_gb")?, row.count("instance_storage_disks")?) {
                    (Some(all), Some(disks)) if disks > 0 => {
                        Some(Bytes(all.saturating_mul(1_000_000_000) / disks))
                    }
                    _ => None,
                },
                ..LocalDisk::default()
            },
            raw_uncached_bytes: None,
            raw_cached_read_bytes: None,
            raw_cached_write_bytes: None,
            limits_source: Some(source.clone()),
            basics_source: source,
            notes: row.owned("notes"),
            era: None,
            restricted: by_region(row.text("restricted_in").unwrap_or_default()),
            zones: Vec::new(),
            cpu_burstable: row.flag("burstable")?,
        })
    }

    /// Why it can't be had in a region, where an import knows that it can't.
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

/// `eastus=1/3 westus=none`.
fn zones_of(row: &Row) -> Vec<(String, Vec<String>)> {
    let zones = |text: &str| text.split('/').filter(|zone| *zone != "none").map(str::to_string).collect();
    let said = by_region(row.text("zones_in").unwrap_or_default());
    said.into_iter().map(|(region, text)| (region, zones(&text))).collect()
}
