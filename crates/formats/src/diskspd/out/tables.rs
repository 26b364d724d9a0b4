//! The tables of I/O by thread and target, and the totals of several time spans.

use super::super::options::TimeSpan;
use super::iops::{self, Bucket};
use super::page::{Page, size};
use super::part::{CountUnit, PartSums, Parts, ms};

/// The columns that a time span asks for.
#[derive(Clone, Copy)]
struct SpanColumns {
    /// `-L`.
    latency: bool,
    /// `-D`, ms.
    bucket_ms: Option<u32>,
}

/// The three tables of a time span.
pub(super) fn sections(page: &mut Page, parts: &Parts<'_>, span: &TimeSpan) {
    let columns = SpanColumns {
        latency: span.measure_latency,
        bucket_ms: span.iops_deviation.then_some(span.bucket_ms),
    };
    for section in CountUnit::ALL {
        page.line(format_args!("\n{}", section.title()));
        table(page, parts, section, columns);
    }
}

fn table(page: &mut Page, parts: &Parts<'_>, section: CountUnit, columns: SpanColumns) {
    let optional = |wanted: bool, text: &'static str| if wanted { text } else { "" };
    let (latency, deviation) = (columns.latency, columns.bucket_ms.is_some());
    page.line(format_args!(
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s {}{}{}|  file",
        optional(latency, "|  AvgLat  "),
        optional(deviation, "| IopsStdDev "),
        optional(latency, "| LatStdDev "),
    ));
    let border = format!(
        "{}{}{}{}{}",
        "-".repeat(66),
        optional(latency, "-----------"),
        optional(deviation, "-------------"),
        optional(latency, "------------"),
        "-".repeat(12),
    );
    page.line(format_args!("{border}"));
    for row in &parts.rows {
        let line = figures(&row.side(section), row.buckets.as_deref(), section, parts.seconds, columns);
        page.line(format_args!("{:>6} | {line} | {} ({})", row.thread, row.path, size(row.size)));
    }
    page.line(format_args!("{border}"));
    let line = figures(&parts.total(section), parts.buckets.as_deref(), section, parts.seconds, columns);
    page.line(format_args!("total:   {line}"));
}

/// The columns from bytes to deviations. A deviation of IOPS that nobody knows is `N/A`, as DiskSpd writes that of
/// no latencies.
fn figures(
    side: &PartSums,
    buckets: Option<&[Bucket]>,
    section: CountUnit,
    seconds: f64,
    columns: SpanColumns,
) -> String {
    let mut page = Page::default();
    page.put(format_args!("{}", amounts(side.bytes, side.ios, seconds)));
    if columns.latency {
        page.put(format_args!(" | {:>8.3}", ms(side.moments().mean_ns())));
    }
    if let Some(bucket_ms) = columns.bucket_ms {
        match buckets {
            Some(buckets) => {
                page.put(format_args!(" | {:>10.2}", iops::deviation(buckets, section, bucket_ms)));
            }
            None => page.put(format_args!(" | {:>10}", "N/A")),
        }
    }
    if columns.latency {
        match side.moments().stdev_ns() {
            Some(ns) => page.put(format_args!(" |  {:>8.3}", ns / 1e6)),
            None => page.put(format_args!(" |       N/A")),
        }
    }
    page.into_string()
}

fn amounts(bytes: u64, ios: u64, seconds: f64) -> String {
    let mib_per_s = bytes as f64 / 1_048_576.0 / seconds;
    let iops = ios as f64 / seconds;
    format!("{bytes:>15} | {ios:>12} | {mib_per_s:>10.2} | {iops:>10.2}")
}

/// The sums over several time spans; those that were interrupted before anything was counted are left out.
pub(super) fn totals(page: &mut Page, all: &[Parts<'_>]) {
    let counted: Vec<&Parts<'_>> = all.iter().filter(|parts| parts.seconds > 0.0).collect();
    let seconds: f64 = counted.iter().map(|parts| parts.seconds).sum();
    let sum = |section: CountUnit| {
        counted
            .iter()
            .map(|parts| parts.total(section))
            .fold((0, 0), |(bytes, ios), side| (bytes + side.bytes, ios + side.ios))
    };
    if counted.is_empty() {
        return;
    }
    page.line(format_args!("\n\nTotals:\n{}\n", "*".repeat(79)));
    page.line(format_args!("type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s"));
    let border = "-".repeat(79);
    page.line(format_args!("{border}"));
    let mut line = |name: &str, section: CountUnit| {
        let (bytes, ios) = sum(section);
        page.line(format_args!("{name:<6} | {}", amounts(bytes, ios, seconds)));
    };
    line("write", CountUnit::Write);
    line("read", CountUnit::Read);
    page.line(format_args!("{border}"));
    let (bytes, ios) = sum(CountUnit::Total);
    page.line(format_args!("total  | {}\n", amounts(bytes, ios, seconds)));
    page.line(format_args!("total test time:\t{seconds:.2}s"));
}
