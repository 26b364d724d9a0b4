//! VMware's traces of SCSI commands as text. Four forms are known, with commas or spaces between the fields:
//!
//! - `serial length elements command block time`, the output of `vscsiStats -e`. Titles begin the file, and commands are
//!   words: `2147483692,4096,1,write,24048792,2756778716647`;
//! - the two binary records of these traces (`vscsi_binary.rs`), field by field:
//!   `serial length elements command version block time` and
//!   `command version serial length elements block time response`;
//! - `R|W seconds block sectors`;
//! - a header `version,time,op,size,lbn`, in any order and perhaps without the version, as libCacheSim's copies of the
//!   CloudPhysics traces have it. Commands are hexadecimal without `0x`. Its publisher writes whole seconds, and the unit is
//!   checked as that of the other forms.
//!
//! Lengths are bytes and blocks are sectors of 512 bytes, but in the third form, where lengths are sectors as well. Times are
//! microseconds. Commands are words (with commas), or SCSI operation codes, decimal or after `0x`.

use iobound_units::Op;

use super::latency::ParsedLatency;
use super::lines::{Line, LineParser, Parsed, Time};
use super::number::{SECTOR, billionths, by_commas, decimal, integer, trimmed};

/// Commands that become records, and the number of those that do not.
#[derive(Default)]
pub(super) struct VscsiCommands {
    others: u64,
}

#[derive(Default)]
pub(super) struct VscsiLines {
    commands: VscsiCommands,
    /// True if the user gave the unit of the times.
    is_unit_given: bool,
    /// Places of time, command, length and block, behind a header that names them.
    columns: Option<[usize; 4]>,
}

impl VscsiLines {
    pub(super) fn new(is_unit_given: bool) -> VscsiLines {
        VscsiLines { is_unit_given, ..VscsiLines::default() }
    }
}

/// Places of the columns that a header names.
fn columns_of(line: &[u8]) -> Option<[usize; 4]> {
    let place = |name: &str| by_commas(line).position(|field| field.eq_ignore_ascii_case(name.as_bytes()));
    Some([place("time")?, place("op")?, place("size")?, place("lbn")?])
}

/// True if a line is a header that names the columns.
pub(super) fn is_csv_header(line: &[u8]) -> bool {
    columns_of(line).is_some()
}

/// The most fields of a form.
const MOST: usize = 8;
/// Titles are expected in so many first lines; behind them a line without a number is malformed.
const TITLES: u64 = 20;

fn is_comma(byte: &u8) -> bool {
    matches!(byte, b',' | b';')
}

/// The fields of a line; `None`: more than any form has. Titles have spaces in their fields, so that commas decide if there
/// are any.
fn fields(line: &[u8]) -> Option<([&[u8]; MOST], usize)> {
    let (mut all, mut count): ([&[u8]; MOST], usize) = ([&[]; MOST], 0);
    let has_commas = line.iter().any(is_comma);
    let is_between = |byte: &u8| match has_commas {
        true => is_comma(byte),
        false => byte.is_ascii_whitespace(),
    };
    for field in line.split(is_between).map(trimmed).filter(|field| !field.is_empty()) {
        *all.get_mut(count)? = field;
        count += 1;
    }
    Some((all, count))
}

/// The operation of a command's word, such as `read` or `WRITE(10)`; `None`: one without a record.
fn op_of_word(word: &[u8]) -> Option<Op> {
    let is = |name: &[u8]| word.len() >= name.len() && word[..name.len()].eq_ignore_ascii_case(name);
    [
        (b"read".as_slice(), Op::Read),
        (b"write", Op::Write),
        (b"sync", Op::Flush),
        (b"flush", Op::Flush),
        (b"unmap", Op::Discard),
    ]
    .into_iter()
    .find_map(|(name, op)| is(name).then_some(op))
    .filter(|_| !is(b"read capacity") && !is(b"readcap") && !is(b"read_cap"))
}

/// The operation of a command: `Some(None)` is one without a record, `None` no SCSI command that disks get.
fn op_of(command: u64) -> Option<Option<Op>> {
    match command {
        0x08 | 0x28 | 0x88 | 0xa8 => Some(Some(Op::Read)),
        0x0a | 0x2a | 0x8a | 0xaa | 0x2e | 0x8e => Some(Some(Op::Write)),
        0x35 | 0x91 => Some(Some(Op::Flush)),
        0x42 => Some(Some(Op::Discard)),
        0x00..=0xff => Some(None),
        _ => None,
    }
}

/// True if a line is an I/O of one of these forms.
pub(super) fn is_line(line: &[u8]) -> bool {
    let mut parser = VscsiLines::default();
    matches!(parser.parse(line, TITLES + 1), Line::Io(_))
}

