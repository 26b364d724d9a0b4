//! The document of a comparison, from its screen.

use iobound_documents::{
    Amount, Change, CompareDocument, ComparedFigure, ComparisonPart, ConditionPart, DecidedBy, Method,
    Microseconds, RoundsPart, Seconds, Share, ShiftGap, ShiftPart, ShiftSlice, SidePart, VerdictWord,
    Version, whole,
};
use iobound_measure::RunResult;
use iobound_measure::compare::{Bound, Changed, Compared, LEVEL, Shift, Verdict};
use iobound_measure::result::Figure;
use serde_json::Value;

use super::{CompareScreen, ComparedSide, ComparedWith, JudgedCondition, words};

/// The document of a comparison.
pub fn compare_document(screen: &CompareScreen<'_>) -> CompareDocument {
    let first = &screen.sides[0];
    CompareDocument {
        schema: Version::default(),
        method: if screen.rounds.is_some() { Method::Paired } else { Method::Independent },
        level: LEVEL,
        rounds: screen.rounds.map(|rounds| RoundsPart {
            count: rounds.count as u64,
            turn_s: Seconds::of(rounds.turn_s),
            warmup_s: Seconds::of(rounds.warmup_s),
        }),
        sides: screen.sides.iter().map(|one| side(one, screen.with_results)).collect(),
        comparisons: screen.sides[1..]
            .iter()
            .zip(screen.against)
            .map(|(other, with)| comparison(first, other, with))
            .collect(),
        fail_if: screen.conditions.iter().map(condition_part).collect(),
        next: screen.next.to_vec(),
    }
}

fn side(side: &ComparedSide<'_>, with_result: bool) -> SidePart {
    let start = side.result.start.as_ref();
    SidePart {
        name: side.name.clone(),
        from: side.from.clone(),
        id: side.result.id.clone(),
        at: start.and_then(|start| start.at.clone()),
        source: side.result.source,
        target: side.result.device.clone(),
        workload: side.asked.clone(),
        counted_s: start.and_then(|start| start.counted_s),
        ios: side.result.total.ios,
        result: with_result.then(|| drawn(side.result)),
    }
}

/// The part of a result that charts are drawn from.
fn drawn(result: &RunResult) -> Value {
    let Ok(Value::Object(mut keys)) = serde_json::to_value(result) else { return Value::Null };
    keys.retain(|key, _| ["latency_us", "read", "write", "series", "jobs"].contains(&key.as_str()));
    for job in keys.get_mut("jobs").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(job) = job {
            job.retain(|key, _| ["name", "histograms"].contains(&key.as_str()));
        }
    }
    for point in keys.get_mut("series").and_then(Value::as_array_mut).into_iter().flatten() {
        for direction in ["read", "write"] {
            // No chart has two heat maps.
            if let Some(Value::Object(of)) = point.get_mut(direction) {
                of.shift_remove("latencies");
            }
        }
    }
    whole(Value::Object(keys))
}

fn comparison(first: &ComparedSide<'_>, other: &ComparedSide<'_>, with: &ComparedWith) -> ComparisonPart {
    ComparisonPart {
        of: other.name.clone(),
        against: first.name.clone(),
        verdict: match with.comparison.verdict {
            Verdict::Differs => VerdictWord::Differs,
            Verdict::NoDifference => VerdictWord::NoDifference,
            Verdict::NotKnown => VerdictWord::NotKnown,
        },
        says: words::verdict(&with.comparison, &first.name, &other.name),
        figures: with.comparison.figures.iter().map(compared).collect(),
        shift: with.shift.as_ref().map(shift),
        changed: with.changed.iter().map(changed).collect(),
        cautions: with.cautions.clone(),
    }
}

/// A value with the decimals of its figure.
fn amount(figure: Figure, value: f64) -> Amount {
    let decimals = match figure {
        Figure::Iops => 2,
        Figure::Throughput | Figure::Errors => 0,
        _ => 3,
    };
    Amount::with_decimals(value, decimals)
}

fn compared(compared: &Compared) -> ComparedFigure {
    let of = |value: f64| amount(compared.figure, value);
    let relative = compared.bounds.and_then(|bounds| bounds.relative);
    ComparedFigure {
        operation: compared.operation,
        figure: compared.figure,
        a: of(compared.a),
        b: of(compared.b),
        difference: of(compared.difference()),
        low: compared.bounds.map(|bounds| of(bounds.low)),
        high: compared.bounds.map(|bounds| of(bounds.high)),
        relative: compared.relative().map(Share::of),
        relative_low: relative.map(|(low, _)| Share::of(low)),
        relative_high: relative.map(|(_, high)| Share::of(high)),
        differs: compared.differs,
        seen_from: compared.seen_from.map(Share::of),
        independent: compared.bounds.map(|_| compared.independent),
    }
}

fn shift(shift: &Shift) -> ShiftPart {
    let slices = shift.slices.iter().map(|slice| ShiftSlice {
        from_percent: slice.from,
        to_percent: slice.to,
        a_us: Microseconds::of(slice.a_us),
        b_us: Microseconds::of(slice.b_us),
        adds_us: Microseconds::of(slice.adds_us),
    });
    ShiftPart {
        slices: slices.collect(),
        gap: ShiftGap {
            at_us: Microseconds::of(shift.gap.at_us),
            a: Share::of(shift.gap.a),
            b: Share::of(shift.gap.b),
        },
    }
}

fn changed(changed: &Changed) -> Change {
    Change {
        part: changed.part.to_string(),
        what: changed.what.clone(),
        a: changed.a.clone(),
        b: changed.b.clone(),
    }
}

/// A condition and its outcome, of a comparison or of one run.
pub(crate) fn condition_part(judged: &JudgedCondition) -> ConditionPart {
    let JudgedCondition { condition, of, judged: found } = judged;
    let value = |value: f64| match condition.bound {
        Bound::Share(_) => Amount::of(value),
        Bound::Value(_) | Bound::Difference(_) => amount(condition.figure, value),
    };
    ConditionPart {
        condition: condition.to_string(),
        of: of.clone(),
        holds: found.holds,
        value: value(found.value),
        low: found.interval.map(|(low, _)| value(low)),
        high: found.interval.map(|(_, high)| value(high)),
        significant: found.significant,
        decided_by: if condition.surely { DecidedBy::Interval } else { DecidedBy::Value },
    }
}
