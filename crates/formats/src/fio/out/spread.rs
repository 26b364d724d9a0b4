//! Unit of count of fio keeps of values:, extremes, mean, deviation, and the bins of a latency.

use std::collections::BTreeMap;

use iobound_measure::Histogram;

/// Count, extremes, mean and sum of squared deviations of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::fio) struct Spread {
    pub samples: u64,
    pub min: u64,
    pub max: u64,
    pub mean: f64,
    /// Sum of the squares of the differences from the mean.
    pub squares: f64,
}

impl Spread {
    /// Of values that are all there.
    pub(in crate::fio) fn of(values: &[u64]) -> Spread {
        let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) else {
            return Spread::default();
        };
        let mean = values.iter().map(|value| *value as f64).sum::<f64>() / values.len() as f64;
        let squares = values.iter().map(|value| (*value as f64 - mean) * (*value as f64 - mean)).sum();
        Spread { samples: values.len() as u64, min: *min, max: *max, mean, squares }
    }

    /// The standard deviation of a sample (divided by n - 1), as fio has it; zero for one value.
    pub(in crate::fio) fn deviation(&self) -> f64 {
        if self.samples > 1 { (self.squares / (self.samples - 1) as f64).max(0.0).sqrt() } else { 0.0 }
    }

    /// Takes in other values of the same kind: times.
    pub(in crate::fio) fn merge(&mut self, other: &Spread) {
        if other.samples == 0 {
            return;
        }
        if self.samples == 0 {
            *self = *other;
            return;
        }
        let (mine, theirs) = (self.samples as f64, other.samples as f64);
        let apart = other.mean - self.mean;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.mean = (self.mean * mine + other.mean * theirs) / (mine + theirs);
        self.squares += other.squares + apart * apart * mine * theirs / (mine + theirs);
        self.samples = self.samples.saturating_add(other.samples);
    }

    /// Adds what another job did at the same time: bandwidth and IOPS of a group are the sums of its jobs', the
    /// samples' count too, as fio has it.
    pub(in crate::fio) fn add(&mut self, other: &Spread) {
        self.samples += other.samples;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squares += other.squares;
    }
}

/// Latencies in ns: their spread, and how many lie in each of fio's bins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::fio) struct Latency {
    pub spread: Spread,
    bins: BTreeMap<usize, u64>,
}

/// log2 of the bins of one power of two, and how many powers of two there are: `FIO_IO_U_PLAT_BITS` and
/// `FIO_IO_U_PLAT_GROUP_NR` of fio's `stat.h`. What lies beyond, from 17.2 s on, is in the last bin.
const BITS: u32 = 6;
pub(super) const LAST: usize = 29 * (1 << BITS) - 1;

/// fio's bin of a latency.
pub(super) fn bin(value_ns: u64) -> usize {
    let highest_bit = 63 - value_ns.max(1).leading_zeros();
    if highest_bit <= BITS {
        return value_ns as usize;
    }
    let dropped = highest_bit - BITS;
    let within = (value_ns >> dropped) & ((1 << BITS) - 1);
    ((((dropped + 1) << BITS) as usize) + within as usize).min(LAST)
}

/// The latency that fio prints for a bin: its middle.
fn middle_ns(bin: usize) -> u64 {
    if bin < 2 << BITS {
        return bin as u64;
    }
    let dropped = (bin as u64 >> BITS) - 1;
    let within = bin as u64 & ((1 << BITS) - 1);
    (1 << (dropped + u64::from(BITS))) + (within << dropped) + (1 << dropped) / 2
}

impl Latency {
    /// Takes in a histogram. Its bins lie within fio's, so that nothing is counted elsewhere than fio would.
    pub(in crate::fio) fn add<const DIGITS: u8>(&mut self, histogram: &Histogram<DIGITS>) {
        let moments = histogram.moments();
        let (Some(min), Some(max)) = (moments.min_ns(), moments.max_ns()) else { return };
        let deviation = moments.stdev_ns().unwrap_or(0.0);
        self.spread.merge(&Spread {
            samples: moments.count(),
            min,
            max,
            mean: moments.mean_ns().unwrap_or(0.0),
            squares: deviation * deviation * moments.count() as f64,
        });
        for bucket in histogram.buckets() {
            *self.bins.entry(bin(bucket.lowest_ns)).or_default() += bucket.count;
        }
    }

