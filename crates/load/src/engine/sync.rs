//! Plain calls (`preadv2`, `pwritev2`): what is always there. At depth 1 they are made by the thread itself, which
//! is the shortest way there is; deeper, each outstanding I/O has a thread that waits for it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_measure::Usage;
use iobound_units::{Instant, Io, Op, Tag};

use super::RealEngine;
use super::common::{Common, Left, Setup};
use super::contents::Contents;
use crate::usage::thread_usage;

/// The most outstanding I/Os of one thread: each takes a thread of the system.
const MOST_OUTSTANDING: usize = 1_024;

/// Calls that wait, made by this thread or by others.
pub struct Sync<C> {
    /// None at depth 1.
    workers: Option<Workers>,
    descriptors: Vec<RawFd>,
    common: Common<C>,
    back: Vec<(Tag, i32)>,
}

/// Threads that each carry out one I/O at a time.
struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Usage>>,
}

#[derive(Default)]
struct Shared {
    calls: Mutex<Calls>,
    /// There is a call to make, or none will come any more.
    wanted: Condvar,
    results: Mutex<Vec<(Tag, i32)>>,
    /// There is a result.
    ready: Condvar,
}

#[derive(Default)]
struct Calls {
    queue: VecDeque<Call>,
    over: bool,
}

/// One I/O as the system is asked for it.
#[derive(Clone, Copy)]
struct Call {
    tag: Tag,
    io: Io,
    file: RawFd,
    buffer: Buffer,
}

#[derive(Clone, Copy)]
struct Buffer(*mut u8);

// SAFETY: the buffer is of one tag, which one thread at a time uses: the run loop gives it away with the call and
// looks at it again when the result is back; the mutexes between order the two.
unsafe impl Send for Buffer {}

impl<C: Contents> Sync<C> {
    /// For as many I/Os as there are slots.
    ///
    /// # Errors
    /// More threads than the system allows, or than are sensible.
    pub fn new(setup: Setup<C>) -> io::Result<Sync<C>> {
        let common = Common::new(setup);
        let capacity = common.slots.capacity();
        if capacity > MOST_OUTSTANDING {
            return Err(io::Error::other(format!(
                "each of {capacity} outstanding I/Os would take a thread, and at most {MOST_OUTSTANDING} are made: \
                 lower the queue depth"
            )));
        }
        let workers = if capacity > 1 { Some(Workers::start(capacity)?) } else { None };
        Ok(Sync {
            workers,
            descriptors: common.targets.descriptors(),
            common,
            back: Vec::with_capacity(capacity),
        })
    }

    fn call(&mut self, tag: Tag) -> Call {
        let io = self.common.slots.io(tag);
        let (file, offset) = self.common.targets.place(io.target, io.offset);
        let file = self.descriptors[file];
        Call { tag, io: Io { offset, ..io }, file, buffer: Buffer(self.common.slots.address(tag)) }
    }

    fn take_back(&mut self, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let at = self.common.clock.now_of_run();
        let found = self.back.len();
        for (tag, result) in self.back.drain(..) {
            self.common.take_back(tag, result, at, done);
        }
        self.common.took_back(found);
        self.common.verdict()
    }
}

impl<C: Contents> Engine for Sync<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        self.common.look()
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: Io) {
        self.common.queue(tag, io);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let queued = self.common.queued.len();
        if queued > 0 {
            self.common.sent(queued);
        }
        if self.common.in_flight == 0 {
            self.common.sleep(until);
            return Ok(());
        }
        if self.workers.is_none() {
            let call = self.call(self.common.queued[0]);
            self.common.queued.clear();
            self.back.push((call.tag, call.make()));
            return self.take_back(done);
        }
        let calls: Vec<Call> = (0..queued).map(|n| self.call(self.common.queued[n])).collect();
        if self.common.apart.is_some() {
            self.common.submitted(0..queued);
        }
        self.common.queued.clear();
        let workers = self.workers.as_ref().expect("there are threads above depth 1");
        workers.send(calls);
        let wait = self.common.bounded(until).since(self.common.now);
        workers.results(Duration::from_nanos(wait.ns()), &mut self.back);
        if self.back.is_empty() { Ok(()) } else { self.take_back(done) }
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.common.stopped()
    }
}

