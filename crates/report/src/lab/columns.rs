//! The columns of the table.

use iobound_lab::Row;
use iobound_units::{Grouped, format_throughput};
use iobound_workload::describe;

use super::grid::{Grid, Kind};
use super::words::{binding_cell, configuration_cell, configuration_words, workload_cell};
use super::{Laboratory, by_throughput, published_cell, published_words, rate, verdict_word};
use crate::number::{count_text, rounded, time_text};

/// A column: its title, how it is laid out, and a row's cell.
struct LabColumn<'a> {
    title: &'static str,
    kind: Kind,
    cell: Box<dyn Fn(&Row) -> String + 'a>,
}

fn words<'a>(title: &'static str, cell: impl Fn(&Row) -> String + 'a) -> LabColumn<'a> {
    LabColumn { title, kind: Kind::Words, cell: Box::new(cell) }
}

fn figures<'a>(title: &'static str, cell: impl Fn(&Row) -> String + 'a) -> LabColumn<'a> {
    LabColumn { title, kind: Kind::Figures, cell: Box::new(cell) }
}

fn grid(lab: &Laboratory<'_>, columns: &[LabColumn<'_>]) -> Grid {
    let mut grid = Grid::new(columns.iter().map(|column| (column.title, column.kind)).collect());
    for row in lab.rows {
        grid.row(columns.iter().map(|column| (column.cell)(row)).collect());
    }
    grid
}

/// Sign for unknown or unrequested values of a row.
fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".into())
}

/// The table of a page of usual width: the columns in which something is known.
pub(super) fn narrow(lab: &Laboratory<'_>, compares: bool) -> Grid {
    let (modelled, real) = (lab.has_model(), lab.has_targets());
    let priced = !compares && lab.rows.iter().any(|row| row.run.price.is_some());
    let mut columns = vec![words("row", |row| row.run.name.clone())];
    if modelled {
        columns
            .push(words("configuration", |row| or_dash(row.run.on_model.as_ref().map(configuration_cell))));
    }
    if lab.targets_differ() {
        columns.push(words("target", targets));
    }
    columns.push(words("workload", |row| workload_cell(&row.run)));
    if compares {
        columns.push(figures("published", |row| or_dash(row.run.published.as_ref().map(published_cell))));
    }
    if modelled {
        columns.push(figures("predicted", |row| or_dash(expected(row).map(|iops| rate(row, iops)))));
        // Where a measured figure stands beside it, the share says more.
        if !compares && !real {
            columns.push(figures("band", |row| or_dash(band_words(row))));
        }
        columns.push(figures("simulated", |row| or_dash(simulated(row).map(|iops| rate(row, iops)))));
    }
    if lab.has_rehearsals() {
        columns.push(figures("rehearsed", |row| or_dash(rehearsed(row).map(|iops| rate(row, iops)))));
    }
    if real {
        columns.push(figures("measured", |row| or_dash(measured(row).map(|iops| rate(row, iops)))));
        if modelled {
            columns.push(figures("ratio", ratio));
        } else {
            columns.extend(latencies("MB/s", "mean", "p99"));
        }
    }
    if priced {
        columns.push(figures("USD/month", price_cell));
    }
    if modelled {
        columns.push(words("bound by", |row| binding_cell(bindings(row))));
    }
    if compares && modelled {
        columns.push(words("explained", |row| verdict_word(row).into()));
    }
    grid(lab, &columns)
}

