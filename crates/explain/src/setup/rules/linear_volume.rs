//! A volume over several disks is linear: one disk bears the load.
//!
//! Documentation: LVM makes linear volumes when nothing is said (Azure/AKS#2069).
//! Remedy: a stripe over all disks.

use super::Look;
use crate::finding::{Confidence, Finding};
use crate::setup::Layout;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let linear =
        |volume: &&crate::setup::SetupVolume| volume.layout == Layout::Linear && volume.disks.len() > 1;
    let volume = look.setup.volumes.iter().find(linear)?;
    let claim = format!(
        "{} ({}) puts its {} disks one after the other: one of them bears the load at a time",
        volume.name,
        volume.kind,
        volume.disks.len()
    );
    Some(
        Finding::new("linear-volume", Confidence::Strong, 2.3, claim)
            .because(format!("{} says so", volume.told_by))
            .advise(format!(
                "make it anew as a stripe: lvcreate -i {} -I 64k, or mdadm --level=0",
                volume.disks.len()
            )),
    )
}
