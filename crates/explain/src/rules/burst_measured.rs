//! A burst was taken for capability.
//!
//! Documentation: scylladb/seastar#1030: 262.6 MB/s recorded on a disk of 125.
//! Evidence: a rate above the sustained limit and within the credits of the catalogue.
//! Remedy: measure after the burst, and configure for the sustained rate.

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::rules::limit::figure;
use crate::rules::shallow_queue;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    // Credits first: of a limit without any it is not known what lets more through.
    let usage =
        case.usages.iter().filter(|usage| case.level(usage) == Level::Above).max_by(|one, other| {
            // A limit exactly at its burst binds before one that is only above its base.
            let key = |usage: &crate::usage::Usage| {
                ((case.is_at_burst(usage), usage.burst.is_some()), case.share(usage))
            };
            let ((one_has, one), (other_has, other)) = (key(one), key(other));
            one_has.cmp(&other_has).then_with(|| one.total_cmp(&other))
        })?;
    let is_beyond = case.usages.iter().any(|usage| case.excess(usage).is_some());
    // Where another limit is full, that one holds it.
    let is_free = case.full().next().is_none();
    let seconds = case.observed.duration.map(|duration| duration.secs_f64());
    let after = seconds.or(case.after().map(|after| after.secs_f64()));
    let (confidence, weight, lasts) = match usage.burst {
        Some((rate, lasts))
            if !is_beyond && !case.has_spent_credits(usage) && usage.used <= of::AT_BURST * rate =>
        {
            // What credits allow is a limit like another, and as full: it is what binds now.
            let at_burst = case.is_at_burst(usage);
            let near_burst = usage.used >= of::NEARLY * rate;
            let lasting = after.is_some_and(|seconds| seconds >= lasts);
            let confidence = match () {
                // The base is exceeded, but what credits allow is far: the queue depth holds the rate.
                () if shallow_queue::holds(case) => Confidence::Possible,
                () if at_burst && !lasting => Confidence::Strong,
                () if near_burst && is_free && after.is_some() => Confidence::Likely,
                // Between base and burst, a rate may be everything requested.
                () => Confidence::Possible,
            };
            let weight = if shallow_queue::holds(case) { 0.5 } else { 2.2 };
            (confidence, weight, Some(lasts))
        }
        // A volume alone is let through more at first, where the instance before it has credits.
        None if is_free
            && case.usages.iter().any(|other| other.burst.is_some())
            && case.resolved.vm.cloud.rules().sold_by_burst.is_some()
            && case.share(usage) <= of::TIMES_A_LIMIT
            && after.is_none_or(|seconds| seconds < of::SHORT_S) =>
        {
            (if seconds.is_some() { Confidence::Likely } else { Confidence::Possible }, 2.5, None)
        }
        _ => return None,
    };
    let claim = format!(
        "{} is more than the sustained limit of {} ({})",
        figure(usage.used, usage.dimension),
        usage.name(),
        figure(usage.published, usage.dimension)
    );
    let mut finding = Finding::new("burst-measured", confidence, weight, claim)
        .because(format!("{:.2} x the limit", usage.of_published()));
    if let Some(lasts) = lasts {
        finding = finding.because(format!("full credits last {:.0} min at the burst rate", lasts / 60.0));
    }
    if let Some(duration) = case.observed.duration {
        finding = finding.because(format!("the run took {duration}"));
    }
    let lasting = figure(usage.enforced, usage.dimension);
    let finding = finding
        .advise(format!("plan with {lasting}; measure until the rate has fallen"))
        .to_be_sure("keep running until the rate steps down");
    Some(Finding { remedies: vec![Remedy::again("after the burst", Circumstance::Lasting)], ..finding })
}
