//! The program asked by another, in its own process: the same words, the same parser, the same verbs, the same documents.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Arg, ArgAction, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::arguments::{AnswerTo, CommonArgs};
use crate::asking::Asking;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{commands, serve, words};

/// The questions that have a document for an answer and need no load on anything.
#[derive(Debug, Parser)]
#[command(name = "iobound")]
struct Question {
    #[command(flatten)]
    common: CommonArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Predict(Box<commands::predict::PredictArgs>),
    Simulate(Box<commands::simulate::SimulateArgs>),
    Plan(Box<commands::plan::PlanArgs>),
    Explain(Box<commands::explain::ExplainArgs>),
    Compare(commands::compare::CompareArgs),
    Results(commands::results::ResultsArgs),
    Result(commands::read_result::ReadResultArgs),
    Catalog(Box<commands::catalog::CatalogArgs>),
}

impl Question {
    fn carry_out(&self) -> Result<Exit, Failure> {
        match &self.verb {
            Verb::Predict(arguments) => commands::predict::run(arguments, &self.common),
            Verb::Simulate(arguments) => commands::simulate::run(arguments, &self.common),
            Verb::Plan(arguments) => commands::plan::run(arguments, &self.common),
            Verb::Explain(arguments) => commands::explain::run(arguments, &self.common),
            Verb::Compare(arguments) => commands::compare::run(arguments, &self.common),
            Verb::Results(arguments) => commands::results::run(arguments, &self.common),
            Verb::Result(arguments) => commands::read_result::run(arguments, &self.common),
            Verb::Catalog(arguments) => commands::catalog::run(arguments, &self.common),
        }
    }
}

/// What comes with a question beside its words.
#[derive(Default)]
pub struct Beside {
    /// Texts that stand for files, by the names that the words have for them.
    pub texts: BTreeMap<String, String>,
    /// Asked now and then, on the asking thread, whether the question shall end without its answer.
    pub stop: Option<Rc<dyn Fn() -> bool>>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The document, as `--json` prints it.
    pub document: String,
    /// What the program would have said on standard error beside it, a sentence each.
    pub notes: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whose fault it is.
    pub reason: Reason,
    /// What was read, and what was expected.
    pub what: String,
    /// How to mend it, as far as that is known.
    pub mend: Option<String>,
}

/// Whose fault it is that there is no answer: the program's exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Input that can't be taken: exit code 2.
    BadInput,
    /// Refused, so that no data is lost and nobody is disturbed: exit code 3.
    Refused,
    /// What is to be read or written can't be: exit code 4.
    Io,
    /// Whoever asked wanted no answer any more: exit code 5.
    Interrupted,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        let reason = match failure.exit() {
            Exit::Refused => Reason::Refused,
            Exit::Io => Reason::Io,
            Exit::Interrupted => Reason::Interrupted,
            Exit::Done | Exit::Asserted | Exit::BadInput => Reason::BadInput,
        };
        Refusal { reason, what: failure.what().into(), mend: failure.mended().map(String::from) }
    }
}

/// Answers the words of a command line, without the program's name: `predict --vm=DS14 --disk=10xP30`. The answer is the
/// document of `--json`; flags of the terminal change nothing.
///
/// The verbs are `predict`, `plan`, `explain`, `compare`, `results` and `catalog` of the program, and two that are asked
/// here only: `simulate`, the workload's own seconds on the model, and `result`, a result from a file or the store.
///
/// It takes over no signal, ends no process, prints nothing, and may be asked by several threads at once. The
/// environment (`IOBOUND_*`) holds as it does for the program.
///
/// # Errors
/// What the program would have refused, with its own words.
pub fn ask(words: &[OsString], beside: Beside) -> Result<Answer, Refusal> {
    let Beside { texts, stop } = beside;
    let (answer, notes, stopped) = Asking::with(texts, stop, || document_of(words));
    if stopped {
        // A part of an answer is none for a program, which would have to notice.
        let what = "interrupted before there was an answer".to_string();
        return Err(Refusal { reason: Reason::Interrupted, what, mend: None });
    }
    Ok(Answer { document: answer?, notes })
}

fn document_of(words: &[OsString]) -> Result<String, Failure> {
    let typed = std::iter::once("iobound".into()).chain(words.iter().cloned());
    let (line, notes) = words::read(&Question::command(), typed)?;
    notes.iter().for_each(|note| crate::output::note(note));
    let parsed = Question::command().try_get_matches_from(line);
    let mut question = parsed
        .and_then(|matches| Question::from_arg_matches(&matches))
        .map_err(|usage| Failure::input(serve::plain(&usage)))?;
    let kept = Arc::new(Mutex::new(None));
    question.common.json = true;
    question.common.to = AnswerTo::Program(Arc::clone(&kept));
    question.carry_out()?;
    let text = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    text.ok_or_else(|| Failure::input("that has no document for an answer"))
}

/// A flag, or a word in its place, of a verb that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name without dashes: `os-disk`; the name of a word that has no flag: `run`.
    pub name: String,
    /// What its value is: `SIZE`, `IOPS|MB/s`; `None` of a switch that takes none.
    pub value: Option<String>,
    /// What it means, in a line.
    pub help: String,
    /// What it belongs to: `Configuration`.
    pub heading: Option<String>,
    /// Whether it may be repeated.
    pub many: bool,
    /// Whether it may stand without its value.
    pub alone: bool,
    /// Whether it is a word in its place, and no flag.
    pub positional: bool,
}

/// The flags of a verb that can be asked, in the order of its help, with what the verb is for; `None` where there is no such
/// verb. What says how an answer looks on a terminal is left out.
pub fn flags(verb: &[&str]) -> Option<(String, Vec<Flag>)> {
    const OF_THE_TERMINAL: [&str; 8] =
        ["ascii", "csv", "help", "json", "no-color", "show-config", "version", "wide"];
    let mut program = Question::command();
    program.build();
    let mut command: &Command = &program;
    for word in verb {
        command = command.find_subcommand(word)?;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let flags =
        command.get_arguments().map(flag).filter(|flag| !OF_THE_TERMINAL.contains(&flag.name.as_str()));
    Some((about, flags.collect()))
}

fn flag(arg: &Arg) -> Flag {
    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
    let names = arg.get_value_names().unwrap_or_default();
    let possible: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
    let value = match (is_switch, possible.is_empty()) {
        (true, _) => None,
        (false, true) => Some(names.first().map(ToString::to_string).unwrap_or_default()),
        (false, false) => Some(possible.join("|")),
    };
    Flag {
        name: arg.get_long().unwrap_or(arg.get_id().as_str()).to_string(),
        value,
        help: arg.get_help().map(|help| help.to_string().replace('\n', " ")).unwrap_or_default(),
        heading: arg.get_help_heading().map(String::from),
        many: matches!(arg.get_action(), ArgAction::Append)
            || arg.get_num_args().is_some_and(|many| many.max_values() > 1),
        alone: is_switch || arg.get_num_args().is_some_and(|many| many.min_values() == 0),
        positional: arg.is_positional(),
    }
}
