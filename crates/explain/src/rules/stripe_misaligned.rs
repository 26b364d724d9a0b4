//! The file system is not aligned to the stripe: I/Os are split over two disks.
//! Without a load: what is on a disk does not begin where the disk's own blocks do: I/Os are split in two.
//!
//! Documentation: SQL Server on Azure VMs: 64 KiB allocation units and interleave; partitions at 31.5 KiB.
//! Documentation without a load: SQL Server on Azure VMs, 64 KiB allocation units and interleave; partitions of old
//! tools begin at sector 63, 31.5 KiB. Evidence: the offset is not a multiple of the block, and the second halves of
//! I/Os pass the full limit. Remedy: align the partition. Remedy without a load: partitions and file systems that begin
//! at 1 MiB.

use iobound_units::Bytes;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};
use crate::setup::{Layout, Look};

/// From this share of I/Os that are split, their limit shows it.
const SPLIT: f64 = 0.25;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let volume = case.resolved.blueprint.volumes.iter().find(|volume| volume.columns > 1)?;
    let offset = volume.partition_offset.get();
    let block = case.observed.total.block.map_or(4096.0, |block| block.min(volume.interleave.get() as f64));
    if offset == 0 || (offset as f64 % block) == 0.0 {
        return None;
    }
    let split = (block / volume.interleave.get() as f64).min(1.0);
    let claim = format!(
        "the file system begins at {}: {:.0} % of the I/Os go to two disks",
        volume.partition_offset,
        split * 100.0
    );
    // Limits count fragments as I/Os. Bytes do not change, nor do limits with room.
    let counts = case.usages.iter().any(|usage| {
        usage.dimension == iobound_model::Dimension::Ios
            && matches!(case.level(usage), Level::Full | Level::Nearly)
    });
    let latency = case.has_room();
    let confidence = match split >= SPLIT {
        true if counts => Confidence::Strong,
        true if latency => Confidence::Likely,
        _ => Confidence::Possible,
    };
    let finding = Finding::new("stripe-misaligned", confidence, 1.5, claim)
        .because(format!("interleave {}, block {:.0} KiB", volume.interleave, block / 1024.0))
        .advise("let the partition start at 1 MiB")
        .to_be_sure("the same on the raw volume");
    Some(Finding { remedies: vec![Remedy::of(Change::Aligned)], ..finding })
}

/// The smallest block that every disk and file system here has in common.
const BLOCK: u64 = 4_096;

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let advice = "recreate it with a start at 1 MiB: parted -a optimal, mkfs on the whole device";
    for disk in &look.setup.disks {
        let block = BLOCK.max(disk.facts.physical_sector.map_or(0, u64::from));
        let odd = disk.partitions.iter().find(|partition| partition.start_bytes % block != 0);
        if let Some(partition) = odd {
            let claim = format!(
                "{} starts at {}, which is not a multiple of {}: each of its blocks spans two",
                partition.device,
                Bytes(partition.start_bytes),
                Bytes(block)
            );
            return Some(
                Finding::new("stripe-misaligned", Confidence::Strong, 2.2, claim)
                    .because("/sys/block/*/*/start")
                    .advise(advice),
            );
        }
    }
    for volume in &look.setup.volumes {
        let Layout::Striped { interleave, .. } = volume.layout else { continue };
        let odd = volume.mounts.iter().find(|mount| mount.start_bytes % interleave.max(1) != 0);
        if let Some(mount) = odd {
            let claim = format!(
                "the file system at {} begins at {} of {}, in the middle of an interleave of {}",
                mount.point,
                Bytes(mount.start_bytes),
                volume.name,
                Bytes(interleave)
            );
            return Some(
                Finding::new("stripe-misaligned", Confidence::Likely, 1.5, claim)
                    .because("I/Os as large as the interleave go to two disks")
                    .advise(advice),
            );
        }
    }
    None
}
