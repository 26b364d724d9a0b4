//! The binary files of VMware's `vscsiStats`, as CloudPhysics published them (`.vscsi`): records of one length without a header,
//! little-endian. libCacheSim's reader has the same layouts.
//!
//! - version 1, 32 bytes: `serial` (32 bits), `length` (32), `elements` (32), `command` (16), `version` (16), `block` (64),
//!   `time` (64);
//! - version 2, 40 bytes: `command` (16), `version` (16), `serial` (32), `length` (32), `elements` (32), `block` (64), `time`
//!   (64), `response` (64).
//!
//! The upper byte of `version` is 1 or 2. Lengths are bytes, blocks are sectors of 512 bytes, and times are microseconds.

use std::io::{BufReader, Read};

use iobound_trace::{BATCH, Record, Source, TraceError, TraceFacts};
use iobound_units::Op;

use super::devices::Devices;
use super::format::TraceFormat;
use super::lines::{Line, record};
use super::stream::{fill, peeked};
use super::tally::MalformedTally;
use super::unit::TimeUnit;
use super::vscsi::VscsiCommands;

/// The longest record.
const LONGEST: usize = 40;
/// Records at a file's begin that must be of one version.
const LOOKED_AT: usize = 16;
/// Bytes of these records, in either version.
const HEAD: usize = LOOKED_AT * LONGEST;

/// The layout of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VscsiVersion {
    V1,
    V2,
}

/// A command.
struct VscsiRecord {
    command: u16,
    version: u16,
    length: u32,
    block: u64,
    time: u64,
    response: Option<u64>,
}

impl VscsiVersion {
    const fn bytes(self) -> usize {
        match self {
            VscsiVersion::V1 => 32,
            VscsiVersion::V2 => LONGEST,
        }
    }

    /// The fields of a record, which has as many bytes.
    fn read(self, bytes: &[u8]) -> VscsiRecord {
        let part = |at: usize, len: usize| {
            let mut word = [0; 8];
            word[..len].copy_from_slice(&bytes[at..at + len]);
            u64::from_le_bytes(word)
        };
        let [command, version, length] = match self {
            VscsiVersion::V1 => [12, 14, 4],
            VscsiVersion::V2 => [0, 2, 8],
        };
        VscsiRecord {
            command: part(command, 2) as u16,
            version: part(version, 2) as u16,
            length: part(length, 4) as u32,
            block: part(16, 8),
            time: part(24, 8),
            response: (self == VscsiVersion::V2).then(|| part(32, 8)),
        }
    }

    /// True if a record of this layout says that it is of this version. Commands have one byte, so that the other one is zero,
    /// which no text has.
    fn is_of(self, record: &VscsiRecord) -> bool {
        let number = if self == VscsiVersion::V1 { 1 } else { 2 };
        record.version >> 8 == number && record.command <= 0xff
    }

    /// The version of a file by its first records; `None`: it has none, or may be of both versions.
    fn of(head: &[u8]) -> Option<VscsiVersion> {
        let fits = |version: &VscsiVersion| {
            let mut records = head.chunks_exact(version.bytes()).take(LOOKED_AT).peekable();
            records.peek().is_some() && records.all(|bytes| version.is_of(&version.read(bytes)))
        };
        let mut fitting = [VscsiVersion::V1, VscsiVersion::V2].into_iter().filter(fits);
        let version = fitting.next();
        version.filter(|_| fitting.next().is_none())
    }
}

/// True if a file begins with records of one of the versions.
pub(super) fn is_vscsi(head: &[u8]) -> bool {
    VscsiVersion::of(head).is_some()
}

/// The commands of a file, in its order.
pub(super) struct VscsiRecords {
    input: BufReader<Box<dyn Read>>,
    version: VscsiVersion,
    unit: TimeUnit,
    commands: VscsiCommands,
    devices: Devices,
    number: u64,
    ios: u64,
    other_ops: u64,
    zero_length: u64,
    tally: MalformedTally,
    ended: bool,
}

impl VscsiRecords {
    /// Reads a file whose times are in this unit.
    ///
    /// # Errors
    /// Returns an error if the file does not begin with records of one version.
    pub(super) fn new(input: Box<dyn Read>, unit: TimeUnit) -> Result<VscsiRecords, TraceError> {
        let (head, input) = peeked(input, HEAD)?;
        let version = VscsiVersion::of(&head).ok_or_else(|| {
            TraceError::new("the file has no records of vscsiStats, version 1 or 2")
                .help("name a file that vscsiStats wrote")
        })?;
        Ok(VscsiRecords {
            input: BufReader::with_capacity(1 << 18, input),
            version,
            unit,
            commands: VscsiCommands::default(),
            devices: Devices::default(),
            number: 0,
            ios: 0,
            other_ops: 0,
            zero_length: 0,
            tally: MalformedTally::of_records(),
            ended: false,
        })
    }

    /// The record of a command, or why it is none.
    fn parsed(&mut self, bytes: &[u8]) -> Result<Result<Option<Record>, &'static str>, TraceError> {
        let raw = self.version.read(bytes);
        if !self.version.is_of(&raw) {
            return Ok(Err("the version or the command is not that of the first records"));
        }
        let line =
            self.commands.read(raw.command.into(), raw.time, raw.length.into(), raw.block, raw.response);
        match line {
            Line::Io(parsed) => Ok(record(&parsed, self.unit, &mut self.devices)?.map(Some)),
            Line::Malformed(why) => Ok(Err(why)),
            Line::Passed | Line::OtherOp => Ok(Ok(None)),
        }
    }
}

/// The bytes of a record, as the error shows them.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Source for VscsiRecords {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        let mut bytes = [0; LONGEST];
        let bytes = &mut bytes[..self.version.bytes()];
        while batch.len() - before < BATCH && !self.ended {
            let got = fill(&mut self.input, bytes)?;
            self.ended = got < bytes.len();
            if got > 0 {
                self.number += 1;
            }
            let parsed = match got {
                0 => Ok(None),
                got if got < bytes.len() => Err("the last record is cut short"),
                _ => self.parsed(bytes)?,
            };
            match parsed {
                Ok(Some(record)) => {
                    self.zero_length += u64::from(record.length == 0 && record.op != Op::Flush);
                    self.ios += 1;
                    batch.push(record);
                }
                Ok(None) => self.other_ops += u64::from(got > 0),
                Err(why) => self.tally.add(self.number, hexadecimal(&bytes[..got]).as_bytes(), why)?,
            }
            if self.ended {
                self.tally.ended(self.number, self.ios)?;
            }
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.devices.names()
    }

    fn facts(&self) -> TraceFacts {
        TraceFacts {
            format: TraceFormat::VscsiBinary.name().into(),
            time_unit: self.unit.name().into(),
            lines: self.number,
            malformed: self.tally.malformed().clone(),
            other_ops: self.other_ops,
            zero_length: self.zero_length,
            notes: self.commands.notes(),
            ..TraceFacts::default()
        }
    }
}
