//! Azure Monitor's metrics of a VM: what `az monitor metrics list` prints (JSON, or its table), and CSV with a time and
//! a column for each metric, as charts are exported, or a row for each.
//!
//! Metrics are known by their names (learn.microsoft.com, disks-metrics): averages of a minute or more of each second,
//! by LUN where the chart was split by it.

mod json;
mod metric;
mod sheet;

use std::collections::BTreeMap;

use iobound_formats::observation::reader::{
    Clock, CloudMetrics, DEVICES, Fold, INTERVALS, KEPT, Reading, Trouble, agreed, span, whole,
};
use iobound_formats::observation::{Consumed, DeviceKind, Observation, ObservedFile, Observer};
use iobound_units::Span;

use metric::{Metric, MetricFigure, Subject};

/// Azure Monitor, as a reader.
pub(super) static METRICS: CloudMetrics = CloudMetrics {
    word: "azure-monitor",
    name: "Azure Monitor",
    is_json: |text| text.contains("\"timeseries\"") || text.contains("Microsoft.Insights/metrics"),
    is_line: |line| MARKS.iter().any(|mark| line.contains(mark)),
    read,
};

/// Parts of the names of its metrics that no other tool has, in lower case.
const MARKS: [&str; 6] = [
    "consumed percentage",
    "operations/sec",
    "data disk ",
    "os disk ",
    "burst io credits",
    "burst bps credits",
];

const LIST: &str = "az monitor metrics list --resource VM --interval PT1M --aggregation Average --filter \"LUN eq '*'\" \
    --metrics \"Data Disk Read Operations/Sec\" \"Data Disk Write Operations/Sec\" \"Data Disk Read Bytes/sec\" \
    \"Data Disk Write Bytes/sec\" \"Data Disk Queue Depth\"";

/// The values of each metric by the text of their time, and those texts in the order of the files.
#[derive(Default)]
struct MetricPoints {
    times: Vec<String>,
    order: BTreeMap<String, usize>,
    values: BTreeMap<Metric, BTreeMap<usize, f64>>,
    kept: usize,
}

impl MetricPoints {
    /// Adds a value; `false`: there are too many.
    fn add(&mut self, metric: Metric, time: &str, value: f64) -> bool {
        let next = self.times.len();
        let index = *self.order.entry(time.to_string()).or_insert(next);
        if index == next {
            self.times.push(time.to_string());
        }
        self.kept += 1;
        self.values.entry(metric).or_default().insert(index, value);
        self.times.len() <= INTERVALS && self.kept <= KEPT && self.values.len() <= 8 * DEVICES
    }
}

