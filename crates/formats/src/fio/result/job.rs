//! One entry of `jobs`.

use iobound_measure::result::JobResult;
use serde_json::Value;

use super::figures::{self, Sum};
use crate::fio::out::{Latency, Spread};

/// A job as the document has it.
pub(super) struct ReadJob {
    pub name: String,
    pub group: u64,
    pub error: u64,
    pub engine: Option<String>,
    pub is_mixed: bool,
    /// Reads, writes, flushes, trims; unified ones in the first.
    pub parts: [Option<Part>; 4],
}

/// One direction of a job.
#[derive(Clone)]
pub(super) struct Part {
    pub ios: u64,
    /// Of flushes nobody knows.
    pub bytes: Option<u64>,
    pub runtime_ms: u64,
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    pub latency: Option<PartLatency>,
}

/// The latency that counts.
#[derive(Clone)]
pub(super) struct PartLatency {
    pub spread: Spread,
    pub from_submission: bool,
    /// Percent and ns.
    pub percentiles: Vec<(f64, u64)>,
    pub bins: Option<Latency>,
}

impl ReadJob {
    /// From a member of `jobs`.
    pub(super) fn of(job: &Value) -> Result<ReadJob, String> {
        let name = job.get("jobname").and_then(Value::as_str).ok_or("there is no `jobname`")?;
        let mixed = job.get("mixed").filter(|_| job.get("read").is_none());
        let part = |value: Option<&Value>| value.map(Part::of).transpose().map(Option::flatten);
        let sync = job.get("sync").map(|sync| Part::sync(sync, job)).transpose()?.flatten();
        let parts = [part(mixed.or(job.get("read")))?, part(job.get("write"))?, sync, part(job.get("trim"))?];
        if mixed.is_none() && job.get("read").is_none() && job.get("write").is_none() {
            return Err("there is neither `read` nor `write`".to_string());
        }
        let options = job.get("job options");
        Ok(ReadJob {
            name: name.to_string(),
            group: number(job, "groupid")?.unwrap_or(0),
            error: number(job, "error")?.unwrap_or(0),
            engine: options.and_then(|options| options.get("ioengine")?.as_str()).map(str::to_string),
            is_mixed: mixed.is_some(),
            parts,
        })
    }

    /// The longest time of a direction, in ms.
    pub(super) fn runtime_ms(&self) -> u64 {
        self.parts.iter().flatten().map(|part| part.runtime_ms).max().unwrap_or(0)
    }

    /// As a job of a result.
    pub(super) fn result(&self) -> JobResult {
        let (total, by_operation) = figures::whole(&figures::sums(std::slice::from_ref(self)), false);
        JobResult { name: self.name.clone(), total, by_operation, ..JobResult::default() }
    }
}

impl Part {
    /// A direction; `None` where it did nothing.
    fn of(value: &Value) -> Result<Option<Part>, String> {
        // fio before 3.0 counted `io_bytes` in KiB and latencies in µs; what it printed then has no `clat_ns`.
        if value.get("clat").is_some() && value.get("clat_ns").is_none() {
            return Err(
                "the document is from fio 2, which uses KiB and µs: give a document of fio 3".to_string()
            );
        }
        let ios = number(value, "total_ios")?.ok_or("a direction has no `total_ios`")?;
        if ios == 0 {
            return Ok(None);
        }
        let bytes = number(value, "io_bytes")?;
        let bandwidth = decimal(value, "bw_bytes").or(decimal(value, "bw").map(|kib| kib * 1024.0));
        Ok(Some(Part {
            ios,
            bytes,
            runtime_ms: number(value, "runtime")?.unwrap_or(0),
            iops: decimal(value, "iops"),
            bytes_per_s: bandwidth,
            latency: latency(value)?,
        }))
    }

    /// The flushes.
    fn sync(value: &Value, job: &Value) -> Result<Option<Part>, String> {
        let latency = value.get("lat_ns").map(|lat| PartLatency::of(lat, false)).transpose()?.flatten();
        // Older versions say how many in the latency only.
        let ios = number(value, "total_ios")?.or(latency.as_ref().map(|latency| latency.spread.samples));
        let Some(ios) = ios.filter(|ios| *ios > 0) else { return Ok(None) };
        let runtime =
            ["read", "write"].iter().filter_map(|name| number(job.get(name)?, "runtime").ok().flatten());
        Ok(Some(Part {
            ios,
            bytes: None,
            runtime_ms: runtime.max().unwrap_or(0),
            iops: None,
            bytes_per_s: None,
            latency,
        }))
    }
}

