//! The curve of percentiles, its tail drawn out: each nine takes as much room as the one before.

use iobound_measure::Histogram;
use iobound_measure::percentile::supported;
use serde_json::{Value, json};

use super::super::chart::{Axis, Chart, Stroke};
use super::super::scale::{log10, power_of_ten};
use super::super::table::HtmlTable;
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number};
use crate::number::us;

/// Percentiles of documents, by their keys.
const KNOWN: [(&str, f64); 8] = [
    ("p50", 50.0),
    ("p90", 90.0),
    ("p95", 95.0),
    ("p99", 99.0),
    ("p99_9", 99.9),
    ("p99_99", 99.99),
    ("p99_999", 99.999),
    ("p99_9999", 99.9999),
];

/// Number of points a nine that has, where every latency is known.
const POINTS: u32 = 10;

/// A line of a curve of percentiles.
pub(super) struct Tail {
    label: String,
    /// Nines and µs, with the percentile in words.
    points: Vec<(f64, Value)>,
}

impl Tail {
    /// The same line under another name.
    #[must_use]
    pub(super) fn called(self, label: String) -> Tail {
        Tail { label, ..self }
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }
}

fn nines(percentile: f64) -> f64 {
    // 99.9 is not 99.9 in binary: round figures are to lie where their names are.
    crate::number::rounded(-log10(1.0 - percentile / 100.0), 6)
}

/// The percentiles that a latency of a document has.
pub(super) fn of_latency(label: &str, latency: &Value) -> Option<Tail> {
    let known = KNOWN.iter().filter(|(key, _)| number(latency, key).is_some());
    let points: Vec<(f64, Value)> = known.map(|(key, p)| (nines(*p), at(latency, key).clone())).collect();
    (points.len() > 1).then(|| Tail { label: label.to_string(), points })
}

/// Every latency of one operation, over all jobs.
pub(super) fn histogram(run: &Value, operation: &str) -> Histogram<3> {
    let mut all = Histogram::new();
    for job in list(run, "jobs") {
        let histogram = at(job, &format!("histograms.{operation}"));
        if let Ok(histogram) = serde_json::from_value::<Histogram<3>>(histogram.clone()) {
            all.merge(&histogram);
        }
    }
    all
}

/// Those of all jobs' I/Os of one operation, from every latency, as far as ten I/Os lie above.
pub(super) fn of_histograms(run: &Value, operation: &str) -> Option<Tail> {
    let all = histogram(run, operation);
    let mut points = Vec::new();
    for n in 0.. {
        let nines = f64::from(n) / f64::from(POINTS);
        let percentile = 100.0 * (1.0 - power_of_ten(-nines));
        if !supported(percentile, all.count()) || nines > 6.0 {
            break;
        }
        let value = if n == 0 { all.moments().min_ns()? } else { all.percentile_ns(percentile) };
        points.push((nines, us(value as f64 / 1e3)));
    }
    (points.len() > 1).then(|| Tail { label: format!("{operation}s"), points })
}

/// The chart of these lines. `key` is the latency's of the document.
pub(super) fn chart(
    title: &str,
    about: &str,
    tails: &[Tail],
    schema: &'static str,
    key: &'static str,
) -> Chart {
    let mut table = HtmlTable::new(schema, "Latency by percentile").own_column("percentile", "percentile");
    for tail in tails {
        table = table.column(&tail.label, key);
    }
    let mut places: Vec<f64> = tails.iter().flat_map(|tail| &tail.points).map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    for place in places {
        let mut cells = vec![Cell::Text(Unit::Nines.shown(place))];
        for tail in tails {
            let value =
                tail.points.iter().find(|point| point.0 == place).map_or(&Value::Null, |point| &point.1);
            cells.push(Cell::figure(value, Unit::Us));
        }
        table.row(cells);
    }
    let x = Axis::linear("percentile, on a scale with equal width for each nine", Unit::Nines);
    let mut chart = Chart::new(title, x, Axis::log("latency", Unit::Us), table);
    chart.about = about.to_string();
    for (n, tail) in tails.iter().enumerate() {
        let points = tail.points.iter().filter_map(|(x, y)| Some((*x, y.as_f64().filter(|y| *y > 0.0)?)));
        let stroke = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][n % 3];
        chart.line(&tail.label, n as u8 % 6 + 1, stroke, points.collect());
    }
    chart
}

/// Percentiles of a run: of every latency where it was kept, else the few of the document.
pub(super) fn of_run(run: &Value) -> Vec<Tail> {
    let every: Vec<Tail> =
        ["read", "write", "flush"].iter().filter_map(|op| of_histograms(run, op)).collect();
    if !every.is_empty() {
        return every;
    }
    let few = [("reads", "read.latency_us"), ("writes", "write.latency_us")];
    let few: Vec<Tail> = few.iter().filter_map(|(label, key)| of_latency(label, at(run, key))).collect();
    if few.is_empty() {
        of_latency("reads and writes", &json!(at(run, "latency_us"))).into_iter().collect()
    } else {
        few
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nine_has_its_place_and_needs_ten_values_above() {
        let mut histogram = Histogram::<3>::new();
        // 1 µs to 1 ms, evenly: the median is 500 µs, p99 is 990 µs, and p99.9 has one value above.
        (1..=1_000u64).for_each(|n| histogram.record(n * 1_000));
        let run = json!({ "jobs": [{ "histograms": { "read": histogram } }] });
        let tail = of_histograms(&run, "read").unwrap();
        let at = |nines: f64| {
            tail.points.iter().find(|point| point.0 == nines).map(|point| point.1.as_f64().unwrap())
        };
        assert_eq!(at(0.0), Some(1.0));
        let p90 = at(1.0).unwrap();
        assert!((p90 - 900.0).abs() <= 0.9, "{p90}");
        let p99 = at(2.0).unwrap();
        assert!((p99 - 990.0).abs() <= 0.99, "{p99}");
        assert_eq!(at(2.1), None);
        assert!(of_histograms(&run, "write").is_none());
    }

    #[test]
    fn without_every_latency_the_documents_percentiles_are_drawn() {
        let latency = json!({ "p50": 100, "p99": 900, "p99_9": null });
        let tail = of_latency("all", &latency).unwrap();
        let half = crate::number::rounded(std::f64::consts::LOG10_2, 6);
        assert_eq!(tail.points, [(half, json!(100)), (2.0, json!(900))]);
        assert!(of_latency("all", &json!({ "p50": 100 })).is_none());
    }
}
