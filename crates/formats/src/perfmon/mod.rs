//! Windows Performance Monitor's CSV and TSV (`PDH-CSV 4.0`), as it, typeperf, relog and Export-Counter write it.
//!
//! The first column is the time, each other one a counter by its path, `\\HOST\PhysicalDisk(1 E:)\Disk Reads/sec`, in
//! any case. A counter that needs two samples is empty in the first row.

mod path;

use std::collections::BTreeMap;

use iobound_units::{Counted, Span};

use crate::error::Trouble;
use crate::observation::{
    Clock, DEVICES, DeviceKind, Direction, Fold, INTERVALS, KEPT, Observation, ObservedFile, Observer,
    Reading, Row, Table, agreed, figure, span, tables, whole,
};
use path::{Counter, Path};

const COUNTERS: &str = "typeperf -si 10 -sc 30 -o disks.csv \"\\PhysicalDisk(*)\\Disk Reads/sec\" \
    \"\\PhysicalDisk(*)\\Disk Writes/sec\" \"\\PhysicalDisk(*)\\Disk Read Bytes/sec\" \
    \"\\PhysicalDisk(*)\\Disk Write Bytes/sec\" \"\\PhysicalDisk(*)\\Avg. Disk sec/Read\" \
    \"\\PhysicalDisk(*)\\Avg. Disk sec/Write\" \"\\PhysicalDisk(*)\\Avg. Disk Queue Length\"";

