//! The difference and the ratio of two means, and how far they can be trusted.

use crate::confidence::{t_95, t_beyond};

/// Two means with the squares of their standard errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// The first.
    pub a: f64,
    /// The second.
    pub b: f64,
    /// The variance of the first mean.
    pub of_a: f64,
    /// Figure of the second.
    pub of_b: f64,
    /// Their covariance: zero of independent runs.
    pub of_both: f64,
    /// Degrees of freedom.
    pub degrees: usize,
}

/// An interval of the difference of two means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lower end of b − a.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Both ends of b ÷ a − 1; `None` where a is not told from zero.
    pub relative: Option<(f64, f64)>,
}

/// Student's t that is exceeded on both sides together with the probability `tail`.
fn t(tail: f64, degrees: usize) -> f64 {
    // Of 95 % there is a table, which has the odd degrees of freedom too.
    if tail == 0.05 { t_95(degrees.max(1)) } else { t_beyond(tail, degrees) }
}

impl Means {
    /// Of independent runs: errors and how many sections each is made of. The degrees of freedom are those of Welch and
    /// Satterthwaite (B. L. Welch, *Biometrika* 34, 1947), rounded down.
    pub fn independent(a: f64, b: f64, errors: (f64, f64), sections: (u64, u64)) -> Means {
        let (of_a, of_b) = (errors.0 * errors.0, errors.1 * errors.1);
        let own =
            |variance: f64, sections: u64| variance * variance / sections.saturating_sub(1).max(1) as f64;
        let below = own(of_a, sections.0) + own(of_b, sections.1);
        let both = of_a + of_b;
        let least = sections.0.min(sections.1).saturating_sub(1).max(1) as usize;
        // Of two constants nothing is uncertain, with however many degrees of freedom.
        let degrees = if below > 0.0 { (both * both / below) as usize } else { least };
        Means { a, b, of_a, of_b, of_both: 0.0, degrees: degrees.max(least) }
    }

    /// Of runs that took turns: the figures of each round beside those of the whole.
    ///
    /// `None` below two rounds.
    pub fn paired(a: f64, b: f64, rounds: &[(f64, f64)]) -> Option<Means> {
        if rounds.len() < 2 {
            return None;
        }
        let n = rounds.len() as f64;
        let sum = |of: fn(f64, f64) -> f64| {
            rounds.iter().map(|(own_a, own_b)| of(own_a - a, own_b - b)).sum::<f64>() / (n * (n - 1.0))
        };
        Some(Means {
            a,
            b,
            of_a: sum(|a, _| a * a),
            of_b: sum(|_, b| b * b),
            of_both: sum(|a, b| a * b),
            degrees: rounds.len() - 1,
        })
    }

    /// The standard error of b − a.
    pub fn error(&self) -> f64 {
        (self.of_a + self.of_b - 2.0 * self.of_both).max(0.0).sqrt()
    }

    /// Half the width of the interval that b − a lies outside of with the probability `tail`.
    pub fn half_width(&self, tail: f64) -> f64 {
        t(tail, self.degrees) * self.error()
    }

    /// The interval of the difference; of the ratio by Fieller's theorem (E. C. Fieller, *Journal of the Royal Statistical
    /// Society* B 16, 1954), which holds 1 exactly where that of the difference holds 0.
    pub fn bounds(&self, tail: f64) -> Bounds {
        let (half, difference) = (self.half_width(tail), self.b - self.a);
        Bounds { low: difference - half, high: difference + half, relative: self.relative(tail) }
    }

    fn relative(&self, tail: f64) -> Option<(f64, f64)> {
        let t = t(tail, self.degrees);
        let t2 = t * t;
        // (b − r a)² ≤ t² var(b − r a), a quadratic in r.
        let square = self.a * self.a - t2 * self.of_a;
        if square <= 0.0 {
            return None;
        }
        let middle = self.a * self.b - t2 * self.of_both;
        let least = self.b * self.b - t2 * self.of_b;
        // Where the errors are the same in both there is rounding left of the difference.
        let root = (middle * middle - square * least).max(0.0).sqrt();
        Some(((middle - root) / square - 1.0, (middle + root) / square - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_means_have_welchs_interval() {
        // Welch's degrees of freedom of errors 3 and 4 over 10 sections each: (9 + 16)² ÷ (81/9 + 256/9) = 16.69, and t of 16
        // is 2.120: 10 ± 2.12 × 5.
        let means = Means::independent(100.0, 110.0, (3.0, 4.0), (10, 10));
        assert_eq!(means.degrees, 16);
        let bounds = means.bounds(0.05);
        assert!((bounds.low - (10.0 - 10.6)).abs() < 1e-9 && (bounds.high - 20.6).abs() < 1e-9, "{bounds:?}");
    }

    #[test]
    fn the_ratio_has_fiellers_interval() {
        // a = 100 with error 5, b = 200 exactly, t = 2.262 (9 degrees of freedom): a lies in 88.69 to 111.31, so b ÷ a in
        // 200 ÷ 111.31 to 200 ÷ 88.69.
        let means = Means { a: 100.0, b: 200.0, of_a: 25.0, of_b: 0.0, of_both: 0.0, degrees: 9 };
        let (low, high) = means.bounds(0.05).relative.unwrap();
        assert!((low - (200.0 / 111.31 - 1.0)).abs() < 1e-9 && (high - (200.0 / 88.69 - 1.0)).abs() < 1e-9);
    }

    #[test]
    fn the_ratio_holds_one_exactly_where_the_difference_holds_zero() {
        for b in 60..140 {
            let means = Means { a: 100.0, b: f64::from(b), of_a: 36.0, of_b: 9.0, of_both: 4.0, degrees: 12 };
            let bounds = means.bounds(0.05);
            let (low, high) = bounds.relative.unwrap();
            assert_eq!(bounds.low <= 0.0 && bounds.high >= 0.0, low <= 0.0 && high >= 0.0, "{b}");
        }
    }

    #[test]
    fn a_mean_that_may_be_zero_has_no_ratio() {
        let means = Means { a: 1.0, b: 2.0, of_a: 1.0, of_b: 1.0, of_both: 0.0, degrees: 9 };
        assert_eq!(means.bounds(0.05).relative, None);
    }

    #[test]
    fn what_both_of_a_round_have_in_common_falls_out() {
        // Rounds that differ by much, in which b is always 1 more than a.
        let rounds: Vec<(f64, f64)> = (0..10).map(|n| (f64::from(n * n), f64::from(n * n) + 1.0)).collect();
        let mean = rounds.iter().map(|round| round.0).sum::<f64>() / 10.0;
        let means = Means::paired(mean, mean + 1.0, &rounds).unwrap();
        let bounds = means.bounds(0.05);
        assert!((bounds.low - 1.0).abs() < 1e-6 && (bounds.high - 1.0).abs() < 1e-6, "{bounds:?}");
        assert_eq!(Means::paired(0.0, 0.0, &rounds[..1]), None);
    }
}
