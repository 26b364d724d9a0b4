use iobound_lab::{Band, Change, Figure, ModelRun, OnModel, Published, Reached, RealRun, Row};
use iobound_measure::result::{Check, Latency, PerSecond};
use iobound_predict::Binding;
use serde_json::{Map, Value, json};

use super::Laboratory;
use crate::document::Document;
use crate::number::{bytes_per_s, figure, figure_or_null, iops, us};
use crate::predict::{Predicted, Stage, Wording, predict_keys, workload_part};

/// The version of the document.
const SCHEMA: &str = "iobound.lab/1";

/// The document of `lab`: each run has the keys of `predict` beside its own.
pub fn lab_json(lab: &Laboratory<'_>) -> Document {
    Document::new(SCHEMA)
        .with("experiment", json!({ "name": lab.name, "about": lab.about, "region": lab.region }))
        .with("complete", lab.rows.len() == lab.asked)
        .with("error", lab.error)
        .with("tolerance", iobound_lab::TOLERANCE)
        .with("runs", lab.rows.iter().map(run).collect::<Vec<Value>>())
}

fn run(row: &Row) -> Value {
    let planned = &row.run;
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.into(), value);
    };
    put("name", planned.name.clone().into());
    put("from", planned.from.clone().into());
    put("changed", planned.changed().into());
    put("changes", planned.changes.iter().map(change).collect());
    put("published", planned.published.as_ref().map_or(Value::Null, published));
    put("no_figure", planned.no_figure.clone().into());
    put("verdict", row.verdict.name().into());
    let would_need = (!row.would_need.is_empty()).then(|| row.would_need.join("; "));
    put("would_need", would_need.into());
    let beyond = (!row.beyond.is_empty()).then(|| row.beyond.join("; "));
    put("beyond", beyond.into());
    put("band", row.band.as_ref().map_or(Value::Null, band));
    map.extend(match (&planned.on_model, &row.execution.modelled) {
        (Some(on_model), Some(modelled)) => predicted(row, on_model, modelled),
        _ => unpredicted(row),
    });
    let mut put = |key: &str, value: Value| {
        map.insert(key.into(), value);
    };
    let simulated = row.execution.modelled.as_ref().map(|modelled| &modelled.simulated);
    put("simulated", simulated.map_or(Value::Null, reached));
    put("per_second", per_second(simulated.and_then(|simulated| simulated.per_second)));
    put("real_time", row.execution.real_time.as_ref().map_or(Value::Null, reached));
    put("targets", planned.targets.clone().into());
    put("measured", row.execution.measured.as_ref().map_or(Value::Null, measured));
    put("measured_to_predicted", figure_or_null(row.measured_to_predicted(), 4));
    put("rehearsed", row.execution.rehearsed.as_ref().map_or(Value::Null, reached));
    put("price", planned.price.as_ref().map_or(Value::Null, price));
    put("note", planned.note.clone().into());
    Value::Object(map)
}

/// The keys of `predict`, with what the publication does not say among the assumptions.
fn predicted(row: &Row, on_model: &OnModel, modelled: &ModelRun) -> Map<String, Value> {
    let planned = &row.run;
    let OnModel { machine, resolved, workload } = on_model;
    let stages =
        [Stage { workload: workload.clone(), prediction: modelled.prediction.clone(), cluster: None }];
    let predicted = Predicted {
        configuration: &machine.configuration,
        resolved,
        cache: machine.cache,
        age: machine.age,
        stages: &stages,
        notes: &planned.notes,
        wording: Wording::Plain,
        published: None,
        price: None,
    };
    let Ok(Value::Object(mut keys)) = serde_json::to_value(predict_keys(&predicted)) else { unreachable!() };
    if let Some(Value::Array(assumed)) = keys.get_mut("assumed") {
        let own = planned.assumed.iter().map(|assumed| Value::from(assumed.clone()));
        *assumed = own.chain(std::mem::take(assumed)).collect();
    }
    keys
}

/// The keys of `predict` that are about a configuration.
const OF_A_CONFIGURATION: [&str; 15] = [
    "configuration",
    "ceiling",
    "expected",
    "latency_us",
    "latency_bands_us",
    "binding",
    "bindings",
    "gates",
    "burst",
    "knee",
    "outstanding",
    "latency_alone_us",
    "hit_rate",
    "volumes",
    "disks",
];

