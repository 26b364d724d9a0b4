//! `predict`: `iobound.predict/2`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cluster::ClusterPart;
use crate::contract::{Contract, Version};
use crate::prediction::PredictionPart;
use crate::quantity::{BytesPerSecond, Iops, Seconds, Usd};

/// Expected performance of a configuration under a workload. The figures at the top are of the first stage of the workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<PredictDocument>,
    /// The configuration, the workload and their figures.
    #[serde(flatten)]
    pub keys: PredictKeys,
    /// Figure to compare with the band; only with `--observed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<ComparedWithBand>,
    /// List price on demand of the VM size and all disks for 730 hours; only with `--region`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<PricePart>,
    /// All stages of the workload, if it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StagePart>>,
}

impl Contract for PredictDocument {
    const ID: &'static str = "iobound.predict/2";
}

/// A prediction with its configuration and its assumptions. A run of a lab has these keys as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictKeys {
    /// The configuration, with defaults filled in.
    pub configuration: ConfigurationPart,
    /// The workload and its figures.
    #[serde(flatten)]
    pub stage: StagePart,
    /// Values that were assumed because they were not given: name, value, and reason.
    pub assumed: Vec<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// A stage of a workload: jobs that run together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StagePart {
    /// The jobs.
    pub workload: WorkloadPart,
    /// Figures of one host.
    #[serde(flatten)]
    pub prediction: PredictionPart,
    /// Figures of several hosts with the same configuration and workload each; only with `--hosts`. Every other key is of one host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterPart>,
}

/// A configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigurationPart {
    /// Full name of the VM size.
    pub vm: String,
    /// Cloud that sells it.
    pub cloud: String,
    /// Era of the figures.
    pub era: String,
    /// Each `--disk` as given.
    pub disks: Vec<String>,
    /// `--os-disk` as given; `null` if not given.
    pub os_disk: Option<String>,
    /// Interleave of the stripe.
    pub stripe_bytes: u64,
    /// Disks that one stripe spans; `null` for all.
    #[schemars(extend("x-unit" = "disks"))]
    pub columns: Option<u64>,
    /// True if each disk is a volume of its own.
    pub separate: bool,
    /// Offset of the file system on its volume.
    pub partition_offset_bytes: u64,
    /// Content of host caches at the start: `warm`, `cold` or `second-run`.
    pub cache_state: String,
    /// Time that the workload has run from full credits; `null` for sustained figures, with credits spent.
    pub at_seconds: Option<Seconds>,
}

/// A workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadPart {
    /// The jobs.
    pub jobs: Vec<JobPart>,
    /// Seed of every random choice.
    #[schemars(extend("x-unit" = "1"))]
    pub seed: u64,
    /// The complete workload, as `--workload` reads it.
    pub toml: String,
}

/// A job of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobPart {
    /// Name of the job.
    pub name: String,
    /// Description of the job, in a line.
    pub description: String,
}

/// A figure beside the band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedWithBand {
    /// IOPS as given; `null` if not given.
    pub iops: Option<Iops>,
    /// Throughput as given; `null` if not given.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// Position of the figure: `inside` the band from `expected.low_iops` to `expected.high_iops` (of throughput: times the bytes of
    /// an I/O), `above` or `below` it. Of two figures, the position of the one that is outside.
    pub verdict: String,
}

/// The list price of a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PricePart {
    /// Price for 730 hours; `null` if the price of a part is unknown.
    pub month: Option<Usd>,
    /// Price of the parts whose price is known.
    pub known_month: Usd,
    /// Currency.
    pub currency: String,
    /// Oldest date of the sources of the prices; `null` if unknown.
    pub as_of: Option<String>,
    /// Parts whose price is unknown.
    pub unknown: Vec<String>,
    /// Parts that are billed by use. They are not in the sum.
    pub by_use: Vec<String>,
}
