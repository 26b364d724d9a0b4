//! The hot loop allocates nothing after the start (invariant 5), and memory does not grow with the I/Os.

use std::sync::Arc;

use iobound_measure::{Cell, CellId, JobLayout, Keep, Layout, Loop, Recorder};
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
    recorder.reserve(&Op::ALL);
    let mut intervals = 0;
    let used = allocation_counter::measure(|| intervals = drive(&mut recorder, 4_000_000));
    // The run goes on for a second after the end of the counting.
    assert_eq!(intervals, 39);
    assert_eq!(used.count_total, 0, "{used:?}");
}

#[test]
fn a_series_beyond_its_room_allocates_nothing_either() {
    let mut recorder = Recorder::new(layout(Instant::from_ns(600_000_000)));
    recorder.reserve(&Op::ALL);
    let mut intervals = 0;
    let used = allocation_counter::measure(|| intervals = drive(&mut recorder, 4_000_000));
    assert_eq!(intervals, 39);
    assert_eq!(used.count_total, 0, "{used:?}");
}

/// A job of one thread for each thread, on one target each.
fn many(threads: u16, end: Instant) -> Arc<Layout> {
    let mut layout = layout(end);
    let job = layout.jobs[0].clone();
    layout.jobs = (0..threads).map(|_| job.clone()).collect();
    layout.targets = (0..threads).map(|thread| format!("/data/{thread}")).collect();
    layout.threads = threads;
    let cell = |thread| Cell { job: thread, thread, target: TargetId(thread) };
    layout.cells = (0..threads).map(cell).collect();
    Arc::new(layout)
}

#[test]
fn the_memory_of_a_threads_recorder_does_not_grow_with_the_other_threads() {
    let day = Instant::from_ns(86_400_000_000_000);
    let bytes = |threads| {
        let layout = many(threads, day);
        allocation_counter::measure(|| {
            let mut recorder = Recorder::of_thread(Arc::clone(&layout), threads - 1, Keep::Nothing);
            recorder.reserve(&[Op::Read, Op::Write]);
        })
        .bytes_max
    };
    assert_eq!(bytes(1), bytes(4_000));
    let promised = Recorder::bytes_of_thread(1, 2, Loop::Closed);
    // The tallies themselves, beside their bins.
    assert!(bytes(1) <= promised + 8_192, "{} of {promised}", bytes(1));
    assert!(promised < 1 << 20, "{promised}");
}

#[test]
fn a_threads_recorder_drops_the_intervals_that_it_handed_out() {
    let mut recorder = Recorder::of_thread(many(2, Instant::from_ns(3_000_000_000)), 1, Keep::Nothing);
    recorder.reserve(&Op::ALL);
    let mut intervals = 0;
    let used = allocation_counter::measure(|| {
        for n in 0..4_000_000 {
            let completed = Instant::from_ns(n * 1_000);
            let issued = Instant::from_ns((n * 1_000).saturating_sub(n * 7_919 % 3_000_000));
            recorder.record(CellId(0), Op::ALL[n as usize % 4], 4096, issued, issued, completed, true);
            if recorder.next_edge() <= completed {
                while recorder.advance(completed).is_some() {
                    intervals += 1;
                }
            }
        }
    });
    assert_eq!(intervals, 39);
    assert_eq!(used.count_total, 0, "{used:?}");
}
