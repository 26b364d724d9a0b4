//! Samples of SQL Server's `sys.dm_io_virtual_file_stats`, as CSV, tab-separated, or as sqlcmd prints it.
//!
//! Columns are known by the view's names (learn.microsoft.com, sys.dm_io_virtual_file_stats), and those of
//! `sys.master_files` that people join to it: `type_desc`, `physical_name`. Two samples are two files, two tables, or
//! one table that has each file twice; `sample_ms` tells the time between.

use std::collections::BTreeMap;

use iobound_units::{Counted, Span};

use crate::error::Trouble;
use crate::observation::counters::{self, Counters, Side};
use crate::observation::{
    Clock, DeviceKind, Observation, ObservedFile, Observer, Role, Row, Table, count, figure, span, tables,
    whole,
};

const TWO: &str = "take two, a minute apart: sqlcmd -W -s, -Q \"select f.*, m.type_desc, m.physical_name from \
    sys.dm_io_virtual_file_stats(null, null) f join sys.master_files m on m.database_id = f.database_id and m.file_id \
    = f.file_id\"";

/// The columns of a table.
struct Columns {
    reads: [usize; 3],
    writes: [usize; 3],
    stall: Option<usize>,
    database: Option<usize>,
    file: Option<usize>,
    /// `sample_ms`, or a time that somebody added.
    sample_ms: Option<usize>,
    time: Option<usize>,
    kind: Option<usize>,
    path: Option<usize>,
}

/// Reads the samples of all files, in order.
pub(crate) fn read(
    files: &[ObservedFile<'_>],
    interval: Option<Span>,
    trouble: &mut Trouble,
) -> Option<Observation> {
    let is_header = |names: &[String]| names.iter().any(|name| name == "num_of_reads");
    let mut keys: BTreeMap<String, Vec<Counters>> = BTreeMap::new();
    let mut kinds: BTreeMap<String, DeviceKind> = BTreeMap::new();
    let mut by_number = false;
    for (source, file) in files.iter().enumerate() {
        let found = tables(file.text, source, is_header, trouble);
        if found.is_empty() && trouble.is_empty() {
            trouble.add(whole(source), "there is no table with a column num_of_reads in it", TWO);
        }
        for table in &found {
            let columns = Columns::of(table, trouble)?;
            by_number |= columns.kind.is_none();
            for row in &table.rows {
                let Some((key, role, counters)) = counters(row, &columns, table.clock, trouble) else {
                    continue;
                };
                let kind = kinds.entry(counters.device.clone()).or_insert(DeviceKind::Files(role));
                if *kind != DeviceKind::Files(role) {
                    *kind = DeviceKind::AnyFiles;
                }
                keys.entry(key).or_default().push(counters);
            }
        }
        if !trouble.is_empty() {
            return None;
        }
    }
    let mut notes = Vec::new();
    let fold = counters::fold(&keys, interval, TWO, &mut notes, trouble)?;
    if by_number {
        notes.push(
            "type_desc is missing: file 2 of each database is assumed to be its log, and the others data"
                .into(),
        );
    }
    let (duration, starts_s) = (fold.seconds().and_then(span), fold.starts_s());
    let of = duration.map_or(String::new(), |duration| format!(", over {duration}"));
    notes.push(format!(
        "{} of {}{of}",
        Counted(fold.intervals() as u64 + 1, "sample"),
        Counted(keys.len() as u64, "file")
    ));
    Some(Observation {
        observer: Observer::SqlServer,
        devices: fold.finish(true, |name, _| kinds.get(name).copied().unwrap_or(DeviceKind::AnyFiles)),
        duration,
        starts_s,
        cpu: None,
        iowait: None,
        // It opens its files without the system's cache.
        buffered: Some(false),
        consumed: Vec::new(),
        held: Vec::new(),
        notes,
    })
}

impl Columns {
    fn of(table: &Table<'_>, trouble: &mut Trouble) -> Option<Columns> {
        let mut needed = |name: &str| {
            let found = table.column(name);
            if found.is_none() {
                let what = format!("there is no column {name}");
                trouble.add(table.header.line(), what, "give the view's own column names: select *");
            }
            found
        };
        let reads = ["num_of_reads", "num_of_bytes_read", "io_stall_read_ms"].map(&mut needed);
        let writes = ["num_of_writes", "num_of_bytes_written", "io_stall_write_ms"].map(&mut needed);
        let three = |columns: [Option<usize>; 3]| Some([columns[0]?, columns[1]?, columns[2]?]);
        let any = |names: &[&str]| names.iter().find_map(|name| table.column(name));
        Some(Columns {
            reads: three(reads)?,
            writes: three(writes)?,
            stall: table.column("io_stall"),
            database: any(&["database_id", "database_name", "db_name", "database", "db"]),
            file: any(&["file_id", "physical_name", "file_name", "logical_name", "name"]),
            sample_ms: table.column("sample_ms"),
            time: any(&["sample_time", "capture_time", "collection_time", "collected_at", "now", "time"]),
            kind: any(&["type_desc", "file_type"]),
            path: table.column("physical_name"),
        })
    }
}

/// A file's counters, its key among the files and what it is kept for.
fn counters(
    row: &Row<'_>,
    columns: &Columns,
    clock: Option<Clock>,
    trouble: &mut Trouble,
) -> Option<(String, Role, Counters)> {
    let mut side = |[ios, bytes, ms]: [usize; 3]| {
        let mut of = |column: usize| {
            let read = count(row.text(column));
            if read.is_none() {
                let what = format!("`{}` is not a counter", row.text(column));
                trouble.add(
                    row.place(column),
                    what,
                    "give the unchanged figures of the view, without grouped digits",
                );
            }
            read.map(|count| count as f64)
        };
        Some(Side { ios: Some(of(ios)?), bytes: Some(of(bytes)?), ms: Some(of(ms)?) })
    };
    let (read, write) = (side(columns.reads)?, side(columns.writes)?);
    let text = |column: Option<usize>| column.map_or("", |column| row.text(column));
    let role = match text(columns.kind).to_ascii_uppercase().as_str() {
        "LOG" | "1" => Role::Log,
        "" if text(columns.file) == "2" => Role::Log,
        _ => Role::Data,
    };
    let told = figure(text(columns.sample_ms)).map(|ms| Clock::Uptime(ms / 1e3));
    let device = device(text(columns.path)).unwrap_or_else(|| {
        match role {
            Role::Data => "data",
            Role::Log => "log",
        }
        .to_string()
    });
    let key = format!("{}\u{1}{}\u{1}{}", text(columns.database), text(columns.file), text(columns.path));
    let counters = Counters {
        at: row.line(),
        clock: told.or_else(|| Clock::read(text(columns.time))).or(clock),
        device,
        read,
        write,
        all_ms: columns.stall.and_then(|column| figure(row.text(column))),
    };
    Some((key, role, counters))
}

/// The drive or the folder of a path: `F:` of `F:\data\a.mdf`, `/var/opt/mssql/data` of a file on Linux.
fn device(path: &str) -> Option<String> {
    let drive = path.get(..2).filter(|drive| drive.ends_with(':'));
    match drive {
        Some(drive) => Some(drive.to_ascii_uppercase()),
        None => {
            path.rsplit_once('/').map(|(folder, _)| folder.to_string()).filter(|folder| !folder.is_empty())
        }
    }
}
