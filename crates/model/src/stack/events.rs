//! What goes into a stack and what comes out of it, as plain data.

use iobound_units::{Instant, Ppm, Span, Tag};

use crate::blueprint::{DiskId, DiskSpec, GateId, GateSpec, MAX_ROUTE};

/// How a stack begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Keys every draw.
    pub seed: u64,
    /// What burst credits and token buckets hold.
    pub credits: StartCredits,
}

/// What burst credits and token buckets hold at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartCredits {
    /// As after an idle day.
    Full,
    /// Nothing: the figures of a sustained load.
    Spent,
}

/// What the stack says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An I/O is complete.
    Done {
        /// Whose slot is free again.
        tag: Tag,
        /// When: its own time, also if it was polled for later.
        at: Instant,
        /// How.
        outcome: Outcome,
    },
    /// The flusher takes a range to write it to the media, as it is now: all that was acknowledged of it, and what was
    /// submitted and partly acknowledged. Whoever keeps the data of a ReadWrite cache, to know what a crash leaves behind,
    /// keeps a copy of it from now on: what is written there later is not part of it, and what is discarded is dropped.
    WritingBack {
        /// Which disk.
        disk: DiskId,
        /// Where on it.
        offset: u64,
        /// How much.
        len: u32,
        /// When.
        at: Instant,
    },
    /// A range has reached the media, as it was at its [`Event::WritingBack`], which was of the same range. No byte is
    /// under way twice, so the media never goes back to older data; a flush that waits for the range is done after this.
    Cleaned {
        /// Which disk.
        disk: DiskId,
        /// Where on it.
        offset: u64,
        /// How much.
        len: u32,
        /// When.
        at: Instant,
    },
}

/// How an I/O ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Ok,
    /// Failed by an injected fault.
    Error,
}

/// Where an I/O's time went: of its last piece, so that the parts sum to the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Held at each gate of the route, in order.
    pub gates: [(GateId, Span); MAX_ROUTE],
    /// How many of them count.
    pub gate_count: usize,
    /// Held because the cache had too much dirty data.
    pub dirty: Span,
    /// In the media (or the cache).
    pub media: Span,
}

impl Spent {
    /// All of it: the latency.
    pub fn total(&self) -> Span {
        self.gates[..self.gate_count].iter().fold(self.dirty + self.media, |sum, (_, held)| sum + *held)
    }
}

/// What may change while a stack runs.
#[derive(Clone, Debug)]
pub enum Change {
    /// A gate's limits: another tier. Who waits goes on waiting, for the new limits.
    Gate(GateId, GateSpec),
    /// The credits of a gate.
    Credits(GateId, crate::blueprint::Dimension, u64),
    /// A disk's media, routes or cache setting, for who comes from now on: who is on the way keeps the way. A disk
    /// that gets a cache begins cold in it (and if it is new to that cache, so do the others: it is laid out anew).
    /// Its size and its largest transfer stay.
    Disk(DiskId, DiskSpec),
    /// A cache forgets what is clean: as after a restart.
    DropCache(crate::blueprint::CacheId),
    /// A disk misbehaves from now on, or no more.
    Fault(DiskId, Fault),
}

/// How a disk misbehaves, to what reaches it: its host cache goes on answering hits and acknowledging writes. Data
/// being written back is late, but not lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Media latency × this.
    pub latency: Ppm,
    /// The share of I/Os that fail.
    pub errors: Ppm,
    /// Nothing completes before this.
    pub stalled_until: Instant,
}

impl Fault {
    /// None.
    pub const NONE: Fault = Fault { latency: Ppm::ONE, errors: Ppm(0), stalled_until: Instant::ZERO };
}

/// What a host cache has done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CacheState {
    /// Pieces read from it.
    pub hits: u64,
    /// Pieces that had to be read from the media.
    pub misses: u64,
    /// Bytes acknowledged and not yet on the media.
    pub dirty_bytes: u64,
    /// The time writes waited for the dirty limit, in nanoseconds.
    pub held_ns: u64,
    /// Bytes written to the media later.
    pub written_back: u64,
}

/// What a disk's media has done so far: host-cache hits are not among it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DiskState {
    /// Pieces read and written.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
}
