//! CSV: a time, and a column for each metric and disk.

use iobound_formats::observation::ObservedFile;
use iobound_formats::observation::reader::{Clock, Trouble, figure, tables, whole};

use super::{LIST, MetricSink, chart};
use crate::clouds::disk_points::VM;

fn is_time(name: &str) -> bool {
    name.contains("time") || name.contains("date")
}

/// True for a cell without a figure.
pub(super) fn is_empty(text: &str) -> bool {
    matches!(text, "" | "null" | "-" | "undefined" | "NaN")
}

/// The disk that a column's name has after `device_name`.
pub(super) fn disk_of(name: &str) -> &str {
    let Some((_, rest)) = name.split_once("device_name") else { return VM };
    let rest = rest.trim_start_matches([' ', ':', '=', '"', '\'']);
    let end = rest.find([',', ';', '"', '\'', ')', '}', ']', ' ']).unwrap_or(rest.len());
    if end == 0 { VM } else { &rest[..end] }
}

/// Adds the points of a table; `false`: there are too many.
pub(super) fn points(
    file: &ObservedFile<'_>,
    source: usize,
    sink: &mut MetricSink<'_>,
    trouble: &mut Trouble,
) -> bool {
    let is_header = |names: &[String]| {
        let has_both =
            names.iter().any(|name| is_time(name)) && names.iter().any(|name| MetricSink::knows(name));
        has_both || (names.len() > 1 && names[0] == chart::HEADER)
    };
    let found = tables(file.text, source, is_header, trouble);
    if found.is_empty() && trouble.is_empty() {
        trouble.add(whole(source), "there is no header with a time and a disk metric", LIST);
    }
    for table in &found {
        if table.names[0] == chart::HEADER {
            if !chart::points(table, file.name, source, sink, trouble) {
                return false;
            }
            continue;
        }
        let Some(clock) = table.names.iter().position(|name| is_time(name)) else { continue };
        let columns = table.names.iter().enumerate();
        let columns: Vec<(usize, &str, &str)> = columns
            .filter(|(_, name)| MetricSink::knows(name))
            .map(|(column, name)| (column, disk_of(name), name.as_str()))
            .collect();
        for row in &table.rows {
            if trouble.is_full() {
                return true;
            }
            let time = row.text(clock);
            if Clock::read(time).is_none() {
                let what = format!("`{time}` is not a time such as 2026-06-22 22:16");
                trouble.add(row.place(clock), what, "give the table exactly as exported");
                continue;
            }
            for (column, disk, name) in &columns {
                let text = row.text(*column);
                if is_empty(text) {
                    continue;
                }
                let Some(value) = figure(text) else {
                    let what = format!("`{text}` is not a figure");
                    trouble.add(row.place(*column), what, "give figures without units");
                    continue;
                };
                if !sink.add(name, disk, "", time, value) {
                    return false;
                }
            }
        }
    }
    true
}
