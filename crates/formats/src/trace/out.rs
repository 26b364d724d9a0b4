//! Traces written in other tools' formats.

use std::io::Write;

use iobound_trace::{NO_LATENCY, OwnWriter, Record};
use iobound_units::Op;

use super::number::SECTOR;

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOutput {
    /// The project's own.
    Own,
    /// fio iolog, version 3.
    Fio,
    /// MSR Cambridge's CSV. Latencies are kept.
    Msr,
    /// Alibaba's CSV.
    Alibaba,
    /// Tencent's CSV. Times are whole seconds.
    Tencent,
}

impl TraceOutput {
    /// All of them.
    pub const ALL: [TraceOutput; 5] =
        [TraceOutput::Own, TraceOutput::Fio, TraceOutput::Msr, TraceOutput::Alibaba, TraceOutput::Tencent];

    /// The word for the option `--to`.
    pub const fn word(self) -> &'static str {
        match self {
            TraceOutput::Own => "iobound",
            TraceOutput::Fio => "fio",
            TraceOutput::Msr => "msr",
            TraceOutput::Alibaba => "alibaba",
            TraceOutput::Tencent => "tencent",
        }
    }
}

/// 1 January 2020 as FILETIME, for traces without dates.
const FILETIME: u64 = 132_223_104_000_000_000;
/// The same in seconds since 1970.
const UNIX: u64 = 1_577_836_800;

/// Writes a trace. Times begin at zero, and of formats with dates on 1 January 2020.
pub struct TraceWriter<W: Write> {
    to: Written<W>,
    begin_ns: Option<u64>,
    last_ns: u64,
    count: u64,
    /// I/Os that the format has no word for.
    left_out: u64,
}

enum Written<W: Write> {
    Own(OwnWriter<W>),
    Text { out: W, format: TraceOutput, known: usize },
}

impl<W: Write> TraceWriter<W> {
    /// A trace without I/Os.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn new(mut out: W, format: TraceOutput) -> std::io::Result<TraceWriter<W>> {
        let to = match format {
            TraceOutput::Own => Written::Own(OwnWriter::new(out)?),
            _ => {
                if format == TraceOutput::Fio {
                    writeln!(out, "fio version 3 iolog")?;
                }
                Written::Text { out, format, known: 0 }
            }
        };
        Ok(TraceWriter { to, begin_ns: None, last_ns: 0, count: 0, left_out: 0 })
    }

    /// Adds records; `devices` are the names of the source so far.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn write(&mut self, records: &[Record], devices: &[String]) -> std::io::Result<()> {
        let Some(first) = records.first() else { return Ok(()) };
        let begin = *self.begin_ns.get_or_insert(first.at_ns);
        match &mut self.to {
            Written::Own(writer) => {
                writer.devices(devices)?;
                for record in records {
                    let at_ns = record.at_ns.saturating_sub(begin);
                    writer.write(&[Record { at_ns, ..*record }])?;
                }
            }
            Written::Text { out, format, known } => {
                for name in &devices[*known..] {
                    if *format == TraceOutput::Fio {
                        let name = fio_name(name);
                        writeln!(out, "0 {name} add\n0 {name} open")?;
                    }
                }
                *known = devices.len();
                for record in records {
                    let since = record.at_ns.saturating_sub(begin);
                    self.last_ns = self.last_ns.max(since);
                    let is_written = line(out, *format, record, since, devices)?;
                    self.left_out += u64::from(!is_written);
                }
            }
        }
        self.count += records.len() as u64;
        Ok(())
    }

    /// Ends the trace: where it was written to, and the number of I/Os that the format has no word for.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn finish(self, devices: &[String]) -> std::io::Result<(W, u64)> {
        match self.to {
            Written::Own(writer) => writer.finish().map(|(out, _)| (out, 0)),
            Written::Text { mut out, format, known } => {
                if format == TraceOutput::Fio {
                    for name in &devices[..known.min(devices.len())] {
                        writeln!(out, "{} {} close", self.last_ns / 1_000, fio_name(name))?;
                    }
                }
                Ok((out, self.left_out))
            }
        }
    }
}

/// A device's name as fio reads it: without white space, at most 255 bytes.
fn fio_name(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let mut end = name.len().min(255);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    if end == 0 { "device".into() } else { name[..end].to_string() }
}

/// Writes a record; `false`: the format has no such operation.
fn line(
    out: &mut impl Write,
    format: TraceOutput,
    record: &Record,
    since_ns: u64,
    devices: &[String],
) -> std::io::Result<bool> {
    let Record { op, offset, length, device, latency_ns, .. } = *record;
    let name = devices.get(usize::from(device)).map_or("", String::as_str);
    if format == TraceOutput::Fio {
        let action = match op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "sync",
            Op::Discard => "trim",
        };
        writeln!(out, "{} {} {action} {offset} {length}", since_ns / 1_000, fio_name(name))?;
        return Ok(true);
    }
    if !op.moves_data() {
        return Ok(false);
    }
    let is_read = op == Op::Read;
    match format {
        TraceOutput::Msr => {
            let kind = if is_read { "Read" } else { "Write" };
            let latency = if latency_ns == NO_LATENCY { 0 } else { latency_ns / 100 };
            let (host, disk) = msr_name(name, device);
            writeln!(out, "{},{host},{disk},{kind},{offset},{length},{latency}", FILETIME + since_ns / 100)?;
        }
        TraceOutput::Alibaba => {
            let (kind, at) = (if is_read { 'R' } else { 'W' }, UNIX * 1_000_000 + since_ns / 1_000);
            writeln!(out, "{device},{kind},{offset},{length},{at}")?;
        }
        _ => {
            let (kind, at) = (u8::from(!is_read), UNIX + since_ns / 1_000_000_000);
            writeln!(out, "{at},{},{},{kind},{device}", offset / SECTOR, length.div_ceil(SECTOR))?;
        }
    }
    Ok(true)
}

/// Host and number of a disk: of `usr,1` its parts, of another name itself and the device's number.
fn msr_name(name: &str, device: u16) -> (String, u64) {
    let number = |text: &str| text.parse::<u64>().ok();
    match name.split_once(',').and_then(|(host, disk)| Some((host, number(disk)?))) {
        Some((host, disk)) if !host.is_empty() => (host.to_string(), disk),
        _ => {
            let host: String =
                name.chars().map(|c| if c == ',' || c.is_control() { '_' } else { c }).collect();
            (if host.is_empty() { "trace".into() } else { host }, u64::from(device))
        }
    }
}