impl LineParser for VscsiLines {
    fn parse<'a>(&'a mut self, line: &'a [u8], number: u64) -> Line<'a> {
        if let Some(columns) = columns_of(line) {
            self.columns = Some(columns);
            return Line::Passed;
        }
        if let Some(columns) = self.columns {
            return self.of_columns(line, columns);
        }
        let Some((all, count)) = fields(line) else { return Line::Malformed("there are more than 8 fields") };
        let fields = &all[..count];
        if number <= TITLES && fields.iter().all(|field| integer(field).is_none()) {
            return Line::Passed;
        }
        if count == 4 {
            if self.is_unit_given {
                return Line::Malformed("the times of this form are seconds: leave --time-unit out");
            }
            return of_letters([all[0], all[1], all[2], all[3]]);
        }
        let (at, length, block, time, response) = match count {
            6 => (3, all[1], all[4], all[5], None),
            7 => (3, all[1], all[5], all[6], None),
            8 => (0, all[3], all[5], all[6], Some(all[7])),
            _ => return Line::Malformed("expected 4, 6, 7 or 8 fields"),
        };
        // Words are between commas: between spaces they may be the names of processes, such as `sync` in biosnoop's lines.
        let has_commas = line.iter().any(is_comma);
        let is_word = has_commas && all[at].first().is_some_and(u8::is_ascii_alphabetic);
        let is_number =
            |(index, field): (usize, &&[u8])| (index == at && is_word) || integer(field).is_some();
        if !fields.iter().enumerate().all(is_number) {
            return Line::Malformed("a number cannot be read");
        }
        let number_of = |field: &[u8]| integer(field).unwrap_or_default();
        let op = match is_word {
            true => op_of_word(all[at]),
            false => match op_of(number_of(all[at])) {
                None => return Line::Malformed("the command is unknown"),
                Some(op) => op,
            },
        };
        let response = response.map(number_of);
        self.commands.io(op, number_of(time), number_of(length), number_of(block), response)
    }

    fn notes(&self) -> Vec<String> {
        self.commands.notes()
    }
}

impl VscsiCommands {
    /// The record of a command with this operation code.
    pub(super) fn read(
        &mut self,
        command: u64,
        time: u64,
        length: u64,
        block: u64,
        latency: Option<u64>,
    ) -> Line<'static> {
        match op_of(command) {
            None => Line::Malformed("the command is unknown"),
            Some(op) => self.io(op, time, length, block, latency),
        }
    }

    /// Remarks about the commands.
    pub(super) fn notes(&self) -> Vec<String> {
        let others = (self.others > 0).then(|| format!("{} commands are neither I/O nor flush", self.others));
        others.into_iter().collect()
    }

    /// The record of a command, if it has one.
    fn io(
        &mut self,
        op: Option<Op>,
        time: u64,
        length: u64,
        block: u64,
        latency: Option<u64>,
    ) -> Line<'static> {
        let Some(op) = op else {
            self.others += 1;
            return Line::OtherOp;
        };
        let Some(offset) = block.checked_mul(SECTOR) else {
            return Line::Malformed("the block is too large");
        };
        let (offset, length) = if op == Op::Flush { (0, 0) } else { (offset, length) };
        Line::Io(Parsed {
            time: Time::Units(time),
            device: b"vscsi",
            op,
            offset,
            length,
            latency: latency.into(),
        })
    }
}

impl VscsiLines {
    /// A line behind a header.
    fn of_columns(&mut self, line: &[u8], columns: [usize; 4]) -> Line<'static> {
        let field = |place: usize| by_commas(line).nth(place).unwrap_or_default();
        let [time, op, length, block] = columns.map(field);
        let op = Some(op).filter(|op| op.iter().all(u8::is_ascii_hexdigit));
        let op = op.and_then(|op| u8::from_str_radix(std::str::from_utf8(op).ok()?, 16).ok());
        let op = op.and_then(|op| op_of(op.into()));
        let (Some(op), Some(time), Some(length), Some(block)) =
            (op, decimal(time), decimal(length), decimal(block))
        else {
            return Line::Malformed("a number cannot be read");
        };
        self.commands.io(op, time, length, block, None)
    }
}

fn of_letters<'a>([kind, time, block, length]: [&'a [u8]; 4]) -> Line<'a> {
    let op = match kind {
        kind if kind.eq_ignore_ascii_case(b"r") || kind.eq_ignore_ascii_case(b"read") => Op::Read,
        kind if kind.eq_ignore_ascii_case(b"w") || kind.eq_ignore_ascii_case(b"write") => Op::Write,
        _ => return Line::Malformed("the operation is neither R nor W"),
    };
    let in_bytes = |field| integer(field).and_then(|sectors| sectors.checked_mul(SECTOR));
    let (Some(time), Some(offset), Some(length)) = (billionths(time), in_bytes(block), in_bytes(length))
    else {
        return Line::Malformed("a number cannot be read");
    };
    Line::Io(Parsed {
        time: Time::Ns(time),
        device: b"vscsi",
        op,
        offset,
        length,
        latency: ParsedLatency::Unknown,
    })
}
