//! Answers to the questions of the page.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A name and its value, as the address has them: `disk` and `10xP30`. A name may come several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The name, without hyphens.
    pub name: String,
    /// The value; empty for a switch.
    pub value: String,
}

/// Answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A JSON document.
    Document(String),
    /// The question can't be taken: what was read, and how to fix it.
    Refused {
        /// The problem.
        what: String,
        /// Fix, if known.
        help: Option<String>,
    },
    /// There is nothing of that name.
    Unknown,
}

impl Answer {
    /// A question that can't be taken.
    pub fn refused(what: impl Into<String>, help: impl Into<String>) -> Answer {
        Answer::Refused { what: what.into(), help: Some(help.into()) }
    }
}

/// Answers; called on threads that may block, several at once.
pub trait Backend: Send + Sync + 'static {
    /// The answer to a question of that name: `predict`, `plan`, `vms`. Once `stop` is set nobody waits for it any more:
    /// the client has left, or the server is stopping.
    fn ask(&self, question: &str, words: &[Word], stop: &Arc<AtomicBool>) -> Answer;

    /// The same answer as a page: HTML that loads nothing, and has a content security policy of its own.
    fn page(&self, question: &str, words: &[Word], stop: &Arc<AtomicBool>) -> Answer;

    /// Running emulators and runs that can be watched, as a JSON document.
    fn running(&self) -> Answer;

    /// The state now of one of these, by the name that [`Backend::running`] has for it.
    fn state(&self, of: &str) -> Answer;
}
