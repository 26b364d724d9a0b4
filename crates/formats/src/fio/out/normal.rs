//! `--output-format=normal`: the text for people.

use std::fmt::Write;

use iobound_workload::{Job, Workload};

use super::FioReport;
use super::direction::DirectionReport;
use super::distribution::{MILLISECONDS, SMALL, batches, depths, shares};
use super::entry::{DIRECTIONS, Entry};
use super::group::{Disk, DiskCounts, Group, GroupDirection};
use super::json::percent;
use super::number::{Unit, prefixed, scaled_ns};
use super::spread::{Latency, Spread};
use super::steady::Steadiness;
use crate::date::ctime;
use crate::fio::{JobFile, JobReporting, Reporting};

/// Writing to a string does not fail.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => {
        write!($out, $($arguments)*).expect("memory takes all of it")
    };
}

/// A line for each job, the version, and how many threads start.
pub(super) fn opening(
    workloads: &[&Workload],
    threads: usize,
    file: &JobFile,
    reporting: &Reporting,
) -> String {
    let mut out = String::new();
    let jobs: Vec<(usize, &Job)> = workloads
        .iter()
        .enumerate()
        .flat_map(|(stage, workload)| workload.jobs.iter().map(move |job| (stage, job)))
        .collect();
    assert_eq!(jobs.len(), file.jobs.len(), "every section of the job file is a job of one stage");
    let (mut group, mut before) = (0, None);
    for ((stage, job), (section, asked)) in jobs.into_iter().zip(file.jobs.iter().zip(&reporting.jobs)) {
        if before.is_some_and(|before| before != stage || asked.new_group) {
            group += 1;
        }
        before = Some(stage);
        let text = |name: &str, default: &str| {
            section
                .settings
                .get(name)
                .and_then(|setting| setting.value.clone())
                .unwrap_or(default.to_string())
        };
        let blocks = DIRECTIONS.map(|(_, op)| {
            let of = |any: bool| {
                let mut sizes: Vec<u32> =
                    job.mix.iter().filter(|share| any || share.op == op).map(|share| share.block).collect();
                sizes.sort_unstable();
                sizes
            };
            // An operation that is not used shows the sizes of those that are.
            let sizes = Some(of(false)).filter(|sizes| !sizes.is_empty()).unwrap_or_else(|| of(true));
            let size = |bytes: Option<&u32>| {
                prefixed(u64::from(bytes.copied().unwrap_or(0)), 4, asked.kb_base == 1024, Unit::Byte)
            };
            format!("{}-{}", size(sizes.first()), size(sizes.last()))
        });
        let (iobound_workload::Load::Closed { depth, .. } | iobound_workload::Load::Open { depth, .. }) =
            job.load;
        put!(
            out,
            "{}: (g={group}): rw={}, bs=(R) {}, (W) {}, (T) {}, ioengine={}, iodepth={depth}\n",
            job.name,
            text("rw", "read"),
            blocks[0],
            blocks[1],
            blocks[2],
            text("ioengine", "psync")
        );
        if job.threads > 1 {
            out.push_str("...\n");
        }
    }
    put!(out, "{}\nStarting {threads} thread{}\n", super::LAYOUT, if threads == 1 { "" } else { "s" });
    out
}

/// The report.
pub(super) fn normal(report: &FioReport<'_>) -> String {
    let mut out = "\n".to_string();
    for entry in report.entries.iter().filter(|entry| entry.ios() > 0) {
        job(report, entry, &mut out);
    }
    for (number, group) in &report.groups {
        self::group(*number, group, &mut out);
    }
    if !report.disks.is_empty() {
        out.push_str("\nDisk stats (read/write):\n");
        report.disks.iter().for_each(|one| disk(one, &mut out));
    }
    out
}

