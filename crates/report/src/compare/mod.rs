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
    /// What came of the comparison with the first: one for each of the others.
    pub against: &'a [ComparedWith],
    /// Conditions that were given, judged.
    pub conditions: &'a [JudgedCondition],
    /// How the two took turns; `None` of results that stand for themselves.
    pub rounds: Option<Rounds>,
    /// Whether the document has what pictures are made of: the series and latencies of each side.
    pub with_results: bool,
    /// What can be asked next.
    pub next: &'a [String],
}

/// A result that is compared.
#[derive(Clone, Debug)]
pub struct ComparedSide<'a> {
    /// How it is called on the screen: `A`, `B`.
    pub name: String,
    /// Where it is from: an id, a file, what was typed.
    pub from: String,
    /// What was asked, in a line; `None` where nobody kept it.
    pub asked: Option<String>,
    /// What it reached.
    pub result: &'a RunResult,
}

/// What came of a comparison with the first.
#[derive(Clone, Debug)]
pub struct ComparedWith {
    /// Figure by figure.
    pub comparison: Comparison,
    /// Where in the distribution it moved; `None` without the latencies of both.
    pub shift: Option<Shift>,
    /// What else is otherwise.
    pub changed: Vec<Changed>,
    /// What to know of it, in sentences.
    pub cautions: Vec<String>,
}

/// A condition and what came of it.
#[derive(Clone, Debug)]
pub struct JudgedCondition {
    /// The condition.
    pub condition: Condition,
    /// Of which result: its name on the screen; `None` of a run by itself.
    pub of: Option<String>,
    /// What came of it.
    pub judged: Judged,
}

/// How two took turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    /// How many rounds of four turns, ABBA or BAAB.
    pub count: usize,
    /// How long was counted of each turn, in seconds.
    pub turn_s: f64,
    /// How long I/O ran before, in seconds.
    pub warmup_s: f64,
}

/// A condition in a sentence: whether it holds, by what, and whether that may be chance.
pub fn condition_text(judged: &JudgedCondition) -> String {
    words::condition(judged)
}
