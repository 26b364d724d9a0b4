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

use serde::{Deserialize, Serialize};

pub use facts::{Check, Confidence, Outcome, PerSecond, Source, Start, Steady, SteadyDirection, Tool};
pub use figures::{ByOperation, Depth, Figures, Latency, LoopLabel};
pub use fleet::{Bound, Fleet, HostResult};
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// [`SCHEMA`].
    pub schema: Schema,
    /// The name under which it is kept: `r-142`; absent where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where the figures come from.
    pub source: Source,
    /// The tool whose output it was, of a foreign result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// I/O engine: `io_uring`, `libaio`, `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Target of the I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The block devices below the targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceFacts>,
    /// Cost of the run in processor time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    /// The kernel's release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Known facts about the circumstances.
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
    /// The slowest and the fastest second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<PerSecond>,
    /// I/Os issued before the end of the counting and not completed by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<u64>,
    /// I/Os of open loops whose time had come and that were never issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_issued: Option<u64>,
    /// True if it was steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Confidence in the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Confidence in each figure, as far as the series tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standard_errors: Vec<StandardError>,
    /// Findings about the run itself.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// Further notes, in sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The jobs.
    #[serde(default)]
    pub jobs: Vec<JobResult>,
    /// The threads, over all jobs and targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<PartResult>,
    /// The targets, over all jobs and threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<PartResult>,
    /// Each job on each target by each thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellResult>,
    /// The intervals in order of time.
    #[serde(default)]
    pub series: Vec<Point>,
    /// Of a run on several machines: who took part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<Fleet>,
    /// Of a run on several machines: what each rank reached, in their order.
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
