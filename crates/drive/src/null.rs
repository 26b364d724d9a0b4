use iobound_units::{Instant, Io, Tag};

use crate::clock::Clock;
use crate::engine::{Done, Engine, EngineError};

/// An engine that completes everything at once, which leaves the run loop's own cost.
#[derive(Debug)]
pub struct Null<C> {
    clock: C,
    queued: Vec<Tag>,
}

impl<C: Clock> Null<C> {
    /// For at most `capacity` outstanding I/Os.
    pub fn new(clock: C, capacity: usize) -> Null<C> {
        Null { clock, queued: Vec::with_capacity(capacity) }
    }
}

impl<C: Clock> Engine for Null<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        self.clock.now()
    }

    #[inline]
    fn submit(&mut self, tag: Tag, _io: Io) {
        self.queued.push(tag);
    }

    #[inline]
    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if self.queued.is_empty() {
            self.clock.sleep_until(until);
            return Ok(());
        }
        let at = self.clock.now();
        done.extend(self.queued.drain(..).map(|tag| Done { tag, at, ok: true }));
        Ok(())
    }
}
