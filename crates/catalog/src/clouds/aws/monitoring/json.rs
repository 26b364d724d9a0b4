//! Time series as the commands print them.

use std::collections::BTreeMap;

use iobound_formats::observation::ObservedFile;
use iobound_formats::observation::reader::{At, Clock, Trouble, json_place, whole};
use serde_json::Value;

use super::LIST;
use super::metric::{Balance, EbsMetric};
use crate::clouds::disk_points::{DiskPoints, VM};

/// The remaining credits, by the volume or the instance, and the metric.
pub(super) type Balances = BTreeMap<(String, EbsMetric), Balance>;

/// The name of a volume that no file names.
const VOLUME: &str = "EBS volume";

/// The points and balances that are read, and the problems on the way.
struct Sink<'a> {
    source: usize,
    points: &'a mut DiskPoints<EbsMetric>,
    balances: &'a mut Balances,
    trouble: &'a mut Trouble,
}

/// Adds the points of a document, or of several that follow each other; `false`: there are too many.
pub(super) fn points(
    file: &ObservedFile<'_>,
    source: usize,
    points: &mut DiskPoints<EbsMetric>,
    balances: &mut Balances,
    trouble: &mut Trouble,
) -> bool {
    let text = file.text.trim_start_matches('\u{feff}');
    let mut sink = Sink { source, points, balances, trouble };
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                let at = At { source, ..json_place(text, &error) };
                let help = "give the complete output of aws";
                sink.trouble.add(at, format!("the file is not JSON: {error}"), help);
                return true;
            }
        };
        let documents = document.as_array().map_or(std::slice::from_ref(&document), Vec::as_slice);
        for document in documents {
            if !sink.trouble.is_empty() {
                return true;
            }
            if !sink.document(document, file.name) {
                return false;
            }
        }
    }
    true
}

impl Sink<'_> {
    fn refuse(&mut self, what: impl Into<String>) -> bool {
        self.trouble.add(whole(self.source), what.into(), LIST);
        true
    }

    fn document(&mut self, document: &Value, file: &str) -> bool {
        let list = |key: &str| document.get(key).and_then(Value::as_array);
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_string();
        if let Some(series) = list("MetricDataResults") {
            for series in series {
                let names = [text(series, "Label"), text(series, "Id"), file.to_string()];
                let of = |key: &str| series.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let (times, values) = (of("Timestamps"), of("Values"));
                if times.len() != values.len() {
                    return self.refuse(format!("{}: there is not a value for each time", names[0]));
                }
                let Some((metric, disk)) = subject(&names) else { continue };
                for (time, value) in times.iter().zip(values) {
                    if !self.add(&names[0], metric, &disk, time.as_str(), Some(value)) {
                        return false;
                    }
                }
            }
            return true;
        }
        let Some(series) = list("Datapoints") else {
            return self.refuse("the document has neither `MetricDataResults` nor `Datapoints`");
        };
        let names = [text(document, "Label"), file.to_string()];
        let Some((metric, disk)) = subject(&names) else { return true };
        let statistic = if metric.is_sum() { "Sum" } else { "Average" };
        for point in series {
            let Some(value) = point.get(statistic) else {
                return self
                    .refuse(format!("{}: a point has no {statistic} (--statistics {statistic})", names[0]));
            };
            let time = point.get("Timestamp").and_then(Value::as_str);
            if !self.add(&names[0], metric, &disk, time, Some(value)) {
                return false;
            }
        }
        true
    }

    /// Adds a value; `false`: there are too many.
    fn add(
        &mut self,
        label: &str,
        metric: EbsMetric,
        disk: &str,
        time: Option<&str>,
        value: Option<&Value>,
    ) -> bool {
        let value = value.and_then(Value::as_f64).filter(|value| value.is_finite() && *value >= 0.0);
        let (Some(time), Some(value)) = (time.filter(|time| Clock::read(time).is_some()), value) else {
            return self.refuse(format!("{label}: a point has no time, or no number"));
        };
        if metric.is_balance() {
            if value > 100.0 {
                return self.refuse(format!("{label}: {value} is above 100 %"));
            }
            let key = (disk.to_string(), metric);
            self.balances.entry(key).or_insert_with(|| Balance::new(metric)).add(value);
            return true;
        }
        if self.points.value(disk, metric, time).is_some_and(|have| have != value) {
            let what = format!("{label}: there are two values at {time}, so it is not of one volume");
            return self.refuse(what);
        }
        self.points.add(disk, metric, time, value)
    }
}

/// The metric and the device of a series: what its label, its identifier or its file's name says.
fn subject(names: &[String]) -> Option<(EbsMetric, String)> {
    let (metric, of_instance) = names.iter().find_map(|name| EbsMetric::find(name))?;
    let disk = match of_instance {
        true => VM.to_string(),
        false => names.iter().find_map(|name| volume(name)).unwrap_or_else(|| VOLUME.to_string()),
    };
    Some((metric, disk))
}

/// The identifier of a volume in a text: `vol-0123456789abcdef0`, `vol_0123456789abcdef0`.
fn volume(text: &str) -> Option<String> {
    text.match_indices("vol").find_map(|(at, _)| {
        let rest = text[at + 3..].strip_prefix(['-', '_'])?;
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        (digits >= 8).then(|| format!("vol-{}", &rest[..digits]))
    })
}
