//! Traces written in other tools' formats.

use std::io::Write;

use iobound_trace::{NO_LATENCY, OwnWriter, Record};
use iobound_units::{Counted, Op};

use super::format::TraceFormat;
use super::number::SECTOR;
use super::out_names::{Naming, OutNames};

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

    const fn format(self) -> TraceFormat {
        match self {
            TraceOutput::Own => TraceFormat::Own,
            TraceOutput::Fio => TraceFormat::FioV3,
            TraceOutput::Msr => TraceFormat::Msr,
            TraceOutput::Alibaba => TraceFormat::Alibaba,
            TraceOutput::Tencent => TraceFormat::Tencent,
        }
    }

    /// The name of the format in every output.
    pub const fn name(self) -> &'static str {
        self.format().name()
    }

    /// True if the format has the operation: a CSV has reads and writes alone.
    const fn has(self, op: Op) -> bool {
        op.moves_data() || matches!(self, TraceOutput::Own | TraceOutput::Fio)
    }

    const fn naming(self) -> Naming {
        match self {
            TraceOutput::Own | TraceOutput::Fio => Naming::Word,
            TraceOutput::Msr => Naming::HostAndDisk,
            TraceOutput::Alibaba | TraceOutput::Tencent => Naming::Number,
        }
    }
}

/// 1 January 2020 as FILETIME, for traces without dates.
const FILETIME: u64 = 132_223_104_000_000_000;
/// The same in seconds since 1970.
const UNIX: u64 = 1_577_836_800;

const SECOND: u64 = 1_000_000_000;

/// Writes a trace. Times begin at zero, and of formats with dates on 1 January 2020.
pub struct TraceWriter<W: Write> {
    to: Written<W>,
    begin_ns: Option<u64>,
    last_ns: u64,
    count: u64,
    losses: Losses,
}

/// I/Os that the format does not keep, in whole or in part.
#[derive(Debug, Default)]
struct Losses {
    /// I/Os of an operation that it lacks.
    left_out: u64,
    /// Times that had a fraction of a second.
    fractions: u64,
    /// Offsets or lengths that were no whole sectors.
    parts_of_sectors: u64,
    /// Recorded latencies.
    latencies: u64,
    /// Unknown latencies that are written as zero.
    zero_latencies: u64,
}

enum Written<W: Write> {
    Own(OwnWriter<W>),
    Text { out: W, format: TraceOutput, names: OutNames },
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
                Written::Text { out, format, names: OutNames::new(format.naming()) }
            }
        };
        Ok(TraceWriter { to, begin_ns: None, last_ns: 0, count: 0, losses: Losses::default() })
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
            Written::Text { out, format, names } => {
                for name in names.add(devices) {
                    if *format == TraceOutput::Fio {
                        writeln!(out, "0 {name} add\n0 {name} open")?;
                    }
                }
                for record in records {
                    let since = record.at_ns.saturating_sub(begin);
                    self.last_ns = self.last_ns.max(since);
                    self.losses.add(*format, record, since);
                    let name = names.all().get(usize::from(record.device)).map_or("", String::as_str);
                    line(out, *format, record, since, name)?;
                }
            }
        }
        self.count += records.len() as u64;
        Ok(())
    }

    /// Remarks on what the format does not keep of the I/Os so far.
    pub fn notes(&self, devices: &[String]) -> Vec<String> {
        let (mut notes, format) = match &self.to {
            Written::Own(_) => (Vec::new(), TraceOutput::Own),
            Written::Text { format, names, .. } => {
                let mut notes = self.losses.notes(*format);
                notes.extend(names.note(devices, format.name()));
                (notes, *format)
            }
        };
        notes.extend(self.shift(format));
        notes
    }

    /// A remark on times that are not those of the source.
    fn shift(&self, format: TraceOutput) -> Option<String> {
        let begin = self.begin_ns?;
        let (name, count) = (format.name(), Counted(self.count, "I/O"));
        let (begins, why) = match format.format().has_dates() {
            true => ("on 1 January 2020 (UTC)", "has dates, and the source's clock is not kept"),
            false if begin > 0 => ("at zero", "has times since the first I/O"),
            false => return None,
        };
        Some(format!("times begin {begins}, because {name} {why} ({count})"))
    }

    /// Ends the trace: where it was written to, and the number of I/Os of operations that the format lacks.
    ///
    /// # Errors
    /// Returns an error if a write fails.
    pub fn finish(self) -> std::io::Result<(W, u64)> {
        match self.to {
            Written::Own(writer) => writer.finish().map(|(out, _)| (out, 0)),
            Written::Text { mut out, format, names } => {
                if format == TraceOutput::Fio {
                    for name in names.all() {
                        writeln!(out, "{} {name} close", self.last_ns / 1_000)?;
                    }
                }
                Ok((out, self.losses.left_out))
            }
        }
    }
}

