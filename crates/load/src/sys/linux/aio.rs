//! Linux's older asynchronous I/O (`io_submit`, what libaio wraps): where io_uring is refused, or would hand each I/O to
//! a worker thread. Only direct I/O is asynchronous here; buffered I/O blocks in the call that submits it.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_units::{Instant, Io, Op, Span, Tag};

use super::files::descriptors;
use super::thread::times_slept;
use crate::engine::common::{Common, Left, Setup, SoFar};
use crate::engine::contents::Contents;
use crate::engine::drain::{Drained, drain};
use crate::engine::real::RealEngine;

const READ: u16 = 0;
const WRITE: u16 = 1;
const DATA_SYNC: u16 = 3;

/// Event filled by `io_getevents` (`struct io_event` of `linux/aio_abi.h`).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    data: u64,
    object: u64,
    result: i64,
    second_result: i64,
}

/// Time that a kernel that takes no I/O at all is left alone.
const RETRY: Span = Span::from_ms(1);

/// The most I/Os that one call submits or takes back.
const BATCH: usize = 1_024;

/// A context of one thread.
pub struct Aio<C> {
    context: AioContext,
    requests: Vec<libc::iocb>,
    pointers: Vec<*mut libc::iocb>,
    events: Vec<Event>,
    /// I/Os that the kernel did not even take, with its negative error numbers.
    refused: Vec<(Tag, i32)>,
    descriptors: Vec<RawFd>,
    common: Common<C>,
    /// The kernel had no room for an I/O: nothing more is sent before something was taken back.
    full: bool,
    /// Reason why sending a group failed; the next wait returns it.
    failed: Option<EngineError>,
    /// The clock was read for the completions of the wait that has just ended.
    just_looked: bool,
}

/// The kernel's context: gone, with all that is outstanding, when it is dropped.
struct AioContext(libc::c_ulong);

impl AioContext {
    fn new(capacity: usize) -> io::Result<AioContext> {
        let mut id: libc::c_ulong = 0;
        // SAFETY: `id` is zero and outlives the call, as io_setup wants.
        let done = unsafe { libc::syscall(libc::SYS_io_setup, capacity as libc::c_uint, &raw mut id) };
        if done == 0 { Ok(AioContext(id)) } else { Err(io::Error::last_os_error()) }
    }

    /// True if completions wait to be taken, as the head of the context's ring shows it.
    fn completions_wait(&self) -> bool {
        let ring = self.0 as *const RingHead;
        // SAFETY: the kernel maps the ring at the address that is the context's id and keeps it there until the context is
        // destroyed; libaio reads it in the same way. The kernel writes it at the same time, hence the volatile reads of
        // plain words.
        let (magic, head, tail) = unsafe {
            (
                (&raw const (*ring).magic).read_volatile(),
                (&raw const (*ring).head).read_volatile(),
                (&raw const (*ring).tail).read_volatile(),
            )
        };
        magic == RING_MAGIC && head != tail
    }
}

/// The head of the ring that a context's completions are in (`struct aio_ring` of `fs/aio.c`).
#[repr(C)]
struct RingHead {
    id: u32,
    events: u32,
    head: u32,
    tail: u32,
    magic: u32,
}

/// `AIO_RING_MAGIC`.
const RING_MAGIC: u32 = 0xa10a_10a1;

/// True if the kernel makes contexts for so many outstanding I/Os. Some sandboxes have none, and all processes of a
/// machine share a number of events.
///
/// # Errors
/// Returns the error of the kernel.
pub(super) fn probe(outstanding: u64) -> io::Result<()> {
    let capacity = usize::try_from(outstanding.max(1)).unwrap_or(usize::MAX);
    AioContext::new(capacity).map(drop)
}

