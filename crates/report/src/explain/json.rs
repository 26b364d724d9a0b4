use iobound_explain::{Explanation, Finding, Outcome, Remedy};
use serde_json::{Value, json};

use super::Explained;
use crate::document::Document;
use crate::number::{bytes_per_s, figure, iops, us};
use crate::predict::disks::disks_text;

/// The document of `explain`.
pub fn explain_json(explained: &Explained<'_>) -> Document {
    let explanation = explained.explanation;
    let (findings, ruled_out) = json_parts(explanation);
    Document::new("iobound.explain/1")
        .with("vm", explained.resolved.vm.full_name())
        .with("disks", disks_text(&explained.resolved.disks, true))
        .with("findings", findings)
        .with("ruled_out", ruled_out)
        .with("assumed", explanation.assumed.clone())
        .with("notes", explained.notes.to_vec())
}

/// What was found, and what has room left.
pub(crate) fn json_parts(explanation: &Explanation) -> (Vec<Value>, Vec<Value>) {
    let ruled_out =
        explanation.ruled_out.iter().map(|(name, share)| json!({ "limit": name, "used": figure(*share, 4) }));
    (explanation.findings.iter().map(finding).collect(), ruled_out.collect())
}

fn finding(finding: &Finding) -> Value {
    let best = finding.remedies.first();
    let remedy = match best {
        Some(best) => best.says(),
        None => finding.advice.clone(),
    };
    json!({
        "rule": finding.rule,
        "confidence": finding.confidence.name(),
        "claim": finding.claim,
        "evidence": finding.evidence,
        "remedy": remedy,
        "predicted_after": best.and_then(|best| best.outcome.as_ref()).map(outcome),
        "remedies": finding.remedies.iter().map(change).collect::<Vec<Value>>(),
        "advice": finding.advice,
        "to_be_sure": finding.to_be_sure,
    })
}

fn change(remedy: &Remedy) -> Value {
    json!({
        "change": remedy.says(),
        "predicted_after": remedy.outcome.as_ref().map(outcome),
    })
}

fn outcome(outcome: &Outcome) -> Value {
    json!({
        "iops": iops(outcome.iops),
        "low_iops": iops(outcome.low_iops),
        "high_iops": iops(outcome.high_iops),
        "throughput_bytes_per_s": bytes_per_s(outcome.throughput_bytes_per_s),
        "latency_us": outcome.mean_us.map(us),
        "binding": outcome.binding,
        "outstanding": outcome.needs_outstanding,
        "meets_want": outcome.meets_want,
    })
}
