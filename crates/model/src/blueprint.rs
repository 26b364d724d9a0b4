//! A storage stack as plain data. The catalogue builds it; the simulator and the closed-form prediction read it.

use std::fmt;

use iobound_units::{Bytes, Op, Ppm, Span};

/// The most limiters on one route: a limit over all disks, the VM's of one kind of disk and the disk's own, each as one for both
/// directions and one for the direction.
pub const MAX_ROUTE: usize = 6;

/// A disk's index in [`Blueprint::disks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DiskId(pub u16);

/// A limiter's index in [`Blueprint::limiters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LimiterId(pub u16);

/// A cache's index in [`Blueprint::caches`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheId(pub u16);

/// Everything an I/O can meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blueprint {
    /// The volumes that the workload sees; a target's id is its index here.
    pub volumes: Vec<VolumeSpec>,
    /// The disks that the volumes are built on.
    pub disks: Vec<DiskSpec>,
    /// Host caches: on Azure one, shared by the VM's cached disks.
    pub caches: Vec<CacheSpec>,
    /// The limiters that enforce the limits.
    pub limiters: Vec<LimiterSpec>,
}

impl Blueprint {
    /// True if a limiter has burst credits.
    pub fn has_credits(&self) -> bool {
        self.limiters.iter().any(|limiter| limiter.credits.is_some())
    }
}

/// One address space over one or more disks.
///
/// With more than one column, offset `o` lies in stripe unit `(o + partition_offset) / interleave`, and units
/// go round the columns. With fewer columns than disks the volume is a row of groups of `columns` disks; where the columns do
/// not divide the disks, each group has a slab of each of its disks, and the groups go round all disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSpec {
    /// The name jobs use: `data`, `data.0`.
    pub name: String,
    /// The address space in bytes.
    pub size: Bytes,
    /// The disks, in column order; at least as many as columns.
    pub disks: Vec<DiskId>,
    /// Number of disks that a stripe spans; 1 without striping.
    pub columns: u16,
    /// Bytes on one column before the next: 64 KiB for Storage Spaces at its OLTP setting.
    pub interleave: Bytes,
    /// Offset on the volume of the file system's offset 0: a misaligned one splits I/Os.
    pub partition_offset: Bytes,
}

/// One disk: what its media takes, and which limiters stand before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskSpec {
    /// The name reports use: `data.0`.
    pub name: String,
    /// Its capacity.
    pub size: Bytes,
    /// The time behind the last limiter.
    pub media: Media,
    /// The limiters, in order, by what the I/O is.
    pub routes: Routes,
    /// The host cache before it, if any.
    pub cache: Option<CacheUse>,
    /// The largest transfer: of an I/O to a striped volume, what is contiguous on this disk is one fragment up to this
    /// (256 KiB by default); dirty data is written back in fragments up to this. On a volume of one disk an I/O stays one
    /// fragment, whatever its length.
    pub max_transfer: Bytes,
}

/// Latencies of a medium, by direction. Flush costs one write; discard and cache hits are elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Media {
    /// Reads.
    pub read: Latency,
    /// Writes.
    pub write: Latency,
}

/// A latency's distribution within one run: `floor` × mean, plus an exponential of the rest, plus a time for
/// each KiB beyond the first four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// The mean of a 4 KiB I/O at queue depth 1.
    pub mean: Span,
    /// The share of the mean that no I/O is faster than (0.8 on Azure).
    pub floor: Ppm,
    /// More for each KiB beyond 4 KiB (20 µs on Azure's remote SSDs).
    pub per_kib: Span,
}

/// The limiters an I/O passes, in order, by what it is. At most [`MAX_ROUTE`] each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    /// A read that the host cache holds.
    pub read_hit: Vec<LimiterId>,
    /// A read from the media: no cache, or a miss.
    pub read: Vec<LimiterId>,
    /// A write to the media: no cache, or one that writes through.
    pub write: Vec<LimiterId>,
    /// A write that a ReadWrite cache acknowledges.
    pub write_ack: Vec<LimiterId>,
    /// Dirty data on its way to the media, later.
    pub write_back: Vec<LimiterId>,
}

