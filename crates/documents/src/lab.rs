//! `lab` and `lab --list`: `iobound.lab/2` and `iobound.lab-list/1`.

use std::borrow::Cow;

use iobound_measure::result::Check;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, IgnoredAny};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::contract::{Contract, Version};
use crate::predict::{PredictKeys, WorkloadPart};
use crate::quantity::{Amount, BytesPerSecond, Iops, Microseconds, Seconds, Share, Usd};

/// Runs of an experiment, each beside what was published of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<LabDocument>,
    /// The experiment.
    pub experiment: ExperimentPart,
    /// True if all rows are done. It is false if the experiment was interrupted or a real target failed; then `runs` has the
    /// complete rows.
    pub complete: bool,
    /// Reason why a run on a real target failed, and which; `null` if none failed.
    pub error: Option<String>,
    /// Distance outside the band at which a published figure still counts as explained, as a share of the figure. It allows for
    /// figures that were published rounded.
    #[schemars(extend("x-unit" = "1"))]
    pub tolerance: f64,
    /// The rows. Each has the keys of a prediction and its own. Without a configuration, the keys about one are `null`.
    pub runs: Vec<LabRun>,
}

impl Contract for LabDocument {
    const ID: &'static str = "iobound.lab/2";
}

/// An experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentPart {
    /// Name of the experiment.
    pub name: String,
    /// Question of the experiment.
    pub about: String,
    /// Region whose prices are shown.
    pub region: String,
}

/// A row of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabRun {
    /// Name of the row.
    pub name: String,
    /// Row that this row starts from; `null` if it starts from none.
    pub from: Option<String>,
    /// Differences from that row, in a line; `null` without that row.
    pub changed: Option<String>,
    /// Differences from that row, one by one.
    pub changes: Vec<ChangePart>,
    /// Published figures; `null` if nothing was published.
    pub published: Option<PublishedPart>,
    /// Words of the publication where it gives no figure; otherwise `null`.
    pub no_figure: Option<String>,
    /// `explained`: the published figure, or the middle of a published range, lies in `band`. `unexplained`: it does not.
    /// `no_figure`: there is no figure, or no configuration to explain it with.
    pub verdict: String,
    /// Of an unexplained row: the position of the figure, then what would have to be true, one possibility after the other, the
    /// smallest change of a known quantity first; otherwise `null`.
    pub would_need: Option<String>,
    /// Of a published range that the band explains in part: what the rest would need; otherwise `null`.
    pub beyond: Option<String>,
    /// Band that a published figure is compared with: the calibrated band from `expected.low_iops` to `expected.high_iops`, extended to
    /// the simulated run. The published figures are among the runs that calibrate it. `null` without a configuration.
    pub band: Option<LabBand>,
    /// Keys of a prediction.
    #[serde(flatten)]
    pub prediction: LabPrediction,
    /// The workload for its own time, in virtual time; `null` without a configuration.
    pub simulated: Option<ReachedPart>,
    /// Slowest and fastest whole second of `simulated`; `null` if unknown.
    pub per_second: Option<SecondsPart>,
    /// With `--real-time`: the workload on the model, on the clock of this machine; otherwise `null`.
    pub real_time: Option<ReachedPart>,
    /// Files, folders and block devices that the row runs on, as named; empty if it runs on the model only.
    pub targets: Vec<String>,
    /// The workload on `targets`; `null` if it did not run. `hit_rate`, `binding` and `late_us` are unknown, so `null`.
    pub measured: Option<MeasuredPart>,
    /// `measured.iops` ÷ `expected.iops`; `null` without either.
    pub measured_to_predicted: Option<Share>,
    /// With `--live`: the workload by the load generator on the emulated disks, through FUSE files, in real time; `null` if it did
    /// not run. `late_us` is the mean time from due to replied. `hit_rate` and `binding` are `null`.
    pub rehearsed: Option<ReachedPart>,
    /// List price of VM and disks for 730 hours in `region`; `null` if not known at all.
    pub price: Option<LabPrice>,
    /// Other facts to know about the row; `null` without any.
    pub note: Option<String>,
}

/// The keys of a prediction in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LabPrediction {
    /// Of a row with a configuration.
    Predicted(Box<PredictKeys>),
    /// Of a row without one.
    Unpredicted(Box<UnpredictedKeys>),
}

/// The keys of a prediction in a row without a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnpredictedKeys {
    /// Keys about a configuration.
    #[serde(flatten)]
    pub absent: WithoutConfiguration,
    /// The jobs.
    pub workload: WorkloadPart,
    /// Values that were assumed because they were not given: name, value, and reason.
    pub assumed: Vec<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// The keys of a prediction that are about a configuration: each is `null`, so that scripts find them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutConfiguration;

const OF_A_CONFIGURATION: [&str; 15] = [
    "configuration",
    "ceiling",
    "expected",
    "latency_us",
    "latency_bands_us",
    "binding",
    "bindings",
    "limits",
    "burst",
    "knee",
    "outstanding",
    "latency_alone_us",
    "hit_rate",
    "volumes",
    "disks",
];

