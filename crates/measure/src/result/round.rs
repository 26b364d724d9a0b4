//! The one place where figures of a result are rounded: the same figures give the same bytes.

/// To so many decimals, half away from zero. Multiplication, rounding and division are exact by IEEE 754, so
/// every machine gets the same number, and its shortest decimal form is unique.
fn to(value: f64, decimals: i32) -> f64 {
    assert!(value.is_finite(), "a figure of a result is {value}");
    let scale = [1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0][decimals as usize];
    // Beyond 2^53 there are no decimals, and the product may overflow.
    if value.abs() >= 9_007_199_254_740_992.0 {
        return value;
    }
    // Adding zero turns -0.0, which would be printed with its sign, into 0.0.
    (value * scale).round() / scale + 0.0
}

/// I/Os per second, to two decimals.
pub fn iops(value: f64) -> f64 {
    to(value, 2)
}

/// Bytes per second, to whole bytes.
pub fn bytes_per_s(value: f64) -> f64 {
    to(value, 0)
}

/// Nanoseconds as microseconds, to three decimals: whole nanoseconds.
pub fn us(value_ns: f64) -> f64 {
    to(value_ns / 1e3, 3)
}

/// Nanoseconds as seconds, to six decimals: whole microseconds.
pub fn seconds(value_ns: u64) -> f64 {
    to(value_ns as f64 / 1e9, 6)
}

/// Outstanding I/Os, to three decimals.
pub fn depth(value: f64) -> f64 {
    to(value, 3)
}

/// A standard error, to six decimals.
pub fn error(value: f64) -> f64 {
    to(value, 6)
}

/// A share of one, to four decimals: hundredths of a percent.
pub fn share(value: f64) -> f64 {
    to(value, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_half_away_from_zero() {
        assert_eq!(iops(15_300.125), 15_300.13);
        assert_eq!(us(2_091_234.567_8), 2_091.235);
        assert_eq!(bytes_per_s(62_668_799.5), 62_668_800.0);
        assert_eq!(share(-0.12345), -0.1235);
        assert!(share(-0.000_01).is_sign_positive());
        assert_eq!(seconds(1_234_567_891), 1.234_568);
    }

    #[test]
    fn a_figure_too_large_for_decimals_stays() {
        assert_eq!(iops(1e300), 1e300);
    }
}
