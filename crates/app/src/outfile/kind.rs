//! Kinds of files of the program, recognised by their start: a file of the same kind may be replaced, another one may not.

use std::io::Read;

/// Bytes of a file that are looked at: the first block of a compressed trace has up to 128 KiB.
pub(super) const LOOKED_AT: usize = 160 << 10;

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// `--csv`: a row for each interval.
    SeriesCsv,
    /// `--ndjson`: a line of JSON for each interval.
    IntervalLines,
    /// `--hlog`: an HdrHistogram interval log.
    HistogramLog,
    /// `--trace-out`: a trace in the project's own format.
    Trace,
    /// `--html`: a page.
    Page,
    /// A result as a JSON document.
    Result,
    /// A page of the manual.
    ManualPage,
    /// fio's report: text, JSON or terse lines, of this program or of fio.
    FioReport,
    /// A log of fio's.
    FioLog,
    /// Iometer's results, of this program or of Iometer.
    IometerCsv,
    /// A file that people edit: replaced only with the consent of its name.
    Settings {
        /// Its name was given a second time, as one that may be written over.
        consented: bool,
    },
    /// A file that people edit, of a verb that replaces none.
    NewFile,
    /// A catalogue whose content was read, and goes on in what replaces it.
    MergedCatalogue,
}

impl DocumentKind {
    /// Any other file, as the end of an error: "is no page".
    pub(super) fn denied(self) -> &'static str {
        match self {
            DocumentKind::SeriesCsv => "not a table of intervals of this program (--csv)",
            DocumentKind::IntervalLines => "not a file of interval lines of this program (--ndjson)",
            DocumentKind::HistogramLog => "not an interval log of this program (--hlog)",
            DocumentKind::Trace => "not a trace of this program (--trace-out)",
            DocumentKind::Page => "not a page of this program (--html)",
            DocumentKind::Result => "not a result of this program",
            DocumentKind::ManualPage => "not a page of this manual",
            DocumentKind::FioReport => "not a report in a format of fio",
            DocumentKind::FioLog => "not a log in fio's format",
            DocumentKind::IometerCsv => "not a result in Iometer's format",
            DocumentKind::Settings { .. } | DocumentKind::NewFile | DocumentKind::MergedCatalogue => {
                "left as it is"
            }
        }
    }

    /// True if a file may be replaced whatever its content and owner.
    pub(super) fn is_consented(self) -> bool {
        matches!(self, DocumentKind::Settings { consented: true })
    }

    /// True if a file that begins so is of this kind.
    pub(super) fn is_of(self, beginning: &[u8]) -> bool {
        let text = String::from_utf8_lossy(beginning);
        let mut lines = text.lines();
        match self {
            DocumentKind::SeriesCsv => text.starts_with("stage,start_s,end_s,phase,cut_short,iops,"),
            DocumentKind::IntervalLines => text.starts_with(r#"{"schema":"iobound.interval/"#),
            DocumentKind::HistogramLog => text.starts_with("#[iobound: "),
            DocumentKind::Trace => is_trace(beginning),
            DocumentKind::Page => text.starts_with("<!DOCTYPE html>") && text.contains(" - iobound</title>"),
            DocumentKind::Result => {
                let text = text.trim_start().strip_prefix('{').unwrap_or_default().trim_start();
                text.starts_with(r#""schema": "iobound."#) || text.starts_with(r#""schema":"iobound."#)
            }
            DocumentKind::ManualPage => lines.take(8).any(|line| line.starts_with(".TH IOBOUND")),
            DocumentKind::FioReport => lines.any(|line| {
                let is_terse = line.split_once(';').is_some_and(|(version, rest)| {
                    matches!(version, "2" | "3" | "4" | "5") && rest.starts_with("fio-")
                });
                let is_text = line.contains(": (g=") && line.contains("): rw=");
                is_terse || is_text || line.trim_start().starts_with(r#""fio version" :"#)
            }),
            DocumentKind::FioLog => {
                // The last line may go on beyond what was read.
                let whole = text.rfind('\n').map_or("", |end| &text[..end]);
                let is_iolog = matches!(lines.next(), Some("fio version 2 iolog" | "fio version 3 iolog"));
                is_iolog || (!whole.is_empty() && whole.lines().all(is_log_line))
            }
            DocumentKind::IometerCsv => text.starts_with("'Test Type,Test Description"),
            DocumentKind::Settings { consented } => consented,
            DocumentKind::NewFile => false,
            DocumentKind::MergedCatalogue => true,
        }
    }
}

/// The start of a zstd stream of a trace, of which the rest may be missing.
fn is_trace(beginning: &[u8]) -> bool {
    let mut first = [0; iobound_trace::MAGIC.len()];
    let read = zstd::stream::read::Decoder::new(beginning).and_then(|mut bytes| bytes.read_exact(&mut first));
    read.is_ok() && first == *iobound_trace::MAGIC
}

/// `time, value, direction, block size, ...`, or of a histogram `time, direction, block size, bins...`: fio's HOWTO, "Log File
/// Formats".
fn is_log_line(line: &str) -> bool {
    let fields: Vec<&str> = line.split(", ").collect();
    let number = |field: &str| match field.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => field.parse::<u64>().ok(),
    };
    let is_direction = |n: usize| fields.get(n).and_then(|field| number(field)).is_some_and(|it| it <= 2);
    fields.len() >= 4
        && fields.iter().all(|field| number(field).is_some())
        && (is_direction(1) || is_direction(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fios_own_files_are_known_and_others_are_not() {
        for report in [
            "a: (g=0): rw=randread, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.36\n",
            "note: both iodepth >= 1 and synchronous I/O engine are selected\n{\n  \"fio version\" : \"fio-3.36\",\n",
            "3;fio-3.36;a;0;0;1\n",
        ] {
            assert!(DocumentKind::FioReport.is_of(report.as_bytes()), "{report}");
        }
        for log in [
            "1000, 5, 0, 4096, 0\n2000, 6, 1, 4096, 0, 0x0004\n",
            "1, 0, 4096, 0, 0, 7\n1, 0, 40",
            "fio version 3 iolog\n0 file add\n",
        ] {
            assert!(DocumentKind::FioLog.is_of(log.as_bytes()), "{log}");
        }
        for other in
            ["", "1,2,3,4\n", "a, b, c, d\n", "1, 2\n", "1, 7, 8, 9\n", "root:x:0:0\n", "\u{7f}ELF\0\0"]
        {
            assert!(!DocumentKind::FioReport.is_of(other.as_bytes()), "{other}");
            assert!(!DocumentKind::FioLog.is_of(other.as_bytes()), "{other}");
            assert!(!DocumentKind::IometerCsv.is_of(other.as_bytes()), "{other}");
        }
        assert!(DocumentKind::IometerCsv.is_of(b"'Test Type,Test Description\n0,\n"));
    }

    #[test]
    fn a_page_of_somebody_else_is_not_ours() {
        assert!(!DocumentKind::Page.is_of(b"<!DOCTYPE html>\n<html><head><title>My shop</title>"));
        assert!(DocumentKind::Page.is_of(b"<!DOCTYPE html>\n<html><head><title>A run - iobound</title>"));
    }
}
