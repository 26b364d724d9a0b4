//! What is on a disk does not begin where the disk's own blocks do: I/Os are split in two.
//!
//! Documentation: SQL Server on Azure VMs, 64 KiB allocation units and interleave; partitions of old tools begin at sector
//! 63, 31.5 KiB.
//! Remedy: partitions and file systems that begin at 1 MiB.

use iobound_units::Bytes;

use super::Look;
use crate::finding::{Confidence, Finding};
use crate::setup::Layout;

/// The smallest block that every disk and file system here has in common.
const BLOCK: u64 = 4_096;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let advice = "make it anew to begin at 1 MiB: parted -a optimal, mkfs on the whole device";
    for disk in &look.setup.disks {
        let block = BLOCK.max(disk.facts.physical_sector.map_or(0, u64::from));
        let odd = disk.partitions.iter().find(|partition| partition.start_bytes % block != 0);
        if let Some(partition) = odd {
            let claim = format!(
                "{} begins at {}, which is no multiple of {}: every block of it lies across two",
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
