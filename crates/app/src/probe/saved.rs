//! The configuration file of a probe. A probe that ended early is saved with its assumptions in place of what is missing.

use iobound_catalog::{PROBED, ProbedAssumption, ProbedCache, ProbedDisk, ProbedLatency, ProbedLimit};
use iobound_probe::{Accounting, Answer, Counts, Enforcement, FoundLatency, FoundLimit, Scope, TargetAnswer};

use crate::Failure;

/// The file: a machine of probed disks, and what was measured of each.
///
/// # Errors
/// Neither a latency nor a limit of a target is known.
pub(super) fn configuration(answer: &Answer) -> Result<String, Failure> {
    let disks = disks(answer)?;
    let mut text = format!(
        "# What `iobound probe` measured. Every verb reads it: iobound predict --config FILE\n\n[machine]\nvm = \"{PROBED}\"\n"
    );
    for ProbedDisk { name, .. } in &disks {
        text.push_str(&format!("\n[[disk]]\nname = \"{name}\"\ndisk = \"{name}\"\n"));
    }
    text.push('\n');
    text.push_str(&ProbedDisk::tables(&disks));
    Ok(text)
}

/// Assumptions of the file, a sentence each.
pub(super) fn assumptions(answer: &Answer) -> Vec<String> {
    let all = disks(answer).unwrap_or_default().into_iter().flat_map(|disk| disk.assumed);
    all.map(|assumed| format!("{} {}", assumed.what, assumed.value)).collect()
}

fn disks(answer: &Answer) -> Result<Vec<ProbedDisk>, Failure> {
    let names = names(answer);
    answer
        .targets
        .iter()
        .zip(&names)
        .enumerate()
        .map(|(at, (target, name))| disk(answer, at, target, name))
        .collect()
}

/// Names of the disks that a `--disk` can have: the last part of each path, unique.
fn names(answer: &Answer) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(answer.targets.len());
    for target in &answer.targets {
        let last = target.name.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
        let mut name: String = last
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
            .take(40)
            .collect();
        // A count stands before a disk: a name begins with a letter.
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name = format!("disk-{name}").trim_end_matches('-').to_string();
        }
        let reserved = ["temp", "local", "nvme"].contains(&name.to_ascii_lowercase().as_str());
        let base = if reserved { format!("disk-{name}") } else { name };
        let taken = |name: &str| names.iter().any(|other| other.eq_ignore_ascii_case(name));
        let free = (1..).map(|n| if n == 1 { base.clone() } else { format!("{base}-{n}") });
        names.push(free.into_iter().find(|name| !taken(name)).unwrap_or_default());
    }
    names
}

fn disk(answer: &Answer, at: usize, target: &TargetAnswer, name: &str) -> Result<ProbedDisk, Failure> {
    let Some(read) = latency(&target.latencies, false).or_else(|| unloaded(target)) else {
        return Err(Failure::input(format!(
            "{}: neither a latency nor a limit was measured, so there is nothing to save",
            target.name
        ))
        .help(match answer.starved {
            Some(_) => "keep other work off this machine, and probe again",
            None => "give a longer --budget, or let the probe go on",
        }));
    };
    let limits = answer.limits.iter().enumerate().filter(|(_, limit)| limit.targets.contains(&at));
    Ok(ProbedDisk {
        name: name.to_string(),
        size: target.size,
        read,
        write: latency(&target.latencies, true),
        cache: target.cache.map(|cache| ProbedCache {
            size: cache.size.map_or(cache.at_least, |size| size.value as u64),
            hit: ProbedLatency { mean_us: cache.hit.value * 1e6, floor: read.floor, per_kib_us: 0.0 },
        }),
        limit: limits.map(|(number, found)| limit(answer, number, found, target)).collect(),
        assumed: assumed(answer, at, target, name, read),
    })
}

/// The latency of the depth ramp, for a probe that ended before it measured latencies.
fn unloaded(target: &TargetAnswer) -> Option<ProbedLatency> {
    let mean_us = target.unloaded.filter(|latency| *latency > 0.0)? * 1e6;
    Some(ProbedLatency { mean_us, floor: 0.8, per_kib_us: 0.0 })
}

