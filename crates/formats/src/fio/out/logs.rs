//! `write_bw_log`, `write_lat_log`, `write_iops_log`, a line for each interval and direction; with [`bins_log`] beside
//! them.
//!
//! A line is `time, value, direction, block size, priority`: the time in ms at which the interval ended, the value
//! (KiB/s, ns, IOPS), 0 for reads and 1 for writes; what an average has no figure for is 0. HOWTO of fio, "Log File
//! Formats"; without `log_offset` there is no offset.

use std::collections::BTreeMap;
use std::fmt::Write;

use iobound_measure::ThreadMeasured;
use iobound_units::{Op, Span};

use super::bins_log;
use super::direction::{Sample, samples};
use super::entry::{Numbered, threads};
use crate::error::{At, Trouble};
use crate::fio::{JobFile, JobReporting, Reporting, Section, Unified};
use crate::{FormatError, Ran, Tool};

/// A log and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Its name, as fio makes it: `NAME_bw.1.log`, or `NAME_bw.log` without `per_job_logs`.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// One kind of log.
struct Kind {
    suffix: &'static str,
    prefix: fn(&JobReporting) -> Option<&String>,
    value: fn(&Sample) -> Option<u64>,
}

const KINDS: [Kind; 3] = [
    Kind {
        suffix: "bw",
        prefix: |job| job.bw_log.as_ref(),
        value: |sample| Some(sample.per_second(sample.bytes) / 1024),
    },
    Kind {
        suffix: "iops",
        prefix: |job| job.iops_log.as_ref(),
        value: |sample| Some(sample.per_second(sample.count)),
    },
    Kind {
        suffix: "lat",
        prefix: |job| job.lat_log.as_ref(),
        // An interval in which nothing completed has no latency, and no line.
        value: |sample| (sample.count > 0).then(|| (sample.sum_ns / u128::from(sample.count)) as u64),
    },
];

/// The logs that `reporting` asks for. `stages` are as in [`super::report`].
///
/// `write_lat_log` makes `_clat` and `_lat` where submission was not measured apart, as one and the same; where it
/// was, the series has no parts and there is `_lat` alone. Trims are in no log: a series has reads and writes.
///
/// # Errors
/// A `log_avg_msec` or `log_hist_msec` that is no multiple of the run's interval, or so short that not all intervals
/// were kept.
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
        let Some(every) = asked.log_every else { continue };
        if let Err(why) = fits(thread, every) {
            refuse("log_avg_msec", every, why);
            continue;
        }
        for kind in &KINDS {
            let Some(prefix) = (kind.prefix)(asked) else { continue };
            let text = lines(thread, asked, every, epoch_ms, kind.value);
            for suffix in suffixes(kind.suffix, thread, asked) {
                files.entry(format!("{prefix}_{suffix}{clone}.log")).or_default().push_str(&text);
            }
        }
    }
    trouble.or(Some(files.into_iter().map(|(name, text)| LogFile { name, text }).collect()))
}

/// The files of one kind: latency has one for each of its parts that is known and not turned off.
fn suffixes(kind: &'static str, thread: &ThreadMeasured, asked: &JobReporting) -> Vec<&'static str> {
    if kind != "lat" {
        return vec![kind];
    }
    let clat = thread.apart.is_none() && !asked.disable_clat;
    [("clat", clat), ("lat", !asked.disable_lat)]
        .into_iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| name)
        .collect()
}

fn lines(
    thread: &ThreadMeasured,
    asked: &JobReporting,
    every: Span,
    epoch_ms: u64,
    value: fn(&Sample) -> Option<u64>,
) -> String {
    let job = &thread.measured.jobs[usize::from(thread.job)];
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
        for sample in samples(&thread.measured.series, ops, every) {
            let at_ms = sample.end.since(thread.measured.layout.begin).ns() / 1_000_000 + epoch_ms;
            lines.extend(value(&sample).map(|value| (at_ms, *direction, value)));
        }
    }
    lines.sort_unstable();
    let mut text = String::new();
    for (at_ms, direction, value) in lines {
        writeln!(text, "{at_ms}, {value}, {direction}, 0, 0").expect("memory takes all of it");
    }
    text
}

/// Why a log can't be written from what was kept.
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
    let (what, mend) = match why {
        Unfit::LeftOut { intervals, interval } => {
            (format!("the run had {intervals} intervals of {interval} more than are kept"), longer)
        }
        Unfit::NoRoom { intervals } => {
            (format!("the latencies of {intervals} intervals did not fit into the memory for them"), longer)
        }
        Unfit::NoMultiple { interval } => (
            format!("the run has a series of {interval}, of which {every} is no multiple"),
            format!("give a multiple of {} ms", (interval.ns() / 1_000_000).max(1)),
        ),
    };
    trouble.add(at, what, mend);
}
