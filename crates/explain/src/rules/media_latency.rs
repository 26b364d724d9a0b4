//! The disk type cannot be that fast.
//!
//! Documentation: Premium SSD answers in 1.6 to 3.2 ms, Premium SSD v2 in 0.7, Ultra in 0.4 (tkubica12/cloud-storage-tests).
//! Evidence: the wish is below the fastest that was seen of this type.
//! Remedy: another disk type, or a host cache for what it may hold.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::usage::has_cache;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let want = case.want?.latency_us;
    let wish_ms = want.mean.or(want.p50).or(want.p95).or(want.p99)? / 1e3;
    let [fast, typical, _] = case.media_ms()?;
    if wish_ms >= 0.9 * fast
        || has_cache(case.resolved) && case.observed.total.read.is_none_or(|read| read > 0.5)
    {
        return None;
    }
    let disk = case.resolved.disks.first()?;
    let claim = format!(
        "{wish_ms:.2} ms is asked of {}, of which the fastest that were seen take {fast:.2} ms",
        disk.described
    );
    let mut finding = Finding::new("media-latency", Confidence::Strong, 2.4, claim)
        .because(format!("typical {typical:.2} ms at this block size and mix"));
    if let Some(us) = case.observed.total.latency_us.typical() {
        finding = finding.because(format!("seen {:.2} ms", us / 1e3));
    }
    Some(finding.advise("Premium SSD v2, Ultra or a local disk; Write Accelerator for logs on M sizes"))
}
