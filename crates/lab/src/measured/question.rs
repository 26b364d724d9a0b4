//! A published run as a question to the model.

use iobound_catalog::{Catalog, Configuration, MeasuredRun, parse_spec, resolve};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::{Age, CacheState, PredictError, Prediction, predict};
use iobound_units::Span;
use iobound_workload::{Access, DEFAULT_DURATION, Job, Load, Spread, Workload};

use crate::configuration::Machine;
use crate::planned::OnModel;

/// The model's answer to a published run.
#[derive(Clone, Debug)]
pub enum MeasuredAnswer {
    /// The prediction.
    Predicted(Box<Prediction>),
    /// Reason why there is none, in a sentence.
    Refused(String),
}

/// Asks the model about a published run; `watch` sees every interval, and may end it early.
///
/// # Errors
/// Returns only [`PredictError::Interrupted`]. Every other reason is an answer.
pub fn ask_measured(
    run: &MeasuredRun,
    catalog: &Catalog,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<MeasuredAnswer, PredictError> {
    let on_model = match on_model(run, catalog) {
        Ok(on_model) => on_model,
        Err(why) => return Ok(MeasuredAnswer::Refused(why)),
    };
    match predict(&on_model.question(), watch) {
        Ok(prediction) => Ok(MeasuredAnswer::Predicted(Box::new(prediction))),
        Err(PredictError::Interrupted) => Err(PredictError::Interrupted),
        Err(error) => Ok(MeasuredAnswer::Refused(error.to_string())),
    }
}

/// The configuration and the workload of a published run.
///
/// If the source says nothing, burst credits are full: benchmarks run on new machines. The host cache is warm.
pub(crate) fn on_model(run: &MeasuredRun, catalog: &Catalog) -> Result<OnModel, String> {
    let mut configuration = Configuration::of(&run.vm);
    for text in &run.disks {
        let spec = |text: &str| parse_spec(text).map_err(|error| error.to_string());
        match text.strip_prefix("os=") {
            Some(os) => configuration.os_disk = Some(spec(os)?),
            None => configuration.volumes.push(spec(text)?),
        }
    }
    if let Some(stripe) = run.stripe {
        configuration.interleave = stripe;
    }
    configuration.era = Some(run.era().name().to_string());
    let resolved = resolve(&configuration, catalog).map_err(|error| error.to_string())?;
    let age = if run.is_sustained { Age::Sustained } else { Age::At(Span::ZERO) };
    let machine = Machine { configuration, cache: CacheState::Warm, age };
    Ok(OnModel { machine, resolved, workload: workload(run)? })
}

fn workload(run: &MeasuredRun) -> Result<Workload, String> {
    let mut job = Job::new("measured");
    let block = u32::try_from(run.block.get()).map_err(|_| format!("block {} is too large", run.block))?;
    job.set_mix(block, run.read);
    job.threads = run.threads;
    job.spread = Spread::Every;
    job.load = Load::Closed { depth: run.depth, cap: None };
    job.access = if run.is_random { Access::random() } else { Access::sequential() };
    job.region.size = run.size;
    let mut workload = Workload::new(vec![job], run.duration.unwrap_or(DEFAULT_DURATION));
    workload.warmup = run.warmup;
    Ok(workload)
}
