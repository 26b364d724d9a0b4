//! Disk I/O as Windows' `xperf` prints it, `-a diskio -detail` or `-a dumper`: fields separated by commas, whose order the
//! header says. Times are microseconds; offsets and sizes are bytes, decimal or after `0x`.
//!
//! `-detail` has the time of issue (`Start Time`). The dumper's events (`DiskRead`, `DiskWrite`, `DiskFlush`) have the time of
//! completion (`TimeStamp`) and the time that the I/O took (`ElapsedTime`).

use iobound_units::Op;

use super::latency::{ParsedLatency, signed};
use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{by_commas, integer, plain};

/// Columns of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct XperfColumns {
    count: usize,
    kind: usize,
    start: Option<usize>,
    end: Option<usize>,
    took: Option<usize>,
    offset: usize,
    size: usize,
    disk: Option<usize>,
}

/// The parser; it knows the columns once it has seen a header.
#[derive(Default)]
pub(super) struct XperfLines {
    detail: Option<XperfColumns>,
    /// Columns of the dumper's reads and writes, and of its flushes.
    dumper: Option<XperfColumns>,
    flush: Option<XperfColumns>,
}

fn columns_of(line: &[u8]) -> Option<XperfColumns> {
    let names: Vec<Vec<u8>> = by_commas(line).map(plain).collect();
    let place = |wanted: &[&str]| {
        wanted.iter().find_map(|name| names.iter().position(|found| found == name.as_bytes()))
    };
    Some(XperfColumns {
        count: names.len(),
        kind: place(&["iotype", "type", "diskread", "diskwrite", "diskflush"])?,
        start: place(&["starttime", "start", "inittime"]),
        end: place(&["endtime", "end", "completetime", "timestamp"]),
        took: place(&["iotime", "elapsedtime", "elapsed", "responsetime"]),
        offset: place(&["offset", "byteoffset", "startoffset", "minoffset"]).or(Some(usize::MAX))?,
        size: place(&["iosize", "size", "transfersize", "length"]).or(Some(usize::MAX))?,
        disk: place(&["disk", "disknum", "disknumber"]),
    })
}

/// True if a line is a header of these tables: of disk I/Os, of all events of the dumper, or of the summary of files that
/// precedes `-detail`.
pub(super) fn is_header(line: &[u8]) -> bool {
    line == b"BeginHeader" || is_detail_header(line) || is_dumper_header(line) || is_summary_header(line)
}

fn is_summary_header(line: &[u8]) -> bool {
    const NAMES: [&str; 4] = ["count", "size", "srvt", "rcount"];
    by_commas(line).map(plain).take(NAMES.len()).eq(NAMES.map(|name| name.as_bytes().to_vec()))
}

/// True if a line names the columns of `-detail`.
fn is_detail_header(line: &[u8]) -> bool {
    // Of a line of figures, which most are, the second field is one.
    let is_figure = |field: &[u8]| integer(field).is_some();
    if by_commas(line).nth(1).is_some_and(is_figure) {
        return false;
    }
    columns_of(line).is_some_and(|columns| {
        columns.start.is_some() && columns.offset != usize::MAX && columns.size != usize::MAX
    })
}

/// True if a line names the columns of the dumper's reads or writes.
fn is_dumper_header(line: &[u8]) -> bool {
    let first = by_commas(line).next().map(plain).unwrap_or_default();
    let is_event = first == b"diskread" || first == b"diskwrite";
    is_event && by_commas(line).nth(1).is_some_and(|second| plain(second) == b"timestamp")
}

fn time(field: &[u8]) -> Option<u64> {
    let whole = field.split(|byte| *byte == b'.').next().unwrap_or(field);
    integer(whole)
}

impl XperfColumns {
    fn read<'a>(&self, line: &'a [u8], op: Op) -> Line<'a> {
        let fields: Vec<&[u8]> = by_commas(line).collect();
        let text = |at: Option<usize>| at.and_then(|at| fields.get(at)).copied();
        let (start, end) = (text(self.start).and_then(time), text(self.end).and_then(time));
        let took = text(self.took).and_then(|field| signed(field, time));
        let (at, latency) = match (start, end, took) {
            _ if self.start.is_some() && start.is_none() => {
                return Line::Malformed("the start time cannot be read");
            }
            (Some(start), _, Some(took)) => (start, took),
            (Some(start), Some(end), None) => {
                (start, end.checked_sub(start).map_or(ParsedLatency::Negative, ParsedLatency::Known))
            }
            (Some(start), None, None) => (start, ParsedLatency::Unknown),
            (None, Some(end), Some(ParsedLatency::Known(took))) => {
                (end.saturating_sub(took), ParsedLatency::Known(took))
            }
            (None, Some(end), took) => (end, took.unwrap_or(ParsedLatency::Unknown)),
            _ => return Line::Malformed("the time cannot be read"),
        };
        let bytes = |at: usize| fields.get(at).copied().and_then(integer);
        let (offset, length) = if op == Op::Flush {
            (0, 0)
        } else {
            match (bytes(self.offset), bytes(self.size)) {
                (Some(offset), Some(length)) => (offset, length),
                _ => return Line::Malformed("the offset or the size cannot be read"),
            }
        };
        let device = self.disk.and_then(|at| fields.get(at)).copied().unwrap_or(b"0");
        Line::Io(Parsed { time: Time::Units(at), device, op, offset, length, latency })
    }
}

impl LineParser for XperfLines {
    fn parse<'a>(&'a mut self, line: &'a [u8], _: u64) -> Line<'a> {
        if is_detail_header(line) {
            self.detail = columns_of(line);
            return Line::Passed;
        }
        let first = by_commas(line).next().unwrap_or_default();
        let is_event = first.len() > 4 && first[..4].eq_ignore_ascii_case(b"disk");
        let second = by_commas(line).nth(1).map(plain).unwrap_or_default();
        if is_event && second == b"timestamp" {
            match plain(first).as_slice() {
                b"diskread" | b"diskwrite" => self.dumper = columns_of(line),
                b"diskflush" => self.flush = columns_of(line),
                _ => {}
            }
            return Line::Passed;
        }
        if is_event && let Some(columns) = self.dumper {
            return match plain(first).as_slice() {
                b"diskread" => columns.read(line, Op::Read),
                b"diskwrite" => columns.read(line, Op::Write),
                b"diskflush" => self.flush.unwrap_or(columns).read(line, Op::Flush),
                // Its beginning, DiskReadInit, is no I/O of its own.
                _ => Line::Passed,
            };
        }
        let Some(columns) = self.detail else { return Line::Passed };
        let kind = by_commas(line).nth(columns.kind).map(plain).unwrap_or_default();
        match kind.as_slice() {
            b"read" | b"diskread" => columns.read(line, Op::Read),
            b"write" | b"diskwrite" => columns.read(line, Op::Write),
            b"flush" | b"diskflush" => columns.read(line, Op::Flush),
            // Rows of other tables, such as the summary, have fewer fields.
            _ if by_commas(line).count() >= columns.count
                && by_commas(line).any(|field| integer(field).is_some()) =>
            {
                Line::Malformed("the I/O type is unknown")
            }
            _ => Line::Passed,
        }
    }
}
