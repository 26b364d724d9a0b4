//! Times at a rate: exact where they are even, exponential gaps where they are a Poisson process.

use iobound_units::{Rate, Span};

use crate::math::ln;
use crate::random::Random;

/// The time that I/Os take at a rate. Whole nanoseconds are given out, the rest is kept exactly and carried on,
/// so that the n-th time is the floor of n × period ÷ count and 1/7,500 s does not drift in a day.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// One unit (an I/O, or a byte) takes `period` ÷ `count` nanoseconds.
    period: u128,
    count: u128,
    /// Both as floating point, whose conversion costs as much as an exponential time.
    period_f64: f64,
    count_f64: f64,
    /// The units of an I/O; `None`: its length in bytes.
    units: Option<u32>,
    /// Time for the last number of units, cached: most I/Os have the same size, and divisions are slow.
    known: Quotient,
    /// The sum's rest, in `count`-ths of a nanosecond.
    rest: u128,
}

/// `units` at the schedule's rate: whole nanoseconds and a rest.
#[derive(Clone, Copy, Debug)]
struct Quotient {
    units: u32,
    whole: u64,
    rest: u128,
}

impl Schedule {
    /// The schedule of one of `of` queues that share `rate`.
    pub(crate) fn new(rate: Rate, of: u32) -> Schedule {
        Schedule::of_part(rate, 1, of)
    }

    /// The schedule of `part` ÷ `whole` of a rate.
    pub(crate) fn of_part(rate: Rate, part: u32, whole: u32) -> Schedule {
        let (count, per, units) = match rate {
            Rate::Ios { count, per } => (count, per, Some(1)),
            Rate::Bytes { count, per } => (count, per, None),
        };
        let (period, count) =
            (u128::from(per.ns()) * u128::from(whole), u128::from(count) * u128::from(part));
        let known = quotient(1, period, count);
        let (period_f64, count_f64) = (period as f64, count as f64);
        Schedule { period, count, period_f64, count_f64, units, known, rest: 0 }
    }

    /// The time of one I/O of `len` bytes.
    #[inline]
    pub(crate) fn step(&mut self, len: u32) -> Span {
        let units = self.units.unwrap_or(len);
        if units != self.known.units {
            self.known = quotient(units, self.period, self.count);
        }
        self.rest += self.known.rest;
        let mut whole = self.known.whole;
        if self.rest >= self.count {
            self.rest -= self.count;
            whole = whole.saturating_add(1);
        }
        Span::from_ns(whole)
    }

    /// Number of arrival times of I/Os of `len` bytes before `time`, including the one at zero.
    pub(crate) fn times_before(&self, time: Span, len: u32) -> u64 {
        let step = u128::from(self.units.unwrap_or(len)).saturating_mul(self.period);
        if step == 0 || time.is_zero() {
            return 0;
        }
        // The n-th is at (rest + n × step) ÷ count, floored: below `time` while rest + n × step < time × count.
        let room = u128::from(time.ns()) * self.count - self.rest;
        u64::try_from(room.div_ceil(step)).unwrap_or(u64::MAX)
    }

    /// Time that the `turn`-th of `of` queues starts after the first, for I/Os of `len` bytes: its share of a step.
    pub(crate) fn delay(&mut self, turn: u32, of: u32, len: u32) -> Span {
        // `period` holds `of`, so that this is turn × the whole job's period, exactly.
        let units = u128::from(self.units.unwrap_or(len));
        let product = units * (self.period / u128::from(of)) * u128::from(turn);
        self.rest = product % self.count;
        Span::from_ns(u64::try_from(product / self.count).unwrap_or(u64::MAX))
    }

    /// An exponential time whose mean is that of one I/O of `len` bytes.
    pub(crate) fn exponential_step(&mut self, len: u32, random: &mut Random) -> Span {
        let units = f64::from(self.units.unwrap_or(len));
        let mean_ns = units * self.period_f64 / self.count_f64;
        // Rounded to nearest, so that the mean is kept.
        Span::from_ns((-ln(random.unit()) * mean_ns + 0.5) as u64)
    }
}

fn quotient(units: u32, period: u128, count: u128) -> Quotient {
    let product = u128::from(units) * period;
    // Beyond 584 years a time is "never".
    let whole = u64::try_from(product / count).unwrap_or(u64::MAX);
    Quotient { units, whole, rest: product % count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn iops(count: u64) -> Rate {
        Rate::Ios { count, per: Span::from_secs(1) }
    }

    #[test]
    fn a_seventy_five_hundredth_of_a_second_does_not_drift_in_a_day() {
        let mut schedule = Schedule::new(iops(7_500), 1);
        let day: u64 = (0..7_500 * 86_400).map(|_| schedule.step(4_096).ns()).sum();
        assert_eq!(day, 86_400_000_000_000);
    }

    proptest! {
        #[test]
        fn the_nth_time_is_the_floor_of_the_exact_one(count in 1u64..5_000_000, per_ns in 1u64..10_000_000_000, of in 1u32..100, n in 1u64..300) {
            let mut schedule = Schedule::new(Rate::Ios { count, per: Span::from_ns(per_ns) }, of);
            let sum: u64 = (0..n).map(|_| schedule.step(512).ns()).sum();
            prop_assert_eq!(u128::from(sum), u128::from(n) * u128::from(of) * u128::from(per_ns) / u128::from(count));
        }

        #[test]
        fn times_are_counted_as_if_gone_through(count in 1u64..5_000_000, per_ns in 1u64..10_000_000_000, of in 1u32..100, before in 0u64..50, time_ns in 0u64..1_000_000_000) {
            let mut schedule = Schedule::new(Rate::Ios { count, per: Span::from_ns(per_ns) }, of);
            for _ in 0..before {
                schedule.step(512);
            }
            let (counted, mut at, mut gone_through) = (schedule.times_before(Span::from_ns(time_ns), 512), 0, 0);
            while at < time_ns && gone_through < 2_000 {
                at += schedule.step(512).ns();
                gone_through += 1;
            }
            if gone_through < 2_000 {
                prop_assert_eq!(counted, gone_through);
            } else {
                prop_assert!(counted >= gone_through);
            }
        }

        #[test]
        fn byte_rates_count_the_bytes_of_each_io(lens in proptest::collection::vec(1u32..1 << 24, 1..200), count in 1u64..1 << 40) {
            let mut schedule = Schedule::new(Rate::Bytes { count, per: Span::from_secs(1) }, 1);
            let sum: u64 = lens.iter().map(|len| schedule.step(*len).ns()).sum();
            let bytes: u128 = lens.iter().map(|len| u128::from(*len)).sum();
            prop_assert_eq!(u128::from(sum), bytes * 1_000_000_000 / u128::from(count));
        }
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_deviation_of_an_exponential() {
        let mut schedule = Schedule::new(iops(10_000), 1);
        let mut random = Random::keyed(&[6]);
        let gaps: Vec<f64> =
            (0..200_000).map(|_| schedule.exponential_step(4_096, &mut random).ns() as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 100_000.0 - 1.0).abs() < 0.01, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{}", variance.sqrt());
    }

    #[test]
    fn a_rate_slower_than_any_run_is_never_and_not_a_wrong_time() {
        let mut schedule = Schedule::new(Rate::Bytes { count: 1, per: Span::MAX }, 2);
        assert_eq!(schedule.step(1 << 30), Span::MAX);
    }
}
