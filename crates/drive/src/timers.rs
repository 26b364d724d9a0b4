use std::cmp::Reverse;
use std::collections::BinaryHeap;

use iobound_units::Instant;

/// Times at which queues are polled again: those that wait for a time and not for a completion.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Instant, u32)>>,
}

impl Timers {
    pub(crate) fn with_capacity(queues: usize) -> Timers {
        Timers { heap: BinaryHeap::with_capacity(2 * queues) }
    }

    pub(crate) fn set(&mut self, at: Instant, queue: u32) {
        self.heap.push(Reverse((at, queue)));
    }

    #[inline]
    pub(crate) fn next(&self) -> Instant {
        self.heap.peek().map_or(Instant::MAX, |Reverse((at, _))| *at)
    }

    /// The next queue whose time has come.
    #[inline]
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<u32> {
        if self.next() > now {
            return None;
        }
        self.heap.pop().map(|Reverse((_, queue))| queue)
    }
}
