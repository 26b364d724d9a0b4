//! Number of I/Os of a trace that one core simulates in a second, on a stripe of ten P30 behind a DS14.
//!
//! `cargo bench -p iobound-predict --bench replay -- [--rounds N] [--ios N] [NAME...]` prints the median and the best of some
//! rounds that take turns.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::Cursor;
use std::time::Instant;

use common::Case;
use iobound_drive::{Flow, ReplayMode};
use iobound_predict::{ReplayQuestion, replay_on_model};
use iobound_trace::{InMemory, MAGIC, OwnReader, OwnWriter, Record, Source};
use iobound_units::{Op, Ppm};

const IOS: u64 = 2_000_000;

/// Random I/Os of a length at a rate, three reads for each write. Latencies are 2 ms.
fn records(ios: u64, per_second: u64, length: u64) -> Vec<Record> {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let step = 1_000_000_000 / per_second;
    (0..ios)
        .map(|n| Record {
            at_ns: n * step + next() % step,
            offset: next() % (1 << 20) * 65_536,
            length,
            latency_ns: 2_000_000,
            device: 0,
            op: if next() % 4 == 0 { Op::Write } else { Op::Read },
        })
        .collect()
}

/// A trace, and how it is replayed.
struct ReplayCase {
    name: &'static str,
    records: Vec<Record>,
    mode: ReplayMode,
    /// Read from the project's own format, instead of memory.
    is_read: bool,
}

fn source_of(case: &ReplayCase, own: &[u8]) -> Box<dyn Source> {
    match case.is_read {
        true => Box::new(OwnReader::new(Cursor::new(own[MAGIC.len()..].to_vec()))),
        false => Box::new(InMemory::new(case.records.clone(), vec!["data".into()])),
    }
}

fn own_format(records: &[Record]) -> Vec<u8> {
    let mut writer = OwnWriter::new(Vec::new()).expect("memory can be written");
    writer.devices(&["data".to_string()]).expect("memory can be written");
    writer.write(records).expect("memory can be written");
    writer.finish().expect("memory can be written").0
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

fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let rounds = number_of(&mut wanted, "--rounds").unwrap_or(5);
    let ios = number_of(&mut wanted, "--ios").unwrap_or(IOS);
    let cases: Vec<ReplayCase> = [
        ("timed", 45_000, 4_096, ReplayMode::Timed, false),
        ("timed-own-format", 45_000, 4_096, ReplayMode::Timed, true),
        ("overloaded", 80_000, 4_096, ReplayMode::Timed, false),
        ("four-fragments", 1_500, 262_144, ReplayMode::Timed, false),
        ("dependent", 45_000, 4_096, ReplayMode::Dependent, false),
    ]
    .into_iter()
    .filter(|(name, ..)| wanted.is_empty() || wanted.iter().any(|word| word == name))
    .map(|(name, per_second, length, mode, is_read)| ReplayCase {
        name,
        records: records(ios, per_second, length),
        mode,
        is_read,
    })
    .collect();
    let resolved = Case::new("DS14", &["10xP30"]).resolved();
    let mut times: Vec<Vec<f64>> = cases.iter().map(|_| Vec::new()).collect();
    let written: Vec<Vec<u8>> = cases.iter().map(|case| own_format(&case.records)).collect();
    for _ in 0..rounds {
        for ((case, own), times) in cases.iter().zip(&written).zip(&mut times) {
            let mut source = source_of(case, own);
            let question = ReplayQuestion {
                resolved: &resolved,
                mode: case.mode,
                speed: Ppm::ONE,
                full_credits: true,
                seed: 0,
                map: &[],
                goal: None,
            };
            let begin = Instant::now();
            let replayed = replay_on_model(&question, &mut *source, &mut || Flow::Continue);
            times.push(begin.elapsed().as_secs_f64());
            let replayed = replayed.expect("the trace can be replayed");
            assert_eq!(replayed.counts.issued, ios);
        }
    }
    for (case, times) in cases.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let rate = |seconds: f64| ios as f64 / seconds / 1e6;
        println!(
            "{:17} median {:5.2} M/s  best {:5.2} M/s  {:4.0} ns",
            case.name,
            rate(times[times.len() / 2]),
            rate(times[0]),
            times[0] * 1e9 / ios as f64
        );
    }
}
