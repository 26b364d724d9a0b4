//! I/Os that follow from a queue's writes: flushes, reads of what was written, and the writes of discarded blocks.

use iobound_units::{Io, Op};

use crate::Job;
use crate::backlog::Backlog;

/// The I/Os that follow from writes, for a job that has any.
#[derive(Debug)]
pub(crate) struct Followers {
    flushes: Option<Flushes>,
    pub(crate) backlog: Option<Backlog>,
    trims: Option<Trims>,
}

/// A flush of every written target after a number of writes.
#[derive(Clone, Copy, Debug)]
struct Flushes {
    every: u64,
    /// Writes until the next; at zero, flushes are due.
    left: u64,
}

/// Discards of which each is followed by a write of the same block.
#[derive(Clone, Copy, Debug)]
struct Trims {
    /// True if the writes are durable.
    fua: bool,
    /// The write of the last discard.
    write: Option<Io>,
}

/// An I/O that is due before another is drawn.
pub(crate) enum Due {
    /// This I/O.
    Io(Io),
    /// A flush of the first target that was written.
    Flush,
}

impl Followers {
    /// `None` for a job without such I/Os.
    pub(crate) fn of(job: &Job) -> Option<Box<Followers>> {
        let flushes = job.flush_every.map(|every| Flushes { every, left: every });
        let backlog = job.read_back_after.map(Backlog::new);
        let trims = job.access.trim_first.then_some(Trims { fua: job.durable, write: None });
        let any = flushes.is_some() || backlog.is_some() || trims.is_some();
        any.then(|| Box::new(Followers { flushes, backlog, trims }))
    }

    /// True if a flush or a read of what was written is next. The write of a discarded block is no such I/O, as it is the
    /// job's own work.
    pub(crate) fn are_due(&self) -> bool {
        self.flush_due() || self.backlog.as_ref().is_some_and(Backlog::is_due)
    }

    fn flush_due(&self) -> bool {
        matches!(self.flushes, Some(Flushes { left: 0, .. }))
    }

    /// The I/O that is due, if any.
    pub(crate) fn next(&mut self) -> Option<Due> {
        if let Some(write) = self.trims.as_mut().and_then(|trims| trims.write.take()) {
            if let Some(backlog) = &mut self.backlog {
                backlog.wrote(write);
            }
            return Some(Due::Io(write));
        }
        if self.flush_due() {
            return Some(Due::Flush);
        }
        self.backlog.as_mut().and_then(Backlog::next).map(Due::Io)
    }

    /// Takes in an I/O that was drawn. Returns true if its target has to be flushed later.
    pub(crate) fn drawn(&mut self, io: Io) -> bool {
        let writes = io.op == Op::Write || self.trims.is_some();
        if let (Some(flushes), true) = (&mut self.flushes, writes) {
            flushes.left -= 1;
        }
        if let (Some(backlog), Op::Write) = (&mut self.backlog, io.op) {
            backlog.wrote(io);
        }
        if let Some(trims) = &mut self.trims {
            trims.write = Some(Io { op: Op::Write, fua: trims.fua, ..io });
        }
        self.flushes.is_some() && writes
    }

    /// Counts writes anew: every written target was flushed.
    pub(crate) fn flushed(&mut self) {
        if let Some(flushes) = &mut self.flushes {
            flushes.left = flushes.every;
        }
    }
}
