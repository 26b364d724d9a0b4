use iobound_lab::Row;
use iobound_measure::result::PerSecond;
use iobound_workload::describe;

use super::Laboratory;
use super::words::configuration_words;
use crate::columns::lab_table;
use crate::csv::line;
use crate::number::rounded;

/// The rows as comma-separated values with a header; an empty cell is unknown.
pub fn lab_csv(lab: &Laboratory<'_>) -> String {
    let mut text = line(lab_table().names());
    for row in lab.rows {
        text.push_str(&line(cells(row)));
    }
    text
}

fn cells(row: &Row) -> Vec<String> {
    let run = &row.run;
    let number = |value: Option<f64>| value.map_or(String::new(), |value| rounded(value, 2).to_string());
    let published = run.published.as_ref();
    let prediction = row.execution.modelled.as_ref().map(|modelled| &modelled.prediction);
    let simulated = row.execution.modelled.as_ref().map(|modelled| &modelled.simulated);
    let second = |of: fn(&PerSecond) -> f64| number(simulated.and_then(|s| s.per_second.as_ref()).map(of));
    let measured = row.execution.measured.as_ref().map(|measured| &measured.reached);
    let latency = measured.and_then(|measured| measured.latency);
    let share = |value: Option<f64>| value.map_or(String::new(), |value| rounded(value, 4).to_string());
    let jobs: Vec<String> = run.workload.jobs.iter().map(describe).collect();
    let bindings = prediction.iter().flat_map(|prediction| &prediction.binding);
    let bindings: Vec<String> = bindings.map(ToString::to_string).collect();
    vec![
        run.name.clone(),
        run.from.clone().unwrap_or_default(),
        run.changed().unwrap_or_default(),
        run.on_model.as_ref().map_or(String::new(), configuration_words),
        jobs.join("; "),
        number(published.and_then(|p| p.iops).map(|figure| figure.value)),
        number(published.and_then(|p| p.throughput_bytes_per_s).map(|figure| figure.value)),
        number(published.and_then(|p| p.range).map(|range| range.low.value)),
        number(published.and_then(|p| p.range).map(|range| range.high.value)),
        number(prediction.and_then(|prediction| prediction.ceiling.iops)),
        number(prediction.map(|prediction| prediction.expected.iops)),
        number(row.band.map(|band| band.low)),
        number(row.band.map(|band| band.high)),
        number(simulated.map(|simulated| simulated.iops)),
        number(simulated.map(|simulated| simulated.throughput_bytes_per_s)),
        second(|seconds| seconds.min),
        second(|seconds| seconds.max),
        number(row.execution.real_time.as_ref().map(|reached| reached.iops)),
        number(row.execution.rehearsed.as_ref().map(|reached| reached.iops)),
        run.targets.join(" "),
        number(measured.map(|measured| measured.iops)),
        number(measured.map(|measured| measured.throughput_bytes_per_s)),
        number(latency.and_then(|latency| latency.mean)),
        number(latency.and_then(|latency| latency.p99)),
        share(row.measured_to_predicted()),
        bindings.join(" "),
        row.verdict.name().into(),
        number(run.price.as_ref().and_then(|price| price.per_month).map(|month| month.as_f64())),
        published.map_or(String::new(), |p| p.source.clone()),
        row.would_need.join("; "),
    ]
}