impl Serialize for WithoutConfiguration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for key in OF_A_CONFIGURATION {
            map.serialize_entry(key, &())?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for WithoutConfiguration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WithoutConfiguration, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| WithoutConfiguration)
    }
}

impl JsonSchema for WithoutConfiguration {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "WithoutConfiguration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let nulls: Map<String, Value> = OF_A_CONFIGURATION
            .iter()
            .map(|key| (key.to_string(), json_schema!({ "type": "null" }).into()))
            .collect();
        json_schema!({ "type": "object", "properties": nulls, "required": OF_A_CONFIGURATION })
    }
}

/// A difference between two rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangePart {
    /// Name of the property.
    pub what: String,
    /// Its value in the other row; empty if absent.
    pub from: String,
    /// Its value in this row; empty if absent.
    pub to: String,
}

/// Published figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedPart {
    /// Published IOPS, of a range its middle; `null` if not published.
    pub iops: Option<Iops>,
    /// Published throughput, of a range its middle; `null` if not published.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// Published latency; `null` if not published.
    pub latency_us: Option<Microseconds>,
    /// The publication.
    pub source: String,
    /// Lowest published figure; `null` if not published.
    #[schemars(extend("x-unit" = "as published"))]
    pub low: Option<Amount>,
    /// Highest published figure; `null` if not published.
    #[schemars(extend("x-unit" = "as published"))]
    pub high: Option<Amount>,
    /// True if only the lowest and the highest figure of several runs were published.
    pub is_range: bool,
    /// Words of the publication; `null` if not recorded.
    pub text: Option<String>,
}

/// The band that a published figure is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabBand {
    /// Lower end.
    pub low_iops: Iops,
    /// Upper end.
    pub high_iops: Iops,
    /// Lower end as throughput.
    pub low_throughput_bytes_per_s: BytesPerSecond,
    /// Upper end as throughput.
    pub high_throughput_bytes_per_s: BytesPerSecond,
}

/// Figures of a run of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReachedPart {
    /// Mean IOPS of the counted time.
    pub iops: Iops,
    /// Mean throughput of the counted time.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Latency of reads and writes together; `null` if nothing completed.
    pub latency_us: Option<ReachedLatency>,
    /// Slowest and fastest whole second; `null` without a whole second.
    pub per_second: Option<SecondsPart>,
    /// Share of the reads that host caches served; `null` without cached reads.
    pub hit_rate: Option<Share>,
    /// Limit that bound, as in a prediction; `null` if unknown.
    pub binding: Option<String>,
    /// All limits that bound, as in a prediction.
    pub bindings: Vec<String>,
    /// Counted time.
    pub seconds: Seconds,
    /// Mean delay of timers on a real clock; `null` in virtual time.
    pub late_us: Option<Microseconds>,
    /// Id under which the run is kept; absent if it is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Latency of a run of a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReachedLatency {
    /// Mean latency; `null` if unknown.
    pub mean: Option<Microseconds>,
    /// Median latency; `null` if unknown.
    pub p50: Option<Microseconds>,
    /// 90th percentile of latency; `null` if unknown.
    pub p90: Option<Microseconds>,
    /// 95th percentile of latency; `null` if unknown.
    pub p95: Option<Microseconds>,
    /// 99th percentile of latency; `null` if unknown.
    pub p99: Option<Microseconds>,
    /// Maximum latency; `null` if unknown.
    pub max: Option<Microseconds>,
}

/// The slowest and the fastest whole second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondsPart {
    /// IOPS of the slowest second.
    pub min: Iops,
    /// IOPS of the fastest second.
    pub max: Iops,
}

/// A run on real targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredPart {
    /// The figures.
    #[serde(flatten)]
    pub reached: ReachedPart,
    /// Findings about the run itself, as `checks` of `run`.
    pub checks: Vec<Check>,
}

/// The list price of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabPrice {
    /// Price for 730 hours; `null` if the price of a part is unknown.
    pub month: Option<Usd>,
    /// Price of the parts whose price is known.
    pub known: Usd,
    /// Currency.
    pub currency: String,
    /// Oldest date of the sources of the prices; `null` if unknown.
    pub as_of: Option<String>,
    /// Parts whose price is unknown.
    pub unknown: Vec<String>,
}

/// The experiments that ship with the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabListDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<LabListDocument>,
    /// The experiments.
    pub experiments: Vec<ListedExperiment>,
}

impl Contract for LabListDocument {
    const ID: &'static str = "iobound.lab-list/1";
}

/// An experiment of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedExperiment {
    /// Name of the experiment, as `lab` takes it.
    pub name: String,
    /// Question of the experiment.
    pub about: String,
    /// Rows of the experiment.
    #[schemars(extend("x-unit" = "rows"))]
    pub runs: u64,
}
