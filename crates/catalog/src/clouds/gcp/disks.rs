//! Google Cloud's kinds of disk.

use iobound_units::MIB;

use super::pooled::Pooled;
use super::tied::{Tie, Tied};
use crate::clouds::disk_kind::{DiskKind, HostCache, Meters, Operations, Sold, VmLimit};
use crate::clouds::names::{Cloud, DiskType};
use crate::error::CatalogError;
use crate::performance::{Performance, RuleReader};

const CAPACITY: Meters = Meters { gib: "capacity", ios: None, throughput: None, priced_ios: u64::MAX };

const IOS: Meters = Meters { ios: Some("provisioned IOPS"), ..CAPACITY };

const THROUGHPUT: Meters = Meters { throughput: Some("provisioned throughput"), ..CAPACITY };

type ReadRules = fn(&RuleReader<'_>) -> Result<Performance, CatalogError>;

const fn sold(performance: ReadRules, meters: Meters, example: &'static str) -> Sold {
    Sold::Apart { performance, source: "size_max", meters, example, writes_mb_for_mib: true }
}

pub(crate) const PD_STANDARD: DiskKind = DiskKind {
    word: "pd-standard",
    title: "standard Persistent Disk",
    sku: "pd-standard",
    cloud: Cloud::Gcp,
    sold: sold(pooled, CAPACITY, ""),
    // Google counts MiB/s.
    megabyte: MIB,
    limit: VmLimit::Kind(DiskType::PdStandard),
    half_duplex: true,
    is_hdd: true,
    needs_premium: false,
    host_cache: HostCache::Unsupported,
    was_unmanaged: false,
    operations: Operations::Free,
    successor: None,
    better_ladder: None,
    faster: &[DiskType::PdBalanced, DiskType::PdSsd],
    unseen: "the metadata service tells a disk's type; sizes are those that the guest sees",
};

pub(crate) const PD_BALANCED: DiskKind = DiskKind {
    word: "pd-balanced",
    title: "balanced Persistent Disk",
    sku: "pd-balanced",
    limit: VmLimit::Kind(DiskType::PdBalanced),
    half_duplex: false,
    is_hdd: false,
    faster: &[DiskType::HyperdiskBalanced],
    ..PD_STANDARD
};

pub(crate) const PD_SSD: DiskKind = DiskKind {
    word: "pd-ssd",
    title: "SSD Persistent Disk",
    sku: "pd-ssd",
    limit: VmLimit::Kind(DiskType::PdSsd),
    ..PD_BALANCED
};

pub(crate) const PD_EXTREME: DiskKind = DiskKind {
    word: "pd-extreme",
    title: "extreme Persistent Disk",
    sku: "pd-extreme",
    sold: sold(bytes_follow, IOS, "+20000iops"),
    limit: VmLimit::Kind(DiskType::PdExtreme),
    unseen: "the guest cannot see provisioned IOPS: assumed the default, 100,000; give them with --disk (gcloud compute disks describe)",
    ..PD_BALANCED
};

pub(crate) const HYPERDISK_BALANCED: DiskKind = DiskKind {
    word: "hyperdisk-balanced",
    title: "Hyperdisk Balanced",
    sku: "hyperdisk-balanced",
    sold: sold(both, Meters { throughput: Some("provisioned throughput"), ..IOS }, "+5000iops+200MiB/s"),
    limit: VmLimit::Kind(DiskType::HyperdiskBalanced),
    is_hdd: false,
    faster: &[],
    unseen: "the guest cannot see provisioned figures: assumed the defaults, 3,600 IOPS and 290 MiB/s; give them with --disk (gcloud compute disks describe)",
    ..PD_STANDARD
};

pub(crate) const HYPERDISK_BALANCED_HA: DiskKind = DiskKind {
    word: "hyperdisk-balanced-ha",
    title: "Hyperdisk Balanced High Availability",
    sku: "hyperdisk-balanced-high-availability",
    limit: VmLimit::Kind(DiskType::HyperdiskBalancedHa),
    ..HYPERDISK_BALANCED
};

pub(crate) const HYPERDISK_EXTREME: DiskKind = DiskKind {
    word: "hyperdisk-extreme",
    title: "Hyperdisk Extreme",
    sku: "hyperdisk-extreme",
    sold: sold(bytes_follow, IOS, "+20000iops"),
    limit: VmLimit::Kind(DiskType::HyperdiskExtreme),
    unseen: "the guest cannot see provisioned IOPS: assumed the default, 100,000; give them with --disk (gcloud compute disks describe)",
    ..HYPERDISK_BALANCED
};

pub(crate) const HYPERDISK_THROUGHPUT: DiskKind = DiskKind {
    word: "hyperdisk-throughput",
    title: "Hyperdisk Throughput",
    sku: "hyperdisk-throughput",
    sold: sold(ios_follow, THROUGHPUT, "+180MiB/s"),
    limit: VmLimit::Kind(DiskType::HyperdiskThroughput),
    is_hdd: true,
    faster: &[DiskType::HyperdiskBalanced],
    unseen: "the guest cannot see the provisioned throughput: assumed the default, 180 MiB/s; give it with --disk (gcloud compute disks describe)",
    ..HYPERDISK_BALANCED
};

pub(crate) const HYPERDISK_ML: DiskKind = DiskKind {
    word: "hyperdisk-ml",
    title: "Hyperdisk ML",
    sku: "hyperdisk-ml",
    sold: sold(ios_follow, THROUGHPUT, "+2400MiB/s"),
    limit: VmLimit::Kind(DiskType::HyperdiskMl),
    unseen: "the guest cannot see the provisioned throughput: assumed the default, 24 MiB/s a GiB and at least 400; give it with --disk (gcloud compute disks describe)",
    ..HYPERDISK_BALANCED
};

fn pooled(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    let micro = |parameter: &str| rules.rule(parameter)?.micro();
    Ok(Performance::Pooled(Pooled {
        base: [rules.count("baseline_iops_per_vm")?, rules.bytes("baseline_throughput_per_vm")?],
        ios_per_gib: [micro("read_iops_per_gib")?, micro("write_iops_per_gib")?],
        bytes_per_gib: micro("throughput_per_gib")?.saturating_mul(MIB),
    }))
}

/// IOPS and throughput are provisioned.
fn both(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    // 1 MiB/s for so many IOPS, at least and at most.
    let per_io = |parameter: &str| Ok(MIB / rules.count(parameter)?.max(1));
    tied(rules, Tie::Both([per_io("iops_per_mib_max")?, per_io("iops_per_mib_min")?]))
}

fn bytes_follow(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    let each = rules.bytes("throughput_per_1000_iops")? / 1_000;
    tied(rules, Tie::BytesFollow(each))
}

fn ios_follow(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    let each = MIB / rules.count("iops_per_mib")?.max(1);
    tied(rules, Tie::IosFollow(each))
}

/// Bounds that a kind has no rule of do not bind.
fn tied(rules: &RuleReader<'_>, tie: Tie) -> Result<Performance, CatalogError> {
    let has = |parameter: &str| rules.rule(parameter).is_ok();
    let count = |parameter: &str, none: u64| if has(parameter) { rules.count(parameter) } else { Ok(none) };
    let bytes = |parameter: &str, none: u64| if has(parameter) { rules.bytes(parameter) } else { Ok(none) };
    Ok(Performance::Tied(Tied {
        ios: [count("iops_min", 1)?, count("iops_max", u64::MAX)?],
        ios_per_gib: [count("iops_per_gib_min", 0)?, count("iops_per_gib_max", u64::MAX)?],
        bytes: [bytes("throughput_min", 0)?, rules.bytes("throughput_max")?],
        bytes_per_tib: [bytes("throughput_per_tib_min", 0)?, bytes("throughput_per_tib_max", u64::MAX)?],
        bounded_below_gib: match has("throughput_per_tib_max") {
            true => count("throughput_bounded_below_gib", u64::MAX)?,
            false => 0,
        },
        tie,
        default: [count("iops_default", 0)?, bytes("throughput_default", 0)?],
        default_bytes_per_gib: bytes("throughput_default_per_gib", 0)?,
        included: (count("iops_included", 0)?, bytes("throughput_included", 0)?),
    }))
}
