//! A line of JSON for each interval, as it ends.

use iobound_measure::Interval;
use iobound_measure::result::{PhaseLabel, Point, PointFigures};
use iobound_units::Instant;
use serde_json::{Value, json};

use crate::number::{bytes_per_s, figure_or_null, iops, us};

/// The version of a line.
const SCHEMA: &str = "iobound.interval/1";

/// An interval as a line of JSON, its newline included; times are from `begin`, when I/O began. Stages count from 1.
/// Nothing where the interval has no length.
pub fn interval_json(stage: usize, interval: &Interval, begin: Instant) -> String {
    let Some(point) = Point::of(interval, begin) else { return String::new() };
    let value = json!({
        "schema": SCHEMA,
        "stage": stage,
        "start_s": figure_or_null(Some(point.start_s), 6),
        "end_s": figure_or_null(Some(point.end_s), 6),
        "phase": phase_word(point.phase),
        "cut_short": point.cut_short,
        "iops": iops(point.iops),
        "throughput_bytes_per_s": point.throughput_bytes_per_s.map_or(Value::Null, bytes_per_s),
        "errors": interval.read.errors + interval.write.errors,
        "read": point.read.as_ref().map_or(Value::Null, direction),
        "write": point.write.as_ref().map_or(Value::Null, direction),
    });
    format!("{value}\n")
}

fn direction(figures: &PointFigures) -> Value {
    let time = |value: Option<f64>| value.map_or(Value::Null, us);
    json!({
        "iops": iops(figures.iops),
        "throughput_bytes_per_s": figures.throughput_bytes_per_s.map_or(Value::Null, bytes_per_s),
        "errors": figures.errors,
        "mean_us": time(figures.mean_us),
        "min_us": time(figures.min_us),
        "p50_us": time(figures.p50_us),
        "p99_us": time(figures.p99_us),
        "max_us": time(figures.max_us),
    })
}

/// The word for a part of a run in every document.
pub(super) fn phase_word(phase: PhaseLabel) -> &'static str {
    match phase {
        PhaseLabel::Warmup => "warmup",
        PhaseLabel::Counted => "counted",
        PhaseLabel::Cooldown => "cooldown",
    }
}
