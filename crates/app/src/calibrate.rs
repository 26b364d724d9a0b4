//! The latency of the media from a result: only where the result can tell.

use iobound_catalog::{CacheSetting, MediaOverride, Resolved};
use iobound_measure::RunResult;
use iobound_measure::result::{Figures, LoopLabel, SCHEMA};
use iobound_model::Dimension;
use iobound_units::Span;
use serde_json::Value;

/// More outstanding I/Os than this on each disk, and latency may be a queue's.
const DEEPEST: f64 = 16.0;
/// A limit used more than this holds I/Os back now and then.
const FULL: f64 = 0.9;

/// The media latencies of a result on these disks, and what to say about them; else why it can't tell.
pub(crate) fn media_of(text: &str, resolved: &Resolved) -> Result<(MediaOverride, String), String> {
    let result = result_of(text)?;
    if resolved.disks.iter().any(|disk| disk.cache != CacheSetting::None) {
        return Err(
            "the configuration has a host cache, and a result does not separate its hits from its misses"
                .into(),
        );
    }
    below_every_limit(&result, resolved)?;
    let directions = [&result.by_operation.read, &result.by_operation.write];
    let disks = resolved.disks.len().max(1) as f64;
    let mut outstanding = 0.0;
    let mut means = [None; 2];
    for (slot, figures) in means.iter_mut().zip(directions) {
        let Some(figures) = figures else { continue };
        let Some(mean) = service(figures, &result)? else { continue };
        outstanding += figures.iops.unwrap_or(0.0) * mean / 1e6;
        *slot = Some(at_4_kib(mean, figures, resolved)?);
    }
    // By Little's law, whatever the result says of its depth.
    let deepest = (outstanding / disks).max(result.depth.and_then(|d| d.achieved).unwrap_or(0.0) / disks);
    if deepest > DEEPEST {
        return Err(format!(
            "{deepest:.0} I/Os were outstanding on each disk on average: at this depth, latency comes from queueing, not from the media"
        ));
    }
    let span = |us: f64| Span::from_ns((us * 1e3).round() as u64);
    let media = MediaOverride { read: means[0].map(span), write: means[1].map(span) };
    let words: Vec<String> = [("read", media.read), ("write", media.write)]
        .into_iter()
        .filter_map(|(name, mean)| mean.map(|mean| format!("{name} {mean}")))
        .collect();
    if words.is_empty() {
        return Err("the result has no mean latency of reads or writes".into());
    }
    Ok((media, words.join(", ")))
}

/// The result, or what the file is instead.
fn result_of(text: &str) -> Result<RunResult, String> {
    let wanted = format!("give a result of measured I/O: a JSON document with schema {SCHEMA}");
    if text.trim().is_empty() {
        return Err(format!("the file is empty: {wanted}"));
    }
    let document: Value =
        serde_json::from_str(text).map_err(|error| format!("the file is not JSON ({error}): {wanted}"))?;
    match document.get("schema").and_then(Value::as_str) {
        Some(SCHEMA) => serde_json::from_value(document)
            .map_err(|error| format!("it cannot be read as {SCHEMA}: {error}")),
        Some(other) => {
            let verb = other.strip_prefix("iobound.").and_then(|rest| rest.split('/').next());
            let what = match verb {
                Some("result") => format!("the document has another schema version, {other}"),
                Some("predict" | "lab") => {
                    format!("the document is a prediction ({other}), not a measurement")
                }
                _ => format!("the document's schema is {other}"),
            };
            Err(format!("{what}: {wanted}"))
        }
        None => Err(format!("the document has no schema: {wanted}")),
    }
}

/// The mean from issue to completion, in µs.
fn service(figures: &Figures, result: &RunResult) -> Result<Option<f64>, String> {
    let Some(latency) = figures.latency_us else { return Ok(None) };
    if matches!(latency.label, Some(LoopLabel::Open | LoopLabel::Mixed)) {
        if result.never_issued.is_some_and(|never| never > 0) {
            return Err("the open loop was overloaded: some I/Os were never issued".into());
        }
        let service = figures.service_us.and_then(|service| service.mean);
        let waited = latency.mean.zip(service).is_some_and(|(response, service)| response > 1.5 * service);
        if waited {
            return Err("the open loop was overloaded: I/Os waited before they were issued".into());
        }
        return Ok(service.or(latency.mean));
    }
    Ok(latency.mean)
}

/// The mean less the time for what is beyond 4 KiB.
fn at_4_kib(mean: f64, figures: &Figures, resolved: &Resolved) -> Result<f64, String> {
    let (Some(bytes), Some(ios)) = (figures.throughput_bytes_per_s, figures.iops) else { return Ok(mean) };
    let kib = bytes / ios.max(1e-9) / 1024.0;
    let per_kib =
        resolved.blueprint.disks.first().map_or(Span::ZERO, |disk| disk.media.read.per_kib).us_f64();
    let less = mean - per_kib * (kib - 4.0).max(0.0);
    if less < mean / 2.0 {
        return Err(format!("the I/Os are {kib:.0} KiB on average: most of the latency is transfer time"));
    }
    Ok(less)
}

/// Latency at a limit is a queue's.
fn below_every_limit(result: &RunResult, resolved: &Resolved) -> Result<(), String> {
    let used = [result.total.iops, result.total.throughput_bytes_per_s];
    let groups: Vec<&str> =
        resolved.blueprint.limiters.iter().map(|limiter| limiter.name.group.as_str()).collect();
    for group in groups {
        for dimension in Dimension::ALL {
            let limiters = resolved.blueprint.limiters.iter().filter(|limiter| limiter.name.group == group);
            let limits: Option<Vec<f64>> = limiters
                .map(|limiter| limiter.limit(dimension).map(|limit| limit.published as f64))
                .collect();
            let Some(limit) = limits.map(|limits| limits.iter().sum::<f64>()) else { continue };
            let Some(used) = used[dimension as usize].filter(|used| *used > FULL * limit) else { continue };
            let name = iobound_report::limit_title(&format!("{group}.{}", dimension.name()), 1);
            return Err(format!(
                "it reached {:.0} % of the limit {name} of this configuration: at that load, latency comes from queueing, not from the media",
                used / limit * 100.0
            ));
        }
    }
    Ok(())
}
