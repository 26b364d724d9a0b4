//! Read-ahead reads what nobody asked for.
//!
//! Documentation: Azure/AKS#5743: 65,536 KiB advertised by the NVMe accelerator; DS14_v2 with 4,096 KiB.
//! Evidence: the device reads many times what the application gets, in larger I/Os.
//! Remedy: read-ahead of 8 to 128 KiB for random reads; with it gone, the depth is what is next to bind.

use iobound_model::Dimension;

use crate::case::{Case, Level};
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::observed::Access;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let observed = case.observed;
    let total = &observed.total;
    let device = total.throughput_bytes_per_s?;
    let asked = observed
        .application_bytes_per_s
        .or_else(|| total.iops.zip(total.block).map(|(iops, block)| iops * block));
    let times = asked.map_or(1.0, |asked| device / asked);
    let large = observed.read_ahead.is_some_and(|size| size.get() >= of::LARGE_READ_AHEAD);
    let reads = total.read.is_none_or(|read| read > of::HARDLY);
    let random = total.access == Some(Access::Random);
    let amplified = times >= of::AMPLIFIED;
    let full = case.usages.iter().any(|usage| {
        usage.dimension == Dimension::Bytes && matches!(case.level(usage), Level::Full | Level::Nearly)
    });
    let (confidence, weight) = match (amplified, large) {
        (true, _) => (Confidence::Strong, 3.0),
        (false, true) if random && full => (Confidence::Strong, 2.6),
        (false, true) if total.access != Some(Access::Sequential) && full => (Confidence::Likely, 1.6),
        (false, true) => (Confidence::Likely, 1.2),
        _ => return None,
    };
    if !reads {
        return None;
    }
    let claim = match amplified {
        true => format!("the device moves {times:.1} x what is asked for"),
        false => "the kernel reads far ahead of random reads".to_string(),
    };
    let mut finding = Finding::new("read-ahead", confidence, weight, claim);
    if let Some(size) = observed.read_ahead {
        finding = finding.because(format!("read-ahead is {size}"));
    }
    if let Some(asked) = asked.filter(|_| amplified) {
        finding = finding.because(format!(
            "{:.1} MB/s at the device, {:.1} MB/s asked for",
            device / 1e6,
            asked / 1e6
        ));
    }
    let finding = finding
        .advise(
            "set read-ahead to 8 to 128 KiB (blockdev --setra 16 to 256), with a udev rule that keeps it; then more \
             threads, since without it each waits for its own reads",
        )
        .to_be_sure("the same reads with O_DIRECT");
    let remedies = if case.observed.total.depth.is_some() { change::deeper(case) } else { Vec::new() };
    Some(Finding { remedies, ..finding })
}
