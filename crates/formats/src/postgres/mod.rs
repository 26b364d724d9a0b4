//! Samples of PostgreSQL's `pg_stat_io`, of 16 and later, as CSV, or as psql prints it (aligned, `-A`, `\watch`).
//!
//! Up to 17 an I/O is of `op_bytes`; from 18 on bytes are counted by themselves, and the log has rows of its own
//! (`object` is `wal`). Times are counted where `track_io_timing` is on.

use std::collections::BTreeMap;

use iobound_units::{Counted, Span};

use crate::error::Trouble;
use crate::observation::counters::{self, Counters, Side};
use crate::observation::{
    Clock, DeviceKind, Observation, ObservedFile, Observer, Role, Row, Table, figure, span, tables, whole,
};

const TWO: &str = "take two, a minute apart: psql --csv -c 'select now(), * from pg_stat_io' > a.csv";

struct StatColumns {
    key: Vec<usize>,
    object: Option<usize>,
    read: [Option<usize>; 3],
    write: [Option<usize>; 3],
    op_bytes: Option<usize>,
    extends: Option<usize>,
    reset: Option<usize>,
    time: Option<usize>,
}

impl StatColumns {
    fn of(table: &Table<'_>, trouble: &mut Trouble) -> Option<StatColumns> {
        let column = |name: &str| table.column(name);
        let columns = StatColumns {
            key: ["backend_type", "object", "context"].into_iter().filter_map(column).collect(),
            object: column("object"),
            read: ["reads", "read_bytes", "read_time"].map(column),
            write: ["writes", "write_bytes", "write_time"].map(column),
            op_bytes: column("op_bytes"),
            extends: column("extends"),
            reset: column("stats_reset"),
            time: ["now", "sample_time", "time", "clock_timestamp", "captured_at"]
                .into_iter()
                .find_map(column),
        };
        if columns.op_bytes.is_none() && (columns.read[1].is_none() || columns.write[1].is_none()) {
            let what = "there is no column op_bytes (16, 17), nor read_bytes and write_bytes (18)";
            trouble.add(table.header.line(), what, "give all columns: select * from pg_stat_io");
            return None;
        }
        Some(columns)
    }
}

/// Reads the samples of all files, in order.
pub(crate) fn read(
    files: &[ObservedFile<'_>],
    interval: Option<Span>,
    trouble: &mut Trouble,
) -> Option<Observation> {
    let is_header =
        |names: &[String]| ["reads", "writes"].iter().all(|name| names.iter().any(|own| own == name));
    let mut keys: BTreeMap<String, Vec<Counters>> = BTreeMap::new();
    let mut blocks = false;
    let (mut reset, mut extends) = (BTreeMap::new(), BTreeMap::<String, Vec<f64>>::new());
    for (source, file) in files.iter().enumerate() {
        let found = tables(file.text, source, is_header, trouble);
        if found.is_empty() && trouble.is_empty() {
            trouble.add(whole(source), "the file has no table with the columns reads and writes", TWO);
        }
        for table in &found {
            let columns = StatColumns::of(table, trouble)?;
            blocks |= columns.read[1].is_none();
            for row in &table.rows {
                let key: Vec<&str> = columns.key.iter().map(|column| row.text(*column)).collect();
                let key = key.join("\u{1}");
                if let Some(column) = columns.reset.filter(|column| !row.text(*column).is_empty()) {
                    let before = reset.entry(key.clone()).or_insert_with(|| row.text(column).to_string());
                    if before != row.text(column) {
                        let what =
                            format!("the counters were reset between the samples, at {}", row.text(column));
                        trouble.add(row.place(column), what, "take both samples after the reset");
                        return None;
                    }
                }
                if let Some(count) = columns.extends.and_then(|column| figure(row.text(column))) {
                    extends.entry(key.clone()).or_default().push(count);
                }
                if let Some(counters) = counters(row, &columns, table.clock, trouble) {
                    keys.entry(key).or_default().push(counters);
                }
            }
        }
        if !trouble.is_empty() {
            return None;
        }
    }
    let mut notes = Vec::new();
    let fold = counters::fold(&keys, interval, TWO, &mut notes, trouble)?;
    let (duration, starts_s, samples) =
        (fold.seconds().and_then(span), fold.starts_s(), fold.intervals() + 1);
    let devices = fold.finish(true, |name, _| match name {
        "wal" => DeviceKind::Files(Role::Log),
        _ => DeviceKind::Files(Role::Data),
    });
    let of = duration.map_or(String::new(), |duration| format!(", over {duration}"));
    notes.push(format!("{}{of}", Counted(samples as u64, "sample")));
    notes.push(
        "these are the server's calls to the operating system: they include answers from the page cache, and \
         exclude the time of later writes"
            .to_string(),
    );
    if blocks {
        notes.push(
            "I/Os are counted in blocks of op_bytes: from version 17, one call can read several".into(),
        );
    }
    let untimed = devices.iter().any(|device| device.is_active() && device.latency_us().is_none());
    if untimed {
        notes.push(
            "no times are counted for some of it: set track_io_timing = on (and track_wal_io_timing)".into(),
        );
    }
    let extended: f64 = extends.values().filter_map(|counts| Some(counts.last()? - counts.first()?)).sum();
    let written: f64 = devices.iter().filter_map(|device| device.write.ios_per_s).sum();
    if extended > 0.01 * written * duration.map_or(1.0, Span::secs_f64) {
        notes.push(format!("{extended:.0} file extensions are left out: they only reserve space"));
    }
    Some(Observation {
        observer: Observer::Postgres,
        devices,
        duration,
        starts_s,
        cpu: None,
        iowait: None,
        buffered: Some(true),
        consumed: Vec::new(),
        held: Vec::new(),
        notes,
    })
}

fn counters(
    row: &Row<'_>,
    columns: &StatColumns,
    clock: Option<Clock>,
    trouble: &mut Trouble,
) -> Option<Counters> {
    // What a kind of process never does is null.
    let mut of = |column: Option<usize>| -> Option<f64> {
        let column = column?;
        let text = row.text(column);
        if text.is_empty() || text.eq_ignore_ascii_case("null") {
            return Some(0.0);
        }
        let read = figure(text);
        if read.is_none() {
            let what = format!("`{text}` is not a counter");
            trouble.add(row.place(column), what, "give the unchanged figures of the view");
        }
        read
    };
    let op_bytes = of(columns.op_bytes);
    let mut side = |[ios, bytes, ms]: [Option<usize>; 3]| {
        let ios = of(ios);
        Side { ios, bytes: of(bytes).or(ios.zip(op_bytes).map(|(ios, bytes)| ios * bytes)), ms: of(ms) }
    };
    let (read, write) = (side(columns.read), side(columns.write));
    let is_log = columns.object.is_some_and(|column| row.text(column) == "wal");
    let device = if is_log { "wal" } else { "relations" }.to_string();
    let told = columns.time.and_then(|column| Clock::read(row.text(column)));
    Some(Counters { at: row.line(), clock: told.or(clock), device, read, write, all_ms: None })
}
