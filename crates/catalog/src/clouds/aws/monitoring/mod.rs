//! CloudWatch's metrics of EBS volumes and of an instance's EBS traffic: what `aws cloudwatch get-metric-data` and
//! `get-metric-statistics` print (JSON).
//!
//! Metrics are those of the namespaces AWS/EBS and AWS/EC2 (docs.aws.amazon.com, "Amazon CloudWatch metrics for Amazon EBS",
//! "List the available CloudWatch metrics for your instances"): sums of a period of operations, bytes and seconds, and averages
//! of the queue and of what is left of burst credits.

mod json;
mod metric;

use std::collections::BTreeMap;

use iobound_formats::observation::reader::{CloudMetrics, Reading, Trouble, whole};
use iobound_formats::observation::{Consumed, Observation, ObservedFile};
use iobound_units::Span;

use crate::clouds::disk_points::{DiskPoints, PointsMeaning};
use json::Balances;
use metric::EbsMetric;

/// CloudWatch, as a reader.
pub(super) static METRICS: CloudMetrics = CloudMetrics {
    word: "cloudwatch",
    name: "CloudWatch",
    is_json: |text| text.contains("\"MetricDataResults\"") || text.contains("\"Datapoints\""),
    // Tables, text and the console's CSV are recognised to be refused with the way to export JSON.
    is_line: |line| metric::NAMES_OF_IOS.iter().any(|name| line.contains(name)),
    read,
};

const LIST: &str = "aws cloudwatch get-metric-data with VolumeReadOps, VolumeWriteOps, VolumeReadBytes, VolumeWriteBytes (Stat \
    Sum) and VolumeQueueLength (Stat Average) of each volume, with the volume in the Label, such as \"vol-0123 VolumeReadOps\"";

/// Reads the metrics of all files together: `get-metric-statistics` prints one metric of one volume.
fn read(files: &[ObservedFile<'_>], interval: Option<Span>, trouble: &mut Trouble) -> Option<Observation> {
    let mut balances = Balances::default();
    let points = DiskPoints::of_files(files, LIST, trouble, |points, source, is_json, trouble| {
        if is_json {
            return json::points(&files[source], source, points, &mut balances, trouble);
        }
        trouble.add(whole(source), "the file is not JSON", format!("export it with --output json: {LIST}"));
        true
    })?;
    let consumed: Vec<Consumed> = balances.values().map(|balance| balance.consumed()).collect();
    let meaning = PointsMeaning { metrics: &METRICS, read: reading, needs_step: true };
    let mut observation = points.observation(&meaning, interval, consumed, trouble)?;
    observation
        .notes
        .push("operations, bytes and times are taken as sums of a period (Stat Sum)".to_string());
    observation.notes.extend(balances.iter().map(|((disk, _), balance)| balance.note(disk)));
    Some(observation)
}

/// Rates of a period, and mean latencies: seconds of a direction by its operations.
fn reading(figures: &BTreeMap<EbsMetric, f64>, step: Option<f64>, reading: &mut Reading) {
    let of = |metric: EbsMetric| figures.get(&metric).copied();
    let rate = |metric: EbsMetric| Some(of(metric)? / step?);
    let mean = |seconds: EbsMetric, ops: EbsMetric| {
        of(ops).filter(|ops| *ops > 0.0).and_then(|ops| Some(of(seconds)? / ops * 1e6))
    };
    (reading.read.ios_per_s, reading.write.ios_per_s) = (rate(EbsMetric::Reads), rate(EbsMetric::Writes));
    (reading.read.bytes_per_s, reading.write.bytes_per_s) =
        (rate(EbsMetric::ReadBytes), rate(EbsMetric::WriteBytes));
    let told = |metric: EbsMetric| of(metric).map(|ms| ms * 1e3);
    reading.read.latency_us =
        told(EbsMetric::ReadLatency).or_else(|| mean(EbsMetric::ReadSeconds, EbsMetric::Reads));
    reading.write.latency_us =
        told(EbsMetric::WriteLatency).or_else(|| mean(EbsMetric::WriteSeconds, EbsMetric::Writes));
    reading.queue = of(EbsMetric::Queue);
}
