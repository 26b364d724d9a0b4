//! Iometer's 21 bins of latency.

use iobound_measure::Histogram;

const US: u64 = 1_000;
const MS: u64 = 1_000 * US;
const S: u64 = 1_000 * MS;

/// The names of the bins, and where each ends in ns; the last has no end. The ends are those of the names: Iometer
/// itself counts to 4 s where it says 4.7, and counts nothing in the last.
pub(super) const BINS: [(&str, u64); 21] = [
    ("0 to 50 uS", 50 * US),
    ("50 to 100 uS", 100 * US),
    ("100 to 200 uS", 200 * US),
    ("200 to 500 uS", 500 * US),
    ("0.5 to 1 mS", MS),
    ("1 to 2 mS", 2 * MS),
    ("2 to 5 mS", 5 * MS),
    ("5 to 10 mS", 10 * MS),
    ("10 to 15 mS", 15 * MS),
    ("15 to 20 mS", 20 * MS),
    ("20 to 30 mS", 30 * MS),
    ("30 to 50 mS", 50 * MS),
    ("50 to 100 mS", 100 * MS),
    ("100 to 200 mS", 200 * MS),
    ("200 to 500 mS", 500 * MS),
    ("0.5 to 1 S", S),
    ("1 to 2 s", 2 * S),
    ("2 to 4.7 s", 4_700 * MS),
    ("4.7 to 5 s", 5 * S),
    ("5 to 10 s", 10 * S),
    (" >= 10 s", u64::MAX),
];

/// The latencies in these bins. A bucket of the histogram that holds the end of a bin counts where its middle lies:
/// it is 1 % wide.
pub(super) fn counts<const DIGITS: u8>(histogram: &Histogram<DIGITS>) -> [u64; BINS.len()] {
    let mut counts = [0; BINS.len()];
    for bucket in histogram.buckets() {
        let middle_ns = bucket.lowest_ns + (bucket.highest_ns - bucket.lowest_ns) / 2;
        let index = BINS.iter().position(|(_, end_ns)| middle_ns < *end_ns).unwrap_or(BINS.len() - 1);
        counts[index] += bucket.count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_counted_in_the_bin_that_holds_it() {
        let mut histogram = Histogram::<2>::new();
        for ns in [0, 40 * US, 70 * US, 600 * US, 600 * US, 4_500 * MS, 12 * S] {
            histogram.record(ns);
        }
        let counts = counts(&histogram);
        let filled: Vec<_> =
            counts.iter().zip(BINS).filter(|(n, _)| **n > 0).map(|(n, bin)| (bin.0, *n)).collect();
        assert_eq!(
            filled,
            [("0 to 50 uS", 2), ("50 to 100 uS", 1), ("0.5 to 1 mS", 2), ("2 to 4.7 s", 1), (" >= 10 s", 1)]
        );
    }
}
