//! The engine of a run, and the way in which its targets are opened.

use iobound_load::engine::{Choice, Needs, OpenFile, choose};
use iobound_load::run::{StartError, lower_replays};
use iobound_units::Op;
use iobound_workload::{Job, Target, Workload};

use super::how::RunOptions;
use super::targets::does;
use crate::Failure;

/// The engine that can do all of it, of those that this kernel lets us have: what the targets make of it is not known
/// before they are open.
///
/// # Errors
/// Returns an error if the requested engine is not available here or cannot do the run.
pub(crate) fn engine_for(workloads: &[Workload], how: &RunOptions) -> Result<Choice, Failure> {
    choose(how.engine, needs(workloads, how, 1)?, &[]).map_err(Failure::input)
}

/// Outstanding I/Os of a replay that every engine takes: the bound of `sync`.
const OF_EVERY_ENGINE: u64 = 1_024;

/// The engine of a run on these files, and its workloads; replays are lowered to the outstanding I/Os that the engine takes.
///
/// # Errors
/// Returns an error if the requested engine is not available or cannot do the run.
pub(super) fn chosen(
    workloads: &[Workload],
    how: &RunOptions,
    targets: &[Target],
    files: &[OpenFile],
) -> Result<(Choice, Vec<Workload>), Failure> {
    let choose_for = |workloads: &[Workload]| {
        let needs = needs(workloads, how, outstanding(workloads, targets)?)?;
        choose(how.engine, needs, files).map_err(Failure::input)
    };
    if how.traces.is_empty() {
        return Ok((choose_for(workloads)?, workloads.to_vec()));
    }
    let choice = choose_for(&lower_replays(workloads, &how.traces, OF_EVERY_ENGINE))?;
    let most = match choice.kind.most_outstanding() {
        Some(most) => most,
        // The events of libaio are shared by all processes.
        None if choose_for(workloads).is_ok_and(|deep| deep.kind == choice.kind) => u64::MAX,
        None => OF_EVERY_ENGINE,
    };
    Ok((choice, lower_replays(workloads, &how.traces, most)))
}

/// Engine features that the workloads need.
fn needs(workloads: &[Workload], how: &RunOptions, outstanding: u64) -> Result<Needs, Failure> {
    let discards = workloads.iter().flat_map(|w| &w.jobs).any(|job| does(job, |op| op == Op::Discard));
    let range_syncs = workloads.iter().flat_map(|w| &w.jobs).any(|job| job.flush_range.is_some());
    Ok(Needs { direct: is_direct(workloads, how)?, discards, range_syncs, outstanding })
}

/// The most I/Os that any stage has outstanding on these targets.
///
/// # Errors
/// Returns an error if the jobs do not fit the targets.
fn outstanding(workloads: &[Workload], targets: &[Target]) -> Result<u64, Failure> {
    let mut most = 0;
    for workload in workloads {
        let queues = workload.queues(targets).map_err(|error| Failure::input(StartError::Queues(error)))?;
        most = most.max(queues.iter().map(|queue| u64::from(queue.depth)).sum());
    }
    Ok(most)
}

/// True if some I/O goes past the page cache. A target is opened one way for all jobs that use it.
pub(crate) fn is_direct(workloads: &[Workload], how: &RunOptions) -> Result<bool, Failure> {
    if how.buffered {
        return Ok(false);
    }
    let jobs = || workloads.iter().flat_map(|workload| &workload.jobs);
    let share = |one: &Job, other: &Job| match (&one.targets, &other.targets) {
        (iobound_workload::Targets::Named(one), iobound_workload::Targets::Named(other)) => {
            one.iter().any(|name| other.contains(name))
        }
        _ => true,
    };
    for buffered in jobs().filter(|job| job.buffered) {
        if let Some(direct) = jobs().find(|job| !job.buffered && share(job, buffered)) {
            return Err(Failure::input(format!(
                "job {} uses the page cache and job {} bypasses it: a run opens a target in one way",
                buffered.name, direct.name
            ))
            .help("run them separately, or use the same setting for all"));
        }
    }
    Ok(jobs().any(|job| !job.buffered))
}
