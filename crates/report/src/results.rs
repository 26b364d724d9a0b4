//! The answers of `results`: what is kept, as a table, a document, and tables for other programs.

use iobound_measure::result::{PointFigures, RunResult};
use serde_json::{Map, Value, json};

use crate::csv::line;
use crate::document::Document;
use crate::number::{count_text, figure_or_null, rounded, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// The version of the documents.
const SCHEMA: &str = "iobound.results/1";

/// One kept run in a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptRun {
    /// Its id: `r-142`.
    pub id: String,
    /// The first run of the same command.
    pub first_of_command: String,
    /// When it began, in UTC.
    pub at: String,
    /// The verb that ran it.
    pub verb: String,
    /// Name of it: a row of a lab.
    pub name: Option<String>,
    /// Side of a comparison.
    pub side: Option<String>,
    /// Where its figures come from.
    pub source: String,
    /// End of the run: complete, interrupted or failed.
    pub ended: String,
    /// Its target.
    pub target: Option<String>,
    /// I/O engine.
    pub engine: Option<String>,
    /// The machine's name.
    pub host: Option<String>,
    /// The request, in words.
    pub workload: Option<String>,
    /// Time that was counted, in seconds.
    pub counted_s: Option<f64>,
    /// Outstanding I/Os, as asked for.
    pub depth_requested: Option<u64>,
    /// I/Os a second.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<f64>,
    /// Mean latency in µs.
    pub mean_us: Option<f64>,
    /// The median in µs.
    pub p50_us: Option<f64>,
    /// The 99th percentile in µs.
    pub p99_us: Option<f64>,
    /// The longest in µs.
    pub max_us: Option<f64>,
    /// I/Os that failed.
    pub errors: Option<u64>,
}

/// The columns of the runs' CSV.
const RUNS: [&str; 21] = [
    "id",
    "first_of_command",
    "at",
    "verb",
    "name",
    "side",
    "source",
    "ended",
    "target",
    "engine",
    "host",
    "workload",
    "counted_s",
    "depth_requested",
    "iops",
    "throughput_bytes_per_s",
    "mean_us",
    "p50_us",
    "p99_us",
    "max_us",
    "errors",
];

/// The columns of the intervals' CSV.
const POINTS: [&str; 8] =
    ["id", "interval", "start_s", "end_s", "phase", "cut_short", "iops", "throughput_bytes_per_s"];
const DIRECTION: [&str; 8] =
    ["iops", "throughput_bytes_per_s", "errors", "mean_us", "min_us", "p50_us", "p99_us", "max_us"];

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
        let number = |value: Option<f64>, text: fn(f64) -> String| value.map_or_else(|| "-".into(), text);
        let words = [run.name.clone(), run.side.clone(), run.target.clone(), run.workload.clone()];
        let ended = Some(run.ended.clone()).filter(|ended| ended != "complete");
        let words: Vec<String> = words.into_iter().flatten().chain(ended).collect();
        table.row(vec![
            run.id.clone(),
            run.at.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect(),
            run.verb.clone(),
            number(run.iops, count_text),
            number(run.throughput_bytes_per_s, |bytes| rounded(bytes / 1e6, 1).to_string()),
            number(run.mean_us, time_text),
            number(run.p99_us, time_text),
            words.join(", "),
        ]);
    }
    table.lines(page.width()).iter().for_each(|line| page.line(line));
    page.gap();
    let are = if runs.len() == 1 { "run" } else { "runs" };
    page.paragraph(&format!("{} {are}, kept in {place}", runs.len()));
    page.text()
}

/// The document of `results list`.
pub fn kept_json(runs: &[KeptRun], place: &str) -> Document {
    let rows: Vec<Value> = runs.iter().map(|run| Value::Object(keys(run))).collect();
    Document::new(SCHEMA).with("place", place).with("count", rows.len()).with("runs", rows)
}

fn keys(run: &KeptRun) -> Map<String, Value> {
    let value = json!({
        "id": run.id,
        "first_of_command": run.first_of_command,
        "at": run.at,
        "verb": run.verb,
        "name": run.name,
        "side": run.side,
        "source": run.source,
        "ended": run.ended,
        "target": run.target,
        "engine": run.engine,
        "host": run.host,
        "workload": run.workload,
        "counted_s": figure_or_null(run.counted_s, 6),
        "depth_requested": run.depth_requested,
        "iops": figure_or_null(run.iops, 2),
        "throughput_bytes_per_s": figure_or_null(run.throughput_bytes_per_s, 0),
        "mean_us": figure_or_null(run.mean_us, 3),
        "p50_us": figure_or_null(run.p50_us, 3),
        "p99_us": figure_or_null(run.p99_us, 3),
        "max_us": figure_or_null(run.max_us, 3),
        "errors": run.errors,
    });
    match value {
        Value::Object(keys) => keys,
        _ => Map::new(),
    }
}

/// The runs as comma-separated values, a row for each; an empty cell is what is not known.
pub fn kept_csv(runs: &[KeptRun]) -> String {
    let mut text = line(RUNS);
    for run in runs {
        let keys = keys(run);
        text.push_str(&line(RUNS.iter().map(|column| match &keys[*column] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })));
    }
    text
}

/// The intervals of runs as comma-separated values, a row for each.
pub fn kept_series_csv(runs: &[(String, RunResult)]) -> String {
    let directions =
        ["read", "write"].into_iter().flat_map(|name| DIRECTION.map(|key| format!("{name}_{key}")));
    let mut text = line(POINTS.map(String::from).into_iter().chain(directions));
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let direction = |figures: Option<&PointFigures>| match figures {
        None => vec![String::new(); DIRECTION.len()],
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

/// The document of `results export`: every run with all that is kept of it.
pub fn exported_json(place: &str, documents: Vec<Value>) -> Document {
    Document::new(SCHEMA).with("place", place).with("count", documents.len()).with("results", documents)
}

/// The document of `results delete`.
pub fn deleted_json(place: &str, deleted: &[String]) -> Document {
    Document::new(SCHEMA).with("place", place).with("count", deleted.len()).with("deleted", deleted.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_an_empty_cell_and_a_comma_is_quoted() {
        let run = KeptRun {
            id: "r-1".into(),
            workload: Some("4 KiB random read, 32 outstanding".into()),
            iops: Some(1_234.5),
            ..KeptRun::default()
        };
        let csv = kept_csv(&[run]);
        let (head, row) = csv.split_once('\n').unwrap();
        assert_eq!(head.split(',').count(), 21);
        assert_eq!(row, "r-1,,,,,,,,,,,\"4 KiB random read, 32 outstanding\",,,1234.5,,,,,,\n");
    }
}
