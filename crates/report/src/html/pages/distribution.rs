//! The distribution of latencies: the share of the I/Os at or below each. Each mode is a steep part, and nothing joins two.

use std::collections::BTreeMap;

use iobound_measure::result::classes::{class_of, highest_of};
use serde_json::Value;

use super::super::chart::{Axis, Chart, Mark, Stroke};
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

/// The curve of one operation of one run.
struct RunCurve {
    label: String,
    stroke: Stroke,
    shares: BTreeMap<u32, f64>,
}

/// The distribution of a run's latencies; without lines if they were not kept.
pub(super) fn of_run(run: &Value) -> Chart {
    of_runs(&[("", run)])
}

/// The distributions of several runs, each with its name. A run has one stroke, and a label on each of its curves.
pub(super) fn of_runs(runs: &[(&str, &Value)]) -> Chart {
    const STROKES: [Stroke; 3] = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted];
    let mut curves: Vec<RunCurve> = Vec::new();
    for (n, (run_name, run)) in runs.iter().enumerate() {
        let first = curves.len();
        for (key, name) in OPERATIONS {
            let shares = cumulative(run, key);
            if shares.is_empty() {
                continue;
            }
            let (label, stroke) = match runs.len() {
                1 => (name.to_string(), STROKES[(curves.len() - first) % 3]),
                _ => (format!("{run_name}, {name}"), STROKES[n % 3]),
            };
            curves.push(RunCurve { label, stroke, shares });
        }
    }
    let mut table =
        HtmlTable::new(SCHEMA, "Share of the I/Os by latency").own_column("up to", "latency.class");
    for curve in &curves {
        table = table.own_column(&curve.label, "percentile");
    }
    let classes = curves.iter().flat_map(|curve| curve.shares.keys().copied());
    for class in classes.collect::<std::collections::BTreeSet<u32>>() {
        let mut cells = vec![Cell::figure(&us(end_of(class)), Unit::Us)];
        for curve in &curves {
            let share = curve.shares.range(..=class).next_back().map_or(0.0, |(_, share)| *share);
            cells.push(Cell::figure(&figure(share, 4), Unit::Share));
        }
        table.row(cells);
    }
    let (x, y) = (Axis::log("latency", Unit::Us), Axis::linear("share of the I/Os", Unit::Share));
    let mut chart = Chart::new("Share of the I/Os that complete within a latency", x, y, table);
    for (n, curve) in curves.iter().enumerate() {
        let points = points(&curve.shares);
        if runs.len() > 1 {
            chart.marks.extend(label_of(&points, &curve.label, n, curves.len()));
        }
        chart.line(&curve.label, n as u8 % 6 + 1, curve.stroke, points);
    }
    chart.about = "Each steep part is one kind of I/O, such as cache hits. A flat part between two means that few I/Os take that long.".into();
    chart
}

/// A label on the `n`th of some curves. Each curve has its label at another height, so that labels of close curves do not
/// overlap.
fn label_of(points: &[(f64, f64)], label: &str, n: usize, of: usize) -> Option<Mark> {
    let height = 1.0 - (n + 1) as f64 / (of + 1) as f64;
    let (x, y) = points.iter().find(|point| point.1 >= height)?;
    Some(Mark { x: *x, y: *y, label: label.to_string() })
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
    fn two_runs_are_told_apart_by_stroke_and_label() {
        let run = |ns: u64| {
            let mut histogram = Histogram::<3>::new();
            (0..100).for_each(|n| histogram.record(ns + n * ns / 100));
            json!({ "jobs": [{ "histograms": { "read": histogram } }] })
        };
        let (a, b) = (run(100_000), run(1_000_000));
        let chart = of_runs(&[("A", &a), ("B", &b)]);
        let looks: Vec<_> = chart.lines.iter().map(|line| (line.label.as_str(), line.stroke)).collect();
        assert_eq!(looks, [("A, reads", Stroke::Solid), ("B, reads", Stroke::Dashed)]);
        let labels: Vec<_> = chart.marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(labels, ["A, reads", "B, reads"]);
        // The labels lie on their own curves, at different heights: at two thirds and at a third.
        assert!(chart.marks[0].x < 250.0 && chart.marks[1].x > 900.0, "{:?}", chart.marks);
        assert!(chart.marks[0].y >= 2.0 / 3.0 && chart.marks[1].y < 2.0 / 3.0, "{:?}", chart.marks);
        // The share starts at zero.
        assert!(chart.lines.iter().all(|line| line.points[0].1 == 0.0));
    }

    #[test]
    fn without_latencies_there_is_no_chart() {
        assert!(!of_run(&json!({ "jobs": [] })).has_shape());
    }
}
