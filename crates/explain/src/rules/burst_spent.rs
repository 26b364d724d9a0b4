//! Common parts of the rules on disks and VMs with spent credits.

use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::observed::Moment;
use crate::rules::limit::figure;
use crate::step::Step;
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

/// The finding where a balance says that credits are spent.
fn told(rule: &'static str, base: &str, used: f64) -> Finding {
    let claim = format!("{base} without credits, and {} of them are left", left(used));
    Finding::new(rule, Confidence::Likely, 2.3, claim)
        .advise(format!("{}, or reduce the load: unused credits accumulate again", subject(rule)))
        .to_be_sure("leave it idle for some minutes: the first minutes afterwards are faster")
}

/// The advice without its unit: "use a VM size that sustains enough".
fn subject(rule: &str) -> &'static str {
    match rule {
        "burst-spent-vm" => "use a VM size that sustains enough",
        _ => "use a disk that sustains enough",
    }
}

/// Share of the credits that is left: `10 %`.
fn left(used: f64) -> String {
    format!("{:.0} %", (1.0 - used) * 100.0)
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
    let used = case.observed.credits_used.of(&limiter.name.group);
    let base = limiter.limit(dimension)?.published as f64;
    Some(told(rule, &figure(base, dimension), used.filter(|used| *used >= of::SPENT)?))
}

/// The rate is that of a limit without credits, to the figure, although credits are said to be left.
fn contradicted<'c>(
    case: &'c Case<'_>,
    rule: &'static str,
    usages: impl Iterator<Item = &'c Usage>,
) -> Option<(&'c Usage, Finding)> {
    let usage = usages.into_iter().find(|usage| case.is_at_base(usage) && case.has_credits(usage))?;
    let used = case.observed.credits_used.of(&usage.group);
    let why = match used {
        Some(used) => format!("{} of its credits are said to be left", left(used)),
        None => "its credits are said to be full (--at)".to_string(),
    };
    let claim = format!(
        "{} are what {} allows without credits, but {why}",
        figure(usage.used, usage.dimension),
        usage.name()
    );
    let (rate, _) = usage.burst?;
    let finding = Finding::new(rule, Confidence::Possible, 1.2, claim)
        .because(format!("with credits the limit is {}", figure(rate, usage.dimension)))
        .advise("compare the balances of IOPS and of throughput in the same minutes as the rate")
        .to_be_sure(
            "leave it idle for some minutes: the first minutes afterwards are faster if credits were spent",
        );
    Some((usage, finding))
}

/// Reason why full credits cannot have been spent by this load alone, if that is so.
fn too_soon(case: &Case<'_>, usage: &Usage) -> Option<String> {
    let after = case.after()?;
    let lasts = case.full_credits_last(usage)?;
    if after.secs_f64() >= of::LASTED * lasts {
        return None;
    }
    Some(format!(
        "full credits last {:.0} min at the {} that the configuration lets through: after {after} they are spent only if they were \
         not full at the start, or other I/O used them",
        lasts / 60.0,
        figure(case.reach(usage), usage.dimension)
    ))
}

/// A kind of evidence that credits are spent.
struct Evidence {
    /// True if it is there.
    holds: bool,
    /// Confidence of a finding that rests on it.
    confidence: Confidence,
    /// Weight of a finding that rests on it.
    weight: f64,
    /// Text of the evidence, shown also if the finding does not rest on it.
    says: Option<String>,
}

