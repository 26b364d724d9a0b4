//! Alibaba's block traces: `device_id,opcode,offset,length,timestamp`. Bytes, and microseconds since 1970; the opcode is R or W.

use iobound_units::Op;

use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{are_names, decimal, first};

pub(super) struct AlibabaLines;

impl LineParser for AlibabaLines {
    fn parse<'a>(&mut self, line: &'a [u8], _: u64) -> Line<'a> {
        let Some([device, opcode, offset, length, time]) = first(line) else {
            return Line::Malformed("expected 5 fields");
        };
        let op = match opcode {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            _ if are_names(line) => return Line::Passed,
            _ => return Line::Malformed("the opcode is neither R nor W"),
        };
        let (Some(_), Some(offset), Some(length), Some(time)) =
            (decimal(device), decimal(offset), decimal(length), decimal(time))
        else {
            return Line::Malformed("a number cannot be read");
        };
        Line::Io(Parsed { time: Time::Units(time), device, op, offset, length, latency: None })
    }
}
