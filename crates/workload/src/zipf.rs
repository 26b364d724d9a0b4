//! Zipf's law over any number of ranks in constant time and space, for every exponent from 0 upwards.
//!
//! Rejection-inversion: Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone
//! discrete distributions", ACM TOMACS 6 (1996). A point is drawn under the integral of x^−θ; it is the rank's
//! whose unit-wide bar it falls into, and is drawn again where it lies above the bar. The result follows the law
//! exactly, up to rounding.

use crate::math::{exp, expm1_over, ln, ln1p_over};
use crate::random::Random;

/// Draws ranks `0..count` with probability proportional to (rank + 1)^−theta.
#[derive(Clone, Debug)]
pub(crate) struct Zipf {
    count: u64,
    theta: f64,
    /// The integral at the lower and the upper end of what is drawn from.
    low: f64,
    high: f64,
    /// A point no further than this left of its rank is below the bar without further test.
    sure: f64,
}

impl Zipf {
    /// The law over `count` ranks; `count` is not zero, `theta` not negative.
    pub(crate) fn new(count: u64, theta: f64) -> Zipf {
        assert!(count > 0 && theta >= 0.0, "Zipf's law needs a rank and an exponent of 0 or more");
        let mut zipf = Zipf { count, theta, low: 0.0, high: 0.0, sure: 0.0 };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(count as f64 + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.bar(2.0));
        zipf
    }

    /// x^−θ.
    fn bar(&self, x: f64) -> f64 {
        exp(-self.theta * ln(x))
    }

    /// ∫ t^−θ dt from 1 to x: (x^(1−θ) − 1) / (1 − θ), and ln x at θ = 1.
    fn integral(&self, x: f64) -> f64 {
        let log = ln(x);
        expm1_over((1.0 - self.theta) * log) * log
    }

    /// The x at which the integral is y.
    fn inverse(&self, y: f64) -> f64 {
        // Rounding may take the argument of the logarithm just below its pole.
        let t = (y * (1.0 - self.theta)).max(-1.0 + f64::EPSILON);
        exp(ln1p_over(t) * y)
    }

    /// One draw.
    pub(crate) fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.high + random.unit() * (self.low - self.high);
            let x = self.inverse(u);
            let rank = (x + 0.5).floor().clamp(1.0, self.count as f64);
            if rank - x <= self.sure || u >= self.integral(rank + 0.5) - self.bar(rank) {
                return rank as u64 - 1;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the platform's functions are the oracle here")]
mod tests {
    use super::*;

    /// Pearson's statistic of draws against the exact law, ranks of fewer than five expected pooled; with its
    /// degrees of freedom.
    fn chi_square(count: u64, theta: f64, draws: u32) -> (f64, f64) {
        let zipf = Zipf::new(count, theta);
        let mut random = Random::keyed(&[count, theta.to_bits()]);
        let mut seen = vec![0u32; count as usize];
        for _ in 0..draws {
            seen[zipf.draw(&mut random) as usize] += 1;
        }
        let weights: Vec<f64> = (1..=count).map(|k| (k as f64).powf(-theta)).collect();
        let total: f64 = weights.iter().sum();
        let (mut statistic, mut freedom) = (0.0, -1.0);
        let (mut pooled_seen, mut pooled_expected) = (0.0, 0.0);
        for (seen, weight) in seen.iter().zip(weights) {
            pooled_seen += f64::from(*seen);
            pooled_expected += weight / total * f64::from(draws);
            if pooled_expected >= 5.0 {
                statistic +=
                    (pooled_seen - pooled_expected) * (pooled_seen - pooled_expected) / pooled_expected;
                freedom += 1.0;
                (pooled_seen, pooled_expected) = (0.0, 0.0);
            }
        }
        (statistic, freedom)
    }

    #[test]
    fn frequencies_are_those_of_the_exact_law() {
        for theta in [0.0, 0.4, 0.8, 0.99, 1.0, 1.000_001, 1.2, 2.0, 5.0] {
            for count in [2, 10, 1_000] {
                let (statistic, freedom) = chi_square(count, theta, 200_000);
                // Mean `freedom`, variance twice that: five deviations.
                let bound = freedom + 5.0 * (2.0 * freedom).sqrt();
                assert!(statistic <= bound, "{count} ranks, theta {theta}: {statistic} > {bound}");
            }
        }
    }

    #[test]
    fn sixteen_billion_ranks_cost_no_more_than_ten() {
        let count = 1u64 << 34;
        for theta in [0.5, 0.99, 1.0, 1.1] {
            let zipf = Zipf::new(count, theta);
            let mut random = Random::keyed(&[9]);
            let draws = 100_000;
            let first_thousand = (0..draws).filter(|_| zipf.draw(&mut random) < 1_000).count() as f64;
            // The share of the first thousand: their sum over the whole, the tail by its integral.
            let head: f64 = (1..=1_000).map(|k| f64::from(k).powf(-theta)).sum();
            let tail = if theta == 1.0 {
                (count as f64 + 0.5).ln() - 1_000.5f64.ln()
            } else {
                ((count as f64 + 0.5).powf(1.0 - theta) - 1_000.5f64.powf(1.0 - theta)) / (1.0 - theta)
            };
            let share = head / (head + tail);
            let deviation = (f64::from(draws) * share * (1.0 - share)).sqrt();
            let error = (first_thousand - f64::from(draws) * share).abs();
            assert!(error < 5.0 * deviation, "theta {theta}: {first_thousand}");
        }
    }

    #[test]
    fn one_rank_is_always_the_first() {
        let zipf = Zipf::new(1, 1.2);
        let mut random = Random::keyed(&[4]);
        assert!((0..100).all(|_| zipf.draw(&mut random) == 0));
    }
}
