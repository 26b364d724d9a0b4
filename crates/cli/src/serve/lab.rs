//! Experiments that ship with the program, on the model.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_app::Failure;
use iobound_catalog::Catalog;
use iobound_drive::Flow;
use iobound_lab::{Execute, ExecuteError, Experiment, Model, Row, Shipped, shipped, shipped_named};
use iobound_report::{Document, Laboratory, Listed, lab_document, lab_list_document};
use iobound_serve::{Answer, Word};

use crate::interrupt;

/// Experiments that need no target.
fn on_model(catalog: &Catalog) -> Result<Vec<(Shipped, Experiment)>, Failure> {
    let read = shipped().map(|of| {
        let read = Experiment::read(of.name, of.text, catalog).map_err(Failure::input)?;
        Ok::<_, Failure>((of, read))
    });
    let mut experiments: Vec<(Shipped, Experiment)> = read.collect::<Result<_, Failure>>()?;
    experiments.retain(|(_, read)| read.runs.iter().all(|run| run.on_model.is_some()));
    Ok(experiments)
}

/// The experiments, each with its question and the number of its rows.
pub(super) fn list() -> Result<Answer, Failure> {
    let experiments = on_model(&Catalog::shipped())?;
    let listed: Vec<Listed<'_>> = experiments
        .iter()
        .map(|(of, read)| Listed { name: of.name, about: &read.about, runs: read.runs.len() })
        .collect();
    Ok(Answer::Document(Document::from(lab_list_document(&listed)).text()))
}

/// An experiment by its name; `published` without one.
///
/// # Errors
/// Returns an error if the name is unknown or the model cannot run a row.
pub(super) fn answer(words: &[Word], stop: &Arc<AtomicBool>) -> Result<Answer, Failure> {
    let name = match words {
        [] => "published",
        [Word { name, value }] if name == "experiment" => value,
        [Word { name, .. }, ..] => {
            return Err(
                Failure::input(format!("lab has no option `{name}` here")).help("give experiment=NAME")
            );
        }
    };
    let of = shipped_named(name).ok_or_else(|| {
        Failure::input(format!("no experiment is named `{name}`")).help("/api/experiments lists them")
    })?;
    let experiment = Experiment::read(of.name, of.text, &Catalog::shipped()).map_err(Failure::input)?;
    let is_stopped = || stop.load(Ordering::Relaxed) || interrupt::asked();
    let mut watch = |_: &_| if is_stopped() { Flow::Stop } else { Flow::Continue };
    let mut rows = Vec::new();
    for run in &experiment.runs {
        if run.on_model.is_none() {
            let why = format!("{name} runs on real disks, which a page does not touch");
            return Err(Failure::input(why).help(format!("iobound lab {name} --target FOLDER")));
        }
        match Model.execute(run, &mut watch) {
            Ok(execution) => rows.push(Row::of(run.clone(), execution)),
            Err(ExecuteError::Interrupted) => break,
            Err(error) => return Err(Failure::input(format!("{}: {error}", run.name))),
        }
        if is_stopped() {
            return Err(Failure::input("the question was stopped"));
        }
    }
    let laboratory = Laboratory {
        name: &experiment.name,
        about: &experiment.about,
        region: &experiment.region,
        rows: &rows,
        asked: experiment.runs.len(),
        error: None,
    };
    Ok(Answer::Document(Document::from(lab_document(&laboratory)).text()))
}
