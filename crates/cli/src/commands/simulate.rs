use clap::Args;
use iobound_drive::{Flow, VirtualClock};
use iobound_measure::result::Source;
use iobound_measure::{Interval, RunResult};
use iobound_predict::{PredictError, full_run};
use iobound_report::{Stage, simulated_json};

use crate::arguments::{CommonArgs, ConfigurationArgs, WorkloadArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Settings, configuration_of};
use crate::workload::workload_of;
use crate::{effect, interrupt, output};

/// The workload's own seconds on the model, in virtual time: a result with its series and every latency. Where the
/// workload has stages, each begins in the state that the configuration is in.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    workload: WorkloadArgs,
}

/// Runs each stage on the model.
pub(crate) fn run(args: &SimulateArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let asked = configuration_of(&args.configuration, &mut settings)?;
    let workload = workload_of(&args.workload, common, &mut settings)?;
    let idle = effect::check_in_time(&asked, &workload.workloads, &settings);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    let idle = idle?;
    let wording = workload.wording;
    let (workloads, said) = workload.stages(&asked.resolved);
    let mut notes: Vec<String> =
        asked.notes.iter().chain(&asked.resolved.notes).chain(&idle).cloned().collect();
    notes.extend(said.iter().map(|note| format!("{}: {}", note.about, note.says)));
    let mut watch = |_: &Interval| if interrupt::asked() { Flow::Stop } else { Flow::Continue };
    let (mut stages, mut results) = (Vec::new(), Vec::new());
    for workload in workloads {
        let question = asked.question(&workload);
        let (simulated, prediction) = full_run(VirtualClock::default(), &question, &mut watch)?;
        if interrupt::asked() {
            return Err(PredictError::Interrupted.into());
        }
        let mut result = RunResult::from_measured(&simulated.measured, Source::Simulated);
        result.attach_histograms(&simulated.measured);
        result.engine = Some("model".into());
        result.start.get_or_insert_default().seed = Some(workload.seed);
        results.push(result);
        stages.push(Stage { workload, prediction, cluster: None });
    }
    let predicted = asked.predicted(&stages, &notes, wording);
    output::document(common, simulated_json(&predicted, &results).text())
}
