//! Plain calls (`preadv2`, `pwritev2`): what is always there. At depth 1 they are made by the thread itself, which
//! is the shortest way there is; deeper, each outstanding I/O has a thread that waits for it.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::SystemClock;
use iobound_measure::Usage;
use iobound_units::{Instant, Io, Op, Span, Tag};

use super::common::{Common, Left, Setup, SoFar};
use super::contents::Contents;
use super::drain::{Drained, drain};
use super::range::WrittenRanges;
use super::real::RealEngine;
use crate::sys::{Call, FileToCall, Returned, thread_usage};

/// The most outstanding I/Os of one thread: each takes a thread of the system.
pub(super) const MOST_OUTSTANDING: usize = 1_024;

/// Calls that wait, made by this thread or by others.
pub struct Sync<C> {
    /// None at depth 1.
    workers: Option<Workers>,
    files: Vec<FileToCall>,
    common: Common<C>,
    back: Vec<Returned>,
    /// Ranges that were written, if flushes are of ranges.
    ranges: Option<WrittenRanges>,
}

/// Threads that each carry out one I/O at a time.
struct Workers {
    shared: Arc<WorkerState>,
    threads: Vec<JoinHandle<Usage>>,
}

struct WorkerState {
    calls: Mutex<Calls>,
    /// There is a call to make, or none will come any more.
    wanted: Condvar,
    results: Mutex<Vec<Returned>>,
    /// There is a result.
    ready: Condvar,
}

struct Calls {
    queue: VecDeque<Call>,
    over: bool,
}

impl<C: Contents> Sync<C> {
    /// For as many I/Os as there are slots.
    ///
    /// # Errors
    /// Returns an error if there are more threads than the system allows or than are sensible.
    pub fn new(setup: Setup<C>) -> io::Result<Sync<C>> {
        let range_sync = setup.range_sync;
        let common = Common::new(setup);
        let files = common.targets.files().len();
        if range_sync.is_some() && files > common.targets.count() {
            return Err(io::Error::other(
                "sync_file_range on a target of several files is not carried: name each file as a target of its own",
            ));
        }
        let capacity = common.slots.capacity();
        if capacity > MOST_OUTSTANDING {
            return Err(io::Error::other(format!(
                "{capacity} outstanding I/Os need as many threads, and the limit is {MOST_OUTSTANDING}: lower the \
                 queue depth"
            )));
        }
        let workers = if capacity > 1 { Some(Workers::start(capacity, Call::make)?) } else { None };
        Ok(Sync {
            workers,
            files: FileToCall::of(&common.targets),
            common,
            back: Vec::with_capacity(capacity),
            ranges: range_sync.map(|steps| WrittenRanges::new(steps, files)),
        })
    }

    #[inline]
    fn call(&mut self, tag: Tag) -> Call {
        let io = self.common.slots.io(tag);
        let (file, offset) = self.common.targets.place(io.target, io.offset);
        let io = Io { offset, ..io };
        let range = self.ranges.as_ref().filter(|_| io.op == Op::Flush).map(|ranges| ranges.of(file));
        Call::new(tag, io, self.files[file], self.common.slots.address(tag), self.common.clock)
            .of_range(range)
    }

    /// Takes back what has returned; says how many there were.
    fn take_back(&mut self, done: &mut Vec<Done>) -> usize {
        let mut back = std::mem::take(&mut self.back);
        let found = back.len();
        back.drain(..).for_each(|returned| self.take_back_one(returned, done));
        self.back = back;
        found
    }

    #[inline]
    fn take_back_one(&mut self, returned: Returned, done: &mut Vec<Done>) {
        let Returned { tag, result, at } = returned;
        if let Some(ranges) = &mut self.ranges {
            let io = self.common.slots.io(tag);
            let (file, offset) = self.common.targets.place(io.target, io.offset);
            ranges.done(file, offset, io, result.max(0) as u64);
        }
        self.common.take_back(tag, result, at, done);
    }

