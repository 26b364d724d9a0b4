use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::PredictError;

use crate::case::{Case, Level};
use crate::finding::Finding;
use crate::remedy::{Outcome, assumed, judge};
use crate::rules::{RULES, unexplained};

/// The remedies of so many findings are predicted: what comes later is not what binds.
const PREDICTED: usize = 3;

/// The answer: what was found, and what was not.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Best first; never empty.
    pub findings: Vec<Finding>,
    /// Limits with room left, and how much of each is used at most: (name, used ÷ enforced).
    pub ruled_out: Vec<(String, f64)>,
    /// What was assumed, and what was worked out.
    pub assumed: Vec<String>,
}

/// What the rules find in a case, best first and never empty; their remedies are not predicted yet.
pub fn findings(case: &Case<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().filter_map(|rule| (rule.judge)(case)).collect();
    best_first(&mut findings);
    if findings.is_empty() {
        findings.push(unexplained::say(case));
    }
    findings
}

/// By confidence, then weight, then name: the same case has the same order everywhere.
pub(crate) fn best_first(findings: &mut [Finding]) {
    findings.sort_by(|one, other| {
        other
            .confidence
            .cmp(&one.confidence)
            .then_with(|| other.weight.total_cmp(&one.weight))
            .then_with(|| one.rule.cmp(other.rule))
    });
}

/// Whether more is to be expected than was seen.
fn helps(case: &Case<'_>, outcome: &Outcome) -> bool {
    const MORE: f64 = 1.05;
    let total = &case.observed.total;
    match (total.throughput_bytes_per_s, total.iops) {
        (Some(bytes), _) => outcome.throughput_bytes_per_s >= MORE * bytes,
        (None, Some(iops)) => outcome.iops >= MORE * iops,
        (None, None) => true,
    }
}

/// Explains a case. `watch` sees every interval of the simulations that predict the remedies, and may end them.
///
/// # Errors
/// Whoever watched ended it.
pub fn explain(
    case: &Case<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Explanation, PredictError> {
    let mut findings = findings(case);
    for finding in findings.iter_mut().take(PREDICTED) {
        for remedy in &mut finding.remedies {
            judge(case, remedy, watch)?;
        }
        finding.remedies.retain(|remedy| remedy.outcome.is_some());
        // What meets the wish goes first and what changes nothing last; else the rule's order, cheapest first.
        finding.remedies.sort_by_key(|remedy| {
            let outcome = remedy.outcome.as_ref();
            let meets = outcome.is_some_and(|outcome| outcome.meets_want == Some(true));
            (!meets, !outcome.is_some_and(|outcome| helps(case, outcome)))
        });
    }
    let below = case.usages.iter().filter(|usage| case.level(usage) == Level::Below);
    let ruled_out = below.map(|usage| (usage.name(), usage.share())).collect();
    let mut said = assumed(case);
    said.extend(case.observed.derived.iter().cloned());
    Ok(Explanation { findings, ruled_out, assumed: said })
}
