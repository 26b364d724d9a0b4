//! Tencent's block traces (SNIA IOTTA 27917): `Timestamp,Offset,Size,IOType,VolumeID`. Seconds since 1970; offset and size in
//! sectors of 512 bytes; type 0 is a read, 1 a write.

use iobound_units::Op;

use super::latency::ParsedLatency;
use super::lines::{Line, LineParser, Parsed};
use super::number::{REORDERED, are_names, decimal, first, is_reordered, sectors, time};

/// Names of the columns, in order.
pub(super) const ORDER: [&str; 5] = ["timestamp", "offset", "size", "iotype", "volumeid"];

#[derive(Default)]
pub(super) struct TencentLines {
    /// True behind a header that names the columns in another order.
    is_reordered: bool,
}

impl LineParser for TencentLines {
    fn parse<'a>(&'a mut self, line: &'a [u8], _: u64) -> Line<'a> {
        if self.is_reordered {
            return Line::Malformed(REORDERED);
        }
        let Some([at, offset, size, kind, device]) = first(line) else {
            return Line::Malformed("expected 5 fields");
        };
        let op = match kind {
            b"0" => Op::Read,
            b"1" => Op::Write,
            _ if are_names(line) => {
                self.is_reordered = is_reordered(line, &ORDER);
                return if self.is_reordered { Line::Malformed(REORDERED) } else { Line::Passed };
            }
            _ => return Line::Malformed("the type is neither 0 nor 1"),
        };
        let (Some(time), Some(offset), Some(length), Some(_)) =
            (time(at), sectors(offset), sectors(size), decimal(device))
        else {
            return Line::Malformed("a number cannot be read");
        };
        Line::Io(Parsed { time, device, op, offset, length, latency: ParsedLatency::Unknown })
    }
}
