//! The document of `lab`: each run has the keys of `predict` beside its own.

use iobound_documents::{
    Amount, BytesPerSecond, ChangePart, ExperimentPart, Iops, LabBand, LabDocument, LabListDocument,
    LabPrediction, LabPrice, LabRun, ListedExperiment, MeasuredPart, Microseconds, PublishedPart,
    ReachedLatency, ReachedPart, Seconds, SecondsPart, Share, UnpredictedKeys, Usd, Version,
    WithoutConfiguration,
};
use iobound_lab::{Band, Change, Figure, ModelRun, OnModel, Published, Reached, RealRun, Row};
use iobound_measure::result::{Latency, PerSecond};

use super::{Laboratory, Listed};
use crate::predict::{Predicted, Stage, Wording, predict_keys, workload_part};

/// The document of `lab`.
pub fn lab_document(lab: &Laboratory<'_>) -> LabDocument {
    LabDocument {
        schema: Version::default(),
        experiment: ExperimentPart {
            name: lab.name.to_string(),
            about: lab.about.to_string(),
            region: lab.region.to_string(),
        },
        complete: lab.rows.len() == lab.asked,
        error: lab.error.map(str::to_string),
        tolerance: iobound_lab::TOLERANCE,
        runs: lab.rows.iter().map(run_part).collect(),
    }
}

/// The document of the list of experiments.
pub fn lab_list_document(listed: &[Listed<'_>]) -> LabListDocument {
    let experiment = |of: &Listed<'_>| ListedExperiment {
        name: of.name.to_string(),
        about: of.about.to_string(),
        runs: of.runs as u64,
    };
    LabListDocument { schema: Version::default(), experiments: listed.iter().map(experiment).collect() }
}

fn run_part(row: &Row) -> LabRun {
    let planned = &row.run;
    let execution = &row.execution;
    let in_a_line = |parts: &[String]| (!parts.is_empty()).then(|| parts.join("; "));
    let prediction = match (&planned.on_model, &execution.modelled) {
        (Some(on_model), Some(modelled)) => predicted(row, on_model, modelled),
        _ => LabPrediction::Unpredicted(Box::new(UnpredictedKeys {
            absent: WithoutConfiguration,
            workload: workload_part(&planned.workload),
            assumed: planned.assumed.clone(),
            notes: planned.notes.clone(),
        })),
    };
    let simulated = execution.modelled.as_ref().map(|modelled| &modelled.simulated);
    LabRun {
        name: planned.name.clone(),
        from: planned.from.clone(),
        changed: planned.changed(),
        changes: planned.changes.iter().map(change_part).collect(),
        published: planned.published.as_ref().map(published_part),
        no_figure: planned.no_figure.clone(),
        verdict: row.verdict.name().to_string(),
        would_need: in_a_line(&row.would_need),
        beyond: in_a_line(&row.beyond),
        band: row.band.as_ref().map(band_part),
        prediction,
        simulated: simulated.map(reached_part),
        per_second: simulated.and_then(|simulated| simulated.per_second).map(seconds_part),
        real_time: execution.real_time.as_ref().map(reached_part),
        targets: planned.targets.clone(),
        measured: execution.measured.as_ref().map(measured_part),
        measured_to_predicted: row.measured_to_predicted().map(|share| Share::with_decimals(share, 4)),
        rehearsed: execution.rehearsed.as_ref().map(reached_part),
        price: planned.price.as_ref().map(price_part),
        note: planned.note.clone(),
    }
}

/// The keys of `predict`, with what the publication does not say among the assumptions.
fn predicted(row: &Row, on_model: &OnModel, modelled: &ModelRun) -> LabPrediction {
    let planned = &row.run;
    let OnModel { machine, resolved, workload } = on_model;
    let stages =
        [Stage { workload: workload.clone(), prediction: modelled.prediction.clone(), cluster: None }];
    let mut keys = predict_keys(&Predicted {
        configuration: &machine.configuration,
        resolved,
        cache: machine.cache,
        age: machine.age,
        stages: &stages,
        notes: &planned.notes,
        wording: Wording::Plain,
        published: None,
        price: None,
    });
    keys.assumed.splice(0..0, planned.assumed.iter().cloned());
    LabPrediction::Predicted(Box::new(keys))
}

