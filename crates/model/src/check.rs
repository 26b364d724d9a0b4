//! Check of a blueprint before a stack is built from it. A blueprint that passes works; any other is refused in words.
//!
//! The bounds lie far beyond what can be bought. Within them the model's integers do not overflow, and a limiter does
//! not take longer to think of than to wait for.

use iobound_units::{Bytes, Counted, Ppm, Span};

use crate::blueprint::{
    Algorithm, Blueprint, CacheSpec, Charge, Dimension, DiskId, DiskSpec, Invalid, Latency, LimiterSpec,
    MAX_ROUTE, Merge, VolumeSpec,
};
use crate::stripe::stripe_capacity;

/// The most a second, in millionths: 10^12 I/O units or bytes.
const MOST_MICRO: u64 = 1_000_000_000_000_000_000;
/// The least: one.
const LEAST_MICRO: u64 = 1_000_000;
/// The most that a slice may grant, in millionths: debts and what is carried stay within 64 bits.
const MOST_QUOTA: u128 = 1 << 61;
/// The least that a slice of a limiter with credits may grant, in millionths: a page, and a hundredth of an I/O.
const LEAST_QUOTA_BYTES: u128 = 4_096_000_000;
const LEAST_QUOTA_IOS: u128 = 10_000;
const SHORTEST: Span = Span::from_us(1);
const LONGEST: Span = Span::from_secs(86_400);
/// A disk of 1 PiB.
const LARGEST_DISK: u64 = 1 << 50;
/// Largest size to which I/Os are merged: the merged I/O is never more than one large I/O.
const LARGEST_UNIT: Bytes = Bytes::gib(1);
/// The least that a disk knows, and so a stripe.
const SECTOR: u64 = 512;
/// Number of things that ids of 16 bits tell apart.
const MOST_PARTS: usize = 1 << 16;
/// A cache's table has eight bytes for each line: 2 GiB.
const MOST_LINES: u64 = 1 << 28;

fn refuse(what: String) -> Result<(), Invalid> {
    Err(Invalid(what))
}

/// Numbers of limiters and caches that there are to refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) limiters: usize,
    pub(crate) caches: usize,
}

impl Blueprint {
    /// True if every reference points to something and every figure can be enforced.
    ///
    /// # Errors
    /// Returns an error if the blueprint is not valid; it names the volume, disk, cache or limiter.
    pub fn check(&self) -> Result<(), Invalid> {
        check_count("limiter", self.limiters.len())?;
        check_count("cache", self.caches.len())?;
        check_count("disk", self.disks.len())?;
        check_count("volume", self.volumes.len())?;
        let parts = Parts { limiters: self.limiters.len(), caches: self.caches.len() };
        self.disks.iter().try_for_each(|disk| check_disk(disk, parts))?;
        let size_of = |id: DiskId| self.disks.get(usize::from(id.0)).map(|disk| disk.size);
        self.volumes.iter().try_for_each(|volume| check_volume(volume, size_of))?;
        self.caches.iter().enumerate().try_for_each(|(n, cache)| {
            let disks =
                self.disks.iter().filter(|disk| disk.cache.is_some_and(|of| usize::from(of.cache.0) == n));
            check_cache(n, cache, disks.fold(0u64, |sum, disk| sum.saturating_add(disk.size.get())))
        })?;
        self.limiters.iter().try_for_each(check_limiter)
    }
}

/// True if there is an id for each of so many.
pub(crate) fn check_count(what: &str, count: usize) -> Result<(), Invalid> {
    if count > MOST_PARTS {
        return refuse(format!("{count} {what}s: the maximum is {MOST_PARTS}"));
    }
    Ok(())
}

