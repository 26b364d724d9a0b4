//! Carrying out the rows: the model first, several rows at once, then emulated devices and real targets, row by row.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use iobound_drive::Flow;
use iobound_lab::{Execute, ExecuteError, Execution, Model, PlannedRun, Reached, Row, run_on};
use iobound_machine::SystemClock;
use iobound_measure::Interval;

use super::{Real, Rehearsal};
use crate::process::{LiveStyle, Progress};
use crate::{Env, Failure};

/// The outcome of the rows.
pub(crate) struct CarriedOut {
    /// Those of which everything was done, in order.
    pub(crate) rows: Vec<Row>,
    /// Reason for an early end, unless the user ended it.
    pub(crate) failure: Option<Failure>,
}

/// Carries out the runs. Where the person interrupts, or a real target fails, there are the rows that were done.
pub(crate) fn carry_out(
    runs: Vec<PlannedRun>,
    real_time: bool,
    rehearsal: Option<&Rehearsal>,
    real: &Real,
    env: &Env,
) -> Result<CarriedOut, Failure> {
    // Real targets have the machine to themselves: nothing is simulated while they are measured.
    let modelled = model(&runs, real_time, env)?;
    let of = runs.iter().filter(|run| !run.targets.is_empty()).count();
    let rehearsals = runs.iter().filter(|run| run.on_model.is_some()).count();
    let (mut rows, mut failure, mut begun, mut rehearsed) = (Vec::with_capacity(runs.len()), None, 0, 0);
    for (run, execution) in runs.into_iter().zip(modelled) {
        let Some(mut execution) = execution else { continue };
        if let (Some(rehearsal), Some(on_model)) = (rehearsal, &run.on_model) {
            if failure.is_some() || env.is_stopped() {
                continue;
            }
            rehearsed += 1;
            env.note(&format!("{rehearsed} of {rehearsals}, {} on emulated devices", run.name));
            match rehearsal.reach(&run, on_model, env).map_err(|failure| failure.of(&run.name)) {
                Ok(None) => continue,
                Ok(reached) => execution.rehearsed = reached,
                Err(why) => {
                    failure = Some(why);
                    continue;
                }
            }
        }
        if !run.targets.is_empty() {
            if failure.is_some() || env.is_stopped() {
                continue;
            }
            begun += 1;
            env.note(&format!("{begun} of {of}, {} on {}", run.name, run.targets.join(", ")));
            match real.measure(&run, LiveStyle::default()) {
                Ok(None) => continue,
                Ok(measured) => execution.measured = measured,
                Err(why) => {
                    failure = Some(why);
                    continue;
                }
            }
        }
        rows.push(Row::of(run, execution));
    }
    match failure {
        Some(failure) if rows.is_empty() => Err(failure),
        failure => Ok(CarriedOut { rows, failure }),
    }
}

/// Result of the model for each run; `None` for those that were not done when the user interrupted.
fn model(runs: &[PlannedRun], real_time: bool, env: &Env) -> Result<Vec<Option<Execution>>, Failure> {
    let progress = env.of_process().progress(runs.iter().filter(|run| run.on_model.is_some()).count());
    // On the real clock each run has the machine to itself.
    let workers =
        if real_time { 1 } else { std::thread::available_parallelism().map_or(1, |count| count.get()) };
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Execution, ExecuteError>)>> =
        Mutex::new(Vec::with_capacity(runs.len()));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(runs.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(index).filter(|_| !env.is_stopped()) else { break };
                    let execution = execute(run, real_time, &*progress, env);
                    if run.on_model.is_some() {
                        progress.done(&run.name);
                    }
                    done.lock().unwrap_or_else(|error| error.into_inner()).push((index, execution));
                }
            });
        }
    });
    drop(progress);
    let mut done = done.into_inner().unwrap_or_else(|error| error.into_inner());
    done.sort_by_key(|(index, _)| *index);
    let mut executions: Vec<Option<Execution>> = runs.iter().map(|_| None).collect();
    for (index, execution) in done {
        let execution = match execution {
            Ok(execution) => execution,
            Err(ExecuteError::Interrupted) => continue,
            Err(error) => return Err(Failure::input(format!("{}: {error}", runs[index].name))),
        };
        let is_whole = execution.modelled.as_ref().is_none_or(|modelled| modelled.simulated.complete)
            && execution.real_time.as_ref().is_none_or(|real| real.complete);
        executions[index] = is_whole.then_some(execution);
    }
    Ok(executions)
}

fn execute(
    run: &PlannedRun,
    real_time: bool,
    progress: &dyn Progress,
    env: &Env,
) -> Result<Execution, ExecuteError> {
    let mut watch = |_: &Interval| {
        progress.goes_on(&run.name);
        if env.is_stopped() { Flow::Stop } else { Flow::Continue }
    };
    let mut execution = Model.execute(run, &mut watch)?;
    if let Some(on_model) = run.on_model.as_ref().filter(|_| real_time && !env.is_stopped()) {
        let mut clock = SystemClock::default();
        let reached = run_on(&mut clock, on_model, &mut watch)?;
        execution.real_time = Some(Reached { late: clock.late(), ..reached });
    }
    Ok(execution)
}
