//! Runs as the store has them, and their documents.

use iobound_documents::{BytesPerSecond, Iops, KeptRun, Microseconds, Seconds};
use iobound_results::{Kept, Query, Row, RunId, Store};
use iobound_units::parse_count;
use serde_json::Value;

use super::Place;
use crate::Failure;

/// The run of that id.
pub(super) fn kept_of(place: &Place, run: &str) -> Result<Kept, Failure> {
    let id = id_of(run)?;
    let store = place.to_read()?;
    store.get(id).map_err(|error| place.failed(&error))?.ok_or_else(|| missing(&store, &[id]))
}

/// The document of a run with its histograms and the latencies of its intervals, which it leaves to their tables.
pub(super) fn with_latencies(kept: Kept) -> Value {
    let mut document = kept.document;
    let whole = serde_json::to_value(&kept.result).unwrap_or_default();
    for key in ["jobs", "series"] {
        if let Some(value) = whole.get(key) {
            document.insert(key.into(), value.clone());
        }
    }
    iobound_documents::whole(Value::Object(document))
}

/// The document of a run with everything that is kept of it.
pub(super) fn whole_document(kept: Kept) -> Value {
    let (verb, configuration) = (kept.verb.clone(), kept.configuration.clone());
    let mut document = with_latencies(kept);
    if let Value::Object(keys) = &mut document {
        keys.insert("verb".into(), verb.into());
        keys.insert("configuration".into(), configuration.into());
    }
    document
}

pub(super) fn missing(store: &Store, ids: &[RunId]) -> Failure {
    let names: Vec<String> = ids.iter().map(RunId::to_string).collect();
    Failure::input(format!("there is no {} in {}", names.join(" and no "), store.path().display()))
        .help("`iobound results list` lists the kept runs")
}

pub(super) fn id_of(word: &str) -> Result<RunId, Failure> {
    word.parse().map_err(|why: String| Failure::input(why).help("`iobound results list` lists the kept runs"))
}

pub(super) fn limit_of(text: &str) -> Result<u64, Failure> {
    match parse_count(text) {
        Ok(0) => Err(Failure::input("--limit 0 selects no run").help("write 1 or more")),
        Ok(limit) => Ok(limit),
        Err(error) => Err(Failure::input(format!("--limit: {error}"))),
    }
}

pub(super) fn rows(store: &Store, query: &Query, place: &Place) -> Result<Vec<KeptRun>, Failure> {
    let rows = store.list(query).map_err(|error| place.failed(&error))?;
    Ok(rows.into_iter().map(shown).collect())
}

fn shown(row: Row) -> KeptRun {
    let count = |value: Option<i64>| value.and_then(|value| u64::try_from(value).ok());
    KeptRun {
        id: row.id.to_string(),
        first_of_command: row.first_of_command.to_string(),
        at: row.at,
        verb: row.verb,
        name: row.name,
        side: row.side,
        source: row.source,
        ended: row.ended,
        target: row.target,
        engine: row.engine,
        host: row.host,
        workload: row.workload,
        counted_s: row.counted_s.map(Seconds::of),
        depth_requested: count(row.depth_requested),
        iops: row.iops.map(Iops::of),
        throughput_bytes_per_s: row.throughput_bytes_per_s.map(BytesPerSecond::of),
        mean_us: row.mean_us.map(Microseconds::of),
        p50_us: row.p50_us.map(Microseconds::of),
        p99_us: row.p99_us.map(Microseconds::of),
        max_us: row.max_us.map(Microseconds::of),
        errors: count(row.errors),
    }
}
