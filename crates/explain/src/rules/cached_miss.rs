//! Reads miss the host cache, and stay under the cached limit all the same.
//!
//! Documentation: azure-docs#85354: misses of cached disks are capped by the cached limit, while the uncached one reads 80 %.
//! Evidence: the cached limit is full, and the cache cannot hold what is read.
//! Remedy: host cache none for what does not fit it.

use iobound_predict::CacheState;

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.group == "vm.cached")?;
    if case.observed.total.read.is_some_and(|read| read < 0.3) {
        return None;
    }
    let media = case.media_ms()?[0];
    let latency = case.observed.total.latency_us.p50.map(|us| us / 1e3);
    let depth = case.observed.total.depth.or(case.observed.total.held());
    let as_media = depth.is_some_and(|depth| depth < 64.0) && latency.is_some_and(|ms| ms >= 0.8 * media);
    let (confidence, weight) = match case.cache == CacheState::Cold {
        true => (Confidence::Strong, 2.0),
        false if as_media => (Confidence::Likely, 1.0),
        false => (Confidence::Possible, 0.6),
    };
    let claim = format!("misses pass {} as well as the uncached limit and the disk", full.name());
    let mut finding = Finding::new("cached-miss", confidence, weight, claim)
        .because(format!("the cached limit is at {:.0} %", full.share() * 100.0));
    if let Some(uncached) = case.usage("vm.uncached", full.dimension) {
        finding =
            finding.because(format!("the uncached limit is at {:.0} % at most", uncached.share() * 100.0));
    }
    let finding = finding
        .to_be_sure("read the same 1 GiB twice: the second time is hits, and no faster if it is the limit");
    Some(Finding { remedies: change::uncached(case), ..finding })
}
