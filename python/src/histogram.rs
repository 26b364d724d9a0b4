//! Histograms: their figures, what they hold together, and those of HdrHistogram's logs. A histogram is the text of what a
//! result keeps of it (`jobs[].histograms.read`), so that nothing is lost on the way.

use hdrhistogram::serialization::Deserializer;
use iobound_measure::{Histogram, summary};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

fn wrong(why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Number of digits that a histogram keeps.
fn digits_of(value: &Value) -> Result<u64, String> {
    let digits = value.get("digits").and_then(Value::as_u64);
    digits.ok_or_else(|| "it is no histogram: it does not say how many `digits` it keeps".to_string())
}

fn read<const DIGITS: u8>(value: Value) -> Result<Histogram<DIGITS>, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Count, figures and bins of a histogram, as JSON.
///
/// # Errors
/// `ValueError`: it is none.
#[pyfunction]
pub(crate) fn histogram(py: Python<'_>, raw: &str) -> PyResult<String> {
    py.detach(|| {
        let value: Value = serde_json::from_str(raw).map_err(|error| error.to_string())?;
        match digits_of(&value)? {
            1 => shown(&read::<1>(value)?),
            2 => shown(&read::<2>(value)?),
            3 => shown(&read::<3>(value)?),
            other => Err(format!("a histogram of {other} digits: 1, 2 or 3 are kept")),
        }
    })
    .map_err(wrong)
}

fn shown<const DIGITS: u8>(histogram: &Histogram<DIGITS>) -> Result<String, String> {
    let us = |ns: u64| ns as f64 / 1e3;
    let bins: Vec<Value> = histogram
        .buckets()
        .map(|bin| {
            json!({ "lower_us": us(bin.lowest_ns), "upper_us": us(bin.highest_ns), "count": bin.count })
        })
        .collect();
    let value = json!({
        "count": histogram.count(),
        "latency_us": summary::latency(histogram, None),
        "bins": bins,
        "raw": histogram,
    });
    Ok(value.to_string())
}

/// Sum of several histograms: of their counts, bin by bin, and of their moments.
///
/// # Errors
/// `ValueError`: there is none, one of them is no histogram, or they keep different digits.
#[pyfunction]
pub(crate) fn merged(py: Python<'_>, raws: Vec<String>) -> PyResult<String> {
    py.detach(|| {
        let values = raws.iter().map(|raw| serde_json::from_str(raw).map_err(|error| error.to_string()));
        let values: Vec<Value> = values.collect::<Result<_, String>>()?;
        let first = values.first().ok_or("there is no histogram to merge")?;
        match digits_of(first)? {
            1 => sum::<1>(values),
            2 => sum::<2>(values),
            3 => sum::<3>(values),
            other => Err(format!("a histogram of {other} digits: 1, 2 or 3 are kept")),
        }
    })
    .map_err(wrong)
}

fn sum<const DIGITS: u8>(values: Vec<Value>) -> Result<String, String> {
    let mut all = Histogram::<DIGITS>::new();
    for (number, value) in values.into_iter().enumerate() {
        let one = read::<DIGITS>(value).map_err(|why| format!("histogram {}: {why}", number + 1))?;
        if all.count().checked_add(one.count()).is_none_or(|count| i64::try_from(count).is_err()) {
            return Err(format!("histogram {}: together they hold more than can be counted", number + 1));
        }
        all.merge(&one);
    }
    serde_json::to_string(&all).map_err(|error| error.to_string())
}

/// The histogram of HdrHistogram's encoding (V2, deflated or not), whose values are in ns. It has no moments: those of the
/// bins' middles stand for them.
///
/// # Errors
/// `ValueError`: the bytes are none.
#[pyfunction]
pub(crate) fn of_hdr(py: Python<'_>, bytes: &[u8]) -> PyResult<String> {
    py.detach(|| {
        let hdr: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut &bytes[..])
            .map_err(|error| format!("no histogram in HdrHistogram's V2 encoding: {error}"))?;
        match hdr.sigfig() {
            1 => kept(Histogram::<1>::from_hdr(&hdr)),
            2 => kept(Histogram::<2>::from_hdr(&hdr)),
            3 => kept(Histogram::<3>::from_hdr(&hdr)),
            other => Err(format!("a histogram of {other} digits: 1, 2 or 3 are kept")),
        }
    })
    .map_err(wrong)
}

fn kept<const DIGITS: u8>(histogram: Histogram<DIGITS>) -> Result<String, String> {
    serde_json::to_string(&histogram).map_err(|error| error.to_string())
}
