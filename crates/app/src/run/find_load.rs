//! The search for the highest load whose latency stays within a goal: `run --find-load`, fio's `latency_target`.

use iobound_load::run::Outcome;
use iobound_load::saturate::deepest;
use iobound_machine::World;
use iobound_measure::Histogram;
use iobound_measure::result::{Check, Outcome as Verdict};
use iobound_report::Ended;
use iobound_units::{Op, Span};
use iobound_workload::{DEFAULT_DEPTH, Load, Workload};

use super::how::RunOptions;
use super::load_goal::{LoadGoal, Then};
use super::outputs::Outputs;
use super::ready::Ready;
use super::stage::run_stages;
use crate::Failure;
use crate::process::LiveStyle;

/// The deepest queue that `--find-load` tries where no depth is given.
const DEEPEST: u32 = 1_024;

fn is_met(goal: &LoadGoal, outcome: &Outcome) -> bool {
    let mut all = Histogram::<3>::new();
    for job in &outcome.total.jobs {
        Op::ALL.into_iter().filter(|op| *op != Op::Flush).for_each(|op| all.merge(&job.op(op).response));
    }
    all.count() > 0 && all.percentile_ns(goal.percent) <= goal.target.ns()
}

/// The one workload whose depth a search can raise, and that depth.
///
/// # Errors
/// Returns an error if there are several jobs, or a job has a rate.
fn searched<'a>(workloads: &'a [Workload], goal: &LoadGoal) -> Result<(&'a Workload, u32), Failure> {
    let option = goal.option;
    let alone = match workloads {
        [workload] if workload.jobs.len() == 1 => Some(workload),
        _ => None,
    };
    let Some(workload) = alone else {
        return Err(Failure::input(format!(
            "{option} searches the depth of one job, and the workload has several"
        ))
        .help("run the jobs one by one"));
    };
    match workload.jobs[0].load {
        Load::Closed { depth, cap: None } => Ok((workload, depth)),
        _ => Err(Failure::input(format!("{option} raises the depth, and a rate limits the load"))
            .help("leave out the rate or the cap")),
    }
}

/// Sees that the workloads can be searched, where that is asked for.
///
/// # Errors
/// Returns an error if there are several jobs, or a job has a rate.
pub(crate) fn check_goal(workloads: &[Workload], how: &RunOptions) -> Result<(), Failure> {
    how.load_goal.as_ref().map_or(Ok(()), |goal| searched(workloads, goal).map(|_| ()))
}

/// The workloads to run, and what a search found.
pub(crate) type Found = (Vec<Workload>, Option<Check>);

/// The workloads at the highest depth that meets the goal, up to their own depth, or up to 1,024 without one. Unchanged
/// without a goal. `None` if the search was interrupted.
///
/// # Errors
/// Returns an error if there are several jobs, a job has a rate, depth 1 does not meet the goal, or a probe fails.
pub(crate) fn at_goal(
    world: &World,
    ready: &Ready,
    workloads: Vec<Workload>,
    how: &RunOptions,
    style: LiveStyle,
) -> Result<Option<Found>, Failure> {
    let Some(goal) = how.load_goal else { return Ok(Some((workloads, None))) };
    let (workload, own) = searched(&workloads, &goal)?;
    let is_default = goal.then == Then::WholeRun && own == DEFAULT_DEPTH;
    let most = if is_default { DEEPEST } else { own };
    let mut used = Span::ZERO;
    // A report is of the run, not of a probe.
    let unreported = RunOptions { status: None, ..how.clone() };
    let at = |depth: u32, duration: Span| {
        let mut workload = workload.clone();
        workload.duration = duration;
        workload.jobs[0].load = Load::Closed { depth, cap: None };
        workload
    };
    let found = deepest(most, |depth| -> Result<Option<bool>, Failure> {
        let is_over = goal.then != Then::WholeRun && used >= workload.duration;
        if how.env.is_stopped() || is_over {
            return Ok(None);
        }
        used += goal.probe;
        let mut probe = at(depth, goal.probe);
        (probe.warmup, probe.cooldown) = (Span::ZERO, Span::ZERO);
        (probe.jobs[0].stop_after, probe.jobs[0].runtime) = (None, None);
        let mut stages = run_stages(world, ready, &[probe], &unreported, &mut Outputs::default(), style)?;
        let Some(stage) = stages.pop() else { return Ok(None) };
        match &stage.ended {
            Ended::Failed(why) => Err(Failure::io(why)),
            Ended::Interrupted => Ok(None),
            _ => Ok(Some(is_met(&goal, &stage.outcome))),
        }
    })?;
    if how.env.is_stopped() {
        return Ok(None);
    }
    let Some(depth) = found else {
        return Err(Failure::io(format!(
            "at depth 1 fewer than {} % of the I/Os take {} or less",
            goal.percent, goal.target
        ))
        .help("allow a higher latency, or a lower percentile"));
    };
    let says = format!(
        "{depth} is the highest depth, up to {most}, at which {} % of the I/Os of a probe of {} take {} or less",
        goal.percent, goal.probe, goal.target
    );
    let rest = Span::from_ns(workload.duration.ns().saturating_sub(used.ns())).max(goal.probe);
    let mut workload = match goal.then {
        Then::WholeRun => at(depth, workload.duration),
        Then::Rest => at(depth, rest),
        Then::OneProbe => at(depth, goal.probe),
    };
    if goal.then == Then::OneProbe {
        (workload.jobs[0].stop_after, workload.jobs[0].runtime) = (None, None);
    }
    how.env.note(&format!("{}: {says}", goal.option));
    let check = Check { name: "find-load".into(), outcome: Verdict::Ok, says };
    Ok(Some((vec![workload], Some(check))))
}
