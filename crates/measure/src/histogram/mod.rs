//! Latencies as counts in bins, in HdrHistogram's geometry.

mod bins;
mod export;
mod moments;
mod sparse;

pub(crate) use bins::Bins;
pub use moments::Moments;
pub(crate) use moments::Repeated;
pub use sparse::KeptMoments;

use crate::percentile::rank;

/// The highest value a histogram tells apart, in ns: 73 minutes. Values beyond are counted in the last bin
/// and in [`Histogram::saturated`]; the maximum stays exact.
pub const HIGHEST_NS: u64 = (1 << 42) - 1;

/// A histogram of values in ns that keeps `DIGITS` significant digits (1 to 3) of each, with the exact
/// moments beside.
///
/// Bins, percentiles and exports are HdrHistogram's with a lowest discernible value of 1. Recording needs no branch
/// that can be mispredicted, and allocates once at most: for the first value, unless [`Histogram::reserve`] did before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram<const DIGITS: u8 = 3> {
    bins: Bins<DIGITS>,
    moments: Moments,
}

/// A bin that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The lowest value that falls into it, in ns.
    pub lowest_ns: u64,
    /// The highest, in ns.
    pub highest_ns: u64,
    /// Number that values did.
    pub count: u64,
}

impl<const DIGITS: u8> Default for Histogram<DIGITS> {
    fn default() -> Self {
        Histogram::new()
    }
}

impl<const DIGITS: u8> Histogram<DIGITS> {
    /// The memory of its bins.
    pub const BYTES: u64 = Bins::<DIGITS>::BYTES;

    /// No values yet.
    pub fn new() -> Self {
        Histogram { bins: Bins::new(), moments: Moments::NONE }
    }

    /// Allocates all memory now, so that recording never does.
    pub fn reserve(&mut self) {
        self.bins.reserve();
    }

    /// From counts and moments that were kept apart.
    pub(crate) fn from_parts(bins: Bins<DIGITS>, moments: Moments) -> Self {
        Histogram { bins, moments }
    }

    /// Takes in one value in ns.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        self.bins.add(Bins::<DIGITS>::index(value_ns.min(HIGHEST_NS)), 1);
        self.moments.add(value_ns);
    }

    /// Takes in `n` values that are all `value_ns`.
    #[inline]
    pub fn record_n(&mut self, value_ns: u64, n: u64) {
        self.bins.add(Bins::<DIGITS>::index(value_ns.min(HIGHEST_NS)), n);
        self.moments.add_n(value_ns, n);
    }

    /// Takes in all that `other` took in, without loss.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        self.bins.merge(&other.bins, other.moments.min_ns, other.moments.max_ns);
        self.moments.merge(&other.moments);
    }

    /// Back to no values.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.bins.clear_between(self.moments.min_ns, self.moments.max_ns);
        }
        self.moments = Moments::NONE;
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.moments.count
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.moments.count == 0
    }

    /// Number that values lay beyond [`HIGHEST_NS`].
    pub fn saturated(&self) -> u64 {
        self.moments.saturated
    }

    /// Count, sum, extremes, mean and deviation: exact, not from the bins.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The value in ns that `percentile` percent of the values do not exceed, to the histogram's precision:
    /// the highest value of its bin (the lowest at 0), as HdrHistogram has it. Zero without values.
    pub fn value_at_percentile(&self, percentile: f64) -> u64 {
        let wanted = rank(percentile, self.count());
        let mut seen = 0;
        for (index, count) in self.sparse() {
            seen += count;
            if seen >= wanted {
                return if percentile == 0.0 {
                    Bins::<DIGITS>::lowest(index)
                } else {
                    Bins::<DIGITS>::highest(index)
                };
            }
        }
        0
    }

    /// [`Histogram::value_at_percentile`] between the smallest and the largest value, which are exact: the figure to print
    /// beside them. A bin's highest value may lie above the largest value. Zero without values.
    pub fn percentile_ns(&self, percentile: f64) -> u64 {
        match self.moments.min_ns().zip(self.moments.max_ns()) {
            Some((min, max)) => self.value_at_percentile(percentile).clamp(min, max),
            None => 0,
        }
    }

    /// The bins that are not empty, in order of value.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        self.sparse().map(|(index, count)| Bucket {
            lowest_ns: Bins::<DIGITS>::lowest(index),
            highest_ns: Bins::<DIGITS>::highest(index),
            count,
        })
    }

    /// Index and count of the bins that are not empty.
    pub(crate) fn sparse(&self) -> impl Iterator<Item = (usize, u64)> {
        let Moments { min_ns, max_ns, .. } = self.moments;
        // Without values the least is above the most, and there is no bin between.
        self.bins.filled(min_ns, max_ns)
    }
}
