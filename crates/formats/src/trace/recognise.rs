use iobound_trace::{MAGIC, TraceError};

use super::format::TraceFormat;
use super::lines::{Line, LineParser};
use super::unit::TimeUnit;
use super::{alibaba, biosnoop, blkparse, blktrace, msr, number, tencent, vscsi, vscsi_binary, xperf};

/// Bytes of a file's beginning that its format is recognised by.
pub const HEAD: usize = 1 << 16;
/// Lines of them that are looked at, unless they are headers.
const LOOKED_AT: usize = 200;
/// Names of columns that make a header.
const LEAST_NAMES: usize = 4;
/// Files of archives and compressions that are not read: where their mark is, the mark, and a program that prints their content.
const PACKED: [(usize, &[u8], &str); 6] = [
    (0, b"\xfd7zXZ", "xz -dc"),
    (0, b"BZh", "bzip2 -dc"),
    (0, b"\x04\x22\x4d\x18", "lz4 -dc"),
    (0, b"7z\xbc\xaf", "7z x -so"),
    (0, b"PK\x03\x04", "unzip -p"),
    (257, b"ustar", "tar -xO -f"),
];

/// Recognises a format by a file's first bytes, at most [`HEAD`], decompressed.
///
/// # Errors
/// Returns an error if no format fits, or two fit alike.
pub fn recognise(head: &[u8]) -> Result<TraceFormat, TraceError> {
    let head = &head[..head.len().min(HEAD)];
    if head.is_empty() {
        return Err(TraceError::new("the file is empty").help("name a file with I/Os"));
    }
    if head.starts_with(MAGIC) {
        return Ok(TraceFormat::Own);
    }
    if head.starts_with(&MAGIC[..6]) {
        return Err(
            TraceError::new("the trace is of a later version of the format").help("use a later iobound")
        );
    }
    if blktrace::is_blktrace(head) {
        return Ok(TraceFormat::Blktrace);
    }
    let is_packed =
        |(at, mark, _): &&(usize, &[u8], &str)| head.get(*at..).is_some_and(|bytes| bytes.starts_with(mark));
    if let Some((_, _, program)) = PACKED.iter().find(is_packed) {
        return Err(TraceError::new("the file is an archive, or its compression is neither gzip nor zstd")
            .help(format!("unpack it first: {program} FILE > TRACE")));
    }
    if vscsi_binary::is_vscsi(head) {
        return Ok(TraceFormat::VscsiBinary);
    }
    let first = first_lines(head).next().unwrap_or_default();
    match first {
        b"fio version 2 iolog" => return Ok(TraceFormat::FioV2),
        b"fio version 3 iolog" => return Ok(TraceFormat::FioV3),
        _ if first.starts_with(b"fio version ") => {
            let version: String = String::from_utf8_lossy(first).chars().take(40).collect();
            return Err(TraceError::new(format!(
                "`{version}`: only versions 2 and 3 of fio's iolog can be read"
            ))
            .help("record the I/O again with fio 2.0 or later, or write the log as version 2 or 3"));
        }
        _ => {}
    }
    // The headers of all events, or the summary of all files, may be longer than what is looked at.
    if lines_of(head).any(xperf::is_header) {
        return Ok(TraceFormat::Xperf);
    }
    let mut count = [0; TraceFormat::ALL.len()];
    let mut without_sectors = 0;
    for line in first_lines(head) {
        if biosnoop::is_header(line) {
            return Ok(TraceFormat::Biosnoop);
        }
        if biosnoop::is_header_without_sectors(line) {
            return Err(no_sectors());
        }
        if vscsi::is_csv_header(line) {
            return Ok(TraceFormat::Vscsi);
        }
        match of_line(line) {
            Some(format) => count[format as usize] += 1,
            None => without_sectors += usize::from(biosnoop::is_line_without_sectors(line)),
        }
    }
    let most = count.iter().copied().max().unwrap_or(0);
    if without_sectors > most {
        return Err(no_sectors());
    }
    let mut fitting =
        TraceFormat::ALL.into_iter().filter(|format| most > 0 && count[*format as usize] == most);
    let found = fitting.next();
    if let (Some(one), Some(other)) = (found, fitting.next()) {
        let (one, other) = (one.name(), other.name());
        return Err(TraceError::new(format!("the file has lines of two formats, {one} and {other}"))
            .help("split the file by format, and name the parts"));
    }
    found.ok_or_else(|| {
        if first.is_empty() {
            return TraceError::new("the file has only empty lines").help("name a file with I/Os");
        }
        if let Some((name, separator)) = other_separator(head) {
            return TraceError::new(format!("the fields of the trace are separated by {name}, and not by commas"))
                .help(format!("separate them by commas, after decompressing: tr '{separator}' ',' < FILE > TRACE"));
        }
        let is_header = number::are_names(first) && number::by_commas(first).count() >= LEAST_NAMES;
        if is_header && first_lines(head).nth(1).is_none() {
            return TraceError::new("the file has a header and no I/O").help("name a file with I/Os");
        }
        let orders = [&msr::ORDER[..], &alibaba::ORDER, &tencent::ORDER];
        let is_other = number::has_columns(first) && orders.iter().all(|order| number::is_reordered(first, order));
        if is_other {
            return TraceError::new("the columns of the CSV are in an order that no format has").help(
                "write them in the order of one: timestamp,hostname,disknumber,type,offset,size,responsetime of MSR (100 ns, \
                 bytes), device_id,opcode,offset,length,timestamp of Alibaba (us, bytes), timestamp,offset,size,iotype,volumeid \
                 of Tencent (s, sectors)",
            );
        }
        let shown: String = String::from_utf8_lossy(first)
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(80)
            .collect();
        TraceError::new(format!("the format of the trace is unknown; it begins with `{shown}`")).help(
            "name a fio iolog, blkparse or blktrace output, an MSR, Alibaba or Tencent CSV, a VMware vscsi trace, xperf \
             or biosnoop text, or an iobound trace; files may be compressed by gzip or zstd",
        )
    })
}

