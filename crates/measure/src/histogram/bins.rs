use std::ops::Range;

use super::HIGHEST_NS;

/// The counts of a log-linear histogram, and its geometry: HdrHistogram's, with a unit of 1 ns.
///
/// Values below 2^s, where s is 11 for three digits, 8 for two and 5 for one, have a bin each; above, every
/// power of two is divided into 2^(s-1) bins of equal width, so that a bin is never wider than a share of
/// 10^-DIGITS of its values. Index and bounds agree with HdrHistogram bin for bin.
///
/// The memory for the counts is allocated as a whole: by [`Bins::reserve`], or when the first value is counted.
///
/// A count is kept as its lower 32 bits, which halves the memory of a thread. What a count has beyond them is kept in a
/// list, which few bins of long runs are in.
#[derive(Clone, Debug)]
pub(crate) struct Bins<const DIGITS: u8> {
    /// The lower 32 bits of each count. Empty until it is allocated.
    counts: Box<[u32]>,
    /// The upper 32 bits of the counts that have any, with the index of the bin, in order of index.
    carried: Vec<(u32, u32)>,
}

impl<const DIGITS: u8> Bins<DIGITS> {
    /// log2 of the number of sub-buckets: the power of two at or above 2 × 10^DIGITS.
    const SUB_BITS: u32 = match DIGITS {
        1 => 5,
        2 => 8,
        3 => 11,
        _ => panic!("a histogram keeps one, two or three significant digits"),
    };

    /// Number of bins that reach from 0 to [`HIGHEST_NS`].
    pub(crate) const COUNT: usize = Self::index(HIGHEST_NS) + 1;

    /// The room for upper halves that is there from the start: at a million I/Os a second it lasts for a day and longer.
    const CARRIED: usize = 32;

    /// Bytes that the counts take once they are allocated.
    pub(crate) const BYTES: u64 =
        (Self::COUNT * size_of::<u32>() + Self::CARRIED * size_of::<(u32, u32)>()) as u64;

    /// Bins without counts and without memory.
    pub(crate) fn new() -> Self {
        Bins { counts: Box::default(), carried: Vec::new() }
    }

    /// Allocates the memory, so that counting never does. The system hands it out zeroed, page by page, when a bin in the
    /// page is first counted in.
    pub(crate) fn reserve(&mut self) {
        if self.counts.is_empty() {
            self.counts = vec![0; Self::COUNT].into_boxed_slice();
            self.carried.reserve(Self::CARRIED);
        }
    }

    /// The bin of a value of at most [`HIGHEST_NS`], without a branch.
    #[inline]
    pub(crate) const fn index(value_ns: u64) -> usize {
        let bucket = u64::BITS - Self::SUB_BITS - (value_ns | ((1 << Self::SUB_BITS) - 1)).leading_zeros();
        ((bucket as usize) << (Self::SUB_BITS - 1)) + (value_ns >> bucket) as usize
    }

    /// The lowest value of a bin.
    pub(crate) const fn lowest(index: usize) -> u64 {
        let (bucket, sub) = Self::location(index);
        sub << bucket
    }

    /// The highest value of a bin.
    pub(crate) const fn highest(index: usize) -> u64 {
        let (bucket, sub) = Self::location(index);
        ((sub + 1) << bucket) - 1
    }

    const fn location(index: usize) -> (u32, u64) {
        let half = 1 << (Self::SUB_BITS - 1);
        if index < 2 * half {
            return (0, index as u64);
        }
        let bucket = (index >> (Self::SUB_BITS - 1)) - 1;
        (bucket as u32, (index - (bucket << (Self::SUB_BITS - 1))) as u64)
    }

    /// Counts `n` more values in a bin.
    #[inline]
    pub(crate) fn add(&mut self, index: usize, n: u64) {
        match self.counts.get_mut(index) {
            Some(count) => {
                let sum = u64::from(*count) + n;
                *count = sum as u32;
                let upper = sum >> 32;
                if upper > 0 {
                    self.carry(index, upper as u32);
                }
            }
            None => self.add_first(index, n),
        }
    }

    /// Adds to the upper 32 bits of a count.
    #[cold]
    #[inline(never)]
    fn carry(&mut self, index: usize, upper: u32) {
        match self.carried.binary_search_by_key(&(index as u32), |(of, _)| *of) {
            Ok(at) => self.carried[at].1 += upper,
            Err(at) => self.carried.insert(at, (index as u32, upper)),
        }
    }

    /// The first value that is counted where no memory was reserved.
    #[cold]
    #[inline(never)]
    fn add_first(&mut self, index: usize, n: u64) {
        self.reserve();
        self.add(index, n);
    }

