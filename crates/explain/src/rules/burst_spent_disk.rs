//! A disk that bursts has spent its credits.
//! Without a load: disks whose figures last for a while.
//!
//! Documentation: Azure disk bursting; EBS gp2, st1 and sc1 buckets.
//! Documentation without a load: Azure disk bursting (Premium SSD up to 512 GiB, 30 minutes); EBS gp2 below 1,000 GiB;
//! jake-webber.com/2019-01-22-rds-burst-balance.html.
//! Evidence: the base figure, after the time that full credits last.
//! Remedy: a disk whose base is enough: gp3 in place of gp2, a larger one (jake-webber.com, 2019).
//! Remedy without a load: disks whose base is enough.

use iobound_model::Dimension;
use iobound_units::Grouped;

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::burst_spent;
use crate::setup::Look;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let on = |group: &str| group == "disk";
    let Some((usage, finding)) = burst_spent::judge(case, "burst-spent-disk", on) else {
        return burst_spent::unrated(case, "burst-spent-disk", on);
    };
    Some(Finding { remedies: change::better_disk(case, usage.dimension), ..finding })
}

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let resolved = look.resolved?;
    let has_data = resolved.disks.iter().any(|disk| !disk.is_os);
    let credit = |disk: &&iobound_catalog::ResolvedDisk| {
        let limiters = resolved.blueprint.limiters.iter().filter(|limiter| limiter.name.group == "disk");
        let own = |limiter: &&iobound_model::LimiterSpec| {
            limiter.name.instance.as_deref() == Some(disk.name.as_str())
        };
        limiters.filter(own).find_map(|limiter| limiter.credit(Dimension::Ios))
    };
    let bursting: Vec<_> =
        resolved.disks.iter().filter(|disk| disk.is_os != has_data && credit(disk).is_some()).collect();
    let first = *bursting.first()?;
    let names: Vec<String> = bursting.iter().map(|disk| disk.name.clone()).collect();
    let claim = format!(
        "{} ({}) {} {} IOPS sustained, and {} while credits last",
        crate::setup::listed(&names),
        first.described,
        if names.len() == 1 { "has" } else { "have" },
        Grouped(first.ios?),
        Grouped(credit(&first)?.burst)
    );
    let weight = if resolved.vm.cloud.rules().sold_by_burst.is_some() { 1.0 } else { 0.4 };
    Some(
        Finding::new("burst-spent-disk", Confidence::Possible, weight, claim)
            .advise("plan with the base rate, or use a disk whose base rate is enough"),
    )
}
