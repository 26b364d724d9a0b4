use std::io::{ErrorKind, Read};
use std::ops::Range;

use iobound_trace::{BATCH, LARGEST, NO_LATENCY, Record, Source, TraceError, TraceFacts};
use iobound_units::Op;

use super::devices::Devices;
use super::format::TraceFormat;
use super::latency::{ParsedLatency, negative_note};
use super::tally::MalformedTally;
use super::unit::TimeUnit;

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 18;
/// The longest line; what is longer is malformed.
const LONGEST: usize = 1 << 16;
/// One second in ns; the unit of a time is a second at most.
const SECOND: u64 = 1_000_000_000;

/// One I/O as a line says it; its time is in the file's unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parsed<'a> {
    pub(super) time: Time,
    pub(super) device: &'a [u8],
    pub(super) op: Op,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// In the file's unit, if `time` is.
    pub(super) latency: ParsedLatency,
}

/// A time, and in what.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    /// In the file's unit.
    Units(u64),
    /// The same with decimals.
    Fraction { whole: u64, billionths: u64 },
    /// In nanoseconds, whatever the file's unit; so is the latency.
    Ns(u64),
}

/// Meaning of a line.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// An I/O.
    Io(Parsed<'a>),
    /// No I/O, and none is expected: a header, a summary, a file that is opened.
    Passed,
    /// An operation that has no record.
    OtherOp,
    /// It can't be read; why.
    Malformed(&'static str),
}

/// The grammar of a format.
pub(super) trait LineParser {
    /// Reads one line without its end; `number` counts from 1.
    fn parse<'a>(&'a mut self, line: &'a [u8], number: u64) -> Line<'a>;

    /// Remarks about what was read so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The lines of a file, as they come.
pub(super) struct LineReader {
    input: Box<dyn Read>,
    /// Bytes that were read and not yet used are at `from..to`.
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    /// Place of the line in the buffer, without its end.
    line: Range<usize>,
    pub(super) number: u64,
    pub(super) passed: u64,
    tally: MalformedTally,
}

impl LineReader {
    pub(super) fn new(input: Box<dyn Read>) -> LineReader {
        LineReader {
            input,
            buffer: vec![0; BUFFER],
            from: 0,
            to: 0,
            line: 0..0,
            number: 0,
            passed: 0,
            tally: MalformedTally::of_lines(),
        }
    }

    /// Reads the next line that is not empty; `false` at the end.
    pub(super) fn next(&mut self) -> Result<bool, TraceError> {
        loop {
            let Some(too_long) = self.fill()? else { return Ok(false) };
            self.number += 1;
            while self.line.end > self.line.start && self.buffer[self.line.end - 1] == b'\r' {
                self.line.end -= 1;
            }
            if self.number == 1 && self.line().starts_with(b"\xef\xbb\xbf") {
                self.line.start += 3;
            }
            if too_long {
                self.malformed("the line is longer than 64 KiB")?;
            } else if self.line().trim_ascii_start().is_empty() {
                self.passed += 1;
            } else {
                return Ok(true);
            }
        }
    }

    /// Finds the next line, and returns true if it is too long: then only its beginning is kept. `None` at the end.
    fn fill(&mut self) -> Result<Option<bool>, TraceError> {
        let (mut searched, mut too_long) = (self.from, false);
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.to]) {
                let end = searched + at;
                too_long |= end - self.from >= LONGEST;
                self.line = self.from..end.min(self.from + LONGEST);
                self.from = end + 1;
                return Ok(Some(too_long));
            }
            if self.to - self.from >= LONGEST {
                too_long = true;
                self.to = self.from + LONGEST;
            }
            if self.from > 0 {
                self.buffer.copy_within(self.from..self.to, 0);
                self.to -= self.from;
                self.from = 0;
            }
            searched = self.to;
            match self.input.read(&mut self.buffer[self.to..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
                Ok(0) if self.to == 0 => return Ok(None),
                Ok(0) => {
                    self.line = 0..self.to;
                    self.from = self.to;
                    return Ok(Some(too_long));
                }
                Ok(count) => self.to += count,
            }
        }
    }

    pub(super) fn line(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// Counts the line as malformed.
    ///
    /// # Errors
    /// Returns an error if more than a few lines are malformed.
    pub(super) fn malformed(&mut self, why: &'static str) -> Result<(), TraceError> {
        self.tally.add(self.number, &self.buffer[self.line.clone()], why)
    }

    /// Checks a file at its end, of which so many I/Os were read.
    pub(super) fn ended(&self, ios: u64) -> Result<(), TraceError> {
        self.tally.ended(self.number, ios)
    }

    pub(super) fn facts(&self) -> TraceFacts {
        TraceFacts {
            lines: self.number,
            passed: self.passed,
            malformed: self.tally.malformed().clone(),
            ..TraceFacts::default()
        }
    }
}

/// A source of a format that has an I/O on a line.
pub(super) struct Lines {
    reader: LineReader,
    parser: Box<dyn LineParser>,
    format: TraceFormat,
    unit: TimeUnit,
    devices: Devices,
    ios: u64,
    other_ops: u64,
    zero_length: u64,
    negative: u64,
    ended: bool,
}

impl Lines {
    pub(super) fn new(
        input: Box<dyn Read>,
        parser: Box<dyn LineParser>,
        format: TraceFormat,
        unit: TimeUnit,
    ) -> Lines {
        Lines {
            reader: LineReader::new(input),
            parser,
            format,
            unit,
            devices: Devices::default(),
            ios: 0,
            other_ops: 0,
            zero_length: 0,
            negative: 0,
            ended: false,
        }
    }
}

/// Reason why a line is malformed whose time is too large.
const BEYOND: &str = "the time or the latency is beyond 584 years in the unit of the file";

/// The first I/O of a file has a time that is too large: its unit is a shorter one.
fn beyond(number: u64, unit: TimeUnit) -> TraceError {
    let name = unit.name();
    TraceError::new(format!(
        "the unit of the times is ambiguous: read as {name}, the time or the latency of line {number} is beyond 584 years"
    ))
    .help("give the right one with --time-unit: s, ms, us, 100ns, ns")
}

/// The record of an I/O, or why it is none.
pub(super) fn record(
    parsed: &Parsed<'_>,
    unit: TimeUnit,
    devices: &mut Devices,
) -> Result<Result<Record, &'static str>, TraceError> {
    let (at, more_ns, unit) = match parsed.time {
        Time::Units(at) => (at, 0, unit.ns()),
        Time::Fraction { whole, billionths } => (whole, billionths * unit.ns() / SECOND, unit.ns()),
        Time::Ns(at) => (at, 0, 1),
    };
    let at_ns = at.checked_mul(unit).and_then(|ns| ns.checked_add(more_ns));
    let latency_ns = match parsed.latency {
        ParsedLatency::Unknown | ParsedLatency::Negative => Some(NO_LATENCY),
        ParsedLatency::Known(latency) => latency.checked_mul(unit).filter(|ns| *ns != NO_LATENCY),
    };
    let (Some(at_ns), Some(latency_ns)) = (at_ns, latency_ns) else {
        return Ok(Err(BEYOND));
    };
    let Parsed { op, offset, length, .. } = *parsed;
    if offset.checked_add(length).is_none_or(|end| end > LARGEST) {
        return Ok(Err("the I/O ends beyond 8 EiB"));
    }
    let device = devices.index(parsed.device)?;
    Ok(Ok(Record { at_ns, offset, length, latency_ns, device, op }))
}

