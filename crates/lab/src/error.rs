//! What is wrong with an experiment file: all of it at once, each with its line.

use std::fmt;
use std::ops::Range;

use iobound_workload::{NativeError, Place};

/// An experiment that can't be run: every problem found, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError {
    /// What is wrong; never empty.
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
            place: Some(place(file, text, &problem.spot)),
        })
        .collect();
    LabError { problems }
}

fn place(file: &str, text: &str, spot: &Spot) -> Place {
    let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (start, end) = (boundary(spot.start), boundary(spot.end));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[line_start..].lines().next().unwrap_or("");
    let meant = text.get(start..end).and_then(|meant| meant.lines().next()).unwrap_or("");
    Place {
        file: file.to_string(),
        line: text[..start].matches('\n').count() + 1,
        column: text[line_start..start].chars().count() + 1,
        text: line.to_string(),
        width: meant.chars().count().max(1),
    }
}
