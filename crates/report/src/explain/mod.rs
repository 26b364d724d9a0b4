//! The answer of `explain`.

mod json;
mod text;

use iobound_catalog::Resolved;
use iobound_explain::Explanation;

pub use json::explain_json;
pub(crate) use json::json_parts;
pub use text::explain_text;
pub(crate) use text::findings_screen;

/// Everything that is shown of an explanation.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The configuration.
    pub resolved: &'a Resolved,
    /// What was found.
    pub explanation: &'a Explanation,
    /// What else is to be known.
    pub notes: &'a [String],
}
