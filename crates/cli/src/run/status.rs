//! Reports of a run in another tool's form while it goes on: fio's `--status-interval`.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use iobound_formats::{Ran, RanMachine, RanTarget};
use iobound_load::run::{Options, Outcome, not_begun};
use iobound_measure::result::DeviceFacts;
use iobound_units::Span;
use iobound_workload::{Target, Workload};

use super::foreign::this_machine;
use super::stage::Stage;
use crate::outfile::{OpenOutFile, OutFile, Unwritten};
use crate::output;

/// Makes a report of the runs of all stages.
type WriteReport = dyn Fn(&[Ran<'_>]) + Send + Sync;

/// When reports are made, and what makes them.
#[derive(Clone)]
pub(crate) struct StatusReports {
    /// The time between two of them.
    pub(crate) every: Span,
    /// Takes the runs of all stages: those that have ended, the one that goes on, and those that have not begun.
    pub(crate) write: Arc<WriteReport>,
}

impl fmt::Debug for StatusReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusReports").field("every", &self.every).finish_non_exhaustive()
    }
}

/// The stages around the one that goes on.
pub(super) struct Stages<'a> {
    done: &'a [Stage],
    pending: Vec<(&'a Workload, Outcome)>,
    targets: Vec<RanTarget>,
}

impl<'a> Stages<'a> {
    /// `all` are the workloads of all stages, of which those of `done` and one more have begun.
    pub(super) fn new(
        done: &'a [Stage],
        all: &'a [Workload],
        names: &[Target],
        options: &Options,
    ) -> Stages<'a> {
        let rest = all.get(done.len() + 1..).unwrap_or_default();
        let (interval, keep) = (options.interval, options.thread_series);
        let of = |workload| Some((workload, not_begun(workload, names, interval, keep).ok()?));
        let target = |it: &Target| RanTarget { path: it.name.clone(), size: it.size, files: Vec::new() };
        Stages {
            done,
            pending: rest.iter().filter_map(of).collect(),
            targets: names.iter().map(target).collect(),
        }
    }
}

impl StatusReports {
    /// Makes a report. `outcome` and `devices` are of the stage that goes on, up to now.
    pub(super) fn make(
        &self,
        stages: &Stages<'_>,
        workload: &Workload,
        outcome: &Outcome,
        devices: Vec<DeviceFacts>,
    ) {
        let machine = |outcome: &Outcome, devices: Vec<DeviceFacts>| {
            let began = outcome.began.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64;
            let lasted = outcome.total.end.ns() / 1_000_000;
            RanMachine { began_unix_ms: began, ended_unix_ms: began + lasted, devices, ..this_machine() }
        };
        let done = stages.done.iter().map(|stage| {
            (&stage.workload, &stage.outcome, machine(&stage.outcome, stage.result.devices.clone()))
        });
        let now = std::iter::once((workload, outcome, machine(outcome, devices)));
        let pending = stages.pending.iter().map(|(workload, none)| {
            let at = RanMachine { ended_unix_ms: 0, ..machine(none, Vec::new()) };
            (*workload, none, at)
        });
        let all: Vec<(&Workload, &Outcome, RanMachine)> = done.chain(now).chain(pending).collect();
        let runs: Vec<Ran<'_>> = all
            .iter()
            .map(|(workload, outcome, machine)| Ran {
                workload,
                lanes: &outcome.lanes,
                targets: &stages.targets,
                total: &outcome.total,
                threads: &outcome.threads,
                machine,
                checks: &[],
                read_back: &[],
                ios: &[],
                wrong: &[],
            })
            .collect();
        (self.write)(&runs);
    }
}

/// A report in parts, each written as soon as it is made: to a file, or to standard output.
pub(crate) struct ReportInParts {
    place: Option<OutFile>,
    file: Option<OpenOutFile>,
    is_begun: bool,
    unwritten: Unwritten,
}

impl ReportInParts {
    /// Nothing is written yet; the file is as it was.
    pub(crate) fn new(place: Option<OutFile>) -> ReportInParts {
        ReportInParts { place, file: None, is_begun: false, unwritten: Unwritten::default() }
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
        self.unwritten.take(output::data_so_far(text));
    }

    /// Files that could not be written.
    pub(crate) fn take_unwritten(&mut self) -> Unwritten {
        std::mem::take(&mut self.unwritten)
    }
}
