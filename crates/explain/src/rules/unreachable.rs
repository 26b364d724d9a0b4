//! The disks are paid for more than the VM lets through.
//!
//! Documentation: Azure VM and disk performance; the VM limit is over all disks.
//! Documentation without a load: Azure VM and disk performance; the VM limit is over all disks. EC2 the same, by the
//! instance's baseline.
//! Evidence: a VM limit is full, and the disks together have more.
//! Remedy: fewer or smaller disks, or a larger VM.

use iobound_units::{Grouped, format_throughput};

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;
use crate::setup::Look;
use crate::thresholds as of;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.group.starts_with("vm."))?;
    let disks = case.usage("disk", full.dimension)?;
    if disks.published < of::OVER * full.published {
        return None;
    }
    let over = disks.published - full.published;
    let less = change::no_more_than_vm(case);
    let claim = format!(
        "the disks have {}, and {} of it cannot pass {}",
        figure(disks.published, full.dimension),
        figure(over, full.dimension),
        full.name()
    );
    let finding = Finding::new("unreachable", Confidence::Possible, 0.7, claim)
        .because(format!("{} lets {} through", full.name(), figure(full.published, full.dimension)))
        .advise(if less.is_some() {
            "provision no more than the VM lets through, or use a larger VM"
        } else {
            "use fewer or smaller disks, or a larger VM"
        })
        .to_be_sure(if disks.count > 1 {
            "remove one disk: the total stays the same if this is the limit"
        } else {
            "the VM's own count of exceeded limits, and not the disk's, grows"
        });
    let larger = change::larger_vm(case, &full.group, full.dimension);
    Some(Finding { remedies: less.into_iter().chain(larger).collect(), ..finding })
}

/// A little more is what round figures leave.
const MORE: f64 = 1.1;

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let sums = look.sums()?;
    let over = |disks: u64, vm: Option<u64>| vm.filter(|vm| disks as f64 >= MORE * *vm as f64);
    let ios = over(sums.disks[0], sums.vm.ios);
    let bytes = over(sums.disks[1], sums.vm.bytes);
    let claim = match (ios, bytes) {
        (None, None) => return None,
        (Some(_), Some(_)) => {
            "the disks have more IOPS and throughput than the VM's limits allow".to_string()
        }
        (Some(_), None) => "the disks have more IOPS than the VM's limit allows".to_string(),
        (None, Some(_)) => "the disks have more throughput than the VM's limit allows".to_string(),
    };
    let mut finding = Finding::new("unreachable", Confidence::Likely, 1.2, claim);
    if let Some(vm) = ios {
        finding = finding.because(format!(
            "{} IOPS together, of which the VM allows {}",
            Grouped(sums.disks[0]),
            Grouped(vm)
        ));
    }
    if let Some(vm) = bytes {
        finding = finding.because(format!(
            "{} together, of which the VM allows {}",
            format_throughput(sums.disks[1] as f64),
            format_throughput(vm as f64)
        ));
    }
    Some(finding.advise("fewer or smaller disks, or a larger VM: iobound plan --keep-vm, --keep-disks"))
}
