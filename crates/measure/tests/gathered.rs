//! The recorders of threads that are gathered hold what one recorder of all I/Os holds.

use std::sync::Arc;

use iobound_measure::{
    Cell, CellId, Gathered, JobLayout, Keep, Layout, Loop, Measured, Outstanding, Recorder, Together,
};
use iobound_units::{Instant, Op, Span, TargetId};
use proptest::prelude::*;

const THREADS: u16 = 4;

fn ms(ms: u64) -> Instant {
    Instant::from_ns(ms * 1_000_000)
}

/// Threads 0 and 1 run a closed loop on two targets each, threads 2 and 3 an open loop on one. A second of warm-up, three
/// that count, then cool-down.
fn layout() -> Arc<Layout> {
    let job = |name: &str, kind| JobLayout {
        name: name.to_string(),
        kind,
        requested_depth: None,
        requested_iops: None,
    };
    let cell = |job, thread, target| Cell { job, thread, target: TargetId(target) };
    Arc::new(Layout {
        jobs: vec![job("scan", Loop::Closed), job("log", Loop::Open)],
        threads: THREADS,
        targets: vec!["a".into(), "b".into()],
        cells: vec![cell(0, 0, 0), cell(0, 0, 1), cell(0, 1, 0), cell(0, 1, 1), cell(1, 2, 1), cell(1, 3, 1)],
        begin: Instant::ZERO,
        start: ms(1_000),
        end: ms(4_000),
        interval: Span::from_ms(400),
    })
}

/// One I/O: whose, of which of the thread's cells, what, when and how long.
#[derive(Clone, Debug)]
struct Io {
    thread: u16,
    second_cell: bool,
    op: Op,
    completed_us: u64,
    took_us: u64,
    /// Delay until the recorder hears of it.
    told_us: u64,
    ok: bool,
}

fn io() -> impl Strategy<Value = Io> {
    let whose = (0..THREADS, any::<bool>(), 0..4_usize);
    let when = (1..4_500_000_u64, 1..900_000_u64, prop_oneof![4 => Just(0_u64), 1 => 0..900_000_u64]);
    (whose, when, prop::bool::weighted(0.95)).prop_map(|((thread, second, op), when, ok)| Io {
        thread,
        second_cell: second && thread < 2,
        op: Op::ALL[op],
        completed_us: when.0,
        took_us: when.1.min(when.0),
        told_us: when.2,
        ok,
    })
}

fn record(recorder: &mut Recorder, io: &Io, cell: u32) {
    let at = |us: u64| Instant::from_ns(us * 1_000);
    let issued = at(io.completed_us - io.took_us);
    recorder.record(CellId(cell), io.op, 4096, issued, issued, at(io.completed_us), io.ok);
}

/// The I/Os as each thread hears of them; intervals are handed out whenever one ends.
fn gathered(
    ios: &[Io],
    keep: Keep,
    ends_us: [u64; 4],
    outstanding: &[(u16, u64)],
) -> (Measured, Vec<Measured>) {
    let layout = layout();
    let mut gathered = Gathered::new(Arc::clone(&layout));
    let mut told: Vec<Option<Together>> = Vec::new();
    let mut recorders = Vec::new();
    for thread in 0..THREADS {
        let mut recorder = Recorder::of_thread(Arc::clone(&layout), thread, keep);
        let mut index = 0;
        let mut hand_out = |recorder: &mut Recorder, now: Instant| {
            while let Some(tick) = recorder.advance(now) {
                let own = Together::from(tick);
                match told.get_mut(index) {
                    Some(Some(together)) => together.merge(&own),
                    _ => told.push(Some(own)),
                }
                index += 1;
            }
        };
        for io in ios.iter().filter(|io| io.thread == thread) {
            hand_out(&mut recorder, Instant::from_ns((io.completed_us + io.told_us) * 1_000));
            record(&mut recorder, io, u32::from(io.second_cell));
        }
        recorders.push(recorder);
    }
    told.iter().flatten().for_each(|together| gathered.push(together));
    let threads = (0..THREADS).zip(recorders).map(|(thread, recorder)| {
        let left: Vec<Outstanding> = outstanding
            .iter()
            .filter(|(own, _)| *own == thread)
            .map(|(_, issued)| Outstanding { cell: CellId(0), issued: Instant::from_ns(issued * 1_000) })
            .collect();
        gathered.add(recorder, Instant::from_ns(ends_us[usize::from(thread)] * 1_000), &left)
    });
    let threads = threads.collect();
    let at = ends_us.into_iter().max().unwrap_or(0);
    (gathered.finish(Instant::from_ns(at * 1_000)), threads)
}

