//! What every limit's rule has in common.

use iobound_model::Dimension;
use iobound_units::{Grouped, format_throughput};

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};

/// A figure with the unit of its dimension.
pub(super) fn figure(value: f64, dimension: Dimension) -> String {
    match dimension {
        Dimension::Ios => format!("{} IOPS", Grouped(value.round() as u64)),
        Dimension::Bytes => format_throughput(value),
    }
}

/// A limit that is full, or may be.
pub(super) fn judge(
    case: &Case<'_>,
    rule: &'static str,
    group: &str,
    dimension: Dimension,
) -> Option<Finding> {
    let usage = case.usage(group, dimension)?;
    let level = case.level(usage);
    let confidence = match level {
        Level::Full if usage.is_certain() => Confidence::Strong,
        Level::Full => Confidence::Likely,
        // Beside a full limit, one that is nearly full explains nothing.
        Level::Nearly if case.full().next().is_none() => Confidence::Possible,
        _ => return None,
    };
    let seen = figure(usage.used_high, dimension);
    let of = match usage.count {
        1 => "the limit".to_string(),
        count => format!("the limit of {count} disks"),
    };
    let published = figure(usage.published, dimension);
    // Where disks were seen apart and one is well fuller than all together, it is the one that binds.
    let apart = !case.observed.parts.is_empty() && usage.fullest > 1.05 * usage.of_published();
    let (claim, share) = match &usage.fullest_gate {
        (Some(name), limit) if apart => {
            let (seen, limit) = (figure(usage.fullest * limit, dimension), figure(*limit, dimension));
            let share = usage.fullest * usage.published / usage.enforced;
            (format!("{name}: {seen} = {:.2} x its limit, {limit}", usage.fullest), share)
        }
        _ => (format!("{seen} = {:.2} x {of}, {published}", usage.of_published()), usage.share()),
    };
    // The nearer to what is enforced, the better; more than that is what short runs have.
    let weight = 1.0 - (share - 1.0).abs();
    let advice = match group {
        "disk" => "more disks in the stripe, or disks that let more through",
        "vm.cached" => "host cache none for what it does not help, or a VM size that lets more through",
        _ => "a VM size that lets more through, or less I/O",
    };
    let mut finding = Finding::new(rule, confidence, weight, claim).advise(advice).because(format!(
        "enforced {}, at most {}",
        figure(usage.enforced, dimension),
        figure(usage.enforced_high, dimension)
    ));
    for other in &case.usages {
        if case.level(other) == Level::Below && other.dimension == dimension {
            finding = finding.because(format!("{} at {:.0} %", other.name(), other.share() * 100.0));
        }
    }
    if !usage.is_certain() {
        finding = finding.because("if none of the reads hit the host cache");
    }
    Some(finding)
}
