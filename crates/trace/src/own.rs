//! The project's own format: blocks of columns, delta-coded. `docs/trace-format.md` describes it.
//!
//! Compression is outside of it: the file is one zstd stream of these bytes.

use std::io::{ErrorKind, Read, Write};

use iobound_units::Op;

use crate::bytes::{Cursor, put, put_signed};
use crate::error::TraceError;
use crate::record::{LARGEST, NO_LATENCY, Record};
use crate::source::{BATCH, Source, TraceFacts};

/// The first bytes of the format, below the compression.
pub const MAGIC: &[u8; 8] = b"iobtrc\x01\n";

/// Kinds of blocks.
const DEVICE: u8 = b'D';
const RECORDS: u8 = b'R';
const END: u8 = b'E';

/// The most bytes of a column: 8,192 integers of ten bytes.
const MOST_COLUMN: u32 = (BATCH * 10) as u32;
/// The most bytes of a device's name.
const MOST_NAME: u32 = 4_096;
const COLUMNS: usize = 5;

/// Values that the next record of a device is a difference to.
#[derive(Clone, Copy, Default)]
struct Previous {
    end: u64,
    length: u64,
}

/// Writes the format.
pub struct OwnWriter<W: Write> {
    out: W,
    columns: [Vec<u8>; COLUMNS],
    held: u32,
    last_ns: u64,
    previous: Vec<Previous>,
    count: u64,
}

impl<W: Write> OwnWriter<W> {
    /// A file without records.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn new(mut out: W) -> std::io::Result<OwnWriter<W>> {
        out.write_all(MAGIC)?;
        let columns = std::array::from_fn(|_| Vec::with_capacity(BATCH * 2));
        Ok(OwnWriter { out, columns, held: 0, last_ns: 0, previous: Vec::new(), count: 0 })
    }

    /// Adds the devices that are not in the file yet. Records of a device follow its name.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn devices(&mut self, names: &[String]) -> std::io::Result<()> {
        if names.len() == self.previous.len() {
            return Ok(());
        }
        self.flush_block()?;
        for name in &names[self.previous.len()..] {
            let mut end = name.len().min(MOST_NAME as usize);
            while !name.is_char_boundary(end) {
                end -= 1;
            }
            self.out.write_all(&[DEVICE])?;
            self.out.write_all(&(end as u32).to_le_bytes())?;
            self.out.write_all(&name.as_bytes()[..end])?;
            self.previous.push(Previous::default());
        }
        Ok(())
    }

    /// Adds records, whose devices are there.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn write(&mut self, records: &[Record]) -> std::io::Result<()> {
        for record in records {
            let previous = &mut self.previous[usize::from(record.device)];
            let [times, kinds, offsets, lengths, latencies] = &mut self.columns;
            put_signed(times, record.at_ns.wrapping_sub(self.last_ns) as i64);
            put(kinds, u64::from(record.device) << 2 | record.op as u64);
            put_signed(offsets, record.offset.wrapping_sub(previous.end) as i64);
            put_signed(lengths, record.length.wrapping_sub(previous.length) as i64);
            put(latencies, record.latency_ns.wrapping_add(1));
            self.last_ns = record.at_ns;
            *previous = Previous { end: record.offset.wrapping_add(record.length), length: record.length };
            self.held += 1;
            if self.held as usize == BATCH {
                self.flush_block()?;
            }
        }
        Ok(())
    }

    fn flush_block(&mut self) -> std::io::Result<()> {
        if self.held == 0 {
            return Ok(());
        }
        self.out.write_all(&[RECORDS])?;
        self.out.write_all(&self.held.to_le_bytes())?;
        for column in &mut self.columns {
            self.out.write_all(&(column.len() as u32).to_le_bytes())?;
            self.out.write_all(column)?;
            column.clear();
        }
        self.count += u64::from(self.held);
        self.held = 0;
        Ok(())
    }

    /// Destination of the file: what was flushed of it.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// Ends the file and returns where it was written to, with the number of records.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn finish(mut self) -> std::io::Result<(W, u64)> {
        self.flush_block()?;
        self.out.write_all(&[END])?;
        self.out.write_all(&self.count.to_le_bytes())?;
        Ok((self.out, self.count))
    }
}

/// Reads the format.
pub struct OwnReader<R> {
    input: R,
    devices: Vec<String>,
    previous: Vec<Previous>,
    columns: [Vec<u8>; COLUMNS],
    last_ns: u64,
    count: u64,
    zero_length: u64,
    ended: bool,
}

