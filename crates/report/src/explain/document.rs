//! The document of `explain`.

use iobound_documents::{
    Amount, BytesPerSecond, ExplainDocument, ExplainObserved, FindingPart, Iops, Microseconds, ObservedDisk,
    ObservedFigures, ObservedPart, OutcomePart, RemedyPart, RuledOutPart, Seconds, SeenLimiter, Share,
    StackPart, Usd, Version, WantPart,
};
use iobound_explain::{
    Effect, Explanation, Figures, Finding, Observed, Outcome, Remedy, RuledOut, StackUse, Wish,
};

use super::Explained;
use crate::predict::disks::disks_text;
use crate::predict::prediction_part;

/// The document of `explain` about figures that were given.
pub fn explain_document(explained: &Explained<'_>) -> ExplainDocument {
    let explanation = explained.explanation;
    ExplainDocument::Observed(Box::new(ExplainObserved {
        schema: Version::default(),
        vm: Some(explained.resolved.vm.full_name()),
        disks: Some(disks_text(&explained.resolved.disks, true)),
        observed: observed_part(explained.observed),
        findings: finding_parts(explanation),
        stacks: stack_parts(explained.stacks),
        tell_apart: explanation.tell_apart.clone(),
        ruled_out: ruled_out_parts(explanation),
        want: explanation.wish.as_ref().map(want_part),
        prices_region: explained.prices.map(|prices| prices.region.clone()),
        prices_as_of: explained.prices.and_then(|prices| prices.as_of.clone()),
        assumed: explanation.assumed.clone(),
        notes: explained.notes.to_vec(),
    }))
}

fn observed_part(observed: &Observed) -> ObservedPart {
    let disks = observed
        .parts
        .iter()
        .map(|part| ObservedDisk { figures: figures(&part.figures), name: part.name.clone() });
    ObservedPart {
        figures: figures(&observed.total),
        duration_s: observed.duration.map(|duration| Seconds::with_decimals(duration.secs_f64(), 3)),
        disks: disks.collect(),
    }
}

fn figures(figures: &Figures) -> ObservedFigures {
    let latency = figures.latency_us;
    ObservedFigures {
        iops: figures.iops.map(Iops::of),
        throughput_bytes_per_s: figures.throughput_bytes_per_s.map(BytesPerSecond::of),
        mean_us: latency.mean.map(Microseconds::of),
        p50_us: latency.p50.map(Microseconds::of),
        p95_us: latency.p95.map(Microseconds::of),
        p99_us: latency.p99.map(Microseconds::of),
        block_bytes: figures.block.map(|block| Amount::with_decimals(block, 1)),
        outstanding: figures.outstanding().map(|depth| Amount::with_decimals(depth, 3)),
        read: figures.read.map(|read| Share::with_decimals(read, 4)),
    }
}

/// The findings, best first.
pub(crate) fn finding_parts(explanation: &Explanation) -> Vec<FindingPart> {
    explanation.findings.iter().map(finding_part).collect()
}

/// The limits with room.
pub(crate) fn ruled_out_parts(explanation: &Explanation) -> Vec<RuledOutPart> {
    let part = |one: &RuledOut| RuledOutPart {
        limit: one.limit.clone(),
        used: Share::with_decimals(one.used, 4),
        because: one.because.clone(),
    };
    explanation.ruled_out.iter().map(part).collect()
}

fn finding_part(finding: &Finding) -> FindingPart {
    let best = finding.remedies.first();
    // In another circumstance nothing is changed: how to come to it is what helps.
    let remedy = match best.filter(|best| best.is_change()) {
        Some(best) => best.says(),
        None => finding.advice.clone(),
    };
    FindingPart {
        rule: finding.rule.to_string(),
        confidence: finding.confidence.name().to_string(),
        claim: finding.claim.clone(),
        evidence: finding.evidence.clone(),
        remedy,
        predicted_after: best.and_then(|best| best.outcome.as_ref()).map(outcome_part),
        remedies: finding.remedies.iter().map(remedy_part).collect(),
        advice: finding.advice.clone(),
        to_be_sure: finding.to_be_sure.clone(),
    }
}

/// Waiting time of the I/O: in the present stack, and in the stack after a change.
pub(crate) fn stack_parts(stacks: &[StackUse]) -> Vec<StackPart> {
    let part = |stack: &StackUse| {
        let prediction = prediction_part(&stack.prediction);
        let limits = prediction.limits.into_iter().zip(&stack.seen);
        StackPart {
            change: stack.change.clone(),
            expected: prediction.expected,
            latency_us: prediction.latency_us,
            outstanding: prediction.outstanding,
            bindings: prediction.bindings,
            limits: limits
                .map(|(limiter, seen)| SeenLimiter {
                    limiter,
                    seen: seen.map(|seen| Share::with_decimals(seen, 4)),
                })
                .collect(),
            disks: prediction.disks,
        }
    };
    stacks.iter().map(part).collect()
}

fn want_part(wish: &Wish) -> WantPart {
    WantPart { met_by: wish.met_by.clone(), otherwise: wish.otherwise.as_ref().map(remedy_part) }
}

fn remedy_part(remedy: &Remedy) -> RemedyPart {
    RemedyPart { change: remedy.says(), predicted_after: remedy.outcome.as_ref().map(outcome_part) }
}

fn outcome_part(outcome: &Outcome) -> OutcomePart {
    OutcomePart {
        iops: Iops::of(outcome.iops),
        low_iops: Iops::of(outcome.low_iops),
        high_iops: Iops::of(outcome.high_iops),
        throughput_bytes_per_s: BytesPerSecond::of(outcome.throughput_bytes_per_s),
        latency_us: outcome.latency_us.mean.map(Microseconds::of),
        p50_us: outcome.latency_us.p50.map(Microseconds::of),
        p95_us: outcome.latency_us.p95.map(Microseconds::of),
        p99_us: outcome.latency_us.p99.map(Microseconds::of),
        binding: outcome.binding.clone(),
        outstanding: outcome.needs_outstanding,
        effect: outcome.effect.map(|effect| Effect::name(effect).to_string()),
        meets_want: outcome.meets_want,
        price_change_usd_per_month: outcome.price_change.map(|usd| Usd::with_decimals(usd, 2)),
    }
}
