//! Confidence in a mean: batch means, because the seconds of a run depend on one another.

mod online;
mod sections;
mod standard_errors;
mod student;

pub use online::BatchMeans;
pub use sections::{LEAST_SECTIONS, Section, section_error};
pub use standard_errors::standard_errors;
pub(crate) use student::{t_95, t_beyond};

/// The fewest batches that an interval is made of.
pub const FEWEST_BATCHES: usize = 10;

/// A mean and its confidence interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of all values in the batches.
    pub mean: f64,
    /// The interval is mean ± this.
    pub half_width: f64,
    /// Number of batches.
    pub batches: usize,
    /// Number of values that make a batch.
    pub batch_len: u64,
    /// True if neighbouring batches look independent: where they do not, the interval is too narrow.
    pub independent: bool,
}

impl Estimate {
    /// The half-width as a share of the mean; zero where both are zero.
    pub fn relative(&self) -> f64 {
        if self.half_width == 0.0 { 0.0 } else { self.half_width / self.mean.abs() }
    }

    /// From the means of at least two batches.
    fn of(means: &[f64], batch_len: u64) -> Estimate {
        let n = means.len() as f64;
        let mean = means.iter().sum::<f64>() / n;
        let squares: f64 = means.iter().map(|value| (value - mean) * (value - mean)).sum();
        let products: f64 = means.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        // The correlation of neighbours has a deviation of about 1/√n where they are independent: above
        // 1.645 of them it is one of the 5 % that seldom come by chance.
        let independent = products <= squares * 1.645 / n.sqrt();
        let half_width = t_95(means.len() - 1) * (squares / (n - 1.0) / n).sqrt();
        Estimate { mean, half_width, batches: means.len(), batch_len, independent }
    }
}

/// The mean of a series and its confidence interval by batch means: with the shortest batches whose means
/// look independent, or, where none do, with ten batches and [`Estimate::independent`] false. Values that do
/// not fill a batch are left out at the start, nearest to the warm-up.
///
/// `None` below ten values. See Law, *Simulation Modeling and Analysis*, section 9.5.3.
pub fn batch_means(values: &[f64]) -> Option<Estimate> {
    let most = values.len() / FEWEST_BATCHES;
    let with = |len: usize| {
        let rest = &values[values.len() % len..];
        let means: Vec<f64> =
            rest.chunks_exact(len).map(|batch| batch.iter().sum::<f64>() / len as f64).collect();
        Estimate::of(&means, len as u64)
    };
    (1..=most).map(with).find(|estimate| estimate.independent).or_else(|| (most > 0).then(|| with(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A series without pattern, the same on every machine: xorshift, uniform between 0 and 1.
    pub(super) fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    #[test]
    fn ten_values_give_the_interval_of_the_textbook() {
        // Mean 5.5, sum of squares 82.5: half-width 2.262 × √(82.5 / 9 / 10) = 2.1657. Their order is chosen
        // so that neighbours do not go together.
        let estimate = batch_means(&[1.0, 10.0, 3.0, 8.0, 5.0, 6.0, 7.0, 4.0, 9.0, 2.0]).unwrap();
        assert_eq!((estimate.mean, estimate.batches, estimate.batch_len), (5.5, 10, 1));
        assert!((estimate.half_width - 2.1657).abs() < 1e-4);
        assert!(estimate.independent);
    }

    #[test]
    fn nine_values_give_none() {
        assert_eq!(batch_means(&[1.0; 9]), None);
        assert_eq!(batch_means(&[]), None);
    }

    #[test]
    fn a_constant_has_an_interval_of_no_width() {
        let estimate = batch_means(&[4.0; 60]).unwrap();
        assert_eq!((estimate.mean, estimate.half_width, estimate.independent), (4.0, 0.0, true));
        assert_eq!(estimate.relative(), 0.0);
    }

    #[test]
    fn a_series_that_remembers_gets_longer_batches_and_a_wider_interval() {
        // x' = 0.9 x + e remembers about 20 values, and the variance of its mean is (1 + 0.9) / (1 - 0.9) = 19
        // times that of independent values: an interval that takes them for such is 4.4 times too narrow.
        let mut draw = noise(42);
        let mut x = 0.0;
        let values: Vec<f64> = (0..2_000)
            .map(|_| {
                x = 0.9 * x + draw() - 0.5;
                100.0 + x
            })
            .collect();
        let (honest, naive) = (batch_means(&values).unwrap(), Estimate::of(&values, 1));
        assert!(honest.independent && !naive.independent);
        assert!(honest.batch_len > 5);
        assert!(honest.half_width > 2.5 * naive.half_width);
    }

    #[test]
    fn a_drift_is_never_taken_for_independent() {
        let rising: Vec<f64> = (0..100).map(f64::from).collect();
        let estimate = batch_means(&rising).unwrap();
        assert!(!estimate.independent);
        assert_eq!(estimate.batches, 10);
    }

    #[test]
    fn ninety_five_of_a_hundred_intervals_hold_the_truth() {
        let held = (1..=1_000)
            .filter(|seed| {
                let mut draw = noise(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(*seed));
                let values: Vec<f64> = (0..60).map(|_| draw()).collect();
                let estimate = batch_means(&values).unwrap();
                (estimate.mean - 0.5).abs() <= estimate.half_width
            })
            .count();
        // Binomial: 950 ± 3 × 6.9.
        assert!((929..=971).contains(&held), "{held} of 1,000");
    }
}
