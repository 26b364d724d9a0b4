//! The intended times of an open loop: exact for fixed arrivals, exponential gaps for a Poisson process.

use iobound_units::{Rate, Span};

use crate::Arrivals;
use crate::math::ln;
use crate::random::Random;

/// The time of what has been issued so far at a rate: a sum of whole nanoseconds and an exact rest, so that
/// 1/7,500 s does not drift in a day.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Nanoseconds × this, for each unit (an I/O, or a byte).
    per: u64,
    /// Divided by this.
    count: u64,
    /// Units that one I/O is; `None`: its length in bytes.
    one: Option<u64>,
    /// Whole nanoseconds and the rest, in `count`-ths, of the last step's length: I/Os are mostly alike.
    last: (u64, u64, u64),
    /// The rest of the sum, in `count`-ths of a nanosecond.
    rest: u64,
}

impl Schedule {
    /// The schedule of one of `of` lanes that share `rate`.
    pub(crate) fn new(rate: Rate, of: u32) -> Schedule {
        let (count, per, one) = match rate {
            Rate::Ios { count, per } => (count, per, Some(1)),
            Rate::Bytes { count, per } => (count, per, None),
        };
        let common = gcd(per.ns(), count);
        // A period of 10^18 ns among 65,535 lanes is beyond 64 bits; the lanes are never that many at such rates,
        // and a step that long is beyond any run.
        let per = (per.ns() / common).saturating_mul(u64::from(of));
        let mut schedule = Schedule { per, count: count / common, one, last: (0, 0, 0), rest: 0 };
        schedule.last = schedule.divide(1);
        schedule
    }

    /// The time that an I/O of `len` bytes takes at the rate; rests are carried on to the next.
    #[inline]
    pub(crate) fn step(&mut self, len: u32) -> Span {
        let units = self.one.unwrap_or(u64::from(len));
        if units != self.last.0 {
            self.last = self.divide(units);
        }
        let (_, mut whole, rest) = self.last;
        // Both rests are below `count`, which is below 2^63 for every rate that can be written.
        self.rest += rest;
        if self.rest >= self.count {
            self.rest -= self.count;
            whole += 1;
        }
        Span::from_ns(whole)
    }

    /// The mean time of an I/O of `len` bytes in nanoseconds, for draws around it.
    fn mean_ns(&self, len: u32) -> f64 {
        self.one.unwrap_or(u64::from(len)) as f64 * self.per as f64 / self.count as f64
    }

    fn divide(&self, units: u64) -> (u64, u64, u64) {
        let product = u128::from(units) * u128::from(self.per);
        let whole = u64::try_from(product / u128::from(self.count)).unwrap_or(u64::MAX / 2);
        (units, whole, (product % u128::from(self.count)) as u64)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
