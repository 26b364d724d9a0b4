//! The search for the knee on real targets.

use iobound_documents::{
    BytesPerSecond, ConcurrencyPoint, CurvePointPart, Iops, KneeDocument, Microseconds, Share, Version,
};
use iobound_units::format_throughput;

use crate::limit::grouped;
use crate::number::{count_text, percent_text, rounded, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// Measurements at rising concurrency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Measured workload, in a line: pattern, targets, engine, loop.
    pub title: String,
    /// The measurements, in any order.
    pub points: Vec<CurvePoint>,
    /// Index of the knee in `points`: the lowest concurrency that reaches the highest rate. `None` where none
    /// was found.
    pub knee: Option<usize>,
    /// Reason why the search ended, in a sentence.
    pub because: String,
}

/// A measurement at one concurrency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Outstanding I/Os of each thread on each target.
    pub depth: u64,
    /// Threads.
    pub threads: u64,
    /// Outstanding I/Os in all.
    pub outstanding: u64,
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
    /// The mean latency in µs.
    pub mean_us: Option<f64>,
    /// The 99th percentile of the latency in µs; absent below 1,000 I/Os.
    pub p99_us: Option<f64>,
}

impl Curve {
    /// The points by concurrency, each with whether it is the knee and what it gains over the one before.
    fn rows(&self) -> Vec<(&CurvePoint, bool, Option<f64>)> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|index| {
            let point = &self.points[*index];
            (point.outstanding, point.threads, point.depth)
        });
        let gain = |place: usize| {
            let before = self.points[*order.get(place.checked_sub(1)?)?].iops;
            (before > 0.0).then(|| self.points[order[place]].iops / before - 1.0)
        };
        let row =
            |(place, index): (usize, &usize)| (&self.points[*index], self.knee == Some(*index), gain(place));
        order.iter().enumerate().map(row).collect()
    }

    fn knee(&self) -> Option<&CurvePoint> {
        self.points.get(self.knee?)
    }
}

/// The screen of `run --find-knee`.
pub fn curve_text(curve: &Curve, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph(&curve.title);
    page.gap();
    let heads = ["outstanding", "IOPS", "gain", "mean", "p99", "MB/s", "depth", "threads"];
    let mut columns: Vec<Column> = heads.map(Column::figures).into();
    columns.insert(2, Column::words(""));
    let mut table = Table::new(columns);
    let time = |us: Option<f64>| us.map_or("-".into(), time_text);
    for (point, is_knee, gain) in curve.rows() {
        table.row(vec![
            grouped(point.outstanding),
            count_text(point.iops),
            if is_knee { "knee".into() } else { String::new() },
            gain.map_or("-".into(), gain_text),
            time(point.mean_us),
            time(point.p99_us),
            format_throughput(point.throughput_bytes_per_s).trim_end_matches(" MB/s").into(),
            grouped(point.depth),
            grouped(point.threads),
        ]);
    }
    if curve.points.is_empty() {
        page.labelled("knee", "not found: nothing was measured");
    } else {
        for line in table.lines(page.width()) {
            page.line(&line);
        }
        page.line("  gain: IOPS relative to the row above");
        page.gap();
        page.stressed("knee", &knee_text(curve));
    }
    if !curve.because.is_empty() {
        page.labelled("ended", &curve.because);
    }
    page.text()
}

/// `+43 %`, `-0.4 %`.
fn gain_text(gain: f64) -> String {
    let sign = if gain < 0.0 { "-" } else { "+" };
    format!("{sign}{}", percent_text(gain.abs()))
}

fn knee_text(curve: &Curve) -> String {
    let Some(knee) = curve.knee() else { return "not found: IOPS still grew with the depth".into() };
    let mut text = format!(
        "{} outstanding (--depth {} --threads {}): {} IOPS",
        grouped(knee.outstanding),
        knee.depth,
        knee.threads,
        count_text(knee.iops),
    );
    if let Some(mean) = knee.mean_us {
        text.push_str(&format!(", mean {}", time_text(mean)));
    }
    if let Some(p99) = knee.p99_us {
        text.push_str(&format!(", p99 {}", time_text(p99)));
    }
    let most = curve.points.iter().map(|point| point.iops).fold(0.0, f64::max);
    if most > 0.0 {
        let share = percent_text(rounded(knee.iops / most, 4));
        text.push_str(&format!("; {share} of the most seen, {}", count_text(most)));
    }
    text
}

/// The document of `run --find-knee`.
pub fn curve_document(curve: &Curve) -> KneeDocument {
    let point = |(point, knee, gain): (&CurvePoint, bool, Option<f64>)| CurvePointPart {
        point: point_part(point),
        gain: gain.map(|gain| Share::with_decimals(gain, 4)),
        knee,
    };
    KneeDocument {
        schema: Version::default(),
        title: curve.title.clone(),
        knee: curve.knee().map(point_part),
        curve: curve.rows().into_iter().map(point).collect(),
        because: curve.because.clone(),
    }
}

fn point_part(point: &CurvePoint) -> ConcurrencyPoint {
    ConcurrencyPoint {
        depth: point.depth,
        threads: point.threads,
        outstanding: point.outstanding,
        iops: Iops::of(point.iops),
        throughput_bytes_per_s: BytesPerSecond::of(point.throughput_bytes_per_s),
        mean_us: point.mean_us.map(Microseconds::of),
        p99_us: point.p99_us.map(Microseconds::of),
    }
}
