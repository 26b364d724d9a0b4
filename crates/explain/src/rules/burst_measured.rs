//! A burst was taken for capability.
//!
//! Documentation: scylladb/seastar#1030: 262.6 MB/s recorded on a disk of 125.
//! Evidence: more than a limit lets through for long, in a short run.
//! Remedy: test past the burst.

use iobound_catalog::Cloud;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::rules::limit::figure;

/// A run shorter than this may ride on what a limit lets through at first.
const SHORT_S: f64 = 120.0;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let usage = case
        .usages
        .iter()
        .filter(|usage| case.level(usage) == Level::Above)
        .max_by(|one, other| one.share().total_cmp(&other.share()))?;
    // Where another limit is full, that one holds it.
    let is_free = case.full().next().is_none();
    let seconds = case.observed.duration.map(|duration| duration.secs_f64());
    let (confidence, weight, lasts) = match usage.burst {
        Some((rate, lasts)) if usage.used_high <= 1.12 * rate => {
            let is_short = seconds.or(case.observed.after.map(|a| a.secs_f64())).is_none_or(|s| s < lasts);
            (if is_short && is_free { Confidence::Strong } else { Confidence::Likely }, 2.0, Some(lasts))
        }
        _ if is_free
            && case.resolved.vm.cloud == Cloud::Aws
            && seconds.is_none_or(|seconds| seconds < SHORT_S) =>
        {
            (Confidence::Likely, 0.8, None)
        }
        _ => return None,
    };
    let claim = format!(
        "{} is more than {} lets through for long ({})",
        figure(usage.used_high, usage.dimension),
        usage.name(),
        figure(usage.published, usage.dimension)
    );
    let mut finding = Finding::new("burst-measured", confidence, weight, claim)
        .because(format!("{:.2} x the limit", usage.of_published()));
    if let Some(lasts) = lasts {
        finding = finding.because(format!("full credits last {:.0} min at the whole burst", lasts / 60.0));
    }
    if let Some(duration) = case.observed.duration {
        finding = finding.because(format!("the run took {duration}"));
    }
    let lasting = figure(usage.enforced, usage.dimension);
    Some(
        finding
            .advise(format!("configure for {lasting}; measure until the rate has fallen"))
            .to_be_sure("run on until the rate steps down"),
    )
}
