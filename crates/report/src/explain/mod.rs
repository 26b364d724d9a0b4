//! The answer of `explain`.

mod document;
mod text;

use iobound_catalog::Resolved;
use iobound_explain::{Explanation, Observed, StackUse};

pub use document::explain_document;
pub(crate) use document::{finding_parts, ruled_out_parts, stack_parts};
pub use text::explain_text;
pub(crate) use text::findings_screen;

/// Everything that is shown of an explanation.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The configuration.
    pub resolved: &'a Resolved,
    /// The measurements.
    pub observed: &'a Observed,
    /// The findings.
    pub explanation: &'a Explanation,
    /// Waiting time of the I/O in each limiter, as the document and the page tell it.
    pub stacks: &'a [StackUse],
    /// Prices of changes; `None`: they are unknown.
    pub prices: Option<&'a PricesUsed>,
    /// Further notes.
    pub notes: &'a [String],
}

/// Price list by which changes are priced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricesUsed {
    /// The region.
    pub region: String,
    /// Oldest date of the list's sources.
    pub as_of: Option<String>,
}
