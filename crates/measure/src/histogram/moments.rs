use super::HIGHEST_NS;

/// Count, sum, sum of squares, minimum and maximum of values in nanoseconds: exact, in integers, so that
/// parts merge to the same figures in any order.
///
/// The sum of squares holds 2.6 × 10^13 values of an hour each; beyond, it stays at its top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    pub(crate) count: u64,
    pub(crate) sum_ns: u128,
    pub(crate) squares_ns2: u128,
    pub(crate) min_ns: u64,
    pub(crate) max_ns: u64,
    pub(crate) saturated: u64,
}

/// A value that occurs several times, with what it adds to the sums.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) value_ns: u64,
    pub(crate) count: u64,
    pub(crate) sum_ns: u128,
    pub(crate) squares_ns2: u128,
}

impl Repeated {
    #[inline]
    pub(crate) fn new(value_ns: u64, count: u64) -> Repeated {
        let sum_ns = u128::from(value_ns) * u128::from(count);
        let squares_ns2 = match u64::try_from(sum_ns) {
            Ok(sum) => u128::from(value_ns) * u128::from(sum),
            Err(_) => sum_ns.saturating_mul(u128::from(value_ns)),
        };
        Repeated { value_ns, count, sum_ns, squares_ns2 }
    }
}

impl Default for Moments {
    fn default() -> Self {
        Moments::NONE
    }
}

impl Moments {
    /// No values yet.
    pub const NONE: Moments =
        Moments { count: 0, sum_ns: 0, squares_ns2: 0, min_ns: u64::MAX, max_ns: 0, saturated: 0 };

    /// Takes in one value.
    #[inline]
    pub(crate) fn add(&mut self, value_ns: u64) {
        self.count += 1;
        self.sum_ns += u128::from(value_ns);
        self.squares_ns2 = self.squares_ns2.saturating_add(u128::from(value_ns) * u128::from(value_ns));
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
        self.saturated += u64::from(value_ns > HIGHEST_NS);
    }

    /// Takes in `n` values that are all `value_ns`.
    #[inline]
    pub(crate) fn add_n(&mut self, value_ns: u64, n: u64) {
        if n > 0 {
            self.add_repeated(&Repeated::new(value_ns, n));
        }
    }

    /// Takes in at least one value, which may repeat.
    #[inline]
    pub(crate) fn add_repeated(&mut self, values: &Repeated) {
        let &Repeated { value_ns, count, sum_ns, squares_ns2 } = values;
        self.count += count;
        self.sum_ns += sum_ns;
        self.squares_ns2 = self.squares_ns2.saturating_add(squares_ns2);
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
        if value_ns > HIGHEST_NS {
            self.saturated += count;
        }
    }