    /// Gives the queued calls to the threads. If `timed`, reads the clock: I/Os that follow are issued from then on.
    fn send(&mut self, timed: bool) {
        let count = self.common.queued.len();
        if count == 0 {
            return;
        }
        self.common.sent(count);
        let workers = self.workers.as_ref().expect("there are threads above depth 1");
        let shared = Arc::clone(&workers.shared);
        let mut calls = locked(&shared.calls);
        for n in 0..count {
            let call = self.call(self.common.queued[n]);
            calls.queue.push_back(call);
        }
        drop(calls);
        for _ in 0..count {
            shared.wanted.notify_one();
        }
        if timed {
            let issued = self.common.now;
            self.common.accepted(count, false);
            if let Some(apart) = &mut self.common.apart {
                self.common.queued.iter().for_each(|tag| apart.placed(*tag));
                self.common.accepted_tags(issued);
            }
        }
        self.common.queued.clear();
    }
}

impl<C: Contents> Drained for Sync<C> {
    type Contents = C;

    fn common(&mut self) -> &mut Common<C> {
        &mut self.common
    }

    fn take_back_until(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<usize, EngineError> {
        if let Some(workers) = &self.workers {
            workers.results(until.since(self.common.now), &mut self.back);
        }
        Ok(self.take_back(done))
    }
}

impl<C: Contents> Engine for Sync<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        self.common.look()
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: Io) {
        if self.workers.is_some() && self.common.queued.len() >= self.common.batching.group() {
            self.send(true);
        }
        self.common.queue(tag, io);
    }

    #[inline]
    fn issued_at(&self, _now: Instant) -> Instant {
        self.common.now
    }

    // One call for each I/O at depth 1: inlined, it saves instructions (docs/performance.md).
    #[inline(always)]
    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if self.workers.is_some() {
            self.send(self.common.batching.times_rest());
            self.common.next_batch();
        }
        if self.common.in_flight + self.common.queued.len() == 0 {
            self.common.sleep(until);
            return Ok(());
        }
        if self.workers.is_none() {
            self.common.sent(1);
            let call = self.call(self.common.queued[0]);
            self.common.queued.clear();
            let returned = call.make();
            self.take_back_one(returned, done);
            self.common.took_back(1);
            return self.common.verdict();
        }
        let wait = self.common.bounded(until).since(self.common.now);
        let workers = self.workers.as_ref().expect("there are threads above depth 1");
        workers.results(wait, &mut self.back);
        if self.back.is_empty() {
            return Ok(());
        }
        let found = self.take_back(done);
        self.common.took_back(found);
        self.common.verdict()
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
    /// Threads that make calls as `make` does.
    fn start(count: usize, make: fn(Call) -> Returned) -> io::Result<Workers> {
        let shared = Arc::new(WorkerState::with_capacity(count));
        let mut workers = Workers { shared: Arc::clone(&shared), threads: Vec::with_capacity(count) };
        for _ in 0..count {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("iobound-io".into()).stack_size(64 << 10);
            workers.threads.push(thread.spawn(move || shared.work(make))?);
        }
        Ok(workers)
    }

    /// Waits for a result; takes all that there are.
    fn results(&self, wait: Span, back: &mut Vec<Returned>) {
        let results = locked(&self.shared.results);
        let wait = Duration::from_nanos(wait.ns());
        let waited = self.shared.ready.wait_timeout_while(results, wait, |results| results.is_empty());
        let (mut results, _) = waited.unwrap_or_else(PoisonError::into_inner);
        back.append(&mut results);
    }

    /// No more calls are made; says how many were queued and will not be.
    fn close(&self) -> usize {
        let mut calls = locked(&self.shared.calls);
        calls.over = true;
        let queued = calls.queue.drain(..).count();
        drop(calls);
        self.shared.wanted.notify_all();
        queued
    }

    /// Waits for the threads, which have no more to do; says what they cost.
    fn join(mut self) -> Usage {
        self.join_all()
    }

    /// Leaves threads that hang to the system.
    fn abandon(mut self) {
        self.threads.clear();
    }

    fn join_all(&mut self) -> Usage {
        self.close();
        let ended = self
            .threads
            .drain(..)
            .map(|thread| thread.join().expect("a thread that makes calls does not panic"));
        ended.fold(Usage::default(), Usage::plus)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.join_all();
    }
}

