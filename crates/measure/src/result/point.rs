use iobound_units::Instant;
use serde::{Deserialize, Serialize};

use super::round;
use crate::recorder::{Interval, IntervalTally, Measured, Phase};

/// One interval of the series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// When it began, in seconds since I/O began.
    pub start_s: f64,
    /// When it ended.
    pub end_s: f64,
    /// Warm-up, counted or cool-down.
    pub phase: PhaseLabel,
    /// True if it is shorter than the others, so that its figures scatter more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut_short: bool,
    /// Reads and writes per second.
    pub iops: f64,
    /// Bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_bytes_per_s: Option<f64>,
    /// The reads, in a run that reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<PointFigures>,
    /// The writes, in a run that writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<PointFigures>,
}

/// One direction in an interval. Latencies in µs are absent where nothing completed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PointFigures {
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_bytes_per_s: Option<f64>,
    /// I/Os that failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
    /// The mean latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_us: Option<f64>,
    /// The shortest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_us: Option<f64>,
    /// The median, to two digits; absent below 20 I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_us: Option<f64>,
    /// The 99th percentile, to two digits; absent below 1,000 I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_us: Option<f64>,
    /// The longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_us: Option<f64>,
    /// The highest latency of each class in ns, and how many I/Os were in it, where somebody looks closer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<(u64, u64)>,
}

/// Phase of the run that an interval belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseLabel {
    /// Before counting starts.
    Warmup,
    /// While counting is on.
    Counted,
    /// After counting has ended.
    Cooldown,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl From<Phase> for PhaseLabel {
    fn from(phase: Phase) -> PhaseLabel {
        match phase {
            Phase::Warmup => PhaseLabel::Warmup,
            Phase::Counted => PhaseLabel::Counted,
            Phase::Cooldown => PhaseLabel::Cooldown,
        }
    }
}

impl Point {
    /// An interval with both directions, its times from `begin`; `None` where it has no length, and so no rates.
    pub fn of(interval: &Interval, begin: Instant) -> Option<Point> {
        let seconds = interval.length().secs_f64();
        let since_begin = |at: Instant| round::seconds(at.since(begin).ns());
        (seconds > 0.0).then(|| Point {
            start_s: since_begin(interval.start),
            end_s: since_begin(interval.end),
            phase: interval.phase.into(),
            cut_short: !interval.whole,
            iops: round::iops(interval.count() as f64 / seconds),
            throughput_bytes_per_s: Some(round::bytes_per_s(interval.bytes() as f64 / seconds)),
            read: Some(figures(&interval.read, seconds)),
            write: Some(figures(&interval.write, seconds)),
        })
    }
}

/// The series of a run. A direction that the run never used is left out of all of it.
pub(crate) fn points(measured: &Measured) -> Vec<Point> {
    let used = |tally: fn(&Interval) -> &IntervalTally| {
        measured.series.iter().map(tally).any(|tally| tally.count + tally.errors > 0)
    };
    let (reads, writes) = (used(|interval| &interval.read), used(|interval| &interval.write));
    let points = measured.series.iter().filter_map(|interval| Point::of(interval, measured.layout.begin));
    points
        .map(|point| Point {
            read: point.read.filter(|_| reads),
            write: point.write.filter(|_| writes),
            ..point
        })
        .collect()
}

fn figures(tally: &IntervalTally, seconds: f64) -> PointFigures {
    let us = |span: iobound_units::Span| round::us(span.ns() as f64);
    let any = tally.count > 0;
    PointFigures {
        iops: round::iops(tally.count as f64 / seconds),
        throughput_bytes_per_s: Some(round::bytes_per_s(tally.bytes as f64 / seconds)),
        errors: tally.errors,
        mean_us: tally.mean_ns().map(round::us),
        min_us: any.then(|| us(tally.min)),
        p50_us: tally.p50.map(us),
        p99_us: tally.p99.map(us),
        max_us: any.then(|| us(tally.max)),
        latencies: Vec::new(),
    }
}