/// The first lines of a text that are not empty, without the white space around them.
pub(super) fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    lines_of(head).take(LOOKED_AT)
}

/// All of its lines in [`HEAD`] bytes. The last line may be a part of one, and is left out.
fn lines_of(head: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let head = &head[..head.len().min(HEAD)];
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let end = match text.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if head.len() == HEAD => end,
        _ => text.len(),
    };
    let lines = text[..end].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty())
}

fn no_sectors() -> TraceError {
    TraceError::new(
        "biosnoop without the columns SECTOR and BYTES, such as bpftrace's, is no trace of places",
    )
    .help("record with biosnoop of bcc or of libbpf-tools")
}

/// The character that separates fields where a known format has commas: its name, and how `tr` writes it. `None`: with commas in its
/// place, fewer than half of the lines are I/Os.
fn other_separator(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let all = [(b';', "semicolons", ";"), (b'\t', "tabs", "\\t"), (b'|', "vertical bars", "|")];
    let found = all.into_iter().find(|(separator, ..)| {
        let with_commas: Vec<u8> =
            head.iter().map(|byte| if byte == separator { b',' } else { *byte }).collect();
        let ios = first_lines(&with_commas).filter(|line| of_line(line).is_some()).count();
        2 * ios >= first_lines(head).count()
    });
    found.map(|(_, name, separator)| (name, separator))
}

/// The format whose I/O a line is.
fn of_line(line: &[u8]) -> Option<TraceFormat> {
    let is_io = |parser: &mut dyn LineParser| matches!(parser.parse(line, 2), Line::Io(_));
    if blkparse::is_event(line) {
        Some(TraceFormat::Blkparse)
    } else if number::by_commas(line).count() == 6 && vscsi::is_line(line) {
        // An MSR line without a response time has six fields as well, but a host's name is no number.
        Some(TraceFormat::Vscsi)
    } else if is_io(&mut msr::MsrLines::new(TimeUnit::Ticks)) {
        Some(TraceFormat::Msr)
    } else if is_io(&mut alibaba::AlibabaLines::default()) {
        Some(TraceFormat::Alibaba)
    } else if is_io(&mut tencent::TencentLines::default()) {
        Some(TraceFormat::Tencent)
    } else if vscsi::is_line(line) {
        Some(TraceFormat::Vscsi)
    } else if biosnoop::is_line(line) {
        Some(TraceFormat::Biosnoop)
    } else {
        None
    }
}
