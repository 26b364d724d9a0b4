//! `lab --trace`: a trace on the configuration of each run, in virtual time.

use iobound_documents::{LabReplayDocument, LabReplayRun, Share, TraceRead, Version};
use iobound_drive::{Flow, ReplayMode};
use iobound_lab::{Experiment, OnModel, PlannedRun};
use iobound_predict::{ReplayQuestion, ReplayStop, replay_on_model};
use iobound_report::{
    Document, ReplayScreen, Style, lab_replay_csv, lab_replay_run, lab_replay_text, replay_document,
    trace_read,
};
use iobound_trace::Source;
use iobound_units::Counted;

use crate::outfile::Unwritten;
use crate::page::PageChoice;
use crate::replay::{ReplayWish, failure_of, places, placing_notes};
use crate::trace::{DeviceOrigin, Kept, ReadAgain};
use crate::{Env, Exit, Failure, Finished, PlainAnswer, ShownAnswer};

/// The runs that are replayed: the first of each configuration; and the number of the others.
fn replayable(runs: &[PlannedRun]) -> (Vec<(&PlannedRun, &OnModel)>, usize) {
    let mut chosen: Vec<(&PlannedRun, &OnModel)> = Vec::new();
    for run in runs {
        let Some(on_model) = &run.on_model else { continue };
        let known = |other: &OnModel| other.machine.configuration == on_model.machine.configuration;
        if !chosen.iter().any(|(_, other)| known(other)) {
            chosen.push((run, on_model));
        }
    }
    let others = runs.len() - chosen.len();
    (chosen, others)
}

/// Outputs of an experiment's replays beside the screen.
pub(super) struct LabReplayOutput<'a> {
    pub(super) page: &'a PageChoice,
    /// True for comma-separated values in place of the screen.
    pub(super) csv: bool,
}

/// The replays of an experiment's configurations.
pub struct LabReplayAnswer(LabReplayDocument);

impl ShownAnswer for LabReplayAnswer {
    fn text(&self, style: Style) -> String {
        lab_replay_text(&self.0, style)
    }

    fn document(&self) -> Option<Document> {
        Some(self.0.clone().into())
    }
}

/// Replays the trace on the configuration of each run, and returns the table.
///
/// # Errors
/// Returns an error if the trace cannot be read or replayed, or no run has a configuration.
pub(super) fn replay_runs(
    experiment: &Experiment,
    runs: &[PlannedRun],
    wish: &ReplayWish,
    seed: Option<u64>,
    output: LabReplayOutput<'_>,
    env: &Env,
) -> Result<Finished, Failure> {
    let (chosen, others) = replayable(runs);
    if chosen.is_empty() {
        return Err(Failure::input(format!("--trace: no run of {} has a configuration", experiment.name))
            .help("write vm and disk in [base] of the file"));
    }
    for (run, on_model) in &chosen {
        wish.refuse_unknown_volumes(&on_model.resolved).map_err(|failure| failure.of(&run.name))?;
    }
    output.page.can_be_written()?;
    let map = wish.map();
    let progress = env.of_process().progress(chosen.len());
    let mut notes =
        vec!["burst credits are full and host caches are empty at the start of each run".to_string()];
    if others > 0 {
        notes.push(format!(
            "{} left out: only the workload differs from a shown run, or there is no configuration",
            Counted(others as u64, "run")
        ));
    }
    let (mut rows, mut interrupted, mut again): (Vec<LabReplayRun>, _, Option<ReadAgain>) =
        (Vec::new(), false, None);
    let mut read: Option<(TraceRead, Vec<DeviceOrigin>)> = None;
    for (run, on_model) in chosen {
        let mut watch = || {
            progress.goes_on(&run.name);
            if env.is_stopped() { Flow::Stop } else { Flow::Continue }
        };
        let mut replayed = |source: &mut dyn Source| {
            let question = ReplayQuestion {
                resolved: &on_model.resolved,
                mode: wish.mode,
                speed: wish.speed,
                full_credits: true,
                seed: seed.unwrap_or(on_model.workload.seed),
                map: &map,
                goal: None,
            };
            replay_on_model(&question, source, &mut watch)
                .map_err(|error| failure_of(&wish.files, error).of(&run.name))
        };
        let replayed = match &again {
            Some(again) => replayed(&mut *again.open()?)?,
            None => {
                let mut trace = wish.open(env)?;
                let kept = Kept::behind(&mut trace);
                let first = replayed(&mut *trace.source)?;
                read = Some((trace_read(&trace.files, &trace.source.facts()), trace.origins()));
                let (env, wish) = (env.clone(), wish.clone());
                again = Some(kept.finish(&trace, move || wish.open(&env))?);
                first
            }
        };
        interrupted = replayed.stop == Some(ReplayStop::Interrupted);
        if interrupted && replayed.counts.issued == 0 {
            break;
        }
        if replayed.counts.issued == 0 {
            return Err(Failure::input(format!("{}: the trace has no I/O to replay", wish.files.join(", ")))
                .help("check it with `iobound trace info`"));
        }
        let Some((read, origins)) = &read else { break };
        let screen = ReplayScreen {
            replayed: &replayed,
            map: &places(&replayed, origins, &on_model.resolved),
            resolved: &on_model.resolved,
            configuration: &on_model.machine.configuration,
            mode: wish.mode,
            speed: wish.speed,
            notes: &[],
        };
        let row = lab_replay_run(&run.name, replay_document(&screen, read.clone()));
        let placing = placing_notes(&replayed, &on_model.resolved);
        notes.extend(placing.into_iter().map(|note| format!("{}: {note}", run.name)));
        rows.push(row);
        if interrupted {
            break;
        }
        progress.done(&run.name);
    }
    drop(progress);
    let Some((read, _)) = read else {
        return Err(Failure::interrupted("interrupted before a run was replayed"));
    };
    if rows.is_empty() {
        return Err(Failure::interrupted("interrupted before a run was replayed"));
    }
    let document = LabReplayDocument {
        schema: Version::default(),
        name: experiment.name.clone(),
        read,
        mode: if wish.mode == ReplayMode::Timed { "timed" } else { "dependent" }.into(),
        speed: Share::of(wish.speed.as_f64()),
        interrupted,
        runs: rows,
        notes,
    };
    let exit = if interrupted { Exit::Interrupted } else { Exit::Done };
    let mut unwritten = Unwritten::default();
    unwritten.take(output.page.write(|| document.clone()));
    let answer = match output.csv {
        true => PlainAnswer::for_programs(lab_replay_csv(&document)),
        false => Box::new(LabReplayAnswer(document)),
    };
    Ok(Finished::beside(Some(answer), unwritten, Ok(exit)))
}
