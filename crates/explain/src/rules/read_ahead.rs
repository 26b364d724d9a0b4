//! Read-ahead reads what nobody asked for.
//!
//! Documentation: Azure/AKS#5743: 65,536 KiB advertised by the NVMe accelerator; DS14_v2 with 4,096 KiB.
//! Evidence: the device reads many times what the application gets, in larger I/Os.
//! Remedy: read-ahead of 8 to 128 KiB for random reads.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::observed::Access;

/// More than this is far beyond the kernel's 128 KiB.
const LARGE: u64 = 1 << 20;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let observed = case.observed;
    let total = &observed.total;
    let device = total.throughput_bytes_per_s?;
    let asked = observed
        .application_bytes_per_s
        .or_else(|| total.iops.zip(total.block).map(|(iops, block)| iops * block));
    let times = asked.map_or(1.0, |asked| device / asked);
    let large = observed.read_ahead.is_some_and(|size| size.get() >= LARGE);
    let reads = total.read.is_none_or(|read| read > 0.3);
    let random = total.access == Some(Access::Random);
    let (confidence, weight) = match (times >= 1.8, large) {
        (true, _) => (Confidence::Strong, 3.0),
        (false, true) if random && case.full().any(|u| u.dimension == iobound_model::Dimension::Bytes) => {
            (Confidence::Strong, 2.6)
        }
        (false, true) => (Confidence::Likely, 1.2),
        _ => return None,
    };
    if !reads {
        return None;
    }
    let claim = match times >= 1.8 {
        true => format!("the device moves {times:.1} x what is asked for"),
        false => "the kernel reads far ahead of random reads".to_string(),
    };
    let mut finding = Finding::new("read-ahead", confidence, weight, claim);
    if let Some(size) = observed.read_ahead {
        finding = finding.because(format!("read-ahead is {size}"));
    }
    if let Some(asked) = asked.filter(|_| times >= 1.8) {
        finding = finding.because(format!(
            "{:.1} MB/s at the device, {:.1} MB/s asked for",
            device / 1e6,
            asked / 1e6
        ));
    }
    Some(
        finding
            .advise("blockdev --setra 256 (128 KiB), and a udev rule that keeps it")
            .to_be_sure("the same reads with O_DIRECT"),
    )
}
