//! The bucket algorithm: tokens at a steady rate, kept up to a depth.
//!
//! A rate is one number: the theoretical arrival time of the generic cell rate algorithm (ITU-T I.371), kept in
//! 2^−32 ns, so that 1/7,500 s does not drift in a day.

use super::Rate;
use crate::fragment::Class;
use crate::stack::StartCredits;

const FINE: u32 = 32;

/// A token bucket as one time: `full_at` is when it would be full again. Packed, because numbers of 128 bits would have
/// every enum around them carry a tag as wide.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(8))]
struct Pacer {
    /// A unit's time, × 2^32 ns.
    unit: u128,
    depth: u128,
    full_at: u128,
}

impl Pacer {
    fn new(micro_per_s: u64, depth_ns: u64, full: bool) -> Pacer {
        let depth = u128::from(depth_ns) << FINE;
        let unit = (1_000_000_000_000_000u128 << FINE) / u128::from(micro_per_s);
        Pacer { unit, depth, full_at: if full { 0 } else { depth } }
    }

    /// Earliest time at which `charge` may pass: when the bucket holds it, or is full where it is larger than the bucket.
    #[inline]
    fn earliest(&self, now: u64, charge: u64, depth: u128) -> u64 {
        let cost = (self.unit * u128::from(charge)).min(depth);
        let at = (self.full_at + cost).saturating_sub(depth);
        let at_ns = (at >> FINE) as u64 + u64::from(at as u32 != 0);
        at_ns.max(now)
    }

    #[inline]
    fn take(&mut self, now: u64, charge: u64) {
        self.full_at = self.full_at.max(u128::from(now) << FINE) + self.unit * u128::from(charge);
    }
}

#[derive(Clone, Debug)]
pub(super) struct Bucket {
    base: Pacer,
    credit: Option<BucketCredit>,
}

/// Credits on top of a bucket: while they last the burst rate paces; then the base rate, without debt.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(8))]
struct BucketCredit {
    burst: Pacer,
    /// × 10^9, so that the earnings of a nanosecond are whole.
    level: i128,
    capacity: i128,
    earned_per_ns: i128,
    as_of: u64,
}

impl BucketCredit {
    fn level_at(&self, now: u64) -> i128 {
        let earned = self.earned_per_ns * i128::from(now.saturating_sub(self.as_of));
        (self.level + earned).min(self.capacity)
    }
}

const NANO: i128 = 1_000_000_000;

impl Bucket {
    pub(super) fn new(rate: &Rate, depth: u64, start: StartCredits) -> Bucket {
        let full = start == StartCredits::Full;
        let has_tokens = start != StartCredits::Spent;
        let credit = rate.burst.map(|burst| {
            let capacity = i128::from(burst.capacity) * NANO;
            BucketCredit {
                burst: Pacer::new(burst.enforced_micro, depth, has_tokens),
                level: if full { capacity } else { 0 },
                capacity,
                earned_per_ns: i128::from(rate.published),
                as_of: 0,
            }
        });
        Bucket {
            base: Pacer::new(rate.enforced_micro, depth, has_tokens && (credit.is_none() || !full)),
            credit,
        }
    }

    #[inline]
    pub(super) fn earliest(&mut self, now: u64, charge: u64, class: Class) -> u64 {
        // The background leaves half the bucket to the foreground.
        let share = |pacer: &Pacer| if class == Class::Foreground { pacer.depth } else { pacer.depth / 2 };
        match &self.credit {
            None => self.base.earliest(now, charge, share(&self.base)),
            Some(credit) => {
                let at = credit.burst.earliest(now, charge, share(&credit.burst));
                if credit.level_at(at) >= i128::from(charge) * NANO {
                    at
                } else {
                    at.max(self.base.earliest(now, charge, share(&self.base)))
                }
            }
        }
    }

    #[inline]
    pub(super) fn take(&mut self, now: u64, charge: u64) {
        self.base.take(now, charge);
        if let Some(credit) = &mut self.credit {
            let spent = credit.level_at(now) - i128::from(charge) * NANO;
            credit.level = spent.max(0);
            credit.as_of = now;
            credit.burst.take(now, charge);
            // I/Os that credits paid for do not reduce the base rate.
            if spent >= 0 {
                self.base.full_at = self.base.full_at.min((u128::from(now) << FINE) + self.base.depth);
            }
        }
    }

    pub(super) fn credits(&mut self, now: u64) -> Option<u64> {
        self.credit.as_ref().map(|credit| (credit.level_at(now) / NANO) as u64)
    }

    pub(super) fn credit_capacity(&self) -> Option<u64> {
        self.credit.as_ref().map(|credit| (credit.capacity / NANO) as u64)
    }

