//! io_uring: the queue of submissions and the queue of completions are memory shared with the kernel; one call
//! submits a batch and waits for the first that is done.

use std::io;

use io_uring::IoUring;
use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Span, Tag};

use super::entrance::Entrance;
use super::entry::{self, Place};
use super::files::descriptors;
use crate::engine::common::{Common, Left, Setup, SoFar};
use crate::engine::contents::Contents;
use crate::engine::drain::{Drained, drain};
use crate::engine::granted::Granted;
use crate::engine::real::RealEngine;

/// The most entries of the submission queue: what the kernel allows is 32,768; a batch larger than this gains
/// nothing.
const MOST_ENTRIES: u32 = 4_096;

/// Largest number of entries of the completion queue, twice that of the submission queue (`IORING_MAX_CQ_ENTRIES`). The
/// kernel would keep further outstanding I/Os on a list, which is not the queue to be measured.
pub(crate) const MOST_OUTSTANDING: u64 = 65_536;

/// A wait that ends sooner than this is spent looking: a sleeping thread wakes later than that.
const SPUN: Span = Span::from_us(20);

/// A ring of one thread.
pub struct Uring<C> {
    // Dropped first, in this order: with them the kernel lets go of the buffers.
    entrance: Entrance,
    ring: IoUring,
    common: Common<C>,
    granted: Granted,
    nop: bool,
    /// Entries in the submission queue that have not been counted as sent.
    placed: usize,
    /// Reason why sending a group failed; the next wait returns it.
    failed: Option<EngineError>,
    /// The clock was read for the completions of the wait that has just ended.
    just_looked: bool,
}

impl<C: Contents> Uring<C> {
    /// A ring for as many I/Os as there are slots, to be used by the calling thread only.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses the ring or a file.
    pub fn new(setup: Setup<C>) -> io::Result<Uring<C>> {
        let mut common = Common::new(setup);
        let capacity = u32::try_from(common.slots.capacity()).unwrap_or(u32::MAX).max(1);
        let (ring, deferred) = ring(capacity)?;
        let mut granted = Granted { deferred, buffers: false, files: false };
        let parts: Vec<libc::iovec> = common
            .slots
            .parts()
            .map(|part| libc::iovec { iov_base: part.as_mut_ptr().cast(), iov_len: part.len() })
            .collect();
        // SAFETY: the parts are of the region that `common` holds; the ring is dropped before it.
        granted.buffers = unsafe { ring.submitter().register_buffers(&parts) }.is_ok();
        ring.submitter().register_files(&descriptors(&common.targets))?;
        granted.files = true;
        let entrance = Entrance::new(&ring);
        Ok(Uring { entrance, ring, common, granted, nop: false, placed: 0, failed: None, just_looked: false })
    }

    /// Every I/O is a NOP, which leaves the cost of this program and of the ring itself.
    #[must_use]
    pub fn of_nops(mut self) -> Uring<C> {
        self.nop = true;
        self
    }

    /// Features that the kernel granted.
    pub fn granted(&self) -> Granted {
        self.granted
    }

    /// Puts an I/O into the submission queue; says whether there was room.
    #[inline(always)]
    fn place(&mut self, tag: Tag, io: Io) -> bool {
        let Common { targets, slots, .. } = &mut self.common;
        let mut queue = self.ring.submission();
        let pushed = if self.nop {
            // SAFETY: it has no buffer.
            unsafe { queue.push(&entry::of_nop(tag)) }
        } else {
            let (file, offset) = targets.place(io.target, io.offset);
            let part = self.granted.buffers.then(|| slots.part(tag));
            let place = Place { file, offset, address: slots.address(tag), part };
            // SAFETY: the buffer is of this tag, is as long as the I/O, and lives until the tag is done: the run loop uses
            // no tag twice at a time, and the region outlives the ring.
            unsafe { queue.push(&entry::of_io(tag, io, place)) }
        };
        pushed.is_ok()
    }

    /// Sends what was placed in a call of its own, and reads the clock: I/Os that follow are issued from then on.
    #[inline(never)]
    fn send(&mut self) {
        let (count, issued) = (self.placed, self.common.now);
        self.common.sent(count);
        self.placed = 0;
        if let Err(error) = self.enter(0, false, issued) {
            self.failed.get_or_insert(error);
        }
        let waiting = self.completions_wait();
        self.common.accepted(count, waiting);
        if self.common.apart.is_some() {
            self.common.accepted_tags(issued);
        }
    }

    /// True if completions wait to be taken, as far as the memory shared with the kernel shows it.
    fn completions_wait(&mut self) -> bool {
        !self.ring.completion().is_empty() || self.ring.submission().taskrun()
    }

