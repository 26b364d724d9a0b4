use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of the figures.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Name of the tool: `fio`, `diskspd`, `iometer`.
    pub name: String,
    /// Version of the tool; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Known facts about the circumstances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// Start of the run by the wall clock (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Machine that it ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Command line as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Configuration: VM size, disks, volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// Seed of every random choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "1"))]
    pub seed: Option<u64>,
    /// Time of I/O before the counted time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_s: Option<f64>,
    /// Counted time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_s: Option<f64>,
    /// Length of an interval of the series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_s: Option<f64>,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Name of the check.
    pub name: String,
    /// `ok`, `warning`, `failed` or `unknown`.
    pub outcome: Outcome,
    /// The finding, as a sentence.
    pub says: String,
}

/// True if the counted time was steady: five equal rounds, in each direction a range of at most 20 % of the
/// mean and an excursion of the best-fit line of at most 10 % (the SNIA's rule).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steady {
    /// True if every used direction is steady.
    pub steady: bool,
    /// Time since the start of I/O at which the warm-up ended in fact, by MSER-5 on the complete series; absent if the
    /// series is too short or never settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_s: Option<f64>,
    /// Length of each of the five rounds.
    pub round_s: f64,
    /// The reads; absent without reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<SteadyDirection>,
    /// The writes; absent without writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<SteadyDirection>,
}

/// Distance between the five rounds of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyDirection {
    /// True if both bounds are met.
    pub steady: bool,
    /// (Highest - lowest) ÷ mean of the rounds.
    #[schemars(extend("x-unit" = "1"))]
    pub range: f64,
    /// Rise of the best-fit line from the first to the last round ÷ mean; negative if it falls.
    #[schemars(extend("x-unit" = "1"))]
    pub excursion: f64,
}

/// Confidence in the mean IOPS of the counted time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confidence {
    /// Confidence level of the interval.
    #[schemars(extend("x-unit" = "1"))]
    pub level: f64,
    /// Lower end of the interval of the mean IOPS, at least zero.
    pub low_iops: f64,
    /// Upper end of the interval of the mean IOPS.
    pub high_iops: f64,
    /// Half the width of the interval ÷ the mean.
    #[schemars(extend("x-unit" = "1"))]
    pub relative: f64,
    /// Batches of the counted time.
    #[schemars(extend("x-unit" = "batches"))]
    pub batches: usize,
    /// Length of a batch.
    pub batch_s: f64,
    /// True if the batches look independent. If not, the true interval is wider.
    pub independent: bool,
}

/// A replay of a trace beside the recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayFacts {
    /// Name of the job: the files of the trace.
    pub trace: String,
    /// Mode: `timed` issues each I/O at its recorded time; `dependent` waits for the I/Os that had completed before it;
    /// `eager` ignores the times of the log (fio's `replay_no_stall`).
    pub mode: String,
    /// Factor on the recorded speed.
    #[schemars(extend("x-unit" = "1"))]
    pub speed: f64,
    /// True if the trace was replayed to its end.
    pub complete: bool,
    /// I/Os that were issued.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub issued: u64,
    /// Time from the first recorded issue to the last, divided by the speed.
    pub recorded_s: f64,
    /// Time from the intended issue of the first I/O to the last issue. The time until the last completion is not part of it:
    /// `start.counted_s`, and with it the IOPS, has that too.
    pub issued_s: f64,
    /// Issue rate ÷ recorded rate: `recorded_s` ÷ `issued_s`. Absent if the trace was not replayed to its end, has fewer than
    /// ten I/Os or is shorter than 0.1 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "1"))]
    pub rate: Option<f64>,
    /// The most I/Os that could be outstanding. Absent in results of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub most_outstanding: Option<u64>,
    /// I/Os that waited because `most_outstanding` others were outstanding. Their latency counts from the intended time.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub held_back: u64,
    /// I/Os beyond the end of their target; their offsets were wrapped.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub wrapped: u64,
    /// I/Os whose offset or length was rounded to what the target takes.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub rounded: u64,
    /// I/Os that were left out: of length zero, or longer than their target or than a buffer.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub left_out: u64,
}

/// The slowest and the fastest second of the counted time; only whole ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerSecond {
    /// IOPS of the slowest second.
    #[schemars(extend("x-unit" = "IOPS"))]
    pub min: f64,
    /// IOPS of the fastest second.
    #[schemars(extend("x-unit" = "IOPS"))]
    pub max: f64,
}
