//! `write_iolog`: every I/O of a job, in the form that `read_iolog` replays.
//!
//! Version 3: a line is `TIME FILE ACTION [OFFSET LENGTH]`, the time in microseconds from the beginning. Source:
//! `log_io_u` and `log_file` of `iolog.c` in fio 3.33. fio appends what each clone did to one file, in whatever order. Here
//! the clones of all jobs that share a file are merged by time below one first line, so that the file can be replayed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use iobound_units::{Instant, Op};

use super::entry::{Numbered, threads};
use super::logs::LogFile;
use crate::fio::Reporting;
use crate::{Ran, RanIo};

/// The files that `write_iolog` names, with their text. `stages` are as in [`super::report`].
pub fn iologs(stages: &[Ran<'_>], reporting: &Reporting) -> Vec<LogFile> {
    let mut recorded: BTreeMap<&str, Vec<(u64, String, String)>> = BTreeMap::new();
    for Numbered { ran, thread, section, .. } in threads(stages, reporting) {
        let Some(name) = &reporting.jobs[section].iolog else { continue };
        let index = ran.threads.iter().position(|other| std::ptr::eq(other, thread));
        let ios = index.and_then(|index| ran.ios.get(index)).map_or(&[][..], Vec::as_slice);
        let lines = ios.iter().filter_map(|io| line(io, ran, thread.measured.layout.begin));
        recorded.entry(name).or_default().extend(lines);
    }
    let file = |(name, mut lines): (&str, Vec<(u64, String, String)>)| {
        lines.sort_by_key(|(at_us, ..)| *at_us);
        let end = lines.last().map_or(0, |(at_us, ..)| *at_us);
        let files: BTreeSet<&String> = lines.iter().map(|(_, file, _)| file).collect();
        let mut text = "fio version 3 iolog\n".to_string();
        let mut act = |at: u64, file: &str, what: &str| {
            writeln!(text, "{at} {file} {what}").expect("memory takes all of it");
        };
        files.iter().for_each(|file| act(0, file, "add"));
        files.iter().for_each(|file| act(0, file, "open"));
        lines.iter().for_each(|(at_us, file, what)| act(*at_us, file, what));
        files.iter().for_each(|file| act(end, file, "close"));
        LogFile { name: name.to_string(), text }
    };
    recorded.into_iter().map(file).collect()
}

/// The names that [`iologs`] may give its files.
pub fn iolog_names(reporting: &Reporting) -> Vec<String> {
    let names: BTreeSet<&String> = reporting.jobs.iter().filter_map(|job| job.iolog.as_ref()).collect();
    names.into_iter().cloned().collect()
}

/// Issue time of an I/O, its file, and the rest of its line.
fn line(io: &RanIo, ran: &Ran<'_>, begin: Instant) -> Option<(u64, String, String)> {
    let (file, offset) = ran.targets.get(usize::from(io.target))?.place(io.offset);
    let at_us = io.end.since(begin).ns().saturating_sub(io.lat.ns()) / 1_000;
    let action = match io.op {
        Op::Read => "read",
        Op::Write => "write",
        Op::Discard => "trim",
        Op::Flush => return None,
    };
    Some((at_us, file.to_string(), format!("{action} {offset} {}", io.len)))
}