impl WorkerState {
    /// With room for all that can be outstanding: nothing is allocated while the run is on.
    fn with_capacity(count: usize) -> WorkerState {
        WorkerState {
            calls: Mutex::new(Calls { queue: VecDeque::with_capacity(count), over: false }),
            wanted: Condvar::new(),
            results: Mutex::new(Vec::with_capacity(count)),
            ready: Condvar::new(),
        }
    }

    fn work(&self, make: fn(Call) -> Returned) -> Usage {
        loop {
            let call = {
                let calls = locked(&self.calls);
                let idle = |calls: &mut Calls| calls.queue.is_empty() && !calls.over;
                let mut calls = self.wanted.wait_while(calls, idle).unwrap_or_else(PoisonError::into_inner);
                // I/Os that are queued when the run ends are not carried out.
                if calls.over {
                    // Waits of threads that stand in for one queue would add up to more than the time.
                    return Usage { waited: None, ..thread_usage() };
                }
                calls.queue.pop_front()
            };
            if let Some(call) = call {
                let result = make(call);
                locked(&self.results).push(result);
                self.ready.notify_one();
            }
        }
    }
}

impl<C: Contents> RealEngine for Sync<C> {
    type Contents = C;

    fn start(&mut self, clock: SystemClock) {
        self.common.clock = clock;
    }

    fn so_far(&self) -> SoFar {
        self.common.so_far()
    }

    fn leave(mut self) -> Left<C> {
        let books = self.common.close_books();
        if let Some(workers) = &self.workers {
            // Calls that no thread has begun are not made any more.
            self.common.in_flight -= workers.close();
            drain(&mut self);
        }
        let Sync { workers, common, .. } = self;
        let hangs = common.in_flight > 0;
        let left = common.leave(books);
        match workers {
            Some(workers) if hangs => {
                workers.abandon();
                left
            }
            Some(workers) => Left { others: workers.join(), ..left },
            None => left,
        }
    }
}

#[cfg(test)]
mod tests {
    use iobound_units::TargetId;

    use super::*;

    fn call(tag: u32, clock: SystemClock) -> Call {
        let io = Io::read(TargetId(0), 0, 0);
        Call::new(Tag(tag), io, FileToCall::none(), std::ptr::null_mut(), clock)
    }

    /// A call that never comes back.
    fn hang(_: Call) -> Returned {
        loop {
            std::thread::park();
        }
    }

    #[test]
    fn threads_that_hang_are_left_behind_with_what_they_were_given() {
        let workers = Workers::start(2, hang).unwrap();
        locked(&workers.shared.calls).queue.extend((0..3).map(|tag| call(tag, SystemClock::default())));
        workers.shared.wanted.notify_all();
        // Both threads have taken one, and come back for none.
        while locked(&workers.shared.calls).queue.len() > 1 {
            std::thread::yield_now();
        }
        assert_eq!(workers.close(), 1);
        let mut back = Vec::new();
        workers.results(Span::from_ms(1), &mut back);
        assert!(back.is_empty());
        workers.abandon();
    }

    #[test]
    fn a_call_is_stamped_by_who_makes_it() {
        let mut clock = SystemClock::starting_in(Span::ZERO);
        let workers = Workers::start(1, Call::make).unwrap();
        locked(&workers.shared.calls).queue.push_back(call(7, clock));
        workers.shared.wanted.notify_all();
        // The result is available long before it is taken.
        while locked(&workers.shared.results).is_empty() {
            std::thread::yield_now();
        }
        let seen = clock.now_of_run();
        let mut back = Vec::new();
        workers.results(Span::ZERO, &mut back);
        // A descriptor that is not valid.
        assert_eq!(back[0].tag, Tag(7));
        assert!(back[0].result < 0);
        assert!(back[0].at <= seen);
    }
}
