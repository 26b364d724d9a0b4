//! The binary files of `blktrace`, one for each processor (`sda.blktrace.0`), as Linux's `blktrace_api.h` defines them: events
//! of 48 bytes, each followed by data of its own. TraceFiles of one recording are merged by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{BufReader, Read};

use iobound_trace::{LARGEST, Ordered, Record, Source, TraceError, TraceFacts};
use iobound_units::Op;

use super::devices::Devices;
use super::format::TraceFormat;
use super::number::SECTOR;
use super::pairing::{Event, EventSource, EventStage, Paired};
use super::stream::fill;
use super::tally::MalformedTally;

/// The upper bytes of each event's first word; the lowest is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 0x07;
const EVENT: usize = 48;

/// Categories, above the 16 bits of the action.
const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const PASSTHROUGH: u32 = 1 << 25;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;
const DRIVER_DATA: u32 = 1 << 30;

/// True if a file begins with an event, in either order of bytes.
pub(super) fn is_blktrace(head: &[u8]) -> bool {
    let Some(first) = head.first_chunk::<4>() else { return false };
    [u32::from_le_bytes(*first), u32::from_be_bytes(*first)].iter().any(|word| word & !0xff == MAGIC)
}

/// The I/Os of the files of one recording.
pub struct BlktraceReader {
    inner: Ordered<Paired<TraceFiles>>,
}

impl BlktraceReader {
    /// Reads the files of all processors together.
    pub fn new(files: Vec<Box<dyn Read>>) -> BlktraceReader {
        BlktraceReader { inner: Ordered::new(Paired::new(TraceFiles::new(files), TraceFormat::Blktrace)) }
    }
}

impl Source for BlktraceReader {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        self.inner.read(batch)
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}

struct TraceFile {
    input: BufReader<Box<dyn Read>>,
    is_big: Option<bool>,
    next: Option<(Event, u32)>,
}

struct TraceFiles {
    files: Vec<TraceFile>,
    /// The time of the next event of each file.
    order: BinaryHeap<Reverse<(u64, usize)>>,
    devices: Devices,
    started: bool,
    events: u64,
    passed: u64,
    other_ops: u64,
    tally: MalformedTally,
}

impl TraceFiles {
    fn new(files: Vec<Box<dyn Read>>) -> TraceFiles {
        let files = files
            .into_iter()
            .map(|input| TraceFile {
                input: BufReader::with_capacity(1 << 18, input),
                is_big: None,
                next: None,
            })
            .collect();
        TraceFiles {
            files,
            order: BinaryHeap::new(),
            devices: Devices::default(),
            started: false,
            events: 0,
            passed: 0,
            other_ops: 0,
            tally: MalformedTally::of_events(),
        }
    }

    /// Reads a file up to its next event of an I/O.
    fn advance(&mut self, index: usize) -> Result<(), TraceError> {
        loop {
            let mut bytes = [0; EVENT];
            let got = fill(&mut self.files[index].input, &mut bytes)?;
            if got == 0 {
                return Ok(());
            }
            self.events += 1;
            if got < EVENT {
                return self.cut_short(index, "the last event is cut short");
            }
            let file = &mut self.files[index];
            let first = bytes.first_chunk::<4>().copied().unwrap_or_default();
            let is_big = *file.is_big.get_or_insert(u32::from_be_bytes(first) & !0xff == MAGIC);
            let raw = Raw::read(&bytes, is_big);
            if raw.magic & !0xff != MAGIC {
                let why = format!("event {} of the file has no magic number: it is damaged", self.events);
                return Err(TraceError::new(why).help("record or copy it again"));
            }
            if raw.magic & 0xff != VERSION {
                let version = raw.magic & 0xff;
                return Err(TraceError::new(format!(
                    "the file is of version {version} of blktrace's format"
                ))
                .help("only version 7, of Linux 2.6.17 and later, is read; use the text of blkparse"));
            }
            let skipped = u64::from(raw.data_len);
            let passed = std::io::copy(&mut (&mut file.input).take(skipped), &mut std::io::sink())?;
            if passed < skipped {
                return self.cut_short(index, "the data of the last event is cut short");
            }
            match raw.event() {
                Meaning::Io(event) => {
                    file.next = Some((event, raw.device));
                    self.order.push(Reverse((event.at_ns, index)));
                    return Ok(());
                }
                Meaning::Passed => self.passed += 1,
                Meaning::OtherOp => self.other_ops += 1,
                Meaning::TooLarge => self.tally.add(self.events, b"(binary)", "the sector is too large")?,
            }
        }
    }

