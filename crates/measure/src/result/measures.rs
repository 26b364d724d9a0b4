//! Measures for the comparison of results, and the confidence in each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RunResult;
use super::figures::{Figures, Latency};

/// A figure that every result may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Figure {
    /// I/Os a second.
    #[serde(rename = "iops")]
    Iops,
    /// Bytes a second.
    #[serde(rename = "throughput_bytes_per_s")]
    Throughput,
    /// Mean latency.
    #[serde(rename = "mean_us")]
    Mean,
    /// The median.
    #[serde(rename = "p50_us")]
    P50,
    /// The 90th percentile.
    #[serde(rename = "p90_us")]
    P90,
    /// The 95th percentile.
    #[serde(rename = "p95_us")]
    P95,
    /// The 99th percentile.
    #[serde(rename = "p99_us")]
    P99,
    /// The 99.9th percentile.
    #[serde(rename = "p99_9_us")]
    P999,
    /// The 99.99th percentile.
    #[serde(rename = "p99_99_us")]
    P9999,
    /// The longest latency.
    #[serde(rename = "max_us")]
    Max,
    /// I/Os that failed.
    #[serde(rename = "errors")]
    Errors,
}

/// Direction of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Reads and writes together.
    All,
    /// The reads.
    Read,
    /// The writes.
    Write,
}

/// Confidence in a figure: with so many sections its confidence interval of 95 % is the figure ± t times
/// this, t Student's with one degree of freedom less than sections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StandardError {
    /// I/Os that the figure is of: `all` (reads and writes), `read` or `write`.
    pub operation: Direction,
    /// Key of the figure, with its unit.
    pub figure: Figure,
    /// Standard error of the figure.
    #[schemars(extend("x-unit" = "by the figure"))]
    pub error: f64,
    /// Sections of the counted time.
    #[schemars(extend("x-unit" = "sections"))]
    pub sections: u64,
    /// Length of a section.
    pub section_s: f64,
    /// True if neighbouring sections look independent. If not, the error may be too small.
    pub independent: bool,
}

impl Figure {
    /// All figures.
    pub const ALL: [Figure; 11] = [
        Figure::Iops,
        Figure::Throughput,
        Figure::Mean,
        Figure::P50,
        Figure::P90,
        Figure::P95,
        Figure::P99,
        Figure::P999,
        Figure::P9999,
        Figure::Max,
        Figure::Errors,
    ];

    /// Those that a standard error is told of: the maximum is one I/O, and errors have no distribution to assume.
    pub const WITH_ERROR: [Figure; 9] = [
        Figure::Iops,
        Figure::Throughput,
        Figure::Mean,
        Figure::P50,
        Figure::P90,
        Figure::P95,
        Figure::P99,
        Figure::P999,
        Figure::P9999,
    ];

    /// Its key in documents, with its unit.
    pub fn key(self) -> &'static str {
        match self {
            Figure::Iops => "iops",
            Figure::Throughput => "throughput_bytes_per_s",
            Figure::Mean => "mean_us",
            Figure::P50 => "p50_us",
            Figure::P90 => "p90_us",
            Figure::P95 => "p95_us",
            Figure::P99 => "p99_us",
            Figure::P999 => "p99_9_us",
            Figure::P9999 => "p99_99_us",
            Figure::Max => "max_us",
            Figure::Errors => "errors",
        }
    }

    /// Its name for people, and in conditions.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Iops => "iops",
            Figure::Throughput => "throughput",
            Figure::Mean => "mean",
            Figure::P50 => "p50",
            Figure::P90 => "p90",
            Figure::P95 => "p95",
            Figure::P99 => "p99",
            Figure::P999 => "p99.9",
            Figure::P9999 => "p99.99",
            Figure::Max => "max",
            Figure::Errors => "errors",
        }
    }

    /// The percentile it that is.
    pub fn percent(self) -> Option<f64> {
        match self {
            Figure::P50 => Some(50.0),
            Figure::P90 => Some(90.0),
            Figure::P95 => Some(95.0),
            Figure::P99 => Some(99.0),
            Figure::P999 => Some(99.9),
            Figure::P9999 => Some(99.99),
            _ => None,
        }
    }

    /// True if more of it is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Figure::Iops | Figure::Throughput)
    }

    /// Its value of these figures, in its unit.
    pub fn of(self, figures: &Figures) -> Option<f64> {
        let latency = |pick: fn(&Latency) -> Option<f64>| figures.latency_us.as_ref().and_then(pick);
        match self {
            Figure::Iops => figures.iops,
            Figure::Throughput => figures.throughput_bytes_per_s,
            Figure::Mean => latency(|latency| latency.mean),
            Figure::P50 => latency(|latency| latency.p50),
            Figure::P90 => latency(|latency| latency.p90),
            Figure::P95 => latency(|latency| latency.p95),
            Figure::P99 => latency(|latency| latency.p99),
            Figure::P999 => latency(|latency| latency.p99_9),
            Figure::P9999 => latency(|latency| latency.p99_99),
            Figure::Max => latency(|latency| latency.max),
            Figure::Errors => figures.errors.map(|errors| errors as f64),
        }
    }
}

impl Direction {
    /// All of them.
    pub const ALL: [Direction; 3] = [Direction::All, Direction::Read, Direction::Write];

    /// The word for it in documents.
    pub fn name(self) -> &'static str {
        match self {
            Direction::All => "all",
            Direction::Read => "read",
            Direction::Write => "write",
        }
    }
}

impl RunResult {
    /// The figures of a direction; `None` where it did none.
    pub fn figures_of(&self, direction: Direction) -> Option<&Figures> {
        match direction {
            Direction::All => Some(&self.total),
            Direction::Read => self.by_operation.read.as_ref(),
            Direction::Write => self.by_operation.write.as_ref(),
        }
    }

    /// A figure's value, in its unit.
    pub fn figure(&self, direction: Direction, figure: Figure) -> Option<f64> {
        figure.of(self.figures_of(direction)?)
    }

    /// Confidence in a figure. Of a run in one direction the error of all I/Os is that direction's.
    pub fn standard_error(&self, direction: Direction, figure: Figure) -> Option<&StandardError> {
        let of = |direction| {
            self.standard_errors.iter().find(|one| one.operation == direction && one.figure == figure)
        };
        of(direction).or_else(|| {
            let alone = match direction {
                Direction::All => false,
                Direction::Read => self.by_operation.write.is_none(),
                Direction::Write => self.by_operation.read.is_none(),
            };
            alone.then(|| of(Direction::All)).flatten()
        })
    }
}
