//! What a host measures, as its recorder leaves it.
#![allow(dead_code, reason = "tests and the benchmark each use a part of it")]

use iobound_fleet::RankReport;
use iobound_measure::{CellId, Completion, Layout, Measured, Recorder, Together};
use iobound_units::{Instant, Op, Span};

use super::world::SECOND;

/// A recorded run: so many seconds, reads and writes, latencies over two decades; its intervals as they were handed out.
pub(crate) fn recorded(seconds: u64, iops: u64, seed: u64) -> (Measured, Vec<Together>) {
    let end = Instant::from_ns(seconds * SECOND);
    let mut recorder = Recorder::new(Layout::single("scan", "/data", Instant::ZERO, end, Span::from_secs(1)));
    let mut told = Vec::new();
    let mut random = seed | 1;
    for n in 0..seconds * iops {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let completed = Instant::from_ns((n + 1) * SECOND / iops);
        // 100 µs and more, up to some ms: a sum of uniform draws, with a tail of one in 64.
        let mut latency = 100_000 + random % 200_000 + (random >> 20) % 200_000;
        if random >> 58 == 0 {
            latency *= 1 + (random >> 40) % 30;
        }
        let issued = Instant::from_ns(completed.ns().saturating_sub(latency));
        let op = if (random >> 33).is_multiple_of(4) { Op::Write } else { Op::Read };
        let completion =
            Completion { issued, completed, intended: issued, cell: CellId(0), len: 8192, op, ok: true };
        recorder.record_alike(completion, 1);
        while let Some(tick) = recorder.advance(Instant::from_ns(completed.ns() - 1)) {
            told.push(Together::from(tick));
        }
    }
    while let Some(tick) = recorder.advance(end) {
        told.push(Together::from(tick));
    }
    (recorder.finish(end, &[]), told)
}

pub(crate) fn report(measured: &Measured) -> RankReport {
    RankReport { measured: Some(measured.of_host("host")), document: "{}".into(), failed: None }
}
