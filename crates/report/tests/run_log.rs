//! The interval log is one that HdrHistogram's own reader reads, and holds what was measured.

mod common;

use std::time::Duration;

use common::recorded;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use iobound_measure::{Measured, Together};
use iobound_report::{hlog_header, hlog_interval, hlog_total};
use iobound_units::{Instant, Op, Span};

/// An interval as the reader has it.
struct Read {
    tag: String,
    start: Duration,
    length: Duration,
    max_ms: f64,
    histogram: hdrhistogram::Histogram<u64>,
}

fn log() -> (String, Measured) {
    let mut log = hlog_header(Span::from_ms(1_782_907_200_250));
    let measured = recorded(|tick| log.push_str(&hlog_interval(&Together::from(tick), Instant::ZERO)));
    log.push_str(&hlog_total(&measured));
    (log, measured)
}

fn read(log: &str) -> Vec<Read> {
    let mut intervals = Vec::new();
    let mut times = Vec::new();
    for entry in IntervalLogIterator::new(log.as_bytes()) {
        match entry.expect("the log is one that its reader reads") {
            LogEntry::StartTime(time) | LogEntry::BaseTime(time) => times.push(time),
            LogEntry::Interval(interval) => {
                let bytes = base64(interval.encoded_histogram());
                intervals.push(Read {
                    tag: interval.tag().expect("each line has a tag").to_string(),
                    start: interval.start_timestamp(),
                    length: interval.duration(),
                    max_ms: interval.max(),
                    histogram: Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap(),
                });
            }
        }
    }
    assert_eq!(times, [Duration::from_millis(1_782_907_200_250); 2]);
    intervals
}

/// The reverse of RFC 4648's encoding, six bits at a time.
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        c => panic!("{} is no letter of Base64", char::from(c)),
    };
    let letters: Vec<u8> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let bits = letters.iter().flat_map(|letter| (0..6).rev().map(move |bit| letter >> bit & 1));
    let bits: Vec<u8> = bits.collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit)).collect()
}

#[test]
fn each_interval_and_direction_comes_back_with_its_counts_and_percentiles() {
    let (log, measured) = log();
    let read = read(&log);
    for (tag, direction) in [("read", 0), ("write", 1)] {
        let lines: Vec<&Read> = read.iter().filter(|line| line.tag == tag).collect();
        assert_eq!(lines.len(), measured.series.len());
        for (line, interval) in lines.iter().zip(&measured.series) {
            let tally = if direction == 0 { interval.read } else { interval.write };
            assert_eq!(line.start.as_nanos(), u128::from(interval.start.ns()));
            assert_eq!(line.length.as_nanos(), u128::from(interval.length().ns()));
            assert_eq!(line.histogram.len(), tally.count);
            // To two digits; the maximum beside is exact.
            let p50 = tally.p50.unwrap().ns() as f64;
            let of_log = line.histogram.value_at_quantile(0.5) as f64;
            assert!((of_log / p50 - 1.0).abs() < 0.01, "{of_log} {p50}");
            assert!((line.max_ms - tally.max.ns() as f64 / 1e6).abs() < 0.001);
        }
    }
}

#[test]
fn the_whole_counted_time_is_under_tags_of_its_own_to_three_digits() {
    let (log, measured) = log();
    let read = read(&log);
    for op in [Op::Read, Op::Write, Op::Flush] {
        let tag = format!("total.{}", op.name());
        let lines: Vec<&Read> = read.iter().filter(|line| line.tag == tag).collect();
        let [line] = lines.as_slice() else { panic!("{} lines of {tag}", lines.len()) };
        let count: u64 = measured.jobs.iter().map(|job| job.op(op).count()).sum();
        assert_eq!(line.histogram.len(), count);
        assert_eq!((line.start, line.length), (Duration::from_secs(2), Duration::from_secs(10)));
    }
    assert!(read.iter().all(|line| line.tag != "total.discard"));
}

#[test]
fn the_head_is_that_of_version_1_3() {
    let head = hlog_header(Span::from_ms(1_500));
    assert!(
        head.contains("#[Histogram log format version 1.3]\n#[StartTime: 1.500 (seconds since epoch)]\n")
    );
    let legend = r#""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#;
    assert!(head.ends_with(&format!("{legend}\n")));
}
