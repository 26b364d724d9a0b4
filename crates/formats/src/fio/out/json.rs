//! `--output-format=json` and `json+`.

use super::Report;
use super::direction::Direction;
use super::distribution::{MILLISECONDS, SMALL, batches, depths, shares};
use super::entry::Entry;
use super::group::{Disk, DiskCounts, GroupDirection};
use super::number::ctime;
use super::spread::{Latency, Spread};
use crate::fio::setting::Setting;
use crate::fio::{JobReporting, Unified};

/// A value as fio prints it: keys in order, decimals with six digits, two spaces for each level.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Int(u64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

use Value::{Float, Int, List, Map, Text};

impl Value {
    /// The document, with a line break at its end.
    fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, level: usize) {
        match self {
            Int(number) => out.push_str(&number.to_string()),
            Float(number) => out.push_str(&format!("{number:.6}")),
            Text(text) => write_text(text, out),
            List(values) => {
                let items = values.iter().map(|value| (None, value));
                write_items(items, ['[', ']'], out, level);
            }
            Map(fields) => {
                let items = fields.iter().map(|(key, value)| (Some(key), value));
                write_items(items, ['{', '}'], out, level);
            }
        }
    }
}

fn write_items<'a>(
    items: impl Iterator<Item = (Option<&'a String>, &'a Value)>,
    [open, close]: [char; 2],
    out: &mut String,
    level: usize,
) {
    out.push(open);
    for (index, (key, value)) in items.enumerate() {
        out.push_str(if index > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(level + 1));
        if let Some(key) = key {
            write_text(key, out);
            out.push_str(" : ");
        }
        value.write(out, level + 1);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(level));
    out.push(close);
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn map(fields: Vec<(&str, Value)>) -> Value {
    Map(fields.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
}

/// The document of a run.
pub(super) fn json(report: &Report<'_>, bins: bool) -> String {
    let ended = report.ended_unix_ms();
    let mut fields = vec![
        ("fio version", Text(report.version())),
        ("timestamp", Int(ended / 1000)),
        ("timestamp_ms", Int(ended)),
        ("time", Text(ctime(ended))),
    ];
    // Those of the last job: of several [global] sections, it inherits all that count.
    let globals = report.file.jobs.last().map(|job| job.settings.in_order()).unwrap_or_default();
    let globals = options(globals.into_iter().filter(|setting| setting.inherited));
    if let Some(globals) = globals {
        fields.push(("global options", globals));
    }
    fields.push(("jobs", List(report.entries.iter().map(|entry| job(report, entry, bins)).collect())));
    if !report.disks.is_empty() {
        fields.push(("disk_util", List(report.disks.iter().map(disk).collect())));
    }
    map(fields).print()
}

/// Options that have a value, as strings; those that stand alone fio leaves out.
fn options<'a>(settings: impl Iterator<Item = &'a Setting>) -> Option<Value> {
    let with_value =
        settings.filter_map(|setting| Some((setting.option.name.to_string(), Text(setting.value.clone()?))));
    let fields: Vec<_> = with_value.collect();
    (!fields.is_empty()).then_some(Map(fields))
}

fn job(report: &Report<'_>, entry: &Entry<'_>, bins: bool) -> Value {
    let asked = entry.asked;
    let mut fields = vec![
        ("jobname", Text(entry.job.name.clone())),
        ("groupid", Int(entry.group as u64)),
        ("job_start", Int(entry.began_unix_ms)),
        ("error", Int(u64::from(entry.error))),
        ("eta", Int(0)),
        ("elapsed", Int(report.elapsed_s())),
    ];
    let settings = report.file.jobs[entry.section].settings.in_order();
    if let Some(own) = options(settings.into_iter().filter(|setting| !setting.inherited)) {
        fields.push(("job options", own));
    }
    let group = report.group(entry.group);
    for ((name, one), all) in entry.named().into_iter().zip(&group.directions) {
        fields.push((name, direction(asked, one, all, bins)));
    }
    // Unified, fio leaves the flushes out of its JSON.
    if asked.unified != Unified::Mixed {
        fields.push(("sync", flushes(entry, bins)));
    }
    if let Some(mixed) = &entry.mixed {
        fields.push(("mixed", direction(asked, mixed, &group.all(), bins)));
    }
    let of_runtime = |span: iobound_units::Span| Float(percent(span.ns() as f64 / 1e6, entry.runtime_ms));
    fields.extend([
        ("job_runtime", Int(entry.runtime_ms)),
        ("usr_cpu", of_runtime(entry.usage.user)),
        ("sys_cpu", of_runtime(entry.usage.system)),
        ("ctx", Int(entry.usage.context_switches)),
        ("majf", Int(entry.usage.major_faults)),
        ("minf", Int(entry.usage.minor_faults)),
    ]);
    let classes = |counts: [u64; 7], names: [&str; 7]| {
        let shares = shares(&counts, counts.iter().sum(), 0.1);
        map(names.into_iter().zip(shares.map(Float)).collect())
    };
    // fio's own code names the class of 33 to 64 `64` and what is above `>=64`.
    let sizes = ["0", "4", "8", "16", "32", "64", ">=64"];
    fields.extend([
        (
            "iodepth_level",
            classes(depths(&entry.batches.outstanding), ["1", "2", "4", "8", "16", "32", ">=64"]),
        ),
        ("iodepth_submit", classes(batches(&entry.batches.submitted), sizes)),
        ("iodepth_complete", classes(batches(&entry.batches.completed), sizes)),
        ("latency_ns", ends(&SMALL, &shares(&entry.distribution.ns, entry.ios(), 0.01))),
        ("latency_us", ends(&SMALL, &shares(&entry.distribution.us, entry.ios(), 0.01))),
        ("latency_ms", ends(&MILLISECONDS, &shares(&entry.distribution.ms, entry.ios(), 0.01))),
        ("latency_depth", Int(u64::from(entry.depth))),
        // Searching the depth for a latency is refused, so that these are what fio shows without it.
        ("latency_target", Int(0)),
        ("latency_target_ns", Int(0)),
        ("latency_percentile", Float(100.0)),
        ("latency_window", Int(0)),
        ("latency_window_us", Int(0)),
    ]);
    if let Some(description) = &asked.description {
        fields.push(("desc", Text(description.clone())));
    }
    map(fields)
}

fn flushes(entry: &Entry<'_>, bins: bool) -> Value {
    let asked = entry.asked;
    let times = latency(&entry.sync, asked.lat_percentiles || asked.clat_percentiles, asked, bins);
    map(vec![("total_ios", Int(entry.sync.spread.samples)), ("lat_ns", times)])
}

/// A part in percent of a whole; zero where there is none.
pub(super) fn percent(part: f64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part * 100.0 / whole as f64 }
}

