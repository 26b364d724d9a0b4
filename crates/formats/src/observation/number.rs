//! Figures as tools print them, in any locale.

/// The most that is read as a figure: products of several stay finite.
const MOST: f64 = 1e30;

/// A figure that is not negative and at most 10^30, with a point or a comma as its decimal mark; groups of digits are refused, since
/// `1,234` would be read as either. An exponent may follow. `None`: it is none.
pub fn figure(text: &str) -> Option<f64> {
    let text = text.trim();
    // The longest that a double needs is some 20 characters; what is longer is no figure of a tool.
    if text.is_empty() || text.len() > 40 {
        return None;
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let marks = mantissa.bytes().filter(|byte| matches!(byte, b'.' | b',')).count();
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    if marks > 1 || digits == 0 || marks + digits != mantissa.len() {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || digits.len() > 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
    }
    text.replace(',', ".").parse::<f64>().ok().filter(|figure| *figure <= MOST)
}

/// A whole number; counters are printed without groups.
pub(crate) fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_mark_is_a_point_or_a_comma() {
        for (text, expected) in [
            ("12.50", Some(12.5)),
            (" 12,50 ", Some(12.5)),
            ("3", Some(3.0)),
            ("4.9e-05", Some(4.9e-5)),
            ("1,5E+2", Some(150.0)),
            ("1,234.5", None),
            ("1.234.567", None),
            ("-1", None),
            ("nan", None),
            ("1e999", None),
            ("1e31", None),
            ("", None),
            (".", None),
            ("12%", None),
        ] {
            assert_eq!(figure(text), expected, "{text}");
        }
    }

    #[test]
    fn a_counter_is_whole() {
        assert_eq!(count("18446744073709551615"), Some(u64::MAX));
        for text in ["18446744073709551616", "1,234", "1.5", "-1", "+1", ""] {
            assert_eq!(count(text), None, "{text}");
        }
    }
}
