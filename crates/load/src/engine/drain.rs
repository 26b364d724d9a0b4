//! Waits for outstanding I/Os at the end of a run. Otherwise the kernel would move data to or from freed buffers, or
//! wait itself without a bound.

use iobound_drive::{Done, EngineError};
use iobound_units::{Instant, Span};

use super::common::{Common, LONGEST_END};
use super::contents::Contents;

/// An engine that can take back what is outstanding without submitting anything more.
pub(crate) trait Drained {
    /// Content of its blocks.
    type Contents: Contents;

    /// The state that all engines have.
    fn common(&mut self) -> &mut Common<Self::Contents>;

    /// Waits for something that is outstanding, no longer than until a time; says how many I/Os it took back.
    ///
    /// # Errors
    /// Returns an error if no more completions can be collected.
    fn take_back_until(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<usize, EngineError>;
}

/// Takes back what is outstanding for as long as the device answers.
pub(crate) fn drain(engine: &mut impl Drained) {
    let common = engine.common();
    let mut patience = DrainPatience::new(common.patience, common.look());
    let mut done = Vec::with_capacity(common.in_flight);
    while engine.common().in_flight > 0 && engine.common().look() < patience.until() {
        let Ok(found) = engine.take_back_until(patience.until(), &mut done) else { return };
        if found > 0 {
            let common = engine.common();
            common.took_back(found);
            patience.hear(common.look());
            done.clear();
        }
    }
}

/// Time that the end of a run still waits.
struct DrainPatience {
    each: Span,
    heard: Instant,
    last: Instant,
}

impl DrainPatience {
    /// From the end of the run on.
    fn new(each: Span, now: Instant) -> DrainPatience {
        DrainPatience { each, heard: now, last: now + LONGEST_END }
    }

    /// Something came back.
    fn hear(&mut self, now: Instant) {
        self.heard = now;
    }

    /// Until when there is patience: past where it is out.
    fn until(&self) -> Instant {
        (self.heard + self.each).min(self.last)
    }
}
