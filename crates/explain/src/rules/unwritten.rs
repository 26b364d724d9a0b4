//! Blocks that were never written were read.
//!
//! Documentation: thin disks answer such reads without their media.
//! Evidence: reads at a stated depth that are faster than the media. Without the depth, or with a rate above a limit, it
//! is *possible*.
//! Remedy: write the file once before it is read.

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::thresholds as of;
use crate::usage::has_cache;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    if has_cache(case.resolved) || total.read.is_some_and(|read| read < 0.5) {
        return None;
    }
    let [fast, ..] = case.media_ms()?;
    let us = total.latency_us.typical();
    let quick = us.is_some_and(|us| us >= of::MEMORY_US && us / 1e3 < of::NO_MEDIA * fast);
    let above = case.usages.iter().find(|usage| case.level(usage) == Level::Above && usage.burst.is_none());
    let (confidence, weight) = match (quick, above.is_some()) {
        (true, _) if total.depth.is_some() => (Confidence::Likely, 1.3),
        (true, _) => (Confidence::Possible, 0.8),
        (false, true) => (Confidence::Possible, 0.7),
        _ => return None,
    };
    let claim = "reads of unwritten blocks do not reach the media";
    let mut finding = Finding::new("unwritten", confidence, weight, claim);
    if let Some(us) = us.filter(|_| quick) {
        let ms = us / 1e3;
        finding = finding.because(format!("{ms:.2} ms is less than the media's minimum, {fast:.2} ms"));
    }
    if let Some(usage) = above {
        finding = finding.because(format!("{} at {:.0} %", usage.name(), usage.share() * 100.0));
    }
    let finding = finding.advise("write the whole file first").to_be_sure("write it, and read again");
    Some(Finding { remedies: vec![Remedy::again("once it is written", Circumstance::Usual)], ..finding })
}
