//! One disk of several gets more than its part.
//!
//! Documentation: diskstats of each member: a skew that striping does not even out.
//! Evidence: one disk at its limit, the others below.
//! Remedy: an interleave that spreads the hot blocks, or data moved.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::observed::Part;
use crate::remedy::{Circumstance, Remedy};
use crate::thresholds as of;

/// The rates of the disks that were seen apart, by name: disks of one kind, so that they compare.
pub(super) fn seen_apart<'a>(case: &Case<'a>) -> Vec<(&'a str, f64)> {
    let rate = |part: &'a Part| {
        let figures = &part.figures;
        Some((part.name.as_str(), figures.iops.or(figures.throughput_bytes_per_s)?))
    };
    let kinds: Vec<&str> = case
        .observed
        .parts
        .iter()
        .filter_map(|part| case.resolved.disks.iter().find(|disk| disk.name == part.name))
        .map(|disk| disk.described.as_str())
        .collect();
    let alike = kinds.len() == case.observed.parts.len() && kinds.windows(2).all(|pair| pair[0] == pair[1]);
    // A rate in IOPS beside one in bytes says nothing.
    let same = case.observed.parts.iter().all(|part| part.figures.iops.is_some())
        || case.observed.parts.iter().all(|part| part.figures.iops.is_none());
    match alike && same {
        true => case.observed.parts.iter().filter_map(rate).collect(),
        false => Vec::new(),
    }
}

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let parts = seen_apart(case);
    let mean = parts.iter().map(|(_, rate)| rate).sum::<f64>() / parts.len().max(1) as f64;
    let (name, most) = parts.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let working = parts.iter().filter(|(_, rate)| *rate >= of::IDLE * most).count();
    if working < 2 || most < of::HOT * mean {
        return None;
    }
    let claim = format!("{name} gets {:.1} x the mean of the {} disks", most / mean, parts.len());
    let full = case.full().any(|usage| usage.group == "disk");
    let (confidence, weight) = if full { (Confidence::Strong, 2.3) } else { (Confidence::Likely, 0.9) };
    let finding = Finding::new("hot-member", confidence, weight, claim)
        .because(format!("{most:.0} a second there, {mean:.0} on average"))
        .advise("spread the hot data: a smaller interleave, more files, or a disk of its own")
        .to_be_sure("iostat -x for each disk while another part of the data is used");
    Some(Finding { remedies: vec![Remedy::again("spread over all disks", Circumstance::Usual)], ..finding })
}
