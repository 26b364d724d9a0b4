//! Time that is waited, and how much is taken.

use std::time::Duration;

/// Time that is waited, and how much is taken. The coordinator's hold for all; a rank's own are for what it sees of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Time that after the coordinator opens all ranks must be there, and how long a rank tries to reach the coordinator.
    pub join: Duration,
    /// Time that a peer may say nothing until it is lost.
    pub silent: Duration,
    /// Time after which a rank that beats but makes no progress counts as lost: it prepares nothing, or its load runs and it
    /// sends neither an interval nor its report. Where the stages' length is known, [`Coordinator::expect`](crate::Coordinator::expect)
    /// bounds the report as well.
    pub stuck: Duration,
    /// Number of times that each side says that it lives.
    pub beat: Duration,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            join: Duration::from_secs(120),
            silent: Duration::from_secs(5),
            // Beyond the patience that a run itself has with a device that hangs.
            stuck: Duration::from_secs(120),
            beat: Duration::from_millis(500),
        }
    }
}
