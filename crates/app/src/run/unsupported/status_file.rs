//! A system without a folder in which programs find the runs of their user.

use iobound_measure::Interval;

use crate::Env;

/// Nothing: no other process is told of a run.
#[derive(Debug)]
pub(crate) struct StatusFile;

impl StatusFile {
    /// Of any run.
    pub(crate) fn new(_: String, _: &Env) -> StatusFile {
        StatusFile
    }

    /// Tells nobody.
    pub(crate) fn take(&mut self, _: &Interval) {}
}