/// The same keys of a row without a configuration: null but for what was asked, so that scripts find them.
fn unpredicted(row: &Row) -> Map<String, Value> {
    let mut keys: Map<String, Value> =
        OF_A_CONFIGURATION.iter().map(|key| (key.to_string(), Value::Null)).collect();
    keys.insert("workload".into(), serde_json::to_value(workload_part(&row.run.workload)).expect("its keys are strings"));
    keys.insert("assumed".into(), row.run.assumed.clone().into());
    keys.insert("notes".into(), row.run.notes.clone().into());
    keys
}

fn change(change: &Change) -> Value {
    json!({ "what": change.what, "from": change.from, "to": change.to })
}

fn published(published: &Published) -> Value {
    let value =
        |figure: Option<Figure>, decimals| figure_or_null(figure.map(|figure| figure.value), decimals);
    // Of a range nothing more is known than its middle, which is what a single key can say.
    let middle = published.range.filter(|_| published.is_range());
    let middle_of = |is_throughput: bool| {
        middle
            .filter(|range| range.is_throughput == is_throughput)
            .map_or(Value::Null, |range| figure(f64::midpoint(range.low.value, range.high.value), 2))
    };
    let or_middle = |figure: Option<Figure>, is_throughput: bool| match figure {
        Some(_) => value(figure, 2),
        None => middle_of(is_throughput),
    };
    json!({
        "iops": or_middle(published.iops, false),
        "throughput_bytes_per_s": or_middle(published.throughput_bytes_per_s, true),
        "latency_us": value(published.latency_us, 3),
        "source": published.source,
        "low": published.range.map_or(Value::Null, |range| figure(range.low.value, 2)),
        "high": published.range.map_or(Value::Null, |range| figure(range.high.value, 2)),
        "is_range": published.is_range(),
        "text": published.text,
    })
}

fn band(band: &Band) -> Value {
    json!({
        "low_iops": iops(band.low),
        "high_iops": iops(band.high),
        "low_throughput_bytes_per_s": bytes_per_s(band.low * band.block),
        "high_throughput_bytes_per_s": bytes_per_s(band.high * band.block),
    })
}

fn reached(reached: &Reached) -> Value {
    let mut value = json!({
        "iops": iops(reached.iops),
        "throughput_bytes_per_s": bytes_per_s(reached.throughput_bytes_per_s),
        "latency_us": reached.latency.as_ref().map_or(Value::Null, latency),
        "per_second": per_second(reached.per_second),
        "hit_rate": figure_or_null(reached.hit_rate, 6),
        "binding": reached.binding.first().map(Binding::to_string),
        "bindings": reached.binding.iter().map(Binding::to_string).collect::<Vec<String>>(),
        "seconds": figure(reached.seconds, 3),
        "late_us": reached.late.map_or(Value::Null, |late| us(late.us_f64())),
    });
    if let Some(id) = &reached.id {
        value["id"] = id.clone().into();
    }
    value
}

/// The figures of a real run, with what was found about the run itself.
fn measured(measured: &RealRun) -> Value {
    let mut value = reached(&measured.reached);
    value["checks"] = measured.checks.iter().map(check).collect();
    value
}

fn check(check: &Check) -> Value {
    json!({ "name": check.name, "outcome": check.outcome, "says": check.says })
}

fn latency(latency: &Latency) -> Value {
    let figures = [
        ("mean", latency.mean),
        ("p50", latency.p50),
        ("p90", latency.p90),
        ("p95", latency.p95),
        ("p99", latency.p99),
        ("max", latency.max),
    ];
    figures.into_iter().map(|(name, value)| (name.to_string(), value.map_or(Value::Null, us))).collect()
}

fn per_second(seconds: Option<PerSecond>) -> Value {
    seconds.map_or(Value::Null, |seconds| json!({ "min": iops(seconds.min), "max": iops(seconds.max) }))
}

fn price(price: &iobound_catalog::Price) -> Value {
    json!({
        "month": price.per_month.map(|month| figure(month.as_f64(), 2)),
        "known": figure(price.known_per_month.as_f64(), 2),
        "currency": price.currency,
        "as_of": price.as_of,
        "unknown": price.unknown,
    })
}
