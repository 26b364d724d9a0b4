//! Waiting time of the I/O in the model's stack under the observed load, now and after the first change that helps.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::{PredictError, Prediction};

use crate::case::Case;
use crate::explain::Explanation;
use crate::remedy::{Effect, Remedy, predicted};

/// A stack under the workload that was seen, by the model.
#[derive(Clone, Debug)]
pub struct StackUse {
    /// The change, in words; `None` for the unchanged configuration.
    pub change: Option<String>,
    /// Result of the model.
    pub prediction: Prediction,
    /// Of each of its limiters what was seen to pass ÷ enforced; `None` where that is not known, and after a change.
    pub seen: Vec<Option<f64>>,
}

/// The present stack, and the stack after the first change that gains, if there is one. Empty if the model cannot hold
/// the observed load.
///
/// # Errors
/// Returns an error if the caller's callback ends the work.
pub fn stacks(
    case: &Case<'_>,
    explanation: &Explanation,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Vec<StackUse>, PredictError> {
    let Some(prediction) = predicted(case, &[], watch)? else { return Ok(Vec::new()) };
    let seen = prediction.limiters.iter().map(|limiter| {
        let usage = case.usages.iter().find(|usage| usage.name() == limiter.name)?;
        Some(case.share(usage))
    });
    let seen = seen.collect();
    let mut stacks = vec![StackUse { change: None, prediction, seen }];
    let helps = |remedy: &&Remedy| {
        let effect = remedy.outcome.as_ref().and_then(|outcome| outcome.effect);
        remedy.is_change() && effect == Some(Effect::Better)
    };
    let mut remedies = explanation.findings.iter().flat_map(|finding| &finding.remedies);
    if let Some(remedy) = remedies.find(helps)
        && let Some(prediction) = predicted(case, &remedy.changes, watch)?
    {
        let seen = vec![None; prediction.limiters.len()];
        stacks.push(StackUse { change: Some(remedy.says()), prediction, seen });
    }
    Ok(stacks)
}
