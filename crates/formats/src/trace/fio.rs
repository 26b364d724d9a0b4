//! fio's `write_iolog` and `read_iolog` (fio 3.42, `iolog.c`).
//!
//! Version 3: `time file action offset length`, and `time file add|open|close`. Times are microseconds since the job's start.
//! Version 2 has the same without a time, and `file wait ms 0`: its documentation calls the unit microseconds, relative to the
//! last `wait`; `read_iolog_get` waits until so many *milliseconds* after fio's start. `--time-unit us` chooses the documentation.

use iobound_trace::TraceError;
use iobound_units::Op;

use super::latency::ParsedLatency;
use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{by_spaces, decimal};
use super::unit::TimeUnit;

/// Either version.
#[derive(Default)]
pub(super) struct FioLines {
    version_3: bool,
    /// True if waits are microseconds since the last one.
    are_waits_relative: bool,
    at_ns: u64,
    waits: u64,
    /// Waits until a time that is not later than that of the wait before.
    idle_waits: u64,
    others: u64,
}

impl FioLines {
    /// Version 2, whose waits are in the unit that the user gave.
    ///
    /// # Errors
    /// Returns an error if waits have no meaning in this unit.
    pub(super) fn version_2(unit: Option<TimeUnit>) -> Result<FioLines, TraceError> {
        match unit {
            None | Some(TimeUnit::Milliseconds) => Ok(FioLines::default()),
            Some(TimeUnit::Microseconds) => Ok(FioLines { are_waits_relative: true, ..FioLines::default() }),
            Some(unit) => Err(TraceError::new(format!(
                "--time-unit {}: waits of fio's version 2 are ms since the start, or us since the last wait",
                unit.name()
            ))
            .help("write ms, as fio takes them (default), or us, as its documentation says")),
        }
    }

    pub(super) fn version_3() -> FioLines {
        FioLines { version_3: true, ..FioLines::default() }
    }
}

/// The operation of an action; `None` of a `wait` and of what is unknown.
fn op_of(action: &[u8]) -> Option<Op> {
    match action {
        b"read" => Some(Op::Read),
        b"write" => Some(Op::Write),
        b"trim" => Some(Op::Discard),
        b"sync" | b"datasync" | b"sync_file_range" | b"syncfs" => Some(Op::Flush),
        _ => None,
    }
}

impl LineParser for FioLines {
    fn parse<'a>(&'a mut self, line: &'a [u8], _: u64) -> Line<'a> {
        // Joined logs have one each.
        if line.trim_ascii().starts_with(b"fio version ") {
            return Line::Passed;
        }
        let mut words = by_spaces(line);
        let time = if self.version_3 {
            let Some(time) = words.next().and_then(decimal) else {
                return Line::Malformed("the time is not a number");
            };
            Time::Units(time)
        } else {
            Time::Ns(self.at_ns)
        };
        // The file's name may have spaces: what follows it is read from the end.
        let last = words.next_back();
        if let Some(b"add" | b"open" | b"close" | b"unlink" | b"create" | b"stat") = last {
            return if words.next().is_some() {
                Line::Passed
            } else {
                Line::Malformed("the file has no name")
            };
        }
        let (Some(length), Some(offset), Some(action)) =
            (last.and_then(decimal), words.next_back().and_then(decimal), words.next_back())
        else {
            return Line::Malformed("expected a file, an action, an offset and a length");
        };
        let Some(device) = words.next() else { return Line::Malformed("the file has no name") };
        // A name of several words is all of them.
        let device = match words.next_back() {
            None => device,
            Some(end) => between(line, device, end),
        };
        match op_of(action) {
            Some(Op::Flush) => Line::Io(Parsed {
                time,
                device,
                op: Op::Flush,
                offset: 0,
                length: 0,
                latency: ParsedLatency::Unknown,
            }),
            Some(op) => {
                Line::Io(Parsed { time, device, op, offset, length, latency: ParsedLatency::Unknown })
            }
            None if action == b"wait" && !self.version_3 => {
                self.waits += 1;
                let until = match self.are_waits_relative {
                    true => offset.checked_mul(1_000).and_then(|ns| self.at_ns.checked_add(ns)),
                    false => offset.checked_mul(1_000_000),
                };
                let Some(until) = until else { return Line::Malformed("the wait ends after 584 years") };
                self.idle_waits += u64::from(until <= self.at_ns && offset > 0);
                self.at_ns = self.at_ns.max(until);
                Line::Passed
            }
            // fio ignores it as well.
            None if action == b"wait" => {
                self.others += 1;
                Line::OtherOp
            }
            None => Line::Malformed("the action is unknown"),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.version_3 {
            let meaning = match self.are_waits_relative {
                true => "microseconds since the last wait",
                false => "milliseconds since the start",
            };
            notes.push(format!(
                "version 2 has no times: I/Os are at the times of its {} waits, as {meaning}",
                self.waits
            ));
            if self.idle_waits > 0 {
                notes.push(format!(
                    "waits that end no later than an earlier one: {}, as fio takes them; --time-unit us takes all as microseconds since the last wait",
                    self.idle_waits
                ));
            }
        }
        if self.others > 0 {
            notes.push(format!("{} waits are ignored, as fio does in version 3", self.others));
        }
        notes
    }
}

/// The part of a line from one word to another.
fn between<'a>(line: &'a [u8], first: &[u8], last: &[u8]) -> &'a [u8] {
    let place = |word: &[u8]| word.as_ptr() as usize - line.as_ptr() as usize;
    &line[place(first)..place(last) + last.len()]
}