/// Reads the metrics of all files together: a chart is exported by itself.
fn read(files: &[ObservedFile<'_>], interval: Option<Span>, trouble: &mut Trouble) -> Option<Observation> {
    let mut points = MetricPoints::default();
    for (source, file) in files.iter().enumerate() {
        let start = file.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let read = match start.starts_with(['{', '[']) {
            true => json::points(file.text, source, &mut points, trouble),
            false => sheet::points(file.text, source, &mut points, trouble),
        };
        if !read && trouble.is_empty() {
            let help = "cut the file to the time to explain";
            trouble.add(whole(source), "the file has too many figures", help);
        }
    }
    if !trouble.is_empty() {
        return None;
    }
    if points.values.is_empty() {
        trouble.add(whole(0), "the file has no value of a disk metric", LIST);
        return None;
    }
    observation(&points, interval, trouble)
}

/// Seconds between two times, whichever is the later.
fn apart(points: &MetricPoints) -> Option<f64> {
    let clocks =
        points.times.windows(2).filter_map(|pair| Some((Clock::read(&pair[0])?, Clock::read(&pair[1])?)));
    let apart = clocks.filter_map(|(one, other)| {
        let (up, down) = (one.until(other), other.until(one));
        [up, down].into_iter().flatten().min_by(f64::total_cmp)
    });
    apart.min_by(f64::total_cmp)
}

fn observation(points: &MetricPoints, interval: Option<Span>, trouble: &mut Trouble) -> Option<Observation> {
    let step = agreed(interval, apart(points), whole(0), trouble);
    if !trouble.is_empty() {
        return None;
    }
    let first_two = points.times.first().zip(points.times.get(1));
    let descends = first_two.is_some_and(|(one, other)| {
        let clocks = Clock::read(one).zip(Clock::read(other));
        clocks.is_some_and(|(one, other)| one.until(other) > other.until(one))
    });
    let mut fold = Fold::new(step.is_some());
    let mut indices: Vec<usize> = (0..points.times.len()).collect();
    if descends {
        indices.reverse();
    }
    for index in indices {
        let mut readings: BTreeMap<Subject, Reading> = BTreeMap::new();
        for (metric, values) in &points.values {
            let Some(value) = values.get(&index).copied() else { continue };
            let reading = || Reading { rounding: 0.01, ..Reading::new(metric.subject.name()) };
            let slot = match metric.figure {
                MetricFigure::Used(_) => continue,
                _ => readings.entry(metric.subject).or_insert_with(reading),
            };
            match metric.figure {
                MetricFigure::Reads => slot.read.ios_per_s = Some(value),
                MetricFigure::Writes => slot.write.ios_per_s = Some(value),
                MetricFigure::ReadBytes => slot.read.bytes_per_s = Some(value),
                MetricFigure::WriteBytes => slot.write.bytes_per_s = Some(value),
                // Bytes of the whole interval.
                MetricFigure::ReadBytesTotal => slot.read.bytes_per_s = step.map(|step| value / step),
                MetricFigure::WriteBytesTotal => slot.write.bytes_per_s = step.map(|step| value / step),
                MetricFigure::Queue => slot.queue = Some(value),
                MetricFigure::LatencyMs => slot.both.latency_us = Some(value * 1e3),
                MetricFigure::Used(_) => {}
            }
        }
        if !readings.is_empty() {
            fold.interval(step.unwrap_or(1.0), readings.into_values().collect());
        }
        if fold.devices() > DEVICES || fold.kept() > KEPT {
            trouble.add(whole(0), "the file has too many disks", "give the metrics of one VM");
            return None;
        }
    }
    let consumed = consumed(points);
    let (counted, starts_s) = (points.times.len(), fold.starts_s());
    let duration = step.and_then(|step| span(step * counted as f64));
    let each = step.and_then(span).map_or(String::new(), |step| format!(" of {step} each"));
    let mut notes = vec![format!(
        "{counted} averages{each}: shorter events, such as a limit of 50 ms slices, are not visible"
    )];
    notes.extend(consumed.iter().map(|used| {
        let (mean, most) = (used.mean * 100.0, used.most * 100.0);
        format!("{} {}: {mean:.0} % used on average, {most:.0} % at most", used.scope, used.measure)
    }));
    let kinds: BTreeMap<String, DeviceKind> =
        points.values.keys().map(|metric| (metric.subject.name(), metric.subject.kind())).collect();
    Some(Observation {
        observer: Observer::Cloud(&METRICS),
        devices: fold.finish(false, |name, _| kinds.get(name).copied().unwrap_or(DeviceKind::Disk)),
        duration,
        starts_s,
        cpu: None,
        iowait: None,
        buffered: None,
        consumed,
        held: Vec::new(),
        notes,
    })
}

/// The shares of limits and credits that were used.
fn consumed(points: &MetricPoints) -> Vec<Consumed> {
    let mut consumed = Vec::new();
    for (metric, values) in &points.values {
        let (MetricFigure::Used(measure), Some(scope)) = (metric.figure, metric.subject.scope()) else {
            continue;
        };
        let count = values.len().max(1) as f64;
        consumed.push(Consumed {
            scope,
            measure,
            mean: values.values().sum::<f64>() / count / 100.0,
            most: values.values().copied().fold(0.0, f64::max) / 100.0,
        });
    }
    consumed
}
