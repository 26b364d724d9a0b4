//! Inputs and outputs of a stack, as plain data.

use iobound_units::{Instant, Ppm, Span, Tag, TargetId};

use crate::blueprint::{
    CacheId, CacheSpec, Dimension, DiskId, DiskSpec, LimiterId, LimiterSpec, MAX_ROUTE, VolumeSpec,
};

/// Start of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Keys every draw.
    pub seed: u64,
    /// Content of burst credits, token buckets and slices.
    pub credits: StartCredits,
}

/// Content of burst credits, token buckets and slices at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartCredits {
    /// As after an idle day.
    Full,
    /// Nothing: the figures of a sustained load.
    Spent,
    /// No burst credits, but full token buckets, and slices that carry one quota: as after an idle minute that follows a
    /// sustained load.
    Rested,
}

/// Messages of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An I/O is complete.
    Done {
        /// Queue and slot that are free again.
        tag: Tag,
        /// Its own time, also if it was polled for later.
        at: Instant,
        /// The result.
        outcome: Outcome,
    },
    /// The flusher takes a range to write it to the media, in its present state: everything that was acknowledged, and
    /// submitted data that is partly acknowledged. A front that keeps the data of a ReadWrite cache, to know what a
    /// crash leaves, copies the range now. Later writes are not part of it, and discarded data is dropped.
    WritingBack {
        /// Number of the disk.
        disk: DiskId,
        /// Offset on it, in bytes.
        offset: u64,
        /// Number of bytes.
        len: u32,
        /// Time at which the flusher takes the range.
        at: Instant,
    },
    /// A range has reached the media, in its state at the [`Event::WritingBack`] of the same range. No byte is on its
    /// way twice, so the media never goes back to older data. A flush that waits for the range completes after this.
    Cleaned {
        /// Number of the disk.
        disk: DiskId,
        /// Offset on it, in bytes.
        offset: u64,
        /// Number of bytes.
        len: u32,
        /// Time at which the range reached the media.
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

/// Parts of an I/O's time: of its last fragment, so that the parts sum to the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Held at each limiter of the route, in order.
    pub limiters: [(LimiterId, Span); MAX_ROUTE],
    /// Number of them that count.
    pub limiter_count: usize,
    /// Held because the cache had too much dirty data.
    pub dirty: Span,
    /// In the media (or the cache).
    pub media: Span,
}

impl Spent {
    /// All of it: the latency.
    pub fn total(&self) -> Span {
        self.limiters[..self.limiter_count].iter().fold(self.dirty + self.media, |sum, (_, held)| sum + *held)
    }
}

/// Changes that a running stack takes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A limiter's limits: another tier. Who waits goes on waiting, for the new limits.
    Limiter(LimiterId, LimiterSpec),
    /// The credits of a limiter.
    Credits(LimiterId, Dimension, u64),
    /// A disk's media, routes or cache setting, for I/Os that arrive from now on; I/Os on their way keep their route. A
    /// disk that gets a cache is cold in it. The other disks of that cache keep their lines, as far as there is room.
    /// Size and largest transfer of the disk stay.
    Disk(DiskId, DiskSpec),
    /// A cache's size, times or dirty limits. With another line it is laid out anew, and is cold; with another size it
    /// keeps what there is room for. Writes that wait go on at the low watermark there is now.
    Cache(CacheId, CacheSpec),
    /// A cache forgets what is clean: as after a restart.
    DropCache(CacheId),
    /// Puts a range of a volume into the caches of its disks at once, as the most recently used lines. Disks without a
    /// cache are skipped. The call takes some 60 ns for each line, 0.6 s for 576 GiB; several smaller calls have the
    /// same effect.
    Warm(TargetId, u64, u64),
    /// A disk misbehaves from now on, or no more. It replaces the fault that the disk had.
    Fault(DiskId, Fault),
    /// A limiter in slices grants nothing now and then from now on; `None`: no more.
    Stalls(LimiterId, Option<Stalls>),
    /// The VM is on a bad host from now on, or no more, also for disks that are added later. Beside the disks' own
    /// faults.
    Host(BadHost),
    /// One limiter more, with the next id. It begins as a changed one does: one slice's quota, the credits of a start.
    AddLimiter(LimiterSpec),
    /// One cache more, with the next id.
    AddCache(CacheSpec),
    /// One disk more, with the next id. In a cache that others use it begins cold, as a disk does that is given one; what
    /// they hold there takes the caller as long as warming it does.
    AddDisk(DiskSpec),
    /// One volume more, with the next id: over disks that are there. Disks may belong to several.
    AddVolume(VolumeSpec),
}

/// Times at which a limiter in slices grants nothing: once in each period of `length / share`, at a time that the seed draws
/// for each limiter apart. It ends with a slice.
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

/// Misbehaviour of a disk, towards the I/Os that reach it: its host cache goes on answering hits and acknowledging writes. Data
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
/// Limits stay unchanged. Of six identical VMs in one series of published runs (4 P30 striped, 4 KiB random writes at
/// queue depth 64), the worst had 2,979 IOPS and the best 20,400, the limit of its disks. At that depth, a latency of
/// 64 / 2,979 s = 21.5 ms, about twelve times the usual one, explains the worst VM as well as limits of a seventh. We
/// chose latency, because that is the effect of a busy host, and more depth helps against it. It is an assumption that
/// hits are as slow as the rest: the runs had no host cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadHost {
    /// Every latency × this.
    pub latency: Ppm,
    /// End, for I/O that reaches a disk or the cache from then on; [`Instant::MAX`] where it does not end.
    pub until: Instant,
}

impl BadHost {
    /// A good one.
    pub const NONE: BadHost = BadHost { latency: Ppm::ONE, until: Instant::MAX };
}

/// Counters of a host cache so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CacheState {
    /// Fragments read from it.
    pub hits: u64,
    /// Fragments that had to be read from the media.
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
    /// Fragments read and written.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
}