fn job(report: &FioReport<'_>, entry: &Entry<'_>, out: &mut String) {
    let asked = entry.asked;
    let failed = if entry.error == 0 { "" } else { " (Input/output error)" };
    put!(
        out,
        "{}: (groupid={}, jobs={}): err={:>2}{failed}: pid={}: {}\n",
        entry.job.name,
        entry.group,
        entry.members,
        entry.error,
        entry.thread,
        ctime(report.ended_unix_ms())
    );
    if let Some(description) = &asked.description {
        put!(out, "  Description  : [{description}]\n");
    }
    let group = report.group(entry.group);
    for ((name, one), all) in entry.named().into_iter().zip(&group.directions) {
        direction(name, one, all, asked, out);
    }
    if let Some(mixed) = &entry.mixed {
        direction("mixed", mixed, &group.all(), asked, out);
    }
    let distribution = &entry.distribution;
    classes("nsec", &SMALL, &shares(&distribution.ns, entry.ios(), 0.01), out);
    classes("usec", &SMALL, &shares(&distribution.us, entry.ios(), 0.01), out);
    classes("msec", &MILLISECONDS, &shares(&distribution.ms, entry.ios(), 0.01), out);
    if entry.sync.spread.samples > 0 {
        out.push_str("  fsync/fdatasync/sync_file_range/syncfs:\n");
        times("sync", &entry.sync.spread, out);
        percentiles("sync", &entry.sync, asked, out);
    }
    let of_runtime = |span: iobound_units::Span| percent(span.ns() as f64 / 1e6, entry.runtime_ms);
    put!(
        out,
        "  cpu          : usr={:.2}%, sys={:.2}%, ctx={}, majf={}, minf={}\n",
        of_runtime(entry.usage.user),
        of_runtime(entry.usage.system),
        entry.usage.context_switches,
        entry.usage.major_faults,
        entry.usage.minor_faults
    );
    let levels = depths(&entry.batches.outstanding);
    seven("  IO depths    :", ["1", "2", "4", "8", "16", "32", ">=64"], &levels, out);
    let sizes = ["0", "4", "8", "16", "32", "64", ">=64"];
    seven("     submit    :", sizes, &batches(&entry.batches.submitted), out);
    seven("     complete  :", sizes, &batches(&entry.batches.completed), out);
    let ios = entry.directions.each_ref().map(|direction| direction.ios);
    put!(
        out,
        "     issued rwts: total={},{},{},{} short=0,0,0,0 dropped=0,0,0,0\n",
        ios[0],
        ios[1],
        ios[2],
        entry.sync.spread.samples
    );
    put!(
        out,
        "     latency   : target={}, window={}, percentile={:.2}%, depth={}\n",
        scaled_ns(asked.latency.map_or(0, |goal| goal.target.ns())),
        scaled_ns(asked.latency.map_or(0, |goal| goal.window.ns())),
        asked.latency.map_or(100.0, |goal| goal.percent),
        entry.depth
    );
    if let Some(steady) = &entry.steady {
        steadiness(steady, asked, out);
    }
}

fn steadiness(steady: &Steadiness, asked: &JobReporting, out: &mut String) {
    let (iops, bandwidth) = steady.means();
    let [rate, other_rate] = rates(bandwidth, asked);
    put!(
        out,
        "  steadystate  : attained={}, bw={rate} ({other_rate}), iops={}, {}{}={:.3}{}\n",
        if steady.attained { "yes" } else { "no" },
        prefixed(iops, asked.significant_figures, false, Unit::None),
        if steady.goal.of_iops { "iops" } else { "bw" },
        if steady.goal.by_slope { " slope" } else { " mean dev" },
        steady.criterion,
        if steady.goal.in_percent { "%" } else { "" }
    );
}

/// Bytes a second with both kinds of prefix, that of `kb_base` first.
fn rates(bytes_per_second: u64, asked: &JobReporting) -> [String; 2] {
    let unit = if asked.bits { Unit::BitPerSecond } else { Unit::BytePerSecond };
    both(bytes_per_second, asked, unit)
}

fn both(number: u64, asked: &JobReporting, unit: Unit) -> [String; 2] {
    let binary = asked.kb_base == 1024;
    [binary, !binary].map(|binary| prefixed(number, asked.significant_figures, binary, unit))
}

