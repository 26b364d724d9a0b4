//! Requests and their answers: what a command line, a page or another program asks is a struct here, and a function answers
//! it. Nothing here prints, reads a command line, or has a global: what a process has comes with [`Env`].
//!
//! A program asks with the struct of a verb, whose options are the texts of its flags:
//!
//! ```
//! use iobound_app::predict::{PredictRequest, predict};
//! use iobound_app::{Common, Env};
//!
//! let mut request = PredictRequest::default();
//! request.configuration.vm = Some("DS14".into());
//! request.configuration.disk = vec!["10xP30".into()];
//! request.workload.jobs.block = Some("8KiB".into());
//! let answer = predict(&request, &Common::default(), &Env::default())?;
//! // A P30 is sold with 5,000 IOPS, and Azure enforces 2 % more.
//! assert_eq!(answer.stages()[0].prediction.ceiling.iops.map(f64::round), Some(51_000.0));
//! # Ok::<(), iobound_app::Failure>(())
//! ```
//!
//! or with options by name, as a page and Python do:
//!
//! ```
//! use iobound_app::options::{Field, request_of};
//! use iobound_app::predict::{PredictRequest, predict};
//! use iobound_app::Env;
//!
//! let keywords = [("vm", "DS14"), ("disk", "10xP30"), ("read", "70%")];
//! let fields = keywords.map(|(name, value)| Field { name: name.into(), value: Some(value.into()) });
//! let (request, common) = request_of::<PredictRequest>("predict", &fields)?;
//! assert_eq!(predict(&request, &common, &Env::default())?.stages().len(), 1);
//!
//! let wrong = [Field { name: "vm".into(), value: Some("DS14x".into()) }];
//! let (request, common) = request_of::<PredictRequest>("predict", &wrong)?;
//! let failure = predict(&request, &common, &Env::default()).err().expect("no disk is given");
//! assert!(failure.help_text().is_some_and(|help| help.contains("--disk")));
//! # Ok::<(), iobound_app::Failure>(())
//! ```
//!
//! A run measures real files and devices. A program starts it with a request, takes its progress, stops it, and gets the
//! result; here it reads a new file of 1 MiB:
//!
//! ```
//! # #[cfg(feature = "load")]
//! # fn main() -> Result<(), iobound_app::Failure> {
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use iobound_app::load::{RunAnswer, RunRequest, run};
//! use iobound_app::{Common, Env, Exit};
//!
//! let folder = tempfile::tempdir().expect("there is room");
//! let file = folder.path().join("data").display().to_string();
//! let mut request = RunRequest { targets: vec![file], ..RunRequest::default() };
//! request.run.buffered = true;
//! request.run.busy_ok = true;
//! request.run.interval = Some("10ms".into());
//! request.run.results = Some("off".into());
//! request.workload.jobs.size = Some("1MiB".into());
//! request.workload.times.duration = Some("1h".into());
//!
//! // The program ends the run after three intervals.
//! let intervals = Arc::new(AtomicU64::new(0));
//! let (taken, seen) = (Arc::clone(&intervals), Arc::clone(&intervals));
//! let reads = Arc::new(AtomicU64::new(0));
//! let completed = Arc::clone(&reads);
//! let env = Env::default()
//!     .intervals_to(move |progress| {
//!         completed.fetch_add(progress.interval.read.count, Ordering::Relaxed);
//!         taken.fetch_add(1, Ordering::Relaxed);
//!     })
//!     .stop(move || seen.load(Ordering::Relaxed) >= 3);
//! let finished = run(&request, &Common::default(), &env)?;
//!
//! assert_eq!(finished.exit, Exit::Interrupted);
//! let answer = finished.answer::<RunAnswer>().expect("a run that began has figures");
//! assert!(answer.stages[0].result.total.ios > Some(0));
//! assert!(intervals.load(Ordering::Relaxed) >= 3);
//! assert!(reads.load(Ordering::Relaxed) > 0);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "load"))]
//! # fn main() {}
//! ```

// The files that a request names are read here, as the functions below take text.
#![allow(clippy::disallowed_methods)]
#![cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        unused_imports,
        reason = "the start of a fleet and FUSE use it, which are Linux's alone"
    )
)]

pub mod calendar;
mod calibrate;
pub mod catalog;
pub mod compare;
pub mod doctor;
pub mod effect;
#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
pub mod emulate;
mod env;
mod exit;
pub mod explain;
mod failure;
pub mod files;
mod finished;
#[cfg(feature = "load")]
mod fleet;
pub mod hosts;
pub mod import;
pub mod lab;
#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
pub mod launch;
mod like;
#[cfg(feature = "load")]
pub mod load;
pub mod need;
pub mod observed;
pub mod options;
pub mod outfile;
pub mod page;
pub mod plan;
mod plan_trace;
pub mod predict;
pub mod probe;
pub mod process;
pub mod replay;
pub mod results;
#[cfg(feature = "load")]
mod run;
#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
#[cfg_attr(windows, path = "windows/scratch.rs")]
mod scratch;
pub mod settings;
pub mod simulate;
pub mod terms;
pub mod trace;
pub mod watch;
pub mod workload;

pub use env::{Env, RunProgress};
pub use exit::Exit;
pub use failure::Failure;
pub use finished::{Finished, PlainAnswer, ShownAnswer};

/// Common fields of every request, beside its own options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// The seed of every random choice.
    pub seed: Option<String>,
    /// The path of a configuration file: machine, disks and jobs in TOML.
    pub config: Option<String>,
}

impl Common {
    /// Refuses a seed, for a verb that uses no random numbers.
    ///
    /// # Errors
    /// Returns an error if a seed is given.
    pub(crate) fn refuse_seed(&self) -> Result<(), Failure> {
        match &self.seed {
            None => Ok(()),
            Some(seed) => Err(Failure::input(format!("--seed {seed}: this verb uses no random numbers"))
                .help("leave it out")),
        }
    }
}
