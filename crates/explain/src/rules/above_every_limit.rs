//! More was seen than the catalogue's limits let through, credits included.
//!
//! Documentation: MicrosoftDocs/azure-docs#94521: temporary disks faster than documented; cockroachdb/cockroach#82109: a
//! RAID 0 that holds another disk as well.
//! Evidence: what certainly passes a limit is more than its enforcement, its scatter and its credits allow.
//! Remedy: compare the configuration, the unit and the page cache with what was measured, before anything is changed.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::rules::limit::figure;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let excess = |usage: &crate::usage::Usage| case.excess(usage).unwrap_or(0.0);
    let usage = case.usages.iter().max_by(|one, other| excess(one).total_cmp(&excess(other)))?;
    let times = case.excess(usage)?;
    // Where another limit is full to the figure, that one holds it; but no limit in front of the disks holds what they cannot give.
    let is_held = case.full().any(|full| full.group == "disk" || !case.is_beyond_disks());
    let (confidence, weight) = match () {
        () if is_held => (Confidence::Possible, 0.55),
        () if times > of::MORE_THAN_SHORT && case.is_stated() => (Confidence::Likely, 2.4),
        () => (Confidence::Possible, 1.5),
    };
    let claim = format!(
        "{} is {:.2} x {} ({}): more than the configuration allows",
        figure(usage.used_low, usage.dimension),
        usage.used_low / usage.published,
        usage.name(),
        figure(usage.published, usage.dimension)
    );
    let mut finding = Finding::new("above-every-limit", confidence, weight, claim)
        .because(format!("at most {} passes the limits", figure(usage.enforced_high, usage.dimension)));
    if let Some((rate, _)) = usage.burst {
        finding = finding.because(format!("credits allow {}", figure(rate, usage.dimension)));
    }
    let finding = finding
        .advise(
            "check the VM size, the disks and their number, the unit (MB/s, MiB/s or Mbit/s), and that the page cache \
             is bypassed; if all are right, the catalogue is outdated: override its figure with \
             --catalog",
        )
        .to_be_sure("the same with direct I/O for some minutes: this excludes memory and bursts");
    Some(Finding { remedies: vec![Remedy::again("with direct I/O", Circumstance::Lasting)], ..finding })
}
