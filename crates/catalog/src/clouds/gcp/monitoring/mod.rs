//! Google Cloud Monitoring's metrics of a VM's disks: what `timeSeries.list` and `gcloud monitoring time-series list`
//! print (JSON), charts that Metrics Explorer exports (CSV), and CSV with a time and a column for each metric and disk.
//!
//! Metrics are `compute.googleapis.com/instance/disk/…`, by `device_name`
//! (cloud.google.com/monitoring/api/metrics_gcp_c): counts of an interval, or rates where the query aligned them so.

mod chart;
mod json;
mod pages;
mod sheet;
mod throttle;

use std::collections::BTreeMap;

use iobound_formats::observation::reader::{CloudMetrics, Reading, Trouble};
use iobound_formats::observation::{Observation, ObservedFile};
use iobound_units::Span;

use crate::clouds::disk_points::{DiskPoints, PointsMeaning};
use pages::Pages;
use throttle::Throttles;

/// Cloud Monitoring, as a reader.
pub(super) static METRICS: CloudMetrics = CloudMetrics {
    word: "cloud-monitoring",
    name: "Cloud Monitoring",
    is_json: |text| text.contains("\"timeSeries\"") || text.contains(PREFIX) || is_error(text),
    is_line: |line| {
        line.contains("_ops_count")
            || line.contains(PREFIX)
            || line.trim_start_matches(['\u{feff}', '"']).starts_with(chart::HEADER)
    },
    read,
};

/// The beginning of the names of a disk's metrics.
const PREFIX: &str = "compute.googleapis.com/instance/disk";

/// True for an answer of the API that is an error: it has the name of a status.
fn is_error(text: &str) -> bool {
    ["\"error\"", "\"code\"", "\"message\"", "\"status\""].iter().all(|key| text.contains(key))
}

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
    /// The metric that a name is of. The most of an interval, and what was throttled, are other metrics.
    fn find(name: &str) -> Option<MetricKind> {
        let lower = name.to_lowercase();
        let is_own = |at: usize| {
            let before = &lower[..at];
            !before.ends_with(|c: char| c.is_ascii_alphanumeric())
                && !["max_", "throttled_"].iter().any(|other| before.ends_with(other))
        };
        let found =
            |(name, figure): &(&str, MetricKind)| lower.find(name).filter(|at| is_own(*at)).map(|_| *figure);
        FIGURES.iter().find_map(found)
    }

    /// True if it counts what happened in an interval.
    fn is_count(self) -> bool {
        !matches!(self, MetricKind::Queue | MetricKind::Latency)
    }
}

/// The points that are read, the I/Os that were held back, and the pages of queries.
struct MetricSink<'a> {
    pages: &'a mut Pages,
    points: &'a mut DiskPoints<MetricKind>,
    throttles: &'a mut Throttles,
}

impl MetricSink<'_> {
    /// True if a name is of a metric that is read.
    fn knows(name: &str) -> bool {
        MetricKind::find(name).is_some() || Throttles::find(name).is_some()
    }

    /// Adds the rate of a metric at a time; `false`: there are too many. Another metric has no effect.
    fn add(&mut self, name: &str, disk: &str, reason: &str, time: &str, rate: f64) -> bool {
        if let Some(metric) = Throttles::find(name) {
            self.throttles.add(disk, metric, reason, rate);
        }
        MetricKind::find(name).is_none_or(|kind| self.points.add(disk, kind, time, rate))
    }
}

/// Reads the metrics of all files together: a chart is exported by itself.
fn read(files: &[ObservedFile<'_>], interval: Option<Span>, trouble: &mut Trouble) -> Option<Observation> {
    let (mut has_table, mut throttles, mut pages) = (false, Throttles::default(), Pages::default());
    let points = DiskPoints::of_files(files, LIST, trouble, |points, source, is_json, trouble| {
        has_table |= !is_json;
        let add = if is_json { json::points } else { sheet::points };
        let mut sink = MetricSink { points, throttles: &mut throttles, pages: &mut pages };
        add(&files[source], source, &mut sink, trouble)
    })?;
    let meaning = PointsMeaning { metrics: &METRICS, read: reading, needs_step: false };
    let mut observation = points.observation(&meaning, interval, Vec::new(), trouble)?;
    if has_table {
        let note = "the counts of the CSV are taken as rates, as Metrics Explorer charts them";
        observation.notes.push(note.to_string());
    }
    observation.notes.extend(pages.notes());
    observation.notes.extend(throttles.notes());
    observation.held = throttles.held();
    Some(observation)
}

/// Values are rates already: [`json`] divides counts by their intervals.
fn reading(figures: &BTreeMap<MetricKind, f64>, _: Option<f64>, reading: &mut Reading) {
    let of = |figure: MetricKind| figures.get(&figure).copied();
    (reading.read.ios_per_s, reading.write.ios_per_s) = (of(MetricKind::Reads), of(MetricKind::Writes));
    (reading.read.bytes_per_s, reading.write.bytes_per_s) =
        (of(MetricKind::ReadBytes), of(MetricKind::WriteBytes));
    (reading.queue, reading.both.latency_us) = (of(MetricKind::Queue), of(MetricKind::Latency));
}
