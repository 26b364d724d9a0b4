//! CSV and tables: a column for each metric, or a row for each.

use iobound_formats::observation::reader::{Clock, Row, Table, Trouble, figure, lines, tables, whole};

use super::metric::{Metric, lun_in};
use super::{LIST, MetricPoints};

/// The names that a column of times has.
fn is_time(name: &str) -> bool {
    name.contains("time") || name.contains("date")
}

/// The names that a column of a metric's names has.
fn is_name(name: &str) -> bool {
    matches!(name, "name" | "metric" | "metricname" | "metric name" | "metric_name")
}

fn is_header(names: &[String]) -> bool {
    names.iter().any(|name| is_time(name))
        && names.iter().any(|name| Metric::find(name).is_some() || is_name(name))
}

/// Aggregation of a column, if its name says so and it is not an average.
fn other_aggregation(name: &str) -> Option<&'static str> {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let is = |names: &[&str]| words.iter().any(|word| names.contains(word));
    match () {
        () if words.windows(2).any(|pair| pair == ["max", "burst"]) => None,
        () if is(&["max", "maximum"]) => Some("a maximum"),
        () if is(&["min", "minimum"]) => Some("a minimum"),
        () if is(&["sum", "total"]) => Some("a sum"),
        () if words.first() == Some(&"count") => Some("a count"),
        () => None,
    }
}

/// Adds the points of a table; `false`: there are too many.
pub(super) fn points(text: &str, source: usize, points: &mut MetricPoints, trouble: &mut Trouble) -> bool {
    let found = tables(text, source, is_header, trouble);
    if found.is_empty()
        && let Some(metric) = title(text)
    {
        return below_title(text, source, metric, points, trouble);
    }
    if found.is_empty() && trouble.is_empty() {
        let what = "there is no header with a time and with a metric of a disk, or with a name of metrics";
        trouble.add(whole(source), what, LIST);
    }
    for table in &found {
        let read = match table.names.iter().position(|name| is_name(name)) {
            Some(name) if table.names.iter().all(|name| Metric::find(name).is_none()) => {
                by_row(table, name, points, trouble)
            }
            _ => by_column(table, points, trouble),
        };
        if !read {
            return false;
        }
    }
    true
}

/// The metric that a chart's title names, where its columns name only the disks: the first one.
fn title(text: &str) -> Option<Metric> {
    const LOOKED: usize = 20;
    lines(text).take(LOOKED).find_map(|(_, line)| Metric::find(line))
}

/// A chart whose title names the metric, and whose columns the LUNs or the VM.
fn below_title(
    text: &str,
    source: usize,
    metric: Metric,
    points: &mut MetricPoints,
    trouble: &mut Trouble,
) -> bool {
    let is_header = |names: &[String]| names.len() > 1 && is_time(&names[0]);
    let found = tables(text, source, is_header, trouble);
    let [table] = found.as_slice() else {
        if trouble.is_empty() {
            let what = "no table with a time in its first column follows the title";
            trouble.add(whole(source), what, LIST);
        }
        return true;
    };
    if let Some(other) = lines(text)
        .find(|(_, line)| Metric::find(line).is_some())
        .and_then(|(_, line)| other_aggregation(&line.to_lowercase()).filter(|_| !metric.is_sum()))
    {
        let what = format!("the title names {other}: export averages");
        trouble.add(whole(source), what, "export the chart with the aggregation Avg");
        return true;
    }
    let columns: Vec<(usize, Metric)> =
        (1..table.names.len()).map(|column| (column, metric.of_lun(lun_in(&table.names[column])))).collect();
    rows(table, &columns, points, trouble)
}

fn time_of<'a>(table: &Table<'_>, row: &'a Row<'_>, trouble: &mut Trouble) -> Option<&'a str> {
    let column = table.names.iter().position(|name| is_time(name))?;
    let text = row.text(column);
    if Clock::read(text).is_none() {
        let what = format!("`{text}` is not a time such as 2026-06-22 22:16");
        trouble.add(row.place(column), what, "give the table exactly as exported");
        return None;
    }
    Some(text)
}

/// A cell's figure; an empty one had none.
fn value(row: &Row<'_>, column: usize, trouble: &mut Trouble) -> Option<f64> {
    let text = row.text(column);
    if text.is_empty()
        || matches!(text.to_ascii_lowercase().as_str(), "none" | "null" | "-" | "--" | "n/a" | "nan")
    {
        return None;
    }
    let read = figure(text.strip_suffix('%').unwrap_or(text));
    if read.is_none() {
        let what = format!("`{text}` is not a figure");
        trouble.add(row.place(column), what, "give figures without units and without groups of digits");
    }
    read
}

fn by_column(table: &Table<'_>, points: &mut MetricPoints, trouble: &mut Trouble) -> bool {
    let mut metrics: Vec<(usize, Metric)> = Vec::new();
    for (column, name) in table.names.iter().enumerate() {
        let Some(metric) = Metric::find(name) else { continue };
        match other_aggregation(name).filter(|_| !metric.is_sum()) {
            Some(other) => {
                let what = format!("`{}` is {other}: export averages", table.header.text(column));
                trouble.add(table.header.place(column), what, "export the chart with the aggregation Avg");
            }
            None => metrics.push((column, metric)),
        }
    }
    rows(table, &metrics, points, trouble)
}

/// The points of columns whose metrics are known.
fn rows(
    table: &Table<'_>,
    metrics: &[(usize, Metric)],
    points: &mut MetricPoints,
    trouble: &mut Trouble,
) -> bool {
    for row in &table.rows {
        if trouble.is_full() {
            return true;
        }
        let Some(time) = time_of(table, row, trouble) else { continue };
        for (column, metric) in metrics {
            let Some(value) = value(row, *column, trouble) else { continue };
            if !points.add(*metric, time, value) {
                return false;
            }
        }
    }
    true
}

fn by_row(table: &Table<'_>, name: usize, points: &mut MetricPoints, trouble: &mut Trouble) -> bool {
    let column = |names: &[&str]| table.names.iter().position(|own| names.contains(&own.as_str()));
    let (mean, sum) = (column(&["average", "avg", "mean", "value"]), column(&["total", "sum"]));
    if mean.is_none() && sum.is_none() {
        trouble.add(table.header.line(), "there is no column Average", LIST);
        return true;
    }
    let lun = column(&["lun"]);
    for row in &table.rows {
        if trouble.is_full() {
            return true;
        }
        let Some(found) = Metric::find(row.text(name)) else { continue };
        let found = found.of_lun(lun.and_then(|column| row.text(column).parse().ok()));
        let Some(column) = (if found.is_sum() { sum } else { mean }) else {
            let what = format!("{} has no average here", row.text(name));
            trouble.add(row.line(), what, LIST);
            continue;
        };
        let Some(time) = time_of(table, row, trouble) else { continue };
        let Some(value) = value(row, column, trouble) else { continue };
        if !points.add(found, time, value) {
            return false;
        }
    }
    true
}
