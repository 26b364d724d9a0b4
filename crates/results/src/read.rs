//! Rows become a run again.

use iobound_measure::result::{Histograms, Point, PointFigures, RunResult};
use iobound_measure::{Histogram, KeptMoments};
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::{Map, Value};

use crate::id::RunId;
use crate::latencies::decoded;

/// A run with all that is kept of it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its id.
    pub id: RunId,
    /// The verb that ran it.
    pub verb: String,
    /// Its name.
    pub name: Option<String>,
    /// Figures of it, with its histograms and the latencies of its intervals.
    pub result: RunResult,
    /// The document as it was printed, with its series and its id, without histograms and latencies.
    pub document: Map<String, Value>,
    /// The workload in TOML.
    pub workload: Option<String>,
    /// The configuration in TOML, as `--config` reads it.
    pub configuration: Option<String>,
}

/// The run of an id; the inner error is what is wrong with what is kept.
pub(crate) fn read(connection: &Connection, id: RunId) -> rusqlite::Result<Option<Result<Kept, String>>> {
    let row = connection
        .prepare_cached("SELECT verb, name, document, workload_toml, configuration FROM runs WHERE run = ?1")?
        .query_row([id.0], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let Some((verb, name, document, workload, configuration)) = row else { return Ok(None) };
    let intervals = series(connection, id)?;
    let histograms = histograms(connection, id)?;
    let restored = restore(id, &document, intervals, histograms);
    Ok(Some(restored.map(|(document, result)| Kept {
        id,
        verb,
        name,
        result,
        document,
        workload,
        configuration,
    })))
}

/// A histogram as it is kept: job, operation, bytes and moments.
struct Encoded {
    job: usize,
    operation: String,
    bytes: Vec<u8>,
    moments: KeptMoments,
}

fn restore(
    id: RunId,
    document: &str,
    rows: Vec<Interval>,
    encoded: Vec<Encoded>,
) -> Result<(Map<String, Value>, RunResult), String> {
    let parsed: Value = serde_json::from_str(document).map_err(|error| error.to_string())?;
    let Value::Object(stored) = parsed else { return Err("its document is not an object".into()) };
    let mut keys = Map::new();
    for (key, value) in stored {
        let is_schema = key == "schema";
        keys.insert(key, value);
        if is_schema {
            keys.insert("id".into(), id.to_string().into());
        }
    }
    let (points, latencies): (Vec<Point>, Vec<_>) =
        rows.into_iter().map(|row| (row.point, (row.read_latencies, row.write_latencies))).unzip();
    let series = serde_json::to_value(&points).map_err(|error| error.to_string())?;
    keys.insert("series".into(), series);
    let mut result: RunResult =
        serde_json::from_value(Value::Object(keys.clone())).map_err(|error| error.to_string())?;
    for (point, (read, write)) in result.series.iter_mut().zip(latencies) {
        for (figures, bytes) in [(&mut point.read, read), (&mut point.write, write)] {
            if let (Some(figures), Some(bytes)) = (figures, bytes) {
                figures.latencies = decoded(&bytes)?;
            }
        }
    }
    for Encoded { job, operation, bytes, moments } in encoded {
        let histogram: Histogram = Histogram::from_v2_bytes(&bytes, moments)?;
        let job = result.jobs.get_mut(job).ok_or("a histogram is of a job that is not there")?;
        let all = job.histograms.get_or_insert_with(Histograms::default);
        let slot = match operation.as_str() {
            "read" => &mut all.read,
            "write" => &mut all.write,
            "flush" => &mut all.flush,
            "discard" => &mut all.discard,
            other => return Err(format!("a histogram is of `{other}`, which is not an operation")),
        };
        *slot = Some(histogram);
    }
    Ok((keys, result))
}

/// An interval as it is kept.
struct Interval {
    point: Point,
    read_latencies: Option<Vec<u8>>,
    write_latencies: Option<Vec<u8>>,
}

fn series(connection: &Connection, id: RunId) -> rusqlite::Result<Vec<Interval>> {
    let mut select = connection.prepare_cached("SELECT * FROM series WHERE run = ?1 ORDER BY interval")?;
    let rows = select.query_map([id.0], |row| {
        Ok(Interval { point: point(row)?, read_latencies: row.get(24)?, write_latencies: row.get(25)? })
    })?;
    rows.collect()
}

fn point(row: &Row<'_>) -> rusqlite::Result<Point> {
    let phase: String = row.get(4)?;
    let phase = serde_json::from_value(Value::String(phase)).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(4, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(Point {
        start_s: row.get(2)?,
        end_s: row.get(3)?,
        phase,
        cut_short: row.get(5)?,
        iops: row.get(6)?,
        throughput_bytes_per_s: row.get(7)?,
        read: direction(row, 8)?,
        write: direction(row, 16)?,
    })
}

/// The eight columns of a direction; `None` where the run did not go that way.
fn direction(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<PointFigures>> {
    let Some(iops) = row.get(first)? else { return Ok(None) };
    Ok(Some(PointFigures {
        latencies: Vec::new(),
        iops,
        throughput_bytes_per_s: row.get(first + 1)?,
        errors: row.get::<_, Option<i64>>(first + 2)?.and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
        mean_us: row.get(first + 3)?,
        min_us: row.get(first + 4)?,
        p50_us: row.get(first + 5)?,
        p99_us: row.get(first + 6)?,
        max_us: row.get(first + 7)?,
    }))
}

fn histograms(connection: &Connection, id: RunId) -> rusqlite::Result<Vec<Encoded>> {
    let mut select = connection.prepare_cached(
        "SELECT job, operation, hdr_v2, count, min_ns, max_ns, sum_ns, sum_of_squares_ns2, saturated
         FROM histograms WHERE run = ?1 ORDER BY job, operation",
    )?;
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let rows = select.query_map([id.0], |row| {
        Ok(Encoded {
            job: usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX),
            operation: row.get(1)?,
            bytes: row.get(2)?,
            moments: KeptMoments {
                count: count(row.get(3)?),
                min_ns: row.get::<_, Option<i64>>(4)?.map(count),
                max_ns: row.get::<_, Option<i64>>(5)?.map(count),
                sum_ns: row.get(6)?,
                sum_of_squares_ns2: row.get(7)?,
                saturated: count(row.get(8)?),
            },
        })
    })?;
    rows.collect()
}
