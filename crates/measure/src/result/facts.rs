use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the figures come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The model in virtual time.
    Simulated,
    /// The run loop in real time on the model.
    Rehearsed,
    /// The run loop on real targets.
    Measured,
    /// Another tool's output.
    Foreign,
}

/// The tool whose output this was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name: `fio`, `diskspd`, `iometer`.
    pub name: String,
    /// Its version, where the output tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Known facts about the circumstances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// When it started, by the wall clock: RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The machine it ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The command line, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The configuration: VM size, disks, volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// Seed of every random choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Time that I/O ran before counting started, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_s: Option<f64>,
    /// Time that counting was on, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_s: Option<f64>,
    /// Time that an interval of the series is, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_s: Option<f64>,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As it should be.
    Ok,
    /// To be looked at: the figures may mean something else than they seem to.
    Warning,
    /// The figures cannot be trusted.
    Failed,
    /// Could not be checked here.
    Unknown,
}

/// A named finding about the run itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Name of the check: one word or two with hyphens.
    pub name: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The findings, in a sentence.
    pub says: String,
}

/// True if the counted time was steady: five equal rounds, in each direction a range of at most 20 % of the
/// mean and an excursion of the best-fit line of at most 10 % (the SNIA's rule).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steady {
    /// True if every direction that was used is.
    pub steady: bool,
    /// When the warm-up truly ended, in seconds since I/O began, by MSER-5 on the whole series; absent where
    /// the series is too short to tell or never settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_s: Option<f64>,
    /// Time that each of the five rounds is, in seconds.
    pub round_s: f64,
    /// The reads, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<SteadyDirection>,
    /// The writes, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<SteadyDirection>,
}

/// Distance between the five rounds of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyDirection {
    /// True if both bounds are met.
    pub steady: bool,
    /// (highest - lowest) ÷ mean.
    pub range: f64,
    /// Rise of the best-fit line from first to last round ÷ mean; negative where it falls.
    pub excursion: f64,
}

/// Confidence in the mean IOPS of the counted time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// The share of such intervals that hold the true mean: 0.95.
    pub level: f64,
    /// The lower end of the interval of the mean IOPS, not below zero.
    pub low_iops: f64,
    /// The upper end.
    pub high_iops: f64,
    /// Half the width ÷ the mean.
    pub relative: f64,
    /// Number of time batches.
    pub batches: usize,
    /// Time that a batch is, in seconds.
    pub batch_s: f64,
    /// True if the batches look independent; where not, the true interval is wider.
    pub independent: bool,
}

/// The slowest and the fastest second of the counted time; only whole ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerSecond {
    /// IOPS of the slowest.
    pub min: f64,
    /// IOPS of the fastest.
    pub max: f64,
}
