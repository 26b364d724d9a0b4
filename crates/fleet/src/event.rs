//! Events of a coordinator.

use iobound_measure::Together;
use iobound_units::Span;

/// The events at the coordinator, in the order in which it did.
#[derive(Clone, Debug)]
pub enum Event {
    /// A rank is there.
    Joined {
        /// The rank.
        rank: u32,
        /// Its host's name.
        host: String,
        /// Number that are there now.
        there: u32,
        /// Number of there that will be.
        of: u32,
    },
    /// Somebody was turned away.
    Refused {
        /// Reason, as a sentence; it names where the peer came from.
        why: String,
    },
    /// A rank has prepared its targets for a stage.
    Ready {
        /// The rank.
        rank: u32,
        /// For which stage, from 0.
        stage: u32,
    },
    /// All ranks were told when a stage begins.
    Starts {
        /// Index of the stage, from 0.
        stage: u32,
        /// Time until the start.
        ahead: Span,
        /// Upper bound of the ranks' skew, by the knowledge of their clocks.
        uncertainty: Span,
    },
    /// An interval of all ranks that told it, put together.
    Interval {
        /// Of which stage.
        stage: u32,
        /// All of them together.
        together: Box<Together>,
        /// Number of ranks that are in it.
        ranks: u32,
        /// Number of had that not ended their load by then: where it is more, some are late.
        expected: u32,
    },
    /// A rank has handed in its report of a stage.
    Reported {
        /// The rank.
        rank: u32,
        /// Of which stage.
        stage: u32,
    },
    /// A rank is gone before it was done.
    Lost {
        /// The rank.
        rank: u32,
        /// Its host's name; empty where it never joined.
        host: String,
        /// Reason, as a sentence.
        why: String,
    },
    /// Nothing more will come: [`Coordinator::gathered`](crate::Coordinator::gathered) has what there is.
    Over,
}
