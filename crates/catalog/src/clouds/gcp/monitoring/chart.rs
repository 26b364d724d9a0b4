//! A chart that Metrics Explorer exports: a header that begins with `TimeSeries ID`, a row for each label, then a row for
//! each time, as `Mon Mar 30 2026 15:05:00 GMT+0200 (Central European Summer Time)`.
//!
//! The chart has its metric in the labels or nowhere: then the file's name has to have it.

use std::borrow::Cow;

use iobound_formats::observation::reader::{Clock, Table, Trouble, figure, whole};

use super::MetricSink;
use super::sheet::{disk_of, is_empty};
use crate::clouds::disk_points::VM;

/// First cell of the header, in lower case.
pub(super) const HEADER: &str = "timeseries id";

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Labels that tell VMs apart.
const INSTANCES: [&str; 2] = ["instance_id", "instance_name"];

/// A column: its metric's name, its disk and the reason for throttling.
struct ChartColumn<'a> {
    metric: Cow<'a, str>,
    disk: String,
    reason: &'a str,
}

/// Adds the points of a chart; `false`: there are too many.
pub(super) fn points(
    table: &Table<'_>,
    file: &str,
    source: usize,
    sink: &mut MetricSink<'_>,
    trouble: &mut Trouble,
) -> bool {
    let labels = table.rows.iter().take_while(|row| Clock::read(row.text(0)).is_none()).count();
    let (labels, rows) = table.rows.split_at(labels);
    let label = |name: &str, column: usize| {
        labels.iter().find(|row| row.text(0).eq_ignore_ascii_case(name)).map_or("", |row| row.text(column))
    };
    for name in INSTANCES {
        let mut values: Vec<&str> = (1..table.names.len()).map(|column| label(name, column)).collect();
        values.retain(|value| !value.is_empty());
        values.dedup();
        if let [first, second, ..] = values.as_slice() {
            let what = format!("the chart has series of the instances {first} and {second}");
            trouble.add(whole(source), what, "give the metrics of one VM");
            return true;
        }
    }
    let column = |column: usize| {
        let header = table.names[column].as_str();
        let texts = labels.iter().map(|row| row.text(column)).chain([header, file]);
        let metric = texts.map(Cow::Borrowed).find(|text| MetricSink::knows(text))?;
        let disk = match label("device_name", column) {
            "" => disk_of(header).to_string(),
            name => name.to_string(),
        };
        Some(ChartColumn { metric, disk, reason: label("throttle_reason", column) })
    };
    let columns: Vec<Option<ChartColumn<'_>>> = (1..table.names.len()).map(column).collect();
    if columns.iter().all(Option::is_none) {
        let what = "the chart does not name its metric, or it is not one of a disk";
        let help = "name the file after its metric, such as read_ops_count.csv or write_bytes_count.csv";
        trouble.add(whole(source), what, help);
        return true;
    }
    if columns.iter().flatten().filter(|column| column.disk == VM).count() > 1 {
        let help = "group the chart by device_name, or export the sum of all disks";
        trouble.add(whole(source), "the chart has several series without the name of their disk", help);
        return true;
    }
    for row in rows {
        let time = row.text(0);
        if Clock::read(time).is_none() {
            let what = format!("`{time}` is not a time such as Mon Mar 30 2026 15:05:00 GMT+0200");
            trouble.add(row.place(0), what, "give the chart exactly as exported");
        }
        for (index, of) in columns.iter().enumerate() {
            let text = row.text(index + 1);
            let Some(of) = of.as_ref().filter(|_| !is_empty(text)) else { continue };
            let Some(value) = figure(text) else {
                let what = format!("`{text}` is not a figure");
                trouble.add(row.place(index + 1), what, "give figures without units");
                continue;
            };
            if !sink.add(&of.metric, &of.disk, of.reason, &sortable(time), value) {
                return false;
            }
        }
        if trouble.is_full() {
            return true;
        }
    }
    true
}

/// A time whose text is in the order of time: `2026-03-30 15:05:00 GMT+0200` of `Mon Mar 30 2026 15:05:00 GMT+0200 (…)`.
fn sortable(time: &str) -> Cow<'_, str> {
    let words: Vec<&str> = time.split_whitespace().collect();
    let [_, month, day, year, rest @ ..] = words.as_slice() else { return time.into() };
    match (MONTHS.iter().position(|name| name == month), day.parse::<u32>(), year.parse::<u32>()) {
        (Some(month), Ok(day), Ok(year)) => format!(
            "{year:04}-{:02}-{day:02} {}",
            month + 1,
            rest.iter().take(2).copied().collect::<Vec<_>>().join(" ")
        )
        .into(),
        _ => time.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_put_in_the_order_of_time() {
        let text = "Mon Mar 30 2026 15:05:00 GMT+0200 (Central European Summer Time)";
        assert_eq!(sortable(text), "2026-03-30 15:05:00 GMT+0200");
        let next = sortable("Wed Apr 01 2026 00:00:00 GMT+0200 (Central European Summer Time)").into_owned();
        assert!(*next > *sortable(text) && Clock::read(&next).is_some());
        assert_eq!(sortable("2026-03-30 15:05"), "2026-03-30 15:05");
        assert_eq!(sortable("Mon 22 Jun 2026 10:16:45"), "Mon 22 Jun 2026 10:16:45");
    }
}
