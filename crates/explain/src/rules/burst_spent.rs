//! What disks and VMs whose credits are spent have in common.

use iobound_catalog::Cloud;
use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::observed::Moment;
use crate::rules::limit::figure;

/// A run that ends at less than this of what it began with has stepped down.
const STEP: f64 = 0.7;

/// Credits of which so much was used are spent: what is earned again in a minute is used at once.
const SPENT: f64 = 0.9;

/// Whether the last quarter of a run is well below its first.
fn stepped_down(series: &[Moment]) -> bool {
    let quarter = series.len() / 4;
    if quarter == 0 {
        return false;
    }
    let mean = |part: &[Moment]| part.iter().map(|moment| moment.iops).sum::<f64>() / part.len() as f64;
    mean(&series[series.len() - quarter..]) < STEP * mean(&series[..quarter])
}

/// A limit with credits that is used as far as it goes without them.
pub(super) fn judge(case: &Case<'_>, rule: &'static str, on: impl Fn(&str) -> bool) -> Option<Finding> {
    let usage = case
        .usages
        .iter()
        .filter(|usage| on(&usage.group) && case.level(usage) == Level::Full)
        .find(|usage| usage.burst.is_some_and(|(rate, _)| rate > 1.1 * usage.published))?;
    let (rate, seconds) = usage.burst?;
    let observed = case.observed;
    let stepped = stepped_down(&observed.series);
    let after = observed.after.or(observed.duration.filter(|_| stepped));
    let credits = observed.credits_used;
    let used = if usage.group == "disk" { credits.disk } else { credits.vm };
    if used.is_some_and(|used| used < SPENT) {
        return None;
    }
    let told = used.is_some();
    let long_enough = after.is_some_and(|after| after.secs_f64() >= 0.9 * seconds);
    if !stepped && !long_enough && !told && after.is_some() {
        return None;
    }
    // An instance or a gp2 volume is sold by its burst figure, an Azure disk by its base.
    let sold_by_burst = case.resolved.vm.cloud == Cloud::Aws;
    let (confidence, weight) = match stepped || long_enough || told {
        true => (Confidence::Strong, 2.5),
        false if sold_by_burst => (Confidence::Strong, 2.0),
        false => (Confidence::Possible, 0.9),
    };
    let base = figure(usage.published, usage.dimension);
    let claim =
        format!("the burst credits are spent: {base} without them, {} with", figure(rate, usage.dimension));
    let minutes = seconds / 60.0;
    let mut finding = Finding::new(rule, confidence, weight, claim)
        .because(format!("{:.2} x the base", usage.of_published()))
        .because(format!("full credits last {minutes:.0} min at the whole burst"));
    if let Some(used) = used {
        finding =
            finding.because(format!("{:.0} % of the credits were used, as the cloud tells", used * 100.0));
    }
    if stepped {
        finding = finding.because("the run stepped down while it was watched");
    }
    if let Some(after) = observed.after {
        finding = finding.because(format!("after {after} of load"));
    }
    let what = if usage.dimension == Dimension::Ios { "IOPS" } else { "throughput" };
    Some(
        finding
            .advise(format!("take one whose base {what} is enough, or let it rest: credits come back unused"))
            .to_be_sure("leave it idle for some minutes: the first ones after are faster"),
    )
}
