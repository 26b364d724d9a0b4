use iobound_units::Ppm;

use super::Estimate;

/// Batches at which neighbours are joined in pairs; half of it is the fewest that can settle.
const MOST_BATCHES: usize = 64;

/// Batch means of a series that is still going on, in bounded memory: when there are 64 batches,
/// neighbours are joined and batches are twice as long from then on.
///
/// A simulation pushes, for example, the I/Os completed in each slice of its time, and stops once the mean
/// [`has settled`](BatchMeans::has_settled).
#[derive(Clone, Debug)]
pub struct BatchMeans {
    batch_len: u64,
    /// Sums of the batches that are full.
    sums: Vec<u128>,
    /// The batch that is being filled.
    sum: u128,
    filled: u64,
}

impl Default for BatchMeans {
    fn default() -> Self {
        BatchMeans::new()
    }
}

impl BatchMeans {
    /// No values yet, and batches of one.
    pub fn new() -> BatchMeans {
        BatchMeans { batch_len: 1, sums: Vec::with_capacity(MOST_BATCHES), sum: 0, filled: 0 }
    }

    /// Takes in the next value.
    pub fn push(&mut self, value: u64) {
        self.sum += u128::from(value);
        self.filled += 1;
        if self.filled < self.batch_len {
            return;
        }
        self.sums.push(self.sum);
        (self.sum, self.filled) = (0, 0);
        if self.sums.len() == MOST_BATCHES {
            for index in 0..MOST_BATCHES / 2 {
                self.sums[index] = self.sums[2 * index] + self.sums[2 * index + 1];
            }
            self.sums.truncate(MOST_BATCHES / 2);
            self.batch_len *= 2;
        }
    }

    /// The mean of the batches that are full, and its confidence interval; `None` before there are 32 of
    /// them.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.sums.len() < MOST_BATCHES / 2 {
            return None;
        }
        let means: Vec<f64> = self.sums.iter().map(|sum| *sum as f64 / self.batch_len as f64).collect();
        Some(Estimate::of(&means, self.batch_len))
    }

    /// True if the confidence interval of 95 % is no wider than mean ± `share` of the mean, from batches that
    /// look independent.
    pub fn has_settled(&self, share: Ppm) -> bool {
        self.estimate().is_some_and(|e| e.independent && e.half_width <= share.as_f64() * e.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::noise;
    use super::*;

    #[test]
    fn memory_stays_and_the_mean_is_that_of_all_values() {
        let mut batches = BatchMeans::new();
        let memory = batches.sums.capacity();
        for value in 0..1 << 20 {
            batches.push(value % 1_000);
        }
        let estimate = batches.estimate().unwrap();
        assert_eq!(batches.sums.capacity(), memory);
        assert_eq!((estimate.batches, estimate.batch_len), (32, 1 << 15));
        // 1,048 whole cycles of mean 499.5 and 576 values of mean 287.5.
        let truth = (1_048_000.0 * 499.5 + 576.0 * 287.5) / 1_048_576.0;
        assert!((estimate.mean - truth).abs() < 1e-9);
    }

    #[test]
    fn a_mean_settles_when_there_are_values_enough() {
        // Uniform on 0..1,000: the deviation is 289, so 1 % of the mean of 500 takes (1.96 × 289 / 5)², which
        // is 12,800 values.
        let mut draw = noise(7);
        let mut batches = BatchMeans::new();
        let mut values = 0;
        while !batches.has_settled(Ppm(10_000)) {
            batches.push((draw() * 1_000.0) as u64);
            values += 1;
        }
        assert!((6_400..25_600).contains(&values), "{values}");
        assert!((batches.estimate().unwrap().mean - 500.0).abs() < 10.0);
    }

    #[test]
    fn a_mean_that_drifts_does_not_settle() {
        let mut batches = BatchMeans::new();
        for value in 0..100_000 {
            batches.push(1_000_000 + value / 10);
            assert!(!batches.has_settled(Ppm(10_000)));
        }
    }

    #[test]
    fn a_constant_settles_as_soon_as_there_is_an_interval() {
        let mut batches = BatchMeans::new();
        for _ in 0..31 {
            batches.push(5);
        }
        assert!(!batches.has_settled(Ppm(10_000)));
        batches.push(5);
        assert!(batches.has_settled(Ppm(10_000)));
    }
}
