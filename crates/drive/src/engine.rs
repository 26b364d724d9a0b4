use std::fmt;

use iobound_units::{Instant, Io, Tag};

/// A way to issue I/O, and the clock that goes with it.
pub trait Engine {
    /// The time, read once after each wait.
    fn now(&mut self) -> Instant;

    /// Queues an I/O. It goes out with the next [`Engine::wait`] at the latest; the engine may send I/Os that were queued
    /// before it first (see [`crate::Batching`]). The tag is free.
    fn submit(&mut self, tag: Tag, io: Io);

    /// The issue time of the I/O that was queued last: `now`, the time after the last wait, or later if the engine sent
    /// other I/Os before it queued this one.
    #[inline]
    fn issued_at(&self, now: Instant) -> Instant {
        now
    }

    /// Waits until something has completed, and for no longer than `until`; appends what has.
    ///
    /// # Errors
    /// Returns an error if the engine cannot or should not go on after a failed I/O; completions are appended all the
    /// same. A failed I/O is a [`Done`] that is not `ok`.
    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError>;

    /// True if its owner wants the run to end: asked once a batch.
    #[inline]
    fn stopped(&self) -> bool {
        false
    }
}

/// A completed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Queue and slot of the I/O.
    pub tag: Tag,
    /// Time of its completion.
    pub at: Instant,
    /// True if all of it succeeded.
    pub ok: bool,
}

/// An engine that can't go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineError {
    /// The failure, in a sentence with its cause.
    pub why: String,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for EngineError {}
