//! The intervals of `-D`: I/Os completed in each, and how far they scatter.

use iobound_measure::{Interval, IntervalTally, Measured, Phase};

use super::part::CountUnit;

/// One interval of `-D`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bucket {
    /// Reads.
    pub read: Tally,
    /// Writes.
    pub write: Tally,
}

/// One direction in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// I/Os completed.
    pub count: u64,
    sum_ns: u128,
    squares_ns2: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Tally {
    fn add(&mut self, more: &IntervalTally) {
        if more.count == 0 {
            return;
        }
        self.min_ns = if self.count == 0 { more.min.ns() } else { self.min_ns.min(more.min.ns()) };
        self.max_ns = self.max_ns.max(more.max.ns());
        self.count += more.count;
        self.sum_ns += more.sum_ns;
        self.squares_ns2 = self.squares_ns2.saturating_add(more.squares_ns2);
    }

    /// The shortest latency in ms; zero without I/Os.
    pub(super) fn min_ms(&self) -> f64 {
        self.min_ns as f64 / 1e6
    }

    /// The longest.
    pub(super) fn max_ms(&self) -> f64 {
        self.max_ns as f64 / 1e6
    }

    /// The standard deviation; zero without I/Os.
    pub(super) fn stdev_ms(&self) -> f64 {
        let n = self.count.max(1) as f64;
        let mean_ns = self.sum_ns as f64 / n;
        (self.squares_ns2 as f64 / n - mean_ns * mean_ns).max(0.0).sqrt() / 1e6
    }

    /// The mean; zero without I/Os.
    pub(super) fn mean_ms(&self) -> f64 {
        self.sum_ns as f64 / 1e6 / self.count.max(1) as f64
    }
}

impl Bucket {
    /// I/Os of a section.
    pub(super) fn count(&self, section: CountUnit) -> u64 {
        match section {
            CountUnit::Total => self.read.count + self.write.count,
            CountUnit::Read => self.read.count,
            CountUnit::Write => self.write.count,
        }
    }
}

/// The counted time in intervals of `bucket_ms`; what is left at the end and shorter is no interval. `None` where
/// the series was kept in intervals that do not add up to it, or was not kept to its end.
pub(super) fn buckets(measured: &Measured, bucket_ms: u32) -> Option<Vec<Bucket>> {
    let (wanted, kept) = (u64::from(bucket_ms) * 1_000_000, measured.layout.interval.ns());
    if wanted == 0 || kept == 0 || !wanted.is_multiple_of(kept) || measured.series_left_out > 0 {
        return None;
    }
    let counted: Vec<&Interval> = measured
        .series
        .iter()
        .filter(|interval| interval.phase == Phase::Counted && interval.whole)
        .collect();
    let sum = |group: &[&Interval]| {
        let mut bucket = Bucket::default();
        for interval in group {
            bucket.read.add(&interval.read);
            bucket.write.add(&interval.write);
        }
        bucket
    };
    Some(counted.chunks_exact((wanted / kept) as usize).map(sum).collect())
}

/// The standard deviation of the IOPS of intervals of `bucket_ms`; zero without intervals, as DiskSpd has it.
pub(super) fn deviation(buckets: &[Bucket], section: CountUnit, bucket_ms: u32) -> f64 {
    let n = buckets.len().max(1) as f64;
    let counts = || buckets.iter().map(|bucket| bucket.count(section) as f64);
    let mean = counts().sum::<f64>() / n;
    let variance = counts().map(|count| (count - mean) * (count - mean)).sum::<f64>() / n;
    variance.sqrt() * 1e3 / f64::from(bucket_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_all_intervals_in_io_per_second() {
        let bucket = |count| Bucket { read: Tally { count, ..Tally::default() }, ..Bucket::default() };
        // 2, 4, 4, 4, 5, 5, 7, 9 have a deviation of 2; in intervals of half a second that is 4 a second.
        let buckets: Vec<Bucket> = [2, 4, 4, 4, 5, 5, 7, 9].into_iter().map(bucket).collect();
        assert_eq!(deviation(&buckets, CountUnit::Read, 500), 4.0);
        assert_eq!(deviation(&buckets, CountUnit::Total, 500), 4.0);
        assert_eq!(deviation(&buckets, CountUnit::Write, 500), 0.0);
        assert_eq!(deviation(&[], CountUnit::Total, 1000), 0.0);
    }
}
