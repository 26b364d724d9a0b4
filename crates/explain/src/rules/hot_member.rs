//! One disk of several gets more than its part.
//! Without a load: A stripe is of unlike disks: it goes as its slowest.
//!
//! Documentation: diskstats of each member: a skew that striping does not even out.
//! Documentation without a load: Azure "premium storage: design for high performance": stripe disks of one size; each
//! of them gets the same part of the load.
//! Evidence: one disk at its limit, the others below.
//! Remedy: an interleave that spreads the hot blocks, or data moved.
//! Remedy without a load: disks of one kind in a stripe.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::observed::Part;
use crate::remedy::{Circumstance, Remedy};
use crate::setup::{Layout, Look};
use crate::thresholds as of;

/// Observed rates of the disks of one volume (of one `--disk`), by name; of several volumes, of the one with the most
/// disks. Data and log are not members of one volume: a difference between volumes is not skew.
pub(super) fn seen_apart<'a>(case: &Case<'a>) -> Vec<(&'a str, f64)> {
    let rate = |part: &'a Part| {
        let is_disk = case.resolved.disks.iter().any(|disk| disk.name == part.name);
        let rate = part.figures.iops.or(part.figures.throughput_bytes_per_s)?;
        is_disk.then_some((part.name.as_str(), rate))
    };
    let all: Vec<(&str, f64)> = case.observed.parts.iter().filter_map(rate).collect();
    let volume =
        |name: &str| name.rsplit_once('.').map_or(name.to_string(), |(volume, _)| volume.to_string());
    let mut members: BTreeMap<String, Vec<(&'a str, f64)>> = BTreeMap::new();
    for (name, rate) in all {
        members.entry(volume(name)).or_default().push((name, rate));
    }
    members.into_values().max_by_key(Vec::len).unwrap_or_default()
}

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let parts = seen_apart(case);
    let mean = parts.iter().map(|(_, rate)| rate).sum::<f64>() / parts.len().max(1) as f64;
    let (name, most) = parts.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let working = parts.iter().filter(|(_, rate)| *rate >= of::IDLE * most).count();
    if working < 2 || most < of::HOT * mean {
        return None;
    }
    let claim = format!("{name} receives {:.1} x the mean of the {} disks", most / mean, parts.len());
    let full = case.full().any(|usage| usage.group == "disk");
    let (confidence, weight) = if full { (Confidence::Strong, 2.3) } else { (Confidence::Likely, 0.9) };
    let finding = Finding::new("hot-member", confidence, weight, claim)
        .because(format!("{most:.0} a second there, {mean:.0} on average"))
        .advise("spread the hot data: a smaller interleave, more files, or a disk of its own")
        .to_be_sure("iostat -x for each disk while another part of the data is used");
    Some(Finding { remedies: vec![Remedy::again("spread over all disks", Circumstance::Usual)], ..finding })
}

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    for volume in look.setup.volumes.iter().filter(|volume| matches!(volume.layout, Layout::Striped { .. })) {
        let disks: Vec<_> = volume.disks.iter().filter_map(|device| look.setup.disk(device)).collect();
        let kinds: Vec<String> = disks
            .iter()
            .filter_map(|disk| Some(format!("{} {}", disk.device(), disk.spec.clone()?)))
            .collect();
        let differ = disks.windows(2).any(|two| two[0].spec != two[1].spec);
        if !differ || kinds.len() < disks.len() {
            continue;
        }
        let claim = format!("{} is a stripe of unequal disks: its slowest disk limits it", volume.name);
        return Some(
            Finding::new("hot-member", Confidence::Likely, 1.8, claim)
                .because(crate::setup::listed(&kinds))
                .advise("use equal disks for it"),
        );
    }
    None
}
