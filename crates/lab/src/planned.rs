//! A run that is looked up and checked: on the model, on real targets, or on both.

use iobound_catalog::{Price, Resolved};
use iobound_predict::{Counted, Question};
use iobound_units::Span;
use iobound_workload::Workload;

use crate::change::Change;
use crate::configuration::Machine;
use crate::published::Published;
use crate::workload::length;

/// A run that can begin.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// Its name.
    pub name: String,
    /// The run that it starts from; `base` is the experiment's own; `None` where it stands for itself.
    pub from: Option<String>,
    /// Differences from there.
    pub changes: Vec<Change>,
    /// Published figures of it.
    pub published: Option<Published>,
    /// The publication's words where it gives no figure.
    pub no_figure: Option<String>,
    /// Properties that the publication does not state, and that were assumed.
    pub assumed: Vec<String>,
    /// Other remarks on the run.
    pub note: Option<String>,
    /// The configuration that it is predicted for; `None` where it runs on real targets alone.
    pub on_model: Option<OnModel>,
    /// The real targets that it runs on: `PATH` or `NAME=PATH` each; empty where it is for the model alone.
    pub targets: Vec<String>,
    /// The workload, its targets named as they were written.
    pub workload: Workload,
    /// Notes on the words that the workload was given in, and on the configuration's.
    pub notes: Vec<String>,
    /// Its price a month, where that is shown.
    pub price: Option<Price>,
}

/// A run as the model has it.
#[derive(Clone, Debug)]
pub struct OnModel {
    /// The configuration as asked for, and its state.
    pub machine: Machine,
    /// The configuration as looked up.
    pub resolved: Resolved,
    /// The workload, its targets those of the configuration.
    pub workload: Workload,
}

impl OnModel {
    /// The question that the run asks of the model.
    pub fn question(&self) -> Question<'_> {
        Question {
            resolved: &self.resolved,
            workload: &self.workload,
            cache: self.machine.cache,
            age: self.machine.age,
            counted: Counted::Run,
        }
    }
}

impl PlannedRun {
    /// True if it can be carried out: on the model, on real targets, or on both.
    pub fn is_somewhere(&self) -> bool {
        self.on_model.is_some() || !self.targets.is_empty()
    }

    /// Time that the run takes on a real clock.
    pub fn length(&self) -> Span {
        length(&self.workload)
    }

    /// The run with another seed, or counted for another time.
    pub fn with(mut self, seed: Option<u64>, duration: Option<Span>) -> PlannedRun {
        let modelled = self.on_model.as_mut().map(|on_model| &mut on_model.workload);
        for workload in modelled.into_iter().chain([&mut self.workload]) {
            workload.seed = seed.unwrap_or(workload.seed);
            workload.duration = duration.unwrap_or(workload.duration);
        }
        self
    }

    /// The one thing that was changed, or all of them with their number; `None` where nothing was.
    pub fn changed(&self) -> Option<String> {
        let words = || self.changes.iter().map(Change::to_string).collect::<Vec<_>>().join(", ");
        match self.changes.len() {
            0 => None,
            1 => Some(words()),
            count => Some(format!("{count} at once: {}", words())),
        }
    }
}
