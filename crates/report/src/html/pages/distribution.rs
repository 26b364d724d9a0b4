//! The distribution of latencies: the share of the I/Os at or below each. Each mode is a steep part, and nothing joins two.

use std::collections::BTreeMap;

use iobound_measure::result::classes::{class_of, highest_of};
use serde_json::Value;

use super::super::chart::{Axis, Chart, Stroke};
use super::super::table::HtmlTable;
use super::super::unit::{Cell, Unit};
use super::tail;
use crate::number::{figure, us};

const SCHEMA: &str = "iobound.result/1";

/// Operations with latencies, and their names.
const OPERATIONS: [(&str, &str); 3] = [("read", "reads"), ("write", "writes"), ("flush", "flushes")];

/// Share of an operation's I/Os up to the end of each class of latencies.
fn cumulative(run: &Value, operation: &str) -> BTreeMap<u32, f64> {
    let histogram = tail::histogram(run, operation);
    let mut classes: BTreeMap<u32, u64> = BTreeMap::new();
    for bucket in histogram.buckets() {
        *classes.entry(class_of(bucket.highest_ns)).or_default() += bucket.count;
    }
    let all = histogram.count() as f64;
    let mut below = 0;
    let shares = classes.into_iter().map(|(class, ios)| {
        below += ios;
        (class, below as f64 / all)
    });
    shares.collect()
}

/// End of a class in µs.
fn end_of(class: u32) -> f64 {
    highest_of(class) as f64 / 1e3
}

/// The curve: flat over classes without I/Os, rising over the others.
fn points(shares: &BTreeMap<u32, f64>) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut below = 0.0;
    for (class, share) in shares {
        let begins = (end_of(class.saturating_sub(1)), below);
        if points.last() != Some(&begins) {
            points.push(begins);
        }
        points.push((end_of(*class), *share));
        below = *share;
    }
    points
}

/// The distribution of a run's latencies; without lines where they were not kept.
pub(super) fn of_run(run: &Value) -> Chart {
    let known: Vec<(&str, BTreeMap<u32, f64>)> = OPERATIONS
        .iter()
        .map(|(key, name)| (*name, cumulative(run, key)))
        .filter(|(_, shares)| !shares.is_empty())
        .collect();
    let mut table =
        HtmlTable::new(SCHEMA, "Share of the I/Os by latency").own_column("up to", "latency.class");
    for (name, _) in &known {
        table = table.own_column(name, "percentile");
    }
    let classes = known.iter().flat_map(|(_, shares)| shares.keys().copied());
    for class in classes.collect::<std::collections::BTreeSet<u32>>() {
        let mut cells = vec![Cell::figure(&us(end_of(class)), Unit::Us)];
        for (_, shares) in &known {
            let share = shares.range(..=class).next_back().map_or(0.0, |(_, share)| *share);
            cells.push(Cell::figure(&figure(share, 4), Unit::Share));
        }
        table.row(cells);
    }
    let (x, y) = (Axis::log("latency", Unit::Us), Axis::linear("share of the I/Os", Unit::Share));
    let mut chart = Chart::new("I/Os that are at least as fast", x, y, table);
    for (n, (name, shares)) in known.iter().enumerate() {
        let stroke = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][n % 3];
        chart.line(name, n as u8 + 1, stroke, points(shares));
    }
    chart.about = "Each steep part is one kind of I/O, such as cache hits. A flat part between two means that few I/Os take that long.".into();
    chart
}

#[cfg(test)]
mod tests {
    use iobound_measure::Histogram;
    use serde_json::json;

    use super::*;

    #[test]
    fn both_modes_are_steep_and_nothing_lies_between() {
        let mut histogram = Histogram::<3>::new();
        (0..60).for_each(|_| histogram.record(100_000));
        (0..40).for_each(|_| histogram.record(4_000_000));
        let run = json!({ "jobs": [{ "histograms": { "read": histogram } }] });
        let chart = of_run(&run);
        assert_eq!(chart.lines.len(), 1);
        let shares: Vec<f64> = chart.lines[0].points.iter().map(|point| point.1).collect();
        assert_eq!(shares, [0.0, 0.6, 0.6, 1.0]);
        let ends: Vec<f64> = chart.lines[0].points.iter().map(|point| point.0).collect();
        assert!(ends[0] < 100.0 && ends[1] >= 100.0 && ends[2] > 3_000.0 && ends[3] >= 4_000.0, "{ends:?}");
        assert_eq!(chart.table.len(), 2);
    }

    #[test]
    fn without_latencies_there_is_no_chart() {
        assert!(!of_run(&json!({ "jobs": [] })).has_shape());
    }
}
