//! Data on a disk with a ReadWrite cache: a flush waits for all that is dirty, and a host that fails loses it.
//!
//! Documentation: aks-engine PR 4332 (flushes that stall the disk); SQL Server on Azure VMs, storage checklist: ReadWrite
//! for no data and no logs.
//! Remedy: ReadOnly for data, none for logs.

use iobound_catalog::CacheSetting;

use super::Look;
use crate::finding::{Confidence, Finding};
use crate::setup::Use;

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
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
        "{} has the host cache ReadWrite: each flush waits for all that is dirty, and what the host acknowledged can \
         be lost with it",
        crate::setup::listed(&names)
    );
    let confidence = if has_log { Confidence::Strong } else { Confidence::Likely };
    let mut finding = Finding::new("cache-flush-stall", confidence, 1.9, claim);
    if has_log {
        finding = finding.because("by the names of what is on it, a log's");
    }
    Some(finding.advise("host cache ReadOnly for data that is read again, none for logs"))
}
