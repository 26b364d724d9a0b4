//! Execution of a planned run: passed in, so that the same table can hold the model, a rehearsal and a real
//! disk.

use std::fmt;

use iobound_drive::{Clock, EndReason, Flow};
use iobound_measure::result::{Check, Latency, PerSecond, RunResult};
use iobound_measure::{Interval, Phase};
use iobound_predict::{Binding, PredictError, Prediction, Simulated, full_run, predict, simulated_run};
use iobound_units::Span;

use crate::planned::{OnModel, PlannedRun};

/// A way to carry out planned runs.
pub trait Execute {
    /// Carries one out; `watch` sees every interval of its prediction and every second of it, and may end it early.
    ///
    /// # Errors
    /// Returns an error if the row cannot run here.
    fn execute(
        &self,
        run: &PlannedRun,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Execution, ExecuteError>;
}

/// A run without figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecuteError {
    /// It can't be carried out: why, in a sentence.
    Impossible(String),
    /// Whoever watched wanted it no more.
    Interrupted,
}

impl fmt::Display for ExecuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExecuteError::Impossible(why) => f.write_str(why),
            ExecuteError::Interrupted => PredictError::Interrupted.fmt(f),
        }
    }
}

impl std::error::Error for ExecuteError {}

impl From<PredictError> for ExecuteError {
    fn from(error: PredictError) -> ExecuteError {
        match error {
            PredictError::Interrupted => ExecuteError::Interrupted,
            error => ExecuteError::Impossible(error.to_string()),
        }
    }
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The model's result; `None` of a run without a configuration.
    pub modelled: Option<ModelRun>,
    /// The same stack driven by a real clock.
    pub real_time: Option<Reached>,
    /// The modelled disks as real block devices.
    pub rehearsed: Option<Reached>,
    /// Real targets.
    pub measured: Option<RealRun>,
}

/// The model's result of a run.
#[derive(Clone, Debug)]
pub struct ModelRun {
    /// Ceiling, expected figure, band, binding.
    pub prediction: Prediction,
    /// A run of the workload's own length in virtual time.
    pub simulated: Reached,
}

/// Result of a run on real targets.
#[derive(Clone, Debug, PartialEq)]
pub struct RealRun {
    /// The figures.
    pub reached: Reached,
    /// Findings about the run itself: whether its figures can be trusted.
    pub checks: Vec<Check>,
}

/// Result of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
    /// Latency of reads and writes together.
    pub latency: Option<Latency>,
    /// The slowest and the fastest whole second.
    pub per_second: Option<PerSecond>,
    /// The share of reads that host caches held; `None` without cached reads.
    pub hit_rate: Option<f64>,
    /// The limit that held it back.
    pub binding: Vec<Binding>,
    /// Counted time, in seconds.
    pub seconds: f64,
    /// Mean delay with which a real clock woke; `None` in virtual time.
    pub late: Option<Span>,
    /// True if it ran to its end.
    pub complete: bool,
    /// The name under which it is kept; `None` where it is not.
    pub id: Option<String>,
}

impl Reached {
    /// Measurement of the load generator, counted for `window`; `None` where it ended before anything was. What only the model
    /// knows is absent.
    pub fn measured(result: &RunResult, window: Span) -> Option<Reached> {
        Some(Reached {
            iops: result.total.iops?,
            throughput_bytes_per_s: result.total.throughput_bytes_per_s?,
            latency: result.total.latency_us,
            per_second: result.per_second,
            hit_rate: None,
            binding: Vec::new(),
            seconds: window.secs_f64(),
            late: None,
            complete: true,
            id: None,
        })
    }

    /// Result of a run on a clock.
    fn of(simulated: &Simulated, prediction: Prediction) -> Reached {
        Reached {
            iops: prediction.expected.iops,
            throughput_bytes_per_s: prediction.expected.throughput_bytes_per_s,
            latency: prediction.latency,
            per_second: per_second(&simulated.measured.series),
            hit_rate: prediction.hit_rate,
            binding: prediction.binding,
            seconds: simulated.measured.window().secs_f64(),
            late: None,
            complete: simulated.reason != EndReason::Stopped,
            id: None,
        }
    }
}

fn per_second(series: &[Interval]) -> Option<PerSecond> {
    let counted = series.iter().filter(|interval| interval.phase == Phase::Counted && interval.whole);
    let rates = counted.map(|interval| interval.count() as f64 / interval.length().secs_f64());
    rates.fold(None, |extremes: Option<PerSecond>, rate| {
        Some(match extremes {
            None => PerSecond { min: rate, max: rate },
            Some(PerSecond { min, max }) => PerSecond { min: min.min(rate), max: max.max(rate) },
        })
    })
}

/// The model: closed form and simulation, in virtual time. Of a run without a configuration it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Model;

impl Execute for Model {
    fn execute(
        &self,
        run: &PlannedRun,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Execution, ExecuteError> {
        let Some(on_model) = &run.on_model else { return Ok(Execution::default()) };
        let prediction = predict(&on_model.question(), watch)?;
        let (simulated, closed) = simulated_run(&on_model.question(), watch)?;
        let simulated = Reached::of(&simulated, closed);
        Ok(Execution { modelled: Some(ModelRun { prediction, simulated }), ..Execution::default() })
    }
}

/// A run of the workload's own length on any clock. A real one begins at zero when it is first read.
///
/// # Errors
/// Returns an error if the model cannot run it.
pub fn run_on<C: Clock>(
    clock: C,
    on_model: &OnModel,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Reached, ExecuteError> {
    let (simulated, prediction) = full_run(clock, &on_model.question(), watch)?;
    Ok(Reached::of(&simulated, prediction))
}
