//! The host or the disk is slower than others of its kind.
//!
//! Documentation: Microsoft's baseline for Cassandra: rare bad hosts, redeploy and measure again.
//! Evidence: every limit with room, latency above the slowest that was seen.
//! Remedy: redeploy.

use crate::case::Case;
use crate::finding::{Confidence, Finding};

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.has_room() {
        return None;
    }
    if case.is_deep() {
        return None;
    }
    let [_, _, slow] = case.media_ms()?;
    let ms = case.observed.total.latency_us.typical()? / 1e3;
    if ms <= 1.35 * slow {
        return None;
    }
    let claim = format!(
        "{ms:.1} ms with every limit below {:.0} %: slower than any of its kind, {slow:.1} ms",
        case.usages.iter().map(|usage| usage.share()).fold(0.0, f64::max) * 100.0
    );
    let writes = case.observed.total.read.is_some_and(|read| read < 0.7);
    let confidence = if writes || ms <= 3.0 * slow { Confidence::Likely } else { Confidence::Possible };
    Some(
        Finding::new("bad-host", confidence, 0.7, claim)
            .advise("deallocate and start it again elsewhere, and measure again")
            .to_be_sure("the same on another VM of this size"),
    )
}