const FIRST_CELL: [u32; 4] = [0, 2, 4, 5];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn gathered_threads_are_what_one_recorder_of_all_ios_holds(
        mut ios in prop::collection::vec(io(), 0..300),
        outstanding in prop::collection::vec((0..THREADS, 1..4_500_000_u64), 0..8),
        early_us in 4_500_000..5_000_000_u64,
        keep in prop_oneof![Just(Keep::Nothing), Just(Keep::Intervals), Just(Keep::All)],
    ) {
        // A thread hears of its I/Os in this order.
        ios.sort_by_key(|io| io.completed_us + io.told_us);
        let until = 5_500_000;
        let (together, threads) = gathered(&ios, keep, [until, early_us, until, until], &outstanding);
        // One recorder that hears of everything in order of time.
        let mut whole = Recorder::new(layout());
        let mut in_order = ios.clone();
        in_order.sort_by_key(|io| io.completed_us);
        for io in &in_order {
            record(&mut whole, io, FIRST_CELL[usize::from(io.thread)] + u32::from(io.second_cell));
        }
        let left: Vec<Outstanding> = outstanding.iter().map(|(thread, issued)| Outstanding {
            cell: CellId(FIRST_CELL[usize::from(*thread)]),
            issued: Instant::from_ns(issued * 1_000),
        }).collect();
        let oracle = whole.finish(Instant::from_ns(until * 1_000), &left);
        prop_assert_eq!(&together.jobs, &oracle.jobs);
        prop_assert_eq!(&together.cells, &oracle.cells);
        prop_assert_eq!(&together.layout, &oracle.layout);
        prop_assert_eq!(together.series.len(), oracle.series.len());
        let is_late = ios.iter().any(|io| io.told_us > 0);
        for (own, truth) in together.series.iter().zip(&oracle.series) {
            let plain = |tally: &iobound_measure::IntervalTally| {
                iobound_measure::IntervalTally { p50: None, p99: None, ..*tally }
            };
            prop_assert_eq!((own.start, own.end, own.phase, own.whole), (truth.start, truth.end, truth.phase, truth.whole));
            prop_assert_eq!((plain(&own.read), plain(&own.write)), (plain(&truth.read), plain(&truth.write)));
            if !is_late {
                prop_assert_eq!((own.read.p50, own.write.p99), (truth.read.p50, truth.write.p99));
            }
        }
        if !is_late {
            prop_assert_eq!(&together.latencies, &oracle.latencies);
        }
        // Each thread has its own job and its own cells alone.
        for (thread, own) in threads.iter().enumerate() {
            prop_assert_eq!(own.check(), Ok(()));
            prop_assert_eq!((own.jobs.len(), own.cells.len()), (1, if thread < 2 { 2 } else { 1 }));
            prop_assert_eq!(&own.layout.jobs[0].name, if thread < 2 { "scan" } else { "log" });
            let counted: u64 = own.jobs[0].by_op.iter().map(|op| op.count() + op.errors).sum();
            let truth = ios.iter().filter(|io| usize::from(io.thread) == thread);
            let truth = truth.filter(|io| io.completed_us > 1_000_000 && io.completed_us <= 4_000_000).count();
            prop_assert_eq!(counted, truth as u64);
        }
    }
}
