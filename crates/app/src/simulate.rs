//! The workload's own seconds on the model.

use iobound_drive::Flow;
use iobound_measure::result::Source;
use iobound_measure::{Interval, RunResult};
use iobound_predict::{PredictError, simulated_run};
use iobound_report::{Document, Stage, Wording, simulated_document};

use crate::effect;
use crate::options::{ConfigurationOptions, WorkloadOptions, options};
use crate::settings::{ConfigurationRequest, Settings, configuration_of};
use crate::workload::workload_of;
use crate::{Common, Env, Failure};

options! {
    /// Asks for the workload's own seconds on the model, in virtual time: a result with its series and every latency. Where the
    /// workload has stages, each begins in the state that the configuration is in.
    pub struct SimulateRequest {
    }
    configuration: ConfigurationOptions;
    workload: WorkloadOptions;
}

/// The result of each stage.
pub struct SimulateAnswer {
    asked: ConfigurationRequest,
    stages: Vec<Stage>,
    results: Vec<RunResult>,
    notes: Vec<String>,
    wording: Wording,
}

/// Runs each stage on the model.
///
/// # Errors
/// Returns an error if the request cannot be read, built or simulated, or is stopped before its end.
pub fn simulate(request: &SimulateRequest, common: &Common, env: &Env) -> Result<SimulateAnswer, Failure> {
    let mut settings = Settings::load(env, common.config.as_deref())?;
    let asked = configuration_of(&request.configuration, &mut settings)?;
    let workload = workload_of(&request.workload, common.seed.as_deref(), &mut settings)?;
    let idle = effect::check_in_time(&asked, &workload.workloads, &settings);
    settings.finish();
    let idle = idle?;
    let wording = workload.wording;
    let (workloads, said) = workload.stages(&asked.resolved);
    let mut notes: Vec<String> =
        asked.notes.iter().chain(&asked.resolved.notes).chain(&idle).cloned().collect();
    notes.extend(said.iter().map(|note| format!("{}: {}", note.about, note.says)));
    let mut watch = |_: &Interval| if env.is_stopped() { Flow::Stop } else { Flow::Continue };
    let (mut stages, mut results) = (Vec::new(), Vec::new());
    for workload in workloads {
        let question = asked.question(&workload);
        let (simulated, prediction) = simulated_run(&question, &mut watch)?;
        if env.is_stopped() {
            return Err(PredictError::Interrupted.into());
        }
        let mut result = RunResult::from_measured(&simulated.measured, Source::Simulated);
        result.attach_histograms(&simulated.measured);
        result.engine = Some("model".into());
        result.start.get_or_insert_default().seed = Some(workload.seed);
        results.push(result);
        stages.push(Stage { workload, prediction, cluster: None });
    }
    Ok(SimulateAnswer { asked, stages, results, notes, wording })
}

impl SimulateAnswer {
    /// The document of the answer.
    pub fn document(&self) -> Document {
        let predicted = self.asked.predicted(&self.stages, &self.notes, self.wording);
        simulated_document(&predicted, &self.results).into()
    }
}