    /// Takes in all that `other` took in.
    pub(crate) fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.squares_ns2 = self.squares_ns2.saturating_add(other.squares_ns2);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.saturated += other.saturated;
    }

    /// Moments that were taken apart: those of values that were taken in elsewhere.
    ///
    /// # Errors
    /// Returns an error if they contradict each other: a sentence.
    pub fn from_parts(
        count: u64,
        sum_ns: u128,
        squares_ns2: u128,
        extremes_ns: Option<(u64, u64)>,
        saturated: u64,
    ) -> Result<Moments, String> {
        let Some((min_ns, max_ns)) = extremes_ns else {
            let nothing = (count, sum_ns, squares_ns2, saturated) == (0, 0, 0, 0);
            return if nothing {
                Ok(Moments::NONE)
            } else {
                Err(format!("{count} values, and neither the least nor the greatest is told"))
            };
        };
        if count == 0 || min_ns > max_ns {
            return Err(format!("{count} values from {min_ns} to {max_ns} ns"));
        }
        let least = u128::from(count) * u128::from(min_ns);
        let most = u128::from(count) * u128::from(max_ns);
        if !(least..=most).contains(&sum_ns) {
            return Err(format!("{count} values from {min_ns} to {max_ns} ns have no sum of {sum_ns}"));
        }
        if saturated > count {
            return Err(format!("{saturated} of {count} values beyond the last bin"));
        }
        Ok(Moments { count, sum_ns, squares_ns2, min_ns, max_ns, saturated })
    }

    /// The sum of their squares in ns².
    pub fn squares_ns2(&self) -> u128 {
        self.squares_ns2
    }

    /// Number that lay beyond [`HIGHEST_NS`].
    pub fn saturated(&self) -> u64 {
        self.saturated
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum in ns.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// The smallest, exact; `None` without values.
    pub fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min_ns)
    }

    /// The largest, exact, even beyond the histogram's range; `None` without values.
    pub fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max_ns)
    }

    /// The mean in ns; `None` without values.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// The standard deviation of the values themselves (divided by n) in ns; `None` without values.
    pub fn stdev_ns(&self) -> Option<f64> {
        let mean = self.mean_ns()?;
        let n = u128::from(self.count);
        // n Σx² - (Σx)² in integers does not lose its digits where the deviation is small beside the mean.
        let exact = n
            .checked_mul(self.squares_ns2)
            .zip(self.sum_ns.checked_mul(self.sum_ns))
            .filter(|_| self.squares_ns2 < u128::MAX)
            .map(|(whole, square)| whole.saturating_sub(square) as f64 / (n as f64 * n as f64));
        let variance = exact.unwrap_or_else(|| self.squares_ns2 as f64 / n as f64 - mean * mean);
        Some(variance.max(0.0).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_of_values_far_from_zero_keeps_its_digits() {
        // An hour and an hour plus 2 ns: the deviation is 1 ns, and f64 squares would have lost it.
        let mut moments = Moments::NONE;
        moments.add(3_600_000_000_000);
        moments.add(3_600_000_000_002);
        assert_eq!(moments.stdev_ns(), Some(1.0));
        assert_eq!(moments.mean_ns(), Some(3_600_000_000_001.0));
    }

    #[test]
    fn without_values_there_is_no_figure() {
        let moments = Moments::NONE;
        assert_eq!((moments.min_ns(), moments.max_ns()), (None, None));
        assert_eq!((moments.mean_ns(), moments.stdev_ns()), (None, None));
    }

    #[test]
    fn n_values_at_once_are_n_values_one_by_one() {
        let (mut once, mut each) = (Moments::NONE, Moments::NONE);
        once.add_n(7_919, 1_000);
        once.add_n(12, 0);
        (0..1_000).for_each(|_| each.add(7_919));
        assert_eq!(once, each);
    }

    #[test]
    fn moments_survive_being_taken_apart_and_those_that_contradict_each_other_are_refused() {
        let mut moments = Moments::NONE;
        [5, 7, 7_919].into_iter().for_each(|value_ns| moments.add(value_ns));
        let Moments { count, sum_ns, squares_ns2, min_ns, max_ns, saturated } = moments;
        let again = Moments::from_parts(count, sum_ns, squares_ns2, Some((min_ns, max_ns)), saturated);
        assert_eq!(again, Ok(moments));
        assert_eq!(Moments::from_parts(0, 0, 0, None, 0), Ok(Moments::NONE));
        for wrong in [
            Moments::from_parts(1, 0, 0, None, 0),
            Moments::from_parts(0, 0, 0, Some((1, 2)), 0),
            Moments::from_parts(2, 10, 50, Some((6, 5)), 0),
            Moments::from_parts(2, 9, 50, Some((5, 6)), 0),
            Moments::from_parts(2, 13, 50, Some((5, 6)), 0),
            Moments::from_parts(2, 11, 50, Some((5, 6)), 3),
        ] {
            assert!(wrong.is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn no_value_overflows() {
        let mut moments = Moments::NONE;
        (0..4).for_each(|_| moments.add(u64::MAX));
        assert_eq!(moments.mean_ns(), Some(u64::MAX as f64));
        assert_eq!(moments.saturated, 4);
    }
}