/// Reads at an offset through a context of its own, all of it or a part; says whether the calling thread slept in the
/// call that submitted it.
///
/// # Errors
/// Returns an error if the kernel refuses the context or the read, or the read fails.
pub(super) fn read_one(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
    // SAFETY: a zeroed iocb is a valid value of that plain C structure.
    let mut request = unsafe { std::mem::zeroed::<libc::iocb>() };
    let context = AioContext::new(1)?;
    request.aio_fildes = file.as_raw_fd() as u32;
    request.aio_lio_opcode = READ;
    request.aio_buf = buffer.as_mut_ptr() as u64;
    request.aio_nbytes = buffer.len() as u64;
    request.aio_offset = offset as i64;
    let mut pointer: *mut libc::iocb = &raw mut request;
    let before = times_slept();
    // SAFETY: request and buffer outlive the context, which waits for the read when it is dropped.
    let took = unsafe { libc::syscall(libc::SYS_io_submit, context.0, 1, &raw mut pointer) };
    let slept = times_slept() != before;
    if took != 1 {
        return Err(io::Error::last_os_error());
    }
    let mut event = Event::default();
    let no_end: *mut libc::timespec = std::ptr::null_mut();
    // SAFETY: there is room for the one event, and no time is given.
    let found = unsafe { libc::syscall(libc::SYS_io_getevents, context.0, 1, 1, &raw mut event, no_end) };
    match (found, event.result) {
        (1, result) if result < 0 => Err(io::Error::from_raw_os_error(-result as i32)),
        (1, _) => Ok(slept),
        _ => Err(io::Error::last_os_error()),
    }
}

impl Drop for AioContext {
    fn drop(&mut self) {
        // SAFETY: the id is of a context that was set up and is destroyed here only; the call returns when no I/O
        // is outstanding, so that no buffer is written to afterwards.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}

impl<C: Contents> Aio<C> {
    /// A context for as many I/Os as there are slots.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses the context or has none left (`fs.aio-max-nr`).
    pub fn new(setup: Setup<C>) -> io::Result<Aio<C>> {
        let common = Common::new(setup);
        let capacity = common.slots.capacity().max(1);
        let context = AioContext::new(capacity)?;
        // SAFETY: a zeroed iocb is a valid value of that plain C structure.
        let request = unsafe { std::mem::zeroed::<libc::iocb>() };
        Ok(Aio {
            context,
            requests: vec![request; capacity],
            pointers: Vec::with_capacity(capacity),
            events: vec![Event::default(); capacity.min(BATCH)],
            refused: Vec::with_capacity(capacity),
            descriptors: descriptors(&common.targets),
            common,
            full: false,
            failed: None,
            just_looked: false,
        })
    }

    fn prepare(&mut self, tag: Tag) {
        let io = self.common.slots.io(tag);
        let (file, offset) = self.common.targets.place(io.target, io.offset);
        let file = self.descriptors[file];
        let request = &mut self.requests[tag.0 as usize];
        request.aio_data = u64::from(tag.0);
        request.aio_fildes = file as u32;
        request.aio_lio_opcode = match io.op {
            Op::Read => READ,
            Op::Write => WRITE,
            Op::Flush => DATA_SYNC,
            Op::Discard => unreachable!("libaio is not chosen where anything discards"),
        };
        let moves = io.op.moves_data();
        request.aio_rw_flags = if io.fua { libc::RWF_DSYNC } else { 0 };
        request.aio_buf = if moves { self.common.slots.address(tag) as u64 } else { 0 };
        request.aio_nbytes = if moves { u64::from(io.len) } else { 0 };
        request.aio_offset = if moves { offset as i64 } else { 0 };
        let pointer: *mut libc::iocb = request;
        self.pointers.push(pointer);
    }

    /// Sends what is queued. If `timed`, reads the clock: I/Os that follow are issued from then on.
    fn send(&mut self, timed: bool) -> Result<(), EngineError> {
        let queued = self.common.queued.len();
        if queued == 0 {
            return Ok(());
        }
        self.pointers.clear();
        for n in 0..queued {
            self.prepare(self.common.queued[n]);
        }
        let mut sent = 0;
        while sent < queued {
            let batch = (queued - sent).min(BATCH);
            // SAFETY: the pointers are to `requests`, whose places do not move; each request's buffer lives in the
            // slots until the context is gone.
            let took = unsafe {
                libc::syscall(
                    libc::SYS_io_submit,
                    self.context.0,
                    batch,
                    self.pointers.as_mut_ptr().add(sent),
                )
            };
            if took > 0 {
                let took = took as usize;
                self.common.sent(took);
                if timed {
                    self.timed(sent..sent + took);
                }
                sent += took;
                continue;
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::EINTR) => {}
                // There is no room until a completion is collected: the rest is submitted with the next wait.
                Some(libc::EAGAIN) => {
                    self.full = true;
                    break;
                }
                Some(libc::EFAULT | libc::ENOSYS) | None => {
                    return Err(EngineError { why: format!("libaio failed: {error}") });
                }
                // The first of them can't even be asked for: it is back at once, failed.
                Some(number) => {
                    self.refused.push((self.common.queued[sent], -number));
                    self.common.sent(1);
                    sent += 1;
                }
            }
        }
        self.common.queued.drain(..sent);
        Ok(())
    }

    /// The kernel has accepted these of the queued I/Os.
    fn timed(&mut self, queued: std::ops::Range<usize>) {
        let issued = self.common.now;
        self.common.accepted(queued.len(), self.context.completions_wait());
        if let Some(apart) = &mut self.common.apart {
            self.common.queued[queued].iter().for_each(|tag| apart.placed(*tag));
            self.common.accepted_tags(issued);
        }
    }

    /// Takes back what has completed, at least `least` unless the time is up.
    fn reap(&mut self, least: usize, until: Instant, done: &mut Vec<Done>) -> Result<usize, EngineError> {
        let left = self.common.bounded(until).since(self.common.now).ns();
        let mut time =
            libc::timespec { tv_sec: (left / 1_000_000_000) as _, tv_nsec: (left % 1_000_000_000) as _ };
        // SAFETY: `events` has room for as many as are asked for, and `time` outlives the call.
        let found = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context.0,
                least,
                self.events.len(),
                self.events.as_mut_ptr(),
                &raw mut time,
            )
        };
        if found < 0 {
            let error = io::Error::last_os_error();
            if error.raw_os_error() == Some(libc::EINTR) {
                return Ok(0);
            }
            return Err(EngineError { why: format!("libaio failed: {error}") });
        }
        let at = self.common.look();
        self.just_looked = found > 0;
        for event in &self.events[..found as usize] {
            self.common.take_back(Tag(event.data as u32), event.result as i32, at, done);
        }
        Ok(found as usize)
    }
}

