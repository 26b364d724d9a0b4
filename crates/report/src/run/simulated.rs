//! The document of a run on the model: a result like any other, with what only the model knows beside.

use iobound_documents::{ModelPart, PredictKeys, RunDocument, RunStagePart, Version};
use iobound_measure::RunResult;

use super::document::run_stage_part;
use super::{Ended, RunStage};
use crate::predict::{Predicted, predict_keys};

/// The document of a run of the workload's own seconds in virtual time, with `model` beside the result: the configuration, the
/// limits and what was used of them, what bound, what was assumed. `predicted` has what each stage's run says of itself, `results`
/// the figures, stage by stage, as many.
///
/// # Panics
/// There is no stage.
pub fn simulated_document(predicted: &Predicted<'_>, results: &[RunResult]) -> RunDocument {
    let stages = predicted.stages.iter().zip(results).map(|(stage, result)| {
        let run = RunStage { workload: &stage.workload, result, prediction: None, ended: Ended::Complete };
        let own = Predicted { stages: std::slice::from_ref(stage), ..predicted.clone() };
        RunStagePart { model: Some(model_part(predict_keys(&own))), ..run_stage_part(&run) }
    });
    let stages: Vec<RunStagePart> = stages.collect();
    RunDocument {
        schema: Version::default(),
        stage: stages[0].clone(),
        prepared: None,
        next: None,
        fail_if: None,
        stages: (stages.len() > 1).then_some(stages),
    }
}

/// The keys of a prediction but those that a run has figures of its own for, or that are of no single run.
fn model_part(keys: PredictKeys) -> ModelPart {
    let PredictKeys { configuration, stage, assumed, notes } = keys;
    let prediction = stage.prediction;
    ModelPart {
        configuration,
        ceiling: prediction.ceiling,
        latency_bands_us: prediction.latency_bands_us,
        binding: prediction.binding,
        bindings: prediction.bindings,
        limits: prediction.limits,
        outstanding: prediction.outstanding,
        latency_alone_us: prediction.latency_alone_us,
        hit_rate: prediction.hit_rate,
        volumes: prediction.volumes,
        disks: prediction.disks,
        assumed,
        notes,
    }
}
