//! No I/O at all: every request completes at once.

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Tag};

use super::common::{Common, Left, Setup, SoFar};
use super::contents::Contents;
use super::real::RealEngine;

/// Completes every I/O at once, and touches no target.
pub struct Null<C> {
    common: Common<C>,
    sent: Vec<Tag>,
}

impl<C: Contents> Null<C> {
    /// For as many I/Os as there are slots.
    pub fn new(setup: Setup<C>) -> Null<C> {
        let common = Common::new(setup);
        let sent = Vec::with_capacity(common.slots.capacity());
        Null { common, sent }
    }
}

impl<C: Contents> Engine for Null<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        self.common.look()
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: Io) {
        self.common.queue(tag, io);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let count = self.common.queued.len();
        if count == 0 {
            self.common.sleep(until);
            return Ok(());
        }
        self.common.sent(count);
        self.common.next_batch();
        std::mem::swap(&mut self.common.queued, &mut self.sent);
        let at = self.common.clock.now_of_run();
        for tag in self.sent.drain(..) {
            let io = self.common.slots.io(tag);
            let moved = if io.op.moves_data() { io.len as i32 } else { 0 };
            self.common.take_back(tag, moved, at, done);
        }
        self.common.took_back(count);
        self.common.verdict()
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.common.stopped()
    }
}

impl<C: Contents> RealEngine for Null<C> {
    type Contents = C;

    fn start(&mut self, clock: SystemClock) {
        self.common.clock = clock;
    }

    fn so_far(&self) -> SoFar {
        self.common.so_far()
    }

    fn leave(mut self) -> Left<C> {
        let books = self.common.close_books();
        self.common.leave(books)
    }
}
