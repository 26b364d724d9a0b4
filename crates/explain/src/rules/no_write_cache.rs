//! Each write waits for the disk, because no cache acknowledges it earlier.
//!
//! Documentation: azure-docs#46036: logs need Write Accelerator or Ultra disks; etcd's FAQ: a slow disk shows in
//! `wal_fsync_duration_seconds`.
//! Evidence: writes one at a time, at the latency of a remote disk without ReadWrite host cache, and every limit with room.
//! Remedy: fewer, larger flushes; a faster disk type; a local disk for what may be lost.

use iobound_catalog::CacheSetting;

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    let read = total.read.filter(|read| *read <= 1.0 - of::MOSTLY)?;
    let [fast, _, slow] = case.media_ms()?;
    let ms = total.latency_us.typical()? / 1e3;
    let is_one =
        case.outstanding().is_some_and(|held| (of::ONE_THREAD..=1.0 / of::IDLE_HELD).contains(&held));
    let acknowledged = case.resolved.disks.iter().any(|disk| disk.cache == CacheSetting::ReadWrite);
    let of_media = (of::FAST_MEDIA * fast..=of::SLOW_MEDIA * slow).contains(&ms);
    if case.is_local() || acknowledged || !is_one || !of_media || !case.has_room() {
        return None;
    }
    let claim = format!("each write waits {ms:.2} ms for the disk: no cache acknowledges it earlier");
    let finding = Finding::new("no-write-cache", Confidence::Possible, 0.6, claim)
        .because(format!("{:.0} % of the I/Os are writes, one at a time", (1.0 - read) * 100.0))
        .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
        .advise("commit several transactions with one flush (group commit), a disk type with less latency, Write Accelerator on M sizes")
        .to_be_sure("the same writes without fsync: they are much faster if the flush is what waits");
    Some(Finding { remedies: change::faster_media(case), ..finding })
}
