//! A VM that bursts has spent its credits.
//! Without a load: an instance that is sold by what it holds for a while.
//!
//! Documentation: Azure VM-level bursting; EC2 instances that hold their maximum 30 minutes in 24 hours
//! (akopytov/sysbench#475).
//! Documentation without a load: AWS, EBS-optimized instances: the smaller sizes hold their maximum for 30 minutes in
//! 24 hours; akopytov/sysbench#475, apache/pulsar#7058.
//! Evidence: the baseline, after the time that full credits last.
//! Remedy: a size whose baseline is enough (apache/pulsar#7058).
//! Remedy without a load: a size whose baseline is enough.

use iobound_units::{Grouped, format_throughput};

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::rules::burst_spent;
use crate::setup::Look;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let on = |group: &str| group.starts_with("vm.");
    let Some((usage, finding)) = burst_spent::judge(case, "burst-spent-vm", on) else {
        return burst_spent::unrated(case, "burst-spent-vm", on);
    };
    let mut remedies = change::larger_vm(case, &usage.group, usage.dimension);
    remedies.extend(change::lasting_vm(case, usage));
    Some(Finding { remedies, ..finding })
}

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let vm = &look.resolved?.vm;
    // Elsewhere sizes are sold by what they hold, and the burst comes on top.
    let lasts = vm.cloud.rules().sold_by_burst?;
    let (base, burst) = (vm.uncached, vm.uncached_burst);
    let (ios, most) = (base.ios?, burst.ios?);
    let (bytes, most_bytes) = (base.bytes?, burst.bytes?);
    if most <= ios && most_bytes <= bytes {
        return None;
    }
    let claim = format!(
        "{} delivers {} and {} IOPS sustained, and {} and {} for some time after idle periods",
        vm.name,
        format_throughput(bytes as f64),
        Grouped(ios),
        format_throughput(most_bytes as f64),
        Grouped(most)
    );
    Some(
        Finding::new("burst-spent-vm", Confidence::Possible, 0.9, claim)
            .because(lasts)
            .advise("plan with the sustained rate; iobound predict shows both"),
    )
}
