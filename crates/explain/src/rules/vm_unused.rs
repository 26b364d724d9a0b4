//! The VM could do many times what its disks can.
//!
//! Documentation: "Premium Storage and IOPS on Azure", 2015: P10 disks on a DS14.
//! Documentation without a load: "Premium Storage and IOPS on Azure", 2015: P10 disks on a DS14; Azure/AKS#447: a 30 GB
//! disk is a P4 of 120 IOPS.
//! Evidence: a disk limit is full, and the VM is hardly used.
//! Remedy: more or larger disks, or a smaller VM.

use iobound_units::{Grouped, format_throughput};

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;
use crate::setup::Look;
use crate::thresholds as of;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.group == "disk")?;
    let vm = case.usages.iter().find(|u| u.group.starts_with("vm.") && u.dimension == full.dimension)?;
    if vm.published < of::UNUSED * full.published {
        return None;
    }
    let claim = format!(
        "the VM allows {}, its disks {}",
        figure(vm.published, full.dimension),
        figure(full.published, full.dimension)
    );
    let finding = Finding::new("vm-unused", Confidence::Possible, 0.6, claim)
        .because(format!("{} at {:.0} %", vm.name(), vm.share() * 100.0))
        .advise("add disks, or use a smaller VM")
        .to_be_sure("add one more disk: the total must rise");
    let mut remedies: Vec<_> = change::more_disks(case, full.dimension).into_iter().collect();
    remedies.extend(change::better_disk(case, full.dimension));
    Some(Finding { remedies, ..finding })
}

/// A VM limit this many times the disks', of IOPS and of throughput, is mostly unused.
const TIMES: u64 = 4;

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let sums = look.sums()?;
    let (ios, bytes) = (sums.vm.ios?, sums.vm.bytes?);
    if ios < TIMES.saturating_mul(sums.disks[0]) || bytes < TIMES.saturating_mul(sums.disks[1]) {
        return None;
    }
    let claim = format!(
        "the VM allows {} IOPS and {}, its disks {} and {}",
        Grouped(ios),
        format_throughput(bytes as f64),
        Grouped(sums.disks[0]),
        format_throughput(sums.disks[1] as f64)
    );
    let finding = Finding::new("vm-unused", Confidence::Possible, 0.8, claim);
    Some(finding.advise("add disks or use larger ones, or use a smaller VM"))
}
