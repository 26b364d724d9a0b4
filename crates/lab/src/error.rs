//! Errors of an experiment file: all of them at once, each with its line.

use std::fmt;
use std::ops::Range;

use iobound_workload::{NativeError, Place};

/// An experiment that can't be run: every problem found, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError {
    /// The errors; never empty.
    pub problems: Vec<NativeError>,
}

/// No more problems are shown than a person reads.
const SHOWN: usize = 20;

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().take(SHOWN).enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            problem.fmt(f)?;
        }
        match self.problems.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} more"),
        }
    }
}

impl std::error::Error for LabError {}

/// A part of the file's text.
pub(crate) type Spot = Range<usize>;

/// A problem and the part of the text that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) spot: Spot,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(spot: &Spot, message: impl Into<String>) -> Problem {
        Problem { spot: spot.clone(), message: message.into() }
    }
}

/// The problems with the lines that they are about.
pub(crate) fn located(file: &str, text: &str, mut problems: Vec<Problem>) -> LabError {
    problems.sort_by_key(|problem| problem.spot.start);
    problems.dedup();
    let problems = problems
        .into_iter()
        .map(|problem| NativeError {
            message: problem.message,
            place: Some(Place::of(file, text, problem.spot)),
        })
        .collect();
    LabError { problems }
}
