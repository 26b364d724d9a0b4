//! sysstat's `iostat -x`, versions 10 to 12, as text (`-k`, `-m`, `-h`, `-s`, `-t`, `-z`, `-y`) and as JSON.
//!
//! Columns are known by their names (iostat(1), sysstat/sysstat on GitHub): their order and number changed from version
//! to version.

mod columns;
mod json;
mod text;

use iobound_units::Span;

use crate::error::Trouble;
use crate::observation::{
    Clock, DEVICES, Direction, Fold, INTERVALS, KEPT, Observation, ObservedFile, Observer, Reading, agreed,
    span, whole,
};
use columns::{Column, Figures};

/// One report: what lies between it and the one before.
#[derive(Clone, Debug, Default)]
struct Report {
    /// Position in the text.
    at: usize,
    /// The time at its end.
    clock: Option<Clock>,
    /// The share of their time that processors were in use, and that they waited for I/O.
    cpu: Option<(f64, f64)>,
    devices: Vec<(String, Figures)>,
    /// True if it is the first of a run of iostat.
    is_first: bool,
}

/// Reads the reports of one file.
pub(crate) fn read(
    files: &[ObservedFile<'_>],
    interval: Option<Span>,
    trouble: &mut Trouble,
) -> Option<Observation> {
    let [file] = files else {
        trouble.add(
            whole(1),
            "iostat writes its intervals to one file, and several files are given",
            "give one of them",
        );
        return None;
    };
    let start = file.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let mut notes = Vec::new();
    let reports = match start.starts_with('{') {
        true => json::reports(file.text, trouble)?,
        false => text::reports(file.text, &mut notes, trouble)?,
    };
    let reports: Vec<Report> = reports.into_iter().filter(|report| !report.devices.is_empty()).collect();
    if reports.is_empty() {
        if trouble.is_empty() {
            let help = "give the output of `iostat -x 10 3` or `iostat -x -o JSON 10 3`";
            trouble.add(whole(0), "the file has no report of devices", help);
        }
        return None;
    }
    fold(reports, interval, notes, trouble)
}

/// The mean of the reports that are no mean since the machine's start.
fn fold(
    reports: Vec<Report>,
    interval: Option<Span>,
    mut notes: Vec<String>,
    trouble: &mut Trouble,
) -> Option<Observation> {
    let later = reports.iter().filter(|report| !report.is_first).count();
    let firsts = reports.len() - later;
    if later == 0 && interval.is_none() {
        notes.push(
            "the only report is used, which covers the time since the machine started (unless made with iostat \
             -y): run `iostat -x 10 3` while the load runs"
                .to_string(),
        );
    } else if later > 0 {
        notes.push(format!(
            "{} left out, because it covers the time since the machine started",
            if firsts == 1 {
                "the first report is".to_string()
            } else {
                format!("{firsts} first reports are")
            }
        ));
    }
    let mut used: Vec<(&Report, Option<f64>)> = Vec::new();
    let mut before: Option<&Report> = None;
    for report in &reports {
        if later == 0 || !report.is_first {
            let told = before.filter(|_| later > 0).and_then(|before| before.clock?.until(report.clock?));
            let at = crate::error::At { source: 0, at: report.at, len: 1 };
            let seconds = agreed(interval, told, at, trouble);
            used.push((report, seconds));
        }
        before = Some(report);
    }
    if !trouble.is_empty() {
        return None;
    }
    let timed = used.iter().all(|(_, seconds)| seconds.is_some());
    let mut fold = Fold::new(timed);
    let (mut busy, mut waited, mut weight) = (0.0, 0.0, 0.0);
    for (report, seconds) in &used {
        let seconds = seconds.filter(|_| timed).unwrap_or(1.0);
        fold.interval(seconds, report.devices.iter().map(|(name, figures)| reading(name, figures)).collect());
        if let Some((used, wait)) = report.cpu {
            (busy, waited, weight) = (busy + used * seconds, waited + wait * seconds, weight + seconds);
        }
        if fold.devices() > DEVICES || fold.intervals() > INTERVALS || fold.kept() > KEPT {
            let help = "cut the file to the time to explain";
            trouble.add(whole(0), "the file has too many devices or reports", help);
            return None;
        }
    }
    let (duration, starts_s) = (fold.seconds().and_then(span), fold.starts_s());
    match duration {
        Some(duration) => notes.push(format!("{} of {duration} together", reports_text(used.len()))),
        None if later > 0 => notes.push(format!(
            "{} of unknown length: give --interval, or run iostat with -t",
            reports_text(used.len())
        )),
        None => {}
    }
    Some(Observation {
        observer: Observer::Iostat,
        devices: fold.finish(true, crate::observation::linux_kind),
        duration,
        starts_s,
        cpu: (weight > 0.0).then(|| busy / weight),
        iowait: (weight > 0.0).then(|| waited / weight),
        buffered: None,
        consumed: Vec::new(),
        held: Vec::new(),
        notes,
    })
}

fn reports_text(count: usize) -> String {
    if count == 1 { "one report".to_string() } else { format!("{count} reports") }
}

/// A line as rates, latencies and queue.
fn reading(name: &str, figures: &Figures) -> Reading {
    let of = |column| figures.get(column);
    let both_us = of(Column::Latency);
    let side = |ios, bytes, latency| Direction {
        ios_per_s: of(ios),
        bytes_per_s: of(bytes),
        // Before sysstat 10 there is one latency for both.
        latency_us: of(latency).or(both_us.filter(|_| of(ios).is_some())),
    };
    let held = |ios, latency| Some(of(ios)? * of(latency)? / 1e6);
    let others = [(Column::Discards, Column::DiscardLatency), (Column::Flushes, Column::FlushLatency)];
    let (read, write) = (
        side(Column::Reads, Column::ReadBytes, Column::ReadLatency),
        side(Column::Writes, Column::WriteBytes, Column::WriteLatency),
    );
    let both = side(Column::Both, Column::BothBytes, Column::Latency);
    let ios = read.ios_per_s.unwrap_or(0.0) + write.ios_per_s.unwrap_or(0.0) + both.ios_per_s.unwrap_or(0.0);
    Reading {
        read,
        write,
        both,
        queue: of(Column::Queue),
        others_queue: others.into_iter().filter_map(|(ios, latency)| held(ios, latency)).sum(),
        flushes_per_s: of(Column::Flushes),
        // Two decimals of the queue (-h: fewer), and two of each latency in ms.
        rounding: 0.01 + ios * 10e-6,
        ..Reading::new(name)
    }
}
