//! Two of the given figures exclude each other.
//!
//! Documentation: Little's law: outstanding = IOPS × latency; bytes = IOPS × block.
//! Evidence: more outstanding by IOPS × latency than the load keeps, which cannot be; far fewer, where the load keeps its depth; or
//! a throughput that no limit lets through and that is not IOPS × block.
//! Remedy: measure the figures at the same time, on the same devices.

use iobound_model::Dimension;
use iobound_units::{Grouped, format_throughput};

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

/// A finding, and the most that other findings may claim beside it.
pub(crate) struct Contradiction {
    says: String,
    confidence: Confidence,
    weight: f64,
    /// Highest confidence of any other finding.
    pub(crate) most: Confidence,
}

/// The contradiction of a case, if there is one.
pub(crate) fn of_case(case: &Case<'_>) -> Option<Contradiction> {
    outstanding(case).or_else(|| bytes(case))
}

fn outstanding(case: &Case<'_>) -> Option<Contradiction> {
    let (observed, total) = (case.observed, &case.observed.total);
    let (depth, iops, mean_us) = (total.depth?, total.iops?, total.latency_us.mean?);
    if observed.is_latency_derived || observed.are_ios_derived || observed.is_open_loop {
        return None;
    }
    let times = iops * mean_us / 1e6 / depth;
    let figures = format!(
        "{depth:.0} outstanding / {} IOPS = {}, and the given latency is {}",
        Grouped(iops.round() as u64),
        time(depth / iops * 1e6),
        time(mean_us)
    );
    let (says, confidence, weight, most) = match times {
        // More I/Os than are issued cannot wait.
        times if times > of::OVERFILLED => (figures, Confidence::Strong, 9.0, Confidence::Possible),
        times if times < of::UNFILLED => {
            let held = iops * mean_us / 1e6;
            let says = format!(
                "depth, IOPS and latency fit together only if the load keeps {held:.1} outstanding and not {depth:.0}: {figures}"
            );
            (says, Confidence::Possible, 1.1, Confidence::Likely)
        }
        _ => return None,
    };
    Some(Contradiction { says, confidence, weight, most })
}

fn bytes(case: &Case<'_>) -> Option<Contradiction> {
    let (observed, total) = (case.observed, &case.observed.total);
    let (iops, block, bytes) = (total.iops?, total.block?, total.throughput_bytes_per_s?);
    let is_beyond =
        case.usages.iter().any(|usage| usage.dimension == Dimension::Bytes && case.excess(usage).is_some());
    if !is_beyond || observed.application_bytes_per_s.is_some() || bytes <= of::OVERFILLED * iops * block {
        return None;
    }
    let says = format!(
        "{} IOPS x {:.1} KiB = {}, and the given throughput is {}",
        Grouped(iops.round() as u64),
        block / 1024.0,
        format_throughput(iops * block),
        format_throughput(bytes)
    );
    let (confidence, weight) = (Confidence::Possible, 9.0);
    Some(Contradiction { says, confidence, weight, most: Confidence::Possible })
}

/// A time in the unit that needs the fewest digits.
fn time(us: f64) -> String {
    if us >= 1e3 { format!("{:.1} ms", us / 1e3) } else { format!("{us:.0} µs") }
}

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let Contradiction { says, confidence, weight, .. } = of_case(case)?;
    Some(
        Finding::new("contradiction", confidence, weight, says)
            .because("outstanding = IOPS x latency, and throughput = IOPS x block, whatever the disks are")
            .advise(
                "take all figures from the same devices and the same time: depth is the sum over all jobs, threads and volumes, \
                 latency is the mean of an I/O at the device",
            )
            .to_be_sure("iostat -x 1: r/s + w/s, aqu-sz and await; aqu-sz = IOPS x await"),
    )
}
