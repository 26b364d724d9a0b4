//! Counters of running threads, for reports at regular times.

use iobound_measure::{Recorder, Usage};
use iobound_units::{Instant, Span};

use crate::engine::SoFar;

/// Counters of a thread up to a time.
#[derive(Clone)]
pub(super) struct CountedThread {
    pub(super) job: u16,
    pub(super) at: Instant,
    pub(super) recorder: Recorder,
    pub(super) usage: Usage,
    pub(super) counted: SoFar,
}

/// The latest that each thread has handed out.
pub(super) struct CountedThreads {
    threads: Vec<Latest>,
    /// The number of reports that were made.
    made: u64,
}

#[derive(Clone, Default)]
struct Latest {
    taken: u64,
    counted: Option<Box<CountedThread>>,
    is_over: bool,
}

impl CountedThreads {
    pub(super) fn new(threads: usize) -> CountedThreads {
        CountedThreads { threads: vec![Latest::default(); threads], made: 0 }
    }

    /// Takes in what a thread has counted.
    pub(super) fn take(&mut self, thread: u16, counted: Box<CountedThread>) {
        let own = &mut self.threads[usize::from(thread)];
        own.taken += 1;
        own.counted = Some(counted);
    }

    /// A thread will hand out no more.
    pub(super) fn over(&mut self, thread: u16) {
        self.threads[usize::from(thread)].is_over = true;
    }

    /// Counters of all threads, each time that all running ones have handed out once more.
    pub(super) fn next_report(&mut self) -> Option<Vec<CountedThread>> {
        let taken = self.threads.iter().filter(|own| !own.is_over).map(|own| own.taken).min()?;
        if taken <= self.made {
            return None;
        }
        self.made = taken;
        self.threads.iter().map(|own| own.counted.as_deref().cloned()).collect()
    }
}

/// The next multiple of `every` after `now`.
pub(super) fn next_after(now: Instant, every: Span) -> Instant {
    let every = every.ns().max(1);
    Instant::from_ns((now.ns() / every + 1) * every)
}
