//! Traces of other tools, read as [`iobound_trace::Record`]s and written from them.
//!
//! Every reader streams: it keeps a line or a record, or a window of events whose completion it waits for.

mod alibaba;
mod biosnoop;
mod blkparse;
mod blktrace;
mod checked;
mod devices;
mod fio;
mod format;
mod latency;
mod lines;
mod msr;
mod number;
mod out;
mod out_names;
mod pairing;
mod recognise;
mod stream;
mod tally;
mod tencent;
mod unit;
mod vscsi;
mod vscsi_binary;
mod xperf;

use std::io::Read;

use iobound_trace::{Ordered, OwnReader, Source, TraceError};

pub use blktrace::BlktraceReader;
pub use format::TraceFormat;
pub use out::{TraceOutput, TraceWriter};
pub use recognise::{HEAD, recognise};
pub use stream::{peeked, utf8};
pub use unit::TimeUnit;

use lines::Lines;

/// A reader of a trace in this format, in order of time. `input` begins with the file's first byte, decompressed and as
/// UTF-8.
///
/// `unit` replaces the format's own unit of time.
///
/// # Errors
/// Returns an error if a unit is given for a format that states its unit, the file has another format, or the unit of
/// its times is ambiguous.
pub fn read_trace(
    format: TraceFormat,
    mut input: Box<dyn Read>,
    unit: Option<TimeUnit>,
) -> Result<Box<dyn Source>, TraceError> {
    if let (Some(unit), None) = (unit, format.unit())
        && format != TraceFormat::FioV2
    {
        let why =
            format!("--time-unit {}: the times of {} have a unit of their own", unit.name(), format.name());
        return Err(TraceError::new(why).help("leave --time-unit out"));
    }
    let ticks = unit.or(format.unit()).unwrap_or(TimeUnit::Nanoseconds);
    let scaled = |parser: Box<dyn lines::LineParser>, input| {
        let source = Ordered::new(Lines::new(input, parser, format, ticks));
        checked::checked(source, format, ticks, unit.is_some())
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
        TraceFormat::Blkparse => {
            Ok(Box::new(Ordered::new(pairing::Paired::new(blkparse::Events::new(input), format))))
        }
        TraceFormat::FioV2 => plain(Box::new(fio::FioLines::version_2(unit)?), input),
        TraceFormat::FioV3 => scaled(Box::new(fio::FioLines::version_3()), input),
        TraceFormat::Msr => scaled(Box::new(msr::MsrLines::new(ticks)), input),
        TraceFormat::Alibaba => scaled(Box::<alibaba::AlibabaLines>::default(), input),
        TraceFormat::Tencent => scaled(Box::<tencent::TencentLines>::default(), input),
        TraceFormat::Vscsi => scaled(Box::new(vscsi::VscsiLines::new(unit.is_some())), input),
        TraceFormat::VscsiBinary => {
            let source = Ordered::new(vscsi_binary::VscsiRecords::new(input, ticks)?);
            checked::checked(source, format, ticks, unit.is_some())
        }
        TraceFormat::Xperf => scaled(Box::<xperf::XperfLines>::default(), input),
        TraceFormat::Biosnoop => {
            let (head, input) = peeked(input, HEAD)?;
            plain(Box::new(biosnoop::BiosnoopLines::behind(recognise::first_lines(&head))?), input)
        }
    }
}
