//! The document of a run: the result itself, with what was asked, expected and prepared beside it.

use iobound_documents::{PreparedPart, RunDocument, RunStagePart, Seconds, Share, Version};
use serde_json::{Map, Value};

use super::{Ended, Prepared, RunScreen, RunStage};
use crate::compare::condition_part;
use crate::predict::{prediction_part, workload_part};

/// The document of `run`, which reads back as the [`RunResult`](iobound_measure::RunResult) of the first stage. `stages` has all of
/// them where there are several.
pub fn run_document(screen: &RunScreen<'_>) -> RunDocument {
    let conditions = || screen.conditions.iter().map(condition_part).collect();
    RunDocument {
        schema: Version::default(),
        stage: run_stage_part(&screen.stages[0]),
        prepared: Some(screen.prepared.iter().map(prepared_part).collect()),
        next: Some(screen.next.to_vec()),
        fail_if: (!screen.conditions.is_empty()).then(conditions),
        stages: (screen.stages.len() > 1).then(|| screen.stages.iter().map(run_stage_part).collect()),
    }
}

/// A stage: its result, what was asked, how it ended, what was expected.
pub(super) fn run_stage_part(stage: &RunStage<'_>) -> RunStagePart {
    RunStagePart {
        result: stage.result.clone(),
        workload: workload_part(stage.workload),
        ended: stage.ended.name().to_string(),
        error: match &stage.ended {
            Ended::Failed(why) => Some(why.clone()),
            Ended::Complete | Ended::Interrupted => None,
        },
        predicted: stage.prediction.map(prediction_part),
        measured_to_predicted: stage.measured_to_predicted().map(|share| Share::with_decimals(share, 4)),
        model: None,
    }
}

/// The keys of a stage, and what was prepared, for the results store.
pub fn kept_keys(stage: &RunStage<'_>, prepared: &[Prepared]) -> Map<String, Value> {
    let value = |part: serde_json::Result<Value>| part.expect("its keys are strings");
    let Value::Object(mut keys) = value(serde_json::to_value(run_stage_part(stage))) else {
        unreachable!("a stage is an object")
    };
    if !prepared.is_empty() {
        let parts: Vec<PreparedPart> = prepared.iter().map(prepared_part).collect();
        keys.insert("prepared".into(), value(serde_json::to_value(parts)));
    }
    keys
}

/// Preparation of a target before a run.
fn prepared_part(prepared: &Prepared) -> PreparedPart {
    PreparedPart {
        target: prepared.target.clone(),
        did: prepared.did.name().to_string(),
        size_bytes: prepared.size.get(),
        written_bytes: prepared.written.get(),
        seconds: Seconds::with_decimals(prepared.seconds, 3),
        content: prepared.content.clone(),
    }
}
