use iobound_trace::{MAGIC, TraceError};

use super::unit::TimeUnit;
use super::{alibaba, biosnoop, blkparse, blktrace, msr, tencent, vscsi, xperf};
use crate::trace::lines::{Line, LineParser};

/// Bytes of a file's beginning that its format is recognised by.
pub const HEAD: usize = 1 << 16;
/// Lines of them that are looked at.
const LOOKED_AT: usize = 200;

/// Format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceFormat {
    /// The project's own.
    Own,
    /// fio's `write_iolog`, version 2.
    FioV2,
    /// The same, version 3.
    FioV3,
    /// The text of `blkparse`.
    Blkparse,
    /// A binary file of `blktrace`.
    Blktrace,
    /// Microsoft Research Cambridge.
    Msr,
    /// Alibaba.
    Alibaba,
    /// Tencent.
    Tencent,
    /// VMware's SCSI commands.
    Vscsi,
    /// Windows' `xperf`.
    Xperf,
    /// `biosnoop`.
    Biosnoop,
}

impl TraceFormat {
    /// All of them.
    pub const ALL: [TraceFormat; 11] = [
        TraceFormat::Own,
        TraceFormat::FioV2,
        TraceFormat::FioV3,
        TraceFormat::Blkparse,
        TraceFormat::Blktrace,
        TraceFormat::Msr,
        TraceFormat::Alibaba,
        TraceFormat::Tencent,
        TraceFormat::Vscsi,
        TraceFormat::Xperf,
        TraceFormat::Biosnoop,
    ];

    /// The name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            TraceFormat::Own => "iobound trace v1",
            TraceFormat::FioV2 => "fio iolog v2",
            TraceFormat::FioV3 => "fio iolog v3",
            TraceFormat::Blkparse => "blkparse text",
            TraceFormat::Blktrace => "blktrace binary",
            TraceFormat::Msr => "MSR Cambridge CSV",
            TraceFormat::Alibaba => "Alibaba CSV",
            TraceFormat::Tencent => "Tencent CSV",
            TraceFormat::Vscsi => "VMware vscsi text",
            TraceFormat::Xperf => "xperf diskio text",
            TraceFormat::Biosnoop => "biosnoop text",
        }
    }

    /// The word for the option `--format`.
    pub const fn word(self) -> &'static str {
        match self {
            TraceFormat::Own => "iobound",
            TraceFormat::FioV2 => "fio2",
            TraceFormat::FioV3 => "fio3",
            TraceFormat::Blkparse => "blkparse",
            TraceFormat::Blktrace => "blktrace",
            TraceFormat::Msr => "msr",
            TraceFormat::Alibaba => "alibaba",
            TraceFormat::Tencent => "tencent",
            TraceFormat::Vscsi => "vscsi",
            TraceFormat::Xperf => "xperf",
            TraceFormat::Biosnoop => "biosnoop",
        }
    }

    /// The unit of its times, where they are integers whose unit the file does not say.
    pub const fn unit(self) -> Option<TimeUnit> {
        match self {
            TraceFormat::FioV3 | TraceFormat::Alibaba | TraceFormat::Vscsi | TraceFormat::Xperf => {
                Some(TimeUnit::Microseconds)
            }
            TraceFormat::Msr => Some(TimeUnit::Ticks),
            TraceFormat::Tencent => Some(TimeUnit::Seconds),
            _ => None,
        }
    }

    /// Whether its times are dates.
    pub(super) const fn has_dates(self) -> bool {
        matches!(self, TraceFormat::Msr | TraceFormat::Alibaba | TraceFormat::Tencent)
    }

    /// Whether other programs write it as well, so that its unit may be another one.
    pub(super) const fn is_often_converted(self) -> bool {
        matches!(self, TraceFormat::FioV3 | TraceFormat::Alibaba | TraceFormat::Msr | TraceFormat::Vscsi)
    }
}

/// Recognises a format by a file's first bytes, at most [`HEAD`], decompressed.
///
/// # Errors
/// A file of no known format, or that two fit alike.
pub fn recognise(head: &[u8]) -> Result<TraceFormat, TraceError> {
    let head = &head[..head.len().min(HEAD)];
    if head.is_empty() {
        return Err(TraceError::new("the file is empty"));
    }
    if head.starts_with(MAGIC) {
        return Ok(TraceFormat::Own);
    }
    if head.starts_with(&MAGIC[..6]) {
        return Err(
            TraceError::new("the trace is of a later version of the format").mend("use a later iobound")
        );
    }
    if blktrace::is_blktrace(head) {
        return Ok(TraceFormat::Blktrace);
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return Err(TraceError::new("the file is UTF-16").mend("save it as UTF-8"));
    }
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
    // The last line may be a part of one.
    if head.len() == HEAD && lines.len() > 1 {
        lines.pop();
    }
    let first = lines.iter().find(|line| !line.is_empty()).copied().unwrap_or_default();
    match first {
        b"fio version 2 iolog" => return Ok(TraceFormat::FioV2),
        b"fio version 3 iolog" => return Ok(TraceFormat::FioV3),
        _ if first.starts_with(b"fio version ") => {
            return Err(TraceError::new("the fio iolog is of another version than 2 and 3"));
        }
        _ => {}
    }
    let mut count = [0; TraceFormat::ALL.len()];
    for line in lines.iter().filter(|line| !line.is_empty()).take(LOOKED_AT) {
        if xperf::is_detail_header(line) || xperf::is_dumper_header(line) {
            return Ok(TraceFormat::Xperf);
        }
        if biosnoop::is_header(line) {
            return Ok(TraceFormat::Biosnoop);
        }
        if let Some(format) = of_line(line) {
            count[format as usize] += 1;
        }
    }
    let most = count.iter().copied().max().unwrap_or(0);
    let found = TraceFormat::ALL.into_iter().find(|format| most > 0 && count[*format as usize] == most);
    found.ok_or_else(|| {
        let shown: String = String::from_utf8_lossy(first)
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(80)
            .collect();
        TraceError::new(format!("the format of the trace is unknown; it begins with `{shown}`")).mend(
            "name a fio iolog, blkparse or blktrace output, an MSR, Alibaba or Tencent CSV, a VMware vscsi, xperf or biosnoop \
             text, or an iobound trace; files may be compressed by gzip or zstd",
        )
    })
}

/// The format whose I/O a line is.
fn of_line(line: &[u8]) -> Option<TraceFormat> {
    let is_io = |parser: &mut dyn LineParser| matches!(parser.parse(line, 2), Line::Io(_));
    if blkparse::is_event(line) {
        Some(TraceFormat::Blkparse)
    } else if is_io(&mut msr::Parser) {
        Some(TraceFormat::Msr)
    } else if is_io(&mut alibaba::Parser) {
        Some(TraceFormat::Alibaba)
    } else if is_io(&mut tencent::Parser) {
        Some(TraceFormat::Tencent)
    } else if vscsi::is_line(line) {
        Some(TraceFormat::Vscsi)
    } else {
        None
    }
}
