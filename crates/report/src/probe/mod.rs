//! Answers of `probe`.

mod document;
mod text;

use iobound_probe::Answer;

pub use document::probe_document;
pub use text::probe_text;

/// An offer of the catalogue whose limits match the measured ones.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchingOffer {
    /// Disk and VM size.
    pub name: String,
    /// Its enforced limits beside the published ones.
    pub because: String,
    /// Mean difference between its limits and the measured ones, as a share.
    pub difference: f64,
    /// Measurement that would tell it from the nearest; `None` for the nearest.
    pub told_apart_by: Option<String>,
}

/// A probe's answer with the offers that match it.
#[derive(Clone, Debug)]
pub struct ProbeScreen<'a> {
    /// The answer.
    pub answer: &'a Answer,
    /// Offers, the nearest first.
    pub offers: &'a [MatchingOffer],
}
