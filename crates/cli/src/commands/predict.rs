use clap::Args;
use iobound_catalog::Price;
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::{
    Cluster, Hosts, PredictError, Prediction, Published, Question, find_knee, predict, predict_cluster,
};
use iobound_report::{Predicted, Stage, predict_json, predict_text};

use crate::arguments::{ClusterArgs, CommonArgs, ConfigurationArgs, WorkloadArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::hosts::cluster_of;
use crate::page::{AskedPage, PageArgs};
use crate::settings::{Asked, Settings, configuration_of};
use crate::terms::parse_os;
use crate::workload::workload_of;
use crate::{effect, interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound predict --vm DS14 --disk 10xP30 --diskspd '-b4K -d60 -h -o8 -t4 -si -c50000M'
  iobound predict --vm D8s_v3 --disk 3xP30:readonly --block 8KiB --read 70% --size 100GiB
  iobound predict --vm DS14 --disk data=8xP30 --disk log=2xP20 --preset sqlserver-oltp
  iobound predict --vm m5.large --disk gp3@500GiB+6000iops --rate 4000iops --arrivals poisson --json
  iobound predict --vm D2s_v3 --disk P20 --at 0              with full burst credits
  iobound predict --vm DS14 --disk 10xP30 --find-knee        the depth from which only latency grows
  iobound predict --vm DS14 --disk 10xP30 --find-knee --html page.html      with pictures
  iobound predict --vm D8s_v5 --disk 2xP30 --region westeurope         with its price a month
  iobound predict --vm DS14 --disk 10xP30 --observed 'iops=19882'      is that in the band
  iobound predict --vm E32bds_v5 --disk 8xP40 --preset greenplum-scan --hosts 16 --slow-host 50%";

/// What will this configuration deliver: expected figures and their band, the ceiling, what binds, and the depth
/// that reaches it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PredictArgs {
    /// Search the knee by simulation, and show the curve
    #[arg(long)]
    find_knee: bool,
    /// A figure that was measured or published, to see whether the band holds it: 'iops=19882 throughput=81MB/s'
    #[arg(long, value_name = "FIGURE")]
    observed: Option<String>,
    /// What it costs there a month, on demand: westeurope, us-east-1
    #[arg(long, value_name = "REGION")]
    region: Option<String>,
    /// Whose licence that price includes: linux, windows [default: linux]
    #[arg(long, value_name = "WHOSE")]
    os: Option<String>,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    workload: WorkloadArgs,
    #[command(flatten)]
    page: PageArgs,
}

/// The prediction of one stage, of one host and of all, unless Ctrl-C comes before it.
fn answer(
    question: &Question<'_>,
    knee_by_search: bool,
    hosts: Option<&Hosts>,
) -> Result<(Prediction, Option<Cluster>), PredictError> {
    let mut watch = |_: &Interval| if interrupt::asked() { Flow::Stop } else { Flow::Continue };
    let (mut prediction, cluster) = match hosts {
        None => (predict(question, &mut watch)?, None),
        Some(hosts) => {
            let (prediction, cluster) = predict_cluster(question, hosts, &mut watch)?;
            (prediction, Some(cluster))
        }
    };
    if knee_by_search {
        prediction.knee = Some(find_knee(question, &question.resolved.blueprint, &mut watch)?);
    }
    Ok((prediction, cluster))
}

/// The price of the configuration, where a region says that it is asked for.
fn price_of(args: &PredictArgs, asked: &Asked, settings: &mut Settings) -> Result<Option<Price>, Failure> {
    let region = settings.text("region", args.region.as_deref(), None);
    let os = settings.text("os", args.os.as_deref(), Some("linux"));
    let Some(region) = region else {
        return match os {
            Some(given) => Err(given
                .refuse("without --region there is no price that a licence is part of")
                .mend("add --region westeurope, or leave it out")),
            None => Ok(None),
        };
    };
    let os = os.map(|given| given.parse(parse_os)).transpose()?.unwrap_or_default();
    let price = asked.catalog.price_of(&asked.resolved, &region.text, os);
    price.map(Some).map_err(|error| Failure::from(error).written(&region))
}

/// Predicts each stage, and shows all of them.
pub(crate) fn run(args: &PredictArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let asked = configuration_of(&args.configuration, &mut settings)?;
    let (hosts, alone) = cluster_of(&args.cluster, &mut settings)?;
    let workload = workload_of(&args.workload, common, &mut settings)?;
    let published = settings.parse("observed", args.observed.as_deref(), None, Published::parse)?;
    let page = AskedPage::of(&args.page, &mut settings)?;
    let price = price_of(args, &asked, &mut settings)?;
    let idle = effect::check(&asked, &workload.workloads, &settings);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    let idle = idle?;
    page.can_be_written()?;
    let wording = workload.wording;
    let (workloads, said) = workload.stages(&asked.resolved);
    if published.is_some() && workloads.len() > 1 {
        let why =
            format!("--observed: the workload is {} stages, and a figure is of one run", workloads.len());
        return Err(Failure::input(why).mend("leave it out, or predict the stage that the figure is of"));
    }
    let mut notes: Vec<String> =
        asked.notes.iter().chain(&asked.resolved.notes).chain(&idle).chain(&alone).cloned().collect();
    notes.extend(said.iter().map(|note| format!("{}: {}", note.about, note.says)));
    let mut stages: Vec<Stage> = Vec::with_capacity(workloads.len());
    let mut interrupted = false;
    for workload in workloads {
        if interrupt::asked() {
            interrupted = true;
            break;
        }
        let question = asked.question(&workload);
        match answer(&question, args.find_knee, hosts.as_ref()) {
            Ok((prediction, cluster)) => stages.push(Stage { workload, prediction, cluster }),
            // What was done is printed; what was not has no figures.
            Err(PredictError::Interrupted) => {
                interrupted = true;
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if stages.is_empty() {
        return Err(PredictError::Interrupted.into());
    }
    let predicted =
        Predicted { published, price: price.as_ref(), ..asked.predicted(&stages, &notes, wording) };
    let exit = output::page(common, |style| predict_text(&predicted, style), || predict_json(&predicted))?;
    page.write(|| predict_json(&predicted))?;
    Ok(if interrupted || interrupt::asked() { Exit::Interrupted } else { exit })
}
