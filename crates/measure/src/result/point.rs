use iobound_units::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::round;
use crate::recorder::{Interval, IntervalTally, Measured, Phase};

/// One interval of the series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Start of the interval since the start of I/O. The interval has what completed after it.
    pub start_s: f64,
    /// End of the interval, which belongs to it.
    pub end_s: f64,
    /// `warmup`, `counted` or `cooldown`.
    pub phase: PhaseLabel,
    /// True if the interval is shorter than the others; absent if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut_short: bool,
    /// Completed reads and writes per second.
    pub iops: f64,
    /// Bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_bytes_per_s: Option<f64>,
    /// The reads; absent in a run without reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<PointFigures>,
    /// The writes; absent in a run without writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<PointFigures>,
}

/// One direction in an interval. Latencies in µs are absent where nothing completed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointFigures {
    /// Completed I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_bytes_per_s: Option<f64>,
    /// I/Os that failed; absent if none did.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("x-unit" = "I/Os"))]
    pub errors: u64,
    /// Mean latency; absent if nothing completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_us: Option<f64>,
    /// Minimum latency; absent if nothing completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_us: Option<f64>,
    /// Median latency, to two digits; absent below 20 I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_us: Option<f64>,
    /// 99th percentile of latency, to two digits; absent below 1,000 I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_us: Option<f64>,
    /// Maximum latency; absent if nothing completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_us: Option<f64>,
    /// Highest latency of each class in ns, and the I/Os in the class; four classes to a power of two. Only with `--html`
    /// and in kept runs. In a series of more than 14,400 intervals, the first of those that a page shows as one has those
    /// of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<(u64, u64)>,
}

/// Phase of the run that an interval belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