/// All kinds of evidence about a limit that is full without credits; the finding rests on the first one that is there. `used`: share of
/// the credits that the cloud says were used; `lasts`: seconds that full credits last at the burst rate.
fn evidence(case: &Case<'_>, usage: &Usage, used: Option<f64>, lasts: f64) -> [Evidence; 6] {
    let series = &case.observed.series;
    let step = Step::of(series);
    let stepped = step.is_some() || stepped_down(series);
    let step = step.map_or("the rate stepped down during the measurement".to_string(), |step| step.says());
    let after = case.after().or(case.observed.duration.filter(|_| stepped));
    let is_long = after.is_some_and(|after| after.secs_f64() >= of::LASTED * lasts);
    let too_soon = too_soon(case, usage);
    let is_soon = too_soon.is_some();
    let after = case.after().filter(|_| !is_soon);
    // For disks and VMs that are sold by their burst figure, a rate at the base means that credits are spent, however short the run. But a
    // full limit without credits needs no credits to explain it.
    let other =
        case.full().any(|other| other.burst.is_none() && case.share(other) >= case.share(usage) - of::ALIKE);
    let is_sold = case.resolved.vm.cloud.rules().sold_by_burst.is_some() && !other;
    let row = |holds, confidence, weight, says| Evidence { holds, confidence, weight, says };
    let told = used.map(|used| format!("{} of the credits are left", left(used)));
    [
        row(used.is_some(), Confidence::Strong, 2.5, told),
        row(stepped, Confidence::Strong, 2.5, stepped.then_some(step)),
        row(
            is_long && !is_soon,
            Confidence::Strong,
            2.5,
            after.map(|after| format!("after {after} of load")),
        ),
        row(is_sold && case.may_be_asked(usage), Confidence::Possible, 2.0, None),
        row(is_sold, if is_soon { Confidence::Likely } else { Confidence::Strong }, 2.0, too_soon),
        row(is_long, Confidence::Likely, 2.0, None),
    ]
}

/// A limit with credits that is used as far as it goes without them, and the finding.
pub(super) fn judge<'c>(
    case: &'c Case<'_>,
    rule: &'static str,
    on: impl Fn(&str) -> bool,
) -> Option<(&'c Usage, Finding)> {
    let observed = case.observed;
    // Who says how long it has run speaks of credits: a mean with pauses in it is as good.
    let enough =
        if case.after().is_some() && case.full().next().is_none() { Level::Nearly } else { Level::Full };
    let with_credits =
        case.usages.iter().filter(|usage| on(&usage.group)).filter(|usage| Case::has_burst(usage));
    let fullest = |usages: &mut dyn Iterator<Item = &'c Usage>| {
        usages.max_by(|one, other| case.share(one).total_cmp(&case.share(other)))
    };
    let is_full = |usage: &&Usage| (enough..=Level::Full).contains(&case.level(usage));
    let Some(usage) = fullest(&mut with_credits.clone().filter(is_full)) else {
        if let Some(found) = contradicted(case, rule, with_credits.clone()) {
            return Some(found);
        }
        // Credits for IOPS and for bytes are apart, and the size of the I/Os may be unknown: what the cloud says decides.
        let usage = fullest(&mut with_credits.into_iter())?;
        let used = observed.credits_used.of(&usage.group).filter(|used| *used >= of::SPENT)?;
        // Without credits no more than the base passes: a rate above it has another reason.
        if case.excess(usage).is_some() {
            return None;
        }
        return Some((usage, told(rule, &figure(usage.published, usage.dimension), used)));
    };
    let (rate, seconds) = usage.burst?;
    let used = observed.credits_used.of(&usage.group);
    if used.is_some_and(|used| used < of::SPENT) {
        return None;
    }
    let rows = evidence(case, usage, used, seconds);
    let best = rows.iter().find(|row| row.holds);
    let (confidence, weight) = best.map_or((Confidence::Possible, 0.9), |row| (row.confidence, row.weight));
    let base = figure(usage.published, usage.dimension);
    let claim = format!("{base} without credits, {} with", figure(rate, usage.dimension));
    let minutes = seconds / 60.0;
    let mut finding = Finding::new(rule, confidence, weight, claim)
        .at(usage.name())
        .because(format!("{:.2} x the base", case.share(usage) * usage.enforced / usage.published))
        .because(format!("full credits last {minutes:.0} min at the burst rate"));
    finding.evidence.extend(rows.into_iter().filter_map(|row| row.says));
    let what = if usage.dimension == Dimension::Ios { "IOPS" } else { "throughput" };
    let finding = finding
        .advise(format!("{} {what}, or reduce the load: unused credits accumulate again", subject(rule)))
        .to_be_sure("leave it idle for some minutes: the first minutes afterwards are faster");
    Some((usage, finding))
}
