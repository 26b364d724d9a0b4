//! The disks are not what holds it back.
//!
//! Documentation: method: R and X below every limit, I/O pressure near zero (scylladb#27885: the network card's interrupts).
//! Evidence: every limit has room, and less than a quarter of an I/O is outstanding, or less than is asked for, or no
//! processor waits for I/O. Without any of them it is *possible*.
//! Remedy: look at the processor, locks, the network, the query.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if !case.has_room() || case.usages.is_empty() {
        return None;
    }
    let total = &case.observed.total;
    let fullest = case.fullest();
    let latency_ms = total.latency_us.typical().map(|us| us / 1e3);
    let [_, _, slow] = case.media_ms()?;
    let is_slow = case.is_slow() == Some(true);
    // Processors that wait for I/O do not wait for the application.
    if is_slow || case.waits() {
        return None;
    }
    let held = total.held();
    let idle = held.is_some_and(|held| held < of::HARDLY_HELD);
    let unfilled = total.depth.zip(held).is_some_and(|(depth, held)| held < of::UNFILLED * depth);
    let calm = case.is_calm() && fullest < of::FAR;
    let (confidence, weight) = match () {
        // A flush keeps a disk busy, and no rate counts it.
        () if (idle || unfilled) && case.syncs().is_some() => (Confidence::Possible, 0.5),
        () if idle || unfilled => (Confidence::Strong, 1.2),
        () if calm => (Confidence::Likely, 1.2),
        // A low rate is as typical of a queue of one, of a stalled volume and of a limit that binds at times.
        () if fullest < of::FURTHER || latency_ms.is_some() => (Confidence::Possible, 0.5),
        // Nothing but a rate in the upper half of a limit.
        () => return None,
    };
    let may = if confidence == Confidence::Possible { "may wait" } else { "wait" };
    let claim = format!(
        "no limit is more than {:.0} % full: the disks {may} for the application",
        (fullest * 100.0).ceil()
    );
    let mut finding = Finding::new("not-storage", confidence, weight, claim);
    if let Some(ms) = latency_ms {
        finding = finding.because(format!("{ms:.2} ms is no more than these disks take, up to {slow:.2} ms"));
    }
    if let Some(held) = held.filter(|_| idle || unfilled) {
        finding = finding.because(format!("{held:.1} I/Os outstanding on average, by IOPS x latency"));
    }
    if let Some(iowait) = case.observed.iowait.filter(|_| calm) {
        finding = finding.because(format!("processors wait for I/O for {:.1} % of the time", iowait * 100.0));
    }
    let to_be_sure = match latency_ms {
        None => "the disks' latency and queue (iostat -x 1: r_await, w_await, aqu-sz), which costs no load",
        Some(_) => "iobound run at the same time: if the rate rises, the application does not issue more",
    };
    Some(
        finding
            .advise("look at processors and their interrupts (IRQ affinity of disk and network queues), locks, the network and the queries")
            .to_be_sure(to_be_sure),
    )
}
