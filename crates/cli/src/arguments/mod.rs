//! The command line as typed; settings and crates below parse the values.

mod common;
mod typed;

use clap::Subcommand;

use crate::commands;

pub(crate) use common::CommonArgs;
pub(crate) use typed::{Shared, Typed};

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Predict what a configuration delivers
    Predict(Box<commands::predict::PredictArgs>),
    /// Run experiments on the model (without a file: the published ones)
    Lab(Box<commands::lab::LabArgs>),
    /// Measure real files and devices
    #[cfg(feature = "load")]
    Run(Box<commands::run::RunVerbArgs>),
    /// Measure the limits of an unknown disk
    #[cfg(feature = "load")]
    Probe(Box<commands::probe::ProbeArgs>),
    /// Measure with DiskSpd's options and output
    #[cfg(feature = "load")]
    Diskspd(commands::diskspd::DiskspdArgs),
    /// Measure with fio's options and output
    #[cfg(feature = "load")]
    Fio(commands::fio::FioArgs),
    /// Measure with an Iometer configuration
    #[cfg(feature = "load")]
    Iometer(commands::iometer::IometerArgs),
    /// Emulate the disks as block devices
    #[cfg(all(feature = "load", any(target_os = "linux", windows)))]
    Emulate(Box<commands::emulate::EmulateVerbArgs>),
    /// Explain which limit holds the result back
    Explain(Box<commands::explain::ExplainArgs>),
    /// Check this machine's disk setup
    Doctor(Box<commands::doctor::DoctorArgs>),
    /// Watch this machine's disks against their limits
    #[cfg(feature = "load")]
    Watch(Box<commands::watch::WatchArgs>),
    /// Find the cheapest VM and disks for a need
    Plan(Box<commands::plan::PlanArgs>),
    /// Analyse, edit and convert I/O traces
    Trace(Box<commands::trace::TraceArgs>),
    /// Compare results
    Compare(commands::compare::CompareArgs),
    /// List, show and export kept results
    Results(commands::results::ResultsArgs),
    /// Run one workload on many machines
    #[cfg(all(feature = "load", any(target_os = "linux", windows)))]
    Fleet(Box<commands::fleet::FleetArgs>),
    /// Serve the answers as a local web page
    Serve(commands::serve::ServeArgs),
    /// List VM sizes and disks with limits and prices
    Catalog(Box<commands::catalog::CatalogArgs>),
    /// Print the JSON Schema of a --json document
    Schema(commands::schema::SchemaArgs),
    /// Print completions for a shell
    Completions(commands::completions::CompletionsArgs),
    /// Print the manual pages
    Man(commands::man::ManArgs),
}
