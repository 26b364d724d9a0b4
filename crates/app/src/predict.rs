//! Figures of a configuration.

use iobound_catalog::{Price, Resolved};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Charge, Dimension, Merge};
use iobound_predict::{
    Age, Binding, Cluster, Counted, Hosts, PredictError, Prediction, Published, Question, find_knee,
    predict as predict_one, predict_cluster,
};
use iobound_report::{Predicted, Setting, Stage};
use iobound_units::{Bytes, Span};
use iobound_workload::{Job, Load, Targets};

use crate::effect;
use crate::hosts::cluster_of;
use crate::options::{ClusterOptions, ConfigurationOptions, Options, PageOptions, WorkloadOptions, options};
use crate::page::PageChoice;
use crate::settings::{ConfigurationRequest, Settings, configuration_of};
use crate::terms::parse_os;
use crate::workload::{AskedWorkload, workload_of};
use crate::{Common, Env, Failure};

options! {
    /// Options of a prediction alone.
    pub struct PredictOptions {
        /// Find the knee by simulation and show the curve
        find_knee: bool = Form::Switch;
        /// Measured or published figure to compare with the band: 'iops=19882 throughput=81MB/s'
        observed: Option<String> = Form::One, "FIGURE";
        /// Region for the monthly on-demand price: westeurope, us-east-1
        region: Option<String> = Form::One, "REGION",
            on "Machine" PageField::offers("Region", "regions", "of the price");
        /// Operating system whose licence the price includes: linux, windows [default: linux]
        os: Option<String> = Form::One, "linux|windows",
            on "Machine" PageField::choice("Licence", &[("", "Linux"), ("windows", "Windows")], "in the price");
    }
}

options! {
    /// Asks what a configuration delivers.
    pub struct PredictRequest {
    }
    own: PredictOptions;
    configuration: ConfigurationOptions;
    cluster: ClusterOptions;
    workload: WorkloadOptions;
    page: PageOptions;
}

/// A request that has been read: everything in it has a meaning, and the prediction is still to be made.
pub struct PreparedPrediction {
    asked: ConfigurationRequest,
    hosts: Option<Hosts>,
    workload: AskedWorkload,
    published: Option<Published>,
    price: Option<Price>,
    find_knee: bool,
    idle: Result<Vec<String>, Failure>,
    alone: Vec<String>,
    /// The page that is asked for.
    pub page: PageChoice,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The answer: a prediction for each stage of the workload.
pub struct PredictAnswer {
    asked: ConfigurationRequest,
    stages: Vec<Stage>,
    notes: Vec<String>,
    wording: iobound_report::Wording,
    published: Option<Published>,
    price: Option<Price>,
    /// True if stages are missing, since the request was stopped.
    pub interrupted: bool,
}

/// Reads a request and predicts.
///
/// # Errors
/// Returns an error if the request cannot be read, built or predicted; it names the fix.
pub fn predict(request: &PredictRequest, common: &Common, env: &Env) -> Result<PredictAnswer, Failure> {
    PreparedPrediction::read(request, common, env)?.answer(env)
}

impl PreparedPrediction {
    /// Reads a request: options, then variables, then the configuration file.
    ///
    /// # Errors
    /// Returns an error if an option cannot be read or the configuration cannot be built; it names the fix.
    pub fn read(request: &PredictRequest, common: &Common, env: &Env) -> Result<PreparedPrediction, Failure> {
        let own = &request.own;
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let mut asked = configuration_of(&request.configuration, &mut settings)?;
        let (hosts, alone) = cluster_of(&request.cluster, &mut settings)?;
        let workload = workload_of(&request.workload, common.seed.as_deref(), &mut settings)?;
        // A run of some length begins with what an idle disk has saved.
        if workload.timed && settings.given("at").is_none() && asked.resolved.blueprint.has_credits() {
            asked.age = Age::At(Span::ZERO);
        }
        let published = settings.parse("observed", own.get("observed"), None, Published::parse)?;
        let page = PageChoice::of(&request.page, &mut settings)?;
        let price = price_of(own, &asked, &mut settings)?;
        let idle = effect::check(&asked, &workload.workloads, &settings);
        let settings = settings.finish();
        Ok(PreparedPrediction {
            asked,
            hosts,
            workload,
            published,
            price,
            find_knee: own.find_knee,
            idle,
            alone,
            page,
            settings,
        })
    }

    /// Checks what can be checked before the work.
    ///
    /// # Errors
    /// Returns an error if an option has no effect here.
    pub fn check(&mut self) -> Result<(), Failure> {
        match &mut self.idle {
            Ok(_) => Ok(()),
            idle => std::mem::replace(idle, Ok(Vec::new())).map(drop),
        }
    }

