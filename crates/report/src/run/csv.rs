//! A run as tables for other programs: the series, and the figures of every part. An empty cell is unknown.

use iobound_measure::result::{ByOperation, Figures, Latency, LoopLabel, PointFigures};

use super::interval::phase_word;
use super::text::loop_words;
use super::{RunScreen, RunStage};
use crate::csv::line;
use crate::number::rounded;

const SERIES: [&str; 7] =
    ["stage", "start_s", "end_s", "phase", "cut_short", "iops", "throughput_bytes_per_s"];
const DIRECTION: [&str; 8] =
    ["iops", "throughput_bytes_per_s", "errors", "mean_us", "min_us", "p50_us", "p99_us", "max_us"];
const SUMMARY: [&str; 11] = [
    "stage",
    "part",
    "name",
    "thread",
    "target",
    "operation",
    "ios",
    "bytes",
    "errors",
    "iops",
    "throughput_bytes_per_s",
];
const LATENCY: [&str; 12] = [
    "mean_us",
    "stdev_us",
    "min_us",
    "p50_us",
    "p90_us",
    "p95_us",
    "p99_us",
    "p99_9_us",
    "p99_99_us",
    "p99_999_us",
    "p99_9999_us",
    "max_us",
];

/// The series of all stages: a row for each interval, warm-up and cool-down included.
pub fn series_csv(screen: &RunScreen<'_>) -> String {
    let directions =
        ["read", "write"].into_iter().flat_map(|name| DIRECTION.map(|key| format!("{name}_{key}")));
    let mut text = line(SERIES.map(String::from).into_iter().chain(directions));
    for (index, stage) in screen.stages.iter().enumerate() {
        for point in &stage.result.series {
            let mut cells = vec![
                (index + 1).to_string(),
                point.start_s.to_string(),
                point.end_s.to_string(),
                phase_word(point.phase).into(),
                point.cut_short.to_string(),
                number(Some(point.iops), 2),
                number(point.throughput_bytes_per_s, 0),
            ];
            cells.extend(direction(point.read.as_ref()));
            cells.extend(direction(point.write.as_ref()));
            text.push_str(&line(cells));
        }
    }
    text
}

fn direction(figures: Option<&PointFigures>) -> [String; 8] {
    let Some(figures) = figures else { return Default::default() };
    [
        number(Some(figures.iops), 2),
        number(figures.throughput_bytes_per_s, 0),
        figures.errors.to_string(),
        number(figures.mean_us, 3),
        number(figures.min_us, 3),
        number(figures.p50_us, 3),
        number(figures.p99_us, 3),
        number(figures.max_us, 3),
    ]
}

/// The figures of every part of all stages: a row for the whole, each job, thread, target and cell, and one for each
/// operation of each.
pub fn summary_csv(screen: &RunScreen<'_>) -> String {
    let latencies =
        ["latency", "service"].into_iter().flat_map(|name| LATENCY.map(|key| format!("{name}_{key}")));
    let heads = SUMMARY.map(String::from).into_iter().chain(["loop".to_string()]).chain(latencies);
    let mut text = line(heads);
    for (index, stage) in screen.stages.iter().enumerate() {
        stage_rows(index + 1, stage, &mut text);
    }
    text
}

fn stage_rows(stage: usize, of: &RunStage<'_>, text: &mut String) {
    let result = of.result;
    let mut add = |part: [&str; 4], total: &Figures, by: &ByOperation| {
        let operations = [
            ("read", by.read.as_ref()),
            ("write", by.write.as_ref()),
            ("flush", by.flush.as_ref()),
            ("discard", by.discard.as_ref()),
        ];
        for (operation, figures) in std::iter::once(("read and write", Some(total))).chain(operations) {
            if let Some(figures) = figures {
                text.push_str(&line(row(stage, part, operation, figures)));
            }
        }
    };
    add(["run", "", "", ""], &result.total, &result.by_operation);
    for job in &result.jobs {
        add(["job", &job.name, "", ""], &job.total, &job.by_operation);
    }
    for thread in &result.threads {
        add(["thread", "", &thread.name, ""], &thread.total, &thread.by_operation);
    }
    for target in &result.targets {
        add(["target", "", "", &target.name], &target.total, &target.by_operation);
    }
    for cell in &result.cells {
        let thread = cell.thread.to_string();
        add(["cell", &cell.job, &thread, &cell.target], &cell.total, &cell.by_operation);
    }
}

fn row(stage: usize, part: [&str; 4], operation: &str, figures: &Figures) -> Vec<String> {
    let count = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let mut cells = vec![stage.to_string()];
    cells.extend(part.map(String::from));
    cells.extend([
        operation.to_string(),
        count(figures.ios),
        count(figures.bytes),
        count(figures.errors),
        number(figures.iops, 2),
        number(figures.throughput_bytes_per_s, 0),
        figures.latency_us.and_then(|latency| latency.label).map_or(String::new(), loop_cell),
    ]);
    cells.extend(latency(figures.latency_us.as_ref()));
    cells.extend(latency(figures.service_us.as_ref()));
    cells
}

fn loop_cell(label: LoopLabel) -> String {
    loop_words(label).trim_end_matches(" loop").into()
}

fn latency(latency: Option<&Latency>) -> [String; 12] {
    let Some(of) = latency else { return Default::default() };
    [
        of.mean,
        of.stdev,
        of.min,
        of.p50,
        of.p90,
        of.p95,
        of.p99,
        of.p99_9,
        of.p99_99,
        of.p99_999,
        of.p99_9999,
        of.max,
    ]
    .map(|value| number(value, 3))
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or(String::new(), |value| rounded(value, decimals).to_string())
}