/// A disk's use of a host cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheUse {
    /// Number of the cache.
    pub cache: CacheId,
    /// The mode.
    pub mode: CacheMode,
}

/// The host-cache setting of a disk that has one; a disk without has no [`CacheUse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheMode {
    /// Reads are kept; writes go through to the media and are kept as well.
    ReadOnly,
    /// Writes are acknowledged by the cache and reach the media later.
    ReadWrite,
}

/// A host cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSpec {
    /// Its capacity, over all its disks.
    pub capacity: Bytes,
    /// The unit of replacement, 64 KiB; what is present in it is tracked in sixteenths.
    pub line: Bytes,
    /// A read hit's media time.
    pub hit: Latency,
    /// A write acknowledgement's media time.
    pub ack: Latency,
    /// Dirty bytes at which acknowledgements stop; what is outstanding then may still come on top.
    pub dirty_high: Bytes,
    /// Dirty bytes at which they go on.
    pub dirty_low: Bytes,
}

/// A limiter's name: the group is what a binding is named after, the instance says which of several.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LimiterName {
    /// `disk`, `vm.uncached`, `vm.cached`, `account`.
    pub group: String,
    /// Name of the one, where there are several: `data.0`.
    pub instance: Option<String>,
}

impl LimiterName {
    /// A limiter of which there is one.
    pub fn only(group: &str) -> LimiterName {
        LimiterName { group: group.to_string(), instance: None }
    }

    /// One limiter of several.
    pub fn of(group: &str, instance: &str) -> LimiterName {
        LimiterName { group: group.to_string(), instance: Some(instance.to_string()) }
    }

    /// The instance without its number: `data` for `data.0`, `data.read` for `data.0.read`; `None` for a limiter of which
    /// there is one. Limiters of one group with the same family are alike.
    pub fn family(&self) -> Option<String> {
        let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = self.instance.as_deref()?.split('.').filter(|part| !is_number(part)).collect();
        Some(parts.join("."))
    }
}

impl fmt::Display for LimiterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.instance {
            Some(instance) => write!(f, "{}:{instance}", self.group),
            None => f.write_str(&self.group),
        }
    }
}

/// The quantity that a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Dimension {
    /// Charged I/O units.
    Ios = 0,
    /// Bytes.
    Bytes = 1,
}

impl Dimension {
    /// Both, in the order of their discriminants.
    pub const ALL: [Dimension; 2] = [Dimension::Ios, Dimension::Bytes];

    /// The last word of a binding: `iops`, `throughput`.
    pub const fn name(self) -> &'static str {
        match self {
            Dimension::Ios => "iops",
            Dimension::Bytes => "throughput",
        }
    }
}

/// One limit of a limiter, a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The published limit: I/O units or bytes a second.
    pub published: u64,
    /// The enforced limit, where that is known to be another figure than published × factor.
    pub enforced: Option<u64>,
}

impl Limit {
    /// A limit known only as published.
    pub const fn published(per_second: u64) -> Limit {
        Limit { published: per_second, enforced: None }
    }

    /// The limit enforced a second, in millionths (so that a factor leaves no remainder).
    pub fn enforced_micro(self, factor: Ppm) -> u64 {
        match self.enforced {
            Some(enforced) => enforced.saturating_mul(1_000_000),
            None => self.published.saturating_mul(u64::from(factor.0)),
        }
    }
}

/// Number of I/O units that an I/O counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// One, whatever its size.
    Each,
    /// `ceil(size / unit)`, at least one: 256 KiB on Azure's SSDs.
    Per(Bytes),
    /// As `Per`, but what follows on fills the rest of the unit first: AWS's volumes.
    Merged(Merge),
}

/// Charge for I/Os that lie one behind the other, each disk and direction for itself: an I/O that begins
/// where the one before it ended uses what that one's last unit has left, and pays only for units of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The most that is charged as one: 256 KiB on AWS's SSDs, 1 MiB on its HDDs.
    pub unit: Bytes,
    /// Smaller I/Os are not merged: each is charged alone. At most a unit.
    pub least: Bytes,
    /// Streams that are told apart on each disk, in each direction: an I/O goes on from any of so many latest runs. At least one.
    pub streams: u16,
    /// The bytes that the limit counts.
    pub bytes: ByteCharge,
}

