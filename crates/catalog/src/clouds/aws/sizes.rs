//! EC2's instance types.

use iobound_units::{Bytes, MIB};

use crate::clouds::names::Cloud;
use crate::error::CatalogError;
use crate::table::{Row, by_region};
use crate::vm::{Limits, LocalDisk, VmSize};

/// The columns of an instance's limits.
pub(super) const UNCACHED: [&str; 2] = ["ebs_baseline_iops", "ebs_baseline_bandwidth_mbit"];

/// The lasting and the most EBS bandwidth of a row in kbit/s, with the bandwidth weighting that was chosen.
///
/// AWS, "EC2 instance bandwidth weighting configuration": the chosen side gains a quarter of its baseline, and the other loses
/// as much; IOPS stay. The chosen side's burst stays, and the other's falls by as much; sizes of flex families up to 4xlarge
/// keep both bursts, and larger ones change them by as much as the baselines.
fn weighted_kbit(row: &Row, name: &str) -> Result<[Option<u64>; 2], CatalogError> {
    // Thousands of bit/s, so that a quarter is whole.
    let kbit = |column: &str| -> Result<Option<u64>, CatalogError> {
        Ok(row.count(column)?.map(|mbit| mbit.saturating_mul(1_000)))
    };
    let (base, most) = (kbit("ebs_baseline_bandwidth_mbit")?, kbit("ebs_max_bandwidth_mbit")?);
    let chosen = row.text("bandwidth_weighting");
    let (Some(chosen), Some(base), Some(most)) = (chosen, base, most) else { return Ok([base, most]) };
    let is_flex = name.contains("-flex.");
    let keeps_bursts =
        is_flex && !name.contains("8xlarge") && !name.contains("12xlarge") && !name.contains("16xlarge");
    let (base, most) = match chosen {
        "ebs-1" => {
            let gained = base / 4;
            let most = if is_flex && !keeps_bursts { most + gained } else { most };
            (base + gained, most.max(base + gained))
        }
        _ => {
            let Some(network) = kbit("network_baseline_mbit")? else {
                return Err(row.error("`network_baseline_mbit` is missing, of which vpc-1 takes its share"));
            };
            let lost = network / 4;
            let base = base.saturating_sub(lost);
            let most = if keeps_bursts { most } else { most.saturating_sub(lost) };
            (base, most.max(base))
        }
    };
    Ok([Some(base), Some(most)])
}

/// A row of the table.
pub(super) fn of_row(row: &Row) -> Result<VmSize, CatalogError> {
    let source = row.owned("source").unwrap_or_else(|| row.file.to_string());
    let name = row.required("instance_type")?;
    let bandwidth = weighted_kbit(row, &name)?.map(|kbit| kbit.map(|kbit| kbit.saturating_mul(125)));
    Ok(VmSize {
        cloud: Cloud::Aws,
        family: name.split('.').next().map(str::to_string),
        name,
        interface: row.owned("bandwidth_weighting"),
        vcpus: row.count("vcpus")?,
        vcpus_available: row.count("vcpus")?,
        memory: row.count("memory_mib")?.map(|mib| Bytes(mib.saturating_mul(MIB))),
        max_data_disks: row.count("max_ebs_attachments")?,
        premium: None,
        arch: row.owned("arch"),
        current_generation: row.flag("current_generation")?,
        uncached: Limits { ios: row.count("ebs_baseline_iops")?, bytes: bandwidth[0] },
        uncached_is: None,
        uncached_burst: Limits { ios: row.count("ebs_max_iops")?, bytes: bandwidth[1] },
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
