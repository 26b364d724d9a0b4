//! Azure's VM sizes.

use iobound_units::{Bytes, GIB};

use crate::clouds::names::Cloud;
use crate::era::Era;
use crate::error::CatalogError;
use crate::table::{Row, by_region};
use crate::vm::{Limits, LocalDisk, VmSize};

/// A row of the table.
pub(super) fn of_row(row: &Row) -> Result<VmSize, CatalogError> {
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
        uncached: Limits::of(row, "uncached_iops", "uncached_mbps")?,
        uncached_is: row.owned("uncached_is"),
        uncached_burst: Limits::of(row, "uncached_burst_iops", "uncached_burst_mbps")?,
        uncached_v2: Limits::of(row, "uncached_v2ultra_iops", "uncached_v2ultra_mbps")?,
        uncached_v2_burst: Limits::of(row, "uncached_v2ultra_burst_iops", "uncached_v2ultra_burst_mbps")?,
        max_disks_size: None,
        kinds: Vec::new(),
        host_cache: row.flag("host_cache")?,
        cached: Limits::of(row, "cached_iops", "cached_mbps")?,
        cached_write_bytes: row.micro("cached_write_mbps")?,
        cached_burst: Limits::of(row, "cached_burst_iops", "cached_burst_mbps")?,
        cache_size: gib("cache_size_gib")?,
        temp: LocalDisk {
            count: row.count("temp_disks")?,
            size: gib("temp_disk_gib")?,
            read: Limits::of(row, "temp_read_iops", "temp_read_mbps")?,
            write: Limits::of(row, "temp_write_iops", "temp_write_mbps")?,
        },
        nvme: LocalDisk {
            count: row.count("nvme_disks")?,
            size: row.count("nvme_disk_gb")?.map(|gb| Bytes(gb.saturating_mul(1_000_000_000))),
            read: Limits::of(row, "nvme_read_iops", "nvme_read_mbps")?,
            write: Limits::of(row, "nvme_write_iops", "nvme_write_mbps")?,
        },
        raw_uncached_bytes: row.count("raw_uncached_bytes_per_s")?,
        raw_cached_read_bytes: row.count("raw_cached_read_bytes_per_s")?,
        raw_cached_write_bytes: row.count("raw_cached_write_bytes_per_s")?,
        limits_source: row.owned("limits_source"),
        nvme_source: None,
        basics_source: row.owned("basics_source").unwrap_or_else(|| row.file.to_string()),
        notes: row.owned("notes"),
        era: row.text("era").map(Era::parse).transpose()?,
        restricted: by_region(row.text("restricted_in").unwrap_or_default()),
        zones: zones_of(row),
        cpu_burstable: None,
    })
}

/// `eastus=1/3 westus=none`.
fn zones_of(row: &Row) -> Vec<(String, Vec<String>)> {
    let zones = |text: &str| text.split('/').filter(|zone| *zone != "none").map(str::to_string).collect();
    let said = by_region(row.text("zones_in").unwrap_or_default());
    said.into_iter().map(|(region, text)| (region, zones(&text))).collect()
}

/// The letters before a size's vCPUs and the version behind it: `E`, 4 of `Standard_E8ds_v4`; no version is the first.
pub(super) fn series(name: &str) -> (String, Option<u64>) {
    let name = name.strip_prefix("Standard_").or(name.strip_prefix("Basic_")).unwrap_or(name);
    let family: String = name.chars().take_while(char::is_ascii_uppercase).collect();
    let version = name
        .split('_')
        .rev()
        .find_map(|part| part.strip_prefix('v').and_then(|version| version.parse().ok()))
        .unwrap_or(1);
    (family, Some(version))
}
