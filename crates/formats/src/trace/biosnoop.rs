//! `biosnoop` of bcc and of its libbpf tools. The header says which columns there are:
//! `TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)`, with `SECTORS` instead of `BYTES` in newer tools.
//!
//! The time is that of completion, in seconds since the first I/O completed. Issue is so much earlier as `LAT(ms)` says.

use iobound_units::Op;

use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{SECTOR, billionths, by_spaces, decimal};

/// Added to every time: the first I/Os were issued before the tool's zero.
const BASE_NS: u64 = 86_400 * 1_000_000_000;

/// Places of the columns, from the end of a line.
#[derive(Clone, Copy, Debug)]
struct BiosnoopColumns {
    count: usize,
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
}

fn columns_of(line: &[u8]) -> Option<BiosnoopColumns> {
    let names: Vec<&[u8]> = by_spaces(line).collect();
    if names.first() != Some(&b"TIME(s)".as_slice()) {
        return None;
    }
    let from_end = |name: &[u8]| names.iter().rev().position(|found| *found == name);
    let (length, in_sectors) = match from_end(b"BYTES") {
        Some(at) => (at, false),
        None => (from_end(b"SECTORS")?, true),
    };
    Some(BiosnoopColumns {
        count: names.len(),
        disk: from_end(b"DISK")?,
        kind: from_end(b"T")?,
        sector: from_end(b"SECTOR")?,
        length,
        in_sectors,
        latency: from_end(b"LAT(ms)")?,
    })
}

/// Whether a line is the header.
pub(super) fn is_header(line: &[u8]) -> bool {
    columns_of(line).is_some()
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
            (billionths(fields[0]), billionths(field(columns.latency)).map(|ms| ms / 1_000))
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
