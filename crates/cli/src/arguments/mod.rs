//! What the command line says, as it was typed: parsing is the settings' and the crates' below.

mod cluster;
mod common;
mod configuration;
#[cfg(all(feature = "load", target_os = "linux"))]
mod emulate;
#[cfg(all(feature = "load", target_os = "linux"))]
mod fleet;
#[cfg(target_os = "linux")]
mod machine;
mod observed;
#[cfg(all(feature = "load", target_os = "linux"))]
mod run;
#[cfg(all(feature = "load", target_os = "linux"))]
mod versus;
mod workload;

use clap::Subcommand;

use crate::commands;

pub(crate) use cluster::{ClusterArgs, SplitArgs};
pub(crate) use common::{AnswerTo, CommonArgs};
pub(crate) use configuration::ConfigurationArgs;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) use emulate::{BeforeArgs, EmulateArgs};
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) use fleet::RankArgs;
#[cfg(target_os = "linux")]
pub(crate) use machine::MachineArgs;
pub(crate) use observed::ObservedArgs;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) use run::RunArgs;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) use versus::VersusArgs;
pub(crate) use workload::{FOREIGN, JobArgs, NATIVE, WorkloadArgs};

/// What can be asked.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// What will this configuration deliver
    Predict(Box<commands::predict::PredictArgs>),
    /// What happens when one thing changes (no file: the published experiments)
    Lab(Box<commands::lab::LabArgs>),
    /// What do I really get
    #[cfg(all(feature = "load", target_os = "linux"))]
    Run(Box<commands::run::RunVerbArgs>),
    /// The same in DiskSpd's words and forms
    #[cfg(all(feature = "load", target_os = "linux"))]
    Diskspd(commands::diskspd::DiskspdArgs),
    /// The same in fio's words and forms
    #[cfg(all(feature = "load", target_os = "linux"))]
    Fio(commands::fio::FioArgs),
    /// The same from an Iometer configuration
    #[cfg(all(feature = "load", target_os = "linux"))]
    Iometer(commands::iometer::IometerArgs),
    /// Let my application feel it
    #[cfg(all(feature = "load", target_os = "linux"))]
    Emulate(Box<commands::emulate::EmulateVerbArgs>),
    /// Why this and not more
    Explain(Box<commands::explain::ExplainArgs>),
    /// What is this machine, what are its limits, what already looks wrong
    #[cfg(target_os = "linux")]
    Doctor(Box<commands::doctor::DoctorArgs>),
    /// What happens now, against the limits
    #[cfg(all(feature = "load", target_os = "linux"))]
    Watch(Box<commands::watch::WatchArgs>),
    /// What should I buy
    Plan(Box<commands::plan::PlanArgs>),
    /// What is different between results
    Compare(commands::compare::CompareArgs),
    /// Results kept
    Results(commands::results::ResultsArgs),
    /// One workload on many machines
    #[cfg(all(feature = "load", target_os = "linux"))]
    Fleet(Box<commands::fleet::FleetArgs>),
    /// The answers on a page of this machine, in a browser
    Serve(commands::serve::ServeArgs),
    /// What can be bought, and what its limits are
    Catalog(Box<commands::catalog::CatalogArgs>),
    /// A shell's completions of all verbs and flags
    Completions(commands::completions::CompletionsArgs),
    /// The manual, a page for each verb
    Man(commands::man::ManArgs),
}
