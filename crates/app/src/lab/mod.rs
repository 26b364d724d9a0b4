//! Choice and conduct of the lab's rows: on the model, several at once; on real targets, one after the other.

mod carry_out;
mod choice;
mod measured;
#[cfg(feature = "load")]
mod real;
#[cfg(not(feature = "load"))]
#[path = "unsupported/real.rs"]
mod real;
#[cfg(all(feature = "load", target_os = "linux"))]
mod rehearsal;
#[cfg(not(all(feature = "load", target_os = "linux")))]
#[path = "unsupported/rehearsal.rs"]
mod rehearsal;
mod request;
mod traced;

pub use measured::MeasuredAnswers;
pub use request::{ExperimentList, LabAnswer, LabRequest, PreparedLab};

use carry_out::{CarriedOut, carry_out};
use choice::chosen;
use measured::measured;
use real::{Real, RunOptions, how_of, shelf_at};
use rehearsal::Rehearsal;
pub use traced::LabReplayAnswer;
use traced::{LabReplayOutput, replay_runs};
