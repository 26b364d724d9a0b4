//! A flush of dirty data stalls the disk.
//! Without a load: data on a disk with a ReadWrite cache: a flush waits for all that is dirty, and a host that fails
//! loses it.
//!
//! Documentation: aks-engine PR 4332: with a ReadWrite cache a flush waits for all that is dirty.
//! Documentation without a load: aks-engine PR 4332 (flushes that stall the disk); SQL Server on Azure VMs, storage
//! checklist: ReadWrite for no data and no logs.
//! Evidence: writes under ReadWrite, and a tail many times the mean.
//! Remedy: host cache none for what is flushed: logs, journals.
//! Remedy without a load: ReadOnly for data, none for logs.

use iobound_catalog::CacheSetting;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};
use crate::setup::{Look, Use};
use crate::thresholds as of;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
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

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    // The operating system's has it by default.
    let cached = look
        .setup
        .disks
        .iter()
        .filter(|disk| disk.used_for == Some(Use::Data) && disk.cache == Some(CacheSetting::ReadWrite));
    let names: Vec<String> = cached.clone().map(|disk| disk.device().to_string()).collect();
    if names.is_empty() {
        return None;
    }
    let has_log = cached.clone().any(|disk| look.is_log(disk));
    let claim = format!(
        "{} has a ReadWrite host cache: each flush waits for all dirty data, and a host failure can lose acknowledged \
         writes",
        crate::setup::listed(&names)
    );
    let confidence = if has_log { Confidence::Strong } else { Confidence::Likely };
    let mut finding = Finding::new("cache-flush-stall", confidence, 1.9, claim);
    if has_log {
        finding = finding.because("a log, by the names of its files");
    }
    Some(finding.advise("host cache ReadOnly for data that is read again, none for logs"))
}
