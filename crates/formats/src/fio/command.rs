//! A command line that is to be run in fio's words and reported in fio's forms.

use super::{Conduct, Context, JobFile, Reporting, convert, line};
use crate::error::{Problem, Trouble};
use crate::notes::Notes;
use crate::{Foreign, FormatError, Tool};

/// A command line, read as fio would.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Action to take.
    pub action: Action,
    /// The jobs with all their options.
    pub jobs: JobFile,
    /// Options of the report.
    pub reporting: Reporting,
    /// Conduct of the run.
    pub conduct: Conduct,
}

/// Request of a command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// To run this.
    Run(Box<Foreign>),
    /// To say the job files as a command line (`--showcmd`): [`super::show_command`].
    ShowCommand,
    /// Nothing: only to be read (`--parse-only`). What is here, a run of the same words would refuse.
    ParseOnly(Vec<Problem>),
}

/// Reads a command line that is to be run and reported as fio would; the job files that it names are asked of
/// `context`. Its notes leave out what [`Reporting`] carries.
///
/// # Errors
/// As [`super::parse_line`]; also if the report needs data that a run does not keep.
pub fn parse_command(text: &str, context: &dyn Context) -> Result<Command, FormatError> {
    let mut trouble = Trouble::new(Tool::Fio);
    let mut notes = Notes::of_a_report();
    let jobs = line::read(text, context, &mut trouble, &mut notes);
    let asks = |name: &str| jobs.program.iter().any(|setting| setting.name == name);
    let action = if asks("showcmd") {
        Some(Action::ShowCommand)
    } else if trouble.is_empty() {
        let foreign = convert::convert(&jobs, context, &mut trouble, &mut notes);
        let run = |foreign| Action::Run(Box::new(Foreign { notes: notes.into_vec(), ..foreign }));
        foreign.map(run)
    } else {
        None
    };
    let reporting = Reporting::read(&jobs, &mut trouble);
    let conduct = Conduct::read(&jobs, &mut trouble);
    let action = match asks("parse-only") {
        // As in fio, words are right where they can be read; whether they can be carried out shows when they are.
        true => trouble.take_unfit().map(Action::ParseOnly),
        false => action,
    };
    trouble.or(action.map(|action| Command { action, jobs, reporting, conduct }))
}
