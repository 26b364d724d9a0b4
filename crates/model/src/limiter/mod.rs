//! A limiter: a first-come queue that decides for its head only, when it happens.
//!
//! Several limits of one limiter admit together; limiters in tandem do not. A limiter never says "ask again": it says
//! when.

mod bucket;
mod merging;
mod slice;

use std::cmp::Ordering;

use iobound_units::{Bytes, Instant};

use crate::blueprint::{Algorithm, Charge, Dimension, LimiterSpec};
use crate::fragment::{Class, Fragment, NOBODY};
use crate::random::Draws;
use crate::stack::{Stalls, Start};
use bucket::Bucket;
use merging::{Merging, StreamKey};
use slice::{Pauses, Slice};

/// One limit in time.
#[derive(Clone, Debug)]
enum Meter {
    Slice(Slice),
    Bucket(Bucket),
}

impl Meter {
    fn new(spec: &LimiterSpec, dimension: Dimension, start: &Start, phase: u64) -> Option<Meter> {
        let limit = spec.limit(dimension)?;
        let enforced_micro = limit.enforced_micro(spec.factor);
        let rate = Rate {
            published: limit.published,
            enforced_micro,
            burst: spec.credit(dimension).map(|credit| Burst {
                // Where more is enforced than is published, it may be more than the burst as well.
                enforced_micro: (credit.burst * u64::from(spec.factor.0)).max(enforced_micro),
                capacity: credit.capacity,
            }),
        };
        Some(match spec.algorithm {
            Algorithm::Slice { length } => Meter::Slice(Slice::new(&rate, length.ns(), phase, start.credits)),
            Algorithm::Bucket { depth } => Meter::Bucket(Bucket::new(&rate, depth.ns(), start.credits)),
        })
    }

    /// Earliest time at which `charge` may pass, as of `now`: `now` itself, or a later time that is never too late.
    #[inline]
    fn earliest(&mut self, now: u64, charge: u64, class: Class) -> u64 {
        match self {
            Meter::Slice(slice) => slice.earliest(now, class),
            Meter::Bucket(bucket) => bucket.earliest(now, charge, class),
        }
    }

    #[inline]
    fn take(&mut self, now: u64, charge: u64, class: Class) {
        match self {
            Meter::Slice(slice) => slice.take(charge, class),
            Meter::Bucket(bucket) => bucket.take(now, charge),
        }
    }

    /// Debt below zero, in millionths of a slice.
    fn overdrawn_ppm(&self) -> i64 {
        match self {
            Meter::Slice(slice) => slice.overdrawn_ppm(),
            Meter::Bucket(_) => 0,
        }
    }

    fn credits(&mut self, now: u64) -> Option<u64> {
        match self {
            Meter::Slice(slice) => slice.credits(now),
            Meter::Bucket(bucket) => bucket.credits(now),
        }
    }

    fn credit_capacity(&self) -> Option<u64> {
        match self {
            Meter::Slice(slice) => slice.credit_capacity(),
            Meter::Bucket(bucket) => bucket.credit_capacity(),
        }
    }

    fn set_credits(&mut self, now: u64, credits: u64) {
        match self {
            Meter::Slice(slice) => slice.set_credits(now, credits),
            Meter::Bucket(bucket) => bucket.set_credits(now, credits),
        }
    }
}

/// Limit that a meter enforces, a second.
#[derive(Clone, Copy, Debug)]
struct Rate {
    /// Base that credits are earned and spent against.
    published: u64,
    /// Millionths of a unit.
    enforced_micro: u64,
    burst: Option<Burst>,
}

/// Limit that it enforces while credits last.
#[derive(Clone, Copy, Debug)]
struct Burst {
    enforced_micro: u64,
    capacity: u64,
}

/// Counters of a limiter so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LimiterState {
    /// I/O units that were charged.
    pub units: u64,
    /// Bytes that were charged: those that passed, or whole units where these count.
    pub bytes: u64,
    /// The time I/Os waited here for I/O quota, and for byte quota: sums over fragments, in nanoseconds. A cache's
    /// write-backs are fragments as well, though nobody's I/O.
    pub held_ns: [u64; 2],
    /// Credits left, in I/O units or bytes; `None` if the limiter has no credits.
    pub credits: [Option<u64>; 2],
    /// Fragments waiting now.
    pub waiting: u32,
}

