//! Writes to a disk with a ReadOnly cache pass the cached limit, and gain nothing.
//! Without a load: A log on a disk with a ReadOnly cache: its writes pass the cached limit, and gain nothing.
//!
//! Documentation: Azure VM and disk performance: a write passes the cached limit, the uncached one and the disk
//! (azure-docs#37054: writes held at 128 MB/s with ReadOnly).
//! Documentation without a load: SQL Server on Azure VMs, storage checklist: host cache None for logs.
//! Evidence: mostly writes, a ReadOnly cache, the cached limit full.
//! Remedy: host cache none.

use iobound_catalog::CacheSetting;

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::setup::Look;
use crate::thresholds as of;

pub(super) fn loaded(case: &Case<'_>) -> Option<Finding> {
    let full = case.full().find(|usage| usage.group == "vm.cached")?;
    let writes = 1.0 - case.observed.total.read?;
    let is_read_cache = case.resolved.disks.iter().any(|disk| disk.cache == CacheSetting::ReadOnly);
    if !is_read_cache || writes < of::HARDLY {
        return None;
    }
    let (confidence, weight) =
        if writes >= of::MOSTLY { (Confidence::Strong, 2.0) } else { (Confidence::Likely, 0.5) };
    let claim = format!(
        "{:.0} % of the I/Os are writes, which the read cache does not speed up and {} limits",
        writes * 100.0,
        full.name()
    );
    let finding = Finding::new("write-under-read-cache", confidence, weight, claim)
        .because(format!("the cached limit is at {:.0} %", full.share() * 100.0))
        .advise("host cache none on disks that are mostly written")
        .to_be_sure("the same with host cache none: writes rise to the uncached limit or the disk's");
    Some(Finding { remedies: change::uncached(case), ..finding })
}

pub(super) fn unloaded(look: &Look<'_>) -> Option<Finding> {
    let cached = look.data().into_iter().filter(|disk| disk.cache == Some(CacheSetting::ReadOnly));
    let logs: Vec<String> =
        cached.filter(|disk| look.is_log(disk)).map(|disk| disk.device().to_string()).collect();
    if logs.is_empty() {
        return None;
    }
    let claim = format!(
        "{} looks like a log volume and has a ReadOnly host cache: its writes pass the cached limit without benefit",
        crate::setup::listed(&logs)
    );
    Some(
        Finding::new("write-under-read-cache", Confidence::Likely, 1.4, claim)
            .because("by the names of its files")
            .advise("host cache none for logs"),
    )
}
