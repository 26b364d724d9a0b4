//! The block traces of Microsoft Research Cambridge (SNIA IOTTA 388):
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`. Times are Windows' FILETIME, 100 ns since 1601, and
//! become times since 1970; offset and size are bytes; the timestamp is that of issue.

use iobound_units::Op;

use super::latency::{ParsedLatency, signed};
use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{REORDERED, are_names, decimal, is_reordered, time, up_to};
use super::unit::TimeUnit;

/// Names of the columns, in order.
pub(super) const ORDER: [&str; 7] =
    ["timestamp", "hostname", "disknumber", "type", "offset", "size", "responsetime"];

/// FILETIME of the begin of 1970, where the other formats count from.
const EPOCH: u64 = 116_444_736_000_000_000;

pub(super) struct MsrLines {
    /// Number that is subtracted from a FILETIME; zero if the times are in another unit than 100 ns.
    epoch: u64,
    /// True behind a header that names the columns in another order.
    is_reordered: bool,
    /// Host and disk of a line that has something but a comma between them.
    device: Vec<u8>,
}

impl MsrLines {
    pub(super) fn new(unit: TimeUnit) -> MsrLines {
        let epoch = if unit == TimeUnit::Ticks { EPOCH } else { 0 };
        MsrLines { epoch, is_reordered: false, device: Vec::new() }
    }

    /// The time since 1970, of a date. Times that are less have another begin, and stay.
    fn since_1970(&self, time: Time) -> Time {
        let less = |value: u64| value.checked_sub(self.epoch).unwrap_or(value);
        match time {
            Time::Units(value) => Time::Units(less(value)),
            Time::Fraction { whole, billionths } => Time::Fraction { whole: less(whole), billionths },
            Time::Ns(value) => Time::Ns(value),
        }
    }
}

impl LineParser for MsrLines {
    fn parse<'a>(&'a mut self, line: &'a [u8], _: u64) -> Line<'a> {
        if self.is_reordered {
            return Line::Malformed(REORDERED);
        }
        let ([at, host, disk, kind, offset, size, response], count) = up_to(line);
        if count < 6 {
            return Line::Malformed("expected 7 fields");
        }
        // Some copies of these traces are without response times.
        let response = Some(response).filter(|field| !field.is_empty());
        let op = match kind {
            b"Read" => Op::Read,
            b"Write" => Op::Write,
            kind if kind.eq_ignore_ascii_case(b"read") => Op::Read,
            kind if kind.eq_ignore_ascii_case(b"write") => Op::Write,
            _ if are_names(line) => {
                self.is_reordered = is_reordered(line, &ORDER);
                return if self.is_reordered { Line::Malformed(REORDERED) } else { Line::Passed };
            }
            _ => return Line::Malformed("the type is neither Read nor Write"),
        };
        let (Some(time), Some(_), Some(offset), Some(length)) =
            (time(at), decimal(disk), decimal(offset), decimal(size))
        else {
            return Line::Malformed("a number cannot be read");
        };
        let latency = match response.map(|field| signed(field, decimal)) {
            None => ParsedLatency::Unknown,
            Some(Some(latency)) => latency,
            Some(None) => return Line::Malformed("the response time can't be read"),
        };
        // `host,disk` stand side by side in most lines.
        let place = |field: &[u8]| field.as_ptr() as usize - line.as_ptr() as usize;
        let device = if place(host) + host.len() + 1 == place(disk) {
            &line[place(host)..place(disk) + disk.len()]
        } else {
            self.device.clear();
            [host, b",", disk].iter().for_each(|part| self.device.extend_from_slice(part));
            &self.device
        };
        Line::Io(Parsed { time: self.since_1970(time), device, op, offset, length, latency })
    }
}
