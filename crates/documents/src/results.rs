//! `results list`, `results export` and `results delete`: `iobound.results/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::{Contract, Version};
use crate::quantity::{BytesPerSecond, Iops, Microseconds, Seconds};

/// Kept runs: a list, an export, or the ids of deleted ones. `results show` prints the result's own document instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultsDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ResultsDocument>,
    /// File of the results store.
    pub place: String,
    /// Runs in this document.
    #[schemars(extend("x-unit" = "runs"))]
    pub count: u64,
    /// Runs, the newest first; only of `results list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<KeptRun>>,
    /// Complete documents of runs (`iobound.result/1`), each with its histograms, the latencies of its intervals, its `verb`, and
    /// its `configuration` in TOML; only of `results export`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<Value>>,
    /// Ids of the runs that were deleted; only of `results delete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<String>>,
}

impl Contract for ResultsDocument {
    const ID: &'static str = "iobound.results/1";
}

impl ResultsDocument {
    /// The answer of `results list`.
    pub fn of_runs(place: &str, runs: Vec<KeptRun>) -> ResultsDocument {
        let count = runs.len();
        ResultsDocument { runs: Some(runs), ..ResultsDocument::new(place, count) }
    }

    /// The answer of `results export`.
    pub fn of_results(place: &str, results: Vec<Value>) -> ResultsDocument {
        let count = results.len();
        ResultsDocument { results: Some(results), ..ResultsDocument::new(place, count) }
    }

    /// The answer of `results delete`.
    pub fn of_deleted(place: &str, ids: Vec<String>) -> ResultsDocument {
        let count = ids.len();
        ResultsDocument { deleted: Some(ids), ..ResultsDocument::new(place, count) }
    }

    fn new(place: &str, count: usize) -> ResultsDocument {
        ResultsDocument {
            schema: Version::default(),
            place: place.to_string(),
            count: count as u64,
            runs: None,
            results: None,
            deleted: None,
        }
    }
}

/// A kept run. The keys are the columns of its CSV form as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptRun {
    /// Id of the run: `r-142`.
    pub id: String,
    /// Id of the first run of the same command.
    pub first_of_command: String,
    /// Start of the run, UTC (RFC 3339).
    pub at: String,
    /// Verb that ran it.
    pub verb: String,
    /// Name of the row of a lab; otherwise `null`.
    pub name: Option<String>,
    /// Side of `run --vs`, `a` or `b`; otherwise `null`.
    pub side: Option<String>,
    /// Origin of the figures: `measured`, `simulated`, `rehearsed` or `foreign` (another tool).
    pub source: String,
    /// End of the run: `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// File, device or volume that the I/O went to; `null` if unknown.
    pub target: Option<String>,
    /// Engine that issued the I/O; `null` if unknown.
    pub engine: Option<String>,
    /// Name of the machine; `null` if unknown.
    pub host: Option<String>,
    /// Description of the jobs; `null` if unknown.
    pub workload: Option<String>,
    /// Counted time of the run; `null` if unknown.
    pub counted_s: Option<Seconds>,
    /// Requested outstanding I/Os; `null` if unknown.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub depth_requested: Option<u64>,
    /// Completed reads and writes per second; `null` if unknown.
    pub iops: Option<Iops>,
    /// Bytes that completed reads and writes transferred per second; `null` if unknown.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// Mean latency; `null` if unknown.
    pub mean_us: Option<Microseconds>,
    /// Median latency; `null` if unknown.
    pub p50_us: Option<Microseconds>,
    /// 99th percentile of latency; `null` if unknown.
    pub p99_us: Option<Microseconds>,
    /// Maximum latency; `null` if unknown.
    pub max_us: Option<Microseconds>,
    /// I/Os that failed; `null` if unknown.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub errors: Option<u64>,
}
