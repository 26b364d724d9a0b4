//! fio 3: its command line and its job files.
//!
//! Semantics from HOWTO, `options.c`, `parse.c` and `init.c` of axboe/fio 3.42. A command line is jobs like
//! those of a job file, so both become a [`JobFile`] first.

mod arithmetic;
mod asked;
mod buffer_pattern;
mod command;
mod conduct;
mod convert;
mod engine_options;
mod extents;
mod jobfile;
mod known;
mod layout;
mod lexer;
mod line;
mod names;
mod options;
pub mod out;
mod pace;
mod pattern;
mod reporting;
pub mod result;
mod setting;
mod showcmd;
mod sizes;
mod units;
mod verify;

use crate::error::Trouble;
use crate::notes::Notes;
use crate::{Foreign, FormatError, Tool};

pub use command::{Action, Command, parse_command};
pub use conduct::{Conduct, Processors};
pub use convert::UNTIL_DONE;
pub use jobfile::{JobFile, ProgramSetting, Section};
pub use known::find;
pub use options::{Effect, FioOption, OPTIONS, ValueKind};
pub use reporting::{
    BinsLog, Eta, Format, JobReporting, LatencyGoal, ReadLog, Reporting, SteadyGoal, Unified,
};
pub use setting::{FileWord, Setting, Settings};
pub use showcmd::show_command;
pub use units::{Amount, Bare};
pub use verify::verify_pattern;

/// Facts about the machine that a job file can use. This crate reads neither files nor the environment.
pub trait Context {
    /// The text of a job file or an included file; `None` where there is none of that name.
    fn file(&self, name: &str) -> Option<String>;
    /// The value of an environment variable, for `${NAME}`; `None` where it is not set.
    fn variable(&self, name: &str) -> Option<String>;
    /// The size in bytes of a regular file or block device; `None` where there is none of that name, or where the
    /// workload is not run on this machine.
    fn size_of(&self, _path: &str) -> Option<u64> {
        None
    }
    /// Value of `$pagesize`, in bytes.
    fn page_bytes(&self) -> u64 {
        4096
    }
    /// Value of `$mb_memory`, in MiB; `None` if unknown.
    fn memory_mib(&self) -> Option<u64> {
        None
    }
    /// Value of `$ncpus`; `None` if unknown.
    fn cpus(&self) -> Option<u32> {
        None
    }
}

/// No files, no environment, no machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContext;

impl Context for NoContext {
    fn file(&self, _name: &str) -> Option<String> {
        None
    }
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Reads an fio command line, as people paste it; the job files that it names are asked of `context`.
///
/// # Errors
/// Returns an error for options that fio does not have or refuses, and for options that would change the I/O and are
/// not supported.
pub fn parse_line(text: &str, context: &dyn Context) -> Result<Foreign, FormatError> {
    let (mut trouble, mut notes) = (Trouble::new(Tool::Fio), Notes::default());
    let file = line::read(text, context, &mut trouble, &mut notes);
    finish(&file, context, trouble, notes)
}

/// Reads a job file; `name` is for the places of problems.
///
/// # Errors
/// As [`parse_line`].
pub fn parse_job_file(text: &str, name: &str, context: &dyn Context) -> Result<Foreign, FormatError> {
    let (mut trouble, mut notes) = (Trouble::new(Tool::Fio), Notes::default());
    let file = read_job_file(text, name, context, &mut trouble, &mut notes);
    finish(&file, context, trouble, notes)
}

/// Reads a job file into jobs with all their options, without asking what of it can be carried.
///
/// # Errors
/// As [`parse_job_file`], without the errors for unsupported options.
pub fn parse_jobs(text: &str, name: &str, context: &dyn Context) -> Result<JobFile, FormatError> {
    let mut trouble = Trouble::new(Tool::Fio);
    let file = read_job_file(text, name, context, &mut trouble, &mut Notes::default());
    trouble.or(Some(file))
}

/// The job files that a command line names, so that the caller can have them ready.
///
/// # Errors
/// Returns an error if the line is not a single command.
pub fn job_files(text: &str) -> Result<Vec<String>, FormatError> {
    let mut trouble = Trouble::new(Tool::Fio);
    let files = line::job_files(text, &mut trouble);
    trouble.or(Some(files))
}

fn read_job_file(
    text: &str,
    name: &str,
    context: &dyn Context,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> JobFile {
    let source = trouble.source(Some(name), text);
    let mut file = JobFile::default();
    let mut reader = jobfile::JobFileReader::new(context, trouble, notes);
    let text = jobfile::Text { name, text, source };
    jobfile::add_text(&mut file, &text, &Settings::default(), &[], &mut reader);
    if file.jobs.is_empty() && trouble.is_empty() {
        let at = crate::error::At { source, at: 0, len: 1 };
        trouble.add(at, "the file has no job", "add a section [name] besides [global]");
    }
    file
}

fn finish(
    file: &JobFile,
    context: &dyn Context,
    mut trouble: Trouble,
    mut notes: Notes,
) -> Result<Foreign, FormatError> {
    let foreign =
        if trouble.is_empty() { convert::convert(file, context, &mut trouble, &mut notes) } else { None };
    let foreign = foreign.map(|foreign| Foreign { notes: notes.into_vec(), ..foreign });
    trouble.or(foreign)
}
