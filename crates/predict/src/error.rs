use std::fmt;

use iobound_drive::{EngineError, WorkerError};
use iobound_model::Invalid;
use iobound_workload::QueueError;

use crate::question::MOST_SIMULATED;

/// Reason why there is no prediction.
#[derive(Clone, Debug)]
pub enum PredictError {
    /// The workload and the configuration do not fit.
    Workload(WorkerError),
    /// The blueprint contradicts itself.
    Blueprint(Invalid),
    /// The simulation could not go on.
    Engine(EngineError),
    /// No I/O completed: nothing to report.
    Nothing,
    /// A run in virtual time would take too long.
    TooManyIos {
        /// Length of the run.
        seconds: f64,
        /// I/Os of the whole run, by its first intervals.
        ios: f64,
    },
    /// Whoever watched wanted no answer any more.
    Interrupted,
}

impl fmt::Display for PredictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PredictError::Workload(error) => error.fmt(f),
            PredictError::Blueprint(error) => error.fmt(f),
            PredictError::Engine(error) => error.fmt(f),
            PredictError::Nothing => f.write_str(
                "no read or write completes: give the workload reads or writes, and a longer duration",
            ),
            PredictError::TooManyIos { seconds, ios } => write!(
                f,
                "{seconds:.0} s of this workload are about {:.0} million I/Os, and at most {} million are simulated: give it a \
                 shorter duration",
                ios / 1e6,
                MOST_SIMULATED / 1_000_000
            ),
            PredictError::Interrupted => f.write_str("interrupted before there was an answer"),
        }
    }
}

impl std::error::Error for PredictError {}

impl From<QueueError> for PredictError {
    fn from(error: QueueError) -> PredictError {
        PredictError::Workload(WorkerError::Queues(error))
    }
}

impl From<WorkerError> for PredictError {
    fn from(error: WorkerError) -> PredictError {
        PredictError::Workload(error)
    }
}
