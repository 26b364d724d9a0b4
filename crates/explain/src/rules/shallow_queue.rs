//! Too few I/Os are outstanding: IOPS = outstanding / latency.
//!
//! Documentation: Little's law; no limit is full.
//! Evidence: every limit has room, and the latency is that of an I/O alone.
//! Remedy: more outstanding I/Os: threads, depth, read-ahead of the application.

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::usage::{Usage, has_cache};

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.has_room() {
        return None;
    }
    let total = &case.observed.total;
    let latency_ms = total.latency_us.typical()? / 1e3;
    let [fast, _, slow] = case.media_ms()?;
    let fast = if has_cache(case.resolved) { 0.0 } else { 0.6 * fast };
    if latency_ms < fast || latency_ms > 1.35 * slow {
        return None;
    }
    let held = total.held()?;
    if held < 0.8 || total.depth.is_some_and(|depth| held < 0.7 * depth) {
        return None;
    }
    let (confidence, said) = match total.depth {
        Some(depth) => (Confidence::Strong, format!("{depth:.0} outstanding")),
        None => (Confidence::Likely, format!("{held:.1} outstanding, by IOPS x latency,")),
    };
    let fullest = case.usages.iter().map(Usage::share).fold(0.0, f64::max);
    let claim = format!("{said} / {latency_ms:.2} ms = {:.0} IOPS: the depth is the limit", total.iops?);
    let finding = Finding::new("shallow-queue", confidence, 1.0, claim)
        .because(format!("{latency_ms:.2} ms is the disks' own latency, {:.2} to {slow:.2} ms", fast / 0.6))
        .because(format!("the fullest limit is at {:.0} %", fullest * 100.0))
        .advise("keep more I/Os outstanding: more threads, more depth, asynchronous I/O")
        .to_be_sure("double the depth: IOPS must double");
    Some(Finding { remedies: change::deeper(case), ..finding })
}
