//! The percentiles a sample that can support, and which of its values they are.

/// The percentiles that a result shows.
pub const SHOWN: [f64; 8] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999];

/// Number of values that a percentile needs above it to be more than an accident.
const VALUES_ABOVE: f64 = 10.0;

/// True if `count` values are enough for this percentile: at least ten of them must lie above it, so p50
/// needs 20, p99 1,000, p99.9 10,000 and p99.99 100,000.
pub fn supported(percentile: f64, count: u64) -> bool {
    // In millionths of a percent: 100 - 99.9 is not 0.1 in binary, and a bound is to be met exactly.
    let above = ((100.0 - percentile) * 1e6).round();
    count as f64 * above >= VALUES_ABOVE * 1e8
}

/// Index of a percentile among `count` ordered values, counted from 1: HdrHistogram's rule.
pub(crate) fn rank(percentile: f64, count: u64) -> u64 {
    (((percentile / 100.0).min(1.0) * count as f64).ceil() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_ten_values_above_it() {
        for (percentile, least) in [
            (50.0, 20),
            (90.0, 100),
            (95.0, 200),
            (99.0, 1_000),
            (99.9, 10_000),
            (99.99, 100_000),
            (99.999, 1_000_000),
            (99.9999, 10_000_000),
        ] {
            assert!(supported(percentile, least), "{percentile} with {least}");
            assert!(!supported(percentile, least - 1), "{percentile} with {}", least - 1);
        }
    }
}
