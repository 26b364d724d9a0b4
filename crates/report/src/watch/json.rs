use serde_json::{Value, json};

use super::{WatchSecond, WatchSummary};
use crate::number::{bytes_per_s, figure, figure_or_null, iops, us};

/// The version of both documents.
const SCHEMA: &str = "iobound.watch/1";

/// A second as a line of JSON.
pub fn watch_second_json(second: &WatchSecond) -> Value {
    let disks: Vec<Value> = second
        .disks
        .iter()
        .zip(&second.shares)
        .map(|(disk, share)| {
            json!({
                "device": disk.device,
                "disk": disk.disk,
                "iops": iops(disk.iops),
                "throughput_bytes_per_s": bytes_per_s(disk.throughput_bytes_per_s),
                "read": figure_or_null(disk.read, 4),
                "latency_us": disk.latency_us.map(us),
                "queue": figure(disk.queue, 2),
                "share": figure_or_null(*share, 4),
            })
        })
        .collect();
    let limits: Vec<Value> = second
        .limits
        .iter()
        .map(|limit| {
            json!({
                "name": limit.name,
                "count": limit.count,
                "enforced": figure(limit.enforced, 2),
                "used": figure(limit.used, 2),
                "share": figure(limit.share(), 4),
                "credits_at_most": figure_or_null(limit.credits, 4),
            })
        })
        .collect();
    let exceeded: Vec<Value> =
        second.exceeded.iter().map(|(what, us)| json!({ "limit": what, "us": us })).collect();
    json!({
        "schema": SCHEMA,
        "event": "second",
        "at_s": figure(second.at.secs_f64(), 3),
        "seconds": figure(second.seconds, 3),
        "disks": disks,
        "limits": limits,
        "io_pressure": figure_or_null(second.io_pressure, 4),
        "exceeded": exceeded,
    })
}

/// Summary of a watch, as its last line.
pub fn watch_summary_json(summary: &WatchSummary<'_>) -> Value {
    let four = |[mean, p50, p95, max]: [f64; 4], places| json!({ "mean": figure(mean, places), "p50": figure(p50, places), "p95": figure(p95, places), "max": figure(max, places) });
    let disks: Vec<Value> = summary
        .disks
        .iter()
        .map(|disk| {
            json!({
                "device": disk.device,
                "disk": disk.disk,
                "iops": four(disk.iops, 2),
                "throughput_bytes_per_s": four(disk.throughput_bytes_per_s, 0),
                "latency_us": disk.latency_us.map(us),
                "depth": four(disk.depth, 2),
            })
        })
        .collect();
    let limits: Vec<Value> = summary
        .limits
        .iter()
        .map(|(name, count, share, seconds)| {
            json!({ "name": name, "count": count, "fullest": figure(*share, 4), "full_s": figure(*seconds, 3) })
        })
        .collect();
    let exceeded: Vec<Value> =
        summary.exceeded.iter().map(|(what, us)| json!({ "limit": what, "us": us })).collect();
    json!({
        "schema": SCHEMA,
        "event": "summary",
        "watched_s": figure(summary.watched.secs_f64(), 3),
        "disks": disks,
        "limits": limits,
        "exceeded": exceeded,
        "recorded": summary.recorded,
        "notes": summary.notes,
    })
}