    /// Predicts each stage. A request that is stopped has the stages that were done.
    ///
    /// # Errors
    /// Returns an error if a stage cannot be predicted, or the request is stopped before the first stage is done.
    pub fn answer(mut self, env: &Env) -> Result<PredictAnswer, Failure> {
        self.check()?;
        let PreparedPrediction { asked, hosts, workload, published, price, find_knee, idle, alone, .. } =
            self;
        let wording = workload.wording;
        let counted = if workload.timed { Counted::Run } else { Counted::Lasting };
        let (workloads, said) = workload.stages(&asked.resolved);
        if published.is_some() && workloads.len() > 1 {
            let why =
                format!("--observed: the workload is {} stages, and a figure is of one run", workloads.len());
            return Err(Failure::input(why).help("leave it out, or predict the stage that the figure is of"));
        }
        let mut notes: Vec<String> =
            asked.notes.iter().chain(&asked.resolved.notes).cloned().chain(idle?).chain(alone).collect();
        notes.extend(said.iter().map(|note| format!("{}: {}", note.about, note.says)));
        let mut stages: Vec<Stage> = Vec::with_capacity(workloads.len());
        let mut interrupted = false;
        for workload in workloads {
            if env.is_stopped() {
                interrupted = true;
                break;
            }
            let question = Question { counted, ..asked.question(&workload) };
            match stage(&question, find_knee, hosts.as_ref(), env) {
                Ok((prediction, cluster)) => stages.push(Stage { workload, prediction, cluster }),
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
        for knee in stages.iter().filter_map(|stage| stage.prediction.knee.as_ref()) {
            if knee.is_cut_short {
                notes.push(format!(
                    "--find-knee: the search ended at {} outstanding I/Os, the most that it tries, while IOPS still grew: the \
                     knee lies there or above",
                    iobound_units::Grouped(knee.outstanding)
                ));
            }
        }
        notes.extend(stages.iter().find_map(|stage| split_note(&asked.resolved, stage)));
        if counted == Counted::Run && asked.age == Age::At(Span::ZERO) {
            notes.extend(stages.iter().find_map(drained_note));
        }
        notes.extend(stages.iter().find_map(|stage| divided_note(&asked.resolved, stage)));
        let interrupted = interrupted || env.is_stopped();
        Ok(PredictAnswer { asked, stages, notes, wording, published, price, interrupted })
    }
}

/// A note where the credits last for a part of the run only.
fn drained_note(stage: &Stage) -> Option<String> {
    let burst = stage.prediction.burst.as_ref()?;
    let run = stage.workload.warmup.secs_f64() + stage.workload.duration.secs_f64();
    let lasts = burst.seconds.filter(|seconds| *seconds < run)?;
    Some(format!(
        "burst credits last {} of the run: expected is the mean of the run, and latencies and limits are those of its start; \
         --at sustained shows what lasts",
        Span::from_ns((lasts * 1e9) as u64)
    ))
}

/// A note where an IOPS limit binds because a stripe splits I/Os into parts that count one by one: a wider stripe splits none.
fn split_note(resolved: &Resolved, stage: &Stage) -> Option<String> {
    let Some(Binding::Limit(_, Dimension::Ios)) = stage.prediction.binding.first() else { return None };
    let block =
        stage.workload.jobs.iter().flat_map(|job| &job.mix).map(|share| u64::from(share.block)).max()?;
    let striped = resolved.blueprint.volumes.iter().filter(|volume| volume.columns > 1);
    let interleave = striped.map(|volume| volume.interleave).min()?;
    // What counts as one I/O need not be wider.
    let charged = resolved.blueprint.limiters.iter().filter_map(|limiter| match limiter.charge {
        Charge::Each => None,
        Charge::Per(unit) | Charge::Merged(Merge { unit, .. }) => Some(unit.get()),
    });
    let wide = block.next_power_of_two().min(charged.min()?);
    (interleave.get() < block && interleave.get() < wide).then(|| {
        format!(
            "the stripe of {interleave} splits I/Os of {}, and each part counts at the IOPS limits; --stripe {}KiB splits fewer",
            Bytes(block),
            wide >> 10
        )
    })
}

/// A note where the rate of a job is divided among volumes: a depth, in contrast, is that of each volume.
fn divided_note(resolved: &Resolved, stage: &Stage) -> Option<String> {
    let is_divided = |job: &&Job| matches!(job.load, Load::Open { .. });
    stage.workload.jobs.iter().filter(is_divided).find_map(|job| {
        let names: Vec<&str> = match &job.targets {
            Targets::All => resolved.blueprint.volumes.iter().map(|volume| volume.name.as_str()).collect(),
            Targets::Named(names) => names.iter().map(String::as_str).collect(),
        };
        (names.len() > 1).then(|| {
            format!(
                "the rate is divided equally among {} volumes: {}; jobs in a file (--workload) give each volume a rate of its own",
                names.len(),
                names.join(", ")
            )
        })
    })
}

impl PredictAnswer {
    /// The answer in the form that texts and documents are made of.
    pub fn predicted(&self) -> Predicted<'_> {
        Predicted {
            published: self.published,
            price: self.price.as_ref(),
            ..self.asked.predicted(&self.stages, &self.notes, self.wording)
        }
    }

    /// The predictions, a stage each.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }
}

/// The prediction of one stage, of one host and of all.
fn stage(
    question: &Question<'_>,
    knee_by_search: bool,
    hosts: Option<&Hosts>,
    env: &Env,
) -> Result<(Prediction, Option<Cluster>), PredictError> {
    let mut watch = |_: &Interval| if env.is_stopped() { Flow::Stop } else { Flow::Continue };
    let (mut prediction, cluster) = match hosts {
        None => (predict_one(question, &mut watch)?, None),
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
fn price_of(
    own: &PredictOptions,
    asked: &ConfigurationRequest,
    settings: &mut Settings,
) -> Result<Option<Price>, Failure> {
    let region = settings.text("region", own.get("region"), None);
    let os = settings.text("os", own.get("os"), Some("linux"));
    let Some(region) = region else {
        return match os {
            Some(given) => Err(given
                .refuse("without --region there is no price that a licence is part of")
                .help("add --region westeurope, or leave it out")),
            None => Ok(None),
        };
    };
    let os = os.map(|given| given.parse(parse_os)).transpose()?.unwrap_or_default();
    let price = asked.catalog.price_of(&asked.resolved, &region.text, os);
    price.map(Some).map_err(|error| Failure::from(error).written(&region))
}
