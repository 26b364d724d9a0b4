//! A disk that bursts has spent its credits.
//!
//! Documentation: Azure disk bursting; EBS gp2, st1 and sc1 buckets.
//! Evidence: the base figure, after the time that full credits last.
//! Remedy: a disk whose base is enough.

use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::change;
use crate::finding::Finding;
use crate::rules::burst_spent;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let finding = burst_spent::judge(case, "burst-spent-disk", |group| group == "disk")?;
    let dimensions = [Dimension::Ios, Dimension::Bytes];
    let full = dimensions.into_iter().find(|d| case.level_of("disk", *d) == Level::Full)?;
    Some(Finding { remedies: change::better_disk(case, full).into_iter().collect(), ..finding })
}
