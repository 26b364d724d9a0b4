//! Distribution of latencies, depths and batches over fio's classes.

use iobound_measure::Histogram;
use iobound_measure::thread::BATCH_BUCKETS;

/// Upper ends of the classes of nanoseconds and of microseconds: a class holds what is less.
pub(super) const SMALL: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
/// Those of milliseconds; the last is open.
pub(super) const MILLISECONDS: [u64; 11] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000];

/// Number of latencies that are in each class.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Distribution {
    pub ns: [u64; 10],
    pub us: [u64; 10],
    pub ms: [u64; 12],
}

impl Distribution {
    /// Takes in latencies: each bucket with its middle, to the precision of the histogram.
    pub(super) fn add(&mut self, histogram: &Histogram<3>) {
        for bucket in histogram.buckets() {
            let middle_ns = bucket.lowest_ns + (bucket.highest_ns - bucket.lowest_ns) / 2;
            let class = |value: u64, ends: &[u64]| ends.partition_point(|end| *end <= value);
            *match middle_ns {
                0..1_000 => &mut self.ns[class(middle_ns, &SMALL)],
                1_000..1_000_000 => &mut self.us[class(middle_ns / 1_000, &SMALL)],
                _ => &mut self.ms[class(middle_ns / 1_000_000, &MILLISECONDS)],
            } += bucket.count;
        }
    }

    pub(super) fn merge(&mut self, other: &Distribution) {
        let add = |mine: &mut [u64], theirs: &[u64]| mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        add(&mut self.ns, &other.ns);
        add(&mut self.us, &other.us);
        add(&mut self.ms, &other.ms);
    }
}

/// Shares in percent; as fio has it, what is there at all is at least `least`.
pub(super) fn shares<const N: usize>(counts: &[u64; N], of: u64, least: f64) -> [f64; N] {
    counts.map(
        |count| {
            if count == 0 || of == 0 { 0.0 } else { (count as f64 * 100.0 / of as f64).max(least) }
        },
    )
}

/// Outstanding I/Os in fio's classes 1, 2, 4, 8, 16, 32 and from 64 on: ours are the same powers of two.
pub(super) fn depths(buckets: &[u64; BATCH_BUCKETS]) -> [u64; 7] {
    let mut classes = [0; 7];
    for (bucket, count) in buckets.iter().enumerate() {
        classes[bucket.saturating_sub(1).min(6)] += count;
    }
    classes
}

/// Sizes of batches in fio's classes 0, up to 4, 8, 16, 32, 64, and more. Ours begin where fio's end, with powers of
/// two: a bucket counts where its first size belongs, so that batches of 4, 8, 16, 32, 64 are where fio has them
/// and those between, such as 5 to 7, one class lower.
pub(super) fn batches(buckets: &[u64; BATCH_BUCKETS]) -> [u64; 7] {
    let mut classes = [0; 7];
    for (bucket, count) in buckets.iter().enumerate() {
        let class = match bucket {
            0 => 0,
            1..=3 => 1,
            more => (more - 2).min(6),
        };
        classes[class] += count;
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_measure::Batches;

    fn counted(sizes: &[usize]) -> [u64; BATCH_BUCKETS] {
        let mut buckets = [0; BATCH_BUCKETS];
        sizes.iter().for_each(|size| buckets[Batches::bucket(*size)] += 1);
        buckets
    }

    #[test]
    fn depths_are_fios_classes() {
        let sizes = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 9_999];
        assert_eq!(depths(&counted(&sizes)), [1, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn batches_of_powers_of_two_are_in_fios_classes() {
        // `io_u_mark_submit` of fio's io_u.c: 1 to 4, 5 to 8, 9 to 16, 17 to 32, 33 to 64, more.
        assert_eq!(batches(&counted(&[0, 1, 2, 4, 8, 16, 32, 64, 128, 1_024])), [1, 3, 1, 1, 1, 1, 2]);
        assert_eq!(batches(&counted(&[5, 9])), [0, 1, 1, 0, 0, 0, 0], "one class lower than fio");
    }

    #[test]
    fn latencies_are_in_the_class_that_they_are_less_than() {
        let mut histogram = Histogram::<3>::new();
        for ns in [0, 1, 2, 999, 1_000, 1_999, 2_000, 999_000, 1_001_000, 1_990_000_000, 2_100_000_000] {
            histogram.record(ns);
        }
        let mut distribution = Distribution::default();
        distribution.add(&histogram);
        assert_eq!(distribution.ns, [2, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(distribution.us, [2, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(distribution.ms, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn what_is_there_is_never_shown_as_nothing() {
        assert_eq!(shares(&[0, 1, 99_999], 100_000, 0.01), [0.0, 0.01, 99.999]);
        assert_eq!(shares(&[1], 0, 0.1), [0.0]);
    }
}