/// A place in a line: the first and the last fragment, linked through the fragments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

const NEVER: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) struct Limiter {
    ios: Option<Meter>,
    bytes: Option<Meter>,
    /// An I/O of at most this is one unit; zero where what it costs depends on the one before it.
    charge_unit: u64,
    merging: Option<Merging>,
    /// Foreground and background; a background fragment passes only when no foreground fragment waits.
    pub(crate) lines: [Line; 2],
    /// The agenda entry that counts; others for this limiter are stale.
    pub(crate) armed: u64,
    /// Reason for which the head waits.
    pub(crate) bound: Dimension,
    pub(crate) held_ns: [u64; 2],
    units: u64,
    passed_bytes: u64,
    pub(crate) waiting: u32,
}

impl Limiter {
    pub(crate) fn new(spec: &LimiterSpec, start: &Start, draw: u64) -> Limiter {
        let phase = match spec.algorithm {
            Algorithm::Slice { length } => draw % length.ns(),
            Algorithm::Bucket { .. } => 0,
        };
        let (charge_unit, merging) = match spec.charge {
            Charge::Each => (u64::MAX, None),
            Charge::Per(Bytes(unit)) => (unit, None),
            Charge::Merged(merge) => (0, Some(Merging::new(merge))),
        };
        Limiter {
            ios: Meter::new(spec, Dimension::Ios, start, phase),
            bytes: Meter::new(spec, Dimension::Bytes, start, phase),
            charge_unit,
            merging,
            lines: [Line { first: NOBODY, last: NOBODY }; 2],
            armed: NEVER,
            bound: Dimension::Ios,
            held_ns: [0; 2],
            units: 0,
            passed_bytes: 0,
            waiting: 0,
        }
    }

    /// Makes room for the runs of a disk whose I/Os pass here, before the first does.
    pub(crate) fn stream_key(&mut self, disk: u16) {
        if let Some(merging) = &mut self.merging {
            merging.stream_key(disk);
        }
    }

    /// True if a fragment that arrives now has nobody before it.
    #[inline]
    pub(crate) fn is_clear(&self, class: Class) -> bool {
        self.lines[0].first == NOBODY && (class == Class::Foreground || self.lines[1].first == NOBODY)
    }

    /// Lets the fragment through if it may pass now; else says when it may, and remembers what it waits for.
    #[inline]
    pub(crate) fn admit(&mut self, now: u64, fragment: &Fragment, class: Class) -> Result<(), u64> {
        let len = u64::from(fragment.len);
        let units = if len <= self.charge_unit {
            1
        } else if self.charge_unit > 0 {
            len.div_ceil(self.charge_unit)
        } else {
            return self.admit_merged(now, fragment, class);
        };
        // The common case, without the detour: two slices that are open.
        if let (Some(Meter::Slice(ios)), Some(Meter::Slice(bytes)), Class::Foreground) =
            (&mut self.ios, &mut self.bytes, class)
            && ios.is_open(now)
            && bytes.is_open(now)
        {
            ios.take(units, class);
            bytes.take(len, class);
            self.units += units;
            self.passed_bytes += len;
            return Ok(());
        }
        self.admit_by_meters::<true>(now, len, units, class)
    }

    #[inline(never)]
    fn admit_merged(&mut self, now: u64, fragment: &Fragment, class: Class) -> Result<(), u64> {
        let merging = self.merging.as_mut().expect("a limiter whose charge depends on the I/O before");
        let stream_key = StreamKey::of(fragment);
        let charged = merging.charge(stream_key, fragment.offset, u64::from(fragment.len));
        // What costs nothing waits for nothing: its unit has been paid for.
        match (charged.units, charged.bytes) {
            (0, 0) => {}
            (0, bytes) => self.admit_by_meters::<false>(now, bytes, 0, class)?,
            (units, bytes) => self.admit_by_meters::<true>(now, bytes, units, class)?,
        }
        if let Some(merging) = &mut self.merging {
            merging.pass(stream_key, charged);
        }
        Ok(())
    }