    /// Puts queued I/Os from `from` on into the submission queue, as many as there is room for; says how many.
    fn place_queued(&mut self, from: usize) -> usize {
        let mut placed = 0;
        while let Some(tag) = self.common.queued.get(from + placed).copied() {
            let io = self.common.slots.io(tag);
            if !self.place(tag, io) {
                break;
            }
            placed += 1;
        }
        placed
    }

    /// Sends the I/Os for which the submission queue had no room, as many at a time as there is room for.
    #[inline(never)]
    fn send_queued(&mut self, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let mut sent = 0;
        loop {
            let pushed = self.place_queued(sent);
            if let Some(apart) = &mut self.common.apart {
                self.common.queued[sent..sent + pushed].iter().for_each(|tag| apart.placed(*tag));
            }
            self.placed = pushed;
            sent += pushed;
            self.send();
            if sent == self.common.queued.len() {
                self.common.queued.clear();
                return Ok(());
            }
            // A kernel that takes no more has completions that must be taken first.
            self.glance()?;
            let found = self.reap(done);
            if found > 0 {
                self.common.took_back(found);
            }
        }
    }

    /// One call to the kernel: submits what is in the queue, and waits for `want` completions until a time.
    #[inline]
    fn enter(&mut self, want: usize, look: bool, until: Instant) -> Result<(), EngineError> {
        let most = self.common.bounded(until).since(self.common.now);
        let queued = self.ring.submission().len();
        went(self.entrance.enter(queued, want, look, most))
    }

    /// One call to the kernel: submits what is in the queue, and has what is done put into the other, without a wait.
    fn glance(&mut self) -> Result<(), EngineError> {
        self.enter(0, true, self.common.now)
    }

    /// Takes back what has completed.
    #[inline]
    fn reap(&mut self, done: &mut Vec<Done>) -> usize {
        let completions = self.ring.completion();
        let found = completions.len();
        if found == 0 {
            return 0;
        }
        let at = self.common.look();
        self.just_looked = true;
        for completion in completions {
            let tag = Tag(completion.user_data() as u32);
            let result = match completion.result() {
                0 if self.nop => self.common.slots.io(tag).len as i32,
                result => result,
            };
            self.common.take_back(tag, result, at, done);
        }
        found
    }
}

impl<C: Contents> Drained for Uring<C> {
    type Contents = C;

    fn common(&mut self) -> &mut Common<C> {
        &mut self.common
    }

