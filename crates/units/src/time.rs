use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A point in time: nanoseconds since the run's own zero. There is no wall clock here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Instant {
    /// The run's own zero.
    pub const ZERO: Instant = Instant(0);
    /// Later than anything: "never", in comparisons.
    pub const MAX: Instant = Instant(u64::MAX);

    /// The instant `ns` nanoseconds after zero.
    pub const fn from_ns(ns: u64) -> Instant {
        Instant(ns)
    }

    /// Nanoseconds since zero.
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// The time from `earlier` to here; zero when `earlier` is later.
    pub const fn since(self, earlier: Instant) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// The longest time that is read: ten years.
    pub const LONGEST: Span = Span::from_secs(10 * 365 * 86_400);
    /// Longer than any run (584 years).
    pub const MAX: Span = Span(u64::MAX);

    /// `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Span {
        Span(ns)
    }

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Span {
        Span(us * 1_000)
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// `s` seconds.
    pub const fn from_secs(s: u64) -> Span {
        Span(s * 1_000_000_000)
    }

    /// The length in nanoseconds.
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// The length in microseconds, for printing.
    pub fn us_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// The length in seconds, for printing.
    pub fn secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// True if the length is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add<Span> for Instant {
    type Output = Instant;
    fn add(self, span: Span) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Instant {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0 - other.0)
    }
}

impl SubAssign for Span {
    fn sub_assign(&mut self, other: Span) {
        self.0 -= other.0;
    }
}

impl fmt::Display for Span {
    /// The largest unit that keeps the figure at one or more, with at most three significant decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0;
        let (scale, unit) = match ns {
            0 => return f.write_str("0 s"),
            1..1_000 => return write!(f, "{ns} ns"),
            1_000..1_000_000 => (1_000, "µs"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            1_000_000_000..120_000_000_000 => (1_000_000_000, "s"),
            120_000_000_000..7_200_000_000_000 => (60_000_000_000, "min"),
            _ => (3_600_000_000_000, "h"),
        };
        if ns.is_multiple_of(scale) {
            return write!(f, "{} {unit}", ns / scale);
        }
        let value = ns as f64 / scale as f64;
        let decimals = if value >= 100.0 {
            0
        } else if value >= 10.0 {
            1
        } else {
            2
        };
        write!(f, "{value:.decimals$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_prints_in_the_unit_a_person_would_use() {
        for (ns, text) in [
            (0, "0 s"),
            (60, "60 ns"),
            (50_000, "50 µs"),
            (1_609_000, "1.61 ms"),
            (50_000_000, "50 ms"),
            (60_000_000_000, "60 s"),
            (1_800_000_000_000, "30 min"),
        ] {
            assert_eq!(Span::from_ns(ns).to_string(), text);
        }
    }

    #[test]
    fn since_never_goes_below_zero() {
        assert_eq!(Instant::from_ns(5).since(Instant::from_ns(9)), Span::ZERO);
    }
}
