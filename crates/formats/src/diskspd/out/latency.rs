//! The latency distributions: of each target where there are several, and of all.

use iobound_measure::Histogram;
use iobound_units::Op;

use super::page::Page;
use super::part::Parts;

/// The rows between minimum and maximum.
const ROWS: [(f64, &str); 13] = [
    (25.0, "25th"),
    (50.0, "50th"),
    (75.0, "75th"),
    (90.0, "90th"),
    (95.0, "95th"),
    (99.0, "99th"),
    (99.9, "3-nines"),
    (99.99, "4-nines"),
    (99.999, "5-nines"),
    (99.999_9, "6-nines"),
    (99.999_99, "7-nines"),
    (99.999_999, "8-nines"),
    (99.999_999_9, "9-nines"),
];

/// Reads, writes and both of some rows.
pub(super) struct LatencySums<const DIGITS: u8> {
    pub read: Histogram<DIGITS>,
    pub write: Histogram<DIGITS>,
    pub total: Histogram<DIGITS>,
}

impl<const DIGITS: u8> LatencySums<DIGITS> {
    /// Both together.
    pub(super) fn of(read: Histogram<DIGITS>, write: Histogram<DIGITS>) -> LatencySums<DIGITS> {
        let mut total = read.clone();
        total.merge(&write);
        LatencySums { read, write, total }
    }
}

/// A percentile in ms, between the exact extremes; 0 is the minimum and 100 the maximum. `None` without latencies.
///
/// DiskSpd shows every percentile of any sample, as the value that at least so many do not exceed: the nines of a
/// small sample are its maximum.
pub(super) fn percentile_ms<const DIGITS: u8>(histogram: &Histogram<DIGITS>, percentile: f64) -> Option<f64> {
    let (min, max) = histogram.moments().min_ns().zip(histogram.moments().max_ns())?;
    let ns = if percentile <= 0.0 {
        min
    } else if percentile >= 100.0 {
        max
    } else {
        histogram.percentile_ns(percentile)
    };
    Some(ns as f64 / 1e6)
}

/// All distributions of a run.
pub(super) fn distributions(page: &mut Page, parts: &Parts<'_>) {
    let mut paths: Vec<&str> = Vec::new();
    for row in &parts.rows {
        if !paths.contains(&row.path) {
            paths.push(row.path);
        }
    }
    if paths.len() > 1 {
        for path in paths {
            let (mut read, mut write) = (Histogram::<2>::new(), Histogram::<2>::new());
            for row in parts.rows.iter().filter(|row| row.path == path) {
                read.merge(row.latencies(Op::Read));
                write.merge(row.latencies(Op::Write));
            }
            page.line(format_args!("\nLatency distribution: {path}"));
            chart(page, &LatencySums::of(read, write));
        }
    }
    page.line(format_args!("\nTotal latency distribution:"));
    chart(page, &LatencySums::of(parts.latencies(Op::Read), parts.latencies(Op::Write)));
}

fn chart<const DIGITS: u8>(page: &mut Page, distribution: &LatencySums<DIGITS>) {
    page.line(format_args!("  %-ile |  Read (ms) | Write (ms) | Total (ms)"));
    page.line(format_args!("{}", "-".repeat(46)));
    let cell = |histogram: &Histogram<DIGITS>, percentile: f64| match percentile_ms(histogram, percentile) {
        Some(ms) => format!("{ms:>10.3}"),
        None => format!("{:>10}", "N/A"),
    };
    let mut row = |name: &str, percentile: f64| {
        page.line(format_args!(
            "{name:>7} | {} | {} | {}",
            cell(&distribution.read, percentile),
            cell(&distribution.write, percentile),
            cell(&distribution.total, percentile),
        ));
    };
    row("min", 0.0);
    ROWS.iter().for_each(|(percentile, name)| row(name, *percentile));
    row("max", 100.0);
}
