//! Inputs and outputs of a stack, as plain data.

use iobound_units::{Instant, Ppm, Span, Tag, TargetId};

use crate::blueprint::{
    CacheId, CacheSpec, Dimension, DiskId, DiskSpec, GateId, GateSpec, MAX_ROUTE, VolumeSpec,
};

/// Start of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Keys every draw.
    pub seed: u64,
    /// Content of burst credits and token buckets.
    pub credits: StartCredits,
}

/// Content of burst credits and token buckets at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartCredits {
    /// As after an idle day.
    Full,
    /// Nothing: the figures of a sustained load.
    Spent,
    /// No burst credits, but full token buckets: as after an idle minute that follows a sustained load.
    Rested,
}

/// Messages of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An I/O is complete.
    Done {
        /// Whose slot is free again.
        tag: Tag,
        /// When: its own time, also if it was polled for later.
        at: Instant,
        /// The result.
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
        /// Number of bytes.
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
        /// Number of bytes.
        len: u32,
        /// When.
        at: Instant,
    },
}

/// End of an I/O.
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
    /// Number of them that count.
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

/// Changes that a running stack takes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A gate's limits: another tier. Who waits goes on waiting, for the new limits.
    Gate(GateId, GateSpec),
    /// The credits of a gate.
    Credits(GateId, Dimension, u64),
    /// A disk's media, routes or cache setting, for who comes from now on: who is on the way keeps the way. A disk
    /// that gets a cache begins cold in it; the others in that cache keep what they have there, as far as there is room.
    /// Its size and its largest transfer stay.
    Disk(DiskId, DiskSpec),
    /// A cache's size, times or dirty limits. With another line it is laid out anew, and is cold; with another size it
    /// keeps what there is room for. Writes that wait go on at the low watermark there is now.
    Cache(CacheId, CacheSpec),
    /// A cache forgets what is clean: as after a restart.
    DropCache(CacheId),
    /// So many bytes of a volume, from an offset on, are in its disks' caches at once, as the last that was used. What
    /// has no cache is left out. It takes the caller some 60 ns for each line, 0.6 s for 576 GiB: in parts it is the same.
    Warm(TargetId, u64, u64),
    /// A disk misbehaves from now on, or no more. It replaces the fault that the disk had.
    Fault(DiskId, Fault),
    /// A gate in slices grants nothing now and then from now on; `None`: no more.
    Stalls(GateId, Option<Stalls>),
    /// The VM is on a bad host from now on, or no more, also for disks that are added later. Beside the disks' own
    /// faults.
    Host(BadHost),
    /// One gate more, with the next id. It begins as a changed one does: one slice's quota, the credits of a start.
    AddGate(GateSpec),
    /// One cache more, with the next id.
    AddCache(CacheSpec),
    /// One disk more, with the next id. In a cache that others use it begins cold, as a disk does that is given one; what
    /// they hold there takes the caller as long as warming it does.
    AddDisk(DiskSpec),
    /// One volume more, with the next id: over disks that are there. Disks may belong to several.
    AddVolume(VolumeSpec),
}

/// Times at which a gate in slices grants nothing: once in each period of `length / share`, at a time that the seed draws
/// for each gate apart. It ends with a slice.
///
/// Published seconds of stripes of 10 and 11 P30 at their limit lie between 40,000 and 52,000 IOPS, and only their best are
/// the limit (Petri, "50,000 IOPS with an Azure VM", 2016): a stripe waits for the disk that stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stalls {
    /// The share of time that is stalled; above 0 and at most 1.
    pub share: Ppm,
    /// The length of one stall; above 0.
    pub length: Span,
}

/// How a disk misbehaves, to what reaches it: its host cache goes on answering hits and acknowledging writes. Data
/// being written back is late, but not lost.
///
/// It holds for what reaches the disk before its end, also where that completes later, and ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Media latency × this.
    pub latency: Ppm,
    /// The share of I/Os that fail.
    pub errors: Ppm,
    /// Nothing completes before this, which lies no later than the fault's end.
    pub stalled_until: Instant,
    /// End of the fault: I/Os that reach the disk from here on are served as if there had been none; [`Instant::MAX`] where it does not end.
    pub until: Instant,
}

impl Fault {
    /// None.
    pub const NONE: Fault =
        Fault { latency: Ppm::ONE, errors: Ppm(0), stalled_until: Instant::ZERO, until: Instant::MAX };
}

/// A host that is slow in all that it does for its VM: reads and writes of every disk take longer, and so do its own
/// cache's hits and acknowledgements.
///
/// Limits stay as they are. Of six identical VMs of one series of published runs (4 P30 striped, 4 KiB random writes at
/// queue depth 64) the worst got 2,979 IOPS and the best 20,400, its disks' limit. At that depth the worst is as well
/// explained by a latency of 64 / 2,979 s = 21.5 ms, about twelve times the usual, as by limits of a seventh; latency is
/// taken, as what a busy host does to an I/O, and more depth helps against it. That hits are as slow as the rest is
/// assumed: the runs had no host cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadHost {
    /// Every latency × this.
    pub latency: Ppm,
    /// When it ends, for what comes to a disk or to the cache from then on; [`Instant::MAX`] where it does not end.
    pub until: Instant,
}

impl BadHost {
    /// A good one.
    pub const NONE: BadHost = BadHost { latency: Ppm::ONE, until: Instant::MAX };
}

/// Counters of a host cache so far.
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

/// Counters of a disk's media so far: host-cache hits are not among it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DiskState {
    /// Pieces read and written.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
}
