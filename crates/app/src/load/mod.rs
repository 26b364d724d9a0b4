//! Verbs that issue load on real targets: `run`, and those in the words of other tools. Each runs alone, as one rank of
//! several, or answers for ranks elsewhere.

mod advice;
mod cluster;
mod diskspd;
mod fio;
mod fio_replay;
mod foreign;
mod iometer;
mod run;
mod versus;
mod words;

pub use diskspd::DiskspdRequest;
pub use fio::FioRequest;
pub use iometer::IometerRequest;
pub use run::{PreparedRun, RunRequest, check, run, run_prepared};
pub use versus::VersusFlags;
pub use words::{InToolsWords, ToolCall, ToolFlags, run_in_tools_words};

pub use iobound_load::run::close_output;

pub use crate::fleet::RankFlags;
pub use crate::run::{AnsweredStage, RunAnswer, RunFlags, SearchAnswer};

use std::time::Duration;

use crate::fleet::coordinator::{self, OfRanks};
use crate::run::RunOptions;
use crate::{Common, Env, Failure, Finished};

/// Words that a shell would take apart.
pub(crate) use run::split_words;

/// A command that ranks can carry out.
#[derive(Clone, Debug)]
pub enum RankCommand {
    /// `run`.
    Run(Box<RunRequest>),
    /// `diskspd`.
    Diskspd(DiskspdRequest),
    /// `fio`.
    Fio(FioRequest),
    /// `iometer`.
    Iometer(IometerRequest),
}

impl RankCommand {
    /// Drives a coordinator that was opened for the ranks of the command to its end, and answers as the command would for one machine:
    /// one live view, an end for all, one merged result, the document, the results store, the exit code. The coordinator's process
    /// issues no load. `refused` is an option of ours that another tool's answer has no place for.
    ///
    /// # Errors
    /// Returns an error if the command is wrong, cannot run on several machines, or measured nothing. The message of a
    /// rank carries its name.
    pub(crate) fn drive(
        &self,
        at: OfRanks<'_>,
        common: &Common,
        refused: Option<&'static str>,
        env: &Env,
    ) -> Result<Finished, Failure> {
        match self {
            RankCommand::Run(request) => run::at_coordinator(at, request, common, env),
            RankCommand::Diskspd(request) => words::at_coordinator(at, request, (common, refused), env),
            RankCommand::Fio(request) => words::at_coordinator(at, request, (common, refused), env),
            RankCommand::Iometer(request) => words::at_coordinator(at, request, (common, refused), env),
        }
    }

    /// Time within which the coordinator of the command waits for a rank that says nothing.
    ///
    /// # Errors
    /// Returns an error if the command is wrong.
    pub(crate) fn patience(&self, common: &Common, env: &Env) -> Result<Duration, Failure> {
        match self {
            RankCommand::Run(request) => run::patience(request, common, env),
            _ => Ok(coordinator::patience(&RunOptions::default())),
        }
    }
}
