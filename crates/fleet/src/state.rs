//! State of the fleet, for a screen.

use iobound_measure::Interval;

use crate::gathered::Offset;

/// State of the fleet.
#[derive(Clone, Debug)]
pub struct FleetState {
    /// Every rank, those that have not come too, in order.
    pub ranks: Vec<RankState>,
    /// The stage that runs or is prepared, from 0.
    pub stage: u32,
}

/// State of a rank.
#[derive(Clone, Debug)]
pub struct RankState {
    /// The rank.
    pub rank: u32,
    /// Its host's name; empty where it has not come.
    pub host: String,
    /// The operation.
    pub phase: RankPhase,
    /// Its last interval of this stage.
    pub last: Option<Interval>,
    /// Its clock beside the coordinator's, where it is known.
    pub offset: Option<Offset>,
}

/// Activity of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankPhase {
    /// It has not come.
    Awaited,
    /// It prepares its targets.
    Preparing,
    /// It waits for the others.
    Ready,
    /// It knows when to start, or runs.
    Running,
    /// It has reported the stage.
    Reported,
    /// It has done all and is gone.
    Left,
    /// It is gone before it was done, and why.
    Lost(String),
}
