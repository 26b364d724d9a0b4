//! The host or the disk is slower than others of its kind.
//!
//! Documentation: Microsoft's baseline for Cassandra: rare bad hosts, redeploy and measure again.
//! Evidence: every limit with room, latency above the slowest that was seen, at a depth that the workload is known to
//! keep, or second by second. Without either it is *possible*: means of an application hide bursts.
//! Remedy: redeploy.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::rules::{file_system, micro_burst};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    // Near a limit, a queue waits for it as likely as for the disk.
    let queues = case.outstanding().is_some_and(|held| held > of::FEW * case.resolved.disks.len() as f64);
    if !case.has_room() || case.is_deep() || (queues && case.fullest() >= of::FAR) {
        return None;
    }
    let [_, _, slow] = case.media_ms()?;
    let ms = case.observed.total.latency_us.typical()? / 1e3;
    if ms <= of::SLOW_MEDIA * slow || (case.is_local() && ms < of::LOCAL_SLOW_MS) {
        return None;
    }
    let claim = match case.usages.is_empty() {
        true => format!("{ms:.1} ms is slower than any disk of its kind, {slow:.1} ms"),
        false => format!(
            "{ms:.1} ms with every limit below {:.0} %: slower than any disk of its kind, {slow:.1} ms",
            (case.fullest() * 100.0).ceil()
        ),
    };
    let writes = case.observed.total.read.is_some_and(|read| read < of::UNFILLED);
    // Of an unknown block a throughput limit may be what takes time; writes to a local disk may wait for a flush; means may
    // hide a queue.
    let total = &case.observed.total;
    let is_seen = total.block.is_some() && (total.depth.is_some() || !case.observed.series.is_empty());
    let has_peaks = micro_burst::hides_a_queue(case) && case.fullest() >= of::MICRO_BURST;
    let is_flushed = file_system::flushes(case) || case.syncs().is_some();
    let is_known = is_seen && !case.usages.is_empty() && !is_flushed && !has_peaks;
    // Outstanding ÷ IOPS is no measured latency: a file system or the client may be what takes time.
    let is_known = is_known && !case.has_unknown_limits() && !case.observed.is_latency_derived;
    // One thread's mean within what the vendor plans with contains flushes and the thread's own time.
    let one_thread = total.depth.is_some_and(|depth| depth < 2.0) && case.observed.series.is_empty();
    let is_known = is_known && !(one_thread && ms < of::SINGLE_DIGIT_MS && !case.is_local());
    let confidence = if is_known && (writes || ms <= (of::FETCHED * slow).max(of::FETCHED_MS)) {
        Confidence::Likely
    } else {
        Confidence::Possible
    };
    let finding = Finding::new("bad-host", confidence, 0.7, claim)
        .because(format!("the slowest measured disks of its type take {slow:.1} ms"))
        .advise("deallocate and start it again elsewhere, and measure again")
        .to_be_sure("the same on another VM of this size");
    Some(Finding { remedies: vec![Remedy::again("on a normal host", Circumstance::Usual)], ..finding })
}
