use iobound_model::{Event, Outcome, Stack};
use iobound_units::{Instant, Io, Tag};

use crate::clock::Clock;
use crate::engine::{Done, Engine, EngineError};

/// A stack on a clock: on a virtual one it is the simulator, on a real one the model in real time.
#[derive(Debug)]
pub struct Modelled<C> {
    stack: Stack,
    clock: C,
    now: Instant,
    events: Vec<Event>,
}

impl<C: Clock> Modelled<C> {
    /// The stack, driven by this clock.
    pub fn new(stack: Stack, mut clock: C) -> Modelled<C> {
        let now = clock.now();
        Modelled { stack, clock, now, events: Vec::with_capacity(1024) }
    }

    /// The stack: to look at its limiters, or to change it.
    pub fn stack(&mut self) -> &mut Stack {
        &mut self.stack
    }
}

impl<C: Clock> Engine for Modelled<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        self.now = self.clock.now();
        self.now
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: Io) {
        self.stack.submit(self.now, tag, io);
    }

    #[inline]
    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        loop {
            let next = self.stack.next_event().map_or(until, |at| at.min(until));
            self.clock.sleep_until(next);
            self.now = self.clock.now();
            self.stack.poll(self.now, &mut self.events);
            for event in self.events.drain(..) {
                if let Event::Done { tag, at, outcome } = event {
                    done.push(Done { tag, at, ok: outcome == Outcome::Ok });
                }
            }
            if !done.is_empty() || self.now >= until {
                return Ok(());
            }
        }
    }
}
