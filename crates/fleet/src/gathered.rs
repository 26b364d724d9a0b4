//! Final data of a coordinator.

use iobound_units::Span;

use crate::hello::Host;
use crate::report::RankReport;

/// All that was handed in.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// Number of ranks to be.
    pub of: u32,
    /// Every rank, those that never came too, in order.
    pub ranks: Vec<GatheredRank>,
    /// The stages that were begun, in order.
    pub stages: Vec<StageStart>,
    /// Reason why the coordinator ended it before its time, where it did.
    pub stopped: Option<String>,
    /// Rejected peers, as sentences; at most a hundred of them.
    pub refused: Vec<String>,
}

/// One rank at the end.
#[derive(Clone, Debug)]
pub struct GatheredRank {
    /// The rank.
    pub rank: u32,
    /// Its host; `None` where it never joined.
    pub host: Option<Host>,
    /// Its reports by stage, for each stage that has begun; `None` for a missing report.
    pub reports: Vec<Option<RankReport>>,
    /// Reason why something of it is missing, as a sentence; `None` where nothing is.
    pub missing: Option<String>,
    /// Its clock beside the coordinator's, before the first stage; `None` where it was lost before.
    pub offset: Option<Offset>,
    /// The speed at which its clock goes beside the coordinator's, from measurements before the first and after the last stage: in ns a
    /// second, positive where it gains. `None` where there was only one.
    pub drift_ns_per_s: Option<f64>,
    /// Time of its first possible I/O of each stage after the agreed start, by the coordinator's clock; `None` where it did
    /// not report it. Negative is early, within the offset's uncertainty.
    pub began_ns: Vec<Option<i64>>,
}

/// One clock beside the coordinator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// Difference of its clock to the coordinator's, in ns. Both count from a moment of their own.
    pub ns: i64,
    /// The offset may be wrong by this much: half the round trip that it was measured by.
    pub uncertainty: Span,
    /// The shortest round trip to it.
    pub round_trip: Span,
}

/// Start of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageStart {
    /// Index of the stage, from 0.
    pub stage: u32,
    /// From the first rank's beginning to the last's, as far as they said; `None` where fewer than two did.
    pub skew: Option<Span>,
    /// The skew may be wrong by this much: the uncertainties of the two that make it.
    pub skew_uncertainty: Span,
}
