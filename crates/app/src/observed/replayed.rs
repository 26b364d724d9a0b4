use iobound_documents::{Quantity, ReplayDocument, TraceLatency};
use iobound_measure::RunResult;
use iobound_measure::result::{ByOperation, Figures, Latency, LoopLabel, Source};

/// The answer of `predict --trace` as a result, to be compared with a run of the same trace.
///
/// # Errors
/// Returns an error if the text is not such a document.
pub(super) fn result_of_replay(text: &str) -> Result<RunResult, String> {
    let replay: ReplayDocument = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let total = Figures {
        iops: Some(replay.iops.value()),
        throughput_bytes_per_s: Some(replay.throughput_bytes_per_s.value()),
        ..figures(replay.latency.as_ref())
    };
    let of = |latency: &Option<TraceLatency>| latency.as_ref().map(|latency| figures(Some(latency)));
    let by_operation = ByOperation {
        read: of(&replay.read_latency),
        write: of(&replay.write_latency),
        ..ByOperation::default()
    };
    Ok(RunResult {
        engine: Some("model".into()),
        device: Some(format!("{} with {}", replay.vm, replay.disks.join(" "))),
        total,
        by_operation,
        notes: replay.notes,
        ..RunResult::new(Source::Simulated)
    })
}

fn figures(latency: Option<&TraceLatency>) -> Figures {
    let Some(latency) = latency else { return Figures::default() };
    // A percentile that fewer than ten I/Os exceed tells little.
    let shown = |above: f64, us: f64| (latency.ios as f64 * above >= 10.0).then_some(us);
    Figures {
        ios: Some(latency.ios),
        latency_us: Some(Latency {
            label: Some(LoopLabel::Open),
            mean: Some(latency.mean_us.value()),
            p50: shown(0.5, latency.p50_us.value()),
            p90: shown(0.1, latency.p90_us.value()),
            p95: shown(0.05, latency.p95_us.value()),
            p99: shown(0.01, latency.p99_us.value()),
            p99_9: shown(0.001, latency.p999_us.value()),
            max: Some(latency.max_us.value()),
            ..Latency::default()
        }),
        ..Figures::default()
    }
}
