//! Reads miss the host cache, and stay under the cached limit all the same.
//!
//! Documentation: azure-docs#85354: misses of cached disks are capped by the cached limit, while the uncached one reads
//! 80 %. Evidence: the cached limit is full, and the cache cannot hold the data. Remedy: host cache none for data that
//! does not fit.

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.group == "vm.cached")?;
    let read = case.observed.total.read;
    if read.is_some_and(|read| read < of::HARDLY) {
        return None;
    }
    let typical = case.media_ms()?[1];
    let latency = case.observed.total.latency_us.p50.map(|us| us / 1e3);
    // Half of the I/Os take as long as the media, and no queue explains that.
    let as_media = !case.is_deep()
        && latency.is_some_and(|ms| (of::FAST_MEDIA * typical..of::WAITING * typical).contains(&ms));
    // Where the reads are known, and known to miss, writes are the smaller part of the story.
    let (confidence, weight) = match case.misses() {
        true if read.is_none_or(|read| read >= 0.5) => (Confidence::Strong, 2.0),
        true => (Confidence::Strong, 0.5),
        false if as_media => (Confidence::Likely, 1.0),
        false => (Confidence::Possible, 0.6),
    };
    let claim = format!("misses pass {} as well as the uncached limit and the disk", full.name());
    let mut finding = Finding::new("cached-miss", confidence, weight, claim)
        .because(format!("the cached limit is at {:.0} %", full.share() * 100.0));
    if let Some(size) = case.observed.size.filter(|size| size.get() > case.cache_size().get()) {
        finding = finding.because(format!("{size} are used, and the cache holds {}", case.cache_size()));
    }
    if let Some(uncached) = case.usage("vm.uncached", full.dimension) {
        let share = uncached.used_high / uncached.enforced;
        finding =
            finding.because(format!("the uncached limit is at {:.0} % if all reads miss", share * 100.0));
    }
    let finding = finding
        .advise("host cache none for data that does not fit it; keep it for what is read again")
        .to_be_sure(
            "read the same 1 GiB twice: the second pass hits the cache, and is no faster if the limit binds",
        );
    Some(Finding { remedies: change::uncached(case), ..finding })
}
