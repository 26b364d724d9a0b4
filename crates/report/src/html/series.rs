//! The intervals of a run, as many as a picture can show.

use iobound_measure::result::classes::shown_together;
use serde_json::Value;

use super::value::{at, list, number};

/// Intervals that are shown as one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval<'a> {
    pub(super) from: f64,
    pub(super) to: f64,
    of: &'a [Value],
}

impl Interval<'_> {
    /// True if it is one interval of the document.
    fn alone(&self) -> Option<&Value> {
        match self.of {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The value of the document, where it is one interval; else the figure made of several.
    pub(super) fn exact(&self, key: &str, of_several: Option<f64>, decimals: usize) -> Value {
        match self.alone() {
            Some(one) => at(one, key).clone(),
            None => crate::number::figure_or_null(of_several, decimals),
        }
    }

    /// The mean of a rate, over time.
    pub(super) fn rate(&self, key: &str) -> Option<f64> {
        let length = |interval: &Value| {
            Some(number(interval, "end_s")? - number(interval, "start_s")?).filter(|length| *length > 0.0)
        };
        let (mut sum, mut time) = (0.0, 0.0);
        for interval in self.of {
            sum += number(interval, key)? * length(interval)?;
            time += length(interval)?;
        }
        Some(sum / time)
    }

    /// The largest of a figure.
    pub(super) fn largest(&self, key: &str) -> Option<f64> {
        self.of.iter().filter_map(|interval| number(interval, key)).reduce(f64::max)
    }

    /// The mean of a figure, each interval with its I/Os.
    pub(super) fn mean(&self, key: &str, rate: &str) -> Option<f64> {
        let (mut sum, mut weight) = (0.0, 0.0);
        for interval in self.of {
            if let (Some(value), Some(of)) = (number(interval, key), number(interval, rate)) {
                sum += value * of;
                weight += of;
            }
        }
        (weight > 0.0).then(|| sum / weight)
    }

    pub(super) fn phase(&self) -> &str {
        self.of[0].get("phase").and_then(Value::as_str).unwrap_or_default()
    }

    /// The intervals of the document that it is made of.
    pub(super) fn of(&self) -> &[Value] {
        self.of
    }
}

/// The intervals of a run's series; of a long one several together, and how many.
pub(super) fn intervals(run: &Value) -> (Vec<Interval<'_>>, usize) {
    let series = list(run, "series");
    let together = shown_together(series.len());
    let intervals = series
        .chunks(together)
        .filter_map(|of| {
            let (from, to) = (number(of.first()?, "start_s")?, number(of.last()?, "end_s")?);
            Some(Interval { from, to, of })
        })
        .collect();
    (intervals, together)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_series_is_shown_by_the_mean_of_rates_and_the_largest_of_latencies() {
        let point = |n: usize| json!({ "start_s": n, "end_s": n + 1, "iops": n, "read": { "p99_us": n } });
        let run = json!({ "series": (0..720).map(point).collect::<Vec<Value>>() });
        let (intervals, together) = intervals(&run);
        assert_eq!((intervals.len(), together), (360, 2));
        let second = &intervals[1];
        assert_eq!((second.from, second.to), (2.0, 4.0));
        // Of 2 and 3.
        assert_eq!((second.rate("iops"), second.largest("read.p99_us")), (Some(2.5), Some(3.0)));
        assert_eq!(second.exact("iops", Some(2.5), 2), json!(2.5));
    }

    #[test]
    fn an_interval_of_its_own_has_the_documents_figures() {
        let run = json!({ "series": [{ "start_s": 0, "end_s": 1, "iops": 7.25 }] });
        let (intervals, together) = intervals(&run);
        assert_eq!((together, intervals[0].exact("iops", None, 0)), (1, json!(7.25)));
    }
}
