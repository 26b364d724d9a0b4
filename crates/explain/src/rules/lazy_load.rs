//! Blocks of a snapshot are fetched when they are first read.
//!
//! Documentation: osrm-backend#3407, osparc#3893, bottlerocket-images-cache#13: 2 to 25 MB/s and some 300 IOPS on the
//! first pass.
//! Evidence: reads, every limit with room, a rate that is usual for snapshots, and either a latency many times that of
//! the media or waiting processors. Without such a latency or waiting processors it is *possible*. For a volume that comes
//! from a snapshot (`from-snapshot=yes`), reads below every limit suffice, because the rate of a first pass depends on the
//! cloud and on the depth (pingcap/tidb-operator#5089: 133 MB/s).
//! Remedy: read the disk once beforehand, or fast snapshot restore.

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let total = &case.observed.total;
    if !case.has_room() || total.read.is_some_and(|read| read < of::UNFILLED) || case.is_deep() {
        return None;
    }
    // A local disk begins empty: no snapshot is behind it.
    let told = case.observed.from_snapshot;
    if case.is_local() || told == Some(false) {
        return None;
    }
    let [_, _, slow] = case.media_ms()?;
    let ms = total.latency_us.typical().map(|us| us / 1e3);
    let fullest = case.fullest();
    // So many first reads a second, of whatever size is read; where only bytes are known, of read-ahead's.
    let few = match (total.iops, total.throughput_bytes_per_s) {
        (Some(iops), _) => iops <= of::FETCHED_IOPS,
        (None, Some(bytes)) => bytes <= of::FETCHED_IOPS * of::FETCHED_BLOCK,
        (None, None) => false,
    };
    let crawling = few
        && fullest < of::FURTHER
        && total.throughput_bytes_per_s.is_some_and(|rate| rate <= of::FETCHED_IOPS * of::FETCHED_BLOCK);
    let slowly = total.throughput_bytes_per_s.is_some_and(|rate| rate < of::FETCHED_BYTES_PER_S);
    let waits = case.waits();
    // Each volume fetches on its own.
    let volumes = case.resolved.disks.len() as f64;
    let within = |times: f64| total.iops.is_none_or(|iops| iops <= times * of::FETCHED_IOPS * volumes);
    let reads = total.read.is_some_and(|read| read >= of::MOSTLY);
    let is_usual = case.resolved.vm.cloud.rules().fetches_snapshots;
    // Without a rate, no limit is known to have room.
    let is_rated = !case.usages.is_empty();
    let (confidence, weight) = match ms {
        Some(ms) if ms <= (of::FETCHED * slow).max(of::FETCHED_MS) => return None,
        _ if told == Some(true) && reads && is_rated && fullest < of::FAR => (Confidence::Likely, 1.4),
        _ if told == Some(true) => (Confidence::Possible, 1.4),
        Some(_) if within(1.0) && reads && is_rated => (Confidence::Likely, 1.1),
        Some(_) if within(of::FETCHED_SCATTER) => (Confidence::Possible, 0.8),
        Some(_) => return None,
        None if crawling && waits && is_usual => (Confidence::Likely, 1.1),
        None if crawling && waits => (Confidence::Possible, 0.8),
        // A rate alone is as typical of an application that asks for no more.
        None if crawling && reads && is_usual => (Confidence::Possible, 0.8),
        None if crawling && total.read.is_some() && slowly => (Confidence::Possible, 0.8),
        None if crawling && slowly => (Confidence::Possible, 0.4),
        None => return None,
    };
    let confidence = if case.has_unknown_limits() { Confidence::Possible } else { confidence };
    let limits = match is_rated {
        true => format!("no limit is reached: the fullest is at {:.0} %", fullest * 100.0),
        false => "no rate is known, so no limit can be ruled out".to_string(),
    };
    let mut finding =
        Finding::new("lazy-load", confidence, weight, "the disk may still be fetching a snapshot's blocks")
            .because(limits);
    if told == Some(true) {
        finding = finding.because("the volume comes from a snapshot, and nobody has read it since");
    }
    if let Some(iowait) = case.observed.iowait.filter(|_| waits) {
        finding = finding.because(format!("processors wait for I/O for {:.0} % of the time", iowait * 100.0));
    }
    if let Some(ms) = ms {
        finding = finding.because(format!("{ms:.1} ms, where the media takes {slow:.1} ms at most"));
    }
    let finding = finding
        .advise("read the whole disk once beforehand (dd, fio), or restore with fast snapshot restore")
        .to_be_sure("read the same blocks again: the second time is fast");
    Some(Finding {
        remedies: vec![Remedy::again("after all blocks have been read", Circumstance::Usual)],
        ..finding
    })
}