impl<C: Contents> Drained for Aio<C> {
    type Contents = C;

    fn common(&mut self) -> &mut Common<C> {
        &mut self.common
    }

    fn take_back_until(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<usize, EngineError> {
        self.reap(1, until, done)
    }
}

impl<C: Contents> Engine for Aio<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        // As io_uring does: the time of the completions is the time after the wait.
        if std::mem::take(&mut self.just_looked) { self.common.now } else { self.common.look() }
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: Io) {
        if self.common.queued.len() >= self.common.batching.group() && !self.full {
            self.failed = self.failed.take().or(self.send(true).err());
        }
        self.common.queue(tag, io);
    }

    #[inline]
    fn issued_at(&self, _now: Instant) -> Instant {
        self.common.now
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.full = false;
        self.send(self.common.batching.times_rest())?;
        self.common.next_batch();
        if !self.refused.is_empty() {
            let at = self.common.clock.now_of_run();
            let refused = self.refused.len();
            for (tag, result) in self.refused.drain(..) {
                self.common.take_back(tag, result, at, done);
            }
            self.common.took_back(refused);
            return self.common.verdict();
        }
        loop {
            if self.common.in_flight == 0 {
                // If the kernel has no room although none of our I/Os uses any, the submission is tried again.
                let again = !self.common.queued.is_empty();
                self.common.sleep(if again { until.min(self.common.now + RETRY) } else { until });
                return Ok(());
            }
            let found = self.reap(1, until, done)?;
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

impl<C: Contents> RealEngine for Aio<C> {
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
        let Aio { context, common, .. } = self;
        if common.in_flight > 0 {
            // Destroying it would wait for what hangs.
            std::mem::forget(context);
        }
        common.leave(books)
    }
}
