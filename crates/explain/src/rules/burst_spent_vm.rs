//! A VM that bursts has spent its credits.
//!
//! Documentation: Azure VM-level bursting; EC2 instances that hold their maximum 30 minutes in 24 hours (akopytov/sysbench#475).
//! Evidence: the baseline, after the time that full credits last.
//! Remedy: a size whose baseline is enough.

use crate::case::Case;
use crate::change;
use crate::finding::Finding;
use crate::rules::burst_spent;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let finding = burst_spent::judge(case, "burst-spent-vm", |group| group.starts_with("vm."))?;
    let full = case.full().find(|usage| usage.group.starts_with("vm.") && usage.burst.is_some())?;
    let remedies = change::larger_vm(case, &full.group, full.dimension).into_iter().collect();
    Some(Finding { remedies, ..finding })
}
