//! Common parts of every limit's rule.

use iobound_model::Dimension;
use iobound_units::{Grouped, format_throughput};

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;
use crate::usage::Usage;

/// A figure with the unit of its dimension.
pub(crate) fn figure(value: f64, dimension: Dimension) -> String {
    match dimension {
        Dimension::Ios => format!("{} IOPS", Grouped(value.round() as u64)),
        Dimension::Bytes => format_throughput(value),
    }
}

/// The data disks, if they are all alike: `a P30`, `10 P30`.
fn disks_alike(case: &Case<'_>, count: usize) -> Option<String> {
    let mut data = case.resolved.disks.iter().filter(|disk| !disk.is_os && disk.disk.is_some());
    let first = data.next()?;
    let tier = first.tier.as_ref().filter(|tier| data.all(|disk| disk.tier.as_ref() == Some(tier)))?;
    Some(if count == 1 { format!("a {tier}") } else { format!("{count} {tier}") })
}

/// The limit's own words: `the cached limit`, `the limit of 4 disks`.
fn title(case: &Case<'_>, usage: &Usage) -> String {
    if usage.group == "disk"
        && let Some(disks) = disks_alike(case, usage.count)
    {
        return format!("the limit of {disks}");
    }
    match (usage.group.as_str(), usage.count) {
        ("vm.cached", _) => "the cached limit".into(),
        ("vm.uncached", _) => "the uncached limit".into(),
        ("vm.ebs", _) => "the instance's EBS limit".into(),
        ("vm.disks", _) => "the machine's limit on its disks".into(),
        ("disk", 1) => "the disk's limit".into(),
        (_, 1) => "the limit".into(),
        (_, count) => format!("the limit of {count} disks"),
    }
}

/// A rate against a limit: "your 5,000 IOPS are all that the limit of a P30 allows: 1.00 x 5,000 IOPS".
fn of_limit(level: Level, seen: &str, whose: &str, limit: &str, times: f64) -> String {
    match level {
        Level::Nearly => format!("your {seen} are {times:.2} x {whose}, {limit}"),
        _ => format!("your {seen} are all that {whose} allows: {times:.2} x {limit}"),
    }
}

/// Figure that the cloud enforces of a published limit of a group, where it is not the published one.
fn enforcement(usage: &Usage, limit: f64) -> Option<String> {
    let part = limit / usage.published;
    let [published, enforced, most] = [usage.published, usage.enforced, usage.enforced_high]
        .map(|value| figure(part * value, usage.dimension));
    let factor = usage.enforced / usage.published;
    match usage.dimension {
        Dimension::Bytes if usage.enforced_high > 1.03 * usage.enforced => {
            Some(format!("enforced x {factor:.2} = {enforced}; {most} if its megabytes are MiB"))
        }
        _ if enforced == published && most == published => None,
        _ if enforced == most => Some(format!("the cloud enforces {enforced}")),
        _ => Some(format!("the cloud enforces {enforced}, at most {most}")),
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
    let waits = case.observed.iowait.filter(|share| *share >= of::WAITS);
    let confidence = match level {
        // A limit that no source gives binds nothing for certain.
        Level::Full if usage.is_expected || case.may_be_asked(usage) => Confidence::Possible,
        // What the disks cannot give does not come from them: a full limit in front of them holds nothing.
        Level::Full if group != "disk" && case.is_beyond_disks() => Confidence::Possible,
        Level::Full if case.is_as_declared(usage) => Confidence::Strong,
        Level::Full => Confidence::Likely,
        // The figure is the limit in the other unit: I/Os wait for it, or only the unit's name is wrong.
        Level::Nearly
            if case.is_in_other_unit(usage) && !case.may_be_unit(usage) && case.full().next().is_none() =>
        {
            Confidence::Likely
        }
        // Beside a full limit, one that is nearly full explains nothing; nor does it where the queue is so deep that
        // a limit would be full: E7 of the published experiments has 87 % of one with 4,096 outstanding. Local disks are not
        // throttled: their figures scatter, however deep the queue.
        Level::Nearly if case.full().next().is_none() && (!case.is_deep() || case.is_local()) => {
            // Processors that wait for I/O have been held by it.
            if waits.is_some() { Confidence::Likely } else { Confidence::Possible }
        }
        _ => return None,
    };
    let share = case.share(usage);
    let seen = figure(usage.used, dimension);
    let whose = title(case, usage);
    // Where disks were seen apart and one is well fuller than all together, it is the one that binds.
    let (claim, limit) = match &usage.fullest_limiter {
        (Some(name), limit) if share > of::HELPS * usage.share() => {
            let times = share * usage.enforced / usage.published;
            let (seen, own) = (figure(times * limit, dimension), figure(*limit, dimension));
            (format!("{name}: {}", of_limit(level, &seen, "its limit", &own, times)), *limit)
        }
        _ => {
            let published = figure(usage.published, dimension);
            (of_limit(level, &seen, &whose, &published, usage.of_published()), usage.published)
        }
    };
    // The nearer to what is enforced, the better; more than that is what short runs have.
    let weight = 1.0 - (share - 1.0).abs();
    let advice = match group {
        "disk" => "more disks in the stripe, or disks with higher limits",
        "vm.cached" => "host cache none where it does not help, or a VM size with higher limits",
        _ => "a VM size with higher limits, or less I/O",
    };
    let mut finding = Finding::new(rule, confidence, weight, claim).advise(advice).at(usage.name());
    finding.evidence.extend(enforcement(usage, limit));
    if group != "disk"
        && let Some(disks) = case.usage("disk", dimension).filter(|disks| disks.count > 1)
    {
        let one = figure(disks.published / disks.count as f64, dimension);
        finding = finding.because(format!("one disk alone gives {one}: the disks share a limit"));
    }
    if dimension == Dimension::Ios
        && let Some(iops) = case.observed.total.iops.filter(|iops| usage.used > 1.02 * iops)
    {
        finding = finding.because(format!(
            "each I/O counts {:.2} there: stripes split it, and I/Os above 256 KiB count more than once",
            usage.used / iops
        ));
    }
    if let Some(iowait) = waits.filter(|_| level == Level::Nearly) {
        finding = finding.because(format!("processors wait for I/O for {:.0} % of the time", iowait * 100.0));
    }
    if !case.is_as_declared(usage) {
        finding = finding.because("if none of the reads hit the host cache");
    }
    Some(finding)
}
