//! The answer of `compare` and of `run --vs`.

mod document;
mod text;
mod words;

use iobound_measure::RunResult;
use iobound_measure::compare::{Changed, Comparison, Condition, Judged, Shift};

pub use document::compare_document;
pub(crate) use document::condition_part;
pub use text::compare_text;
pub(crate) use words::change as change_text;

/// Everything that is shown of a comparison.
#[derive(Clone, Debug)]
pub struct CompareScreen<'a> {
    /// The results; the first is what the others are compared with.
    pub sides: &'a [ComparedSide<'a>],
    /// The outcome of the comparison with the first: one for each of the others.
    pub against: &'a [ComparedWith],
    /// Conditions that were given, judged.
    pub conditions: &'a [JudgedCondition],
    /// Turns of the two; `None` for independent results.
    pub rounds: Option<Rounds>,
    /// True if the document has what pictures are made of: the series and latencies of each side.
    pub with_results: bool,
    /// Suggested next commands.
    pub next: &'a [String],
}

/// A result that is compared.
#[derive(Clone, Debug)]
pub struct ComparedSide<'a> {
    /// Its name on the screen: `A`, `B`.
    pub name: String,
    /// Its origin: an id, a file, what was typed.
    pub from: String,
    /// The request, in a line; `None` where nobody kept it.
    pub asked: Option<String>,
    /// Figures of it.
    pub result: &'a RunResult,
}

/// The outcome of a comparison with the first.
#[derive(Clone, Debug)]
pub struct ComparedWith {
    /// Figure by figure.
    pub comparison: Comparison,
    /// Part of the distribution that moved; `None` without the latencies of both.
    pub shift: Option<Shift>,
    /// Other differences.
    pub changed: Vec<Changed>,
    /// Notes, in sentences.
    pub cautions: Vec<String>,
}

/// A condition and what came of it.
#[derive(Clone, Debug)]
pub struct JudgedCondition {
    /// The condition.
    pub condition: Condition,
    /// Of which result: its name on the screen; `None` of a run by itself.
    pub of: Option<String>,
    /// The outcome.
    pub judged: Judged,
}

/// Turns of two results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    /// Number of rounds of four turns, ABBA or BAAB.
    pub count: usize,
    /// Time that was counted of each turn, in seconds.
    pub turn_s: f64,
    /// Time that I/O ran before, in seconds.
    pub warmup_s: f64,
}

/// A condition in a sentence: whether it holds, by what, and whether that may be chance.
pub fn condition_text(judged: &JudgedCondition) -> String {
    words::condition(judged)
}
