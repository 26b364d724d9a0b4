//! The document of a comparison: `iobound.compare/1`.

use iobound_measure::RunResult;
use iobound_measure::compare::{Bound, Changed, Compared, LEVEL, Shift, Verdict};
use iobound_measure::result::Figure;
use serde_json::{Value, json};

use super::{CompareScreen, ComparedSide, ComparedWith, JudgedCondition, words};
use crate::document::Document;
use crate::number::{figure as rounded, figure_or_null, us};
use crate::run::whole;

/// The version of the document.
const SCHEMA: &str = "iobound.compare/1";

/// The document of a comparison.
pub fn compare_json(screen: &CompareScreen<'_>) -> Document {
    let first = &screen.sides[0];
    let comparisons: Vec<Value> = screen.sides[1..]
        .iter()
        .zip(screen.against)
        .map(|(other, with)| comparison(first, other, with))
        .collect();
    Document::new(SCHEMA)
        .with("method", if screen.rounds.is_some() { "paired" } else { "independent" })
        .with("level", LEVEL)
        .with(
            "rounds",
            screen.rounds.map(|rounds| {
                json!({
                    "count": rounds.count,
                    "turn_s": rounded(rounds.turn_s, 6),
                    "warmup_s": rounded(rounds.warmup_s, 6),
                })
            }),
        )
        .with("sides", screen.sides.iter().map(|one| side(one, screen.with_results)).collect::<Vec<Value>>())
        .with("comparisons", comparisons)
        .with("fail_if", screen.conditions.iter().map(condition_json).collect::<Vec<Value>>())
        .with("next", screen.next.to_vec())
}

fn side(side: &ComparedSide<'_>, with_result: bool) -> Value {
    let start = side.result.start.as_ref();
    let mut value = json!({
        "name": side.name,
        "from": side.from,
        "id": side.result.id,
        "at": start.and_then(|start| start.at.clone()),
        "source": side.result.source,
        "target": side.result.device,
        "workload": side.asked,
        "counted_s": start.and_then(|start| start.counted_s),
        "ios": side.result.total.ios,
    });
    if with_result {
        value["result"] = drawn(side.result);
    }
    value
}

/// Parts of pictures of a result.
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
            // There is no picture of two heat maps in one.
            if let Some(Value::Object(of)) = point.get_mut(direction) {
                of.shift_remove("latencies");
            }
        }
    }
    whole(Value::Object(keys))
}

fn comparison(first: &ComparedSide<'_>, other: &ComparedSide<'_>, with: &ComparedWith) -> Value {
    json!({
        "of": other.name,
        "against": first.name,
        "verdict": match with.comparison.verdict {
            Verdict::Differs => "differs",
            Verdict::NoDifference => "no_difference",
            Verdict::NotKnown => "not_known",
        },
        "says": words::verdict(&with.comparison, &first.name, &other.name),
        "figures": with.comparison.figures.iter().map(compared).collect::<Vec<Value>>(),
        "shift": with.shift.as_ref().map(shift),
        "changed": with.changed.iter().map(changed).collect::<Vec<Value>>(),
        "cautions": with.cautions,
    })
}

/// A value in its figure's own precision.
fn own(figure: Figure, value: f64) -> Value {
    match figure {
        Figure::Iops => rounded(value, 2),
        Figure::Throughput | Figure::Errors => rounded(value, 0),
        _ => us(value),
    }
}

fn compared(compared: &Compared) -> Value {
    let of = |value: f64| own(compared.figure, value);
    let relative = compared.bounds.and_then(|bounds| bounds.relative);
    json!({
        "operation": compared.operation,
        "figure": compared.figure,
        "a": of(compared.a),
        "b": of(compared.b),
        "difference": of(compared.difference()),
        "low": compared.bounds.map(|bounds| of(bounds.low)),
        "high": compared.bounds.map(|bounds| of(bounds.high)),
        "relative": figure_or_null(compared.relative(), 6),
        "relative_low": figure_or_null(relative.map(|relative| relative.0), 6),
        "relative_high": figure_or_null(relative.map(|relative| relative.1), 6),
        "differs": compared.differs,
        "seen_from": figure_or_null(compared.seen_from, 6),
        "independent": compared.bounds.map(|_| compared.independent),
    })
}

fn shift(shift: &Shift) -> Value {
    let slices: Vec<Value> = shift
        .slices
        .iter()
        .map(|slice| {
            json!({
                "from_percent": slice.from,
                "to_percent": slice.to,
                "a_us": us(slice.a_us),
                "b_us": us(slice.b_us),
                "adds_us": us(slice.adds_us),
            })
        })
        .collect();
    json!({
        "slices": slices,
        "gap": {
            "at_us": us(shift.gap.at_us),
            "a": rounded(shift.gap.a, 6),
            "b": rounded(shift.gap.b, 6),
        },
    })
}

fn changed(changed: &Changed) -> Value {
    json!({ "part": changed.part, "what": changed.what, "a": changed.a, "b": changed.b })
}

/// A condition, whoever was judged by it.
pub(crate) fn condition_json(judged: &JudgedCondition) -> Value {
    let JudgedCondition { condition, of, judged: found } = judged;
    let value = |value: f64| match condition.bound {
        Bound::Share(_) => rounded(value, 6),
        Bound::Value(_) | Bound::Difference(_) => own(condition.figure, value),
    };
    json!({
        "condition": condition.to_string(),
        "of": of,
        "holds": found.holds,
        "value": value(found.value),
        "low": found.interval.map(|(low, _)| value(low)),
        "high": found.interval.map(|(_, high)| value(high)),
        "significant": found.significant,
        "decided_by": if condition.surely { "interval" } else { "value" },
    })
}
