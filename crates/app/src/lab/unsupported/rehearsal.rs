//! A program that can't serve devices says so.

use iobound_lab::{OnModel, PlannedRun, Reached};

use super::real::Shelf;
use crate::{Env, Failure};

/// Rehearsals; not available on this platform.
pub(crate) struct Rehearsal;

impl Rehearsal {
    /// Refuses.
    pub(crate) fn ready(_: &[PlannedRun], _: &Shelf, _: &Env) -> Result<Option<Rehearsal>, Failure> {
        Err(Failure::input("--live: this build cannot serve devices").help(
            "use --real-time, which needs none, or build for Linux with the feature `load`, which is a default",
        ))
    }

    /// No run comes here: all were refused.
    pub(crate) fn reach(&self, _: &PlannedRun, _: &OnModel, _: &Env) -> Result<Option<Reached>, Failure> {
        Ok(None)
    }
}