fn direction(
    name: &str,
    one: &DirectionReport,
    all: &GroupDirection,
    asked: &JobReporting,
    out: &mut String,
) {
    if one.ios == 0 {
        return;
    }
    let [rate, other_rate] = rates(one.bytes_per_second(), asked);
    let [moved, _] = both(one.bytes, asked, Unit::Byte);
    let iops = prefixed(one.whole_iops(), asked.significant_figures, false, Unit::None);
    put!(out, "  {name}: IOPS={iops}, BW={rate} ({other_rate})({moved}/{}msec)\n", one.runtime_ms);
    for (name, latency) in [("slat", &one.slat), ("clat", &one.clat), (" lat", &one.lat)] {
        times(name, &latency.spread, out);
    }
    let wanted = [
        (asked.slat_percentiles, "slat", &one.slat),
        (asked.clat_percentiles, "clat", &one.clat),
        (asked.lat_percentiles, "lat", &one.lat),
    ];
    for (_, name, latency) in wanted.into_iter().filter(|(wanted, ..)| *wanted) {
        percentiles(name, latency, asked, out);
    }
    if one.bw.samples > 0 {
        bandwidth(&one.bw, all.share(one.bw.mean), asked, out);
    }
    let Spread { samples, min, max, mean, .. } = one.iops;
    if samples > 0 {
        let deviation = one.iops.deviation();
        put!(
            out,
            "   iops        : min={min:>5}, max={max:>5}, avg={mean:5.2}, stdev={deviation:5.2}, samples={samples}\n"
        );
    }
}

/// The line of the samples of bandwidth, in KiB/s or, where the mean is large, MiB/s.
fn bandwidth(bw: &Spread, share: f64, asked: &JobReporting, out: &mut String) {
    let base = asked.kb_base as f64;
    let bits = if asked.bits { 8.0 } else { 1.0 };
    let large = bw.mean * bits > base * base;
    let divisor = if large { base } else { 1.0 };
    let unit = match (asked.bits, large, asked.kb_base == 1024) {
        (true, true, _) => "Mibit",
        (true, false, true) => "Kibit",
        (true, false, false) => "kbit",
        (false, true, _) => "MiB",
        (false, false, true) => "KiB",
        (false, false, false) => "kB",
    };
    let scaled = |value: f64| value * bits / divisor;
    put!(
        out,
        "   bw ({unit:>5}/s): min={:>5}, max={:>5}, per={share:.2}%, avg={:5.2}, stdev={:5.2}, samples={}\n",
        scaled(bw.min as f64) as u64,
        scaled(bw.max as f64) as u64,
        scaled(bw.mean),
        scaled(bw.deviation()),
        bw.samples
    );
}

/// The line of a latency, in the unit that suits all of its figures; nothing without values.
fn times(name: &str, spread: &Spread, out: &mut String) {
    if spread.samples == 0 {
        return;
    }
    let deviation = spread.deviation();
    let exceeds = |min: u64, max: u64, least: f64| spread.min > min && spread.max > max && deviation > least;
    let (unit, divisor) = if exceeds(2_000_000, 99_999_999, 1e6) {
        ("msec", 1_000_000)
    } else if exceeds(2_000, 99_999, 1e3) {
        ("usec", 1_000)
    } else {
        ("nsec", 1)
    };
    let whole = |ns: u64| prefixed(ns / divisor, 6, false, Unit::None);
    let (mean, deviation) = (spread.mean / divisor as f64, deviation / divisor as f64);
    put!(
        out,
        "    {name} ({unit}): min={}, max={}, avg={mean:5.2}, stdev={deviation:5.2}\n",
        whole(spread.min),
        whole(spread.max)
    );
}