    fn admit_by_meters<const BEGINS_UNITS: bool>(
        &mut self,
        now: u64,
        bytes: u64,
        units: u64,
        class: Class,
    ) -> Result<(), u64> {
        let ios = self.ios.as_mut().filter(|_| BEGINS_UNITS);
        let by_ios = ios.map_or(now, |meter| meter.earliest(now, units, class));
        let by_bytes = self.bytes.as_mut().map_or(now, |meter| meter.earliest(now, bytes, class));
        if by_ios <= now && by_bytes <= now {
            if let Some(meter) = self.ios.as_mut().filter(|_| BEGINS_UNITS) {
                meter.take(now, units, class);
            }
            if let Some(meter) = &mut self.bytes {
                meter.take(now, bytes, class);
            }
            self.units += units;
            self.passed_bytes += bytes;
            return Ok(());
        }
        // Of two limits that wait for the same slice it is the one more overdrawn, in slices.
        let ios_binds = match by_ios.cmp(&by_bytes) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => {
                let overdrawn = |meter: &Option<Meter>| meter.as_ref().map_or(0, Meter::overdrawn_ppm);
                overdrawn(&self.ios) >= overdrawn(&self.bytes)
            }
        };
        self.bound = if ios_binds { Dimension::Ios } else { Dimension::Bytes };
        Err(by_ios.max(by_bytes))
    }

    pub(crate) fn state(&mut self, now: Instant) -> LimiterState {
        let now = now.ns();
        LimiterState {
            units: self.units,
            bytes: self.passed_bytes,
            held_ns: self.held_ns,
            credits: [
                self.ios.as_mut().and_then(|meter| meter.credits(now)),
                self.bytes.as_mut().and_then(|meter| meter.credits(now)),
            ],
            waiting: self.waiting,
        }
    }

    /// The most credits it may hold.
    pub(crate) fn credit_capacity(&self, dimension: Dimension) -> Option<u64> {
        match dimension {
            Dimension::Ios => self.ios.as_ref(),
            Dimension::Bytes => self.bytes.as_ref(),
        }?
        .credit_capacity()
    }

    pub(crate) fn set_credits(&mut self, now: u64, dimension: Dimension, credits: u64) {
        let meter = match dimension {
            Dimension::Ios => &mut self.ios,
            Dimension::Bytes => &mut self.bytes,
        };
        if let Some(meter) = meter {
            meter.set_credits(now, credits);
        }
    }

    /// New limits from now on. The quota of the old ones is lost; the counts and the waiting I/Os stay.
    pub(crate) fn set_spec(&mut self, spec: &LimiterSpec, start: &Start, now: u64, draw: u64) {
        let mut fresh = Limiter::new(spec, start, draw);
        std::mem::swap(&mut self.ios, &mut fresh.ios);
        std::mem::swap(&mut self.bytes, &mut fresh.bytes);
        // A unit that was begun is forfeit as well.
        self.charge_unit = fresh.charge_unit;
        self.merging = fresh.merging;
        self.begin_at(now);
    }

    /// True if its quota is granted in slices.
    pub(crate) fn is_sliced(&self) -> bool {
        [&self.ios, &self.bytes].into_iter().flatten().all(|meter| matches!(meter, Meter::Slice(_)))
    }

    /// Grants nothing in the slices that stalls begin in; both limits stall together.
    pub(crate) fn set_stalls(&mut self, stalls: Option<Stalls>, draw: u64) {
        let pauses = stalls.map(|stalls| Pauses::new(stalls, Draws::new(draw, 1)));
        for meter in [&mut self.ios, &mut self.bytes].into_iter().flatten() {
            if let Meter::Slice(slice) = meter {
                slice.set_pauses(pauses);
            }
        }
    }

    /// Begins at `now`, with what a new limiter has at zero.
    pub(crate) fn begin_at(&mut self, now: u64) {
        for meter in [&mut self.ios, &mut self.bytes].into_iter().flatten() {
            match meter {
                Meter::Slice(slice) => slice.begin_at(now),
                Meter::Bucket(bucket) => bucket.begin_at(now),
            }
        }
    }
}
