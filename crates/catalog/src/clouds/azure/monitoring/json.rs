//! `az monitor metrics list --output json`.

use iobound_formats::observation::reader::{At, Trouble, json_place, whole};
use serde_json::Value;

use super::metric::Metric;
use super::{LIST, MetricPoints};

/// Adds the points of a document, or of a list of them; `false`: there are too many.
pub(super) fn points(text: &str, source: usize, points: &mut MetricPoints, trouble: &mut Trouble) -> bool {
    let document: Value = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(document) => document,
        Err(error) => {
            let at = At { source, ..json_place(text, &error) };
            trouble.add(at, format!("the file is not JSON: {error}"), "give the complete output of az");
            return true;
        }
    };
    let documents = document.as_array().map_or(std::slice::from_ref(&document), Vec::as_slice);
    for document in documents {
        let Some(metrics) = document.get("value").and_then(Value::as_array) else {
            trouble.add(whole(source), "the document has no `value` with metrics", LIST);
            return true;
        };
        for metric in metrics {
            if !add(metric, source, points, trouble) {
                return false;
            }
        }
    }
    true
}

fn add(metric: &Value, source: usize, points: &mut MetricPoints, trouble: &mut Trouble) -> bool {
    let name =
        metric.pointer("/name/value").or(metric.get("name")).and_then(Value::as_str).unwrap_or_default();
    let Some(found) = Metric::find(name) else { return true };
    for series in metric.get("timeseries").and_then(Value::as_array).into_iter().flatten() {
        let of_series = found.of_lun(lun(series));
        for point in series.get("data").and_then(Value::as_array).into_iter().flatten() {
            let time = point.get("timeStamp").or(point.get("timestamp")).and_then(Value::as_str);
            let mean = if found.is_sum() { "total" } else { "average" };
            let value = point.get(mean).and_then(Value::as_f64).filter(|value| *value >= 0.0);
            let Some((time, value)) = time.zip(value) else {
                // A minute in which nothing was kept has no average; one with another aggregation is not ours to use.
                let other = ["maximum", "minimum", "total", "count", "average"];
                if other.iter().any(|key| point.get(key).is_some_and(Value::is_number)) {
                    let what = format!("{name}: a point has no {mean}");
                    trouble.add(whole(source), what, LIST);
                    return true;
                }
                continue;
            };
            if !points.add(of_series, time, value) {
                return false;
            }
        }
    }
    true
}

/// The LUN that a series is of.
fn lun(series: &Value) -> Option<u32> {
    let values = series.get("metadatavalues").or(series.get("metadataValues"))?.as_array()?;
    let of = |value: &Value| {
        let name = value.pointer("/name/value").or(value.get("name"))?.as_str()?;
        name.eq_ignore_ascii_case("lun").then(|| value.get("value")?.as_str()?.trim().parse().ok())?
    };
    values.iter().find_map(of)
}
