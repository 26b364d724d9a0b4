//! Time series as the API prints them.

use iobound_formats::observation::ObservedFile;
use iobound_formats::observation::reader::{At, Clock, Trouble, json_place, whole};
use serde_json::Value;

use super::pages::error_of;
use super::{LIST, MetricKind, MetricSink};
use crate::clouds::disk_points::VM;

/// Adds the points of a page, or of a list of pages or series; `false`: there are too many.
pub(super) fn points(
    file: &ObservedFile<'_>,
    source: usize,
    sink: &mut MetricSink<'_>,
    trouble: &mut Trouble,
) -> bool {
    let text = file.text;
    let document: Value = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(document) => document,
        Err(error) => {
            let at = At { source, ..json_place(text, &error) };
            trouble.add(at, format!("the file is not JSON: {error}"), "give the complete output");
            return true;
        }
    };
    let mut machine = None;
    let documents = document.as_array().map_or(std::slice::from_ref(&document), Vec::as_slice);
    for document in documents {
        if let Some(error) = error_of(document) {
            let help = "query again once the error is corrected, and give the answer to that";
            trouble.add(whole(source), format!("the file has an error in place of series: {error}"), help);
            return true;
        }
        let page = document.get("timeSeries").and_then(Value::as_array);
        if page.is_some() {
            sink.pages.add(document);
        }
        for series in page.map_or(std::slice::from_ref(document), Vec::as_slice) {
            if !trouble.is_empty() {
                return true;
            }
            let of = series.pointer("/resource/labels/instance_id").and_then(Value::as_str);
            if let (Some(of), Some(machine)) = (of, machine)
                && of != machine
            {
                let what = format!("the file has series of the instances {machine} and {of}");
                trouble.add(whole(source), what, "give the metrics of one VM");
                return true;
            }
            machine = of.or(machine);
            if !add(series, source, sink, trouble) {
                return false;
            }
        }
    }
    true
}

fn add(series: &Value, source: usize, sink: &mut MetricSink<'_>, trouble: &mut Trouble) -> bool {
    let text = |path: &str| series.pointer(path).and_then(Value::as_str);
    let Some(name) = text("/metric/type") else {
        trouble.add(whole(source), "an entry has no `metric.type`: it is not a time series", LIST);
        return true;
    };
    if !MetricSink::knows(name) {
        return true;
    }
    let is_count = MetricKind::find(name).is_none_or(MetricKind::is_count);
    let reason = text("/metric/labels/throttle_reason").unwrap_or_default();
    let disk = text("/metric/labels/device_name").or(text("/metric/labels/deviceName")).unwrap_or(VM);
    let kind = text("/metricKind").unwrap_or("DELTA");
    if kind == "CUMULATIVE" {
        let what =
            format!("{name}: the series is cumulative, which is neither a rate nor a count of an interval");
        trouble.add(whole(source), what, LIST);
        return true;
    }
    for point in series.get("points").and_then(Value::as_array).into_iter().flatten() {
        let time = |key: &str| point.pointer(&format!("/interval/{key}")).and_then(Value::as_str);
        let (Some(end), Some(value)) = (time("endTime"), value(point)) else {
            trouble.add(whole(source), format!("{name}: a point has no end time, or no number"), LIST);
            return true;
        };
        let is_rate = kind != "DELTA" || !is_count;
        let value = if is_rate {
            value
        } else {
            let length = time("startTime").and_then(|start| Clock::read(start)?.until(Clock::read(end)?));
            let Some(length) = length.filter(|length| *length > 0.0) else {
                let what = format!("{name}: the count until {end} has no interval to be divided by");
                trouble.add(whole(source), what, LIST);
                return true;
            };
            value / length
        };
        if !sink.add(name, disk, reason, end, value) {
            return false;
        }
    }
    true
}

/// A number, which the API writes as text where it is whole.
fn value(point: &Value) -> Option<f64> {
    let of = |key: &str| point.pointer(&format!("/value/{key}"));
    let whole = of("int64Value").and_then(|value| value.as_f64().or_else(|| value.as_str()?.parse().ok()));
    whole.or_else(|| of("doubleValue")?.as_f64()).filter(|value| value.is_finite() && *value >= 0.0)
}
