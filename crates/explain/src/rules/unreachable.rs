//! The disks are paid for more than the VM lets through.
//!
//! Documentation: Azure VM and disk performance; the VM limit is over all disks.
//! Evidence: a VM limit is full, and the disks together have more.
//! Remedy: fewer or smaller disks, or a larger VM.

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.group.starts_with("vm."))?;
    let disks = case.usage("disk", full.dimension)?;
    if disks.published < of::OVER * full.published {
        return None;
    }
    let over = disks.published - full.published;
    let claim = format!(
        "the disks have {}, of which {} can't be reached through {}",
        figure(disks.published, full.dimension),
        figure(over, full.dimension),
        full.name()
    );
    let finding = Finding::new("unreachable", Confidence::Possible, 0.7, claim)
        .because(format!("{} lets {} through", full.name(), figure(full.published, full.dimension)))
        .advise("take fewer or smaller disks, or a larger VM")
        .to_be_sure("take one disk away: the total must stay");
    Some(Finding { remedies: change::larger_vm(case, &full.group, full.dimension), ..finding })
}
