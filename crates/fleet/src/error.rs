//! Errors of a meeting: it cannot be opened, it cannot be joined, or it ends too early.

use std::fmt;

use iobound_units::Problem;

/// A rank that was not let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// The coordinator cannot be reached: the attempts, their duration, and the last error.
    Unreachable(String),
    /// The coordinator turned it away, and says why.
    Refused(String),
    /// Unusable settings: a TCP meeting without a token, an invalid certificate.
    Given(Problem),
}

/// The meeting is over for this rank before its work is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The coordinator ended it, and says why: another rank was lost before the start, or its person stopped it.
    Stopped(String),
    /// The coordinator is lost: it says nothing any more, or its connection is cut. This rank keeps its own result.
    Lost(String),
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JoinError::Unreachable(why) | JoinError::Refused(why) => f.write_str(why),
            JoinError::Given(problem) => problem.fmt(f),
        }
    }
}

impl std::error::Error for JoinError {}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Stopped(why) | Ended::Lost(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Ended {}
