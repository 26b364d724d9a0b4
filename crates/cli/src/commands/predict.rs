use clap::Args;
use iobound_predict::{Question, find_knee, predict};
use iobound_report::{Predicted, Stage, predict_json, predict_text};

use crate::arguments::{CommonArgs, ConfigurationArgs, WorkloadArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Settings, configuration_of};
use crate::workload::workload_of;
use crate::{effect, interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound predict --vm DS14 --disk 10xP30 --diskspd '-b4K -d60 -h -o8 -t4 -si -c50000M'
  iobound predict --vm D8s_v3 --disk 3xP30:readonly --random --block 8KiB --read 70% --depth 32 --size 100GiB
  iobound predict --vm DS14 --disk data=8xP30 --disk log=2xP20 --preset sqlserver-oltp
  iobound predict --vm m5.large --disk gp3@500GiB+6000iops --rate 4000iops --arrivals poisson --json
  iobound predict --vm D2s_v3 --disk P20 --at 0              with full burst credits
  iobound predict --vm DS14 --disk 10xP30 --find-knee        the depth from which only latency grows";

/// What will this configuration deliver: expected figures and their band, the ceiling, what binds, and the depth
/// that reaches it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PredictArgs {
    /// Search the knee by simulation, and show the curve
    #[arg(long)]
    find_knee: bool,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    workload: WorkloadArgs,
}

/// Predicts each stage, and shows all of them.
pub(crate) fn run(args: &PredictArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let asked = configuration_of(&args.configuration, &mut settings)?;
    let workload = workload_of(&args.workload, common, &mut settings)?;
    let idle = effect::check(&asked, &workload.workloads, &settings);
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
    let mut stages: Vec<Stage> = Vec::with_capacity(workloads.len());
    let mut interrupted = false;
    for workload in workloads {
        if interrupt::asked() {
            interrupted = true;
            break;
        }
        let question =
            Question { resolved: &asked.resolved, workload: &workload, cache: asked.cache, age: asked.age };
        let mut prediction = predict(&question)?;
        if args.find_knee {
            prediction.knee = Some(find_knee(&question, &asked.resolved.blueprint)?);
        }
        stages.push(Stage { workload, prediction });
    }
    if stages.is_empty() {
        return Ok(Exit::Interrupted);
    }
    let predicted = Predicted {
        configuration: &asked.configuration,
        resolved: &asked.resolved,
        cache: asked.cache,
        age: asked.age,
        stages: &stages,
        notes: &notes,
        wording,
    };
    let exit = output::page(common, |style| predict_text(&predicted, style), || predict_json(&predicted))?;
    Ok(if interrupted || interrupt::asked() { Exit::Interrupted } else { exit })
}
