//! The XML result (`-Rxml`).

use iobound_measure::Histogram;
use iobound_units::Op;

use super::super::options::{Profile, TimeSpan};
use super::iops::{Bucket, Tally, deviation};
use super::latency::{LatencySums, percentile_ms};
use super::machine::{cpu_element, system_element};
use super::page::Markup;
use super::part::{CountUnit, Parts, TargetRow};
use super::{profile, zones};

/// The whole result.
pub(super) fn results(markup: &mut Markup, profile: &Profile, all: &[Parts<'_>]) {
    markup.open("Results", &[]);
    if let Some(parts) = all.first() {
        system_element(markup, parts.ran.machine);
    }
    profile::element(markup, profile);
    for (parts, span) in all.iter().zip(&profile.time_spans) {
        markup.open("TimeSpan", &[]);
        if parts.seconds > 0.0 {
            time_span(markup, parts, span);
        } else {
            markup.leaf("Error", super::INTERRUPTED);
        }
        markup.close("TimeSpan");
    }
    markup.close("Results");
}

fn time_span(markup: &mut Markup, parts: &Parts<'_>, span: &TimeSpan) {
    let threads =
        if span.thread_count > 0 { span.thread_count.to_string() } else { parts.threads().to_string() };
    let cpu = &parts.ran.machine.cpu;
    markup.leaf("TestTimeSeconds", format_args!("{:.2}", parts.seconds));
    markup.leaf("ThreadCount", threads);
    markup.leaf("RequestCount", span.request_count);
    markup.leaf("ProcCount", cpu.online);
    cpu_element(markup, cpu);
    if span.measure_latency {
        latency(markup, &LatencySums::of(parts.latencies(Op::Read), parts.latencies(Op::Write)));
    }
    if let (true, Some(buckets)) = (span.iops_deviation, &parts.buckets) {
        iops(markup, buckets, span.bucket_ms);
    }
    for rows in parts.rows.chunk_by(|a, b| a.thread == b.thread) {
        markup.open("Thread", &[]);
        markup.leaf("Id", rows[0].thread);
        rows.iter().for_each(|row| target(markup, parts, row, span));
        markup.close("Thread");
    }
}

fn latency(markup: &mut Markup, distribution: &LatencySums<3>) {
    let LatencySums { read, write, total } = distribution;
    let buckets = |histogram: &Histogram<3>| histogram.buckets().count();
    markup.open(
        "Latency",
        &[
            ("ReadHistoBuckets", &buckets(read)),
            ("WriteHistoBuckets", &buckets(write)),
            ("TotalHistoBuckets", &buckets(total)),
        ],
    );
    for (histogram, mean, stdev) in [
        (read, "AverageReadMilliseconds", "ReadLatencyStdev"),
        (write, "AverageWriteMilliseconds", "WriteLatencyStdev"),
        (total, "AverageTotalMilliseconds", "LatencyStdev"),
    ] {
        moments(markup, histogram, mean, stdev);
    }
    let mut bucket = |name: &str, percentile: f64| {
        markup.open("Bucket", &[]);
        markup.leaf("Percentile", name);
        for (name, histogram) in
            [("ReadMilliseconds", read), ("WriteMilliseconds", write), ("TotalMilliseconds", total)]
        {
            if let Some(ms) = percentile_ms(histogram, percentile) {
                markup.leaf(name, format_args!("{ms:.3}"));
            }
        }
        markup.close("Bucket");
    };
    for percent in 0..100u32 {
        bucket(&percent.to_string(), f64::from(percent));
    }
    for nines in 1..=7 {
        let name = format!("99.{}", "9".repeat(nines));
        let percentile = name.parse().expect("a number in decimals");
        bucket(&name, percentile);
    }
    bucket("100", 100.0);
    markup.close("Latency");
}

fn moments<const DIGITS: u8>(markup: &mut Markup, histogram: &Histogram<DIGITS>, mean: &str, stdev: &str) {
    let moments = histogram.moments();
    if let (Some(mean_ns), Some(stdev_ns)) = (moments.mean_ns(), moments.stdev_ns()) {
        markup.leaf(mean, format_args!("{:.3}", mean_ns / 1e6));
        markup.leaf(stdev, format_args!("{:.3}", stdev_ns / 1e6));
    }
}

fn iops(markup: &mut Markup, buckets: &[Bucket], bucket_ms: u32) {
    markup.open("Iops", &[]);
    for (section, name) in [
        (CountUnit::Read, "ReadIopsStdDev"),
        (CountUnit::Write, "WriteIopsStdDev"),
        (CountUnit::Total, "IopsStdDev"),
    ] {
        if buckets.iter().any(|bucket| bucket.count(section) > 0) {
            markup.leaf(name, format_args!("{:.3}", deviation(buckets, section, bucket_ms)));
        }
    }
    let per_second = 1e3 / f64::from(bucket_ms);
    for (bucket, number) in buckets.iter().zip(1u64..) {
        let rate = |section: CountUnit| bucket.count(section) as f64 * per_second;
        markup.line(format_args!(
            "<Bucket SampleMillisecond=\"{}\" Read=\"{:.0}\" Write=\"{:.0}\" Total=\"{:.0}\" {} {}/>",
            number * u64::from(bucket_ms),
            rate(CountUnit::Read),
            rate(CountUnit::Write),
            rate(CountUnit::Total),
            latencies("Read", &bucket.read),
            latencies("Write", &bucket.write),
        ));
    }
    markup.close("Iops");
}

/// The latencies of an interval.
fn latencies(direction: &str, tally: &Tally) -> String {
    format!(
        "{direction}MinLatencyMilliseconds=\"{:.3}\" {direction}MaxLatencyMilliseconds=\"{:.3}\" \
         {direction}AvgLatencyMilliseconds=\"{:.3}\" {direction}LatencyStdDev=\"{:.3}\"",
        tally.min_ms(),
        tally.max_ms(),
        tally.mean_ms(),
        tally.stdev_ms(),
    )
}

fn target(markup: &mut Markup, parts: &Parts<'_>, row: &TargetRow<'_>, span: &TimeSpan) {
    let [total, read, write] = CountUnit::ALL.map(|section| row.side(section));
    markup.open("Target", &[]);
    markup.leaf("Path", row.path);
    markup.leaf("BytesCount", total.bytes);
    markup.leaf("FileSize", row.size);
    markup.leaf("IOCount", total.ios);
    markup.leaf("ReadBytes", read.bytes);
    markup.leaf("ReadCount", read.ios);
    markup.leaf("WriteBytes", write.bytes);
    markup.leaf("WriteCount", write.ios);
    zones::element(markup, &zones::effective(parts.ran, row.thread, row.target()));
    if span.measure_latency {
        let LatencySums { read, write, total } =
            LatencySums::of(row.latencies(Op::Read).clone(), row.latencies(Op::Write).clone());
        moments(markup, &read, "AverageReadLatencyMilliseconds", "ReadLatencyStdev");
        moments(markup, &write, "AverageWriteLatencyMilliseconds", "WriteLatencyStdev");
        moments(markup, &total, "AverageLatencyMilliseconds", "LatencyStdev");
    }
    if let (true, Some(buckets)) = (span.iops_deviation, &row.buckets) {
        iops(markup, buckets, span.bucket_ms);
    }
    markup.close("Target");
}