/// The table of a page as wide as it needs: everything.
pub(super) fn wide(lab: &Laboratory<'_>) -> Grid {
    let reached = |row: &Row| row.execution.modelled.as_ref().map(|modelled| modelled.simulated.clone());
    let mut columns = vec![
        words("row", |row| row.run.name.clone()),
        words("configuration", |row| or_dash(row.run.on_model.as_ref().map(configuration_words))),
        words("workload", |row| {
            row.run.workload.jobs.iter().map(describe).collect::<Vec<String>>().join("; ")
        }),
        figures("published", published_words),
        figures("ceiling", |row| {
            let prediction = row.execution.modelled.as_ref().map(|modelled| &modelled.prediction);
            or_dash(prediction.and_then(|prediction| prediction.ceiling.iops).map(count_text))
        }),
        figures("predicted", |row| or_dash(expected(row).map(count_text))),
        figures("band", |row| {
            or_dash(row.band.map(|band| format!("{}-{}", count_text(band.low), count_text(band.high))))
        }),
        figures("simulated", |row| or_dash(simulated(row).map(count_text))),
        figures("seconds", move |row| {
            let seconds = reached(row).and_then(|simulated| simulated.per_second);
            or_dash(seconds.map(|of| format!("{}-{}", count_text(of.min), count_text(of.max))))
        }),
        figures("MB/s", move |row| {
            or_dash(reached(row).map(|of| rounded(of.throughput_bytes_per_s / 1e6, 1).to_string()))
        }),
        figures("mean", move |row| {
            or_dash(reached(row).and_then(|of| of.latency).and_then(|latency| latency.mean).map(time_text))
        }),
    ];
    if lab.has_rehearsals() {
        columns.push(figures("rehearsed", |row| or_dash(rehearsed(row).map(count_text))));
    }
    if lab.has_targets() {
        columns.push(words("target", targets));
        columns.push(figures("measured", |row| or_dash(measured(row).map(count_text))));
        columns.push(figures("ratio", ratio));
        columns.push(figures("measured seconds", |row| {
            let seconds = row.execution.measured.as_ref().and_then(|measured| measured.reached.per_second);
            or_dash(seconds.map(|of| format!("{}-{}", count_text(of.min), count_text(of.max))))
        }));
        columns.extend(latencies("measured MB/s", "measured mean", "measured p99"));
    }
    columns.extend([
        figures("USD/month", price_cell),
        words("bound by", |row| bindings(row).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
        words("verdict", |row| row.verdict.name().into()),
        words("changed", |row| row.run.changed().unwrap_or_default()),
    ]);
    grid(lab, &columns)
}

/// Throughput, mean and 99th percentile of the real runs.
fn latencies(throughput: &'static str, mean: &'static str, p99: &'static str) -> [LabColumn<'static>; 3] {
    let reached = |row: &Row| row.execution.measured.as_ref().map(|measured| measured.reached.clone());
    [
        figures(throughput, move |row| {
            or_dash(reached(row).map(|of| rounded(of.throughput_bytes_per_s / 1e6, 1).to_string()))
        }),
        figures(mean, move |row| {
            or_dash(reached(row).and_then(|of| of.latency).and_then(|latency| latency.mean).map(time_text))
        }),
        figures(p99, move |row| {
            or_dash(reached(row).and_then(|of| of.latency).and_then(|latency| latency.p99).map(time_text))
        }),
    ]
}

fn targets(row: &Row) -> String {
    if row.run.targets.is_empty() { "-".into() } else { row.run.targets.join(" ") }
}

fn expected(row: &Row) -> Option<f64> {
    row.execution.modelled.as_ref().map(|modelled| modelled.prediction.expected.iops)
}

fn simulated(row: &Row) -> Option<f64> {
    row.execution.modelled.as_ref().map(|modelled| modelled.simulated.iops)
}

fn rehearsed(row: &Row) -> Option<f64> {
    row.execution.rehearsed.as_ref().map(|reached| reached.iops)
}

fn measured(row: &Row) -> Option<f64> {
    row.execution.measured.as_ref().map(|measured| measured.reached.iops)
}

fn ratio(row: &Row) -> String {
    or_dash(row.measured_to_predicted().map(|ratio| format!("{ratio:.2}")))
}

fn bindings(row: &Row) -> &[iobound_predict::Binding] {
    row.execution.modelled.as_ref().map_or(&[], |modelled| &modelled.prediction.binding)
}

fn band_words(row: &Row) -> Option<String> {
    let band = row.band?;
    if by_throughput(row) {
        let words = format_throughput(band.low * band.block);
        let high = format_throughput(band.high * band.block);
        return Some(format!("{}-{high}", words.trim_end_matches(" MB/s")));
    }
    Some(format!("{}-{}", count_text(band.low), count_text(band.high)))
}

fn price_cell(row: &Row) -> String {
    match &row.run.price {
        None => "-".into(),
        Some(price) => match price.per_month {
            Some(month) => Grouped(month.as_f64().round() as u64).to_string(),
            None => "unknown".into(),
        },
    }
}
