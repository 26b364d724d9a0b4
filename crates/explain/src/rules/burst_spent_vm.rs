//! A VM that bursts has spent its credits.
//!
//! Documentation: Azure VM-level bursting; EC2 instances that hold their maximum 30 minutes in 24 hours (akopytov/sysbench#475).
//! Evidence: the baseline, after the time that full credits last.
//! Remedy: a size whose baseline is enough (apache/pulsar#7058).

use crate::case::Case;
use crate::change;
use crate::finding::Finding;
use crate::rules::burst_spent;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let (usage, finding) = burst_spent::judge(case, "burst-spent-vm", |group| group.starts_with("vm."))?;
    let mut remedies = change::larger_vm(case, &usage.group, usage.dimension);
    if let Some((burst, _)) = usage.burst {
        remedies.extend(change::lasting_vm(case, &usage.group, usage.dimension, burst));
    }
    Some(Finding { remedies, ..finding })
}
