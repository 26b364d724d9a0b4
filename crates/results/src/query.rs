//! Selection of runs, and the columns of a list.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};

use crate::id::RunId;

/// The runs that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only these; empty: all.
    pub ids: Vec<RunId>,
    /// Not before.
    pub since: Option<Since>,
    /// With this in the target's name.
    pub target: Option<String>,
    /// On this host.
    pub host: Option<String>,
    /// By this verb.
    pub verb: Option<String>,
    /// The newest so many.
    pub limit: Option<u64>,
}

/// The earliest that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since {
    /// A date or a time in UTC: `2026-11-22`, `2026-11-22T04:00:00Z`, or the beginning of one.
    Time(String),
    /// Seconds before now.
    Ago(u64),
}

/// One run in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its id.
    pub id: RunId,
    /// The first run of the same command.
    pub first_of_command: RunId,
    /// Start, in UTC.
    pub at: String,
    /// The verb, the name and the side.
    pub verb: String,
    /// Its name.
    pub name: Option<String>,
    /// Side of a comparison.
    pub side: Option<String>,
    /// Source of its figures.
    pub source: String,
    /// End of the run: complete, interrupted or failed.
    pub ended: String,
    /// Its target.
    pub target: Option<String>,
    /// I/O engine.
    pub engine: Option<String>,
    /// The machine's name.
    pub host: Option<String>,
    /// The request, in words.
    pub workload: Option<String>,
    /// Time that was counted, in seconds.
    pub counted_s: Option<f64>,
    /// Outstanding I/Os, as asked for.
    pub depth_requested: Option<i64>,
    /// I/Os a second.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<f64>,
    /// Latencies in µs: mean, median, 99th percentile, maximum.
    pub mean_us: Option<f64>,
    /// The median.
    pub p50_us: Option<f64>,
    /// The 99th percentile.
    pub p99_us: Option<f64>,
    /// The longest.
    pub max_us: Option<f64>,
    /// I/Os that failed.
    pub errors: Option<i64>,
}

pub(crate) fn rows(connection: &Connection, query: &Query) -> rusqlite::Result<Vec<Row>> {
    let mut conditions: Vec<String> = Vec::new();
    let mut values: Vec<Sql> = Vec::new();
    let mut with = |condition: &str, value: Sql| {
        values.push(value);
        conditions.push(condition.replace('?', &format!("?{}", values.len())));
    };
    match &query.since {
        Some(Since::Time(time)) => with("at >= ?", Sql::Text(time.clone())),
        Some(Since::Ago(seconds)) => {
            with("at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?)", Sql::Text(format!("-{seconds} seconds")));
        }
        None => {}
    }
    if let Some(target) = &query.target {
        with("instr(target, ?) > 0", Sql::Text(target.clone()));
    }
    if let Some(host) = &query.host {
        with("host = ?", Sql::Text(host.clone()));
    }
    if let Some(verb) = &query.verb {
        with("verb = ?", Sql::Text(verb.clone()));
    }
    if !query.ids.is_empty() {
        let ids: Vec<String> = query.ids.iter().map(|id| id.0.to_string()).collect();
        conditions.push(format!("run IN ({})", ids.join(", ")));
    }
    let chosen =
        if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    // No number of runs reaches 2^63.
    let limit = query.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let sql = format!(
        "SELECT run, first_of_command, at, verb, name, side, source, ended, target, engine, host, workload, counted_s,
             depth_requested, iops, throughput_bytes_per_s, mean_us, p50_us, p99_us, max_us, errors
         FROM runs LEFT JOIN machines USING (machine) {chosen} ORDER BY run DESC LIMIT {limit}"
    );
    let mut select = connection.prepare(&sql)?;
    let rows = select.query_map(params_from_iter(values), |row| {
        Ok(Row {
            id: RunId(row.get(0)?),
            first_of_command: RunId(row.get(1)?),
            at: row.get(2)?,
            verb: row.get(3)?,
            name: row.get(4)?,
            side: row.get(5)?,
            source: row.get(6)?,
            ended: row.get(7)?,
            target: row.get(8)?,
            engine: row.get(9)?,
            host: row.get(10)?,
            workload: row.get(11)?,
            counted_s: row.get(12)?,
            depth_requested: row.get(13)?,
            iops: row.get(14)?,
            throughput_bytes_per_s: row.get(15)?,
            mean_us: row.get(16)?,
            p50_us: row.get(17)?,
            p99_us: row.get(18)?,
            max_us: row.get(19)?,
            errors: row.get(20)?,
        })
    })?;
    rows.collect()
}
