//! The volume types of EBS.

use iobound_model::Credit;

use crate::clouds::disk_kind::{DiskKind, HostCache, Meters, Operations, Sold, VmLimit};
use crate::clouds::names::{Cloud, DiskType};
use crate::error::CatalogError;
use crate::performance::{ByIos, BySize, Chosen, Performance, RuleReader, Step, Streaming};

/// Metered by the GiB alone.
const STORAGE: Meters = Meters { gib: "storage", ios: None, throughput: None, priced_ios: u64::MAX };

pub(crate) const GP3: DiskKind = DiskKind {
    word: "gp3",
    title: "EBS gp3",
    sku: "gp3",
    cloud: Cloud::Aws,
    sold: Sold::Apart {
        performance: gp3,
        source: "iops_baseline",
        meters: Meters {
            ios: Some("provisioned IOPS"),
            throughput: Some("provisioned throughput"),
            ..STORAGE
        },
        example: "+5000iops+200MiB/s",
        writes_mb_for_mib: true,
    },
    // EBS counts MiB/s.
    megabyte: 1 << 20,
    limit: VmLimit::Uncached,
    half_duplex: true,
    is_hdd: false,
    needs_premium: false,
    host_cache: HostCache::Unsupported,
    was_unmanaged: false,
    operations: Operations::Free,
    successor: None,
    better_ladder: None,
    faster: &[DiskType::Io2],
    unseen: "an instance cannot see its volumes' types: assumed gp3 with its default, 3,000 IOPS and 125 MiB/s; give the type with --disk",
};

pub(crate) const GP2: DiskKind = DiskKind {
    word: "gp2",
    title: "EBS gp2",
    sku: "gp2",
    sold: by_size(gp2, "iops_per_gib"),
    successor: Some(DiskType::Gp3),
    ..GP3
};

pub(crate) const ST1: DiskKind = DiskKind {
    word: "st1",
    title: "EBS st1",
    sku: "st1",
    sold: by_size(streaming, "throughput_baseline_per_tib"),
    is_hdd: true,
    successor: None,
    faster: &[DiskType::Gp3, DiskType::Io2],
    ..GP2
};

pub(crate) const SC1: DiskKind = DiskKind { word: "sc1", title: "EBS sc1", sku: "sc1", ..ST1 };

pub(crate) const IO1: DiskKind = DiskKind {
    word: "io1",
    title: "EBS io1",
    sku: "io1",
    sold: by_ios(io1, u64::MAX),
    successor: Some(DiskType::Io2),
    ..GP3
};

pub(crate) const IO2: DiskKind = DiskKind {
    word: "io2",
    title: "EBS io2 Block Express",
    sku: "io2",
    // IOPS above these are cheaper, and only the price of the first ones is known.
    sold: by_ios(io2, 32_000),
    successor: None,
    faster: &[],
    ..IO1
};

type Read = fn(&RuleReader<'_>) -> Result<Performance, CatalogError>;

const fn by_size(performance: Read, source: &'static str) -> Sold {
    Sold::Apart { performance, source, meters: STORAGE, example: "", writes_mb_for_mib: false }
}

const fn by_ios(performance: Read, priced_ios: u64) -> Sold {
    let meters = Meters { ios: Some("provisioned IOPS"), priced_ios, ..STORAGE };
    Sold::Apart { performance, source: "iops_max", meters, example: "+5000iops", writes_mb_for_mib: false }
}

fn gp3(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    Ok(Performance::Chosen(Chosen {
        ios: [rules.count("iops_baseline")?, rules.count("iops_max")?],
        ios_per_gib: rules.count("iops_per_gib_max")?,
        least_up_to_gib: 0,
        bytes: [rules.bytes("throughput_baseline")?, rules.bytes("throughput_max")?],
        bytes_per_io: rules.bytes("throughput_per_iops_max")?,
        included: true,
    }))
}

fn io1(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    let most = rules.bytes("throughput_max")?;
    let (each, each_above) = ("io_size_at_or_below_32000_iops", "throughput_per_iops_above_32000");
    provisioned_iops(
        rules,
        vec![
            // Up to 32,000 IOPS each I/O may count 256 KiB, to half the type's most (500 MiB/s).
            Step { above: 0, bytes_per_io: rules.kib(each)?, most: most / 2 },
            Step { above: 32_000, bytes_per_io: rules.kib(each_above)?, most },
        ],
    )
}

fn io2(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    let bytes_per_io = rules.bytes("throughput_per_iops_max")?;
    provisioned_iops(rules, vec![Step { above: 0, bytes_per_io, most: rules.bytes("throughput_max")? }])
}

fn provisioned_iops(rules: &RuleReader<'_>, steps: Vec<Step>) -> Result<Performance, CatalogError> {
    Ok(Performance::ByIos(ByIos {
        ios: [rules.count("iops_min")?, rules.count("iops_max")?],
        ios_per_gib: rules.count("iops_per_gib_max")?,
        steps,
    }))
}

/// 3 IOPS a GiB, and below 1,000 GiB a burst from a bucket of I/O credits that the base refills.
///
/// Above 170 GiB 250 MiB/s flow while I/O credits last. Without them the base moves as much as its IOPS do in units of 256 KiB,
/// 128 MiB/s at 171 GiB and 250 at 334: the I/O limiter says so, no limit of its own is needed.
fn gp2(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    Ok(Performance::BySize(BySize {
        ios: [rules.count("iops_min")?, rules.count("iops_max")?],
        ios_per_gib: rules.count("iops_per_gib")?,
        burst: Credit { burst: rules.count("burst_iops")?, capacity: rules.count("credit_bucket")? },
        small_up_to_gib: 170,
        bytes: [rules.bytes("throughput_small")?, rules.bytes("throughput_burst")?],
    }))
}

/// st1 and sc1: throughput by the TiB, bursting from a bucket of bytes as large as the disk.
fn streaming(rules: &RuleReader<'_>) -> Result<Performance, CatalogError> {
    Ok(Performance::Streaming(Streaming {
        ios: rules.count("iops_max")?,
        per_tib: [rules.bytes("throughput_baseline_per_tib")?, rules.bytes("throughput_burst_per_tib")?],
        most: rules.bytes("throughput_max")?,
        credits: rules.count("credit_bucket_per_tib")?,
    }))
}
