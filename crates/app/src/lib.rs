//! Requests and their answers: what a command line, a page or another program asks is a struct here, and a function answers
//! it. Nothing here prints, reads a command line, or has a global: what a process has comes with [`Env`].

// The files that a request names are read here, as the functions below take text.
#![allow(clippy::disallowed_methods)]

mod calibrate;
pub mod catalog;
pub mod compare;
pub mod effect;
mod env;
mod exit;
pub mod explain;
mod failure;
pub mod files;
pub mod hosts;
pub mod need;
pub mod observed;
pub mod options;
pub mod page;
pub mod plan;
mod plan_trace;
pub mod predict;
pub mod replay;
pub mod results;
pub mod settings;
pub mod simulate;
pub mod terms;
pub mod trace;
pub mod workload;

pub use env::Env;
pub use exit::Exit;
pub use failure::Failure;

/// Common fields of every request, beside its own options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// The seed of every random choice.
    pub seed: Option<String>,
    /// The path of a configuration file: machine, disks and jobs in TOML.
    pub config: Option<String>,
}
