//! The answers of `results` as text: a table for a terminal, and tables for other programs.

use iobound_documents::{KeptRun, Microseconds, Quantity};
use iobound_measure::result::{PointFigures, RunResult};
use serde_json::{Map, Value};

use crate::columns::kept_series_table;
use crate::csv::{cell, line};
use crate::number::{count_text, rounded, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// The table of `results list`.
pub fn kept_text(runs: &[KeptRun], place: &str, style: Style) -> String {
    let mut page = Page::new(style);
    if runs.is_empty() {
        page.paragraph(&format!("{place} has no matching run"));
        return page.text();
    }
    let mut table = Table::new(vec![
        Column::words("run"),
        Column::words("began (UTC)"),
        Column::words("verb"),
        Column::figures("IOPS"),
        Column::figures("MB/s"),
        Column::figures("mean"),
        Column::figures("p99"),
        Column::words("of"),
    ]);
    for run in runs {
        let micros = |value: Option<Microseconds>| number(value, time_text);
        let words = [run.name.clone(), run.side.clone(), run.target.clone(), run.workload.clone()];
        let ended = Some(run.ended.clone()).filter(|ended| ended != "complete");
        let words: Vec<String> = words.into_iter().flatten().chain(ended).collect();
        table.row(vec![
            run.id.clone(),
            run.at.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect(),
            run.verb.clone(),
            number(run.iops, count_text),
            number(run.throughput_bytes_per_s, |bytes| rounded(bytes / 1e6, 1).to_string()),
            micros(run.mean_us),
            micros(run.p99_us),
            words.join(", "),
        ]);
    }
    table.put(&mut page);
    page.gap();
    let are = if runs.len() == 1 { "run" } else { "runs" };
    page.paragraph(&format!("{} {are}, kept in {place}", runs.len()));
    page.text()
}

fn number(value: Option<impl Quantity>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".into(), |value| text(value.value()))
}

fn keys(run: &KeptRun) -> Map<String, Value> {
    match serde_json::to_value(run) {
        Ok(Value::Object(keys)) => keys,
        _ => unreachable!("a run is an object whose keys are strings"),
    }
}

/// The runs as comma-separated values, a row for each. The columns are the keys of the document. An empty cell is unknown.
pub fn kept_csv(runs: &[KeptRun]) -> String {
    let mut text = line(keys(&KeptRun::default()).keys());
    for run in runs {
        text.push_str(&line(keys(run).values().map(cell)));
    }
    text
}

/// The intervals of runs as comma-separated values, a row for each.
pub fn kept_series_csv(runs: &[(String, RunResult)]) -> String {
    let mut text = line(kept_series_table().names());
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let direction = |figures: Option<&PointFigures>| match figures {
        None => vec![String::new(); 8],
        Some(of) => vec![
            of.iops.to_string(),
            number(of.throughput_bytes_per_s),
            of.errors.to_string(),
            number(of.mean_us),
            number(of.min_us),
            number(of.p50_us),
            number(of.p99_us),
            number(of.max_us),
        ],
    };
    for (id, result) in runs {
        for (interval, point) in result.series.iter().enumerate() {
            let phase = serde_json::to_value(point.phase).unwrap_or_default();
            let mut cells = vec![
                id.clone(),
                interval.to_string(),
                point.start_s.to_string(),
                point.end_s.to_string(),
                phase.as_str().unwrap_or_default().to_string(),
                point.cut_short.to_string(),
                point.iops.to_string(),
                number(point.throughput_bytes_per_s),
            ];
            cells.extend(direction(point.read.as_ref()));
            cells.extend(direction(point.write.as_ref()));
            text.push_str(&line(cells));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_documents::Iops;

    #[test]
    fn what_is_not_known_is_an_empty_cell_and_a_comma_is_quoted() {
        let run = KeptRun {
            id: "r-1".into(),
            workload: Some("4 KiB random read, 32 outstanding".into()),
            iops: Some(Iops::of(1_234.5)),
            ..KeptRun::default()
        };
        let csv = kept_csv(&[run]);
        let (head, row) = csv.split_once('\n').unwrap();
        assert_eq!(head.split(',').count(), 21);
        assert_eq!(row, "r-1,,,,,,,,,,,\"4 KiB random read, 32 outstanding\",,,1234.5,,,,,,\n");
    }
}
