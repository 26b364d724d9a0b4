//! The answer of `run`: what a real run was, what it reached, and how far that can be trusted.

mod around;
mod bound;
mod csv;
mod curve;
mod document;
mod figures;
mod hlog;
mod interval;
mod live;
mod parts;
mod simulated;
mod text;

use crate::compare::JudgedCondition;
use iobound_measure::RunResult;
use iobound_predict::Prediction;
use iobound_units::Bytes;
use iobound_workload::Workload;

pub(crate) use bound::bound_by;
pub use csv::series_csv;
pub use curve::{Curve, CurvePoint, curve_document, curve_text};
pub use document::{kept_keys, run_document};
pub use hlog::{hlog_header, hlog_interval, hlog_total};
pub use interval::{interval_document, interval_line};
pub use live::{Live, Plan, live_line};
pub use simulated::simulated_document;
pub use text::run_text;

/// Everything that is shown of a run.
#[derive(Clone, Debug)]
pub struct RunScreen<'a> {
    /// The stages in the order in which they ran; never empty.
    pub stages: &'a [RunStage<'a>],
    /// Preparation of the targets before the first measured I/O.
    pub prepared: &'a [Prepared],
    /// Suggested next commands.
    pub next: &'a [String],
    /// Conditions that were given, judged.
    pub conditions: &'a [JudgedCondition],
}

/// Jobs that ran together, and what they reached.
#[derive(Clone, Debug)]
pub struct RunStage<'a> {
    /// The jobs of this stage.
    pub workload: &'a Workload,
    /// Figures of they.
    pub result: &'a RunResult,
    /// Expected figures, if the configuration is known.
    pub prediction: Option<&'a Prediction>,
    /// End of the run: complete, interrupted or failed.
    pub ended: Ended,
}

/// End of a run, or of a stage of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// As it was meant to.
    Complete,
    /// Somebody stopped it: the figures are of the time until then.
    Interrupted,
    /// Something made it stop: why, in a sentence.
    Failed(String),
}

/// Preparation of a target before it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The target: its path.
    pub target: String,
    /// The action taken.
    pub did: Preparing,
    /// Its size.
    pub size: Bytes,
    /// Written bytes.
    pub written: Bytes,
    /// Time that that took, in seconds.
    pub seconds: f64,
    /// Content of the written blocks, in words: `incompressible`.
    pub content: Option<String>,
}

/// A way to make a target ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparing {
    /// It was made and written.
    Created,
    /// It was there and written over as a whole.
    Overwritten,
    /// Bytes that had never been written.
    Filled,
    /// An earlier run created it, and it is unchanged.
    Reused,
    /// It is only read, and unchanged.
    Untouched,
}

impl Ended {
    /// The word for it in documents.
    pub fn name(&self) -> &'static str {
        match self {
            Ended::Complete => "complete",
            Ended::Interrupted => "interrupted",
            Ended::Failed(_) => "failed",
        }
    }
}

impl Preparing {
    /// The word for it in every output.
    pub fn name(self) -> &'static str {
        match self {
            Preparing::Created => "created",
            Preparing::Overwritten => "overwritten",
            Preparing::Filled => "filled",
            Preparing::Reused => "reused",
            Preparing::Untouched => "untouched",
        }
    }
}
