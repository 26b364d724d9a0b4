//! A disk that bursts has spent its credits.
//!
//! Documentation: Azure disk bursting; EBS gp2, st1 and sc1 buckets.
//! Evidence: the base figure, after the time that full credits last.
//! Remedy: a disk whose base is enough: gp3 in place of gp2, a larger one (jake-webber.com, 2019).

use crate::case::Case;
use crate::change;
use crate::finding::Finding;
use crate::rules::burst_spent;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let (usage, finding) = burst_spent::judge(case, "burst-spent-disk", |group| group == "disk")?;
    Some(Finding { remedies: change::better_disk(case, usage.dimension), ..finding })
}
