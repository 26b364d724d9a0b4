//! `write_bw_log`, `write_lat_log`, `write_iops_log`, a line for each interval and direction; with [`bins_log`] beside
//! them.
//!
//! A line is `time, value, direction, block size, priority`: the time in ms at which the interval ended, the value
//! (KiB/s, ns, IOPS), 0 for reads and 1 for writes; what an average has no figure for is 0. HOWTO of fio, "Log File
//! Formats"; without `log_offset` there is no offset. Without `log_avg_msec` there is a line for each I/O, with its block
//! size.

use std::collections::BTreeMap;
use std::fmt::Write;

use iobound_measure::{Measured, ThreadMeasured};
use iobound_units::{Op, Span};

use super::bins_log;
use super::direction::{Sample, samples};
use super::entry::{Numbered, threads};
use crate::error::{At, Trouble};
use crate::fio::{JobFile, JobReporting, Reporting, Section, Unified};
use crate::{FormatError, Ran, RanIo, Tool};

/// A log and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Its name, as fio makes it: `NAME_bw.1.log`, or `NAME_bw.log` without `per_job_logs`.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// One kind of log.
struct LogKind {
    suffix: &'static str,
    prefix: fn(&JobReporting) -> Option<&String>,
    /// The series that it is made of; `None` if the run has none.
    source: for<'a> fn(&'a ThreadMeasured, &JobReporting) -> Option<&'a Measured>,
    value: fn(&Sample) -> Option<u64>,
}

fn whole<'a>(thread: &'a ThreadMeasured, _: &JobReporting) -> Option<&'a Measured> {
    Some(&thread.measured)
}

/// An interval in which nothing completed has no latency, and no line.
fn mean_latency(sample: &Sample) -> Option<u64> {
    (sample.count > 0).then(|| (sample.sum_ns / u128::from(sample.count)) as u64)
}

const KINDS: [LogKind; 5] = [
    LogKind {
        suffix: "bw",
        prefix: |job| job.bw_log.as_ref(),
        source: whole,
        value: |sample| Some(sample.per_second(sample.bytes) / 1024),
    },
    LogKind {
        suffix: "iops",
        prefix: |job| job.iops_log.as_ref(),
        source: whole,
        value: |sample| Some(sample.per_second(sample.count)),
    },
    LogKind {
        suffix: "slat",
        prefix: |job| job.lat_log.as_ref(),
        source: |thread, asked| {
            thread.apart.as_ref().filter(|_| !asked.disable_slat).map(|apart| &apart.submission)
        },
        value: mean_latency,
    },
    LogKind {
        suffix: "clat",
        prefix: |job| job.lat_log.as_ref(),
        // Where submission was not timed apart, completion is timed from issue.
        source: |thread, asked| {
            let completion = thread.apart.as_ref().map_or(&thread.measured, |apart| &apart.completion);
            (!asked.disable_clat).then_some(completion)
        },
        value: mean_latency,
    },
    LogKind {
        suffix: "lat",
        prefix: |job| job.lat_log.as_ref(),
        source: |thread, asked| (!asked.disable_lat).then_some(&thread.measured),
        value: mean_latency,
    },
];

