use std::fmt;

/// A share of a whole in millionths: 1,020,000 is a factor of 1.02.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ppm(pub u32);

/// A percentage between 0 and 100, kept in millionths of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u32);

impl Ppm {
    /// The whole: a factor of 1.
    pub const ONE: Ppm = Ppm(1_000_000);

    /// `value` × this share, rounded down.
    pub fn of(self, value: u64) -> u64 {
        (u128::from(value) * u128::from(self.0) / 1_000_000) as u64
    }

    /// The share as a float, for printing.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl Percent {
    /// None of it.
    pub const ZERO: Percent = Percent(0);
    /// All of it.
    pub const HUNDRED: Percent = Percent(1_000_000);

    /// `n` percent; `None` above 100.
    pub const fn whole(n: u32) -> Option<Percent> {
        if n <= 100 { Some(Percent(n * 10_000)) } else { None }
    }

    /// `ppm` millionths; `None` above the whole.
    pub const fn from_ppm(ppm: u32) -> Option<Percent> {
        if ppm <= 1_000_000 { Some(Percent(ppm)) } else { None }
    }

    /// The share in millionths.
    pub const fn ppm(self) -> u32 {
        self.0
    }

    /// The rest of the whole.
    pub const fn complement(self) -> Percent {
        Percent(1_000_000 - self.0)
    }

    /// The share as a fraction of one, for printing and sums.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(10_000) {
            write!(f, "{} %", self.0 / 10_000)
        } else {
            write!(f, "{} %", f64::from(self.0) / 10_000.0)
        }
    }
}
