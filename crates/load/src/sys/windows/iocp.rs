//! Overlapped I/O of Windows: reads and writes are started, and a completion port says which are done.

use std::io;

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Op, Span, Tag, TargetId};
use windows_sys::Win32::System::IO::OVERLAPPED_ENTRY;

use super::port::{Completion, Port, PortFile, Request};
use crate::engine::common::{Common, Left, Setup, SoFar};
use crate::engine::contents::Contents;
use crate::engine::drain::{Drained, drain};
use crate::engine::real::RealEngine;

/// The most completions that one call takes.
const BATCH: usize = 1_024;

/// The engine of one thread.
pub struct Iocp<C> {
    files: Vec<PortFile>,
    /// By tag. The system writes to them, so their places do not move.
    requests: Box<[Request]>,
    entries: Vec<OVERLAPPED_ENTRY>,
    /// I/Os that ended in the call that started them, flushes among them.
    returned: Vec<Completion>,
    common: Common<C>,
    /// The clock was read for the completions of the wait that has just ended.
    just_looked: bool,
    /// Last, so that files are closed before it.
    port: Port,
}

impl<C: Contents> Iocp<C> {
    /// A port for as many I/Os as there are slots, and handles of its own of all files.
    ///
    /// # Errors
    /// Returns an error if the system refuses a port or a handle.
    pub fn new(setup: Setup<C>) -> io::Result<Iocp<C>> {
        let common = Common::new(setup);
        let capacity = common.slots.capacity().max(1);
        let port = Port::new()?;
        let targets = &common.targets;
        let mut files = Vec::with_capacity(targets.files().len());
        for id in (0..targets.count()).map(|id| TargetId(id as u16)) {
            for file in targets.files_of(id) {
                files.push(port.take(file.file(), file.writes(), targets.is_direct(id))?);
            }
        }
        Ok(Iocp {
            files,
            requests: (0..capacity as u32).map(Request::new).collect(),
            entries: vec![OVERLAPPED_ENTRY::default(); capacity.min(BATCH)],
            returned: Vec::with_capacity(capacity),
            common,
            just_looked: false,
            port,
        })
    }

    /// Starts an I/O that is queued.
    fn start(&mut self, tag: Tag) {
        let io = self.common.slots.io(tag);
        let (file, offset) = self.common.targets.place(io.target, io.offset);
        let file = &self.files[file];
        let write = match io.op {
            Op::Read => None,
            Op::Write => Some(io.fua),
            Op::Flush => {
                self.returned.push(Completion { tag: tag.0, result: file.flush() });
                return;
            }
            Op::Discard => unreachable!("a completion port is not chosen where anything discards"),
        };
        let buffer = self.common.slots.address(tag);
        let request = &raw mut self.requests[tag.0 as usize];
        // SAFETY: the buffer is this tag's and lives in the slots, which are kept where an I/O is not answered; the request
        // is this tag's and its box is kept likewise.
        let started = unsafe { file.start(request, buffer, io.len, offset, write) };
        if let Err(number) = started {
            self.returned.push(Completion { tag: tag.0, result: -number.max(1) });
        }
    }

    /// Sends what is queued. If `timed`, reads the clock: I/Os that follow are issued from then on.
    fn send(&mut self, timed: bool) {
        let queued = self.common.queued.len();
        if queued == 0 {
            return;
        }
        for n in 0..queued {
            let tag = self.common.queued[n];
            self.start(tag);
        }
        self.common.sent(queued);
        if timed {
            let issued = self.common.now;
            self.common.accepted(queued, !self.returned.is_empty());
            if let Some(apart) = &mut self.common.apart {
                self.common.queued.iter().for_each(|tag| apart.placed(*tag));
                self.common.accepted_tags(issued);
            }
        }
        self.common.queued.clear();
    }

    /// Takes back what has completed; waits for it until the time is up.
    fn reap(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<usize, EngineError> {
        let mut found = 0;
        if !self.returned.is_empty() {
            let at = self.common.look();
            found = self.returned.len();
            for Completion { tag, result } in self.returned.drain(..) {
                self.common.take_back(Tag(tag), result, at, done);
            }
        }
        // The system counts whole milliseconds. The rest of a wait is asked for again and again, so that an I/O of an open
        // loop is not late.
        let left = self.common.bounded(until).since(self.common.now).ns();
        let wait = if found > 0 { 0 } else { left / 1_000_000 };
        let came = self
            .port
            .completions(&mut self.entries, wait as u32)
            .map_err(|error| EngineError { why: format!("the completion port failed: {error}") })?;
        let at = self.common.look();
        for Completion { tag, result } in came {
            self.common.take_back(Tag(tag), result, at, done);
            found += 1;
        }
        self.just_looked = found > 0;
        Ok(found)
    }
}

impl<C: Contents> Drained for Iocp<C> {
    type Contents = C;

    fn common(&mut self) -> &mut Common<C> {
        &mut self.common
    }

    fn take_back_until(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<usize, EngineError> {
        self.reap(until, done)
    }
}

impl<C: Contents> Engine for Iocp<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        // As on Linux: the time of the completions is the time after the wait.
        if std::mem::take(&mut self.just_looked) { self.common.now } else { self.common.look() }
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: Io) {
        if self.common.queued.len() >= self.common.batching.group() {
            self.send(true);
        }
        self.common.queue(tag, io);
    }

    #[inline]
    fn issued_at(&self, _now: Instant) -> Instant {
        self.common.now
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        self.send(self.common.batching.times_rest());
        self.common.next_batch();
        loop {
            if self.common.in_flight == 0 {
                self.common.sleep(until);
                return Ok(());
            }
            let found = self.reap(until, done)?;
            if found > 0 {
                self.common.took_back(found);
                return self.common.verdict();
            }
            if self.common.look() >= until || self.common.stopped() {
                return Ok(());
            }
        }
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.common.stopped()
    }
}

impl<C: Contents> RealEngine for Iocp<C> {
    type Contents = C;

    fn submission(&self, tag: Tag) -> Span {
        self.common.submission(tag)
    }

    fn start(&mut self, clock: SystemClock) {
        self.common.clock = clock;
    }

    fn so_far(&self) -> SoFar {
        self.common.so_far()
    }

    fn leave(mut self) -> Left<C> {
        let books = self.common.close_books();
        drain(&mut self);
        if self.common.in_flight > 0 {
            self.files.iter().for_each(PortFile::cancel);
        }
        let Iocp { requests, common, .. } = self;
        if common.in_flight > 0 {
            // The device may yet answer: the system then writes to them.
            std::mem::forget(requests);
        }
        common.leave(books)
    }
}
