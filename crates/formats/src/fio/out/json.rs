//! `--output-format=json` and `json+`.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Serializer, Value};

use super::FioReport;
use super::direction::DirectionReport;
use super::distribution::{MILLISECONDS, SMALL, batches, depths, shares};
use super::entry::Entry;
use super::group::{Disk, DiskCounts, GroupDirection};
use super::spread::{Latency, Spread};
use super::steady::Steadiness;
use crate::date::ctime;
use crate::fio::setting::Setting;
use crate::fio::{JobReporting, Unified};

/// fio's form of a document: a blank around the colon, decimals with six digits.
struct JsonStyle(PrettyFormatter<'static>);

impl Formatter for JsonStyle {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        write!(writer, "{value:.6}")
    }
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }
    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }
    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }
    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }
    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }
    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }
    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b" : ")
    }
    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

/// The document as fio prints it, with a line break at its end.
fn print(document: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, JsonStyle(PrettyFormatter::new()));
    document.serialize(&mut serializer).expect("memory takes any document");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// An object with these fields, in this order.
fn map<K: Into<String>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// The document of a run.
pub(super) fn json(report: &FioReport<'_>, bins: bool) -> String {
    let ended = report.ended_unix_ms();
    let mut fields = vec![
        ("fio version", Value::from(report.version())),
        ("timestamp", Value::from(ended / 1000)),
        ("timestamp_ms", Value::from(ended)),
        ("time", Value::from(ctime(ended))),
    ];
    let globals = options(report.file.globals.in_order().into_iter());
    if let Some(globals) = globals {
        fields.push(("global options", globals));
    }
    fields
        .push(("jobs", Value::Array(report.entries.iter().map(|entry| job(report, entry, bins)).collect())));
    if !report.disks.is_empty() {
        fields.push(("disk_util", Value::Array(report.disks.iter().map(disk).collect())));
    }
    fields.push(("iobound", beside(report)));
    print(&map(fields))
}

/// Facts without a place in fio's document: notes, and checks of the run itself. Readers of fio's JSON skip keys that they
/// do not know.
fn beside(report: &FioReport<'_>) -> Value {
    let first = report.stages.first();
    // A reader of JSON shows a note on one line.
    let on_one_line = |note: &String| note.split('\n').map(str::trim).collect::<Vec<_>>().join("; ");
    let notes: Vec<String> =
        first.map(|ran| ran.machine.notes.iter().map(on_one_line).collect()).unwrap_or_default();
    let checks = report.stages.iter().flat_map(|ran| ran.checks.iter().map(move |check| (ran, check))).map(
        |(ran, check)| {
            let jobs = ran.workload.jobs.iter().map(|job| Value::from(job.name.clone()));
            map([
                ("name", Value::from(check.name.clone())),
                ("jobs", Value::Array(jobs.collect())),
                ("outcome", serde_json::to_value(check.outcome).expect("a word")),
                ("says", Value::from(check.says.clone())),
            ])
        },
    );
    map([
        ("version", Value::from(first.map(|ran| ran.machine.version.clone()).unwrap_or_default())),
        ("notes", Value::from(notes)),
        ("checks", Value::Array(checks.collect())),
    ])
}

/// Options that have a value, as strings; those that stand alone fio leaves out.
fn options<'a>(settings: impl Iterator<Item = &'a Setting>) -> Option<Value> {
    let with_value = settings
        .filter_map(|setting| Some((setting.option.name.to_string(), Value::from(setting.value.clone()?))));
    let fields: Vec<_> = with_value.collect();
    (!fields.is_empty()).then_some(map(fields))
}

fn job(report: &FioReport<'_>, entry: &Entry<'_>, bins: bool) -> Value {
    let asked = entry.asked;
    let mut fields = vec![
        ("jobname", Value::from(entry.job.name.clone())),
        ("groupid", Value::from(entry.group as u64)),
        ("job_start", Value::from(entry.began_unix_ms)),
        ("error", Value::from(u64::from(entry.error))),
        ("eta", Value::from(report.eta_s())),
        ("elapsed", Value::from(report.elapsed_s())),
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
    let target_ns = asked.latency.map_or(0, |goal| goal.target.ns());
    let window_us = asked.latency.map_or(0, |goal| goal.window.ns() / 1_000);
    let of_runtime =
        |span: iobound_units::Span| Value::from(percent(span.ns() as f64 / 1e6, entry.runtime_ms));
    fields.extend([
        ("job_runtime", Value::from(entry.runtime_ms)),
        ("usr_cpu", of_runtime(entry.usage.user)),
        ("sys_cpu", of_runtime(entry.usage.system)),
        ("ctx", Value::from(entry.usage.context_switches)),
        ("majf", Value::from(entry.usage.major_faults)),
        ("minf", Value::from(entry.usage.minor_faults)),
    ]);
    let classes = |counts: [u64; 7], names: [&str; 7]| {
        let shares = shares(&counts, counts.iter().sum(), 0.1);
        map(names.into_iter().zip(shares.map(Value::from)))
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
        ("latency_depth", Value::from(u64::from(entry.depth))),
        ("latency_target", Value::from(target_ns / 1_000)),
        ("latency_target_ns", Value::from(target_ns)),
        ("latency_percentile", Value::from(asked.latency.map_or(100.0, |goal| goal.percent))),
        ("latency_window", Value::from(window_us)),
        ("latency_window_us", Value::from(window_us)),
    ]);
    fields.extend(entry.steady.as_ref().map(|steady| ("steadystate", steadiness(steady))));
    if let Some(description) = &asked.description {
        fields.push(("desc", Value::from(description.clone())));
    }
    map(fields)
}

