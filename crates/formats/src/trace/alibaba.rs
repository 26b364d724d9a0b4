//! Alibaba's block traces: `device_id,opcode,offset,length,timestamp`. Bytes, and microseconds since 1970; the opcode is R or W.

use iobound_units::Op;

use super::latency::ParsedLatency;
use super::lines::{Line, LineParser, Parsed};
use super::number::{REORDERED, are_names, decimal, first, is_reordered, time};

/// Names of the columns, in order.
pub(super) const ORDER: [&str; 5] = ["deviceid", "opcode", "offset", "length", "timestamp"];

#[derive(Default)]
pub(super) struct AlibabaLines {
    /// True behind a header that names the columns in another order.
    is_reordered: bool,
}

impl LineParser for AlibabaLines {
    fn parse<'a>(&'a mut self, line: &'a [u8], _: u64) -> Line<'a> {
        if self.is_reordered {
            return Line::Malformed(REORDERED);
        }
        let Some([device, opcode, offset, length, at]) = first(line) else {
            return Line::Malformed("expected 5 fields");
        };
        let op = match opcode {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            _ if are_names(line) => {
                self.is_reordered = is_reordered(line, &ORDER);
                return if self.is_reordered { Line::Malformed(REORDERED) } else { Line::Passed };
            }
            _ => return Line::Malformed("the opcode is neither R nor W"),
        };
        let (Some(_), Some(offset), Some(length), Some(time)) =
            (decimal(device), decimal(offset), decimal(length), time(at))
        else {
            return Line::Malformed("a number cannot be read");
        };
        Line::Io(Parsed { time, device, op, offset, length, latency: ParsedLatency::Unknown })
    }
}
