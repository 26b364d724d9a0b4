//! CSV: a time, and a column for each metric and disk.

use iobound_formats::observation::reader::{Clock, Trouble, figure, tables, whole};

use super::{LIST, MetricKind};
use crate::clouds::disk_points::{DiskPoints, VM};

fn is_time(name: &str) -> bool {
    name.contains("time") || name.contains("date")
}

/// The disk that a column's name has after `device_name`.
fn disk_of(name: &str) -> &str {
    let Some((_, rest)) = name.split_once("device_name") else { return VM };
    let rest = rest.trim_start_matches([' ', ':', '=', '"', '\'']);
    let end = rest.find([',', ';', '"', '\'', ')', '}', ']', ' ']).unwrap_or(rest.len());
    if end == 0 { VM } else { &rest[..end] }
}

/// Adds the points of a table; `false`: there are too many.
pub(super) fn points(
    text: &str,
    source: usize,
    points: &mut DiskPoints<MetricKind>,
    trouble: &mut Trouble,
) -> bool {
    let is_header = |names: &[String]| {
        names.iter().any(|name| is_time(name)) && names.iter().any(|name| MetricKind::find(name).is_some())
    };
    let found = tables(text, source, is_header, trouble);
    if found.is_empty() && trouble.is_empty() {
        trouble.add(whole(source), "there is no header with a time and a disk metric", LIST);
    }
    for table in &found {
        let Some(clock) = table.names.iter().position(|name| is_time(name)) else { continue };
        let columns = table.names.iter().enumerate();
        let columns: Vec<(usize, &str, MetricKind)> = columns
            .filter_map(|(column, name)| Some((column, disk_of(name), MetricKind::find(name)?)))
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
            for (column, disk, of) in &columns {
                let text = row.text(*column);
                if text.is_empty() || matches!(text, "null" | "-" | "undefined" | "NaN") {
                    continue;
                }
                let Some(value) = figure(text) else {
                    let what = format!("`{text}` is not a figure");
                    trouble.add(row.place(*column), what, "give figures without units");
                    continue;
                };
                if !points.add(disk, *of, time, value) {
                    return false;
                }
            }
        }
    }
    true
}
