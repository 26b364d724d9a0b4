//! Traces of other tools, read as [`Record`]s and written from them.
//!
//! Every reader streams: it keeps a line, or a window of events whose completion it waits for.

mod alibaba;
mod biosnoop;
mod blkparse;
mod blktrace;
mod devices;
mod fio;
mod lines;
mod msr;
mod number;
mod out;
mod pairing;
mod recognise;
mod tencent;
mod unit;
mod vscsi;
mod xperf;

use std::io::Read;

use iobound_trace::{Ordered, OwnReader, Record, Source, TraceError, TraceFacts};

pub use blktrace::BlktraceReader;
pub use out::{TraceOutput, TraceWriter};
pub use recognise::{HEAD, TraceFormat, recognise};
pub use unit::TimeUnit;

use lines::Lines;

/// A reader of a trace in this format, in order of time. `input` begins with the file's first byte, decompressed.
///
/// `unit` replaces the format's own unit of time.
///
/// # Errors
/// A unit for a format whose times say theirs; a file that is not of this format; times whose unit is ambiguous.
pub fn read_trace(
    format: TraceFormat,
    mut input: Box<dyn Read>,
    unit: Option<TimeUnit>,
) -> Result<Box<dyn Source>, TraceError> {
    if let (Some(unit), None) = (unit, format.unit()) {
        let why =
            format!("--time-unit {}: the times of {} have a unit of their own", unit.name(), format.name());
        return Err(TraceError::new(why).mend("leave --time-unit out"));
    }
    let ticks = unit.or(format.unit()).unwrap_or(TimeUnit::Nanoseconds);
    let scaled = |parser: Box<dyn lines::LineParser>, input| {
        let source = Ordered::new(Lines::new(input, parser, format, ticks));
        unit::checked(source, format, ticks, unit.is_some())
    };
    let plain = |parser: Box<dyn lines::LineParser>, input| -> Result<Box<dyn Source>, TraceError> {
        Ok(Box::new(Ordered::new(Lines::new(input, parser, format, ticks))))
    };
    match format {
        TraceFormat::Own => {
            let mut magic = [0; iobound_trace::MAGIC.len()];
            input.read_exact(&mut magic)?;
            Ok(Box::new(Ordered::new(OwnReader::new(input))))
        }
        TraceFormat::Blktrace => Ok(Box::new(BlktraceReader::new(vec![input]))),
        TraceFormat::Blkparse => Ok(Box::new(pairing::Paired::new(blkparse::Events::new(input), format))),
        TraceFormat::FioV2 => plain(Box::new(fio::Parser::version_2()), input),
        TraceFormat::FioV3 => scaled(Box::new(fio::Parser::version_3()), input),
        TraceFormat::Msr => scaled(Box::new(msr::Parser), input),
        TraceFormat::Alibaba => scaled(Box::new(alibaba::Parser), input),
        TraceFormat::Tencent => scaled(Box::new(tencent::Parser), input),
        TraceFormat::Vscsi => scaled(Box::new(vscsi::Parser::default()), input),
        TraceFormat::Xperf => scaled(Box::new(xperf::Parser::default()), input),
        TraceFormat::Biosnoop => plain(Box::new(biosnoop::Parser::default()), input),
    }
}

/// A source that hands out records that were read before, then those of the source they came from.
struct Peeked<S> {
    inner: S,
    held: std::collections::VecDeque<Record>,
}

impl<S: Source> Source for Peeked<S> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        if self.held.is_empty() {
            return self.inner.read(batch);
        }
        let count = iobound_trace::BATCH.min(self.held.len());
        batch.extend(self.held.drain(..count));
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}
