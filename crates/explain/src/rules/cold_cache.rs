//! The host cache is cold: reads go to the disks.
//!
//! Documentation: a host cache is empty after a restart, and takes hours to fill.
//! Evidence: cached disks, and reads held by a limit behind the cache.
//! Remedy: wait, read the data once, or host cache none.

use iobound_predict::CacheState;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::usage::has_cache;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !has_cache(case.resolved) || case.observed.total.read.is_some_and(|read| read < 0.3) {
        return None;
    }
    let behind = case.full().find(|usage| !usage.is_certain() && usage.group != "vm.cached");
    let cold = case.cache == CacheState::Cold;
    let behind = behind?;
    let (confidence, weight) = if cold { (Confidence::Strong, 1.5) } else { (Confidence::Likely, 0.5) };
    let claim = format!("{} holds reads that a warm cache would answer", behind.name());
    Some(
        Finding::new("cold-cache", confidence, weight, claim)
            .because(format!("{} at {:.0} % if all reads miss", behind.name(), behind.share() * 100.0))
            .advise("read the data once, and measure again")
            .to_be_sure("the same run a second time"),
    )
}