fn steadiness(steady: &Steadiness) -> Value {
    let percent = if steady.goal.in_percent { "%" } else { "" };
    let list = |values: &[u64]| Value::from(values.to_vec());
    let (iops_mean, bw_mean) = steady.means();
    let data = map([
        ("bw_mean", Value::from(bw_mean)),
        ("iops_mean", Value::from(iops_mean)),
        ("iops", list(&steady.iops)),
        ("bw", list(&steady.bandwidth)),
    ]);
    map([
        ("ss", Value::from(steady.goal.text())),
        ("duration", Value::from(steady.goal.seconds)),
        ("attained", Value::from(u8::from(steady.attained))),
        ("criterion", Value::from(format!("{:.6}{percent}", steady.criterion))),
        ("max_deviation", Value::from(steady.deviation)),
        ("slope", Value::from(steady.slope)),
        ("data", data),
    ])
}

fn flushes(entry: &Entry<'_>, bins: bool) -> Value {
    let asked = entry.asked;
    let times = latency(&entry.sync, asked.lat_percentiles || asked.clat_percentiles, asked, bins);
    map(vec![("total_ios", Value::from(entry.sync.spread.samples)), ("lat_ns", times)])
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
    map(shares.iter().enumerate().map(|(index, share)| (name(index), Value::from(*share))))
}

fn direction(asked: &JobReporting, one: &DirectionReport, all: &GroupDirection, bins: bool) -> Value {
    let (bw, iops) = (&one.bw, &one.iops);
    let aggregate = match bw.samples {
        0 => 0.0,
        _ => all.share(bw.mean),
    };
    let bandwidth = one.bytes_per_second();
    map(vec![
        ("io_bytes", Value::from(one.bytes)),
        ("io_kbytes", Value::from(one.bytes / 1024)),
        ("bw_bytes", Value::from(bandwidth)),
        ("bw", Value::from(bandwidth / 1024)),
        ("iops", Value::from(one.iops())),
        ("runtime", Value::from(one.runtime_ms)),
        ("total_ios", Value::from(one.ios)),
        ("short_ios", Value::from(0)),
        ("drop_ios", Value::from(0)),
        ("slat_ns", latency(&one.slat, asked.slat_percentiles, asked, bins)),
        ("clat_ns", latency(&one.clat, asked.clat_percentiles, asked, bins)),
        ("lat_ns", latency(&one.lat, asked.lat_percentiles, asked, bins)),
        ("bw_min", Value::from(bw.min)),
        ("bw_max", Value::from(bw.max)),
        ("bw_agg", Value::from(aggregate)),
        ("bw_mean", Value::from(bw.mean)),
        ("bw_dev", Value::from(bw.deviation())),
        ("bw_samples", Value::from(bw.samples)),
        ("iops_min", Value::from(iops.min)),
        ("iops_max", Value::from(iops.max)),
        ("iops_mean", Value::from(iops.mean)),
        ("iops_stddev", Value::from(iops.deviation())),
        ("iops_samples", Value::from(iops.samples)),
    ])
}

fn latency(latency: &Latency, percentiles: bool, asked: &JobReporting, bins: bool) -> Value {
    let Spread { samples, min, max, mean, .. } = latency.spread;
    let mut fields = vec![
        ("min", Value::from(min)),
        ("max", Value::from(max)),
        ("mean", Value::from(mean)),
        ("stddev", Value::from(latency.spread.deviation())),
        ("N", Value::from(samples)),
    ];
    if percentiles && samples > 0 {
        let values = latency.percentiles(&asked.percentiles);
        let named = asked.percentiles.iter().map(|percent| format!("{percent:.6}"));
        fields.push(("percentile", map(named.zip(values.into_iter().map(Value::from)))));
        if bins {
            let counts = latency.bins().map(|(middle, count)| (middle.to_string(), Value::from(count)));
            fields.push(("bins", map(counts)));
        }
    }
    map(fields)
}

fn disk(disk: &Disk) -> Value {
    let mut fields = vec![("name", Value::from(disk.name.clone()))];
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
        .flat_map(|([read, write], [r, w])| [(*read, Value::from(r)), (*write, Value::from(w))])
        .collect();
    fields.extend([(names[4][0], Value::from(counts.in_queue_ms)), (names[4][1], Value::from(counts.busy))]);
    fields
}