    /// Takes in the latencies of another job.
    pub(in crate::fio) fn merge(&mut self, other: &Latency) {
        self.spread.merge(&other.spread);
        for (bin, count) in &other.bins {
            let sum = self.bins.entry(*bin).or_default();
            *sum = sum.saturating_add(*count);
        }
    }

    /// For each percentile (rising) the latency in ns of the bin in which it lies; zeros without values.
    pub(in crate::fio) fn percentiles(&self, wanted: &[f64]) -> Vec<u64> {
        let count = u128::from(self.spread.samples);
        let mut bins = self.bins.iter();
        let (mut seen, mut at) = (0u128, 0);
        let mut value = |percent: f64| {
            // In millionths of a percent, so that 99.9 % of 1,000 is 999 and not a little more.
            let needed = (percent * 1e6).round() as u128 * count;
            while seen * 100_000_000 < needed {
                let Some((bin, more)) = bins.next() else { break };
                seen += u128::from(*more);
                at = *bin;
            }
            if at == 0 { 0 } else { middle_ns(at) }
        };
        wanted.iter().map(|percent| value(*percent)).collect()
    }

    /// The middle in ns and the count of each bin that is not empty.
    pub(in crate::fio) fn bins(&self) -> impl Iterator<Item = (u64, u64)> {
        self.bins.iter().map(|(bin, count)| (middle_ns(*bin), *count))
    }

    /// From a document: the bins by their middle.
    pub(in crate::fio) fn from_parts(spread: Spread, bins: impl Iterator<Item = (u64, u64)>) -> Latency {
        let mut latency = Latency { spread, bins: BTreeMap::new() };
        for (middle, count) in bins {
            let sum = latency.bins.entry(bin(middle)).or_default();
            *sum = sum.saturating_add(count);
        }
        latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_those_that_fio_prints() {
        // Middles of bins as fio 3.33 printed them in JSON.
        for printed in [652, 740, 1_004, 3_600, 4_320, 33_024, 37_632, 95_744, 129_536, 618_496, 1_318_912] {
            assert_eq!(middle_ns(bin(printed)), printed);
        }
        assert_eq!((bin(127), bin(128), bin(129), bin(130)), (127, 128, 128, 129));
        assert_eq!(bin(u64::MAX), 1_855);
        assert_eq!(bin(17_179_869_184), 1_855, "2^34 ns is where fio's last power of two ends");
    }

    #[test]
    fn every_bin_holds_its_middle() {
        for index in 0..=LAST {
            assert_eq!(bin(middle_ns(index)), index);
        }
    }

    #[test]
    fn a_bucket_of_ours_lies_within_one_of_fios() {
        let mut histogram = Histogram::<3>::new();
        (0..40).for_each(|power| histogram.record(3_u64 << power));
        (0..5_000).for_each(|n| histogram.record(n * n * 37));
        for bucket in histogram.buckets() {
            assert_eq!(bin(bucket.lowest_ns), bin(bucket.highest_ns));
        }
    }

    #[test]
    fn a_percentile_is_the_bin_in_which_the_count_reaches_it() {
        let mut latency = Latency::default();
        let mut histogram = Histogram::<3>::new();
        histogram.record_n(100, 999);
        histogram.record_n(120, 1);
        latency.add(&histogram);
        assert_eq!(latency.percentiles(&[1.0, 99.9, 99.99, 100.0]), [100, 100, 120, 120]);
        assert_eq!(Latency::default().percentiles(&[50.0, 99.0]), [0, 0]);
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let values = [7_u64, 9, 30, 31, 99, 1_000];
        let mut merged = Spread::of(&values[..2]);
        merged.merge(&Spread::of(&values[2..]));
        let whole = Spread::of(&values);
        assert_eq!((merged.samples, merged.min, merged.max), (6, 7, 1_000));
        assert!(
            (merged.mean - whole.mean).abs() < 1e-9 && (merged.deviation() - whole.deviation()).abs() < 1e-9
        );
    }
}
