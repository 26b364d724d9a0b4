//! Experiments: runs that change one thing at a time, each beside what was published of it.
//!
//! An [`Experiment`] is read from a TOML file and every run of it looked up before the first begins. How a run is
//! carried out is passed in ([`Execute`]); the crate's own [`Model`] does it in virtual time. A [`Row`] is a run
//! with what came of it and a verdict: a published figure inside the band is explained, any other is not, and
//! then the row says what would have to be true.
//!
//! A file has `[base]`, what runs start from; `[[run]]`, each with a name and what it changes (`from` names another
//! run to start from); and `[[sweep]]`, a run for each value of a key. The keys are those of the configuration (`vm`,
//! `disk`, `stripe`, `cache-state`, ...; `disks` and `cache` change the count and the host cache of all disks) and of
//! the workload: native ones, laid over every job, or one of `diskspd`, `fio`, `iometer`, `preset`, which give it
//! whole. A `[base]` without a configuration is what runs have in common, and nothing to be compared with.
//!
//! [`MeasuredLab`] compares published measurements with the bands, and [`calibrate`] computes the factors of the bands from them.
//!
//! `target` names real files, folders and block devices: the run goes there too, or there alone where it has no
//! configuration. An experiment that names neither is for the targets that its caller gives.
//!
//! ```
//! use iobound_drive::Flow;
//! use iobound_lab::{Execute, Experiment, Model, Row, Verdict};
//!
//! let text = r#"
//! [base]
//! vm = "DS14"
//! disk = ["10xpremium@1023GiB"]
//! era = "2016"
//! diskspd = '-b4K -d2 -W1 -h -o8 -t4 -si -c50000M e:\io.dat'
//!
//! [[run]]
//! name = "as published"
//! published = { iops = 19882, source = "where it was printed" }
//!
//! [[run]]
//! name = "deeper"
//! depth = 128
//! "#;
//! let experiment = Experiment::read("mine.toml", text, &iobound_catalog::Catalog::shipped())?;
//! assert_eq!(experiment.runs[1].changed().as_deref(), Some("depth 8 -> 128"));
//! let run = experiment.runs[0].clone();
//! let execution = Model.execute(&run, &mut |_| Flow::Continue).expect("the model carries it out");
//! assert_eq!(Row::of(run, execution).verdict, Verdict::Explained);
//! # Ok::<(), iobound_lab::LabError>(())
//! ```

mod change;
mod configuration;
mod document;
mod error;
mod execute;
mod experiment;
mod measured;
mod planned;
mod published;
mod row;
mod setting;
mod shipped;
mod target;
mod verdict;
mod workload;
mod would_need;

pub use change::Change;
pub use configuration::Machine;
pub use error::LabError;
pub use execute::{Execute, ExecuteError, Execution, Model, ModelRun, Reached, RealRun, run_on};
pub use experiment::{DEFAULT_REGION, Experiment};
pub use measured::{
    ComparedPoint, CoverageRow, LEAST_SOURCES, MeasuredAnswer, MeasuredLab, MeasuredPoint, RefusedRun,
    SlowReached, all_points, ask_measured, calibrate,
};
pub use planned::{OnModel, PlannedRun};
pub use published::{Figure, Published, Range, Sense};
pub use row::Row;
pub use shipped::{Shipped, shipped, shipped_named};
pub use verdict::{Band, TOLERANCE, Verdict, judge};
