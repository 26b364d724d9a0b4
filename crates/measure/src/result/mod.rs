//! The result document: one versioned type, whoever made it.

pub mod bounds;
mod build;
pub mod classes;
mod facts;
mod figures;
pub mod fleet;
mod machine;
mod measures;
mod parts;
mod point;
pub mod round;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use facts::{
    Check, Confidence, Outcome, PerSecond, ReplayFacts, Source, Start, Steady, SteadyDirection, Tool,
};
pub use figures::{ByOperation, Depth, Figures, Latency, LoopLabel};
pub use fleet::{Fleet, HostLimit, HostResult};
pub use machine::{Cpu, DeviceCounters, DeviceFacts, Processor};
pub use measures::{Direction, Figure, StandardError};
pub use parts::{CellResult, Histograms, JobResult, PartResult};
pub use point::{PhaseLabel, Point, PointFigures};

/// The version of the document that is written and read.
pub const SCHEMA: &str = "iobound.result/1";

/// The result of a run: its setting, its figures, and their confidence.
///
/// The simulator, a rehearsal, a real run and a foreign tool's output all make this. What a source does not
/// know is absent. Every figure is of I/Os that completed while counting was on; IOPS and throughput are of
/// reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// [`SCHEMA`]. The document that holds the result describes it.
    #[schemars(skip)]
    pub schema: Schema,
    /// Id under which the run is kept: `r-142`; absent if it is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Origin of the figures: `simulated`, `rehearsed`, `measured` or `foreign` (another tool).
    pub source: Source,
    /// Tool that wrote a foreign result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// I/O engine: `io_uring`, `libaio`, `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Target of the I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Block devices below the targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceFacts>,
    /// Processor time that the run took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    /// Release of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Circumstances of the run, as far as they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Reads and writes together.
    #[serde(flatten)]
    pub total: Figures,
    /// Each operation by itself.
    #[serde(flatten)]
    pub by_operation: ByOperation,
    /// Outstanding I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// Slowest and fastest whole second of the counted time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<PerSecond>,
    /// I/Os that were issued before the end of the counted time and not completed by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub unfinished: Option<u64>,
    /// I/Os of open loops that were intended before the end and never issued: the backlog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub never_issued: Option<u64>,
    /// True if the counted time was steady, by SNIA's rule: of five equal rounds, in each direction, the range is at most
    /// 20 % of the mean, and the best-fit line rises at most 10 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Confidence interval of the mean IOPS, by batch means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Standard errors of the figures, by sectioning (see `compare`), of figures with ten sections that have enough I/Os.
    /// `all` I/Os and, if both were used, each direction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standard_errors: Vec<StandardError>,
    /// Replays of traces beside their recordings, by thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replays: Vec<ReplayFacts>,
    /// Findings about the run itself. `alone`: a warning if several runs do not know of each other. `completed`: failed if
    /// no I/O completed in the counted time. `find-load`: with `--find-load`, the highest depth at which the share of the
    /// goal's I/Os met its bound in a probe of 2 s, found by doubling and then by halving to a sixteenth; all other
    /// figures are of the run at that depth. `replay`: of a trace, the time from the first issue to the last beside that of
    /// the recording at this speed; a warning if they are more than 1 % apart. `replay-changes`: I/Os of a trace that were
    /// wrapped, rounded or left out. `recorded-latency`: latencies of reads and writes beside those of the recording, from
    /// the intended time. `schedule`: in an open loop, the time from when an I/O could be issued to
    /// when it was, warm-up and cool-down included; a warning above 5 % of the mean latency or 100 µs. `splits`: requests
    /// that an I/O becomes. `warm-up`: IOPS before and after the run settled by MSER-5; a warning above 5 %.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// Other facts to know.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Figures of each job.
    #[serde(default)]
    pub jobs: Vec<JobResult>,
    /// Figures of each thread, over all jobs and targets. Percentiles have two digits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<PartResult>,
    /// Figures of each target, over all jobs and threads; of a fleet, of each machine. Percentiles have two digits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<PartResult>,
    /// Figures of each job on each target by each thread; of a fleet, of each job on each machine. Percentiles have two
    /// digits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellResult>,
    /// Intervals in order of time, from the start of I/O.
    #[serde(default)]
    pub series: Vec<Point>,
    /// Facts about the ranks of a run on several machines; absent on one machine. The figures above are of all ranks
    /// together: histograms, counts and intervals are added, never percentiles. `start.at` is the start of the first rank,
    /// `start.host` the coordinator. A check has the gravest outcome of any host; `ranks`, `start-skew` (a warning above 5
    /// ms) and `stragglers` are about the fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<Fleet>,
    /// Figures of each rank that reported, in the order of ranks; only of a run on several machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostResult>,
}

/// The one value of a document's `schema`; another is refused when it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schema;

impl Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(SCHEMA)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = String::deserialize(deserializer)?;
        if found == SCHEMA {
            return Ok(Schema);
        }
        Err(serde::de::Error::custom(format!(
            "the document's schema is '{found}', but this version reads '{SCHEMA}'"
        )))
    }
}

impl RunResult {
    /// A result of which nothing is known but where it comes from.
    pub fn new(source: Source) -> RunResult {
        RunResult {
            schema: Schema,
            id: None,
            source,
            tool: None,
            engine: None,
            device: None,
            devices: Vec::new(),
            cpu: None,
            kernel: None,
            start: None,
            total: Figures::default(),
            by_operation: ByOperation::default(),
            depth: None,
            per_second: None,
            unfinished: None,
            never_issued: None,
            steady: None,
            confidence: None,
            standard_errors: Vec::new(),
            replays: Vec::new(),
            checks: Vec::new(),
            notes: Vec::new(),
            jobs: Vec::new(),
            threads: Vec::new(),
            targets: Vec::new(),
            cells: Vec::new(),
            series: Vec::new(),
            fleet: None,
            hosts: Vec::new(),
        }
    }
}