/// A poisoned lock is of a thread that panicked: a defect that shows when it is joined.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    fn start(count: usize) -> io::Result<Workers> {
        let shared = Arc::new(Shared::default());
        let mut workers = Workers { shared: Arc::clone(&shared), threads: Vec::with_capacity(count) };
        for _ in 0..count {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("iobound-io".into()).stack_size(64 << 10);
            workers.threads.push(thread.spawn(move || shared.work())?);
        }
        Ok(workers)
    }

    fn send(&self, calls: Vec<Call>) {
        let count = calls.len();
        locked(&self.shared.calls).queue.extend(calls);
        for _ in 0..count {
            self.shared.wanted.notify_one();
        }
    }

    fn results(&self, wait: Duration, back: &mut Vec<(Tag, i32)>) {
        let results = locked(&self.shared.results);
        let waited = self.shared.ready.wait_timeout_while(results, wait, |results| results.is_empty());
        let (mut results, _) = waited.unwrap_or_else(PoisonError::into_inner);
        back.append(&mut results);
    }
}

impl Workers {
    /// Waits for the calls that are being made; says what the threads cost.
    fn end(mut self) -> Usage {
        self.join()
    }

    fn join(&mut self) -> Usage {
        locked(&self.shared.calls).over = true;
        self.shared.wanted.notify_all();
        let ended = self
            .threads
            .drain(..)
            .map(|thread| thread.join().expect("a thread that makes calls does not panic"));
        ended.fold(Usage::default(), Usage::plus)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.join();
    }
}

impl Shared {
    fn work(&self) -> Usage {
        loop {
            let call = {
                let calls = locked(&self.calls);
                let idle = |calls: &mut Calls| calls.queue.is_empty() && !calls.over;
                let mut calls = self.wanted.wait_while(calls, idle).unwrap_or_else(PoisonError::into_inner);
                // What was queued when the run ended is not carried out.
                if calls.over {
                    return thread_usage();
                }
                calls.queue.pop_front()
            };
            if let Some(call) = call {
                let result = call.make();
                locked(&self.results).push((call.tag, result));
                self.ready.notify_one();
            }
        }
    }
}

impl Call {
    /// Carries it out; says how many bytes it moved, or the negative error number.
    fn make(self) -> i32 {
        loop {
            let result = self.once();
            if result >= 0 {
                return i32::try_from(result).unwrap_or(i32::MAX);
            }
            match io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                number => return -number.unwrap_or(libc::EIO),
            }
        }
    }

    fn once(self) -> i64 {
        let Io { op, offset, len, fua, .. } = self.io;
        let part = libc::iovec { iov_base: self.buffer.0.cast(), iov_len: len as usize };
        let durable = if fua { libc::RWF_DSYNC } else { 0 };
        // SAFETY: the descriptor is open as long as the engine; the buffer is this tag's, at least `len` bytes long,
        // and nobody else uses it until the result is taken back.
        unsafe {
            match op {
                Op::Read => libc::preadv2(self.file, &raw const part, 1, offset as i64, 0) as i64,
                Op::Write => libc::pwritev2(self.file, &raw const part, 1, offset as i64, durable) as i64,
                Op::Flush => i64::from(libc::fdatasync(self.file)),
                Op::Discard => {
                    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                    i64::from(libc::fallocate(self.file, mode, offset as i64, i64::from(len)))
                }
            }
        }
    }
}

impl<C: Contents> RealEngine for Sync<C> {
    type Contents = C;

    fn start(&mut self, clock: SystemClock) {
        self.common.clock = clock;
    }

    fn leave(self) -> Left<C> {
        let others = self.workers.map(Workers::end).unwrap_or_default();
        Left { others, ..self.common.leave() }
    }
}