/// Assumptions in place of what the probe did not measure.
fn assumed(
    answer: &Answer,
    at: usize,
    target: &TargetAnswer,
    name: &str,
    read: ProbedLatency,
) -> Vec<ProbedAssumption> {
    let mut all = Vec::new();
    let mut assume = |what: &str, value: String, why: &str| {
        all.push(ProbedAssumption { what: format!("{what} of {name}"), value, why: why.into() });
    };
    let reads = || target.latencies.iter().filter(|latency| !latency.is_write);
    if reads().all(|latency| latency.block != 4_096) {
        assume(
            "read latency",
            format!("{:.0} us", read.mean_us),
            "the probe ended before it measured latencies: this is the median at queue depth 1, which may be 25 % off",
        );
    }
    if reads().count() < 2 {
        assume("latency of larger I/Os", "as of 4 KiB".into(), "the probe ended before it measured them");
    }
    if target.latencies.iter().all(|latency| !latency.is_write) {
        assume("limits on writes", "those of reads".into(), "the probe was read-only");
    }
    // The rate of a ramp that reached nothing is zero.
    let [small, large] = target.ramps_ended;
    if !small || target.reached_iops == 0.0 {
        assume("limit in IOPS", "none".into(), "the probe ended before it looked for one");
    }
    if !large || target.reached_bytes == 0.0 {
        assume("throughput limit", "none".into(), "the probe ended before it looked for one");
    }
    if target.accounting.is_none() {
        assume("charge of a large I/O", "one".into(), "the probe ended before it measured it");
    }
    if let Some(cache) = target.cache.filter(|cache| cache.size.is_none()) {
        assume(
            "cache size",
            iobound_units::Bytes(cache.at_least).to_string(),
            "the cache held all that the probe read: it may be larger",
        );
    }
    for limit in answer.limits.iter().filter(|limit| limit.targets == [at]) {
        let (of, rate, size) = match limit.counts {
            Counts::Ios => ("IOPS", "IOPS", "I/Os"),
            Counts::Bytes => ("throughput", "bytes/s", "bytes"),
        };
        let of = format!("{of} burst of {}", limit.scope.name());
        let Some(burst) = limit.burst else { continue };
        if burst.per_second.is_at_least() {
            assume(
                &format!("rate of the {of}"),
                format!("{:.0} {rate}", burst.per_second.value),
                "the probe reached no more: the burst may be faster",
            );
        }
        if burst.size.is_at_least() {
            assume(
                &format!("credits of the {of}"),
                format!("{:.0} {size}", burst.size.value),
                "the probe saw no more, and does not know how full they were when it began",
            );
        }
    }
    for limit in answer.limits.iter().filter(|limit| limit.targets == [at] && limit.burst.is_none()) {
        let what = match limit.counts {
            Counts::Ios => "limit in IOPS after a burst",
            Counts::Bytes => "throughput limit after a burst",
        };
        if limit.scope != Scope::Hits {
            assume(
                what,
                "the same".into(),
                &format!("the limit was loaded for {} and did not fall", limit.watched),
            );
        }
    }
    all
}

/// Mean of 4 KiB, and the slope to the largest size, by least squares.
fn latency(all: &[FoundLatency], is_write: bool) -> Option<ProbedLatency> {
    let own: Vec<&FoundLatency> = all.iter().filter(|latency| latency.is_write == is_write).collect();
    let small = own.iter().find(|latency| latency.block == 4_096)?;
    let beyond = |latency: &&FoundLatency| f64::from(latency.block - small.block) / 1024.0;
    let over = |latency: &&FoundLatency| latency.mean.value - small.mean.value;
    let square: f64 = own.iter().map(|latency| beyond(latency).powi(2)).sum();
    let product: f64 = own.iter().map(|latency| beyond(latency) * over(latency)).sum();
    let slope = if square > 0.0 { (product / square).max(0.0) } else { 0.0 };
    Some(ProbedLatency {
        mean_us: small.mean.value * 1e6,
        floor: (small.floor / small.mean.value).clamp(0.0, 1.0),
        per_kib_us: slope * 1e6,
    })
}

fn limit(answer: &Answer, number: usize, found: &FoundLimit, target: &TargetAnswer) -> ProbedLimit {
    let has_writes = answer.limits.iter().any(|other| {
        other.scope == Scope::Writes && other.counts == found.counts && other.targets == found.targets
    });
    let of = match found.scope {
        Scope::Hits => "hits",
        Scope::Writes => "writes",
        Scope::Reads if has_writes => "reads",
        // Where writes were not measured they are taken to share the limit.
        Scope::Reads | Scope::Both => "all",
    };
    let (slice, bucket) = match found.enforcement {
        Enforcement::Slice { length, .. } => (Some(length.value * 1e3), None),
        Enforcement::Bucket { depth } if depth.value >= 0.001 => (None, Some(depth.value * 1e3)),
        Enforcement::Bucket { .. } | Enforcement::Unresolved => (None, None),
    };
    let value = found.per_second.value.max(1.0);
    let unit = match (found.counts, target.merges_up_to, target.accounting) {
        (Counts::Ios, _, Some(Accounting::Unit(unit))) => Some(unit.get()),
        (Counts::Ios, Some(merged), _) => Some(merged.get()),
        _ => None,
    };
    ProbedLimit {
        counts: match found.counts {
            Counts::Ios => "ios".into(),
            Counts::Bytes => "bytes".into(),
        },
        of: of.into(),
        per_second: value,
        low: found.per_second.low.clamp(1.0, value),
        high: found.per_second.high.max(value),
        unit,
        merges: found.counts == Counts::Ios && target.merges_up_to.is_some(),
        slice_ms: slice,
        bucket_ms: bucket,
        burst_per_second: found.burst.map(|burst| burst.per_second.value),
        burst_size: found.burst.map(|burst| burst.size.value.max(1.0)),
        shared: (found.targets.len() > 1).then(|| format!("limit-{}", number + 1)),
    }
}