/// The latency with percentiles; without any, that from issue before that from submission.
fn latency(direction: &Value) -> Result<Option<PartLatency>, String> {
    let of = |name: &str, from_submission: bool| {
        let latency = direction.get(name).map(|value| PartLatency::of(value, from_submission));
        latency.transpose().map(Option::flatten)
    };
    let (lat, clat) = (of("lat_ns", false)?, of("clat_ns", true)?);
    let has_percentiles = |latency: &Option<PartLatency>| {
        latency.as_ref().is_some_and(|latency| !latency.percentiles.is_empty())
    };
    Ok(if has_percentiles(&clat) && !has_percentiles(&lat) { clat } else { lat.or(clat) })
}

impl PartLatency {
    fn of(value: &Value, from_submission: bool) -> Result<Option<PartLatency>, String> {
        let samples = number(value, "N")?;
        if samples == Some(0) {
            return Ok(None);
        }
        let Some((min, max)) = number(value, "min")?.zip(number(value, "max")?) else { return Ok(None) };
        let mean = decimal(value, "mean").unwrap_or(0.0);
        // Before 3.1 there is no `N`: nothing was measured where all is zero.
        if samples.is_none() && max == 0 {
            return Ok(None);
        }
        let samples = samples.unwrap_or(1);
        let deviation = decimal(value, "stddev").unwrap_or(0.0);
        let squares = deviation * deviation * samples.saturating_sub(1) as f64;
        let spread = Spread { samples, min, max, mean, squares };
        Ok(Some(PartLatency {
            spread,
            from_submission,
            percentiles: pairs(value, "percentile")?
                .into_iter()
                .map(|(percent, ns)| percent.parse().map(|percent| (percent, ns)))
                .collect::<Result<_, _>>()
                .map_err(|_| "a key of `percentile` is not a number".to_string())?,
            bins: bins(value, spread)?,
        }))
    }
}

fn bins(value: &Value, spread: Spread) -> Result<Option<Latency>, String> {
    let counts = pairs(value, "bins")?;
    if counts.is_empty() {
        return Ok(None);
    }
    let mut read = Vec::with_capacity(counts.len());
    for (middle, count) in counts {
        let middle: u64 =
            middle.parse().map_err(|_| format!("`{middle}` in `bins` is not a latency in ns"))?;
        read.push((middle, count));
    }
    Ok(Some(Latency::from_parts(spread, read.into_iter())))
}

/// Keys and whole numbers of an object; none where it is not there.
fn pairs<'a>(value: &'a Value, name: &str) -> Result<Vec<(&'a str, u64)>, String> {
    let Some(fields) = value.get(name).and_then(Value::as_object) else { return Ok(Vec::new()) };
    let pair = |(key, value): (&'a String, &Value)| {
        let number =
            value.as_u64().ok_or_else(|| format!("`{name}.{key}` is {value}, not a whole number"))?;
        Ok((key.as_str(), number))
    };
    fields.iter().map(pair).collect()
}

/// A whole number; `None` where it is not there.
fn number(value: &Value, name: &str) -> Result<Option<u64>, String> {
    match value.get(name) {
        None => Ok(None),
        Some(found) => match found.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(format!("`{name}` is {found}, not a whole number from zero on")),
        },
    }
}

fn decimal(value: &Value, name: &str) -> Option<f64> {
    value.get(name).and_then(Value::as_f64).filter(|number| number.is_finite() && *number >= 0.0)
}

impl From<&Part> for Sum {
    fn from(part: &Part) -> Sum {
        Sum {
            ios: part.ios,
            bytes: part.bytes,
            iops: part.iops,
            bytes_per_s: part.bytes_per_s,
            runtime_ms: part.runtime_ms,
            latencies: part.latency.clone().into_iter().collect(),
            unmeasured: part.latency.is_none(),
        }
    }
}
