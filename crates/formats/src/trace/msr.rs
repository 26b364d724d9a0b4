//! The block traces of Microsoft Research Cambridge (SNIA IOTTA 388):
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`. Times are Windows' FILETIME, 100 ns since 1601; offset and
//! size are bytes; the timestamp is that of issue.

use iobound_units::Op;

use super::latency::{ParsedLatency, signed};
use super::lines::{Line, LineParser, Parsed};
use super::number::{REORDERED, are_names, decimal, is_reordered, time, up_to};

/// Names of the columns, in order.
const ORDER: [&str; 7] = ["timestamp", "hostname", "disknumber", "type", "offset", "size", "responsetime"];

#[derive(Default)]
pub(super) struct MsrLines {
    /// True behind a header that names the columns in another order.
    is_reordered: bool,
    /// Host and disk of a line that has something but a comma between them.
    device: Vec<u8>,
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
        Line::Io(Parsed { time, device, op, offset, length, latency })
    }
}
