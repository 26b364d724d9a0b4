//! A run becomes rows.

use iobound_measure::Histogram;
use iobound_measure::result::{
    ByOperation, DeviceFacts, Figures, Histograms, LoopLabel, PhaseLabel, Point, PointFigures, RunResult,
};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};

use crate::id::RunId;
use crate::latencies::encoded;

/// A run that is to be kept.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    /// The verb that ran it: `run`, `fio`, `lab`.
    pub verb: &'a str,
    /// Name of it, where runs of a command have names: a row of a lab.
    pub name: Option<&'a str>,
    /// Side of a comparison: `a`, `b`.
    pub side: Option<&'a str>,
    /// Figures of it, with its histograms.
    pub result: &'a RunResult,
    /// The document of it, which has the result's keys and more.
    pub document: Map<String, Value>,
    /// The configuration in TOML, as `--config` reads it.
    pub configuration: Option<&'a str>,
    /// The first run of the same command, where that has been kept before; else the first that is kept with it.
    pub first_of_command: Option<RunId>,
    /// The program that ran it, with its version.
    pub program: &'a str,
}

/// Writes runs that belong together.
pub(crate) fn keep(connection: &Connection, runs: &[NewRun<'_>]) -> rusqlite::Result<Vec<RunId>> {
    let mut ids: Vec<RunId> = Vec::with_capacity(runs.len());
    for run in runs {
        let first = run.first_of_command.or(ids.first().copied());
        let id = row(connection, run, first)?;
        summaries(connection, id, run.result)?;
        series(connection, id, &run.result.series)?;
        histograms(connection, id, run.result)?;
        ids.push(id);
    }
    Ok(ids)
}

fn text(document: &Map<String, Value>, pointer: &[&str]) -> Option<String> {
    let mut value = document.get(pointer[0])?;
    for key in &pointer[1..] {
        value = value.get(key)?;
    }
    value.as_str().map(str::to_string)
}

fn row(connection: &Connection, run: &NewRun<'_>, first: Option<RunId>) -> rusqlite::Result<RunId> {
    let NewRun { result, document, .. } = run;
    let start = result.start.clone().unwrap_or_default();
    let jobs = document.get("workload").and_then(|workload| workload.get("jobs")).and_then(Value::as_array);
    let descriptions = jobs.map(|jobs| {
        let words = jobs.iter().filter_map(|job| job.get("description").and_then(Value::as_str));
        words.collect::<Vec<_>>().join("; ")
    });
    let latency = result.total.latency_us.unwrap_or_default();
    let machine = machine(connection, result)?;
    connection
        .prepare_cached(
            "INSERT INTO runs (at, verb, name, side, source, ended, error, target, engine, machine, configuration,
                 workload, workload_toml, seed, command, program, counted_s, depth_requested, depth_achieved, iops,
                 throughput_bytes_per_s, mean_us, p50_us, p99_us, max_us, errors, document)
             VALUES (coalesce(?1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
                 ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)",
        )?
        .execute(params![
            start.at.filter(|at| !at.is_empty()),
            run.verb,
            run.name,
            run.side,
            word(&result.source),
            text(document, &["ended"]).unwrap_or_else(|| "complete".into()),
            text(document, &["error"]),
            result.device,
            result.engine,
            machine,
            run.configuration,
            descriptions,
            text(document, &["workload", "toml"]),
            start.seed.map(|seed| seed.to_string()),
            start.command,
            run.program,
            start.counted_s,
            result.depth.and_then(|depth| depth.requested).map(whole),
            result.depth.and_then(|depth| depth.achieved),
            result.total.iops,
            result.total.throughput_bytes_per_s,
            latency.mean,
            latency.p50,
            latency.p99,
            latency.max,
            result.total.errors.map(whole),
            kept(document).to_string(),
        ])?;
    let id = RunId(connection.last_insert_rowid());
    connection
        .prepare_cached("UPDATE runs SET first_of_command = ?2 WHERE run = ?1")?
        .execute(params![id.0, first.unwrap_or(id).0])?;
    Ok(id)
}

/// The document without what tables hold: the series, whose place stays, and the histograms.
fn kept(document: &Map<String, Value>) -> Value {
    let mut kept = Map::new();
    kept.insert("schema".into(), iobound_measure::result::SCHEMA.into());
    kept.extend(
        document.iter().filter(|(key, _)| *key != "id").map(|(key, value)| (key.clone(), value.clone())),
    );
    if let Some(series) = kept.get_mut("series") {
        *series = Value::Array(Vec::new());
    }
    for job in kept.get_mut("jobs").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(job) = job.as_object_mut() {
            job.shift_remove("histograms");
        }
    }
    Value::Object(kept)
}

