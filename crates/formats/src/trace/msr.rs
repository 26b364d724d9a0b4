//! The block traces of Microsoft Research Cambridge (SNIA IOTTA 388):
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`. Times are Windows' FILETIME, 100 ns since 1601; offset and
//! size are bytes; the timestamp is that of issue.

use iobound_units::Op;

use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{by_commas, decimal, exactly};

pub(super) struct MsrLines;

impl LineParser for MsrLines {
    fn parse<'a>(&mut self, line: &'a [u8], number: u64) -> Line<'a> {
        let Some([time, host, disk, kind, offset, size, response]) = exactly(by_commas(line)) else {
            return Line::Malformed("expected 7 fields");
        };
        if number == 1 && time.eq_ignore_ascii_case(b"timestamp") {
            return Line::Passed;
        }
        let op = match kind {
            kind if kind.eq_ignore_ascii_case(b"read") => Op::Read,
            kind if kind.eq_ignore_ascii_case(b"write") => Op::Write,
            _ => return Line::Malformed("the type is neither Read nor Write"),
        };
        let (Some(time), Some(_), Some(offset), Some(length), Some(latency)) =
            (decimal(time), decimal(disk), decimal(offset), decimal(size), decimal(response))
        else {
            return Line::Malformed("a number cannot be read");
        };
        // `host,disk` stand side by side in the line.
        let end = disk.as_ptr() as usize - line.as_ptr() as usize + disk.len();
        let begin = host.as_ptr() as usize - line.as_ptr() as usize;
        let device = &line[begin..end];
        Line::Io(Parsed { time: Time::Units(time), device, op, offset, length, latency: Some(latency) })
    }
}
