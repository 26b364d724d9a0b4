//! The file system is not aligned to the stripe: I/Os are split over two disks.
//!
//! Documentation: SQL Server on Azure VMs: 64 KiB allocation units and interleave; partitions at 31.5 KiB.
//! Evidence: the offset is no multiple of the block.
//! Remedy: align the partition.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};

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
    let confidence = if split >= 0.25 { Confidence::Strong } else { Confidence::Likely };
    let finding = Finding::new("stripe-misaligned", confidence, 1.5, claim)
        .because(format!("interleave {}, block {:.0} KiB", volume.interleave, block / 1024.0))
        .advise("make the partition begin at 1 MiB");
    Some(Finding { remedies: vec![Remedy::of(Change::Aligned)], ..finding })
}
