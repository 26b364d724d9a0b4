//! Report of a rank at the end of a stage.

use iobound_measure::Measured;

/// Report of a rank at the end of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct RankReport {
    /// All that it measured, to be put beside the others'; `None` where it has no figures.
    pub measured: Option<Measured>,
    /// Its own result document, as JSON that only the coordinator's caller reads; empty without one.
    pub document: String,
    /// Failure of the rank, as a sentence: it reports, and the fleet's result says this beside its name.
    pub failed: Option<String>,
}
