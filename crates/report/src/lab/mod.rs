//! The answer of `lab`.

mod columns;
mod csv;
mod document;
mod grid;
mod measured;
mod text;
mod words;

use iobound_lab::{Figure, Published, Row, Sense, Verdict};
use iobound_units::format_throughput;

use crate::number::{count_text, rounded, time_text};

pub use csv::lab_csv;
pub use document::{lab_document, lab_list_document};
pub use measured::{measured_document, measured_text};
pub use text::{lab_list_text, lab_text};

/// Display of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct Laboratory<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its request.
    pub about: &'a str,
    /// The region of its prices.
    pub region: &'a str,
    /// The rows that are done, in order.
    pub rows: &'a [Row],
    /// Their number in all: more where the answer was interrupted.
    pub asked: usize,
    /// Reason why it ended before its last row, where that was not asked for.
    pub error: Option<&'a str>,
}

impl Laboratory<'_> {
    /// True if any row is predicted.
    fn has_model(&self) -> bool {
        self.rows.iter().any(|row| row.run.on_model.is_some())
    }

    /// True if rows run on other targets than one another.
    fn targets_differ(&self) -> bool {
        self.rows.windows(2).any(|rows| rows[0].run.targets != rows[1].run.targets)
    }

    /// True if any row ran on emulated devices.
    fn has_rehearsals(&self) -> bool {
        self.rows.iter().any(|row| row.execution.rehearsed.is_some())
    }

    /// True if any row was to run on real targets.
    fn has_targets(&self) -> bool {
        self.rows.iter().any(|row| !row.run.targets.is_empty())
    }
}

/// An experiment that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its request.
    pub about: &'a str,
    /// Number of runs it that has.
    pub runs: usize,
}

/// True if a row's figures are told as throughput, because its publication does.
fn by_throughput(row: &Row) -> bool {
    row.run.published.as_ref().is_some_and(|published| {
        published.iops.is_none()
            && (published.throughput_bytes_per_s.is_some()
                || published.range.is_some_and(|range| range.is_throughput))
    })
}

/// A rate of the row, in its unit.
fn rate(row: &Row, iops: f64) -> String {
    if by_throughput(row) { megabytes(iops * row.block()) } else { count_text(iops) }
}

/// A throughput in three digits or more: a column is narrow.
fn megabytes(bytes_per_s: f64) -> String {
    if bytes_per_s >= 100e6 {
        format!("{} MB/s", count_text(rounded(bytes_per_s / 1e6, 0)))
    } else {
        format_throughput(bytes_per_s)
    }
}

fn figure_words(figure: &Figure, is_throughput: bool) -> String {
    let value = if is_throughput { format_throughput(figure.value) } else { count_text(figure.value) };
    match figure.sense {
        Sense::Exactly => value,
        Sense::About => format!("~{value}"),
        Sense::Over => format!(">{value}"),
    }
}

/// The published figure in a cell: of a range, about its middle.
fn published_cell(published: &Published) -> String {
    if let Some(iops) = &published.iops {
        return figure_words(iops, false);
    }
    if let Some(throughput) = &published.throughput_bytes_per_s {
        return figure_words(throughput, true);
    }
    match &published.range {
        Some(range) => {
            let value = f64::midpoint(range.low.value, range.high.value);
            figure_words(&Figure { value, rounding: 0.0, sense: Sense::About }, range.is_throughput)
        }
        None => published.latency_us.map_or(String::new(), |latency| crate::number::time_text(latency.value)),
    }
}

/// The published figures in full.
fn published_words(row: &Row) -> String {
    let Some(published) = &row.run.published else { return "-".into() };
    let mut words: Vec<String> = Vec::new();
    words.extend(published.iops.map(|figure| figure_words(&figure, false)));
    words.extend(published.throughput_bytes_per_s.map(|figure| figure_words(&figure, true)));
    words.extend(published.latency_us.map(|figure| time_text(figure.value)));
    words.extend(published.range.map(|range| {
        format!(
            "{}-{}",
            figure_words(&range.low, range.is_throughput),
            figure_words(&range.high, range.is_throughput)
        )
    }));
    words.join(", ")
}

/// The independent published measurements of rows: whether all rows of each are explained, and whether any is. Rows with the same
/// figures of the same source are one measurement.
fn independent(rows: &[Row]) -> Vec<(bool, bool)> {
    let mut seen: Vec<(&Published, bool, bool)> = Vec::new();
    for row in rows.iter().filter(|row| row.verdict != Verdict::NoFigure) {
        let Some(published) = &row.run.published else { continue };
        let yes = row.verdict == Verdict::Explained;
        match seen.iter_mut().find(|(other, ..)| *other == published) {
            Some((_, all, any)) => (*all, *any) = (*all && yes, *any || yes),
            None => seen.push((published, yes, yes)),
        }
    }
    seen.into_iter().map(|(_, all, any)| (all, any)).collect()
}

fn verdict_word(row: &Row) -> &'static str {
    match row.verdict {
        Verdict::Explained if !row.beyond.is_empty() => "in part",
        Verdict::Explained => "yes",
        Verdict::Unexplained => "NO",
        Verdict::NoFigure => "-",
    }
}
