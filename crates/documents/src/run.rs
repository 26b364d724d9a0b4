//! `run` and `fleet`: `iobound.result/1`. Python's `simulate` answers with the same document.

use iobound_measure::RunResult;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::compare::ConditionPart;
use crate::contract::{Contract, Version};
use crate::predict::{ConfigurationPart, WorkloadPart};
use crate::prediction::{
    DiskPart, LatencyBandsPart, LimiterPart, PredictedCeiling, PredictionPart, VolumePart,
};
use crate::quantity::{Microseconds, Seconds, Share, whole};

/// The result of a run, with what was asked, expected and prepared. The figures at the top are of the first stage. It reads back as
/// a result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<RunDocument>,
    /// The first stage.
    #[serde(flatten)]
    pub stage: RunStagePart,
    /// Preparation of each target before the run; absent of a run on the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared: Option<Vec<PreparedPart>>,
    /// Commands that continue from here; absent of a run on the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Vec<String>>,
    /// The conditions of `--fail-if`, each with its outcome; absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_if: Option<Vec<ConditionPart>>,
    /// All stages of the workload, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<RunStagePart>>,
}

impl Contract for RunDocument {
    const ID: &'static str = iobound_measure::result::SCHEMA;
}

/// A stage of a run: jobs that ran together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunStagePart {
    /// The result.
    #[serde(flatten, serialize_with = "keys_of_result")]
    pub result: RunResult,
    /// The jobs.
    pub workload: WorkloadPart,
    /// End of the run: `complete`; `interrupted`, with figures of the time until then; or `failed`.
    pub ended: String,
    /// Reason why the run failed; `null` if it did not.
    pub error: Option<String>,
    /// Prediction of the run; `null` if the configuration is unknown.
    pub predicted: Option<PredictionPart>,
    /// `iops` ÷ `predicted.expected.iops`, of several machines ÷ their number as well; `null` without a prediction.
    pub measured_to_predicted: Option<Share>,
    /// Figures of the counted time that only the model knows; only of Python's `simulate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelPart>,
}

/// The keys of a result but its version, which the document has, with whole figures as integers.
fn keys_of_result<S: Serializer>(result: &RunResult, serializer: S) -> Result<S::Ok, S::Error> {
    let mut keys = whole(serde_json::to_value(result).map_err(serde::ser::Error::custom)?);
    if let Value::Object(keys) = &mut keys {
        keys.shift_remove("schema");
    }
    keys.serialize(serializer)
}

/// Figures of the model about its own run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ModelPart {
    /// The configuration, with defaults filled in.
    pub configuration: ConfigurationPart,
    /// Highest rate that the enforced limits allow, as in a prediction.
    pub ceiling: PredictedCeiling,
    /// Bands of latency, as in a prediction.
    pub latency_bands_us: LatencyBandsPart,
    /// Limit of the run, as in a prediction.
    pub binding: Option<String>,
    /// `binding`, and all limits that held I/Os at least half as long.
    pub bindings: Vec<String>,
    /// Limits, as in a prediction.
    pub limits: Vec<LimiterPart>,
    /// Requested outstanding I/Os, over all jobs, threads and targets.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: u64,
    /// Mean latency of a single I/O of each job, with no other I/O outstanding.
    pub latency_alone_us: Microseconds,
    /// Share of the reads that host caches served; `null` without cached reads.
    pub hit_rate: Option<Share>,
    /// Figures of each volume.
    pub volumes: Vec<VolumePart>,
    /// Figures of each disk.
    pub disks: Vec<DiskPart>,
    /// Values that were assumed because they were not given: name, value, and reason.
    pub assumed: Vec<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// Preparation of a target before a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PreparedPart {
    /// The target.
    pub target: String,
    /// `created`, `overwritten`, `filled` (blocks that had never been written), `reused` (of an earlier run) or `untouched`.
    pub did: String,
    /// Size of the target.
    pub size_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Time that the writing took.
    pub seconds: Seconds,
    /// Content of written blocks; `null` if nothing was written.
    pub content: Option<String>,
}
