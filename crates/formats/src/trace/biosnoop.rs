//! `biosnoop` of bcc and of its libbpf tools. The header says which columns there are:
//! `[TIME] TIME(s)|TIMESTAMP COMM PID DISK T SECTOR BYTES|SECTORS [P] [QUE(ms)] LAT(ms)`.
//!
//! The time is that of completion: `TIME(s)` in seconds since the first I/O completed, `TIMESTAMP` the time of day. Issue is
//! `LAT(ms)` earlier.
//!
//! A file without a header is read if its first I/Os are what bcc's tool or that of libbpf-tools prints: times in seconds with 6
//! or 9 decimals, latencies with 2 or 3, lengths in bytes.

use iobound_trace::TraceError;
use iobound_units::Op;

use super::latency::{ParsedLatency, signed};
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
    /// True if the file has no header.
    are_inferred: bool,
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

/// True if a text is a number with this many decimals.
fn has_decimals(text: &[u8], counts: [usize; 2]) -> bool {
    let decimals = text.iter().rev().position(|byte| *byte == b'.');
    decimals.is_some_and(|decimals| counts.contains(&decimals)) && billionths(text).is_some()
}

/// Columns of a line without a header; `None` if it is no I/O of these tools.
fn inferred(line: &[u8]) -> Option<BiosnoopColumns> {
    let is_latency = |field: &[u8]| has_decimals(field, [2, 3]);
    // The time in the queue is -1 if it is unknown.
    let is_queued = |field: &[u8]| is_latency(field.strip_prefix(b"-").unwrap_or(field));
    let is_pattern =
        |field: &[u8]| matches!(field, [letter] if letter.is_ascii_alphabetic() || *letter == b'?');
    let is_sector = |field: &[u8]| field == b"-1" || decimal(field).is_some();
    let is_kind = |field: &[u8]| {
        field.first().is_some_and(|first| b"RWDFN".contains(first))
            && field.iter().all(u8::is_ascii_uppercase)
    };
    let is_seconds = |field: &[u8]| has_decimals(field.strip_prefix(b"-").unwrap_or(field), [6, 9]);
    let words: Vec<&[u8]> = by_spaces(line).collect();
    let from_end = |at: usize| words.len().checked_sub(at + 1).map(|at| words[at]);
    let optional = |at: usize, is: &dyn Fn(&[u8]) -> bool| at + usize::from(from_end(at).is_some_and(is));
    let length = optional(optional(1, &is_queued), &is_pattern);
    let (sector, kind, disk, pid) = (length + 1, length + 2, length + 3, length + 4);
    let time = usize::from(words.len() > 1 && time_of_day(words[0]).is_some() && is_seconds(words[1]));
    let is_time_of_day = !is_seconds(words.get(time)?);
    let is_io = is_latency(from_end(0)?)
        && decimal(from_end(length)?).is_some()
        && is_sector(from_end(sector)?)
        && is_kind(from_end(kind)?)
        && decimal(from_end(disk)?).is_none()
        && decimal(from_end(pid)?).is_some()
        && words.len() > pid + 1 + time
        && (!is_time_of_day || time_of_day(words[time]).is_some());
    // From PID on, COMM, and one time or two.
    let count = pid + 1 + 1 + time + 1;
    is_io.then_some(BiosnoopColumns {
        count,
        time,
        is_time_of_day,
        disk,
        kind,
        sector,
        length,
        in_sectors: false,
        latency: 0,
    })
}

/// True if a line is an I/O of bcc's tool or that of libbpf-tools.
pub(super) fn is_line(line: &[u8]) -> bool {
    inferred(line).is_some()
}

/// True if a line is an I/O of a tool that prints no sectors and lengths, such as bpftrace's:
/// `TIME(ms) [MAJOR MINOR|DISK] COMM PID LAT(ms)`, all integers but the names.
pub(super) fn is_line_without_sectors(line: &[u8]) -> bool {
    let words: Vec<&[u8]> = by_spaces(line).collect();
    let is_number = |at: usize| words.get(at).copied().and_then(decimal).is_some();
    let last = words.len().saturating_sub(1);
    (3..9).contains(&last)
        && is_number(0)
        && is_number(last)
        && is_number(last - 1)
        && !is_number(last - 2)
        && words[last - 2].iter().any(u8::is_ascii_alphabetic)
}

