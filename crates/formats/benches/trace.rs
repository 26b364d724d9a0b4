//! I/Os of a trace a second that one core reads and analyses.
//!
//! `cargo bench -p iobound-formats --bench trace -- [--rounds N] [--ios N] [FORMAT...]` prints the best of some rounds for each
//! format, reading alone and with analysis. With `--rounds`, traces are not analysed.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::fmt::Write;
use std::io::Cursor;
use std::time::Instant as Wall;

use iobound_formats::trace::{TraceOutput, TraceWriter, read_trace, recognise};
use iobound_trace::{Analysis, NO_LATENCY, Record};
use iobound_units::Op;

const IOS: u64 = 2_000_000;

/// Random and sequential I/Os of a few sizes, 20,000 a second.
fn records(ios: u64) -> Vec<Record> {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    (0..ios)
        .map(|n| Record {
            at_ns: n * 50_000 + next() % 10_000 * 1_000 % 50_000,
            offset: next() % (1 << 24) * 4_096,
            length: [4_096, 8_192, 65_536][(next() % 3) as usize],
            latency_ns: if next() % 4 == 0 { NO_LATENCY } else { next() % 1_000_000 },
            device: (next() % 4) as u16,
            op: if next() % 3 == 0 { Op::Write } else { Op::Read },
        })
        .collect()
}

fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let rounds = number_of(&mut wanted, "--rounds");
    let ios = number_of(&mut wanted, "--ios").unwrap_or(IOS);
    let records = records(ios);
    let devices: Vec<String> = (0..4).map(|n| format!("host,{n}")).collect();
    let mut table = String::new();
    let is_wanted =
        |format: &TraceOutput| wanted.is_empty() || wanted.iter().any(|name| name == format.word());
    for format in TraceOutput::ALL.into_iter().filter(is_wanted) {
        let mut writer = TraceWriter::new(Vec::new(), format).expect("memory can be written");
        writer.write(&records, &devices).expect("memory can be written");
        let (bytes, _) = writer.finish().expect("memory can be written");
        let [mut read, mut analysed] = [0.0f64; 2];
        for _ in 0..rounds.unwrap_or(3u64) {
            read = read.max(rate(&bytes, ios, false));
            if rounds.is_none() {
                analysed = analysed.max(rate(&bytes, ios, true));
            }
        }
        let per = bytes.len() as f64 / ios as f64;
        let word = format.word();
        let _ = writeln!(
            table,
            "{word:10} {per:5.1} B/IO  read {read:5.2} M/s  read and analyse {analysed:5.2} M/s"
        );
    }
    print!("{table}");
}

/// The value of an option, which is taken out of the words.
fn number_of(words: &mut Vec<String>, option: &str) -> Option<u64> {
    let at = words.iter().position(|word| word == option)?;
    words
        .drain(at..(at + 2).min(words.len()))
        .nth(1)
        .and_then(|count| count.parse().ok())
        .or_else(|| panic!("{option} N"))
}

/// Millions of I/Os a second.
fn rate(bytes: &[u8], ios: u64, analyse: bool) -> f64 {
    let input = Box::new(Cursor::new(bytes.to_vec()));
    let begin = Wall::now();
    let mut source =
        read_trace(recognise(bytes).expect("it is a trace"), input, None).expect("it is a trace");
    let (mut batch, mut count, mut analysis) = (Vec::new(), 0, Analysis::default());
    loop {
        batch.clear();
        source.read(&mut batch).expect("it is a trace");
        if batch.is_empty() {
            break;
        }
        count += batch.len();
        if analyse {
            analysis.add(&batch);
        }
    }
    assert_eq!(count as u64, ios);
    count as f64 / begin.elapsed().as_secs_f64() / 1e6
}
