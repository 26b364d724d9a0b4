//! The answer of `explain`.

mod json;
mod text;

use iobound_catalog::Resolved;
use iobound_explain::{Explanation, Observed, StackUse};

pub use json::explain_json;
pub(crate) use json::{json_parts, stacks_json};
pub use text::explain_text;
pub(crate) use text::findings_screen;

/// Everything that is shown of an explanation.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The configuration.
    pub resolved: &'a Resolved,
    /// What was seen.
    pub observed: &'a Observed,
    /// What was found.
    pub explanation: &'a Explanation,
    /// Where the I/O waits, as the document and the page tell it.
    pub stacks: &'a [StackUse],
    /// What else is to be known.
    pub notes: &'a [String],
}