    fn take_back_until(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<usize, EngineError> {
        // Entries of the submission queue stay there.
        let most = self.common.bounded(until).since(self.common.now);
        went(self.entrance.enter(0, 1, true, most))?;
        Ok(self.reap(done))
    }
}

impl<C: Contents> Engine for Uring<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        // The time of the completions is the time after the wait: a second look would count what this program does
        // with them as nobody's, where it is part of the next I/Os' latency.
        if std::mem::take(&mut self.just_looked) { self.common.now } else { self.common.look() }
    }

    #[inline(always)]
    fn submit(&mut self, tag: Tag, io: Io) {
        if self.placed >= self.common.batching.group() {
            self.send();
        }
        self.common.ready(tag, io);
        if self.common.queued.is_empty() && self.place(tag, io) {
            self.placed += 1;
            if let Some(apart) = &mut self.common.apart {
                apart.placed(tag);
            }
        } else {
            self.common.queued.push(tag);
        }
    }

    #[inline]
    fn issued_at(&self, _now: Instant) -> Instant {
        self.common.now
    }

    // One call for each I/O at depth 1: inlined, it saves instructions (docs/performance.md).
    #[inline(always)]
    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if self.placed > 0 {
            if self.common.batching.times_rest() || !self.common.queued.is_empty() {
                self.send();
            } else {
                // They go out with the wait.
                self.common.sent(self.placed);
                self.placed = 0;
            }
        }
        if !self.common.queued.is_empty() {
            self.send_queued(done)?;
        }
        self.common.next_batch();
        if self.failed.is_some() {
            return self.failed.take().map_or(Ok(()), Err);
        }
        loop {
            if self.common.in_flight == 0 && done.is_empty() {
                self.common.sleep(until);
                return Ok(());
            }
            if !done.is_empty() || until.since(self.common.now) < SPUN {
                self.glance()?;
            } else {
                self.enter(1, true, until)?;
            }
            let found = self.reap(done);
            if found > 0 {
                self.common.took_back(found);
            }
            if !done.is_empty() {
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

/// Result of a call to the kernel.
#[inline]
fn went(called: io::Result<()>) -> Result<(), EngineError> {
    match called {
        Ok(()) => Ok(()),
        // The time is up, a signal came, or completions must be taken first: all of that shows elsewhere.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(EngineError { why: format!("io_uring failed: {error}") }),
    }
}

/// The fastest ring that this kernel makes, and whether completions are deferred.
fn ring(capacity: u32) -> io::Result<(IoUring, bool)> {
    let entries = capacity.min(MOST_ENTRIES).next_power_of_two();
    let completions = capacity.next_power_of_two().max(2 * entries);
    let builder = || {
        let mut builder = IoUring::builder();
        builder.setup_cqsize(completions).setup_clamp();
        builder
    };
    // The flag shows that completions wait for the thread to ask for them.
    let deferred = || {
        let mut builder = builder();
        builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        builder
    };
    // Newest first: without the array of indices (Linux 6.6), deferred (6.1), plain.
    let newest = deferred().setup_no_sqarray().build(entries);
    let unknown = |error: &io::Error| error.raw_os_error() == Some(libc::EINVAL);
    match newest {
        Ok(ring) => return Ok((ring, true)),
        Err(error) if unknown(&error) => {}
        Err(error) => return Err(error),
    }
    match deferred().build(entries) {
        Ok(ring) => Ok((ring, true)),
        Err(error) if unknown(&error) => Ok((builder().build(entries)?, false)),
        Err(error) => Err(error),
    }
}

impl<C: Contents> RealEngine for Uring<C> {
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
        let Uring { entrance, ring, common, .. } = self;
        drop(entrance);
        if common.in_flight > 0 {
            // What hangs keeps its ring.
            std::mem::forget(ring);
        }
        common.leave(books)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::sync::Arc;

    use iobound_units::{Bytes, TargetId};

    use super::*;
    use crate::engine::choose::{Kind, Needs, choose};
    use crate::engine::contents::Refreshed;
    use crate::engine::fault::OnError;
    use crate::engine::slots::Slots;
    use crate::engine::target::Targets;
    use crate::prepare::{Filling, Payload};

    /// A ring on a pipe, whose reads are answered when something is written to it; `None` where rings are refused.
    fn on_pipe() -> Option<(Uring<Refreshed>, File)> {
        choose(
            Some(Kind::IoUring),
            Needs { direct: false, discards: false, range_syncs: false, outstanding: 1 },
            &[],
        )
        .ok()?;
        let (reader, writer) = std::io::pipe().unwrap();
        let setup = Setup {
            targets: Arc::new(Targets::of_one(OwnedFd::from(reader).into(), Bytes(512), false)),
            slots: Slots::new(1, 8, false).unwrap(),
            contents: Refreshed::new(Payload::new(Filling::incompressible(1)), 0, 1),
            stop: Arc::default(),
            on_error: OnError::Stop,
            apart: None,
            range_sync: None,
        };
        let mut engine = Uring::new(setup).unwrap();
        engine.start(SystemClock::starting_in(Span::ZERO));
        engine.now();
        engine.submit(Tag(0), Io::read(TargetId(0), 0, 8));
        Some((engine, OwnedFd::from(writer).into()))
    }

    fn wait(engine: &mut Uring<Refreshed>, span: Span) -> Vec<Done> {
        let mut done = Vec::new();
        let until = engine.now() + span;
        engine.wait(until, &mut done).unwrap();
        done
    }

    #[test]
    fn an_io_that_is_back_is_seen_in_a_wait_too_short_to_sleep() {
        let Some((mut engine, mut pipe)) = on_pipe() else { return };
        assert_eq!(wait(&mut engine, Span::from_us(10)), []);
        pipe.write_all(&[1; 8]).unwrap();
        // The pipe has answered: the kernel says so at the first look, or when it has come to it.
        let found = (0..10_000).map(|_| wait(&mut engine, Span::from_us(10))).find(|done| !done.is_empty());
        assert_eq!(found.map(|done| (done[0].tag, done[0].ok)), Some((Tag(0), true)));
    }

    #[test]
    fn what_is_outstanding_at_the_end_is_taken_back() {
        let Some((mut engine, mut pipe)) = on_pipe() else { return };
        assert_eq!(wait(&mut engine, Span::from_us(10)), []);
        pipe.write_all(&[1; 8]).unwrap();
        assert_eq!(engine.leave().error, None);
    }

    #[test]
    fn a_device_that_answers_nothing_is_given_up_with_a_word() {
        let Some((mut engine, _pipe)) = on_pipe() else { return };
        engine.common.patience = Span::from_ms(20);
        assert_eq!(wait(&mut engine, Span::from_us(10)), []);
        let why = engine.leave().error.unwrap().why;
        assert!(why.starts_with("1 I/O of one thread did not complete") && why.contains("one"), "{why}");
    }
}
