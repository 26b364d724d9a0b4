//! The published measurements beside the model: each question is asked once, several at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use iobound_catalog::{Catalog, MeasuredRun, discrepancies, measured_runs};
use iobound_drive::Flow;
use iobound_lab::{MeasuredAnswer, MeasuredLab, ask_measured};
use iobound_measure::Interval;
use iobound_report::{Document, Style, measured_document, measured_text};
use iobound_workload::nearest;

use super::choice::matches;
use crate::{Env, Failure, ShownAnswer};

/// Published runs beside the model.
pub struct MeasuredAnswers {
    answers: Vec<(&'static MeasuredRun, MeasuredAnswer)>,
    /// Sources and runs that are shown, or patterns of them; empty for all.
    only: Vec<String>,
}

/// True if the run, or its source, has this name or pattern.
fn fits(pattern: &str, run: &MeasuredRun) -> bool {
    matches(pattern, &run.source) || matches(pattern, &run.id)
}

impl MeasuredAnswers {
    fn lab(&self) -> MeasuredLab<'_> {
        MeasuredLab::of(&self.answers, discrepancies(), &|run| {
            self.only.is_empty() || self.only.iter().any(|pattern| fits(pattern, run))
        })
    }
}

impl ShownAnswer for MeasuredAnswers {
    fn text(&self, style: Style) -> String {
        measured_text(&self.lab(), style)
    }

    fn document(&self) -> Option<Document> {
        Some(measured_document(&self.lab()).into())
    }
}

/// Compares all published runs with the model, to show those that are asked for: sources and runs, or patterns of them.
/// `None` if the user interrupts.
pub(crate) fn measured(
    catalog: &Catalog,
    only: &[&str],
    env: &Env,
) -> Result<Option<MeasuredAnswers>, Failure> {
    let only: Vec<&str> = only.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    if let Some(none) = only.iter().find(|pattern| !measured_runs().iter().any(|run| fits(pattern, run))) {
        let failure =
            Failure::input(format!("--only {none}: no source and no run of measured.csv has this name"));
        let near = nearest(none, measured_runs().iter().map(|run| run.source.as_str()));
        return Err(match near.as_slice() {
            [] => failure.help("`iobound lab --measured` lists the sources"),
            near => failure.help(format!("did you mean {}?", near.join(" or "))),
        });
    }
    let only = only.into_iter().map(str::to_string).collect();
    Ok(answers(catalog, env).map(|answers| MeasuredAnswers { answers, only }))
}

/// The model's answer for every published run; `None` if the user interrupts.
fn answers(catalog: &Catalog, env: &Env) -> Option<Vec<(&'static MeasuredRun, MeasuredAnswer)>> {
    let runs = measured_runs();
    let questions: Vec<String> = runs.iter().map(MeasuredRun::question).collect();
    let firsts: Vec<usize> = questions
        .iter()
        .map(|question| questions.iter().position(|other| other == question).unwrap_or_default())
        .collect();
    let progress = env.of_process().progress(runs.len());
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![None; runs.len()]));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(index).filter(|_| !env.is_stopped()) else { break };
                    if firsts[index] == index {
                        let mut watch = |_: &Interval| {
                            if env.is_stopped() { Flow::Stop } else { Flow::Continue }
                        };
                        let answer = ask_measured(run, catalog, &mut watch).ok();
                        done.lock().unwrap_or_else(PoisonError::into_inner)[index] = answer;
                    }
                    progress.done(&run.id);
                }
            });
        }
    });
    drop(progress);
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    runs.iter().zip(firsts).map(|(run, first)| Some((run, done[first].clone()?))).collect()
}
