//! Too few I/Os are outstanding: IOPS = outstanding / latency.
//!
//! Documentation: Little's law; no limit is full.
//! Evidence: every limit has room, and the latency is that of an I/O alone.
//! Remedy: more outstanding I/Os: threads, depth, read-ahead of the application.

use iobound_units::Grouped;

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.has_room_by_credits() {
        return None;
    }
    let total = &case.observed.total;
    let [fast, _, slow] = case.media_ms()?;
    let Some(us) = total.latency_us.typical() else {
        return if case.has_room() { waiting(case, fast, slow) } else { None };
    };
    let latency_ms = us / 1e3;
    // Processors that wait for more I/Os than IOPS x latency gives wait for some that the rate does not count, as flushes.
    if total.held().is_some_and(|held| held < of::ONE_THREAD) && case.waits() && case.has_room() {
        return waiting(case, fast, slow);
    }
    // Without a measured scatter the fastest is not known: with a stated depth, a shorter latency is the disk's own.
    let is_unmeasured = fast == slow && total.depth.is_some() && us > of::MEMORY_US;
    if latency_ms < of::FAST_MEDIA * fast && !is_unmeasured || latency_ms > of::SLOW_MEDIA * slow {
        return None;
    }
    if !case.has_room() && total.depth.is_none() {
        return None;
    }
    // Two buckets of one I/O never fill: a stream of one is a queue of one.
    let held = total.held()?;
    if held < of::ONE_THREAD || total.depth.is_some_and(|depth| held < of::UNFILLED * depth) {
        return None;
    }
    // A rate that is exactly a limit's figure is no coincidence, even if credits could lift the limit.
    let is_at_limit = case.full().any(|usage| case.is_at_base(usage));
    let (confidence, said) = match total.depth {
        Some(depth) if depth >= of::IDLE_HELD => {
            (Confidence::Strong, format!("{} outstanding", short(depth)))
        }
        Some(depth) => (Confidence::Likely, format!("{} outstanding", short(depth))),
        // One thread that waits for each I/O shows in the figure; more than one are as typical of an application that asks
        // for no more.
        None if (of::IDLE_HELD..=1.0 / of::IDLE_HELD).contains(&held) => {
            (Confidence::Likely, format!("{held:.1} outstanding, by IOPS x latency,"))
        }
        None => (Confidence::Possible, format!("{held:.2} outstanding, by IOPS x latency,")),
    };
    let confidence = if is_at_limit { Confidence::Possible } else { confidence };
    let is_one = held <= 1.0 / of::IDLE_HELD;
    let limit = if is_one { "one thread waits for each I/O" } else { "the queue depth is the limit" };
    let claim =
        format!("{said} / {latency_ms:.2} ms = {} IOPS: {limit}", Grouped(total.iops?.round() as u64));
    let own = match fast > 0.0 {
        true if latency_ms < of::FAST_MEDIA * fast => {
            format!("{latency_ms:.2} ms is less than the {slow:.2} ms that its vendor plans with")
        }
        true => {
            let is = if latency_ms > slow { "is little more than" } else { "is" };
            format!("{latency_ms:.2} ms {is} the disks' own latency, {fast:.2} to {slow:.2} ms")
        }
        false if latency_ms > slow => {
            format!(
                "{latency_ms:.2} ms is little more than a host cache and its disks take, up to {slow:.2} ms"
            )
        }
        false => {
            format!("{latency_ms:.2} ms is no more than a host cache and its disks take, up to {slow:.2} ms")
        }
    };
    let finding = Finding::new("shallow-queue", confidence, 1.0, claim)
        .because(own)
        .because(format!("the fullest limit is at {:.0} %", case.fullest() * 100.0))
        .advise("keep more I/Os outstanding: more threads, more depth, asynchronous I/O")
        .to_be_sure("double the depth: IOPS rise, up to the next limit");
    Some(Finding { remedies: change::deeper(case), ..finding })
}

/// True if the stated depth and the disks' own latency explain the rate, with room below what credits allow.
pub(super) fn holds(case: &Case<'_>) -> bool {
    case.observed.total.depth.is_some() && judge(case).is_some()
}

/// A depth without needless digits: `16`, `0.77`.
fn short(depth: f64) -> String {
    if depth.fract() == 0.0 { format!("{depth:.0}") } else { format!("{depth:.2}") }
}

/// If the latency is unknown, the number of processors that wait for I/O is a lower bound of the outstanding I/Os.
fn waiting(case: &Case<'_>, fast: f64, slow: f64) -> Option<Finding> {
    let iops = case.observed.total.iops?;
    let waiting = case.waiting()?;
    if !case.waits() || case.is_deep() {
        return None;
    }
    let ms = waiting / iops * 1e3;
    let claim = format!(
        "processors wait for about {waiting:.1} I/Os at a time, and no limit is more than {:.0} % full",
        (case.fullest() * 100.0).ceil()
    );
    // A share of the processors' time is no measured queue.
    let finding = Finding::new("shallow-queue", Confidence::Possible, 0.9, claim)
        .because(format!("iowait x processors / IOPS = {ms:.2} ms; the disks take {fast:.2} to {slow:.2} ms"))
        .advise("keep more I/Os outstanding: more threads, more depth, asynchronous I/O")
        .to_be_sure(
            "the disks' latency and queue (iostat -x 1: r_await, w_await, aqu-sz), which costs no load",
        );
    Some(finding)
}
