//! The operating system's memory answered.
//!
//! Documentation: buffered I/O: what fits memory never meets the disk.
//! Evidence: faster than any disk of this type, buffered and above a limit, or many times what a VM lets through to
//! remote disks. The last alone is *possible*.
//! Remedy: O_DIRECT, or a file of twice the memory.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::rules::limit::figure;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let latency = case.observed.total.latency_us.typical();
    let memory_us = if case.is_local() { of::LOCAL_MEMORY_US } else { of::MEMORY_US };
    let fast = latency.is_some_and(|us| us < memory_us);
    // A disk may be let through more than it is sold for, a VM's limit is what no remote disk gets past; of a limit with
    // credits, what they allow. A local disk may be faster than it is listed.
    let has_vm = case.usages.iter().any(|usage| usage.group.starts_with("vm."));
    let is_local = case.is_local();
    let times = case
        .usages
        .iter()
        .filter(|usage| case.is_certain(usage) && (usage.group.starts_with("vm.") || !has_vm))
        .map(|usage| {
            let most = usage.burst.map_or(usage.enforced, |(rate, _)| rate.max(usage.enforced));
            (usage.used / most, format!("{}, {}", usage.name(), figure(most, usage.dimension)))
        })
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    let (times, limit) = times.unwrap_or_default();
    let buffered = case.observed.buffered == Some(true);
    let many = times >= of::TIMES_A_LIMIT && !is_local;
    if !(fast || many || (buffered && times > of::MORE_THAN_SHORT)) {
        return None;
    }
    let (confidence, weight) = match fast || buffered {
        true => (Confidence::Strong, 2.6),
        false if case.is_stated() => (Confidence::Likely, 2.6),
        false => (Confidence::Possible, 2.6),
    };
    let mut finding =
        Finding::new("page-cache", confidence, weight, "the page cache answered, not the disks");
    if let Some(us) = latency.filter(|_| fast) {
        finding = finding.because(format!("{us:.0} µs is faster than any disk and its cache"));
    }
    if times > of::MORE_THAN_SHORT {
        finding = finding.because(format!("{times:.1} x {limit}, which every I/O has to pass"));
    }
    let finding = finding
        .advise("measure with O_DIRECT, or with data of more than twice the memory")
        .to_be_sure("the same with direct I/O");
    Some(Finding { remedies: vec![Remedy::again("with direct I/O", Circumstance::Usual)], ..finding })
}