    fn cut_short(&mut self, index: usize, why: &str) -> Result<(), TraceError> {
        self.tally.add(self.events, b"(binary)", &format!("{why} (file {})", index + 1))
    }
}

/// The fields that are used of an event.
struct Raw {
    magic: u32,
    at_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
    data_len: u16,
}

enum Meaning {
    Io(Event),
    Passed,
    OtherOp,
    TooLarge,
}

impl Raw {
    fn read(bytes: &[u8; EVENT], is_big: bool) -> Raw {
        let part = |at: usize, len: usize| {
            let mut word = [0; 8];
            if is_big {
                word[8 - len..].copy_from_slice(&bytes[at..at + len]);
                u64::from_be_bytes(word)
            } else {
                word[..len].copy_from_slice(&bytes[at..at + len]);
                u64::from_le_bytes(word)
            }
        };
        // magic, sequence, time, sector, bytes, action, pid, device, cpu, error, length of the data.
        Raw {
            magic: part(0, 4) as u32,
            at_ns: part(8, 8),
            sector: part(16, 8),
            bytes: part(24, 4) as u32,
            action: part(28, 4) as u32,
            device: part(36, 4) as u32,
            data_len: part(46, 2) as u16,
        }
    }

    fn event(&self) -> Meaning {
        if self.action & (NOTIFY | DRIVER_DATA) != 0 {
            return Meaning::Passed;
        }
        // Bit 8 of the action marks events that a control group is known of.
        let action = match self.action & 0xff {
            1 => EventStage::Queue,
            6 => EventStage::Requeue,
            7 => EventStage::Issue,
            8 => EventStage::Complete,
            _ => return Meaning::Passed,
        };
        let length = u64::from(self.bytes);
        let op = if self.action & PASSTHROUGH != 0 {
            return Meaning::OtherOp;
        } else if self.action & DISCARD != 0 {
            Op::Discard
        } else if self.action & FLUSH != 0 && length == 0 {
            Op::Flush
        } else if self.action & WRITE != 0 {
            Op::Write
        } else if self.action & (1 << 16) != 0 {
            Op::Read
        } else {
            return Meaning::OtherOp;
        };
        let offset = if op == Op::Flush { Some(0) } else { self.sector.checked_mul(SECTOR) };
        let is_in_reach = |offset: &u64| offset.checked_add(length).is_some_and(|end| end <= LARGEST);
        let Some(offset) = offset.filter(is_in_reach) else { return Meaning::TooLarge };
        Meaning::Io(Event { at_ns: self.at_ns, action, device: 0, op, offset, length })
    }
}

impl EventSource for TraceFiles {
    fn next(&mut self) -> Result<Option<Event>, TraceError> {
        if !self.started {
            self.started = true;
            for index in 0..self.files.len() {
                self.advance(index)?;
            }
        }
        let Some(Reverse((_, index))) = self.order.pop() else { return Ok(None) };
        let Some((event, device)) = self.files[index].next.take() else { return Ok(None) };
        // The kernel's own numbers: 12 bits of the major one above 20 of the minor one.
        let name = format!("{},{}", device >> 20, device & 0xf_ffff);
        let device = self.devices.index(name.as_bytes())?;
        self.advance(index)?;
        Ok(Some(Event { device, ..event }))
    }

    fn devices(&self) -> &[String] {
        self.devices.names()
    }

    fn facts(&self) -> TraceFacts {
        TraceFacts {
            lines: self.events,
            passed: self.passed,
            malformed: self.tally.malformed().clone(),
            other_ops: self.other_ops,
            ..TraceFacts::default()
        }
    }
}
