//! The document of a probe.

use iobound_documents::{
    Amount, Microseconds, ProbeCost, ProbeDeviceWrites, ProbeDocument, ProbeEnding, ProbeLimit, ProbeNoise,
    ProbeOffer, ProbeRampPoint, ProbedCachePart, ProbedLatencyPart, ProbedSize, ProbedTarget, Seconds, Share,
    Version, rounded,
};
use iobound_probe::{Accounting, Counts, Ending, Enforcement, FoundLimit, TargetAnswer};
use iobound_units::Bytes;

use super::{MatchingOffer, ProbeScreen};

/// The document of a probe.
pub fn probe_document(screen: &ProbeScreen<'_>) -> ProbeDocument {
    let answer = screen.answer;
    let names: Vec<&str> = answer.targets.iter().map(|target| target.name.as_str()).collect();
    ProbeDocument {
        schema: Version::default(),
        ending: match &answer.ending {
            Ending::Complete => ProbeEnding::Complete,
            Ending::Budget => ProbeEnding::Budget,
            Ending::Stopped => ProbeEnding::Stopped,
            Ending::Starved => ProbeEnding::Starved,
            Ending::Failed(_) => ProbeEnding::Failed,
        },
        failure: match &answer.ending {
            Ending::Failed(why) => Some(why.clone()),
            _ => None,
        },
        targets: answer.targets.iter().map(target).collect(),
        limits: answer.limits.iter().map(|found| limit(found, &names)).collect(),
        offers: screen.offers.iter().map(offer).collect(),
        not_reached: answer.not_reached.clone(),
        open: answer.open.clone(),
        budget_for_open_s: answer.budget_for_open.map(|budget| Seconds::of(budget.secs_f64())),
        client_got: answer.starved.map(Share::of),
        noise: answer
            .noise
            .map(|noise| ProbeNoise { drift: Share::of(noise.drift), variation: Share::of(noise.variation) }),
        cost: ProbeCost {
            time_s: Seconds::of(answer.cost.time.secs_f64()),
            ios: answer.cost.ios,
            read_bytes: answer.cost.read,
            written_bytes: answer.cost.written,
        },
        device_writes: screen
            .device_writes
            .map(|writes| ProbeDeviceWrites { devices: writes.devices.clone(), bytes: writes.bytes }),
    }
}

fn us(seconds: f64) -> Microseconds {
    Microseconds::of(seconds * 1e6)
}

fn target(found: &TargetAnswer) -> ProbedTarget {
    ProbedTarget {
        name: found.name.clone(),
        size_bytes: found.size,
        latencies: found
            .latencies
            .iter()
            .map(|latency| ProbedLatencyPart {
                is_write: latency.is_write,
                block_bytes: latency.block,
                floor_us: us(latency.floor),
                mean_us: us(latency.mean.value),
                mean_low_us: us(latency.mean.low),
                mean_high_us: us(latency.mean.high),
                p99_us: us(latency.p99),
                ios: latency.count as u64,
            })
            .collect(),
        charge: found.accounting.map(charge_text),
        unit_bytes: match found.accounting {
            Some(Accounting::Unit(unit)) => Some(unit.get()),
            _ => None,
        },
        merges_up_to_bytes: found.merges_up_to.map(Bytes::get),
        sizes: found
            .sizes
            .iter()
            .map(|point| ProbedSize { block_bytes: point.block, iops: rounded(point.iops, 2) })
            .collect(),
        cache: found.cache.map(|cache| ProbedCachePart {
            hit_us: us(cache.hit.value),
            size_bytes: cache.size.map(|size| size.value as u64),
            at_least_bytes: cache.at_least,
        }),
        reached_iops: rounded(found.reached_iops, 2),
        reached_bytes_per_s: rounded(found.reached_bytes, 0),
    }
}

/// The charge of large I/Os in words.
pub(super) fn charge_text(accounting: Accounting) -> String {
    match accounting {
        Accounting::EachUpTo(size) => format!("an I/O of up to {size} counts as one"),
        Accounting::Unit(unit) => format!("an I/O counts as one for each begun {unit}"),
        Accounting::HiddenFrom(size) => {
            format!(
                "an I/O counts as one; from {size} on the throughput limit is lower, so that larger units are not seen"
            )
        }
        Accounting::NoLimit => "no limit on I/Os per second was seen, so that nothing is charged".into(),
    }
}

fn limit(found: &FoundLimit, names: &[&str]) -> ProbeLimit {
    let (enforcement, length, correlation) = match found.enforcement {
        Enforcement::Slice { length, correlation, .. } => ("slice", Some(length), Some(correlation)),
        Enforcement::Bucket { depth } => ("bucket", Some(depth), None),
        Enforcement::Unresolved => ("unresolved", None, None),
    };
    ProbeLimit {
        counts: counts_word(found.counts).into(),
        of: found.scope.name().into(),
        targets: found.targets.iter().map(|at| names[*at].to_string()).collect(),
        per_second: Amount::of(found.per_second.value),
        low: Amount::of(found.per_second.low),
        high: Amount::of(found.per_second.high),
        enforcement: enforcement.into(),
        enforcement_s: length.map(|length| Seconds::of(length.value)),
        enforcement_low_s: length.map(|length| Seconds::of(length.low)),
        enforcement_high_s: length.map(|length| Seconds::of(length.high)),
        correlation: correlation.map(Share::of),
        burst_per_second: found.burst.map(|burst| Amount::of(burst.per_second.value)),
        burst_is_at_least: found.burst.map(|burst| burst.per_second.is_at_least()),
        burst_size: found.burst.map(|burst| Amount::of(burst.size.value)),
        burst_size_is_at_least: found.burst.map(|burst| burst.size.is_at_least()),
        watched_s: Seconds::of(found.watched.secs_f64()),
        misfit: found.evidence.misfit.map(Share::of),
        ramp: found
            .evidence
            .ramp
            .iter()
            .map(|point| ProbeRampPoint {
                depth: point.depth,
                iops: rounded(point.per_second, 2),
                mean_us: us(point.latency),
            })
            .collect(),
        staircase: found.evidence.staircase.clone(),
    }
}

/// `iops`, `throughput`.
pub(super) fn counts_word(counts: Counts) -> &'static str {
    match counts {
        Counts::Ios => "iops",
        Counts::Bytes => "throughput",
    }
}

fn offer(found: &MatchingOffer) -> ProbeOffer {
    ProbeOffer {
        name: found.name.clone(),
        because: found.because.clone(),
        difference: Share::of(found.difference),
        told_apart_by: found.told_apart_by.clone(),
    }
}
