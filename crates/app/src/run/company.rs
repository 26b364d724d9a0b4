//! The ranks that a run is among.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iobound_load::run::Start;
use iobound_measure::Together;

use crate::Failure;

/// The others that a run is among. It is shared with the run's threads, which ask it when to start. Stages count from 1.
pub(crate) trait FleetMember: Debug + Send + Sync {
    /// Number of ranks that are on this machine, as far as the launcher says it.
    fn here(&self) -> u32;

    /// Set by the coordinator, by its loss, and by the end of this process.
    fn stop(&self) -> Arc<AtomicBool>;

    /// Start of a stage: requested once all its threads are set up.
    fn start(self: Arc<Self>, stage: usize) -> Start;

    /// Says that the preparation of the targets makes progress.
    fn works(&self);

    /// Hands on an interval of a stage.
    fn tell(&self, stage: usize, interval: &Together);

    /// True if the meeting is over for this rank.
    fn is_over(&self) -> bool;

    /// Reason why there was no start.
    fn called_off(&self) -> Failure;
}