/// The table of percentiles: as many in a line as 80 columns take.
fn percentiles(name: &str, latency: &Latency, asked: &JobReporting, out: &mut String) {
    let values = latency.percentiles(&asked.percentiles);
    let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) else { return };
    if latency.spread.samples == 0 {
        return;
    }
    let (unit, divisor, steps) = match (min, max) {
        (2_000_001.., 100_000_000..) => ("msec", 1_000_000, 2),
        (2_001.., 100_000..) => ("usec", 1_000, 1),
        _ => ("nsec", 1, 0),
    };
    let width = (max / divisor).to_string().len().max(5);
    let decimals = asked.percentile_decimals;
    let in_a_line = ((80 - 7) / (decimals + 10 + width)).max(1);
    put!(out, "    {name} percentiles ({unit}):\n");
    // Each step to a larger unit rounds up, as fio does.
    let shown = |ns: u64| (0..steps).fold(ns, |value, _| value.div_ceil(1000));
    let all: Vec<String> = asked
        .percentiles
        .iter()
        .zip(&values)
        .map(|(percent, ns)| format!(" {percent:>w$.decimals$}th=[{:>width$}]", shown(*ns), w = decimals + 3))
        .collect();
    let lines: Vec<String> = all.chunks(in_a_line).map(|line| format!("     |{}", line.join(","))).collect();
    put!(out, "{}\n", lines.join(",\n"));
}

/// The classes of a unit that are not empty, five in a line.
fn classes(unit: &str, ends: &[u64], shares: &[f64], out: &mut String) {
    let name = |index: usize| match ends.get(index) {
        Some(end) => format!("{end}="),
        None => format!(">={}=", ends[ends.len() - 1]),
    };
    let filled: Vec<String> = shares
        .iter()
        .enumerate()
        .filter(|(_, share)| **share > 0.0)
        .map(|(index, share)| format!("{}{share:.2}%", name(index)))
        .collect();
    for line in filled.chunks(5) {
        put!(out, "  lat ({unit})   : {}\n", line.join(", "));
    }
}

fn seven(label: &str, names: [&str; 7], counts: &[u64; 7], out: &mut String) {
    let shares = shares(counts, counts.iter().sum(), 0.1);
    let shown: Vec<String> =
        names.iter().zip(shares).map(|(name, share)| format!("{name}={share:.1}%")).collect();
    put!(out, "{label} {}\n", shown.join(", "));
}

fn group(number: usize, group: &Group<'_>, out: &mut String) {
    let Some(asked) = group.asked else { return };
    put!(out, "\nRun status group {number} (all jobs):\n");
    let mut line = |name: &str, direction: &GroupDirection| {
        if direction.longest_ms == 0 {
            return;
        }
        let [all, all_other] = rates(direction.aggregate, asked);
        let [slowest, slowest_other] = rates(direction.slowest, asked);
        let [fastest, fastest_other] = rates(direction.fastest, asked);
        let [moved, moved_other] = both(direction.bytes, asked, Unit::Byte);
        put!(
            out,
            "{name:>7}: bw={all} ({all_other}), {slowest}-{fastest} ({slowest_other}-{fastest_other}), \
             io={moved} ({moved_other}), run={}-{}msec\n",
            direction.shortest_ms,
            direction.longest_ms
        );
    };
    for (name, direction) in ["READ", "WRITE", "TRIM"].iter().zip(&group.directions) {
        line(if group.mixed { "MIXED" } else { name }, direction);
    }
    if group.both {
        line("MIXED", &group.all());
    }
}

fn disk(disk: &Disk, out: &mut String) {
    let indent = if disk.parts.is_some() { "    " } else { "  " };
    put!(out, "{indent}{}: {}", disk.name, counts(&disk.counts, ""));
    if let Some(parts) = &disk.parts {
        put!(out, ", {}", counts(parts, "aggr"));
    }
    out.push('\n');
}

fn counts(counts: &DiskCounts, prefix: &str) -> String {
    let DiskCounts { ios, sectors, merges, ticks_ms, in_queue_ms, busy } = counts;
    // fio's own spelling: `ios`, but `aggrios`.
    format!(
        "{prefix}ios={}/{}, {prefix}sectors={}/{}, {prefix}merge={}/{}, {prefix}ticks={}/{}, \
         {prefix}in_queue={in_queue_ms}, {prefix}util={busy:.2}%",
        ios[0], ios[1], sectors[0], sectors[1], merges[0], merges[1], ticks_ms[0], ticks_ms[1]
    )
}
