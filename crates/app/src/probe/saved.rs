//! The configuration file of a probe.

use iobound_catalog::{PROBED, ProbedCache, ProbedDisk, ProbedLatency, ProbedLimit};
use iobound_probe::{Accounting, Answer, Counts, Enforcement, FoundLatency, FoundLimit, Scope, TargetAnswer};

use crate::Failure;

/// The file: a machine of probed disks, and what was measured of each.
pub(super) fn configuration(answer: &Answer) -> Result<String, Failure> {
    let names = names(answer);
    let mut disks = Vec::with_capacity(names.len());
    for (at, (target, name)) in answer.targets.iter().zip(&names).enumerate() {
        disks.push(disk(answer, at, target, name)?);
    }
    let mut text = format!(
        "# What `iobound probe` measured. Every verb reads it: iobound predict --config FILE\n\n[machine]\nvm = \"{PROBED}\"\n"
    );
    for name in &names {
        text.push_str(&format!("\n[[disk]]\nname = \"{name}\"\ndisk = \"{name}\"\n"));
    }
    text.push('\n');
    text.push_str(&ProbedDisk::tables(&disks));
    Ok(text)
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
    let Some(read) = latency(&target.latencies, false) else {
        return Err(Failure::input(format!(
            "{}: the latency was not measured, so there is nothing to save",
            target.name
        ))
        .mend("give a longer --budget, or let the probe go on"));
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
    })
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
