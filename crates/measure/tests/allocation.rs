//! The hot loop allocates nothing after the start (invariant 5), and memory does not grow with the I/Os.

use iobound_measure::{Cell, CellId, JobLayout, Layout, Loop, Recorder};
use iobound_units::{Instant, Op, Span, TargetId};

fn layout(end: Instant) -> Layout {
    let mut layout = Layout::single("closed", "t", Instant::from_ns(500_000_000), end, Span::from_ms(100));
    layout.jobs.push(JobLayout {
        name: "open".to_string(),
        kind: Loop::Open,
        requested_depth: None,
        requested_iops: None,
    });
    layout.cells.push(Cell { job: 1, thread: 0, target: TargetId(0) });
    layout
}

/// Records so many I/Os of every kind, 1 µs apart, with latencies that fill many bins, and advances.
fn drive(recorder: &mut Recorder, ios: u64) -> u64 {
    let mut intervals = 0;
    for n in 0..ios {
        let completed = Instant::from_ns(n * 1_000);
        let issued = Instant::from_ns((n * 1_000).saturating_sub(n * 7_919 % 3_000_000));
        let op = Op::ALL[n as usize % 4];
        // Every fifth comes late, every thousandth has failed.
        let completed_late = if n % 5 == 0 { issued } else { completed };
        let (cell, ok) = (CellId(n as u32 % 2), n % 1_000 != 0);
        recorder.record(cell, op, 4096, Instant::ZERO, issued, completed_late, ok);
        if recorder.next_edge() <= completed {
            while recorder.advance(completed).is_some() {
                intervals += 1;
            }
        }
    }
    intervals
}

#[test]
fn recording_and_advancing_allocate_nothing() {
    let mut recorder = Recorder::new(layout(Instant::from_ns(3_000_000_000)));
    let mut intervals = 0;
    let used = allocation_counter::measure(|| intervals = drive(&mut recorder, 4_000_000));
    // The run goes on for a second after the end of the counting.
    assert_eq!(intervals, 39);
    assert_eq!(used.count_total, 0, "{used:?}");
}

#[test]
fn a_series_beyond_its_room_allocates_nothing_either() {
    let mut recorder = Recorder::new(layout(Instant::from_ns(600_000_000)));
    let mut intervals = 0;
    let used = allocation_counter::measure(|| intervals = drive(&mut recorder, 4_000_000));
    assert_eq!(intervals, 39);
    assert_eq!(used.count_total, 0, "{used:?}");
}
