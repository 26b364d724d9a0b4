//! The volume is linear: one disk bears the load.
//! Without a load: A volume over several disks is linear: one disk bears the load.
//!
//! Documentation: LVM makes linear volumes when nothing is said (AKS#2069).
//! Documentation without a load: LVM makes linear volumes when nothing is said (Azure/AKS#2069).
//! Evidence: one disk at its limit, the others idle; or of several disks exactly what one lets through, however deep
//! the queue.
//! Remedy: a stripe over all disks.

use iobound_units::Grouped;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::setup::{Layout, Look};
use crate::thresholds as of;

/// The disks' IOPS or throughput is that of one of them.
fn as_one(case: &Case<'_>) -> Option<String> {
    let disks = case.usages.iter().filter(|usage| usage.group == "disk" && usage.count > 1);
    let mut as_one = disks.filter(|usage| {
        let one = usage.enforced / usage.count as f64;
        (of::FULL..=of::SHORT_RUN).contains(&(usage.used / one))
    });
    as_one.next().map(|usage| {
        format!(
            "{:.2} x the limit of one of {} disks",
            usage.of_published() * usage.count as f64,
            usage.count
        )
    })
}

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    const ADVICE: &str =
        "make a stripe over all disks: lvcreate -i, mdadm --level=0, a simple space with as many columns";
    let finding = if case.observed.parts.is_empty() {
        // A queue that waits: more than the media takes. Without one, a rate that happens to be one disk's says little.
        let evidence = as_one(case).filter(|_| case.has_room())?;
        let slow = case.media_ms()?[2];
        let waits = case.observed.total.latency_us.typical().map(|us| us / 1e3 > of::SLOW_MEDIA * slow);
        let confidence = match waits {
            Some(true) => Confidence::Strong,
            // A client that is full gets the rate of any number of local disks.
            None if case.is_local() => return None,
            None => Confidence::Possible,
            Some(false) => return None,
        };
        let claim = "all disks together reach the limit of one disk: the volume is not striped";
        Finding::new("linear-volume", confidence, 1.4, claim).because(evidence)
    } else {
        let parts = super::hot_member::seen_apart(case);
        let (name, most) = parts.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
        let idle = parts.iter().filter(|(_, rate)| *rate < of::IDLE * most).count();
        if parts.len() < 2 || idle + 1 < parts.len() {
            return None;
        }
        let claim =
            format!("{name} has all the load, and {idle} other disks are idle: the volume is not striped");
        let share = of::IDLE * 100.0;
        Finding::new("linear-volume", Confidence::Strong, 2.3, claim)
            .because(format!("{name} at {} a second, the others below {share:.0} %", Grouped(most as u64)))
    };
    let finding =
        finding.advise(ADVICE).to_be_sure("lvs -o +stripes, mdadm --detail; iostat -x for each disk");
    Some(Finding { remedies: vec![Remedy::again("striped over all disks", Circumstance::Usual)], ..finding })
}

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let linear =
        |volume: &&crate::setup::SetupVolume| volume.layout == Layout::Linear && volume.disks.len() > 1;
    let volume = look.setup.volumes.iter().find(linear)?;
    let claim = format!(
        "{} ({}) concatenates its {} disks: only one of them has the load at a time",
        volume.name,
        volume.kind,
        volume.disks.len()
    );
    Some(
        Finding::new("linear-volume", Confidence::Strong, 2.3, claim)
            .because(format!("{} says so", volume.told_by))
            .advise(format!(
                "recreate it as a stripe: lvcreate -i {} -I 64k, or mdadm --level=0",
                volume.disks.len()
            )),
    )
}