/// True if a line is the header of a tool that prints latencies without sectors and lengths, such as bpftrace's.
pub(super) fn is_header_without_sectors(line: &[u8]) -> bool {
    let names = || by_spaces(line);
    let has = |name: &[u8]| names().any(|found| found == name);
    names().next().is_some_and(|first| first.starts_with(b"TIME"))
        && has(b"COMM")
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
    /// The parser of a file with these first lines.
    ///
    /// # Errors
    /// Returns an error if the file has no header and its lengths may be sectors.
    pub(super) fn behind<'a>(
        lines: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<BiosnoopLines, TraceError> {
        if lines.clone().any(is_header) {
            return Ok(BiosnoopLines::default());
        }
        let columns = lines.clone().find_map(inferred);
        let length_of = |line: &[u8]| {
            let columns = inferred(line)?;
            by_spaces(line).rev().nth(columns.length).and_then(decimal).filter(|length| *length > 0)
        };
        let (mut whole, mut odd) = (0, 0);
        for length in lines.filter_map(length_of) {
            if length % SECTOR == 0 { whole += 1 } else { odd += 1 }
        }
        // Commands that are no I/O of blocks have any length; they are few.
        if odd > whole {
            return Err(TraceError::new(format!(
                "{odd} of the first {} lengths are no multiples of {SECTOR}, and the file has no header: they may be sectors",
                odd + whole
            ))
            .help("write the header of the tool before the first line: TIME(s) COMM PID DISK T SECTOR SECTORS LAT(ms)"));
        }
        Ok(BiosnoopLines { columns, are_inferred: true, ..BiosnoopLines::default() })
    }

    /// A time in ns, [`BASE_NS`] at the tool's zero; days follow each other.
    fn time(&mut self, text: &[u8], is_time_of_day: bool) -> Option<u64> {
        if !is_time_of_day {
            // The first line that is printed need not be the first I/O that completed.
            return match text.strip_prefix(b"-") {
                Some(before) => BASE_NS.checked_sub(billionths(before)?),
                None => BASE_NS.checked_add(billionths(text)?),
            };
        }
        let time = time_of_day(text)?;
        let (last, day) = self.last;
        let day = if last > time && last - time > MIDNIGHT_NS { day + DAY_NS } else { day };
        self.last = (time, day);
        Some(BASE_NS + day + time)
    }
}

impl LineParser for BiosnoopLines {
    fn parse<'a>(&'a mut self, line: &'a [u8], _: u64) -> Line<'a> {
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
        let (Some(time), Some(latency)) = (
            self.time(fields[columns.time], columns.is_time_of_day),
            signed(field(columns.latency), milliseconds),
        ) else {
            return Line::Malformed("the time or the latency cannot be read");
        };
        let length = decimal(field(columns.length))
            .and_then(|length| if columns.in_sectors { length.checked_mul(SECTOR) } else { Some(length) });
        let Some(length) = length else { return Line::Malformed("the length cannot be read") };
        let device = field(columns.disk);
        // The column is empty if the tool missed the I/O's begin: then the process is in its place, and the sector is 0.
        if decimal(device).is_some() {
            return Line::OtherOp;
        }
        // A flush has no place, which is printed as -1 or as the largest number. bcc's tool calls it a read.
        let is_nowhere = matches!(field(columns.sector), b"-1" | b"18446744073709551615");
        let op = match op_of(field(columns.kind), length) {
            Some(_) if is_nowhere && length == 0 => Op::Flush,
            Some(op) => op,
            None => return Line::OtherOp,
        };
        let offset = match op {
            Op::Flush => Some(0),
            _ => decimal(field(columns.sector)).and_then(|sector| sector.checked_mul(SECTOR)),
        };
        let Some(offset) = offset else { return Line::Malformed("the sector cannot be read") };
        // The time is that of completion, and that of issue if the latency is not known.
        let took = if let ParsedLatency::Known(latency) = latency { latency } else { 0 };
        let Some(at) = time.checked_sub(took) else {
            return Line::Malformed("the latency is longer than the time since a day before the first I/O");
        };
        let length = if op == Op::Flush { 0 } else { length };
        Line::Io(Parsed { time: Time::Ns(at), device, op, offset, length, latency })
    }

    fn notes(&self) -> Vec<String> {
        let note = "the file has no header: lengths are taken as bytes, and the time as that of completion";
        self.are_inferred.then(|| note.to_string()).into_iter().collect()
    }
}
