//! The lines of JSON of a watch.

use iobound_documents::{
    Amount, BytesPerSecond, ExceededPart, Iops, Microseconds, OverIntervals, Seconds, Share, Version,
    WatchDiskSecond, WatchDiskSummary, WatchDocument, WatchLimitSecond, WatchLimitSummary, WatchSecondLine,
    WatchSummaryLine, WatchedDiskPart,
};

use super::{DiskSeconds, WatchLimit, WatchSecond, WatchSummary};
use crate::document::line;

/// A second as a line of JSON, without its newline.
pub fn watch_second_json(second: &WatchSecond) -> String {
    text_of(&second_document(second))
}

/// Summary of a watch as its last line, without its newline.
pub fn watch_summary_json(summary: &WatchSummary<'_>) -> String {
    text_of(&summary_document(summary))
}

fn text_of(document: &WatchDocument) -> String {
    line(document).trim_end().to_string()
}

fn second_document(second: &WatchSecond) -> WatchDocument {
    let disks = second.disks.iter().zip(&second.shares).map(|(disk, share)| WatchDiskSecond {
        counters: WatchedDiskPart::from(disk),
        share: share.map(to_4),
    });
    WatchDocument::Second(WatchSecondLine {
        schema: Version::default(),
        event: "second".into(),
        at_s: to_ms(second.at.secs_f64()),
        seconds: to_ms(second.seconds),
        disks: disks.collect(),
        volumes: second.volumes.iter().map(WatchedDiskPart::from).collect(),
        limits: second.limits.iter().map(limit_part).collect(),
        io_pressure: second.io_pressure.map(to_4),
        exceeded: exceeded_parts(&second.exceeded),
    })
}

fn summary_document(summary: &WatchSummary<'_>) -> WatchDocument {
    let limit = |(name, count, share, seconds): &(String, usize, f64, f64)| WatchLimitSummary {
        name: name.clone(),
        count: *count as u64,
        fullest: to_4(*share),
        full_s: to_ms(*seconds),
    };
    WatchDocument::Summary(WatchSummaryLine {
        schema: Version::default(),
        event: "summary".into(),
        watched_s: to_ms(summary.watched.secs_f64()),
        disks: summary.disks.iter().map(disk_part).collect(),
        volumes: summary.volumes.iter().map(disk_part).collect(),
        limits: summary.limits.iter().map(limit).collect(),
        exceeded: exceeded_parts(summary.exceeded),
        recorded: summary.recorded.map(str::to_string),
        notes: summary.notes.to_vec(),
    })
}

fn to_4(share: f64) -> Share {
    Share::with_decimals(share, 4)
}

fn to_ms(seconds: f64) -> Seconds {
    Seconds::with_decimals(seconds, 3)
}

fn limit_part(limit: &WatchLimit) -> WatchLimitSecond {
    WatchLimitSecond {
        name: limit.name.clone(),
        count: limit.count as u64,
        enforced: Amount::with_decimals(limit.enforced, 2),
        used: Amount::with_decimals(limit.used, 2),
        share: to_4(limit.share()),
        credits_at_most: limit.credits.map(to_4),
    }
}

fn disk_part(disk: &DiskSeconds) -> WatchDiskSummary {
    WatchDiskSummary {
        device: disk.device.clone(),
        disk: disk.disk.clone(),
        iops: over(disk.iops.map(Iops::of)),
        throughput_bytes_per_s: over(disk.throughput_bytes_per_s.map(BytesPerSecond::of)),
        latency_us: disk.latency_us.map(Microseconds::of),
        depth: over(disk.depth.map(|depth| Amount::with_decimals(depth, 2))),
    }
}

fn over<Q>([mean, p50, p95, max]: [Q; 4]) -> OverIntervals<Q> {
    OverIntervals { mean, p50, p95, max }
}

fn exceeded_parts(exceeded: &[(String, u64)]) -> Vec<ExceededPart> {
    exceeded.iter().map(|(limit, us)| ExceededPart { limit: limit.clone(), us: *us }).collect()
}
