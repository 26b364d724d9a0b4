//! The intervals of a run as a table for other programs. An empty cell is unknown.

use iobound_measure::result::PointFigures;

use super::RunScreen;
use super::interval::phase_word;
use crate::columns::series_table;
use crate::csv::line;
use crate::number::rounded;

/// The series of all stages: a row for each interval, warm-up and cool-down included.
pub fn series_csv(screen: &RunScreen<'_>) -> String {
    let mut text = line(series_table().names());
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

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or(String::new(), |value| rounded(value, decimals).to_string())
}
