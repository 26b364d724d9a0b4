//! Reports of a run in another tool's form while it goes on: fio's `--status-interval`.

use std::fmt;
use std::sync::Arc;

use iobound_formats::Ran;
use iobound_units::Span;

use crate::Env;
use crate::outfile::{OpenOutFile, OutFile, Unwritten};

/// Makes a report of the runs of all stages.
type WriteReport = dyn Fn(&[Ran<'_>]) + Send + Sync;

/// Times of the reports, and the function that makes them.
#[derive(Clone)]
pub(crate) struct StatusReports {
    /// The time between two of them.
    pub(crate) every: Span,
    /// Takes the runs of all stages: those that have ended, the one that goes on, and those that have not begun.
    pub(crate) write: Arc<WriteReport>,
    /// Process that the run is in.
    pub(crate) env: Env,
}

impl fmt::Debug for StatusReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusReports").field("every", &self.every).finish_non_exhaustive()
    }
}

/// A report in parts, each written when it is made: to a file, or to standard output.
pub(crate) struct ReportInParts {
    place: Option<OutFile>,
    file: Option<OpenOutFile>,
    is_begun: bool,
    unwritten: Unwritten,
    env: Env,
}

impl ReportInParts {
    /// Nothing is written yet; the file is unchanged.
    pub(crate) fn new(place: Option<OutFile>, env: &Env) -> ReportInParts {
        let unwritten = Unwritten::default();
        ReportInParts { place, file: None, is_begun: false, unwritten, env: env.clone() }
    }

    /// Writes a part. The first one follows `head`. Parts go to standard output once the file can't be written.
    pub(crate) fn write(&mut self, head: impl FnOnce() -> String, part: &str) {
        let text = if std::mem::replace(&mut self.is_begun, true) { part } else { &(head() + part) };
        if let Some(place) = self.place.take() {
            self.file = self.unwritten.take(place.open());
        }
        if let Some(file) = &mut self.file {
            if self.unwritten.take(file.write(text)).is_some() {
                return;
            }
            self.file = None;
        }
        self.unwritten.take(self.env.of_process().print_so_far(text));
    }

    /// Files that could not be written.
    pub(crate) fn take_unwritten(&mut self) -> Unwritten {
        std::mem::take(&mut self.unwritten)
    }
}