impl Losses {
    fn add(&mut self, format: TraceOutput, record: &Record, since_ns: u64) {
        let has_latency = record.latency_ns != NO_LATENCY;
        if !format.has(record.op) {
            self.left_out += 1;
            return;
        }
        match format {
            TraceOutput::Msr => self.zero_latencies += u64::from(!has_latency),
            _ => self.latencies += u64::from(has_latency),
        }
        if format == TraceOutput::Tencent {
            self.fractions += u64::from(!since_ns.is_multiple_of(SECOND));
            let is_whole = record.offset.is_multiple_of(SECTOR) && record.length.is_multiple_of(SECTOR);
            self.parts_of_sectors += u64::from(!is_whole);
        }
    }

    fn notes(&self, format: TraceOutput) -> Vec<String> {
        let name = format.name();
        let notes = [
            (
                self.fractions,
                format!(
                    "times are cut to whole seconds, because {name} has no fractions; --to iobound, fio, msr and alibaba keep them"
                ),
            ),
            (
                self.parts_of_sectors,
                format!("offsets and lengths are rounded to 512 bytes, because {name} counts sectors"),
            ),
            (
                self.latencies,
                format!("latencies are left out, because {name} has none; --to iobound and msr keep them"),
            ),
            (
                self.zero_latencies,
                format!("unknown latencies are written as 0, because {name} has no other value for them"),
            ),
        ];
        let are = notes.into_iter().filter(|(count, _)| *count > 0);
        are.map(|(count, note)| format!("{note} ({})", Counted(count, "I/O"))).collect()
    }
}

/// Writes a record whose operation the format has.
fn line(
    out: &mut impl Write,
    format: TraceOutput,
    record: &Record,
    since_ns: u64,
    name: &str,
) -> std::io::Result<()> {
    let Record { op, offset, length, latency_ns, .. } = *record;
    if !format.has(op) {
        return Ok(());
    }
    let is_read = op == Op::Read;
    match format {
        TraceOutput::Own | TraceOutput::Fio => {
            let action = match op {
                Op::Read => "read",
                Op::Write => "write",
                Op::Flush => "sync",
                Op::Discard => "trim",
            };
            writeln!(out, "{} {name} {action} {offset} {length}", since_ns / 1_000)
        }
        TraceOutput::Msr => {
            let kind = if is_read { "Read" } else { "Write" };
            let latency = if latency_ns == NO_LATENCY { 0 } else { latency_ns / 100 };
            writeln!(out, "{},{name},{kind},{offset},{length},{latency}", FILETIME + since_ns / 100)
        }
        TraceOutput::Alibaba => {
            let (kind, at) = (if is_read { 'R' } else { 'W' }, UNIX * 1_000_000 + since_ns / 1_000);
            writeln!(out, "{name},{kind},{offset},{length},{at}")
        }
        TraceOutput::Tencent => {
            let (kind, at) = (u8::from(!is_read), UNIX + since_ns / SECOND);
            writeln!(out, "{at},{},{},{kind},{name}", offset / SECTOR, length.div_ceil(SECTOR))
        }
    }
}