/// Reads one file.
pub(crate) fn read(
    files: &[ObservedFile<'_>],
    interval: Option<Span>,
    trouble: &mut Trouble,
) -> Option<Observation> {
    let [file] = files else {
        trouble.add(whole(1), "counters must be in one file, and several are given", "give one of them");
        return None;
    };
    // Of one column, the line was not cut at its mark.
    let is_header = |names: &[String]| names.len() > 1 && names[0].starts_with("(pdh-");
    let found = tables(file.text, 0, is_header, trouble);
    let [table, ..] = found.as_slice() else {
        let help = format!("the first line must start with (PDH-CSV 4.0); {COUNTERS}");
        trouble.add(whole(0), "the file has no header of Performance Monitor", help);
        return None;
    };
    if let Some(other) = found.get(1) {
        let help = "give them one at a time";
        trouble.add(other.header.line(), "another file of counters begins here", help);
    }
    let columns = columns(table, trouble)?;
    if !trouble.is_empty() {
        return None;
    }
    fold(table, &columns, interval, trouble)
}

/// The columns that tell of disks, by instance, and of processors.
struct CounterColumns {
    disks: BTreeMap<String, BTreeMap<Counter, usize>>,
    processors: Vec<(bool, usize)>,
    notes: Vec<String>,
}

fn columns(table: &Table<'_>, trouble: &mut Trouble) -> Option<CounterColumns> {
    let mut physical: BTreeMap<String, BTreeMap<Counter, usize>> = BTreeMap::new();
    let mut logical = physical.clone();
    let (mut processors, mut host) = (Vec::new(), None::<String>);
    for (column, cell) in table.header.cells.iter().enumerate().skip(1) {
        let Some(path) = Path::read(&cell.text) else { continue };
        let object = path.object.to_ascii_lowercase();
        let disks = match object.as_str() {
            "physicaldisk" => &mut physical,
            "logicaldisk" => &mut logical,
            "processor" | "processor information" => {
                if path.counter.eq_ignore_ascii_case("% processor time") {
                    processors.push((path.instance.ends_with("_Total"), column));
                }
                continue;
            }
            _ => continue,
        };
        let Some(counter) = Counter::of(path.counter) else { continue };
        let own = path.host.to_ascii_lowercase();
        if host.get_or_insert_with(|| own.clone()) != &own {
            let what = format!("the file has counters of another machine, {}", path.host);
            trouble.add(table.header.place(column), what, "give the counters of one machine");
            return None;
        }
        disks.entry(path.instance.to_string()).or_default().entry(counter).or_insert(column);
    }
    let is_total = |name: &str| name.eq_ignore_ascii_case("_total");
    let mut notes = Vec::new();
    let apart = |disks: &BTreeMap<String, BTreeMap<Counter, usize>>| disks.keys().any(|name| !is_total(name));
    // A logical disk's I/O is a physical one's too.
    let mut disks = match () {
        () if apart(&physical) => physical,
        () if apart(&logical) => {
            notes.push("the counters describe logical disks".to_string());
            logical
        }
        () if !physical.is_empty() => physical,
        () => logical,
    };
    if apart(&disks) {
        disks.retain(|name, _| !is_total(name));
    }
    if disks.is_empty() {
        let what =
            "the file has no PhysicalDisk or LogicalDisk counter of rates or latencies with an English name";
        trouble.add(table.header.line(), what, COUNTERS);
        return None;
    }
    if disks.len() > DEVICES {
        let help = "leave out disks that you do not want to explain";
        trouble.add(table.header.line(), format!("there are more than {DEVICES} disks"), help);
        return None;
    }
    Some(CounterColumns { disks, processors, notes })
}

fn fold(
    table: &Table<'_>,
    columns: &CounterColumns,
    interval: Option<Span>,
    trouble: &mut Trouble,
) -> Option<Observation> {
    let clocks: Vec<Option<Clock>> = table.rows.iter().map(|row| Clock::read(row.text(0))).collect();
    // What a row tells is of the time since the row before; the first one's is taken to be as long as the second's.
    let step = |index: usize| -> Option<f64> {
        let index = index.max(1);
        clocks.get(index - 1).copied().flatten()?.until(clocks.get(index).copied().flatten()?)
    };
    let timed =
        interval.is_some() || table.rows.len() > 1 && (1..table.rows.len()).all(|n| step(n).is_some());
    let mut fold = Fold::new(timed);
    let mut processors = vec![(0.0, 0.0); columns.processors.len()];
    let mut empty = 0;
    for (index, row) in table.rows.iter().enumerate() {
        let seconds = agreed(interval, step(index), row.line(), trouble);
        let mut readings = Vec::new();
        for (name, counters) in &columns.disks {
            readings.extend(reading(name, counters, row, trouble));
        }
        if trouble.is_full() {
            return None;
        }
        if readings.is_empty() {
            empty += 1;
            continue;
        }
        let seconds = seconds.filter(|_| timed).unwrap_or(1.0);
        fold.interval(seconds, readings);
        for ((_, column), (sum, weight)) in columns.processors.iter().zip(&mut processors) {
            if let Some(share) = value(row, *column, trouble) {
                (*sum, *weight) = (*sum + share / 100.0 * seconds, *weight + seconds);
            }
        }
        if fold.intervals() > INTERVALS || fold.kept() > KEPT {
            let help = "cut the file to the time to explain";
            trouble.add(row.line(), "the file has too many samples", help);
            return None;
        }
    }
    if fold.intervals() == 0 {
        if trouble.is_empty() {
            let help = "let it run for a minute: a rate needs two samples";
            trouble.add(table.header.line(), "no row has a figure of a disk", help);
        }
        return None;
    }
    let mut notes = columns.notes.clone();
    let (duration, starts_s, samples) = (fold.seconds().and_then(span), fold.starts_s(), fold.intervals());
    let samples = Counted(samples as u64, "sample");
    notes.push(match duration {
        Some(duration) => format!("{samples} of {duration} together"),
        None => format!("{samples} without times: give --interval"),
    });
    if empty > 0 {
        notes.push(format!("rows skipped, because they have no figure: {empty}"));
    }
    Some(Observation {
        observer: Observer::Perfmon,
        devices: fold.finish(false, |name, _| kind(name)),
        duration,
        starts_s,
        cpu: busiest(&columns.processors, &processors),
        iowait: None,
        buffered: None,
        consumed: Vec::new(),
        held: Vec::new(),
        notes,
    })
}

/// `0 C:` holds the system.
fn kind(instance: &str) -> DeviceKind {
    let lower = instance.to_ascii_lowercase();
    match () {
        () if lower == "_total" => DeviceKind::Total,
        () if lower.split(' ').any(|drive| drive == "c:") => DeviceKind::SystemDisk,
        () => DeviceKind::Disk,
    }
}

/// The busiest processor's share; the mean of all where they are not told apart.
fn busiest(columns: &[(bool, usize)], sums: &[(f64, f64)]) -> Option<f64> {
    let of = |wanted: bool| {
        let own = columns
            .iter()
            .zip(sums)
            .filter(|((is_total, _), (_, weight))| *is_total == wanted && *weight > 0.0);
        own.map(|(_, (sum, weight))| sum / weight).max_by(f64::total_cmp)
    };
    of(false).or_else(|| of(true))
}

/// A cell's figure; empty, or negative, where there was none.
fn value(row: &Row<'_>, column: usize, trouble: &mut Trouble) -> Option<f64> {
    let text = row.text(column);
    if text.is_empty() || text.starts_with("-1") && text[2..].trim_start_matches(['.', ',', '0']).is_empty() {
        return None;
    }
    let read = figure(text);
    if read.is_none() {
        let what = format!("`{text}` is not a figure");
        trouble.add(row.place(column), what, "give the unchanged file, without grouped digits");
    }
    read
}

/// Figures of a disk in a row; `None`: none.
fn reading(
    name: &str,
    counters: &BTreeMap<Counter, usize>,
    row: &Row<'_>,
    trouble: &mut Trouble,
) -> Option<Reading> {
    let mut of = |counter: Counter| counters.get(&counter).and_then(|column| value(row, *column, trouble));
    let mut side = |ios, bytes, seconds| Direction {
        ios_per_s: of(ios),
        bytes_per_s: of(bytes),
        latency_us: of(seconds).map(|seconds| seconds * 1e6),
    };
    let read = side(Counter::Reads, Counter::ReadBytes, Counter::SecondsRead);
    let write = side(Counter::Writes, Counter::WriteBytes, Counter::SecondsWrite);
    let both = side(Counter::Transfers, Counter::Bytes, Counter::SecondsTransfer);
    let parts = of(Counter::ReadQueue).zip(of(Counter::WriteQueue)).map(|(read, write)| read + write);
    let mean = of(Counter::Queue).or(parts);
    // The current queue is of a moment: it says something where nothing else does.
    let has_latency = [read, write, both].iter().any(|side| side.latency_us.is_some());
    let queue = mean.or(of(Counter::CurrentQueue).filter(|_| !has_latency));
    let told = [read, write, both].iter().any(|side| *side != Direction::default());
    (told || queue.is_some()).then(|| Reading {
        read,
        write,
        both,
        queue,
        rounding: 1e-6,
        ..Reading::new(name)
    })
}
