//! The host cache is cold: reads go to the disks.
//!
//! Documentation: a host cache is empty after a restart, and takes hours to fill.
//! Evidence: cached disks, and reads held by a limit behind the cache.
//! Remedy: wait, read the data once, or host cache none.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::thresholds as of;
use crate::usage::has_cache;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let read = case.observed.total.read;
    // A cache that is too small is not cold: it never holds the data.
    if !has_cache(case.resolved) || case.outgrows_cache() || read.is_some_and(|read| read < of::HARDLY) {
        return None;
    }
    let behind = case
        .full()
        .find(|usage| !case.is_certain(usage) && usage.group != "vm.cached" && usage.used > usage.used_low)?;
    // Nothing but misses fill a limit behind the cache to the figure, where it is reads that go there.
    let reads = read.is_some_and(|read| read >= of::MOSTLY);
    let (confidence, weight) = match case.misses() {
        true => (Confidence::Strong, 1.5),
        false if reads => (Confidence::Likely, 1.2),
        false => (Confidence::Likely, 0.5),
    };
    let claim = format!("{} limits reads that a warm cache would answer", behind.name());
    let finding = Finding::new("cold-cache", confidence, weight, claim)
        .because(format!("{} at {:.0} % if all reads miss", behind.name(), behind.share() * 100.0))
        .advise("read the data once, and measure again; if it does not fit the cache, host cache none")
        .to_be_sure("the same run a second time");
    Some(Finding { remedies: vec![Remedy::again("once the cache is warm", Circumstance::Warm)], ..finding })
}
