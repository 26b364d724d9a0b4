//! Figures as DiskSpd prints them.

use crate::error::{At, Trouble};

/// Beyond this nothing that can be measured lies, and sums of figures stay finite.
const LARGEST: f64 = 1e15;

/// A figure; `None` with a problem.
pub(super) fn figure(text: &str, what: &str, at: At, trouble: &mut Trouble) -> Option<f64> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && (0.0..LARGEST).contains(value));
    if value.is_none() {
        trouble.add(at, format!("{what}: `{text}` is not a figure"), "give DiskSpd's unchanged output");
    }
    value
}

/// A figure that may be unknown: `N/A`, or what printf makes of a division of zero by zero.
pub(super) fn known(text: &str, what: &str, at: At, trouble: &mut Trouble) -> Option<f64> {
    let lower = text.trim_start_matches('-').to_ascii_lowercase();
    if lower.is_empty() || lower == "n/a" || lower.starts_with("nan") || lower.starts_with("1.#") {
        return None;
    }
    figure(text, what, at, trouble)
}

/// A count; `None` with a problem.
pub(super) fn count(text: &str, what: &str, at: At, trouble: &mut Trouble) -> Option<u64> {
    let value = text.parse::<u64>().ok();
    if value.is_none() {
        trouble.add(at, format!("{what}: `{text}` is not a whole number"), "give DiskSpd's unchanged output");
    }
    value
}
