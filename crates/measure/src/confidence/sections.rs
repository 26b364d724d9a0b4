//! The standard error of a figure that is no mean: the counted time in sections, the figure of each.

/// The fewest sections that an error is made of.
pub const LEAST_SECTIONS: usize = 10;

/// Neighbouring sections that go together more than this are nearly one: no correction would fix that.
const MOST_CORRELATION: f64 = 0.9;

/// Confidence in a figure, from how far those of sections lie from the whole's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// The standard error of the whole's figure.
    pub error: f64,
    /// Number of sections.
    pub sections: usize,
    /// Number of intervals that make a section.
    pub length: usize,
    /// True if neighbouring sections look independent; where not, the error is corrected for it as well as can be.
    pub independent: bool,
}

/// The error of a whole from the deviations of its sections, by sectioning (Asmussen and Glynn, *Stochastic
/// Simulation*, section III.5): √(Σ d² ÷ (n (n − 1))), where d is measured from the whole's own figure, so that what
/// makes short sections lie to one side of it makes the error larger and not smaller.
///
/// Sections that remember the one before say less than as many that do not: as in an autoregression of the first order
/// the variance is (1 + r) ÷ (1 − r) times as large, r the correlation of neighbours.
///
/// `None` below [`LEAST_SECTIONS`].
pub fn section_error(deviations: &[f64], length: usize) -> Option<Section> {
    let sections = deviations.len();
    if sections < LEAST_SECTIONS {
        return None;
    }
    let n = sections as f64;
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    let mean = deviations.iter().sum::<f64>() / n;
    let own: f64 = deviations.iter().map(|d| (d - mean) * (d - mean)).sum();
    let products: f64 = deviations.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let correlation = if own > 0.0 { (products / own).clamp(0.0, MOST_CORRELATION) } else { 0.0 };
    // As of batch means: above 1.645 deviations it is one of the 5 % that seldom come by chance.
    let independent = correlation <= 1.645 / n.sqrt();
    let variance = squares / (n * (n - 1.0)) * (1.0 + correlation) / (1.0 - correlation);
    Some(Section { error: variance.sqrt(), sections, length, independent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_sections_have_the_textbooks_error() {
        // Mean 0, sum of squares 10: √(10 ÷ (10 × 9)) = 1/3; neighbours are opposites, so nothing is corrected.
        let deviations = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
        let section = section_error(&deviations, 3).unwrap();
        assert!((section.error - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!((section.sections, section.length, section.independent), (10, 3, true));
        assert_eq!(section_error(&deviations[..9], 1), None);
    }

    #[test]
    fn what_lies_to_one_side_of_the_whole_makes_the_error_larger() {
        // Sections that are all 2 above the whole: √(10 × 4 ÷ 90).
        let section = section_error(&[2.0; 10], 1).unwrap();
        assert!((section.error - (40.0_f64 / 90.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_drift_is_told_and_makes_the_error_larger() {
        let deviations: Vec<f64> = (0..20).map(|n| f64::from(n) - 9.5).collect();
        let section = section_error(&deviations, 1).unwrap();
        // Independent ones would have √(665 ÷ (20 × 19)) = 1.32.
        assert!(!section.independent && section.error > 3.0 * 1.32, "{section:?}");
    }
}
