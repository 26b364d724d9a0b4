//! Reasons for caution when two results are compared.

use iobound_units::Counted;

use super::changed::Subject;
use super::comparison::Comparison;
use crate::result::{LoopLabel, Outcome, RunResult, Source};

/// Shares of reads that are so far apart are another mix, and mean sizes another block.
const APART: f64 = 0.02;

/// Reasons that weaken a comparison, in sentences; `names` are those of the two.
pub fn cautions(
    a: &Subject<'_>,
    b: &Subject<'_>,
    comparison: &Comparison,
    names: (&str, &str),
) -> Vec<String> {
    let mut said = Vec::new();
    if a.result.id.is_some() && a.result.id == b.result.id {
        said.push(format!("{} and {} are the same run", names.0, names.1));
    }
    said.extend(sources(a.result, b.result, names));
    said.extend(loops(a.result, b.result, names));
    said.extend(mixes(a.result, b.result, names));
    for (subject, name) in [(a, names.0), (b, names.1)] {
        said.extend(of_one(subject, name));
    }
    if comparison.figures.iter().any(|figure| figure.bounds.is_some() && !figure.independent) {
        said.push(
            "the intervals of a run are strongly correlated, so the confidence intervals are too narrow: use \
             longer runs, or run --vs"
                .into(),
        );
    }
    if comparison.figures.iter().all(|figure| figure.bounds.is_none()) {
        let is_of_totals = |result: &RunResult| {
            result.source == Source::Foreign && result.series.is_empty() && result.standard_errors.is_empty()
        };
        let totals: Vec<&str> = [(a, names.0), (b, names.1)]
            .into_iter()
            .filter_map(|(subject, name)| is_of_totals(subject.result).then_some(name))
            .collect();
        said.push(match totals.as_slice() {
            [] => "a result with fewer than ten intervals of a second has no confidence interval: run for 10 s or longer"
                .into(),
            totals => format!(
                "another tool's totals ({}) say nothing about chance, however long the run was: repeat it and compare the \
                 repetitions, or use iobound run, whose results have intervals",
                totals.join(", ")
            ),
        });
    }
    said
}

fn sources(a: &RunResult, b: &RunResult, (first, second): (&str, &str)) -> Option<String> {
    let word = |source: Source| match source {
        Source::Simulated => "simulated",
        Source::Rehearsed => "rehearsed on the model",
        Source::Measured => "measured",
        Source::Foreign => "another tool's",
    };
    (a.source != b.source).then(|| format!("{first} is {}, {second} is {}", word(a.source), word(b.source)))
}

fn loops(a: &RunResult, b: &RunResult, (first, second): (&str, &str)) -> Option<String> {
    let label = |result: &RunResult| result.total.latency_us.and_then(|latency| latency.label);
    let (of_a, of_b) = (label(a)?, label(b)?);
    let word = |label: LoopLabel| match label {
        LoopLabel::Closed => "a closed loop, where latency follows from depth and rate",
        LoopLabel::Open => "an open loop, where it counts from the intended time",
        LoopLabel::Mixed => "of both loops, by job",
    };
    (of_a != of_b).then(|| {
        format!(
            "{first} is {}; {second} is {}: their latencies are defined differently",
            word(of_a),
            word(of_b)
        )
    })
}

fn mixes(a: &RunResult, b: &RunResult, (first, second): (&str, &str)) -> Vec<String> {
    let mut said = Vec::new();
    let size = |result: &RunResult| {
        let ios = result.total.ios.filter(|ios| *ios > 0)?;
        Some(result.total.bytes? as f64 / ios as f64)
    };
    if let (Some(of_a), Some(of_b)) = (size(a), size(b))
        && (of_a - of_b).abs() > APART * of_a.max(of_b)
    {
        said.push(format!(
            "an I/O is {of_a:.0} B in {first} and {of_b:.0} B in {second}: IOPS and latencies are not comparable"
        ));
    }
    let reads = |result: &RunResult| {
        let ios = result.total.ios.filter(|ios| *ios > 0)?;
        Some(result.by_operation.read.as_ref().map_or(Some(0), |read| read.ios)? as f64 / ios as f64)
    };
    if let (Some(of_a), Some(of_b)) = (reads(a), reads(b))
        && (of_a - of_b).abs() > APART
    {
        said.push(format!(
            "{:.0} % of the I/Os read in {first} and {:.0} % in {second}",
            of_a * 100.0,
            of_b * 100.0
        ));
    }
    said
}

fn of_one(subject: &Subject<'_>, name: &str) -> Vec<String> {
    let result = subject.result;
    let mut said = Vec::new();
    match subject.ended {
        Some("interrupted") => {
            said.push(format!("{name} was interrupted: its figures cover the time until then"))
        }
        Some("failed") => said.push(format!("{name} failed: its figures cover the time until then")),
        _ => {}
    }
    // Notes of our own results are about the machine; those of other tools' about the figures.
    if result.source == Source::Foreign {
        said.extend(result.notes.iter().map(|note| format!("{name}: {note}")));
    }
    if result.steady.as_ref().is_some_and(|steady| !steady.steady) {
        said.push(format!("{name} was not steady"));
    }
    let errors = result.total.errors.filter(|errors| *errors > 0);
    said.extend(errors.map(|errors| {
        format!("failed: {} of {name}; no other figure includes them", Counted(errors, "I/O"))
    }));
    let doubtful = result.checks.iter().filter(|check| check.outcome == Outcome::Failed);
    said.extend(doubtful.map(|check| format!("{name}: {}: {}", check.name, check.says)));
    said
}