impl<R: Read> OwnReader<R> {
    /// Reads behind the first bytes, [`MAGIC`], which were read already.
    pub fn new(input: R) -> OwnReader<R> {
        OwnReader {
            input,
            devices: Vec::new(),
            previous: Vec::new(),
            columns: Default::default(),
            last_ns: 0,
            count: 0,
            zero_length: 0,
            ended: false,
        }
    }

    fn number(&mut self) -> Result<u32, TraceError> {
        let mut bytes = [0; 4];
        self.input.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn device(&mut self) -> Result<(), TraceError> {
        let length = self.number()?;
        if length > MOST_NAME || self.devices.len() > usize::from(u16::MAX) {
            return Err(damaged("a device's name is too long, or there are too many devices"));
        }
        let mut name = vec![0; length as usize];
        self.input.read_exact(&mut name)?;
        let name = String::from_utf8(name).map_err(|_| damaged("a device's name is not UTF-8"))?;
        self.devices.push(name);
        self.previous.push(Previous::default());
        Ok(())
    }

    fn records(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let count = self.number()?;
        if count == 0 || count as usize > BATCH {
            return Err(damaged(format!("a block has {count} records")));
        }
        for n in 0..COLUMNS {
            let length = self.number()?;
            if length > MOST_COLUMN {
                return Err(damaged(format!("a column has {length} bytes")));
            }
            self.columns[n].resize(length as usize, 0);
            self.input.read_exact(&mut self.columns[n])?;
        }
        let [times, kinds, offsets, lengths, latencies] = &self.columns;
        let mut times = Cursor::new(times);
        let mut kinds = Cursor::new(kinds);
        let mut offsets = Cursor::new(offsets);
        let mut lengths = Cursor::new(lengths);
        let mut latencies = Cursor::new(latencies);
        for _ in 0..count {
            let (Some(time), Some(kind), Some(offset), Some(length), Some(latency)) = (
                times.take_signed(),
                kinds.take(),
                offsets.take_signed(),
                lengths.take_signed(),
                latencies.take(),
            ) else {
                return Err(damaged("a column is too short"));
            };
            let device = kind >> 2;
            let Some(previous) = usize::try_from(device).ok().and_then(|at| self.previous.get_mut(at)) else {
                return Err(damaged(format!("device {device} has no name")));
            };
            self.last_ns = self.last_ns.wrapping_add(time as u64);
            let offset = previous.end.wrapping_add(offset as u64);
            let length = previous.length.wrapping_add(length as u64);
            if offset.checked_add(length).is_none_or(|end| end > LARGEST) {
                return Err(damaged("an I/O ends beyond 8 EiB"));
            }
            *previous = Previous { end: offset.wrapping_add(length), length };
            let op = Op::ALL[(kind & 3) as usize];
            self.zero_length += u64::from(length == 0 && op != Op::Flush);
            batch.push(Record {
                at_ns: self.last_ns,
                offset,
                length,
                latency_ns: latency.wrapping_sub(1),
                device: device as u16,
                op,
            });
        }
        if ![times, kinds, offsets, lengths, latencies].iter().all(Cursor::is_at_end) {
            return Err(damaged("a column is too long"));
        }
        self.count += u64::from(count);
        Ok(())
    }

    fn end(&mut self) -> Result<(), TraceError> {
        let mut bytes = [0; 8];
        self.input.read_exact(&mut bytes)?;
        let count = u64::from_le_bytes(bytes);
        if count != self.count {
            return Err(damaged(format!("it has {} I/Os and says that it has {count}", self.count)));
        }
        self.ended = true;
        Ok(())
    }
}

fn damaged(why: impl std::fmt::Display) -> TraceError {
    TraceError::new(format!("the trace file is damaged: {why}")).help("copy or record it again")
}

impl<R: Read> Source for OwnReader<R> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        while !self.ended {
            let mut kind = [0];
            let got = match self.input.read(&mut kind) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                got => got?,
            };
            if got == 0 {
                let why = format!("the trace file is truncated after {} I/Os", self.count);
                return Err(
                    TraceError::new(why).help("copy it again; a recording that was killed has no end")
                );
            }
            match kind[0] {
                DEVICE => self.device()?,
                RECORDS => return self.records(batch),
                END => self.end()?,
                other => return Err(damaged(format!("a block of kind {other} is unknown"))),
            }
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        &self.devices
    }

    fn facts(&self) -> TraceFacts {
        TraceFacts {
            format: "iobound trace v1".into(),
            time_unit: "ns".into(),
            lines: self.count,
            zero_length: self.zero_length,
            ..TraceFacts::default()
        }
    }
}

const _: () = assert!(NO_LATENCY.wrapping_add(1) == 0, "an unknown latency is written as zero");
