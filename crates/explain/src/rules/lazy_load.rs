//! Blocks of a snapshot are fetched when they are first read.
//!
//! Documentation: osrm-backend#3407, osparc#3893: 2 to 3 MB/s and some 300 IOPS on the first pass.
//! Evidence: reads, every limit with room, latency many times the media's or very low throughput.
//! Remedy: read the disk once beforehand, or fast snapshot restore.

use crate::case::Case;
use crate::finding::{Confidence, Finding};

/// A first pass is far slower than the media.
const SLOW: f64 = 3.0;
/// Or far below every limit.
const HARDLY: f64 = 0.6;
const SLOW_BYTES_PER_S: f64 = 10e6;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    if !case.has_room() || total.read.is_some_and(|read| read < 0.7) {
        return None;
    }
    if case.is_deep() {
        return None;
    }
    let [_, _, slow] = case.media_ms()?;
    let ms = total.latency_us.typical().map(|us| us / 1e3);
    let fullest = case.usages.iter().map(|usage| usage.share()).fold(0.0, f64::max);
    let crawling =
        total.throughput_bytes_per_s.is_some_and(|rate| rate < SLOW_BYTES_PER_S) && fullest < HARDLY;
    let waits = case.observed.iowait.is_some_and(|share| share >= 0.5);
    let (confidence, weight) = match ms {
        Some(ms) if ms > SLOW * slow => (Confidence::Likely, 1.1),
        None if crawling && waits => (Confidence::Strong, 1.1),
        None if crawling && total.read.is_some() => (Confidence::Likely, 0.8),
        None if crawling => (Confidence::Possible, 0.4),
        _ => return None,
    };
    let mut finding =
        Finding::new("lazy-load", confidence, weight, "the disk may still be fetching a snapshot's blocks")
            .because(format!("every limit has room: the fullest is at {:.0} %", fullest * 100.0));
    if let Some(ms) = ms {
        finding = finding.because(format!("{ms:.1} ms, where the media takes {slow:.1} ms at most"));
    }
    Some(
        finding
            .advise("read the whole disk once beforehand, or restore with fast snapshot restore")
            .to_be_sure("read the same blocks again: the second time is fast"),
    )
}
