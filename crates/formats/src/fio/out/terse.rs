//! The terse line: a job's figures with semicolons between them, by position. Version 3 has 130 fields with one
//! device; versions 4 and 5 have trims, 5 the samples of bandwidth and IOPS too. Latencies are in µs, bandwidth in
//! KiB/s. HOWTO of fio, "Terse output".

use super::FioReport;
use super::direction::DirectionReport;
use super::distribution::{depths, shares};
use super::entry::Entry;
use super::group::{DiskCounts, GroupDirection};
use super::json::percent;
use super::spread::{Latency, Spread};
use crate::fio::{JobReporting, Unified};

/// Fields for percentiles, used or not.
const PERCENTILES: usize = 20;

/// A line for each entry.
pub(super) fn terse(report: &FioReport<'_>) -> String {
    let line = |entry: &Entry<'_>| {
        let mut fields = fields(report, entry);
        fields.extend(entry.asked.description.clone());
        fields.join(";") + "\n"
    };
    report.entries.iter().map(line).collect()
}

fn fields(report: &FioReport<'_>, entry: &Entry<'_>) -> Vec<String> {
    let version = report.reporting.terse_version;
    let group = report.group(entry.group);
    let mut out = vec![version.to_string(), report.version(), entry.job.name.clone()];
    out.extend([entry.group.to_string(), entry.error.to_string()]);
    let trims = version >= 4;
    let shown = match entry.asked.unified {
        Unified::Mixed => 1,
        _ => 2 + usize::from(trims),
    };
    for (one, all) in entry.directions.iter().zip(&group.directions).take(shown) {
        direction(one, all, entry.asked, version, &mut out);
    }
    if let Some(mixed) = &entry.mixed {
        direction(mixed, &group.all(), entry.asked, version, &mut out);
    }
    let of_runtime = |span: iobound_units::Span| percent(span.ns() as f64 / 1e6, entry.runtime_ms);
    out.push(format!("{:.6}%", of_runtime(entry.usage.user)));
    out.push(format!("{:.6}%", of_runtime(entry.usage.system)));
    let usage = &entry.usage;
    out.extend([usage.context_switches, usage.major_faults, usage.minor_faults].map(|n| n.to_string()));
    let levels = depths(&entry.batches.outstanding);
    out.extend(shares(&levels, levels.iter().sum(), 0.1).map(|share| format!("{share:.1}%")));
    // The classes below a microsecond are in the first of microseconds.
    let mut us = shares(&entry.distribution.us, entry.ios(), 0.01);
    us[0] += percent(entry.distribution.ns.iter().sum::<u64>() as f64, entry.ios());
    out.extend(us.map(|share| format!("{share:.2}%")));
    out.extend(shares(&entry.distribution.ms, entry.ios(), 0.01).map(|share| format!("{share:.2}%")));
    for disk in &report.disks {
        out.push(disk.name.clone());
        counts(&disk.counts, &mut out);
        if let Some(parts) = &disk.parts {
            out.push("slaves".to_string());
            counts(parts, &mut out);
        }
    }
    out
}

fn counts(counts: &DiskCounts, out: &mut Vec<String>) {
    let pairs = [counts.ios, counts.merges, counts.ticks_ms];
    out.extend(pairs.into_iter().flatten().map(|number| number.to_string()));
    out.push(counts.in_queue_ms.to_string());
    out.push(format!("{:.2}%", counts.busy));
}

fn direction(
    one: &DirectionReport,
    all: &GroupDirection,
    asked: &JobReporting,
    version: u8,
    out: &mut Vec<String>,
) {
    let figures = [one.bytes / 1024, one.bytes_per_second() / 1024, one.whole_iops(), one.runtime_ms];
    out.extend(figures.map(|figure| figure.to_string()));
    latency(&one.slat.spread, out);
    latency(&one.clat.spread, out);
    percentiles(one, asked, out);
    latency(&one.lat.spread, out);
    let Spread { samples, min, max, mean, .. } = one.bw;
    let share = if samples == 0 { 0.0 } else { all.share(mean) };
    out.extend([min.to_string(), max.to_string(), format!("{share:.6}%")]);
    out.extend([mean, one.bw.deviation()].map(|figure| format!("{figure:.6}")));
    if version == 5 {
        let Spread { samples: iops_samples, min, max, mean, .. } = one.iops;
        out.extend([samples, min, max].map(|figure| figure.to_string()));
        out.extend([mean, one.iops.deviation()].map(|figure| format!("{figure:.6}")));
        out.push(iops_samples.to_string());
    }
}

/// Extremes in whole µs, mean and deviation with six decimals.
fn latency(spread: &Spread, out: &mut Vec<String>) {
    out.extend([spread.min, spread.max].map(|ns| (ns / 1000).to_string()));
    out.extend([spread.mean, spread.deviation()].map(|ns| format!("{:.6}", ns / 1e3)));
}

fn percentiles(one: &DirectionReport, asked: &JobReporting, out: &mut Vec<String>) {
    let of: Option<&Latency> = match asked {
        JobReporting { lat_percentiles: true, .. } => Some(&one.lat),
        JobReporting { clat_percentiles: true, .. } => Some(&one.clat),
        _ => None,
    };
    let values = of.map(|latency| latency.percentiles(&asked.percentiles)).unwrap_or_default();
    let named = asked.percentiles.iter().zip(&values);
    out.extend(named.map(|(percent, ns)| format!("{percent:.6}%={}", ns / 1000)));
    out.extend((values.len()..PERCENTILES).map(|_| "0%=0".to_string()));
}
