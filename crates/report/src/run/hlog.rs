//! HdrHistogram's interval log, version 1.3: what its own tools in every language read.
//!
//! A line is `Tag=read,START,LENGTH,MAX,HISTOGRAM`: seconds since I/O began, seconds, ms, and the V2 encoding of the
//! latencies in ns, deflated, in Base64. Source: `HistogramLogWriter` and `HistogramLogReader` of HdrHistogram (Java).

use iobound_measure::{Histogram, LatencyCount, Measured, Together};
use iobound_units::{Instant, Op, Span};

/// The head of a log; `began` is when I/O began, since 1970-01-01 UTC. Times of the lines that follow count from it,
/// until another head.
pub fn hlog_header(began: Span) -> String {
    let began = seconds(began);
    format!(
        "#[iobound: latencies in ns, Interval_Max in ms, Tag=read and Tag=write by interval, Tag=total.read and \
         the like of the counted time]\n\
         #[Histogram log format version 1.3]\n\
         #[StartTime: {began} (seconds since epoch)]\n\
         #[BaseTime: {began} (seconds since epoch)]\n\
         \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    )
}

/// The lines of an interval, one for each direction that completed anything, to two digits; times are from `begin`,
/// when I/O began. Latencies that were not kept are a comment instead.
pub fn hlog_interval(interval: &Together, begin: Instant) -> String {
    let of = interval.interval();
    let [reads, writes] = interval.latencies();
    let mut text = String::new();
    for (tag, tally, latencies) in [("read", &of.read, reads), ("write", &of.write, writes)] {
        if tally.count == 0 {
            continue;
        }
        let (start, length) = (of.start.since(begin), of.length());
        if latencies.is_empty() {
            text.push_str(&format!(
                "#at {}: the latencies of {} {tag}s were not kept\n",
                seconds(start),
                tally.count
            ));
            continue;
        }
        text.push_str(&line(tag, start, length, tally.max, &histogram(latencies).to_v2_deflate_base64()));
    }
    text
}

/// The lines of the whole counted time, one for each operation that completed anything, to three digits. Their tags
/// are their own, so that a tool that adds up the intervals of one tag counts nothing twice.
pub fn hlog_total(measured: &Measured) -> String {
    let mut text = String::new();
    for op in Op::ALL {
        let mut all = Histogram::<3>::new();
        measured.jobs.iter().for_each(|job| all.merge(&job.op(op).response));
        let Some(max_ns) = all.moments().max_ns() else { continue };
        let tag = format!("total.{}", op.name());
        let start = measured.start.since(measured.layout.begin);
        let max = Span::from_ns(max_ns);
        text.push_str(&line(&tag, start, measured.window(), max, &all.to_v2_deflate_base64()));
    }
    text
}

fn histogram(latencies: &[LatencyCount]) -> Histogram<2> {
    let mut histogram = Histogram::new();
    latencies.iter().for_each(|bin| histogram.record_n(bin.highest().ns(), bin.count()));
    histogram
}

fn line(tag: &str, start: Span, length: Span, max: Span, histogram: &str) -> String {
    let max_ms = format!("{}.{:03}", max.ns() / 1_000_000, max.ns() / 1_000 % 1_000);
    format!("Tag={tag},{},{},{max_ms},{histogram}\n", seconds(start), seconds(length))
}

/// Rounded to milliseconds, the unit of the format.
fn seconds(span: Span) -> String {
    let ms = (span.ns() + 500_000) / 1_000_000;
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}
