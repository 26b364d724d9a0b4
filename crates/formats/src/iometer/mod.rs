//! Iometer 1.1 and older: its configuration file (`.icf`) and its access specifications.
//!
//! Format from the Iometer User's Guide and the files that Iometer writes; values stand on the line after a
//! label, and every label begins with an apostrophe.

mod access;
mod config;
mod convert;
mod cycle;
mod icf;
mod lines;
pub mod out;
mod plan;
pub mod result;

use crate::error::Trouble;
use crate::notes::Notes;
use crate::{Foreign, FormatError, Tool};

pub use config::{
    AccessLine, AccessSpec, Assignment, Config, Cycling, Manager, Record, Step, TargetAssignment, TestSetup,
    TestType, Worker, WorkerKind, Workers,
};
pub use plan::{Test, TestWorker};

/// Reads a configuration file (`.icf`). Of a file that holds only access specifications, each is a test of one
/// worker on every target.
///
/// # Errors
/// Returns an error if the text is not such a file, Iometer refuses it, or an option is not supported.
pub fn parse_icf(text: &str) -> Result<Foreign, FormatError> {
    let (mut trouble, mut notes) = (Trouble::new(Tool::Iometer), Notes::default());
    let source = trouble.source(None, text);
    let read = icf::read(text, source, &mut trouble, &mut notes);
    finish(read, trouble, notes)
}

/// Reads bare access specification lines, `size,% of size,% reads,% random,delay,burst,align,reply`, one a line
/// or separated by semicolons, as one test of one worker with one outstanding I/O on every target. A text with
/// labels is read as [`parse_icf`] does.
///
/// # Errors
/// As [`parse_icf`].
pub fn parse_access_spec(text: &str) -> Result<Foreign, FormatError> {
    if text.lines().any(|line| line.trim_start().starts_with('\'')) {
        return parse_icf(text);
    }
    let mut trouble = Trouble::new(Tool::Iometer);
    let source = trouble.source(None, text);
    let read = access::read_bare(text, source, &mut trouble);
    finish(read, trouble, Notes::default())
}

/// Reads a configuration file as it stands, without asking what of it can be carried.
///
/// # Errors
/// As [`parse_icf`], without the errors for unsupported options.
pub fn parse_config(text: &str) -> Result<Config, FormatError> {
    let mut trouble = Trouble::new(Tool::Iometer);
    let source = trouble.source(None, text);
    let read = icf::read(text, source, &mut trouble, &mut Notes::default());
    trouble.or(read.map(|read| read.config))
}

/// A configuration that is to be run and answered as Iometer answers.
#[derive(Clone, Debug, PartialEq)]
pub struct IcfInvocation {
    /// The configuration, with the workers that it left to Iometer.
    pub config: Config,
    /// Workloads to run.
    pub foreign: Foreign,
    /// Part of the configuration for each workload of `foreign`, in the same order.
    pub tests: Vec<Test>,
}

/// Reads a configuration file that is to be run, for [`out::csv`].
///
/// # Errors
/// As [`parse_icf`].
pub fn parse_run(text: &str) -> Result<IcfInvocation, FormatError> {
    let (mut trouble, mut notes) = (Trouble::new(Tool::Iometer), Notes::default());
    let source = trouble.source(None, text);
    let read = icf::read(text, source, &mut trouble, &mut notes);
    finish_run(read, trouble, notes)
}

fn finish(read: Option<icf::ReadConfig>, trouble: Trouble, notes: Notes) -> Result<Foreign, FormatError> {
    finish_run(read, trouble, notes).map(|invocation| invocation.foreign)
}

fn finish_run(
    read: Option<icf::ReadConfig>,
    mut trouble: Trouble,
    mut notes: Notes,
) -> Result<IcfInvocation, FormatError> {
    let converted = match read {
        Some(read) if trouble.is_empty() => convert::convert(&read, &mut trouble, &mut notes),
        _ => None,
    };
    trouble.or(converted.map(|convert::Converted { foreign, config, tests }| IcfInvocation {
        config,
        foreign: Foreign { notes: notes.into_vec(), ..foreign },
        tests,
    }))
}
