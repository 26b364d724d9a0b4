//! The volume is linear: one disk bears the load.
//! Without a load: A volume over several disks is linear: one disk bears the load.
//!
//! Documentation: LVM makes linear volumes when nothing is said (AKS#2069).
//! Documentation without a load: LVM makes linear volumes when nothing is said (Azure/AKS#2069).
//! Evidence: one disk at its limit, the others idle; or of several disks that are alike exactly what one lets through, and I/Os that
//! wait. It is *possible* beside another full limit, and if the busy disk is below its own.
//! Remedy: a stripe over all disks.

use iobound_model::{Dimension, VolumeSpec};
use iobound_units::Grouped;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::setup::{Layout, Look};
use crate::thresholds as of;

/// True if all disks that bear the load have the same limit: only then is a share of their sum that of one of them.
fn are_alike(case: &Case<'_>, dimension: Dimension) -> bool {
    let limits =
        case.resolved.disks.iter().filter(|disk| case.with_os || !disk.is_os).map(|disk| match dimension {
            Dimension::Ios => disk.ios,
            Dimension::Bytes => disk.bytes,
        });
    let limits: Vec<Option<u64>> = limits.collect();
    limits.windows(2).all(|two| two[0] == two[1])
}

/// The disks' IOPS or throughput is that of one of them.
fn as_one(case: &Case<'_>) -> Option<String> {
    let disks = case.usages.iter().filter(|usage| usage.group == "disk" && usage.count > 1);
    let mut as_one = disks.filter(|usage| are_alike(case, usage.dimension)).filter(|usage| {
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

/// The volume that has all data disks; `None`: there are several.
fn only_volume<'a>(case: &Case<'a>) -> Option<&'a VolumeSpec> {
    let holds_data = |volume: &&VolumeSpec| {
        volume.disks.iter().any(|disk| !case.resolved.disks[usize::from(disk.0)].is_os)
    };
    let mut volumes = case.resolved.blueprint.volumes.iter().filter(holds_data);
    volumes.next().filter(|_| volumes.next().is_none())
}

/// Disks that were not seen apart, and have together what one lets through.
fn together(case: &Case<'_>) -> Option<Finding> {
    let volume = only_volume(case);
    let is_linear = volume.is_some_and(|volume| volume.columns == 1 && volume.disks.len() > 1);
    let slow = case.is_slow();
    let Some(evidence) = as_one(case).filter(|_| case.has_room() && slow != Some(false)) else {
        let claim =
            "the volume is linear: a load on a part of it reaches one disk, and has that disk's limit alone";
        return volume.filter(|_| is_linear).map(|volume| {
            Finding::new("linear-volume", Confidence::Possible, 0.4, claim)
                .because(format!("1 column on {} disks", volume.disks.len()))
        });
    };
    // A queue that waits: more than the media takes. Without one, a rate that happens to be one disk's says little, unless the volume is
    // known to be linear.
    let (confidence, weight) = match slow {
        _ if case.has_unknown_limits() => (Confidence::Possible, 1.4),
        _ if is_linear => (Confidence::Strong, 2.2),
        Some(_) if volume.is_some() => (Confidence::Strong, 1.4),
        // Of several volumes nobody expects the same rate.
        Some(_) => (Confidence::Likely, 1.4),
        // A client that is full gets the rate of any number of local disks.
        None if case.is_local() => return None,
        None => (Confidence::Possible, 1.4),
    };
    let claim = "all disks together reach the limit of one disk: the load is not striped over them";
    Some(Finding::new("linear-volume", confidence, weight, claim).because(evidence))
}

/// Disks that were seen apart, of which one has all the load. It comes first only if that disk is at its own limit. If it is
/// below, or if a limit of the VM is full, more disks gain nothing.
fn apart(case: &Case<'_>) -> Option<Finding> {
    let parts = super::hot_member::seen_apart(case);
    let (name, most) = parts.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let idle = parts.iter().filter(|(_, rate)| *rate < of::IDLE * most).count();
    if parts.len() < 2 || idle + 1 < parts.len() {
        return None;
    }
    let disks = case.usages.iter().filter(|usage| usage.group == "disk");
    let fullest = disks.map(|usage| case.level(usage)).max().unwrap_or(Level::Below);
    let is_held_elsewhere = case.full().any(|usage| usage.group != "disk");
    let (confidence, weight) = match fullest {
        _ if is_held_elsewhere => (Confidence::Possible, 0.4),
        Level::Full | Level::Above => (Confidence::Strong, 2.3),
        Level::Nearly => (Confidence::Likely, 1.4),
        Level::Below => (Confidence::Possible, 0.45),
    };
    let claim = format!(
        "{name} has all the load, and {idle} other disks are idle: the load is not striped over them"
    );
    let share = of::IDLE * 100.0;
    Some(
        Finding::new("linear-volume", confidence, weight, claim)
            .because(format!("{name} at {} a second, the others below {share:.0} %", Grouped(most as u64))),
    )
}

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    const ADVICE: &str =
        "make a stripe over all disks: lvcreate -i, mdadm --level=0, a simple space with as many columns";
    let finding = if case.observed.parts.is_empty() { together(case) } else { apart(case) };
    let finding =
        finding?.advise(ADVICE).to_be_sure("lvs -o +stripes, mdadm --detail; iostat -x for each disk");
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