/// The bytes that a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteCharge {
    /// The bytes that are moved.
    Moved,
    /// Each unit whole, however little of it is used: the throughput credits of AWS's HDDs.
    WholeUnits,
}

impl Charge {
    /// The units that an I/O of `len` bytes counts alone: what merges with others counts less.
    pub fn units(self, len: u64) -> u64 {
        match self {
            Charge::Each => 1,
            Charge::Per(unit) | Charge::Merged(Merge { unit, .. }) => len.div_ceil(unit.get()).max(1),
        }
    }

    /// The bytes that an I/O of `len` bytes counts where it is charged so many units: a fraction, on average over I/Os
    /// that merge.
    pub fn bytes(self, len: f64, units: f64) -> f64 {
        match self {
            Charge::Merged(Merge { unit, bytes: ByteCharge::WholeUnits, .. }) => units * unit.get() as f64,
            _ => len,
        }
    }
}

/// Algorithm by which a limiter enforces its limits in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A quota for each slice of time, unused quota carried for one slice at most, debt repaid by later slices.
    Slice {
        /// The slice: 50 ms on Azure's premium limiters.
        length: Span,
    },
    /// A token bucket as deep as what the limit allows in `depth`.
    Bucket {
        /// One second on AWS.
        depth: Span,
    },
}

/// Credits of one dimension: the unused part of the published limit is earned, the excess over it is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// The most a second while credits last, as published (× factor when enforced).
    pub burst: u64,
    /// The most credits that can be held: I/O units or bytes.
    pub capacity: u64,
}

/// Burst credits of a limiter; the dimensions are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Credits {
    /// I/O credits.
    pub ios: Option<Credit>,
    /// Byte credits.
    pub bytes: Option<Credit>,
}

/// A limiter: limits that admit together, enforced by one algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimiterSpec {
    /// Its name in every output.
    pub name: LimiterName,
    /// The most I/O units a second.
    pub ios: Option<Limit>,
    /// The most bytes a second.
    pub bytes: Option<Limit>,
    /// The units that an I/O counts.
    pub charge: Charge,
    /// Algorithm of the limits.
    pub algorithm: Algorithm,
    /// Enforced ÷ published.
    pub factor: Ppm,
    /// Burst credits.
    pub credits: Option<Credits>,
}

impl LimiterSpec {
    /// The limit of one dimension.
    pub fn limit(&self, dimension: Dimension) -> Option<Limit> {
        match dimension {
            Dimension::Ios => self.ios,
            Dimension::Bytes => self.bytes,
        }
    }

    /// The credits of one dimension.
    pub fn credit(&self, dimension: Dimension) -> Option<Credit> {
        let credits = self.credits?;
        match dimension {
            Dimension::Ios => credits.ios,
            Dimension::Bytes => credits.bytes,
        }
    }
}

/// A blueprint from which no stack can be built: a defect of its maker, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub String);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Invalid {}

impl Blueprint {
    /// The volume of that name.
    pub fn volume(&self, name: &str) -> Option<usize> {
        self.volumes.iter().position(|v| v.name == name)
    }
}

impl Routes {
    /// Every route, in the order of the fields.
    pub fn all(&self) -> [&[LimiterId]; 5] {
        [&self.read_hit, &self.read, &self.write, &self.write_ack, &self.write_back]
    }
}

impl DiskSpec {
    /// The limiters of an I/O that goes to the media.
    pub fn media_route(&self, op: Op) -> &[LimiterId] {
        match op {
            Op::Read => &self.routes.read,
            Op::Write => &self.routes.write,
            Op::Flush | Op::Discard => &[],
        }
    }
}

impl Latency {
    /// A latency that is always the same.
    pub const fn constant(mean: Span) -> Latency {
        Latency { mean, floor: Ppm::ONE, per_kib: Span::ZERO }
    }

    /// The mean for an I/O of `len` bytes.
    pub fn mean_for(self, len: u64) -> Span {
        let beyond = len.saturating_sub(4096);
        Span::from_ns(self.mean.ns() + self.per_kib.ns() * beyond / 1024)
    }
}
