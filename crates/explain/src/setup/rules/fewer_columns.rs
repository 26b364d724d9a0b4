//! A stripe has fewer columns than disks.
//!
//! Documentation: Storage Spaces stops at 8 columns, `lvcreate -i` takes what it is told; the rest of the disks is another
//! row of the volume.
//! Remedy: as many columns as disks.

use super::Look;
use crate::finding::{Confidence, Finding};
use crate::setup::Layout;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let found = look.setup.volumes.iter().find_map(|volume| match volume.layout {
        Layout::Striped { columns, .. } if (columns as usize) < volume.disks.len() => Some((volume, columns)),
        _ => None,
    });
    let (volume, columns) = found?;
    let claim = format!(
        "{} is a stripe of {columns} columns on {} disks: {columns} of them work at a time",
        volume.name,
        volume.disks.len()
    );
    Some(
        Finding::new("fewer-columns", Confidence::Strong, 2.1, claim)
            .because(format!("{} says so", volume.told_by))
            .advise(format!("make it anew with {} columns", volume.disks.len())),
    )
}