/// The machine's row: the same facts have one.
fn machine(connection: &Connection, result: &RunResult) -> rusqlite::Result<Option<i64>> {
    let host = result.start.as_ref().and_then(|start| start.host.clone());
    let processors = result.cpu.as_ref().map(|cpu| i64::from(cpu.online));
    if host.is_none() && result.kernel.is_none() && result.devices.is_empty() {
        return Ok(None);
    }
    // What a run counted on a device and called its targets is no fact of the machine.
    let devices: Vec<DeviceFacts> = result
        .devices
        .iter()
        .map(|device| DeviceFacts { counters: None, targets: Vec::new(), ..device.clone() })
        .collect();
    let facts =
        json!({ "host": host, "kernel": result.kernel, "processors": processors, "devices": devices })
            .to_string();
    let known = connection
        .prepare_cached("SELECT machine FROM machines WHERE facts = ?1")?
        .query_row([&facts], |row| row.get(0))
        .optional()?;
    if known.is_some() {
        return Ok(known);
    }
    connection
        .prepare_cached("INSERT INTO machines (host, kernel, processors, facts) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![host, result.kernel, processors, facts])?;
    let id = connection.last_insert_rowid();
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO devices VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?;
    for device in &devices {
        insert.execute(params![
            id,
            device.name,
            device.kind,
            device.model,
            device.size_bytes.map(whole),
            device.scheduler,
            device.read_ahead_kib.map(whole),
            device.queue_requests.map(whole),
            device.hardware_queues,
            device.max_request_kib.map(whole),
            device.rotational,
            device.logical_sector,
            device.physical_sector,
            device.write_cache,
            (!device.made_of.is_empty()).then(|| device.made_of.join(" ")),
        ])?;
    }
    Ok(Some(id))
}

fn summaries(connection: &Connection, id: RunId, result: &RunResult) -> rusqlite::Result<()> {
    let add = |part: &str, name: &str, total: &Figures, by: &ByOperation| {
        summary(connection, id, part, name, "all", total)?;
        let operations =
            [("read", &by.read), ("write", &by.write), ("flush", &by.flush), ("discard", &by.discard)];
        for (operation, figures) in operations {
            if let Some(figures) = figures {
                summary(connection, id, part, name, operation, figures)?;
            }
        }
        Ok::<(), rusqlite::Error>(())
    };
    add("run", "", &result.total, &result.by_operation)?;
    for job in &result.jobs {
        add("job", &job.name, &job.total, &job.by_operation)?;
    }
    for (part, parts) in [("target", &result.targets), ("thread", &result.threads)] {
        for one in parts {
            add(part, &one.name, &one.total, &one.by_operation)?;
        }
    }
    Ok(())
}

fn summary(
    connection: &Connection,
    id: RunId,
    part: &str,
    name: &str,
    operation: &str,
    figures: &Figures,
) -> rusqlite::Result<()> {
    let latency = figures.latency_us.unwrap_or_default();
    let service = figures.service_us.unwrap_or_default();
    // Jobs of a foreign result may share a name: the first has the row, all of them are in the document.
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO summaries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
                 ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)",
        )?
        .execute(params![
            id.0,
            part,
            name,
            operation,
            figures.ios.map(whole),
            figures.bytes.map(whole),
            figures.errors.map(whole),
            figures.iops,
            figures.throughput_bytes_per_s,
            latency.label.map(loop_word),
            latency.mean,
            latency.stdev,
            latency.min,
            latency.p50,
            latency.p90,
            latency.p95,
            latency.p99,
            latency.p99_9,
            latency.p99_99,
            latency.p99_999,
            latency.p99_9999,
            latency.max,
            service.mean,
            service.p99,
        ])?;
    Ok(())
}

fn series(connection: &Connection, id: RunId, points: &[Point]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO series VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
             ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)",
    )?;
    for (number, point) in points.iter().enumerate() {
        let none = PointFigures::default();
        let (reads, writes) = (point.read.as_ref(), point.write.as_ref());
        let (read, write) = (reads.unwrap_or(&none), writes.unwrap_or(&none));
        insert.execute(params![
            id.0,
            number as i64,
            point.start_s,
            point.end_s,
            phase_word(point.phase),
            point.cut_short,
            point.iops,
            point.throughput_bytes_per_s,
            reads.map(|read| read.iops),
            read.throughput_bytes_per_s,
            reads.map(|read| whole(read.errors)),
            read.mean_us,
            read.min_us,
            read.p50_us,
            read.p99_us,
            read.max_us,
            writes.map(|write| write.iops),
            write.throughput_bytes_per_s,
            writes.map(|write| whole(write.errors)),
            write.mean_us,
            write.min_us,
            write.p50_us,
            write.p99_us,
            write.max_us,
            encoded(&read.latencies),
            encoded(&write.latencies),
        ])?;
    }
    Ok(())
}

fn histograms(connection: &Connection, id: RunId, result: &RunResult) -> rusqlite::Result<()> {
    let mut insert = connection
        .prepare_cached("INSERT INTO histograms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")?;
    for (number, job) in result.jobs.iter().enumerate() {
        let Some(Histograms { read, write, flush, discard }) = &job.histograms else { continue };
        let each: [(&str, &Option<Histogram>); 4] =
            [("read", read), ("write", write), ("flush", flush), ("discard", discard)];
        for (operation, histogram) in each {
            let Some(histogram) = histogram else { continue };
            let moments = histogram.to_kept_moments();
            insert.execute(params![
                id.0,
                number as i64,
                job.name,
                operation,
                whole(moments.count),
                moments.min_ns.map(whole),
                moments.max_ns.map(whole),
                moments.sum_ns,
                moments.sum_of_squares_ns2,
                whole(moments.saturated),
                histogram.to_v2_bytes(),
            ])?;
        }
    }
    Ok(())
}

/// SQLite's integers end at 2^63: no count of I/Os or bytes does, but a document may say anything.
fn whole(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}

fn loop_word(label: LoopLabel) -> String {
    word(&label)
}

fn phase_word(phase: PhaseLabel) -> String {
    word(&phase)
}
