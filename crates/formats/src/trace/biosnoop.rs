//! `biosnoop` of bcc and of its libbpf tools. The header says which columns there are:
//! `[TIME] TIME(s)|TIMESTAMP COMM PID DISK T SECTOR BYTES|SECTORS [P] [QUE(ms)] LAT(ms)`.
//!
//! The time is that of completion: `TIME(s)` in seconds since the first I/O completed, `TIMESTAMP` the time of day. Issue is
//! `LAT(ms)` earlier.

use iobound_units::Op;

use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{SECTOR, billionths, by_spaces, decimal};

const DAY_NS: u64 = 86_400 * 1_000_000_000;
/// Added to every time: the first I/Os were issued before the tool's zero.
const BASE_NS: u64 = DAY_NS;
/// A time of day that is earlier than the one before by this much is of the next day.
const MIDNIGHT_NS: u64 = DAY_NS / 2;

/// Places of the columns, from the end of a line.
#[derive(Clone, Copy, Debug)]
struct BiosnoopColumns {
    count: usize,
    /// Place of the time, from the begin of a line.
    time: usize,
    is_time_of_day: bool,
    disk: usize,
    kind: usize,
    sector: usize,
    length: usize,
    in_sectors: bool,
    latency: usize,
}

#[derive(Default)]
pub(super) struct BiosnoopLines {
    columns: Option<BiosnoopColumns>,
    /// The last time of day, and the begin of its day.
    last: (u64, u64),
}

fn columns_of(line: &[u8]) -> Option<BiosnoopColumns> {
    let is_time = |name: &[u8]| name == b"TIME(s)" || name == b"TIMESTAMP";
    let time = by_spaces(line).take(2).position(is_time)?;
    let names: Vec<&[u8]> = by_spaces(line).collect();
    let from_end = |name: &[u8]| names.iter().rev().position(|found| *found == name);
    let (length, in_sectors) = match from_end(b"BYTES") {
        Some(at) => (at, false),
        None => (from_end(b"SECTORS")?, true),
    };
    Some(BiosnoopColumns {
        count: names.len(),
        time,
        is_time_of_day: names[time] == b"TIMESTAMP",
        disk: from_end(b"DISK")?,
        kind: from_end(b"T")?,
        sector: from_end(b"SECTOR")?,
        length,
        in_sectors,
        latency: from_end(b"LAT(ms)")?,
    })
}

/// True if a line is the header.
pub(super) fn is_header(line: &[u8]) -> bool {
    columns_of(line).is_some()
}

/// True if a line is the header of a tool that prints latencies without sectors and lengths, such as bpftrace's.
pub(super) fn is_header_without_sectors(line: &[u8]) -> bool {
    let names = || by_spaces(line);
    let has = |name: &[u8]| names().any(|found| found == name);
    names().next().is_some_and(|first| first.starts_with(b"TIME"))
        && has(b"DISK")
        && has(b"LAT(ms)")
        && !has(b"SECTOR")
}

/// A time of day such as `13:05:07.123`, in ns.
fn time_of_day(text: &[u8]) -> Option<u64> {
    let mut parts = text.split(|byte| *byte == b':');
    let (hours, minutes, seconds) = (decimal(parts.next()?)?, decimal(parts.next()?)?, parts.next()?);
    if parts.next().is_some() || hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = billionths(seconds).filter(|ns| *ns < 61 * 1_000_000_000)?;
    Some((hours * 60 + minutes) * 60 * 1_000_000_000 + seconds)
}

/// The operation of `R`, `WS`, `FF`, `D`; `None`: one without a record.
fn op_of(kind: &[u8], length: u64) -> Option<Op> {
    let kind = if kind.len() > 1 && kind[0] == b'F' { &kind[1..] } else { kind };
    match kind.first()? {
        b'R' => Some(Op::Read),
        b'W' if length == 0 => Some(Op::Flush),
        b'W' => Some(Op::Write),
        b'D' => Some(Op::Discard),
        b'F' => Some(Op::Flush),
        _ => None,
    }
}

/// A number of milliseconds in ns.
fn milliseconds(text: &[u8]) -> Option<u64> {
    billionths(text).map(|ms| ms / 1_000)
}

impl BiosnoopLines {
    /// A time in ns; days follow each other.
    fn time(&mut self, text: &[u8], is_time_of_day: bool) -> Option<u64> {
        if !is_time_of_day {
            return billionths(text);
        }
        let time = time_of_day(text)?;
        let (last, day) = self.last;
        let day = if last > time && last - time > MIDNIGHT_NS { day + DAY_NS } else { day };
        self.last = (time, day);
        Some(day + time)
    }
}

impl LineParser for BiosnoopLines {
    fn parse<'a>(&mut self, line: &'a [u8], _: u64) -> Line<'a> {
        if let Some(columns) = columns_of(line) {
            self.columns = Some(columns);
            return Line::Passed;
        }
        let Some(columns) = self.columns else { return Line::Passed };
        let fields: Vec<&[u8]> = by_spaces(line).collect();
        // The name of a process may be empty or have spaces.
        if fields.len() + 1 < columns.count {
            return Line::Malformed("columns are missing");
        }
        let field = |from_end: usize| fields[fields.len() - 1 - from_end];
        let (Some(time), Some(latency)) =
            (self.time(fields[columns.time], columns.is_time_of_day), milliseconds(field(columns.latency)))
        else {
            return Line::Malformed("the time or the latency cannot be read");
        };
        let length = decimal(field(columns.length))
            .and_then(|length| if columns.in_sectors { length.checked_mul(SECTOR) } else { Some(length) });
        let Some(length) = length else { return Line::Malformed("the length cannot be read") };
        let Some(op) = op_of(field(columns.kind), length) else { return Line::OtherOp };
        // A flush has no place: it is printed as -1.
        let offset = match op {
            Op::Flush => Some(0),
            _ => decimal(field(columns.sector)).and_then(|sector| sector.checked_mul(SECTOR)),
        };
        let Some(offset) = offset else { return Line::Malformed("the sector cannot be read") };
        let Some(at) = time.checked_add(BASE_NS).and_then(|time| time.checked_sub(latency)) else {
            return Line::Malformed("the time is too large, or the latency is more than a day");
        };
        let length = if op == Op::Flush { 0 } else { length };
        let device = field(columns.disk);
        Line::Io(Parsed { time: Time::Ns(at), device, op, offset, length, latency: Some(latency) })
    }
}
