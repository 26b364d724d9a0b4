use clap::Args;
use iobound_app::predict::{PredictRequest, PreparedPrediction};
use iobound_app::replay::{PreparedReplay, ReplayOptions, refuse};
use iobound_app::{Common, Env, Exit, Failure};
use iobound_report::{Document, predict_document, predict_text};

use crate::arguments::{CommonArgs, Typed};
use crate::output;
use crate::reading::ReadingLine;

const EXAMPLES: &str = "\
Examples:
  iobound predict --vm DS14 --disk 10xP30 --diskspd '-b4K -d60 -h -o8 -t4 -si -c50000M'
  iobound predict --vm D8s_v3 --disk 3xP30:readonly --block 8KiB --read 70% --size 100GiB
  iobound predict --vm DS14 --disk data=8xP30 --disk log=2xP20 --preset sqlserver-oltp
  iobound predict --vm m5.large --disk gp3@500GiB+6000iops --rate 4000iops --arrivals poisson --json
  iobound predict --vm D2s_v3 --disk P20 --at 0              # with full burst credits
  iobound predict --vm DS14 --disk 10xP30 --find-knee      # the depth that reaches the most IOPS
  iobound predict --vm DS14 --disk 10xP30 --find-knee --html page.html      # with charts
  iobound predict --vm D8s_v5 --disk 2xP30 --region westeurope         # with its monthly price
  iobound predict --vm DS14 --disk 10xP30 --observed 'iops=19882'      # compare with the band
  iobound predict --vm E32bds_v5 --disk 8xP40 --preset greenplum-scan --hosts 16 --slow-host 50%
  iobound predict --vm D8s_v5 --disk 4xP30 --trace monday.trace        # every I/O of a recording";

/// Predict what a configuration delivers: expected figures and their band, the ceiling, the binding limit, and the queue
/// depth that reaches it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    request: Typed<PredictRequest>,
    #[command(flatten)]
    replay: Typed<ReplayOptions>,
}

/// Predicts each stage, and shows all of them.
pub(crate) fn run(args: &PredictArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    if !args.replay.trace.is_empty() {
        return replay(args, common);
    }
    args.replay.refuse_without_trace()?;
    let env = common.env();
    let mut prepared = PreparedPrediction::read(&args.request, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    prepared.check()?;
    let page = prepared.page.clone();
    page.can_be_written()?;
    let answer = prepared.answer(&env)?;
    let predicted = answer.predicted();
    let exit =
        output::page(common, |style| predict_text(&predicted, style), || predict_document(&predicted))?;
    page.write(|| predict_document(&predicted))?;
    Ok(if answer.interrupted { Exit::Interrupted } else { exit })
}

/// A request for a trace in place of a workload.
///
/// # Errors
/// Returns an error if a value cannot be read, or if an option describes a workload.
pub(crate) fn prepared_replay(
    request: &PredictRequest,
    replay: &ReplayOptions,
    common: &Common,
    env: &Env,
) -> Result<PreparedReplay, Failure> {
    refuse(&request.own, &[], "is about a workload")?;
    refuse(&request.cluster, &[], "is about a workload")?;
    PreparedReplay::read(replay, &request.configuration, &request.workload, &request.page, common, env)
}

/// Replays a trace in place of a workload.
fn replay(args: &PredictArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = ReadingLine::env(common.env());
    let prepared = prepared_replay(&args.request, &args.replay, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    let page = prepared.page.clone();
    page.can_be_written()?;
    let answer = prepared.answer(&env)?;
    let document = || Document::from(answer.document().clone());
    output::page(common, |style| answer.text(style), document)?;
    page.write(document)?;
    Ok(answer.exit())
}