/// True if a volume is laid out over disks that are there, and no larger than they are.
pub(crate) fn check_volume(
    volume: &VolumeSpec,
    size_of: impl Fn(DiskId) -> Option<Bytes>,
) -> Result<(), Invalid> {
    let (name, disks) = (&volume.name, volume.disks.len() as u64);
    let columns = u64::from(volume.columns);
    if disks == 0 || columns == 0 || columns > disks {
        return refuse(format!(
            "volume {name}: {} on {}: a stripe must have 1 to {disks} columns",
            Counted(columns, "column"),
            Counted(disks, "disk")
        ));
    }
    let interleave = volume.interleave.get();
    if !(SECTOR..=LARGEST_DISK).contains(&interleave) {
        return refuse(format!(
            "volume {name}: an interleave of {}: it must be {SECTOR} bytes or more, as 64 KiB",
            volume.interleave
        ));
    }
    if volume.size == Bytes::ZERO {
        return refuse(format!("volume {name}: it has no size"));
    }
    let mut smallest = LARGEST_DISK;
    for disk in &volume.disks {
        let Some(size) = size_of(*disk) else {
            return refuse(format!("volume {name}: there is no disk {}", disk.0));
        };
        smallest = smallest.min(size.get());
    }
    let needed = volume.size.get().checked_add(volume.partition_offset.get());
    let whole = stripe_capacity(disks, columns, smallest, interleave);
    if needed.is_none_or(|needed| needed > whole) {
        return refuse(format!(
            "volume {name}: {} at an offset of {} exceed the size of its disks: {}",
            volume.size,
            volume.partition_offset,
            Bytes(whole)
        ));
    }
    Ok(())
}

/// True if a cache's figures work, before disks of `used` bytes in all.
pub(crate) fn check_cache(n: usize, cache: &CacheSpec, used: u64) -> Result<(), Invalid> {
    let line = cache.line.get();
    if !(16..=1 << 30).contains(&line) || !line.is_power_of_two() {
        return refuse(format!(
            "cache {n}: a line of {line} bytes: it must be a power of two from 16 to 1 GiB, as 65536"
        ));
    }
    check_lines(n, cache.capacity, used, cache.line)?;
    if cache.dirty_low > cache.dirty_high {
        return refuse(format!(
            "cache {n}: its low watermark, {}, lies above its high one, {}",
            cache.dirty_low, cache.dirty_high
        ));
    }
    if cache.dirty_high == Bytes::ZERO {
        return refuse(format!("cache {n}: a dirty limit of zero allows no write"));
    }
    check_latency(&format!("cache {n}: hits"), cache.hit)?;
    check_latency(&format!("cache {n}: acknowledgements"), cache.ack)
}

/// True if all references of a disk exist and its figures can be enforced.
pub(crate) fn check_disk(disk: &DiskSpec, parts: Parts) -> Result<(), Invalid> {
    let name = &disk.name;
    for route in disk.routes.all() {
        if route.len() > MAX_ROUTE {
            return refuse(format!("disk {name}: a route of {} limiters, above {MAX_ROUTE}", route.len()));
        }
        if let Some(limiter) = route.iter().find(|g| usize::from(g.0) >= parts.limiters) {
            return refuse(format!("disk {name}: there is no limiter {}", limiter.0));
        }
    }
    if let Some(of) = disk.cache.filter(|of| usize::from(of.cache.0) >= parts.caches) {
        return refuse(format!("disk {name}: there is no cache {}", of.cache.0));
    }
    if disk.size.get() > LARGEST_DISK {
        return refuse(format!("disk {name}: a size of {}, above {}", disk.size, Bytes(LARGEST_DISK)));
    }
    if disk.max_transfer.get() < SECTOR {
        return refuse(format!(
            "disk {name}: its largest transfer is {}: it must be {SECTOR} bytes or more, as 256 KiB",
            disk.max_transfer
        ));
    }
    check_latency(&format!("disk {name}: reads"), disk.media.read)?;
    check_latency(&format!("disk {name}: writes"), disk.media.write)
}

/// True if the table of a cache for disks of `used` bytes is of a size that can be had.
pub(crate) fn check_lines(n: usize, capacity: Bytes, used: u64, line: Bytes) -> Result<(), Invalid> {
    let lines = capacity.get().min(used) / line.get();
    if lines > MOST_LINES {
        return refuse(format!(
            "cache {n}: {lines} lines of {line}, above {MOST_LINES}: larger lines take less memory"
        ));
    }
    Ok(())
}

