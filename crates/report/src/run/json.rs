//! The document of a run: the result itself, with what was asked, expected and prepared beside it.

use serde_json::{Map, Value, json};

use super::{Ended, Prepared, RunScreen, RunStage};
use crate::compare::condition_part;
use crate::document::Document;
use crate::number::{figure, figure_or_null};
use crate::predict::{prediction_part, workload_part};

/// The document of `run`: `iobound.result/1`, which reads back as the [`RunResult`](iobound_measure::RunResult) of
/// the first stage. `stages` has all of them where there are several.
pub fn run_json(screen: &RunScreen<'_>) -> Document {
    let first = &screen.stages[0];
    let mut document = Document::new(iobound_measure::result::SCHEMA)
        .with_all(stage_keys(first))
        .with("prepared", screen.prepared.iter().map(prepared_json).collect::<Vec<Value>>())
        .with("next", screen.next.to_vec());
    if !screen.conditions.is_empty() {
        let conditions: Vec<_> = screen.conditions.iter().map(condition_part).collect();
        document = document.with("fail_if", serde_json::to_value(conditions).expect("its keys are strings"));
    }
    if screen.stages.len() > 1 {
        let stages: Vec<Value> = screen.stages.iter().map(|stage| Value::Object(stage_keys(stage))).collect();
        document = document.with("stages", stages);
    }
    document
}

/// The keys of a stage: those of its result, what was asked, how it ended, what was expected. For the results store.
pub fn stage_keys(stage: &RunStage<'_>) -> Map<String, Value> {
    let result = serde_json::to_value(stage.result).expect("a result is JSON: its keys are strings");
    let Value::Object(mut keys) = whole(result) else { unreachable!("a result is an object") };
    keys.shift_remove("schema");
    keys.insert("workload".into(), serde_json::to_value(workload_part(stage.workload)).expect("its keys are strings"));
    keys.insert("ended".into(), stage.ended.name().into());
    let error = match &stage.ended {
        Ended::Failed(why) => Value::from(why.clone()),
        Ended::Complete | Ended::Interrupted => Value::Null,
    };
    keys.insert("error".into(), error);
    keys.insert("predicted".into(), serde_json::to_value(stage.prediction.map(prediction_part)).expect("its keys are strings"));
    keys.insert("measured_to_predicted".into(), figure_or_null(stage.measured_to_predicted(), 4));
    keys
}

/// The same value with whole figures as integers: `51000`, never `51000.0`.
pub fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) if float.fract() == 0.0 => figure(float, 0),
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, whole(value))).collect(),
        other => other,
    }
}

/// Preparation of a target before a run.
pub fn prepared_json(prepared: &Prepared) -> Value {
    json!({
        "target": prepared.target,
        "did": prepared.did.name(),
        "size_bytes": prepared.size.get(),
        "written_bytes": prepared.written.get(),
        "seconds": figure(prepared.seconds, 3),
        "content": prepared.content,
    })
}
