//! Messages between coordinator and ranks, as plain values.

use std::fmt;

use iobound_measure::Together;
use iobound_units::Instant;

use crate::hello::Hello;

/// Message of a rank. Times are of its own clock.
#[derive(Clone, Debug)]
pub enum ToCoordinator {
    /// It is there; the first that it says.
    Hello(Box<Greeting>),
    /// The answer to a ping, at once.
    Pong {
        /// The ping's.
        number: u32,
        /// Time of its answer.
        at: Instant,
    },
    /// It is prepared for a stage.
    Ready {
        /// From 0.
        stage: u32,
    },
    /// Time at which it could issue the first I/O of a stage.
    Began {
        /// From 0.
        stage: u32,
        /// Time of the event.
        at: Instant,
    },
    /// An interval of its run.
    Tick {
        /// From 0.
        stage: u32,
        /// The interval.
        together: Box<Together>,
    },
    /// The rank's process is alive.
    Beat {
        /// Changes while the rank makes progress with the preparation of its targets.
        work: u64,
    },
    /// A fragment of its report.
    Fragment {
        /// From 0.
        stage: u32,
        /// Bytes of the encoded report.
        bytes: Vec<u8>,
        /// The message ends early.
        last: bool,
    },
    /// It leaves before its work is done.
    GiveUp {
        /// Reason, as a sentence.
        why: String,
    },
    /// It leaves, and owes nothing.
    Bye,
}

/// Message of the coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToRank {
    /// It is let in.
    Welcome,
    /// All ranks are there.
    AllThere,
    /// It is turned away; the last that it hears.
    Refused {
        /// Reason, as a sentence.
        why: String,
    },
    /// Request for the reading of its clock.
    Ping {
        /// Comes back with the answer.
        number: u32,
    },
    /// Start of a stage.
    Start {
        /// From 0.
        stage: u32,
        /// By the rank's own clock.
        at: Instant,
    },
    /// It ends its load, reports what it has, and leaves.
    Stop {
        /// Reason, as a sentence.
        why: String,
    },
    /// Its report of a stage is there.
    Got {
        /// From 0.
        stage: u32,
    },
    /// The coordinator lives.
    Beat,
}

/// Introduction of a rank.
#[derive(Clone, PartialEq, Eq)]
pub struct Greeting {
    /// The rank.
    pub rank: u32,
    /// Of how many.
    pub of: u32,
    /// The shared secret; empty where the meeting needs none.
    pub token: String,
    /// The rest.
    pub hello: Hello,
}

impl fmt::Debug for Greeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Greeting({} of {}, {:?})", self.rank, self.of, self.hello)
    }
}
