use super::HIGHEST_NS;

/// The counts of a log-linear histogram, and its geometry: HdrHistogram's, with a unit of 1 ns.
///
/// Values below 2^s, where s is 11 for three digits, 8 for two and 5 for one, have a bin each; above, every
/// power of two is divided into 2^(s-1) bins of equal width, so that a bin is never wider than a share of
/// 10^-DIGITS of its values. Index and bounds agree with HdrHistogram bin for bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bins<const DIGITS: u8> {
    counts: Box<[u64]>,
}

impl<const DIGITS: u8> Bins<DIGITS> {
    /// log2 of the number of sub-buckets: the power of two at or above 2 × 10^DIGITS.
    const SUB_BITS: u32 = match DIGITS {
        1 => 5,
        2 => 8,
        3 => 11,
        _ => panic!("a histogram keeps one, two or three significant digits"),
    };

    /// How many bins reach from 0 to [`HIGHEST_NS`].
    pub(crate) const COUNT: usize = Self::index(HIGHEST_NS) + 1;

    /// No counts. The memory comes zeroed from the system and costs nothing until a bin is counted in.
    pub(crate) fn new() -> Self {
        Bins { counts: vec![0; Self::COUNT].into_boxed_slice() }
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
        self.counts[index] += n;
    }

    /// Counts what `other` counted between these values, which must be all.
    pub(crate) fn merge(&mut self, other: &Self, low_ns: u64, high_ns: u64) {
        let (first, counts) = other.between(low_ns, high_ns);
        for (count, more) in self.counts[first..].iter_mut().zip(counts) {
            *count += more;
        }
    }

    /// The counts from one value's bin to another's, and the index of the first. Where the extremes are known,
    /// the rest of the memory need not be touched.
    pub(crate) fn between(&self, low_ns: u64, high_ns: u64) -> (usize, &[u64]) {
        let (first, last) = (Self::index(low_ns.min(HIGHEST_NS)), Self::index(high_ns.min(HIGHEST_NS)));
        (first, &self.counts[first..=last])
    }

    /// Empties the bins from one value's to another's.
    pub(crate) fn clear_between(&mut self, low_ns: u64, high_ns: u64) {
        let (first, last) = (Self::index(low_ns.min(HIGHEST_NS)), Self::index(high_ns.min(HIGHEST_NS)));
        self.counts[first..=last].fill(0);
    }
}

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
