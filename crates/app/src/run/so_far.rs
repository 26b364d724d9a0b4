//! A report of all stages while one of them goes on.

use std::time::{Duration, UNIX_EPOCH};

use iobound_formats::{Ran, RanMachine, RanTarget};
use iobound_load::run::{Options, Outcome, not_begun};
use iobound_measure::result::DeviceFacts;
use iobound_workload::{Target, Workload};

use super::machine::this_machine;
use super::stage::Stage;
use super::status::StatusReports;

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

/// Makes a report. `outcome` and `devices` are of the stage that goes on, up to now.
pub(super) fn make(
    status: &StatusReports,
    stages: &Stages<'_>,
    workload: &Workload,
    outcome: &Outcome,
    devices: Vec<DeviceFacts>,
) {
    let machine = |outcome: &Outcome, devices: Vec<DeviceFacts>| {
        let began = outcome.began.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64;
        let lasted = outcome.total.end.ns() / 1_000_000;
        RanMachine {
            began_unix_ms: began,
            ended_unix_ms: began + lasted,
            devices,
            ..this_machine(&status.env)
        }
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
            queues: &outcome.queues,
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
    (status.write)(&runs);
}
