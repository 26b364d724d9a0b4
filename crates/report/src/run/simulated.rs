//! The document of a run on the model: a result like any other, with what only the model knows beside.

use iobound_measure::RunResult;
use serde_json::{Map, Value};

use super::{Ended, RunStage, stage_keys};
use crate::document::Document;
use crate::predict::{Predicted, predict_keys};

/// Keys of a prediction that a run has figures of its own for, or that are of no single run.
const OF_THE_RUN: [&str; 7] = ["workload", "expected", "latency_us", "burst", "knee", "stages", "published"];

/// The document of a run of the workload's own seconds in virtual time: `iobound.result/1`, with `model` beside: the
/// configuration, the limits and what was used of them, what bound, what was assumed. `predicted` has what each stage's run
/// says of itself, `results` the figures, stage by stage.
pub fn simulated_json(predicted: &Predicted<'_>, results: &[RunResult]) -> Document {
    let stages: Vec<Map<String, Value>> = predicted
        .stages
        .iter()
        .zip(results)
        .map(|(stage, result)| {
            let run =
                RunStage { workload: &stage.workload, result, prediction: None, ended: Ended::Complete };
            let mut keys = stage_keys(&run);
            let own = Predicted { stages: std::slice::from_ref(stage), ..predicted.clone() };
            let Ok(Value::Object(mut model)) = serde_json::to_value(predict_keys(&own)) else { unreachable!() };
            OF_THE_RUN.iter().for_each(|key| drop(model.shift_remove(*key)));
            keys.insert("model".into(), Value::Object(model));
            keys
        })
        .collect();
    let mut document =
        Document::new(iobound_measure::result::SCHEMA).with_all(stages.first().cloned().unwrap_or_default());
    if stages.len() > 1 {
        document = document.with("stages", stages.into_iter().map(Value::Object).collect::<Vec<Value>>());
    }
    document
}
