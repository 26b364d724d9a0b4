//! The VM could do many times what its disks can.
//!
//! Documentation: "Premium Storage and IOPS on Azure", 2015: P10 disks on a DS14; Azure/AKS#447: a 30 GB disk is a P4 of
//! 120 IOPS.
//! Remedy: more or larger disks, or a smaller VM.

use iobound_units::{Grouped, format_throughput};

use super::Look;
use crate::finding::{Confidence, Finding};

/// A VM limit this many times the disks', of IOPS and of throughput, is mostly unused.
const TIMES: u64 = 4;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let sums = look.sums()?;
    let (ios, bytes) = (sums.vm.ios?, sums.vm.bytes?);
    if ios < TIMES.saturating_mul(sums.disks[0]) || bytes < TIMES.saturating_mul(sums.disks[1]) {
        return None;
    }
    let claim = format!(
        "the VM lets {} IOPS and {} through, its disks have {} and {}",
        Grouped(ios),
        format_throughput(bytes as f64),
        Grouped(sums.disks[0]),
        format_throughput(sums.disks[1] as f64)
    );
    let finding = Finding::new("vm-unused", Confidence::Possible, 0.8, claim);
    Some(finding.advise("add disks or take larger ones, or take a smaller VM"))
}
