//! EC2's instance types.

use iobound_units::{Bytes, MIB};

use crate::clouds::names::Cloud;
use crate::error::CatalogError;
use crate::table::{Row, by_region};
use crate::vm::{Limits, LocalDisk, VmSize};

/// The columns of an instance's limits.
pub(super) const UNCACHED: [&str; 2] = ["ebs_baseline_iops", "ebs_baseline_bandwidth_mbit"];

/// A row of the table.
pub(super) fn of_row(row: &Row) -> Result<VmSize, CatalogError> {
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
        uncached_burst: Limits { ios: row.count("ebs_max_iops")?, bytes: bytes("ebs_max_bandwidth_mbit")? },
        uncached_v2: Limits::default(),
        uncached_v2_burst: Limits::default(),
        max_disks_size: None,
        kinds: Vec::new(),
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
            read: Limits::of(row, "nvme_read_iops", "nvme_read_mbps")?,
            write: Limits::of(row, "nvme_write_iops", "nvme_write_mbps")?,
        },
        raw_uncached_bytes: None,
        raw_cached_read_bytes: None,
        raw_cached_write_bytes: None,
        limits_source: Some(source.clone()),
        nvme_source: row.owned("nvme_source"),
        basics_source: source,
        notes: row.owned("notes"),
        era: None,
        restricted: by_region(row.text("restricted_in").unwrap_or_default()),
        zones: Vec::new(),
        cpu_burstable: row.flag("burstable")?,
    })
}
