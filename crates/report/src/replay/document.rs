use std::collections::BTreeMap;

use iobound_catalog::{Configuration, Resolved};
use iobound_documents::{
    BytesPerSecond, Iops, Microseconds, ReplayBound, ReplayCredits, ReplayDocument, ReplayMap,
    ReplayPoint as PointPart, Seconds, Share, TraceLatency, TraceRead, Version,
};
use iobound_drive::ReplayMode;
use iobound_model::{Dimension, LimiterId};
use iobound_predict::{LatencySummary, ReplayPoint, ReplayStop, Replayed};
use iobound_units::{Op, Ppm, Span};

use super::limits::limit_part;
use crate::limit::limit_title;
use crate::trace::latency_part;

/// A replay, with what it was of.
pub struct ReplayScreen<'a> {
    /// The replay.
    pub replayed: &'a Replayed,
    /// The volumes of the trace's devices.
    pub map: &'a [ReplayMap],
    /// The configuration.
    pub resolved: &'a Resolved,
    /// The requested configuration.
    pub configuration: &'a Configuration,
    /// Rule by which I/Os were issued.
    pub mode: ReplayMode,
    /// Factor on the recorded speed.
    pub speed: Ppm,
    /// Remarks.
    pub notes: &'a [String],
}

fn seconds(span: Span) -> Seconds {
    Seconds::of(span.secs_f64())
}

/// A limit in words: `data.0 disk IOPS`, `VM uncached throughput`.
pub fn limiter_title(resolved: &Resolved, limiter: LimiterId, dimension: Dimension) -> String {
    let name = &resolved.blueprint.limiters[usize::from(limiter.0)].name;
    let title = limit_title(&format!("{}.{}", name.group, dimension.name()), 1);
    let title = if dimension == Dimension::Bytes { format!("{title} throughput") } else { title };
    match &name.instance {
        Some(instance) => format!("{instance} {title}"),
        None => title,
    }
}

fn latency_of(summary: &LatencySummary) -> Option<TraceLatency> {
    let us = |ns: u64| Microseconds::of(ns as f64 / 1e3);
    let [p50, p90, p95, p99, p999] = summary.percentiles.map(us);
    (summary.ios > 0).then(|| TraceLatency {
        ios: summary.ios,
        mean_us: Microseconds::of(summary.mean / 1e3),
        p50_us: p50,
        p90_us: p90,
        p95_us: p95,
        p99_us: p99,
        p999_us: p999,
        max_us: us(summary.max),
    })
}

fn hit_rate((hits, reads): (u64, u64)) -> Option<Share> {
    (reads > 0).then(|| Share::of(hits as f64 / reads as f64))
}

fn point_of(screen: &ReplayScreen<'_>, point: &ReplayPoint) -> PointPart {
    let length = point.length.secs_f64().max(1e-9);
    PointPart {
        start_s: seconds(point.from),
        length_s: seconds(point.length),
        iops: Iops::of(point.latency.ios as f64 / length),
        throughput_bytes_per_s: BytesPerSecond::of(point.bytes as f64 / length),
        latency: latency_of(&point.latency),
        bound_by: point
            .bound_by
            .map(|(limiter, dimension)| limiter_title(screen.resolved, limiter, dimension)),
        hit_rate: hit_rate(point.hits),
        outstanding: point.outstanding,
    }
}

fn bounds(points: &[PointPart]) -> Vec<ReplayBound> {
    let mut times: BTreeMap<&str, f64> = BTreeMap::new();
    for point in points {
        if let Some(limit) = &point.bound_by {
            *times.entry(limit).or_default() += iobound_documents::Quantity::value(point.length_s);
        }
    }
    let bound =
        |(limit, time): (&str, f64)| ReplayBound { limit: limit.to_string(), seconds: Seconds::of(time) };
    let mut bounds: Vec<ReplayBound> = times.into_iter().map(bound).collect();
    bounds.sort_by(|one, other| other.seconds.partial_cmp(&one.seconds).unwrap_or(std::cmp::Ordering::Equal));
    bounds
}

/// The document of a replay.
pub fn replay_document(screen: &ReplayScreen<'_>, read: TraceRead) -> ReplayDocument {
    let ReplayScreen { replayed, resolved, configuration, .. } = screen;
    let data = replayed.data();
    let duration = replayed.duration.secs_f64().max(1e-9);
    let series: Vec<PointPart> = replayed.points.iter().map(|point| point_of(screen, point)).collect();
    ReplayDocument {
        schema: Version::default(),
        read,
        vm: resolved.vm.name.clone(),
        disks: configuration.volumes.iter().map(|volume| volume.text.clone()).collect(),
        mode: if screen.mode == ReplayMode::Timed { "timed" } else { "dependent" }.into(),
        speed: Share::of(screen.speed.as_f64()),
        interrupted: replayed.stop == Some(ReplayStop::Interrupted),
        ios: replayed.counts.issued,
        left_out: replayed.counts.left_out,
        wrapped: replayed.counts.wrapped,
        held_back: replayed.counts.held_back,
        recorded_s: seconds(replayed.counts.recorded),
        issued_s: seconds(replayed.counts.last_issue),
        duration_s: seconds(replayed.duration),
        iops: Iops::of(data.count() as f64 / duration),
        throughput_bytes_per_s: BytesPerSecond::of(replayed.bytes as f64 / duration),
        latency: latency_part(&data),
        read_latency: latency_part(&replayed.latency[Op::Read as usize]),
        write_latency: latency_part(&replayed.latency[Op::Write as usize]),
        recorded_latency: latency_part(&replayed.recorded),
        slowdown: replayed.slowdown().map(Share::of),
        map: screen.map.to_vec(),
        hit_rate: hit_rate(replayed.hits),
        credits: replayed
            .spent
            .iter()
            .map(|spent| ReplayCredits {
                limit: limiter_title(resolved, spent.limiter, spent.dimension),
                at_s: seconds(spent.at),
            })
            .collect(),
        bound_by: bounds(&series),
        limits: replayed.limits.iter().map(limit_part).collect(),
        series,
        notes: screen.notes.to_vec(),
    }
}
