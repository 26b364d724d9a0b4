//! Too few I/Os are outstanding: IOPS = outstanding / latency.
//!
//! Documentation: Little's law; no limit is full.
//! Evidence: every limit has room, and the latency is that of an I/O alone.
//! Remedy: more outstanding I/Os: threads, depth, read-ahead of the application.

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.has_room() {
        return None;
    }
    let total = &case.observed.total;
    let latency_ms = total.latency_us.typical()? / 1e3;
    let [fast, _, slow] = case.media_ms()?;
    if latency_ms < of::FAST_MEDIA * fast || latency_ms > of::SLOW_MEDIA * slow {
        return None;
    }
    // Two buckets of one I/O never fill: a stream of one is a queue of one.
    let held = total.held()?;
    if held < of::IDLE_HELD || total.depth.is_some_and(|depth| held < of::UNFILLED * depth) {
        return None;
    }
    let (confidence, said) = match total.depth {
        Some(depth) => (Confidence::Strong, format!("{depth:.0} outstanding")),
        None => (Confidence::Likely, format!("{held:.1} outstanding, by IOPS x latency,")),
    };
    let claim = format!("{said} / {latency_ms:.2} ms = {:.0} IOPS: the depth is the limit", total.iops?);
    let own = match fast > 0.0 {
        true => format!("{latency_ms:.2} ms is the disks' own latency, {fast:.2} to {slow:.2} ms"),
        false => {
            format!("{latency_ms:.2} ms is no more than a host cache and its disks take, up to {slow:.2} ms")
        }
    };
    let finding = Finding::new("shallow-queue", confidence, 1.0, claim)
        .because(own)
        .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
        .advise("keep more I/Os outstanding: more threads, more depth, asynchronous I/O")
        .to_be_sure("double the depth: IOPS must double");
    Some(Finding { remedies: change::deeper(case), ..finding })
}
