//! The volume hardly answers.
//!
//! Documentation: cockroachdb/cockroach#32199: a volume that was "completely unavailable" until a restart; Microsoft, I/O
//! performance analysis of SQL Server on Azure VMs: disk latency above 500 ms for five minutes is a problem of its own.
//! Evidence: every limit far from full, and an I/O that takes half a second and many times the media. A rate of a few I/Os a
//! second alone is *possible*.
//! Remedy: detach and attach the volume, or start the VM elsewhere; ask the cloud.

use iobound_units::Grouped;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    let iops = total.iops?;
    let [_, _, slow] = case.media_ms()?;
    if case.fullest() >= of::HARDLY || !case.has_room() {
        return None;
    }
    let least = of::STALLED_MS.max(of::STALLED * slow);
    // Processors that wait for I/O wait for as many I/Os at the least.
    let waited = case.waiting().filter(|_| case.waits()).map(|waiting| waiting / iops * 1e3);
    let ms = total.latency_us.typical().map(|us| us / 1e3).or(waited);
    // Outstanding ÷ IOPS is no measured latency: a client that paused gives the same figures.
    let stalled = if case.observed.is_latency_derived { Confidence::Possible } else { Confidence::Likely };
    let (confidence, weight) = match ms {
        Some(ms) if ms >= least => (stalled, 1.3),
        Some(ms) if iops < of::STALLED_IOPS && ms >= of::STALLED * slow => (Confidence::Possible, 0.9),
        Some(_) => return None,
        // Few applications ask for so little for long, and fewer people ask why they do.
        None if iops < of::STALLED_IOPS => (Confidence::Possible, 0.85),
        None => return None,
    };
    let claim = match ms {
        Some(ms) => format!(
            "an I/O takes {ms:.0} ms, and no limit is more than {:.0} % full",
            (case.fullest() * 100.0).ceil()
        ),
        None => format!(
            "{} IOPS may be all that a volume with stalled I/Os answers",
            Grouped(iops.round() as u64)
        ),
    };
    Some(
        Finding::new("stalled-volume", confidence, weight, claim)
            .because(format!("the slowest measured disks of its type take {slow:.1} ms"))
            .advise("look for I/O errors and timeouts in the kernel log (dmesg), detach and attach the volume, or start the VM elsewhere; the cloud's health page and support see stalled volumes")
            .to_be_sure("the oldest I/O outstanding (/sys/block/NAME/inflight, and iostat -x 1: a queue without completions)"),
    )
}
