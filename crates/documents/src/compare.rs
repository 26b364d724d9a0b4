//! `compare` and `run --vs`: `iobound.compare/1`.

use iobound_measure::result::{Direction, Figure, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::{Contract, Version};
use crate::quantity::{Amount, Microseconds, Seconds, Share};

/// Two or more results side by side. The first is *a*; each other result is a *b* that is compared with it. Differences are b - a.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<CompareDocument>,
    /// `independent`: each result is a run by itself. `paired`: the two took turns (`run --vs`).
    pub method: Method,
    /// Confidence level of the intervals.
    #[schemars(extend("x-unit" = "1"))]
    pub level: f64,
    /// Order of the two in turns; `null` for independent results.
    pub rounds: Option<RoundsPart>,
    /// The results that are compared.
    pub sides: Vec<SidePart>,
    /// One comparison with the first result for each other result.
    pub comparisons: Vec<ComparisonPart>,
    /// The conditions of `--fail-if`, each with its outcome.
    pub fail_if: Vec<ConditionPart>,
    /// Commands that continue from here.
    pub next: Vec<String>,
}

impl Contract for CompareDocument {
    const ID: &'static str = "iobound.compare/1";
}

/// Order in which the sides were run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Each result is a run by itself.
    Independent,
    /// The two took turns.
    Paired,
}

/// The turns of `run --vs`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundsPart {
    /// Complete rounds. A round has four turns, in the order ABBA or BAAB.
    #[schemars(extend("x-unit" = "rounds"))]
    pub count: u64,
    /// Counted time of each turn.
    pub turn_s: Seconds,
    /// Warm-up time before the counted time of each turn.
    pub warmup_s: Seconds,
}

/// A result that is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SidePart {
    /// Name of the result in this comparison: `A`, `B`, and so on.
    pub name: String,
    /// Source of the result as given: an id, a file, or the words of `--vs`.
    pub from: String,
    /// Id under which the result is kept; `null` if it is not kept.
    pub id: Option<String>,
    /// Start of the run, UTC (RFC 3339); `null` if unknown.
    pub at: Option<String>,
    /// Origin of the figures: `measured`, `simulated`, `rehearsed` or `foreign` (another tool).
    pub source: Source,
    /// File, device or volume that the I/O went to; `null` if unknown.
    pub target: Option<String>,
    /// Description of the jobs; `null` if it was not kept.
    pub workload: Option<String>,
    /// Counted time of the run; `null` if unknown.
    pub counted_s: Option<f64>,
    /// Completed I/Os in the counted time; `null` if unknown.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: Option<u64>,
    /// Data of the charts, only with `--html`: the keys `latency_us`, `read`, `write`, `series` and `jobs` of the result
    /// (`iobound.result/1`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
}

/// A result compared with the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonPart {
    /// Name of the result that is compared, *b*.
    pub of: String,
    /// Name of the first result, *a*.
    pub against: String,
    /// `differs`: at least one figure differs. `no_difference`: no figure differs. `not_known`: no figure has an interval.
    pub verdict: VerdictWord,
    /// The verdict as a sentence.
    pub says: String,
    /// The figures that both results have.
    pub figures: Vec<ComparedFigure>,
    /// Parts of the latency distribution that moved, of reads and writes together; `null` without the histograms of both. Kept
    /// runs have histograms, files do not.
    pub shift: Option<ShiftPart>,
    /// Other known differences between the runs.
    pub changed: Vec<Change>,
    /// Reasons to trust the comparison less, as sentences.
    pub cautions: Vec<String>,
}

/// Outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    /// At least one figure differs.
    Differs,
    /// No figure differs.
    NoDifference,
    /// No figure has an interval.
    NotKnown,
}

/// A figure of both results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFigure {
    /// I/Os that the figure is of: `all` (reads and writes), `read` or `write`.
    pub operation: Direction,
    /// Key of the figure in a result, with its unit: `iops`, `p99_us`.
    pub figure: Figure,
    /// The figure of *a*.
    pub a: Amount,
    /// The figure of *b*.
    pub b: Amount,
    /// b - a.
    pub difference: Amount,
    /// Lower end of the confidence interval of `difference`, which holds with 95 % for all figures of the comparison together
    /// (Bonferroni); `null` without one.
    pub low: Option<Amount>,
    /// Upper end of that interval; `null` without one.
    pub high: Option<Amount>,
    /// b ÷ a - 1; `null` if a is zero.
    pub relative: Option<Share>,
    /// Lower end of the confidence interval of `relative`; `null` without one, or if a cannot be told from zero.
    pub relative_low: Option<Share>,
    /// Upper end of the confidence interval of `relative`; `null` without one, or if a cannot be told from zero.
    pub relative_high: Option<Share>,
    /// True if the interval of the difference leaves out 0: the difference is more than chance; `null` without an interval.
    pub differs: Option<bool>,
    /// Smallest difference, as a share of a, that this comparison would have detected; `null` if unknown.
    pub seen_from: Option<Share>,
    /// True if the samples behind the interval look independent. If not, the interval may be too narrow. `null` without an interval.
    pub independent: Option<bool>,
}

/// Shift of the latency distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftPart {
    /// The I/Os in order of latency, the fastest first, in ranges of percent.
    pub slices: Vec<ShiftSlice>,
    /// The latency at which the two distribution functions differ most (Kolmogorov-Smirnov distance).
    pub gap: ShiftGap,
}

/// The I/Os of a range of percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftSlice {
    /// Start of the range.
    pub from_percent: f64,
    /// End of the range.
    pub to_percent: f64,
    /// Mean latency of these I/Os in a.
    pub a_us: Microseconds,
    /// Mean latency of these I/Os in b.
    pub b_us: Microseconds,
    /// Contribution of these I/Os to the difference of the means of all I/Os. The contributions sum to that difference.
    pub adds_us: Microseconds,
}

/// The largest distance between two distribution functions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftGap {
    /// The latency.
    pub at_us: Microseconds,
    /// Share of the I/Os of a with at most this latency.
    pub a: Share,
    /// Share of the I/Os of b with at most this latency.
    pub b: Share,
}

/// A known difference between two runs that is not a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// `workload`, `configuration`, `machine` or `run`.
    pub part: String,
    /// Name of the setting or property.
    pub what: String,
    /// Its value in a; `null` if absent.
    pub a: Option<String>,
    /// Its value in b; `null` if absent.
    pub b: Option<String>,
}

/// A condition of `--fail-if` and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionPart {
    /// The condition as given.
    pub condition: String,
    /// Name of the result that is judged, where there are several; otherwise `null`.
    pub of: Option<String>,
    /// True if the condition holds.
    pub holds: bool,
    /// The value that is compared with the bound: a figure, a difference, or a share of a, in the unit of the bound.
    pub value: Amount,
    /// Lower end of the 95 % interval of `value`; `null` without one.
    pub low: Option<Amount>,
    /// Upper end of the 95 % interval of `value`; `null` without one.
    pub high: Option<Amount>,
    /// True if the complete interval lies on the same side of the bound as `value`; `null` without an interval.
    pub significant: Option<bool>,
    /// Decisive figure: `value`, or `interval` if the condition begins with `surely`.
    pub decided_by: DecidedBy,
}

/// Figure that decides a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The measured value.
    Value,
    /// The complete interval.
    Interval,
}

impl DecidedBy {
    /// The word of the document.
    pub fn word(self) -> &'static str {
        match self {
            DecidedBy::Value => "value",
            DecidedBy::Interval => "interval",
        }
    }
}
