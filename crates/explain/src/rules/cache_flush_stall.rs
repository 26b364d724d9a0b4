//! A flush of dirty data stalls the disk.
//!
//! Documentation: aks-engine PR 4332: with a ReadWrite cache a flush waits for all that is dirty.
//! Evidence: writes under ReadWrite, and a tail many times the mean.
//! Remedy: host cache none for what is flushed: logs, journals.

use iobound_catalog::CacheSetting;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    let cached = case.resolved.disks.iter().any(|disk| disk.cache == CacheSetting::ReadWrite);
    if !cached || total.read.is_some_and(|read| read > 0.9) {
        return None;
    }
    let tail = total.latency_us.p99.or(total.latency_us.p95)?;
    let typical = total.latency_us.typical();
    if tail < of::STALL_US && typical.is_none_or(|typical| tail < of::STALL * typical) {
        return None;
    }
    let claim =
        format!("the tail is {:.0} ms: flushes wait for dirty data in the ReadWrite cache", tail / 1e3);
    let finding = Finding::new("cache-flush-stall", Confidence::Likely, 1.4, claim)
        .because(
            typical.map_or("p99 above 100 ms".into(), |typical| format!("{:.0} x the mean", tail / typical)),
        )
        .advise("host cache none for what is flushed: logs, journals, etcd")
        .to_be_sure("the same with fsync=0");
    Some(Finding { remedies: vec![Remedy::of(Change::Cache(CacheSetting::None))], ..finding })
}
