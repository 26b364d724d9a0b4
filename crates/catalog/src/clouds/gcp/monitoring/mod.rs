//! Google Cloud Monitoring's metrics of a VM's disks: what `timeSeries.list` and `gcloud monitoring time-series list`
//! print (JSON), and CSV with a time and a column for each metric and disk, as Metrics Explorer exports it.
//!
//! Metrics are `compute.googleapis.com/instance/disk/…`, by `device_name`
//! (cloud.google.com/monitoring/api/metrics_gcp_c): counts of an interval, or rates where the query aligned them so.

mod json;
mod sheet;

use std::collections::BTreeMap;

use iobound_formats::observation::reader::{
    Clock, CloudMetrics, DEVICES, Fold, INTERVALS, KEPT, Reading, Trouble, agreed, span, whole,
};
use iobound_formats::observation::{DeviceKind, Observation, ObservedFile, Observer};
use iobound_units::Span;

/// Cloud Monitoring, as a reader.
pub(super) static METRICS: CloudMetrics = CloudMetrics {
    word: "cloud-monitoring",
    name: "Cloud Monitoring",
    is_json: |text| text.contains("\"timeSeries\"") || text.contains(PREFIX),
    is_line: |line| line.contains("_ops_count") || line.contains(PREFIX),
    read,
};

/// The beginning of the names of a disk's metrics.
const PREFIX: &str = "compute.googleapis.com/instance/disk";

const LIST: &str = "query compute.googleapis.com/instance/disk/read_ops_count, write_ops_count, read_bytes_count and \
    write_bytes_count of one VM with the aligner ALIGN_RATE, by device_name";

/// Quantity of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MetricKind {
    Reads,
    Writes,
    ReadBytes,
    WriteBytes,
    Queue,
    /// Microseconds.
    Latency,
}

/// The names of metrics, in lower case.
const FIGURES: [(&str, MetricKind); 6] = [
    ("read_ops_count", MetricKind::Reads),
    ("write_ops_count", MetricKind::Writes),
    ("read_bytes_count", MetricKind::ReadBytes),
    ("write_bytes_count", MetricKind::WriteBytes),
    ("average_io_queue_depth", MetricKind::Queue),
    ("average_io_latency", MetricKind::Latency),
];

impl MetricKind {
    /// The metric that a name is of. What was throttled, and the most of an interval, are other metrics.
    fn find(name: &str) -> Option<MetricKind> {
        let lower = name.to_lowercase();
        let is_word = |at: usize| !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let found =
            |(name, figure): &(&str, MetricKind)| lower.find(name).filter(|at| is_word(*at)).map(|_| *figure);
        FIGURES.iter().find_map(found)
    }

    /// True if it counts what happened in an interval.
    fn is_count(self) -> bool {
        !matches!(self, MetricKind::Queue | MetricKind::Latency)
    }
}

/// The values of each disk and metric by the text of their time.
#[derive(Default)]
struct DiskPoints {
    times: BTreeMap<String, usize>,
    values: BTreeMap<usize, BTreeMap<String, BTreeMap<MetricKind, f64>>>,
    kept: usize,
}

impl DiskPoints {
    /// Adds a value, a second where it is a count; `false`: there are too many.
    fn add(&mut self, disk: &str, figure: MetricKind, time: &str, value: f64) -> bool {
        let next = self.times.len();
        let index = *self.times.entry(time.to_string()).or_insert(next);
        let disks = self.values.entry(index).or_default();
        disks.entry(disk.to_string()).or_default().insert(figure, value);
        self.kept += 1;
        self.times.len() <= INTERVALS && self.kept <= KEPT
    }
}

/// Reads the metrics of all files together: a chart is exported by itself.
fn read(files: &[ObservedFile<'_>], interval: Option<Span>, trouble: &mut Trouble) -> Option<Observation> {
    let mut points = DiskPoints::default();
    let mut are_taken_as_rates = false;
    for (source, file) in files.iter().enumerate() {
        let start = file.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let read = if start.starts_with(['{', '[']) {
            json::points(file.text, source, &mut points, trouble)
        } else {
            are_taken_as_rates = true;
            sheet::points(file.text, source, &mut points, trouble)
        };
        if !read && trouble.is_empty() {
            trouble.add(
                whole(source),
                "the file has too many figures",
                "cut the file to the time to explain",
            );
        }
    }
    if !trouble.is_empty() {
        return None;
    }
    if points.values.is_empty() {
        trouble.add(whole(0), "the file has no value of a disk metric", LIST);
        return None;
    }
    observation(&points, interval, are_taken_as_rates, trouble)
}

fn observation(
    points: &DiskPoints,
    interval: Option<Span>,
    are_taken_as_rates: bool,
    trouble: &mut Trouble,
) -> Option<Observation> {
    // The texts of one file have one form: they are in the order of time.
    let times: Vec<&String> = points.times.keys().collect();
    let apart = times.windows(2).filter_map(|pair| Clock::read(pair[0])?.until(Clock::read(pair[1])?));
    let step = agreed(interval, apart.min_by(f64::total_cmp), whole(0), trouble);
    if !trouble.is_empty() {
        return None;
    }
    let mut fold = Fold::new(step.is_some());
    for index in points.times.values() {
        let Some(disks) = points.values.get(index) else { continue };
        let readings = disks.iter().map(|(disk, figures)| {
            let of = |figure: MetricKind| figures.get(&figure).copied();
            let mut reading = Reading { rounding: 0.01, ..Reading::new(disk.as_str()) };
            (reading.read.ios_per_s, reading.write.ios_per_s) =
                (of(MetricKind::Reads), of(MetricKind::Writes));
            (reading.read.bytes_per_s, reading.write.bytes_per_s) =
                (of(MetricKind::ReadBytes), of(MetricKind::WriteBytes));
            (reading.queue, reading.both.latency_us) = (of(MetricKind::Queue), of(MetricKind::Latency));
            reading
        });
        fold.interval(step.unwrap_or(1.0), readings.collect());
        if fold.devices() > DEVICES || fold.kept() > KEPT {
            trouble.add(whole(0), "the file has too many disks", "give the metrics of one VM");
            return None;
        }
    }
    let (counted, starts_s) = (points.times.len(), fold.starts_s());
    let each = step.and_then(span).map_or(String::new(), |step| format!(" of {step} each"));
    let mut notes = vec![format!(
        "{counted} averages{each}: shorter events, such as an empty bucket of a second, are not visible"
    )];
    if are_taken_as_rates {
        notes.push("the counts of the CSV are taken as rates, as Metrics Explorer charts them".to_string());
    }
    Some(Observation {
        observer: Observer::Cloud(&METRICS),
        devices: fold.finish(false, |name, _| if name == VM { DeviceKind::Total } else { DeviceKind::Disk }),
        duration: step.and_then(|step| span(step * counted as f64)),
        starts_s,
        cpu: None,
        iowait: None,
        buffered: None,
        consumed: Vec::new(),
        notes,
    })
}

/// The name of all disks together, where a series names none.
const VM: &str = "VM";