fn change_part(change: &Change) -> ChangePart {
    ChangePart { what: change.what.clone(), from: change.from.clone(), to: change.to.clone() }
}

fn published_part(published: &Published) -> PublishedPart {
    // A single key of a range can only be its middle.
    let middle_of = |is_throughput: bool| {
        let range = published.range.filter(|_| published.is_range())?;
        (range.is_throughput == is_throughput).then(|| f64::midpoint(range.low.value, range.high.value))
    };
    let or_middle = |figure: Option<Figure>, is_throughput: bool| {
        figure.map(|figure| figure.value).or_else(|| middle_of(is_throughput))
    };
    let end = |figure: Figure| Amount::with_decimals(figure.value, 2);
    PublishedPart {
        iops: or_middle(published.iops, false).map(Iops::of),
        throughput_bytes_per_s: or_middle(published.throughput_bytes_per_s, true)
            .map(|rate| BytesPerSecond::with_decimals(rate, 2)),
        latency_us: published.latency_us.map(|figure| Microseconds::of(figure.value)),
        source: published.source.clone(),
        low: published.range.map(|range| end(range.low)),
        high: published.range.map(|range| end(range.high)),
        is_range: published.is_range(),
        text: published.text.clone(),
    }
}

fn band_part(band: &Band) -> LabBand {
    LabBand {
        low_iops: Iops::of(band.low),
        high_iops: Iops::of(band.high),
        low_throughput_bytes_per_s: BytesPerSecond::of(band.low * band.block),
        high_throughput_bytes_per_s: BytesPerSecond::of(band.high * band.block),
    }
}

fn reached_part(reached: &Reached) -> ReachedPart {
    ReachedPart {
        iops: Iops::of(reached.iops),
        throughput_bytes_per_s: BytesPerSecond::of(reached.throughput_bytes_per_s),
        latency_us: reached.latency.as_ref().map(latency_part),
        per_second: reached.per_second.map(seconds_part),
        hit_rate: reached.hit_rate.map(Share::of),
        binding: reached.binding.first().map(ToString::to_string),
        bindings: reached.binding.iter().map(ToString::to_string).collect(),
        seconds: Seconds::with_decimals(reached.seconds, 3),
        late_us: reached.late.map(|late| Microseconds::of(late.us_f64())),
        id: reached.id.clone(),
    }
}

/// The figures of a real run, with what was found about the run itself.
fn measured_part(measured: &RealRun) -> MeasuredPart {
    MeasuredPart { reached: reached_part(&measured.reached), checks: measured.checks.clone() }
}

fn latency_part(latency: &Latency) -> ReachedLatency {
    let us = |value: Option<f64>| value.map(Microseconds::of);
    ReachedLatency {
        mean: us(latency.mean),
        p50: us(latency.p50),
        p90: us(latency.p90),
        p95: us(latency.p95),
        p99: us(latency.p99),
        max: us(latency.max),
    }
}

fn seconds_part(seconds: PerSecond) -> SecondsPart {
    SecondsPart { min: Iops::of(seconds.min), max: Iops::of(seconds.max) }
}

fn price_part(price: &iobound_catalog::Price) -> LabPrice {
    let money = |usd: iobound_catalog::Usd| Usd::with_decimals(usd.as_f64(), 2);
    LabPrice {
        month: price.per_month.map(money),
        known: money(price.known_per_month),
        currency: price.currency.to_string(),
        as_of: price.as_of.clone(),
        unknown: price.unknown.clone(),
    }
}
