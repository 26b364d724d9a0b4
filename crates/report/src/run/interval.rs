//! A line of JSON for each interval, as it ends.

use iobound_documents::{
    BytesPerSecond, IntervalDocument, IntervalFigures, Iops, Microseconds, Seconds, Version,
};
use iobound_measure::Interval;
use iobound_measure::result::{PhaseLabel, Point, PointFigures};
use iobound_units::Instant;

/// An interval; times are from `begin`, when I/O began. Stages count from 1. `None`: the interval has no length.
pub fn interval_document(stage: usize, interval: &Interval, begin: Instant) -> Option<IntervalDocument> {
    let point = Point::of(interval, begin)?;
    Some(IntervalDocument {
        schema: Version::default(),
        stage: stage as u64,
        start_s: Seconds::of(point.start_s),
        end_s: Seconds::of(point.end_s),
        phase: point.phase,
        cut_short: point.cut_short,
        iops: Iops::of(point.iops),
        throughput_bytes_per_s: point.throughput_bytes_per_s.map(BytesPerSecond::of),
        errors: interval.read.errors + interval.write.errors,
        read: point.read.as_ref().map(direction),
        write: point.write.as_ref().map(direction),
    })
}

/// An interval as a line of JSON, its newline included. Nothing where the interval has no length.
pub fn interval_line(stage: usize, interval: &Interval, begin: Instant) -> String {
    interval_document(stage, interval, begin)
        .map_or(String::new(), |document| crate::document::line(&document))
}

fn direction(figures: &PointFigures) -> IntervalFigures {
    let us = |value: Option<f64>| value.map(Microseconds::of);
    IntervalFigures {
        iops: Iops::of(figures.iops),
        throughput_bytes_per_s: figures.throughput_bytes_per_s.map(BytesPerSecond::of),
        errors: figures.errors,
        mean_us: us(figures.mean_us),
        min_us: us(figures.min_us),
        p50_us: us(figures.p50_us),
        p99_us: us(figures.p99_us),
        max_us: us(figures.max_us),
    }
}

/// The word for a part of a run in every document.
pub(super) fn phase_word(phase: PhaseLabel) -> &'static str {
    match phase {
        PhaseLabel::Warmup => "warmup",
        PhaseLabel::Counted => "counted",
        PhaseLabel::Cooldown => "cooldown",
    }
}