impl Source for Lines {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        while batch.len() - before < BATCH && !self.ended {
            if !self.reader.next()? {
                self.ended = true;
                self.reader.ended(self.ios)?;
                break;
            }
            let line = self.reader.line();
            let is_comment = line.trim_ascii_start().first() == Some(&b'#');
            let parsed = if is_comment { Line::Passed } else { self.parser.parse(line, self.reader.number) };
            let why = match parsed {
                Line::Io(parsed) => match record(&parsed, self.unit, &mut self.devices)? {
                    Ok(record) => {
                        self.zero_length += u64::from(record.length == 0 && record.op != Op::Flush);
                        self.negative += u64::from(parsed.latency == ParsedLatency::Negative);
                        self.ios += 1;
                        batch.push(record);
                        None
                    }
                    // The first I/O tells; a later one may be of a torn line.
                    Err(BEYOND) if self.ios == 0 => return Err(beyond(self.reader.number, self.unit)),
                    Err(why) => Some(why),
                },
                Line::Passed => {
                    self.reader.passed += 1;
                    None
                }
                Line::OtherOp => {
                    self.other_ops += 1;
                    None
                }
                Line::Malformed(why) => Some(why),
            };
            if let Some(why) = why {
                self.reader.malformed(why)?;
            }
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.devices.names()
    }

    fn facts(&self) -> TraceFacts {
        TraceFacts {
            format: self.format.name().into(),
            time_unit: self.format.unit().map_or("", |_| self.unit.name()).into(),
            other_ops: self.other_ops,
            zero_length: self.zero_length,
            notes: self.parser.notes().into_iter().chain(negative_note(self.negative)).collect(),
            ..self.reader.facts()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Bytes that come in parts; every other read is interrupted.
    struct InParts {
        parts: VecDeque<Vec<u8>>,
        is_interrupted: bool,
    }

    impl Read for InParts {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.is_interrupted = !self.is_interrupted;
            if self.is_interrupted {
                return Err(ErrorKind::Interrupted.into());
            }
            let Some(part) = self.parts.front_mut() else { return Ok(0) };
            let count = part.len().min(buffer.len());
            buffer[..count].copy_from_slice(&part[..count]);
            part.drain(..count);
            if part.is_empty() {
                self.parts.pop_front();
            }
            Ok(count)
        }
    }

    #[test]
    fn lines_are_whole_wherever_the_reads_end() {
        let lengths = [1, 5, 0, LONGEST - 1, LONGEST, 3, BUFFER + 7, 2, 2 * BUFFER, LONGEST - 1, 4];
        let text: Vec<u8> = lengths
            .iter()
            .enumerate()
            .map(|(n, length)| vec![b'a' + n as u8; *length])
            .collect::<Vec<_>>()
            .join(&b'\n');
        for part in [7, 4_096, LONGEST, BUFFER - 1, BUFFER, usize::MAX] {
            let parts = text.chunks(part).map(<[u8]>::to_vec).collect();
            let mut reader = LineReader::new(Box::new(InParts { parts, is_interrupted: false }));
            let mut read = Vec::new();
            while reader.next().unwrap() {
                read.push((reader.number, reader.line()[0], reader.line().len()));
            }
            let whole = lengths.iter().enumerate().filter(|(_, length)| (1..LONGEST).contains(*length));
            let expected: Vec<(u64, u8, usize)> =
                whole.map(|(n, length)| (n as u64 + 1, b'a' + n as u8, *length)).collect();
            assert_eq!(read, expected, "parts of {part} bytes");
            assert_eq!((reader.number, reader.passed, reader.tally.malformed().count), (11, 1, 3));
            let (line, shown, _) = reader.tally.malformed().first.clone().unwrap();
            assert_eq!((line, shown), (5, "e".repeat(120)));
        }
    }
}
