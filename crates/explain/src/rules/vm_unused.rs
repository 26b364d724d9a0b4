//! The VM could do many times what its disks can.
//!
//! Documentation: "Premium Storage and IOPS on Azure", 2015: P10 disks on a DS14.
//! Evidence: a disk limit is full, and the VM is hardly used.
//! Remedy: more or larger disks, or a smaller VM.

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.group == "disk")?;
    let vm = case.usages.iter().find(|u| u.group.starts_with("vm.") && u.dimension == full.dimension)?;
    if vm.published < of::UNUSED * full.published {
        return None;
    }
    let claim = format!(
        "the VM lets {} through, its disks {}",
        figure(vm.published, full.dimension),
        figure(full.published, full.dimension)
    );
    let finding = Finding::new("vm-unused", Confidence::Possible, 0.6, claim)
        .because(format!("{} at {:.0} %", vm.name(), vm.share() * 100.0))
        .advise("add disks, or take a smaller VM")
        .to_be_sure("add one more disk: the total must rise");
    let mut remedies: Vec<_> = change::more_disks(case, full.dimension).into_iter().collect();
    remedies.extend(change::better_disk(case, full.dimension));
    Some(Finding { remedies, ..finding })
}