/// The logs that `reporting` asks for. `stages` are as in [`super::report`].
///
/// `write_lat_log` makes `_slat`, `_clat` and `_lat`. Where submission was not timed apart there is no `_slat`, and `_clat`
/// equals `_lat`. Trims are in no log: a series has reads and writes.
///
/// # Errors
/// Returns an error if `log_avg_msec` or `log_hist_msec` is not a multiple of the run's interval, or is so short that
/// not all intervals were kept.
pub fn logs(stages: &[Ran<'_>], file: &JobFile, reporting: &Reporting) -> Result<Vec<LogFile>, FormatError> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut trouble = Trouble::new(Tool::Fio);
    for numbered in threads(stages, reporting) {
        let Numbered { ran, thread, section, number, .. } = numbered;
        let asked = &reporting.jobs[section];
        let mut refuse = |option, every, why| refuse(&file.jobs[section], option, every, why, &mut trouble);
        let epoch_ms = if asked.log_unix_epoch { ran.machine.began_unix_ms } else { 0 };
        let clone = if asked.per_job_logs { format!(".{number}") } else { String::new() };
        if let Some(log) = &asked.bins_log {
            let lines = fits(thread, log.every).and_then(|()| {
                let lines = bins_log::lines(&numbered, log, asked.unified, epoch_ms);
                lines.map_err(|intervals| Unfit::NoRoom { intervals })
            });
            match lines {
                Ok(text) => {
                    let name = format!("{}_clat_hist{clone}.log", log.prefix);
                    files.entry(name).or_default().push_str(&text);
                }
                Err(why) => refuse("log_hist_msec", log.every, why),
            }
        }
        if asked.logs_ios() {
            let index = ran.threads.iter().position(|other| std::ptr::eq(other, thread));
            let ios = index.and_then(|index| ran.ios.get(index)).map_or(&[][..], Vec::as_slice);
            for (name, text) in logs_of_ios(ios, thread, asked, epoch_ms) {
                files.entry(format!("{name}{clone}.log")).or_default().push_str(&text);
            }
            continue;
        }
        let Some(every) = asked.log_every else { continue };
        if let Err(why) = fits(thread, every) {
            refuse("log_avg_msec", every, why);
            continue;
        }
        for kind in &KINDS {
            let Some(prefix) = (kind.prefix)(asked) else { continue };
            let Some(source) = (kind.source)(thread, asked) else { continue };
            let text = lines(thread, source, asked, every, epoch_ms, kind.value);
            files.entry(format!("{prefix}_{}{clone}.log", kind.suffix)).or_default().push_str(&text);
        }
    }
    trouble.or(Some(files.into_iter().map(|(name, text)| LogFile { name, text }).collect()))
}

/// The names that [`logs`] may give its files, where there are that many threads.
pub fn log_names(reporting: &Reporting, threads: usize) -> Vec<String> {
    let mut names = Vec::new();
    for asked in &reporting.jobs {
        let kinds = KINDS.iter().filter(|_| asked.log_every.is_some() || asked.logs_ios());
        let mut stems: Vec<String> =
            kinds.filter_map(|kind| Some(format!("{}_{}", (kind.prefix)(asked)?, kind.suffix))).collect();
        stems.extend(asked.bins_log.iter().map(|log| format!("{}_clat_hist", log.prefix)));
        for stem in stems {
            match asked.per_job_logs {
                true => names.extend((1..=threads).map(|number| format!("{stem}.{number}.log"))),
                false => names.push(format!("{stem}.log")),
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The logs of a job with a line for each I/O, by their names. The bandwidth of an I/O is its bytes over its time from
/// submission, in kB/s, as in `add_bw_sample` of `stat.c`.
fn logs_of_ios(
    ios: &[RanIo],
    thread: &ThreadMeasured,
    asked: &JobReporting,
    epoch_ms: u64,
) -> Vec<(String, String)> {
    type Value = fn(&RanIo) -> u64;
    let clat: Value = |io| (io.lat - io.slat).ns();
    let bandwidth: Value =
        |io| (u64::from(io.len) * 1_000_000).checked_div((io.lat - io.slat).ns()).unwrap_or(0);
    let is_apart = thread.apart.is_some();
    let kinds: [(&Option<String>, &str, bool, Value); 5] = [
        (&asked.bw_log, "bw", true, bandwidth),
        (&asked.iops_log, "iops", true, |_| 1),
        (&asked.lat_log, "lat", !asked.disable_lat, |io| io.lat.ns()),
        (&asked.lat_log, "slat", !asked.disable_slat && is_apart, |io| io.slat.ns()),
        (&asked.lat_log, "clat", !asked.disable_clat, clat),
    ];
    let log = |(prefix, suffix, there, value): (&Option<String>, &str, bool, Value)| {
        let prefix = prefix.as_ref().filter(|_| there)?;
        let mut text = String::new();
        let layout = &thread.measured.layout;
        let is_after_warmup = |io: &RanIo| io.end > layout.start || layout.begin == layout.start;
        let counts = |io: &&RanIo| is_after_warmup(io) && io.end <= layout.end;
        for io in ios.iter().filter(counts) {
            let at_ms = io.end.since(thread.measured.layout.begin).ns() / 1_000_000 + epoch_ms;
            let direction = match io.op {
                Op::Write if asked.unified != Unified::Mixed => 1,
                Op::Discard if asked.unified != Unified::Mixed => 2,
                _ => 0,
            };
            let offset = if asked.log_offset { format!(", {}", io.offset) } else { String::new() };
            writeln!(text, "{at_ms}, {}, {direction}, {}{offset}, 0", value(io), io.len)
                .expect("memory takes all of it");
        }
        Some((format!("{prefix}_{suffix}"), text))
    };
    kinds.into_iter().filter_map(log).collect()
}

fn lines(
    thread: &ThreadMeasured,
    source: &Measured,
    asked: &JobReporting,
    every: Span,
    epoch_ms: u64,
    value: fn(&Sample) -> Option<u64>,
) -> String {
    let job = thread.own_job();
    let directions: &[(u8, &[Op])] = match asked.unified {
        Unified::Mixed => &[(0, &[Op::Read, Op::Write])],
        _ => &[(0, &[Op::Read]), (1, &[Op::Write])],
    };
    let mut lines: Vec<(u64, u8, u64)> = Vec::new();
    for (direction, ops) in directions {
        // A direction that the job never used has no lines.
        if ops.iter().all(|op| job.op(*op).count() == 0) {
            continue;
        }
        for sample in samples(&source.series, ops, every) {
            let at_ms = sample.end.since(source.layout.begin).ns() / 1_000_000 + epoch_ms;
            lines.extend(value(&sample).map(|value| (at_ms, *direction, value)));
        }
    }
    lines.sort_unstable();
    let mut text = String::new();
    for (at_ms, direction, value) in lines {
        // An average has no offset: fio writes zero.
        let offset = if asked.log_offset { ", 0" } else { "" };
        writeln!(text, "{at_ms}, {value}, {direction}, 0{offset}, 0").expect("memory takes all of it");
    }
    text
}

/// Reason why a log can't be written from what was kept.
enum Unfit {
    /// The lines are no multiples of the series' intervals.
    NoMultiple { interval: Span },
    /// The run had more intervals than are kept.
    LeftOut { intervals: u64, interval: Span },
    /// There was no room for the latencies of so many intervals.
    NoRoom { intervals: usize },
}

/// Sees that lines of `every` can be made of a thread's series.
fn fits(thread: &ThreadMeasured, every: Span) -> Result<(), Unfit> {
    let interval = thread.measured.layout.interval;
    match thread.measured.series_left_out {
        0 if every.ns().is_multiple_of(interval.ns()) => Ok(()),
        0 => Err(Unfit::NoMultiple { interval }),
        intervals => Err(Unfit::LeftOut { intervals, interval }),
    }
}

fn refuse(section: &Section, option: &str, every: Span, why: Unfit, trouble: &mut Trouble) {
    let text = format!("{option}={}", every.ns() / 1_000_000);
    let source = trouble.source(Some(&format!("[{}]", section.name)), &text);
    let at = At { source, at: 0, len: text.len() };
    let longer = format!("give a larger {option}, or a shorter runtime");
    let (what, help) = match why {
        Unfit::LeftOut { intervals, interval } => {
            (format!("the run had {intervals} intervals of {interval} more than are kept"), longer)
        }
        Unfit::NoRoom { intervals } => {
            (format!("the latencies of {intervals} intervals did not fit into the memory for them"), longer)
        }
        Unfit::NoMultiple { interval } => (
            format!("the run's series has intervals of {interval}, and {every} is not a multiple of them"),
            format!("give a multiple of {} ms", (interval.ns() / 1_000_000).max(1)),
        ),
    };
    trouble.add(at, what, help);
}
