//! I/Os that take long may wait at a limit, where no rate is known.
//!
//! Documentation: Little's law: at a full limit, latency = outstanding / IOPS, whatever the media take.
//! Evidence: a latency above that of the media, and no rate: no limit can be ruled out.
//! Remedy: measure the rate, which tells a full limit from a slow disk.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.usages.is_empty() || case.is_local() {
        return None;
    }
    let [_, _, slow] = case.media_ms()?;
    let ms = case.observed.total.latency_us.typical()? / 1e3;
    if ms <= of::SLOW_MEDIA * slow {
        return None;
    }
    let claim = format!("{ms:.1} ms may be time that I/Os wait at a limit of the disk or the VM");
    Some(
        Finding::new("throttled", Confidence::Possible, 1.0, claim)
            .because(format!("the media takes {slow:.1} ms at most"))
            .because("no rate is known, so no limit can be ruled out")
            .advise("measure the rate: at a full limit it is the limit's figure, however long an I/O takes")
            .to_be_sure(
                "the rate and the queue (iostat -x 1: r/s, w/s, rkB/s, wkB/s, aqu-sz), which costs no load",
            ),
    )
}
