//! The operating system's memory answered.
//!
//! Documentation: buffered I/O: what fits memory never meets the disk.
//! Evidence: faster than any disk of this type, or many times every limit.
//! Remedy: O_DIRECT, or a file of twice the memory.

use crate::case::Case;
use crate::finding::{Confidence, Finding};

/// Faster than this is memory: a host-cache hit takes 50 µs.
const MEMORY_US: f64 = 30.0;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let latency = case.observed.total.latency_us.typical();
    let fast = latency.is_some_and(|us| us < MEMORY_US);
    let times =
        case.usages.iter().filter(|usage| usage.is_certain()).map(|usage| usage.share()).fold(0.0, f64::max);
    let buffered = case.observed.buffered == Some(true);
    let by_memory = fast || times >= 3.0 || (buffered && times > 1.2);
    if !by_memory {
        return None;
    }
    let (confidence, weight) =
        if fast || buffered { (Confidence::Strong, 2.6) } else { (Confidence::Possible, 0.9) };
    let mut finding = Finding::new("page-cache", confidence, weight, "memory answered, not the disks");
    if let Some(us) = latency.filter(|_| fast) {
        finding = finding.because(format!("{us:.0} µs is faster than any remote disk and its cache"));
    }
    if times > 1.2 {
        finding = finding.because(format!("{times:.1} x a limit that every I/O has to pass"));
    }
    Some(
        finding
            .advise("measure with O_DIRECT, or over twice the memory")
            .to_be_sure("the same with direct I/O"),
    )
}
