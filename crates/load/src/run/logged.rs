//! A record of every I/O of a thread, for logs with a line for each.

use std::sync::{Arc, Mutex, PoisonError};

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Op, Span, Tag, TargetId};

use crate::engine::{Left, RealEngine, SoFar};

/// More I/Os of one thread are not recorded: this many take 2 GiB.
const MOST: usize = 1 << 25;

/// A completed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedIo {
    /// Time of its completion.
    pub end: Instant,
    /// The time from issue to completion.
    pub lat: Span,
    /// The part of it that submission took; zero where that is not timed.
    pub slat: Span,
    /// Its activity.
    pub op: Op,
    /// Its length in bytes; zero for a flush.
    pub len: u32,
    /// Its target.
    pub target: TargetId,
    /// Offset in the target, in bytes.
    pub offset: u64,
}

/// The records of a thread, and the number of I/Os beyond [`MOST`]: they outlive its engine.
pub(super) type Log = Arc<Mutex<(Vec<LoggedIo>, u64)>>;

/// An engine whose I/Os are recorded.
pub(super) struct Logged<E> {
    engine: E,
    now: Instant,
    /// By tag: when it was issued, and what.
    issued: Vec<(Instant, Io)>,
    records: Vec<LoggedIo>,
    unlogged: u64,
    log: Log,
}

impl<E: RealEngine> Logged<E> {
    /// Records what completes, warm-up and cool-down included; at most `capacity` I/Os are outstanding.
    pub(super) fn new(engine: E, capacity: usize, log: Log) -> Logged<E> {
        let nothing = (Instant::ZERO, Io::flush(TargetId(0)));
        let issued = vec![nothing; capacity];
        Logged { engine, now: Instant::ZERO, issued, records: Vec::new(), unlogged: 0, log }
    }
}

impl<E: RealEngine> Engine for Logged<E> {
    fn now(&mut self) -> Instant {
        self.now = self.engine.now();
        self.now
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        self.engine.submit(tag, io);
        self.issued[tag.0 as usize] = (self.engine.issued_at(self.now), io);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let before = done.len();
        let waited = self.engine.wait(until, done);
        for Done { tag, at, ok } in &done[before..] {
            let (issued, io) = self.issued[tag.0 as usize];
            if *ok && self.records.len() == MOST {
                self.unlogged += 1;
            } else if *ok {
                let lat = at.since(issued);
                self.records.push(LoggedIo {
                    end: *at,
                    lat,
                    // What completes before the call that submits it returns was submitted by then.
                    slat: self.engine.submission(*tag).min(lat),
                    op: io.op,
                    len: io.len,
                    target: io.target,
                    offset: io.offset,
                });
            }
        }
        waited
    }

    fn issued_at(&self, now: Instant) -> Instant {
        self.engine.issued_at(now)
    }

    fn stopped(&self) -> bool {
        self.engine.stopped()
    }
}

impl<E: RealEngine> RealEngine for Logged<E> {
    type Contents = E::Contents;

    fn start(&mut self, clock: SystemClock) {
        self.engine.start(clock);
    }

    fn so_far(&self) -> SoFar {
        self.engine.so_far()
    }

    fn leave(self) -> Left<E::Contents> {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = (self.records, self.unlogged);
        self.engine.leave()
    }
}

/// Content of a log once its engine has left.
pub(super) fn taken(log: &Log) -> (Vec<LoggedIo>, u64) {
    std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner))
}