    /// Counts what `other` counted between these values, which must be all.
    pub(crate) fn merge(&mut self, other: &Self, low_ns: u64, high_ns: u64) {
        if other.counts.is_empty() {
            return;
        }
        self.reserve();
        for (index, count) in other.filled(low_ns, high_ns) {
            self.add(index, count);
        }
    }

    /// Index and count of the bins from one value's to another's that are not empty. Where the extremes are known, the rest of
    /// the memory need not be touched.
    pub(crate) fn filled(&self, low_ns: u64, high_ns: u64) -> impl Iterator<Item = (usize, u64)> + Clone {
        let range = Self::range(low_ns, high_ns);
        let first = range.start;
        let counts = self.counts.get(range).unwrap_or_default();
        counts.iter().enumerate().filter_map(move |(n, lower)| {
            let index = first + n;
            let count = self.upper(index) << 32 | u64::from(*lower);
            (count > 0).then_some((index, count))
        })
    }

    /// The upper 32 bits of a count.
    fn upper(&self, index: usize) -> u64 {
        if self.carried.is_empty() {
            return 0;
        }
        let found = self.carried.binary_search_by_key(&(index as u32), |(of, _)| *of);
        found.map_or(0, |at| u64::from(self.carried[at].1))
    }

    /// Empties the bins from one value's to another's.
    pub(crate) fn clear_between(&mut self, low_ns: u64, high_ns: u64) {
        let range = Self::range(low_ns, high_ns);
        self.carried.retain(|(index, _)| !range.contains(&(*index as usize)));
        if let Some(counts) = self.counts.get_mut(range) {
            counts.fill(0);
        }
    }

    /// The bins from one value's to another's.
    fn range(low_ns: u64, high_ns: u64) -> Range<usize> {
        Self::index(low_ns.min(HIGHEST_NS))..Self::index(high_ns.min(HIGHEST_NS)) + 1
    }
}

/// Bins without memory equal bins whose counts are all zero.
impl<const DIGITS: u8> PartialEq for Bins<DIGITS> {
    fn eq(&self, other: &Self) -> bool {
        if self.carried != other.carried {
            return false;
        }
        match (self.counts.is_empty(), other.counts.is_empty()) {
            (true, false) => other.counts.iter().all(|count| *count == 0),
            (false, true) => self.counts.iter().all(|count| *count == 0),
            (true, true) | (false, false) => self.counts == other.counts,
        }
    }
}

impl<const DIGITS: u8> Eq for Bins<DIGITS> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_make_2048_sub_buckets_and_two_make_256() {
        // 2048 × 2^31 = 2^42: 32 buckets, each with its upper half, and the lower half of the first.
        assert_eq!(Bins::<3>::COUNT, 33 * 1024);
        assert_eq!(Bins::<2>::COUNT, 36 * 128);
        assert_eq!(Bins::<1>::COUNT, 39 * 16);
    }

    #[test]
    fn counts_beyond_32_bits_are_exact() {
        const LIMIT: u64 = 1 << 32;
        let mut bins = Bins::<2>::new();
        let indices = [7, 3, 500];
        for index in indices {
            bins.add(index, LIMIT - 1);
        }
        bins.add(3, 1);
        bins.add(500, 5 * LIMIT);
        bins.add(7, 2);
        let all = |bins: &Bins<2>| bins.filled(0, HIGHEST_NS).collect::<Vec<_>>();
        assert_eq!(all(&bins), [(3, LIMIT), (7, LIMIT + 1), (500, 6 * LIMIT - 1)]);
        let mut sum = bins.clone();
        sum.merge(&bins, 0, HIGHEST_NS);
        assert_eq!(all(&sum), [(3, 2 * LIMIT), (7, 2 * LIMIT + 2), (500, 12 * LIMIT - 2)]);
        // The lower halves are alike.
        let mut other = bins.clone();
        other.add(3, LIMIT);
        assert_ne!(other, bins);
        other.clear_between(0, Bins::<2>::highest(7));
        assert_eq!(all(&other), [(500, 6 * LIMIT - 1)]);
        other.clear_between(0, HIGHEST_NS);
        assert_eq!(other, Bins::new());
    }

    #[test]
    fn bins_follow_one_another_without_gap_or_overlap() {
        for index in 1..Bins::<2>::COUNT {
            assert_eq!(Bins::<2>::lowest(index), Bins::<2>::highest(index - 1) + 1);
        }
        assert_eq!(Bins::<2>::highest(Bins::<2>::COUNT - 1), HIGHEST_NS);
    }

    #[test]
    fn both_bounds_of_a_bin_fall_into_it() {
        for index in 0..Bins::<3>::COUNT {
            assert_eq!(Bins::<3>::index(Bins::<3>::lowest(index)), index);
            assert_eq!(Bins::<3>::index(Bins::<3>::highest(index)), index);
        }
    }
}
