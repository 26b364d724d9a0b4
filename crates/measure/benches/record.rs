//! Cost of recording one completion, in ns: `cargo bench -p iobound-measure`.
//!
//! Latencies are drawn beforehand from a table of 64 Ki values between 50 µs and 3.3 ms, so that the bins
//! are hit in no order that a processor could learn.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::hint::black_box;
use std::time;

use iobound_measure::result::{RunResult, Source};
use iobound_measure::{Cell, CellId, Histogram, Layout, Recorder};
use iobound_units::{Instant, Op, Span, TargetId};

const RECORDS: u64 = 100_000_000;

fn latencies() -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let draw = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        50_000 + ((state >> 40) * (state & 0xff)) / 1_300
    };
    (0..1 << 16).map(draw).collect()
}

fn report(name: &str, run: impl FnOnce() -> u64) {
    let start = time::Instant::now();
    let count = black_box(run());
    println!("{name:<40} {:6.2} ns", start.elapsed().as_secs_f64() * 1e9 / count as f64);
}

fn main() {
    let latencies = latencies();
    report("histogram, three digits", || {
        let mut histogram = Histogram::<3>::new();
        for n in 0..RECORDS {
            histogram.record(latencies[n as usize & 0xffff]);
        }
        histogram.count()
    });
    for (name, ns_apart) in [("1 cell, 1 M I/Os a second", 1_000), ("1 cell, 10,000 I/Os a second", 100_000)]
    {
        report(&format!("recorder, {name}"), || record(1, ns_apart, &latencies));
    }
    report("recorder, 80 cells, 1 M I/Os a second", || record(80, 1_000, &latencies));
    for cells in [1, 80] {
        report(&format!("65,536 I/Os to a result, {cells} cells"), || {
            for _ in 0..100 {
                let end = Instant::from_ns(10_000_000_000);
                let mut recorder = Recorder::new(layout(cells, end));
                for (n, latency) in latencies.iter().enumerate() {
                    let (issued, completed) = (Instant::ZERO, Instant::from_ns(*latency));
                    let cell = CellId((n % usize::from(cells)) as u32);
                    recorder.record(cell, Op::Read, 4096, issued, issued, completed, true);
                }
                black_box(RunResult::from_measured(&recorder.finish(end, &[]), Source::Simulated));
            }
            100
        });
    }
}

fn layout(cells: u16, end: Instant) -> Layout {
    let mut layout = Layout::single("job", "target", Instant::ZERO, end, Span::from_secs(1));
    layout.threads = cells;
    layout.cells = (0..cells).map(|thread| Cell { job: 0, thread, target: TargetId(0) }).collect();
    layout
}

/// Reads and writes by turns over all cells, one completion every `ns_apart`.
fn record(cells: u16, ns_apart: u64, latencies: &[u64]) -> u64 {
    let end = Instant::from_ns(RECORDS * ns_apart);
    let mut recorder = Recorder::new(layout(cells, end));
    let mut at = 0;
    for n in 0..RECORDS {
        at += ns_apart;
        let completed = Instant::from_ns(at);
        let issued = Instant::from_ns(at.saturating_sub(latencies[n as usize & 0xffff]));
        let op = if n & 1 == 0 { Op::Read } else { Op::Write };
        recorder.record(CellId((n % u64::from(cells)) as u32), op, 4096, issued, issued, completed, true);
        if recorder.next_edge() <= completed {
            while recorder.advance(completed).is_some() {}
        }
    }
    recorder.finish(end, &[]).jobs[0].by_op.iter().map(|op| op.count()).sum()
}
