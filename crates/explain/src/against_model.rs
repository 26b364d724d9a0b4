//! Findings beside the model: a cause whose own changes gain nothing by the model is not the cause, and a queue that should
//! give more at its depth has another problem too.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::PredictError;
use iobound_units::Grouped;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Effect, judged};
use crate::thresholds as of;

/// Rules that claim more I/O after their own changes.
const GAIN: [&str; 2] = ["shallow-queue", "cold-cache"];

/// Lowers a finding whose predicted changes gain nothing, though its claim says that they must. True if it did.
pub(crate) fn lower_refuted(finding: &mut Finding) -> bool {
    let outcomes: Vec<_> = finding.remedies.iter().filter_map(|remedy| remedy.outcome.as_ref()).collect();
    let gains = outcomes.iter().any(|outcome| outcome.effect.is_none_or(|effect| effect == Effect::Better));
    if !GAIN.contains(&finding.rule) || outcomes.is_empty() || gains {
        return false;
    }
    finding.evidence.push("by the model, its changes gain nothing".to_string());
    finding.cap(Confidence::Possible);
    finding.weight = 0.1;
    true
}

/// Adds to a shallow queue what the model expects of it: the IOPS of twice the depth, and whether the present ones are below the
/// model's band.
///
/// # Errors
/// Returns [`PredictError::Interrupted`] if `watch` ends a simulation.
pub(crate) fn expect_of_queue(
    case: &Case<'_>,
    finding: &mut Finding,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(), PredictError> {
    let total = &case.observed.total;
    if finding.rule != "shallow-queue" {
        return Ok(());
    }
    let first = finding.remedies.iter().find_map(|remedy| match remedy.changes.as_slice() {
        [Change::Depth(depth)] => Some((*depth, remedy.outcome.as_ref()?.iops)),
        _ => None,
    });
    if let Some((depth, iops)) = first {
        let iops = Grouped(iops.round() as u64);
        finding.to_be_sure = Some(format!("keep {depth} outstanding: the model expects {iops} IOPS"));
    }
    let (Some(depth), Some(iops)) = (total.depth, total.iops) else { return Ok(()) };
    let Some(now) = judged(case, &[], watch)? else { return Ok(()) };
    if of::HELPS * iops < now.low_iops {
        let [expected, low, high] =
            [now.iops, now.low_iops, now.high_iops].map(|iops| Grouped(iops.round() as u64));
        finding.evidence.push(format!(
            "{depth:.0} outstanding should give {expected} IOPS ({low} to {high}): latency is a problem too"
        ));
        finding.cap(Confidence::Likely);
    }
    Ok(())
}