    pub(super) fn set_credits(&mut self, now: u64, credits: u64) {
        if let Some(credit) = &mut self.credit {
            credit.level = i128::from(credits) * NANO;
            credit.as_of = now;
        }
    }

    /// Counts from `now` what a new bucket counts from zero.
    pub(super) fn begin_at(&mut self, now: u64) {
        let shift = u128::from(now) << FINE;
        self.base.full_at += shift;
        if let Some(credit) = &mut self.credit {
            credit.burst.full_at += shift;
            credit.as_of = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limiter::Burst;

    const S: u64 = 1_000_000_000;

    fn bucket(per_s: u64) -> Bucket {
        Bucket::new(
            &Rate { published: per_s, enforced_micro: per_s * 1_000_000, burst: None },
            S,
            StartCredits::Spent,
        )
    }

    fn flat_out(bucket: &mut Bucket, charge: u64, from: u64, until: u64) -> u64 {
        let (mut now, mut passed) = (from, 0);
        loop {
            now = bucket.earliest(now, charge, Class::Foreground);
            if now >= until {
                return passed;
            }
            bucket.take(now, charge);
            passed += charge;
        }
    }

    #[test]
    fn a_day_at_7500_iops_does_not_drift() {
        // The n-th I/O of an empty bucket passes at ⌈(n + 1) / 7,500 s⌉: no accumulated error after 10^7.
        let mut bucket = bucket(7_500);
        let mut now = 0;
        for _ in 0..10_000_000u64 {
            now = bucket.earliest(now, 1, Class::Foreground);
            bucket.take(now, 1);
        }
        let exact = 10_000_000u64 * S / 7_500;
        assert!(now.abs_diff(exact) <= 1, "{now} {exact}");
    }

    #[test]
    fn in_a_window_no_more_than_rate_times_window_and_the_depth_pass() {
        let mut bucket = bucket(1_000);
        // Two idle seconds fill it to its depth of one second, no more.
        assert_eq!(flat_out(&mut bucket, 1, 2 * S, 2 * S + 1), 1_000);
        let next = flat_out(&mut bucket, 1, 2 * S + 1, 3 * S);
        assert!((999..=1_000).contains(&next), "{next}");
    }

    #[test]
    fn a_bucket_that_rested_gives_one_depth_more_and_no_credits() {
        // 10 s at 4,000 a second and one second's tokens: 44,000 = 4,000 x (10 + 1).
        let rate = Rate { published: 4_000, enforced_micro: 4_000_000_000, burst: None };
        let mut rested = Bucket::new(&rate, S, StartCredits::Rested);
        let passed = flat_out(&mut rested, 1, 0, 10 * S);
        assert!((43_999..=44_001).contains(&passed), "{passed}");
        let burst = Burst { enforced_micro: 3_000_000_000, capacity: 5_400_000 };
        let rate = Rate { published: 300, enforced_micro: 300_000_000, burst: Some(burst) };
        let mut rested = Bucket::new(&rate, S, StartCredits::Rested);
        assert_eq!(rested.credits(0), Some(0));
        let passed = flat_out(&mut rested, 1, 0, 10 * S);
        assert!((3_299..=3_301).contains(&passed), "{passed}");
    }

    #[test]
    fn an_io_larger_than_the_bucket_passes_when_it_is_full_and_leaves_a_debt() {
        let mut bucket = bucket(1_000);
        let at = bucket.earliest(0, 5_000, Class::Foreground);
        assert_eq!(at, S);
        bucket.take(at, 5_000);
        // 4,000 in debt: four seconds until it holds nothing, and one unit's time more.
        assert_eq!(bucket.earliest(at, 1, Class::Foreground), 5 * S + S / 1_000);
    }

    #[test]
    fn gp2_of_100_gib_bursts_for_2000_seconds_and_then_has_its_base() {
        // 5.4 M credits / (3,000 − 300) = 2,000 s (AWS user guide, general purpose volumes).
        let rate = Rate {
            published: 300,
            enforced_micro: 300 * 1_000_000,
            burst: Some(Burst { enforced_micro: 3_000 * 1_000_000, capacity: 5_400_000 }),
        };
        let mut bucket = Bucket::new(&rate, S, StartCredits::Full);
        let burst = flat_out(&mut bucket, 1, 0, 1_999 * S);
        assert!(burst.abs_diff(1_999 * 3_000) <= 3_001, "{burst}");
        flat_out(&mut bucket, 1, 1_999 * S, 2_010 * S);
        let base = flat_out(&mut bucket, 1, 2_010 * S, 2_110 * S);
        assert!(base.abs_diff(30_000) <= 301, "{base}");
        assert!(bucket.credits(2_110 * S) <= Some(1));
    }
}
