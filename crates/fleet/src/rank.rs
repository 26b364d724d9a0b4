//! A rank: one process that issues load, and its connection to the desk.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use iobound_measure::Together;

use crate::hello::Hello;
use crate::meet::Meet;
use crate::report::RankReport;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::tls::RankTls;
use crate::token::Token;

/// One process that issues load, at the desk. Its connection works on a thread of its own.
#[derive(Debug)]
pub struct Rank {
    stop: Arc<AtomicBool>,
}

/// A rank that was not let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// There is no desk to be reached: what was tried, for how long, and what the last try said.
    Unreachable(String),
    /// The desk turned it away, and says why.
    Refused(String),
    /// What it was given can't be used: a TCP meeting without a token, a certificate that is none.
    Given {
        /// What is wrong.
        what: String,
        /// How to mend it.
        mend: Option<String>,
    },
}

/// The meeting is over for this rank before its work is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The desk ended it, and says why: another rank was lost before the start, or its person stopped it.
    Stopped(String),
    /// The desk is lost: it says nothing any more, or its connection is cut. This rank keeps its own result.
    Lost(String),
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JoinError::Unreachable(why) | JoinError::Refused(why) | JoinError::Given { what: why, .. } => {
                f.write_str(why)
            }
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

impl Rank {
    /// Joins the meeting: returns once the desk has let this rank in, which is before the others are all there. A desk
    /// that is not there yet is tried again for [`Rules::join`].
    ///
    /// # Errors
    /// No desk to be reached, or it turned this rank away.
    pub fn join(
        meet: &Meet,
        token: Option<Token>,
        tls: Option<RankTls>,
        seat: &Seat,
        hello: Hello,
        rules: Rules,
    ) -> Result<Rank, JoinError> {
        let _ = (meet, token, tls, seat, hello, rules);
        Err(JoinError::Unreachable("the rank is not there yet".into()))
    }

    /// Says that this rank is prepared for a stage, and blocks until all are and the start is agreed: the moment on this
    /// machine's monotonic clock, which lies ahead.
    ///
    /// # Errors
    /// The meeting ended before.
    pub fn ready(&self, stage: u32) -> Result<Instant, Ended> {
        let _ = stage;
        Err(Ended::Lost("the rank is not there yet".into()))
    }

    /// Says when its first I/O could go: what the skew of the start is made of. To be called before the report.
    pub fn began(&self, stage: u32, at: Instant) {
        let _ = (stage, at);
    }

    /// Hands on an interval. Never blocks the run: where the desk does not take them as fast, the eldest that wait are
    /// left out.
    pub fn tell(&self, stage: u32, interval: &Together) {
        let _ = (stage, interval);
    }

    /// Set when the load is to end: the desk said so, or is lost.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Hands in the report of a stage; returns when the desk has it.
    ///
    /// # Errors
    /// The desk is lost: the report is still the caller's to keep.
    pub fn report(&self, stage: u32, report: RankReport) -> Result<(), Ended> {
        let _ = (stage, report);
        Err(Ended::Lost("the rank is not there yet".into()))
    }

    /// Leaves before its work is done: `why` is a sentence that the desk gives beside this rank's name.
    pub fn give_up(&self, why: &str) {
        let _ = why;
    }

    /// Why the desk is lost, where it is.
    pub fn lost(&self) -> Option<String> {
        None
    }

    /// Why the desk stopped the load, where it did.
    pub fn stopped(&self) -> Option<String> {
        None
    }
}
