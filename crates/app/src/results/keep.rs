//! Runs go to the store at their end. A store that can't be written is said, and takes nothing of the answer away.

use iobound_measure::{Measured, RunResult};
use iobound_predict::Prediction;
use iobound_report::{Ended, Prepared, RunStage, kept_keys};
use iobound_results::{NewRun, RunId, Store};
use iobound_workload::Workload;
use serde_json::{Map, Value};

use super::Place;
use crate::Env;

/// The program, with its version.
const PROGRAM: &str = concat!("iobound ", env!("CARGO_PKG_VERSION"));

/// A run that is over.
pub(crate) struct ToKeep<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) side: Option<&'a str>,
    pub(crate) workload: &'a Workload,
    pub(crate) result: &'a RunResult,
    /// Unit of its latencies.
    pub(crate) measured: Option<&'a Measured>,
    pub(crate) ended: Ended,
    pub(crate) prediction: Option<&'a Prediction>,
    pub(crate) prepared: &'a [Prepared],
}

/// Keeps the runs of a command.
pub(crate) struct Keeping {
    place: Place,
    verb: &'static str,
    /// The configuration in TOML, as far as there is one.
    configuration: Option<String>,
    /// The first run of the command.
    first: Option<RunId>,
    /// A store that can't be written is said once.
    said: bool,
    env: Env,
}

impl Keeping {
    pub(crate) fn new(place: Place, verb: &'static str, configuration: Option<String>, env: &Env) -> Keeping {
        Keeping { place, verb, configuration, first: None, said: false, env: env.clone() }
    }

    /// Keeps runs of one command, and says under which ids: as many as there are runs, or none.
    pub(crate) fn keep(&mut self, runs: &[ToKeep<'_>]) -> Vec<String> {
        self.keep_with(runs, None)
    }

    /// The same of runs that have a configuration of their own.
    pub(crate) fn keep_with(&mut self, runs: &[ToKeep<'_>], configuration: Option<&str>) -> Vec<String> {
        if self.said || runs.is_empty() {
            return Vec::new();
        }
        let path = match &self.place {
            Place::At(path) => path,
            Place::Off => return Vec::new(),
            Place::Homeless => {
                self.env
                    .note("results are not kept: HOME is not set (name a file with IOBOUND_RESULTS, or off)");
                self.said = true;
                return Vec::new();
            }
        };
        if self.env.is_hanging() {
            // It may lie on the very device.
            self.env.note("results are not kept, because a device does not answer");
            self.said = true;
            return Vec::new();
        }
        let whole: Vec<RunResult> = runs.iter().map(ToKeep::with_latencies).collect();
        let new: Vec<NewRun<'_>> = runs
            .iter()
            .zip(&whole)
            .map(|(run, result)| NewRun {
                verb: self.verb,
                name: run.name,
                side: run.side,
                result,
                document: run.document(),
                configuration: configuration.or(self.configuration.as_deref()),
                first_of_command: self.first,
                program: PROGRAM,
            })
            .collect();
        match Store::open(path).and_then(|mut store| store.keep(&new)) {
            Ok(ids) => {
                self.first = self.first.or(ids.first().copied());
                ids.iter().map(RunId::to_string).collect()
            }
            Err(error) => {
                self.env.note(&format!("results are not kept: {error}"));
                self.said = true;
                Vec::new()
            }
        }
    }
}

impl ToKeep<'_> {
    fn with_latencies(&self) -> RunResult {
        let mut result = self.result.clone();
        if let Some(measured) = self.measured {
            result.attach_histograms(measured);
            result.attach_latencies(measured);
        }
        result
    }

    fn document(&self) -> Map<String, Value> {
        let stage = RunStage {
            workload: self.workload,
            result: self.result,
            prediction: self.prediction,
            ended: self.ended.clone(),
        };
        kept_keys(&stage, self.prepared)
    }
}
