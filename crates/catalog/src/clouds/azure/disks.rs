//! Azure's kinds of managed disk.

use crate::clouds::disk_kind::{DiskKind, HostCache, Meters, Operations, Sold, VmLimit};
use crate::clouds::names::{Cloud, DiskType};
use crate::error::CatalogError;
use crate::performance::{Chosen, Performance, RuleReader};

/// Azure's megabytes are of 10^6 bytes.
const MEGABYTE: u64 = 1_000_000;

const METERS: Meters = Meters {
    gib: "Provisioned Capacity",
    ios: Some("Provisioned IOPS"),
    throughput: Some("Provisioned Throughput"),
    priced_ios: u64::MAX,
};

pub(crate) const PREMIUM: DiskKind = DiskKind {
    word: "premium",
    title: "Premium SSD",
    sku: "Premium",
    cloud: Cloud::Azure,
    sold: Sold::InTiers { example: "P30" },
    megabyte: MEGABYTE,
    limit: VmLimit::Uncached,
    half_duplex: true,
    is_hdd: false,
    needs_premium: true,
    host_cache: HostCache::Advised,
    was_unmanaged: false,
    operations: Operations::Free,
    successor: None,
    better_ladder: None,
    faster: &[DiskType::PremiumV2, DiskType::Ultra],
    unseen: "by type and size; a raised performance tier or a burst on demand is invisible to the guest",
};

pub(crate) const STANDARD_SSD: DiskKind = DiskKind {
    word: "standardssd",
    title: "Standard SSD",
    sku: "StandardSSD",
    sold: Sold::InTiers { example: "E30" },
    needs_premium: false,
    host_cache: HostCache::Supported,
    operations: Operations::Capped {
        unknown: "Standard SSDs bill I/Os up to an hourly maximum, which is known only for E30: other tiers cost at most the price shown",
    },
    better_ladder: Some(DiskType::Premium),
    unseen: "by type and size; performance plus is invisible to the guest",
    ..PREMIUM
};

pub(crate) const STANDARD_HDD: DiskKind = DiskKind {
    word: "standardhdd",
    title: "Standard HDD",
    sku: "Standard",
    sold: Sold::InTiers { example: "S30" },
    is_hdd: true,
    was_unmanaged: true,
    operations: Operations::Billed,
    ..STANDARD_SSD
};

pub(crate) const PREMIUM_V2: DiskKind = DiskKind {
    word: "premiumv2",
    title: "Premium SSD v2",
    sku: "PremiumV2",
    sold: Sold::Apart {
        performance: |rules| chosen(rules, ["baseline_iops", "baseline_throughput"], 6, true),
        source: "iops_max",
        meters: METERS,
        example: "+5000iops+200MB/s",
        writes_mb_for_mib: false,
    },
    limit: VmLimit::UncachedV2,
    host_cache: HostCache::Unsupported,
    faster: &[DiskType::Ultra],
    unseen: "the VM cannot see the provisioned figures: assumed the default, 3,000 IOPS and 125 MB/s; give them with --disk (az disk show)",
    ..PREMIUM
};

pub(crate) const ULTRA: DiskKind = DiskKind {
    word: "ultra",
    title: "Ultra Disk",
    sku: "UltraSSD",
    sold: Sold::Apart {
        performance: |rules| chosen(rules, ["iops_min", "throughput_min"], 0, false),
        source: "iops_max",
        meters: METERS,
        example: "+5000iops+200MB/s",
        writes_mb_for_mib: false,
    },
    faster: &[],
    unseen: "the metadata does not contain its IOPS and throughput; give them with --disk",
    ..PREMIUM_V2
};

fn chosen(
    rules: &RuleReader<'_>,
    [ios, bytes]: [&str; 2],
    least_up_to_gib: u64,
    included: bool,
) -> Result<Performance, CatalogError> {
    Ok(Performance::Chosen(Chosen {
        ios: [rules.count(ios)?, rules.count("iops_max")?],
        ios_per_gib: rules.count("iops_per_gib_max")?,
        least_up_to_gib,
        bytes: [rules.bytes(bytes)?, rules.bytes("throughput_max")?],
        bytes_per_io: rules.bytes("throughput_per_iops_max")?,
        included,
    }))
}