fn check_latency(what: &str, latency: Latency) -> Result<(), Invalid> {
    if latency.floor > Ppm::ONE {
        return refuse(format!(
            "{what}: a floor of {} ppm of the mean: it must be at most the mean",
            latency.floor.0
        ));
    }
    if latency.mean > LONGEST {
        return refuse(format!("{what}: a mean latency of {}, above {LONGEST}", latency.mean));
    }
    if latency.per_kib > Span::from_secs(1) {
        return refuse(format!("{what}: {} for each KiB, above a second", latency.per_kib));
    }
    Ok(())
}

fn check_charge(limiter: &LimiterSpec) -> Result<(), Invalid> {
    let name = &limiter.name;
    let (Charge::Per(unit) | Charge::Merged(Merge { unit, .. })) = limiter.charge else { return Ok(()) };
    if unit.get() < SECTOR {
        return refuse(format!(
            "limiter {name}: a charge for each {unit}: for {SECTOR} bytes or more, as 256 KiB"
        ));
    }
    if let Charge::Merged(merge) = limiter.charge {
        if merge.unit > LARGEST_UNIT {
            return refuse(format!("limiter {name}: I/Os merged up to {unit}: up to {LARGEST_UNIT} at most"));
        }
        if merge.least > merge.unit {
            return refuse(format!(
                "limiter {name}: I/Os of {} and more are merged up to {unit}: the least is above the most",
                merge.least
            ));
        }
    }
    Ok(())
}

/// True if a limiter's figures can be enforced.
pub(crate) fn check_limiter(limiter: &LimiterSpec) -> Result<(), Invalid> {
    let name = &limiter.name;
    let (what, length) = match limiter.algorithm {
        Algorithm::Slice { length } => ("slice", length),
        Algorithm::Bucket { depth } => ("bucket", depth),
    };
    if length < SHORTEST || length > LONGEST {
        return refuse(format!("limiter {name}: a {what} of {length}: {SHORTEST} to {LONGEST}, as 50 ms"));
    }
    check_charge(limiter)?;
    for dimension in Dimension::ALL {
        let of = dimension.name();
        let Some(limit) = limiter.limit(dimension) else {
            if limiter.credit(dimension).is_some() {
                return refuse(format!("limiter {name}: credits for {of}, which it does not limit"));
            }
            continue;
        };
        let enforced = limit.enforced_micro(limiter.factor);
        if enforced == 0 {
            return refuse(format!("limiter {name}: a limit of zero {of} passes no I/O"));
        }
        let credit = limiter.credit(dimension);
        let burst = credit.map(|credit| credit.burst.saturating_mul(u64::from(limiter.factor.0)));
        if let Some(credit) = credit
            && credit.burst < limit.published
        {
            return refuse(format!(
                "limiter {name}: its burst of {of}, {}, lies below its limit",
                credit.burst
            ));
        }
        if !(LEAST_MICRO..=MOST_MICRO).contains(&enforced) || burst > Some(MOST_MICRO) {
            let what = if burst > Some(MOST_MICRO) { "burst" } else { "limit" };
            return refuse(format!(
                "limiter {name}: a {what} of {of} that comes to less than 1 or more than 10^12 a second"
            ));
        }
        let most = u128::from(burst.unwrap_or(enforced));
        if what == "slice" && most * u128::from(length.ns()) / 1_000_000_000 > MOST_QUOTA {
            return refuse(format!(
                "limiter {name}: a slice of {length} at such a limit of {of} is too long"
            ));
        }
        // Credits are counted slice by slice while an I/O's debt is repaid.
        let least = if dimension == Dimension::Bytes { LEAST_QUOTA_BYTES } else { LEAST_QUOTA_IOS };
        let quota = u128::from(enforced) * u128::from(length.ns()) / 1_000_000_000;
        if what == "slice" && credit.is_some() && quota < least {
            return refuse(format!(
                "limiter {name}: a slice of {length} at such a limit of {of} is too short"
            ));
        }
    }
    Ok(())
}
