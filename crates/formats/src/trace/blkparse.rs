//! The text of `blkparse` in its default format: `major,minor cpu sequence seconds.nanoseconds pid action flags`, then of I/Os
//! `sector + sectors`. Sectors have 512 bytes. A summary of each processor and device follows the events.

use std::io::Read;

use iobound_trace::{LARGEST, TraceError, TraceFacts};
use iobound_units::Op;

use super::devices::Devices;
use super::lines::LineReader;
use super::number::{billionths, by_spaces, decimal, sectors};
use super::pairing::{Event, EventSource, EventStage};

/// Meaning of a line.
enum BlkparseLine {
    Io(u64, EventStage, Op, u64, u64),
    Passed,
    OtherOp,
    Malformed(&'static str),
}

/// The events of a text.
pub(super) struct Events {
    reader: LineReader,
    devices: Devices,
    other_ops: u64,
    events: u64,
    ended: bool,
}

impl Events {
    pub(super) fn new(input: Box<dyn Read>) -> Events {
        Events {
            reader: LineReader::new(input),
            devices: Devices::default(),
            other_ops: 0,
            events: 0,
            ended: false,
        }
    }
}

/// The time that blkparse prints for one nanosecond before the first event, plus one, in ns: 2^64 ns, of whose seconds it keeps
/// 32 bits.
const WRAPPED: u64 = 1_266_874_889_709_551_616;
/// Added to every time, for events before the first one that is printed.
const BASE: u64 = 3_600 * 1_000_000_000;

/// The time of an event in ns, [`BASE`] at the first one. Another processor may have events before the first one; their times
/// are printed as if they were unsigned.
fn from_first(printed: u64) -> Option<u64> {
    match WRAPPED.checked_sub(printed) {
        Some(before @ 1..=BASE) => Some(BASE - before),
        _ => printed.checked_add(BASE),
    }
}

/// True if a line is an event.
pub(super) fn is_event(line: &[u8]) -> bool {
    event_fields(line).is_some()
}

/// `8,0`.
fn is_device(word: &[u8]) -> bool {
    let mut numbers = word.split(|byte| *byte == b',').map(decimal);
    matches!((numbers.next(), numbers.next(), numbers.next()), (Some(Some(_)), Some(Some(_)), None))
}

/// The first fields of an event.
struct EventFields<'a, W> {
    time: u64,
    action: &'a [u8],
    /// The words that follow.
    words: W,
}

/// Time and action of an event, and the words that follow.
fn event_fields(line: &[u8]) -> Option<EventFields<'_, impl Iterator<Item = &[u8]>>> {
    let mut words = by_spaces(line);
    words.next().filter(|word| is_device(word))?;
    let (_cpu, _sequence) = (words.next().and_then(decimal)?, words.next().and_then(decimal)?);
    let time = words.next().filter(|word| word.contains(&b'.')).and_then(billionths).and_then(from_first)?;
    let _pid = words.next().and_then(decimal)?;
    let action = words.next()?;
    Some(EventFields { time, action, words })
}

/// The operation of flags such as `R`, `WS`, `FWFS`, `DS`; `None`: no data and no flush.
fn op_of(flags: &[u8], length: u64) -> Option<Op> {
    // A first F asks for a flush before the I/O; alone, or without data, it is the I/O.
    let (is_flush, rest) = match flags {
        [b'F', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    match rest.first() {
        Some(b'R') if length > 0 => Some(Op::Read),
        Some(b'W') if length > 0 => Some(Op::Write),
        Some(b'D') => Some(Op::Discard),
        _ if is_flush => Some(Op::Flush),
        Some(b'R') => Some(Op::Read),
        Some(b'W') => Some(Op::Write),
        _ => None,
    }
}

fn read(line: &[u8]) -> BlkparseLine {
    let Some(EventFields { time, action, mut words }) = event_fields(line) else {
        // The summaries that follow the events.
        let is_event = by_spaces(line).next().is_some_and(is_device);
        return if is_event {
            BlkparseLine::Malformed("the event cannot be read")
        } else {
            BlkparseLine::Passed
        };
    };
    let action = match action {
        b"Q" => EventStage::Queue,
        b"D" => EventStage::Issue,
        b"C" => EventStage::Complete,
        b"R" => EventStage::Requeue,
        _ => return BlkparseLine::Passed,
    };
    let Some(flags) = words.next() else { return BlkparseLine::Malformed("the flags are missing") };
    let (offset, length) = match words.next() {
        // A flush has no place: the process or the error follows. So has a command with data of its own.
        None => (0, 0),
        Some(word) if decimal(word).is_none() => (0, 0),
        Some(sector) => match (words.next(), sectors(sector)) {
            (Some(b"+"), Some(offset)) => match words.next().and_then(sectors) {
                Some(length) => (offset, length),
                None => return BlkparseLine::Malformed("the length cannot be read"),
            },
            // A command with data of its own: `bytes (command block)`.
            (Some(word), Some(_)) if word.starts_with(b"(") => return BlkparseLine::OtherOp,
            (_, Some(offset)) => (offset, 0),
            (_, None) => return BlkparseLine::Malformed("the sector is too large"),
        },
    };
    if offset.checked_add(length).is_none_or(|end| end > LARGEST) {
        return BlkparseLine::Malformed("the I/O ends beyond 8 EiB");
    }
    match op_of(flags, length) {
        Some(Op::Flush) => BlkparseLine::Io(time, action, Op::Flush, 0, 0),
        Some(op) => BlkparseLine::Io(time, action, op, offset, length),
        None => BlkparseLine::OtherOp,
    }
}

impl EventSource for Events {
    fn next(&mut self) -> Result<Option<Event>, TraceError> {
        while !self.ended {
            if !self.reader.next()? {
                self.ended = true;
                self.reader.ended(self.events)?;
                break;
            }
            match read(self.reader.line()) {
                BlkparseLine::Io(at_ns, action, op, offset, length) => {
                    let name = by_spaces(self.reader.line()).next().unwrap_or_default();
                    let device = self.devices.index(name)?;
                    self.events += 1;
                    return Ok(Some(Event { at_ns, action, device, op, offset, length }));
                }
                BlkparseLine::Passed => self.reader.passed += 1,
                BlkparseLine::OtherOp => self.other_ops += 1,
                BlkparseLine::Malformed(why) => self.reader.malformed(why)?,
            }
        }
        Ok(None)
    }

    fn devices(&self) -> &[String] {
        self.devices.names()
    }

    fn facts(&self) -> TraceFacts {
        TraceFacts { other_ops: self.other_ops, ..self.reader.facts() }
    }
}
