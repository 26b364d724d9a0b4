use iobound_explain::{Effect, Explanation, Figures, Finding, Observed, Outcome, Remedy, StackUse, Wish};
use serde_json::{Map, Value, json};

use super::Explained;
use crate::document::Document;
use crate::number::{bytes_per_s, figure, figure_or_null, iops, us};
use crate::predict::disks::disks_text;
use crate::predict::prediction_part;

/// The document of `explain`.
pub fn explain_json(explained: &Explained<'_>) -> Document {
    let explanation = explained.explanation;
    let (findings, ruled_out) = json_parts(explanation);
    Document::new("iobound.explain/1")
        .with("vm", explained.resolved.vm.full_name())
        .with("disks", disks_text(&explained.resolved.disks, true))
        .with("observed", observed(explained.observed))
        .with("findings", findings)
        .with("stacks", stacks_json(explained.stacks))
        .with("tell_apart", explanation.tell_apart.clone())
        .with("ruled_out", ruled_out)
        .with("want", explanation.wish.as_ref().map(wish))
        .with("assumed", explanation.assumed.clone())
        .with("notes", explained.notes.to_vec())
}

/// The findings, and what has room left.
pub(crate) fn json_parts(explanation: &Explanation) -> (Vec<Value>, Vec<Value>) {
    let ruled_out = explanation
        .ruled_out
        .iter()
        .map(|one| json!({ "limit": one.limit, "used": figure(one.used, 4), "because": one.because }));
    (explanation.findings.iter().map(finding).collect(), ruled_out.collect())
}

/// The measurements; what nobody told is `null`.
fn observed(observed: &Observed) -> Value {
    let parts: Vec<Value> = observed
        .parts
        .iter()
        .map(|part| {
            let mut one = figures(&part.figures);
            one["name"] = part.name.clone().into();
            one
        })
        .collect();
    let mut all = figures(&observed.total);
    all["duration_s"] = observed.duration.map(|duration| figure(duration.secs_f64(), 3)).into();
    all["disks"] = parts.into();
    all
}

fn figures(figures: &Figures) -> Value {
    let latency = figures.latency_us;
    json!({
        "iops": figures.iops.map(iops),
        "throughput_bytes_per_s": figures.throughput_bytes_per_s.map(bytes_per_s),
        "mean_us": latency.mean.map(us),
        "p50_us": latency.p50.map(us),
        "p95_us": latency.p95.map(us),
        "p99_us": latency.p99.map(us),
        "block_bytes": figures.block.map(|block| figure(block, 1)),
        "outstanding": figures.depth.or(figures.held()).map(|depth| figure(depth, 3)),
        "read": figures.read.map(|read| figure(read, 4)),
    })
}

fn finding(finding: &Finding) -> Value {
    let best = finding.remedies.first();
    // In another circumstance nothing is changed: how to come to it is what helps.
    let remedy = match best.filter(|best| best.is_change()) {
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

/// Where the I/O waits: the stack as it is, and after a change.
pub(crate) fn stacks_json(stacks: &[StackUse]) -> Vec<Value> {
    stacks
        .iter()
        .map(|stack| {
            let mut one = Map::new();
            one.insert("change".into(), stack.change.clone().into());
            let keys = serde_json::to_value(prediction_part(&stack.prediction)).expect("its keys are strings");
            for key in ["expected", "latency_us", "outstanding", "bindings", "gates", "disks"] {
                one.insert(key.into(), keys[key].clone());
            }
            let gates = one.get_mut("gates").and_then(Value::as_array_mut);
            for (gate, seen) in gates.into_iter().flatten().zip(&stack.seen) {
                gate["seen"] = figure_or_null(*seen, 4);
            }
            Value::Object(one)
        })
        .collect()
}

fn wish(wish: &Wish) -> Value {
    json!({
        "met_by": wish.met_by,
        "otherwise": wish.otherwise.as_ref().map(change),
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
        "effect": outcome.effect.map(Effect::name),
        "meets_want": outcome.meets_want,
        "price_change_usd_per_month": outcome.price_change.map(|usd| figure(usd, 2)),
    })
}
