//! Common parts of the rules on disks and VMs with spent credits.

use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::observed::Moment;
use crate::rules::limit::figure;
use crate::thresholds as of;
use crate::usage::Usage;

/// True if the last quarter of a run is well below its first.
fn stepped_down(series: &[Moment]) -> bool {
    let quarter = series.len() / 4;
    if quarter == 0 {
        return false;
    }
    let mean = |part: &[Moment]| part.iter().map(|moment| moment.iops).sum::<f64>() / part.len() as f64;
    mean(&series[series.len() - quarter..]) < of::STEP * mean(&series[..quarter])
}

/// The finding where the cloud's metrics say that credits are spent.
fn told(rule: &'static str, base: &str, used: f64) -> Finding {
    let claim = format!(
        "{base} without credits: {:.0} % of them were used, according to the cloud's metrics",
        used * 100.0
    );
    Finding::new(rule, Confidence::Likely, 2.3, claim)
        .advise("use one with enough base, or reduce the load: unused credits accumulate again")
        .to_be_sure("leave it idle for some minutes: the first minutes afterwards are faster")
}

/// The same where no rate is known: what the cloud says of credits needs none.
pub(super) fn unrated(case: &Case<'_>, rule: &'static str, on: impl Fn(&str) -> bool) -> Option<Finding> {
    if !case.usages.is_empty() {
        return None;
    }
    let mut limiters = case.resolved.blueprint.limiters.iter().filter(|limiter| on(&limiter.name.group));
    let (limiter, dimension) = limiters.find_map(|limiter| {
        let dimension = Dimension::ALL.into_iter().find(|dimension| limiter.credit(*dimension).is_some())?;
        Some((limiter, dimension))
    })?;
    let credits = case.observed.credits_used;
    let used = if limiter.name.group == "disk" { credits.disk } else { credits.vm };
    let base = limiter.limit(dimension)?.published as f64;
    Some(told(rule, &figure(base, dimension), used.filter(|used| *used >= of::SPENT)?))
}

/// A limit with credits that is used as far as it goes without them, and the finding.
pub(super) fn judge<'c>(
    case: &'c Case<'_>,
    rule: &'static str,
    on: impl Fn(&str) -> bool,
) -> Option<(&'c Usage, Finding)> {
    let observed = case.observed;
    let stepped = stepped_down(&observed.series);
    let after = case.after().or(observed.duration.filter(|_| stepped));
    // Who says how long it has run speaks of credits: a mean with pauses in it is as good.
    let enough =
        if case.after().is_some() && case.full().next().is_none() { Level::Nearly } else { Level::Full };
    let with_credits = case
        .usages
        .iter()
        .filter(|usage| on(&usage.group))
        .filter(|usage| usage.burst.is_some_and(|(rate, _)| rate > of::BURST * usage.published));
    let fullest = |usages: &mut dyn Iterator<Item = &'c Usage>| {
        usages.max_by(|one, other| case.share(one).total_cmp(&case.share(other)))
    };
    let is_full = |usage: &&Usage| (enough..=Level::Full).contains(&case.level(usage));
    let credits = observed.credits_used;
    let Some(usage) = fullest(&mut with_credits.clone().filter(is_full)) else {
        // Credits for IOPS and for bytes are apart, and the size of the I/Os may be unknown: what the cloud says decides.
        let usage = fullest(&mut with_credits.into_iter())?;
        let used = if usage.group == "disk" { credits.disk } else { credits.vm };
        let used = used.filter(|used| *used >= of::SPENT)?;
        // Without credits no more than the base passes: a rate above it has another reason.
        if case.excess(usage).is_some() {
            return None;
        }
        return Some((usage, told(rule, &figure(usage.published, usage.dimension), used)));
    };
    let (rate, seconds) = usage.burst?;
    let used = if usage.group == "disk" { credits.disk } else { credits.vm };
    if used.is_some_and(|used| used < of::SPENT) {
        return None;
    }
    let told = used.is_some();
    let long_enough = after.is_some_and(|after| after.secs_f64() >= of::LASTED * seconds);
    // For disks and VMs that are sold by their burst figure, a rate at the base means that credits are spent, however
    // short the run. But a full limit without credits needs no credits to explain it.
    let sold_by_burst = case.resolved.vm.cloud.rules().sold_by_burst.is_some();
    let other =
        case.full().any(|other| other.burst.is_none() && case.share(other) >= case.share(usage) - of::ALIKE);
    let (confidence, weight) = match stepped || long_enough || told {
        true => (Confidence::Strong, 2.5),
        false if sold_by_burst && !other && case.may_be_asked(usage) => (Confidence::Possible, 2.0),
        false if sold_by_burst && !other => (Confidence::Strong, 2.0),
        false => (Confidence::Possible, 0.9),
    };
    let base = figure(usage.published, usage.dimension);
    let claim = format!("{base} without credits, {} with", figure(rate, usage.dimension));
    let minutes = seconds / 60.0;
    let mut finding = Finding::new(rule, confidence, weight, claim)
        .because(format!("{:.2} x the base", case.share(usage) * usage.enforced / usage.published))
        .because(format!("full credits last {minutes:.0} min at the burst rate"));
    if let Some(used) = used {
        finding = finding.because(format!(
            "{:.0} % of the credits were used, according to the cloud's metrics",
            used * 100.0
        ));
    }
    if stepped {
        finding = finding.because("the rate stepped down during the measurement");
    }
    if let Some(after) = case.after() {
        finding = finding.because(format!("after {after} of load"));
    }
    let what = if usage.dimension == Dimension::Ios { "IOPS" } else { "throughput" };
    let finding = finding
        .advise(format!(
            "use one with enough base {what}, or reduce the load: unused credits accumulate again"
        ))
        .to_be_sure("leave it idle for some minutes: the first minutes afterwards are faster");
    Some((usage, finding))
}
