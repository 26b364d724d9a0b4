//! A log on a disk with a ReadOnly cache: its writes pass the cached limit, and gain nothing.
//!
//! Documentation: SQL Server on Azure VMs, storage checklist: host cache None for logs.
//! Remedy: host cache none.

use iobound_catalog::CacheSetting;

use super::Look;
use crate::finding::{Confidence, Finding};

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let cached = look.data().into_iter().filter(|disk| disk.cache == Some(CacheSetting::ReadOnly));
    let logs: Vec<String> =
        cached.filter(|disk| look.is_log(disk)).map(|disk| disk.device().to_string()).collect();
    if logs.is_empty() {
        return None;
    }
    let claim = format!(
        "{} looks like a log's, and has the host cache ReadOnly, which writes pass and gain nothing by",
        crate::setup::listed(&logs)
    );
    Some(
        Finding::new("write-under-read-cache", Confidence::Likely, 1.4, claim)
            .because("by the names of what is on it")
            .advise("host cache none for logs"),
    )
}
