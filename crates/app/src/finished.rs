//! The end of a verb that runs load: its answer as a struct, and whatever went wrong beside it.

use std::any::Any;

use iobound_report::{Document, Style};

use crate::outfile::Unwritten;
use crate::{Exit, Failure};

/// An answer that can be shown: as text for people, and as a document for programs.
pub trait ShownAnswer: Any {
    /// The answer as text.
    fn text(&self, style: Style) -> String;

    /// The answer as a document; `None` if it is text alone.
    fn document(&self) -> Option<Document>;

    /// True if a program reads the text: it is printed as it is.
    fn is_data(&self) -> bool {
        false
    }
}

/// An answer that is text alone.
pub struct PlainAnswer {
    text: String,
    is_data: bool,
}

impl PlainAnswer {
    /// Text for people, such as the plan of a dry run.
    pub(crate) fn for_people(text: String) -> Box<dyn ShownAnswer> {
        Box::new(PlainAnswer { text, is_data: false })
    }

    /// Output in another tool's form, or comma-separated values.
    pub(crate) fn for_programs(text: String) -> Box<dyn ShownAnswer> {
        Box::new(PlainAnswer { text, is_data: true })
    }
}

impl ShownAnswer for PlainAnswer {
    fn text(&self, _: Style) -> String {
        self.text.clone()
    }

    fn document(&self) -> Option<Document> {
        None
    }

    fn is_data(&self) -> bool {
        self.is_data
    }
}

/// The end of a verb that runs load.
#[must_use = "its failures and its exit code are to be reported"]
pub struct Finished {
    /// The answer; `None` if there is nothing to print, such as for a rank whose coordinator answers.
    pub answer: Option<Box<dyn ShownAnswer>>,
    /// Failures beside the answer, in the order in which they happened.
    pub failures: Vec<Failure>,
    /// Exit code.
    pub exit: Exit,
}

impl Finished {
    /// The answer as the struct of its verb, such as `RunAnswer`; `None` if the verb ended without one or with another one.
    pub fn answer<T: ShownAnswer>(&self) -> Option<&T> {
        let answer: &dyn Any = self.answer.as_deref()?;
        answer.downcast_ref()
    }

    /// An end without an answer.
    pub(crate) fn without_answer(exit: Exit) -> Finished {
        Finished { answer: None, failures: Vec::new(), exit }
    }

    /// An end with an answer, and nothing that failed.
    pub(crate) fn with(answer: Box<dyn ShownAnswer>, exit: Exit) -> Finished {
        Finished { answer: Some(answer), failures: Vec::new(), exit }
    }

    /// An end with files that could not be written, and what ended the work. A file that is missing decides the exit code.
    pub(crate) fn beside(
        answer: Option<Box<dyn ShownAnswer>>,
        unwritten: Unwritten,
        ended: Result<Exit, Failure>,
    ) -> Finished {
        let mut failures = unwritten.failures();
        let exit = match (&ended, failures.is_empty()) {
            (_, false) => Exit::Io,
            (Ok(exit), true) => *exit,
            (Err(failure), true) => failure.exit(),
        };
        failures.extend(ended.err());
        Finished { answer, failures, exit }
    }
}
