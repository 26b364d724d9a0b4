//! The rule that decides how many I/Os a real engine hands to the kernel in one call.
//!
//! One call for all the I/Os of a batch costs the least processor time, but the device then waits until the whole batch is
//! prepared: it runs below the requested queue depth. One call for each I/O keeps the depth and costs the most.
//!
//! - While the device is slower than the loop, a batch goes out in groups of 1, 3, 6 and then 8: the device has work after the
//!   first call, and an I/O waits at most twice as long for its call as it would with a call for each I/O.
//! - While completions always wait to be taken (the loop is the bottleneck: memory, or a device that completes in the
//!   call), a batch goes out in one call together with the wait.

/// The largest group: it bounds how long the first I/O of a group waits for the last one.
const LARGEST_GROUP: usize = 8;

/// The loop is the bottleneck when this many times the queue depth went out while completions were always waiting. A device
/// that completes all its I/Os in one burst keeps completions waiting for one queue depth at most.
const QUEUES: usize = 4;

/// While groups are small, the last group of every n-th batch goes out by itself and is timed. All others go out with the
/// wait, which saves a call.
const TIMED_SMALL: u32 = 16;

/// While batches go out whole, every n-th goes out by itself, is timed, and shows whether the loop is still the bottleneck.
const TIMED_WHOLE: u32 = 128;

/// The size of the groups in which I/Os go out, from what an engine sees.
#[derive(Clone, Debug)]
pub struct Batching {
    /// Number of I/Os that may be queued before they go out.
    group: usize,
    /// I/Os of this batch that went out.
    sent: usize,
    /// I/Os that went out since no completion was waiting.
    busy: usize,
    /// The value of `busy` from which batches go out whole.
    enough: usize,
    whole: bool,
    each: bool,
    /// Batches until one is timed; 0 while each I/O goes out by itself.
    until_timed: u32,
}

impl Batching {
    /// Adapts to what is slower, device or loop, with at most `depth` I/Os outstanding.
    pub fn adaptive(depth: usize) -> Batching {
        Batching {
            group: 1,
            sent: 0,
            busy: 0,
            // One outstanding I/O is always a whole batch.
            enough: if depth > 1 { depth.saturating_mul(QUEUES) } else { 0 },
            whole: depth <= 1,
            each: false,
            until_timed: 0,
        }
    }

    /// Sends and times each I/O by itself, as fio does by default.
    pub fn one_by_one() -> Batching {
        Batching { each: true, ..Batching::adaptive(1) }
    }

    /// Number of I/Os that may be queued: when there are as many, they go out before the next one is queued.
    #[inline]
    pub fn group(&self) -> usize {
        self.group
    }

    /// True if the rest of this batch goes out by itself and is timed, and not together with the wait.
    #[inline]
    pub fn times_rest(&self) -> bool {
        self.until_timed == 0
    }

    /// A group of `count` I/Os went out by itself. `waiting` says whether completions were waiting to be taken afterwards.
    pub fn sent(&mut self, count: usize, waiting: bool) {
        self.sent += count;
        if self.each {
            return;
        }
        self.busy = if waiting { self.busy.saturating_add(count).min(self.enough) } else { 0 };
        self.whole = self.busy == self.enough;
        // The first I/O of this group has `sent` before it, and waits for twice as many as if it went out alone.
        self.group = if self.whole { usize::MAX } else { (self.sent + 2).min(LARGEST_GROUP) };
    }

    /// The batch is out, and the engine waits: what is queued from now on is the next batch.
    #[inline]
    pub fn next_batch(&mut self) {
        if self.sent > 0 {
            self.sent = 0;
            if !self.each {
                self.group = if self.whole { usize::MAX } else { 1 };
            }
        }
        self.until_timed = match self.until_timed {
            0 if self.each => 0,
            0 if self.whole => TIMED_WHOLE - 1,
            0 => TIMED_SMALL - 1,
            left => left - 1,
        };
    }
}
