use crate::{Bytes, Span};

/// I/Os per second, as limits are published: whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Iops(pub u64);

/// Bytes per second. 1 MB/s is 10^6, 1 MiB/s is 2^20: the type knows bytes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bandwidth(pub u64);

impl Iops {
    /// I/Os per second as a bare number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Bandwidth {
    /// `n` MB/s, 10^6 bytes per second.
    pub const fn mb_per_s(n: u64) -> Bandwidth {
        Bandwidth(n * 1_000_000)
    }

    /// `n` MiB/s, 2^20 bytes per second.
    pub const fn mib_per_s(n: u64) -> Bandwidth {
        Bandwidth(n << 20)
    }

    /// Bytes per second as a bare number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The time `amount` takes at this rate, rounded up; `Span::MAX` at a rate of zero.
    pub fn time_for(self, amount: Bytes) -> Span {
        if self.0 == 0 {
            return Span::MAX;
        }
        let ns = (u128::from(amount.0) * 1_000_000_000).div_ceil(u128::from(self.0));
        Span::from_ns(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// A rate that a workload asks for: exact, so that 1/7,500 s does not drift in a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rate {
    /// `count` I/Os in every `per`.
    Ios {
        /// I/Os.
        count: u64,
        /// In this time.
        per: Span,
    },
    /// `count` bytes in every `per`.
    Bytes {
        /// Bytes.
        count: u64,
        /// In this time.
        per: Span,
    },
}

impl Rate {
    /// I/Os a second for I/Os of `len` bytes, for printing and sums.
    pub fn iops_f64(self, len: f64) -> f64 {
        match self {
            Rate::Ios { count, per } => count as f64 / per.secs_f64(),
            Rate::Bytes { count, per } => count as f64 / per.secs_f64() / len,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_for_rounds_up_and_does_not_overflow() {
        assert_eq!(Bandwidth::mb_per_s(200).time_for(Bytes(1)), Span::from_ns(5));
        assert_eq!(Bandwidth(3).time_for(Bytes(1)), Span::from_ns(333_333_334));
        assert_eq!(Bandwidth(0).time_for(Bytes(1)), Span::MAX);
        assert_eq!(Bandwidth(1).time_for(Bytes(u64::MAX)), Span::MAX);
    }
}
