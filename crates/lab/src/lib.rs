//! Experiments: runs that change one thing at a time, each beside what was published of it.
//!
//! An [`Experiment`] is read from a TOML file and every run of it looked up before the first begins. How a run is
//! carried out is passed in ([`Execute`]); the crate's own [`Model`] does it in virtual time. A [`Row`] is a run
//! with what came of it and a verdict: a published figure inside the band is explained, any other is not, and
//! then the row says what would have to be true.

mod change;
mod configuration;
mod document;
mod error;
mod execute;
mod experiment;
mod published;
mod row;
mod setting;
mod shipped;
mod verdict;
mod workload;
mod would_need;

pub use change::Change;
pub use configuration::Machine;
pub use error::LabError;
pub use execute::{Execute, ExecuteError, Execution, Model, Reached, run_on};
pub use experiment::{DEFAULT_REGION, Experiment, PlannedRun};
pub use published::{Figure, Published, Range, Sense};
pub use row::Row;
pub use shipped::{Shipped, shipped, shipped_named};
pub use verdict::{Band, TOLERANCE, Verdict, judge};
