//! The file system is not aligned to the stripe: I/Os are split over two disks.
//!
//! Documentation: SQL Server on Azure VMs: 64 KiB allocation units and interleave; partitions at 31.5 KiB.
//! Evidence: the offset is no multiple of the block, and the limit that is full is one that the second halves pass.
//! Remedy: align the partition.

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};

/// From this share of I/Os that are split, their limit shows it.
const SPLIT: f64 = 0.25;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
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
    // Pieces are what the limits count in I/Os; bytes stay as they are, and so does what has room.
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
        .advise("make the partition begin at 1 MiB")
        .to_be_sure("the same on the raw volume");
    Some(Finding { remedies: vec![Remedy::of(Change::Aligned)], ..finding })
}