/// Classes named by where they end; one more than there are ends is open.
fn ends(ends: &[u64], shares: &[f64]) -> Value {
    let name = |index: usize| match ends.get(index) {
        Some(end) => end.to_string(),
        None => format!(">={}", ends[ends.len() - 1]),
    };
    Map(shares.iter().enumerate().map(|(index, share)| (name(index), Float(*share))).collect())
}

fn direction(asked: &JobReporting, one: &Direction, all: &GroupDirection, bins: bool) -> Value {
    let (bw, iops) = (&one.bw, &one.iops);
    let aggregate = match bw.samples {
        0 => 0.0,
        _ => all.share(bw.mean),
    };
    let bandwidth = one.bytes_per_second();
    map(vec![
        ("io_bytes", Int(one.bytes)),
        ("io_kbytes", Int(one.bytes / 1024)),
        ("bw_bytes", Int(bandwidth)),
        ("bw", Int(bandwidth / 1024)),
        ("iops", Float(one.iops())),
        ("runtime", Int(one.runtime_ms)),
        ("total_ios", Int(one.ios)),
        ("short_ios", Int(0)),
        ("drop_ios", Int(0)),
        ("slat_ns", latency(&one.slat, asked.slat_percentiles, asked, bins)),
        ("clat_ns", latency(&one.clat, asked.clat_percentiles, asked, bins)),
        ("lat_ns", latency(&one.lat, asked.lat_percentiles, asked, bins)),
        ("bw_min", Int(bw.min)),
        ("bw_max", Int(bw.max)),
        ("bw_agg", Float(aggregate)),
        ("bw_mean", Float(bw.mean)),
        ("bw_dev", Float(bw.deviation())),
        ("bw_samples", Int(bw.samples)),
        ("iops_min", Int(iops.min)),
        ("iops_max", Int(iops.max)),
        ("iops_mean", Float(iops.mean)),
        ("iops_stddev", Float(iops.deviation())),
        ("iops_samples", Int(iops.samples)),
    ])
}

fn latency(latency: &Latency, percentiles: bool, asked: &JobReporting, bins: bool) -> Value {
    let Spread { samples, min, max, mean, .. } = latency.spread;
    let mut fields = vec![
        ("min", Int(min)),
        ("max", Int(max)),
        ("mean", Float(mean)),
        ("stddev", Float(latency.spread.deviation())),
        ("N", Int(samples)),
    ];
    if percentiles && samples > 0 {
        let values = latency.percentiles(&asked.percentiles);
        let named = asked.percentiles.iter().map(|percent| format!("{percent:.6}"));
        fields.push(("percentile", Map(named.zip(values.into_iter().map(Int)).collect())));
        if bins {
            let counts = latency.bins().map(|(middle, count)| (middle.to_string(), Int(count)));
            fields.push(("bins", Map(counts.collect())));
        }
    }
    map(fields)
}

fn disk(disk: &Disk) -> Value {
    let mut fields = vec![("name", Text(disk.name.clone()))];
    fields.extend(counts(
        &disk.counts,
        [
            ["read_ios", "write_ios"],
            ["read_sectors", "write_sectors"],
            ["read_merges", "write_merges"],
            ["read_ticks", "write_ticks"],
            ["in_queue", "util"],
        ],
    ));
    if let Some(parts) = &disk.parts {
        // `aggr_write_merge` is fio's own spelling.
        fields.extend(counts(
            parts,
            [
                ["aggr_read_ios", "aggr_write_ios"],
                ["aggr_read_sectors", "aggr_write_sectors"],
                ["aggr_read_merges", "aggr_write_merge"],
                ["aggr_read_ticks", "aggr_write_ticks"],
                ["aggr_in_queue", "aggr_util"],
            ],
        ));
    }
    map(fields)
}

fn counts(counts: &DiskCounts, names: [[&'static str; 2]; 5]) -> Vec<(&'static str, Value)> {
    let pairs = [counts.ios, counts.sectors, counts.merges, counts.ticks_ms];
    let mut fields: Vec<_> = names
        .iter()
        .zip(pairs)
        .flat_map(|([read, write], [r, w])| [(*read, Int(r)), (*write, Int(w))])
        .collect();
    fields.extend([(names[4][0], Int(counts.in_queue_ms)), (names[4][1], Float(counts.busy))]);
    fields
}
