//! Counting of the recorder.

use std::sync::Arc;

use iobound_measure::{
    Cell, CellId, Completion, Gathered, Interval, JobLayout, Keep, Layout, Loop, Measured, Outstanding,
    Phase, Published, Recorder, Together,
};
use iobound_units::{Instant, Op, Span, TargetId};
use proptest::prelude::*;

const CELL: CellId = CellId(0);

fn s(seconds: f64) -> Instant {
    Instant::from_ns((seconds * 1e9) as u64)
}

fn one_job(kind: Loop, start: f64, end: f64) -> Recorder {
    let mut layout = Layout::single("job", "target", s(start), s(end), Span::from_secs(1));
    layout.jobs[0].kind = kind;
    Recorder::new(layout)
}

/// A read of 4 KiB, intended when it is issued.
fn read(recorder: &mut Recorder, issued: f64, completed: f64) {
    recorder.record(CELL, Op::Read, 4096, s(issued), s(issued), s(completed), true);
}

fn drain(recorder: &mut Recorder, now: f64) -> Vec<Interval> {
    let mut closed = Vec::new();
    while let Some(interval) = recorder.advance(s(now)) {
        closed.push(*interval);
    }
    closed
}

fn reads(measured: &Measured) -> u64 {
    measured.jobs[0].op(Op::Read).count()
}

#[test]
fn an_io_counts_if_it_completes_while_counting_is_on() {
    let mut recorder = one_job(Loop::Closed, 1.0, 3.0);
    read(&mut recorder, 0.2, 1.0); // at the very end of the warm-up: belongs to it
    read(&mut recorder, 0.9, 1.000_000_001); // issued in the warm-up
    read(&mut recorder, 2.0, 3.0); // at the very end of the counting: belongs to it
    read(&mut recorder, 2.5, 3.1); // in flight at the end
    let measured = recorder.finish(s(3.2), &[]);
    assert_eq!(reads(&measured), 2);
    assert_eq!(measured.jobs[0].op(Op::Read).bytes, 8192);
    assert_eq!(measured.jobs[0].unfinished, 1);
    assert_eq!(measured.window(), Span::from_secs(2));
}

#[test]
fn without_a_warm_up_an_io_that_completes_at_the_start_counts() {
    let mut recorder = one_job(Loop::Closed, 0.0, 1.0);
    read(&mut recorder, 0.0, 0.0);
    assert_eq!(reads(&recorder.finish(s(1.0), &[])), 1);
}

#[test]
fn an_io_that_failed_is_an_error_and_nothing_else() {
    let mut recorder = one_job(Loop::Open, 0.0, 1.0);
    recorder.record(CELL, Op::Write, 4096, s(0.0), s(0.0), s(0.5), false);
    let measured = recorder.finish(s(1.0), &[]);
    let write = measured.jobs[0].op(Op::Write);
    assert_eq!((write.count(), write.bytes, write.errors), (0, 0, 1));
    assert!(write.service.as_ref().unwrap().is_empty());
    assert_eq!((measured.series[0].write.count, measured.series[0].write.errors), (0, 1));
    assert_eq!(measured.cells[0].by_op[Op::Write as usize].errors, 1);
    // It was outstanding none the less.
    assert_eq!(measured.jobs[0].outstanding_ns, 500_000_000);
}

#[test]
fn flush_and_discard_have_latencies_of_their_own_and_no_place_in_the_series() {
    let mut recorder = one_job(Loop::Closed, 0.0, 1.0);
    recorder.record(CELL, Op::Flush, 0, s(0.0), s(0.0), s(0.003), true);
    recorder.record(CELL, Op::Discard, 1 << 20, s(0.0), s(0.0), s(0.002), true);
    let measured = recorder.finish(s(1.0), &[]);
    assert_eq!(measured.jobs[0].op(Op::Flush).response.moments().max_ns(), Some(3_000_000));
    assert_eq!(measured.jobs[0].op(Op::Discard).bytes, 1 << 20);
    assert_eq!((measured.series[0].count(), measured.series[0].bytes()), (0, 0));
}

#[test]
fn latency_is_from_issue_in_a_closed_loop_and_from_the_intended_time_in_an_open_one() {
    for (kind, response, service) in
        [(Loop::Closed, 200_000_000, None), (Loop::Open, 300_000_000, Some(200_000_000))]
    {
        let mut recorder = one_job(kind, 0.0, 1.0);
        recorder.record(CELL, Op::Read, 512, s(0.1), s(0.2), s(0.4), true);
        let measured = recorder.finish(s(1.0), &[]);
        let op = measured.jobs[0].op(Op::Read);
        assert_eq!(op.response.moments().max_ns(), Some(response));
        assert_eq!(op.service.as_ref().and_then(|h| h.moments().max_ns()), service);
        assert_eq!(measured.series[0].read.max.ns(), response);
        assert_eq!(measured.cells[0].by_op[0].response.moments().max_ns(), Some(response));
    }
}

#[test]
fn edges_lie_a_whole_interval_apart_from_begin_and_from_start_and_at_start_and_end() {
    let mut recorder = one_job(Loop::Closed, 1.5, 3.75);
    let mut edges = Vec::new();
    while recorder.next_edge() < s(6.0) {
        let edge = recorder.next_edge();
        assert!(recorder.advance(Instant::from_ns(edge.ns() - 1)).is_none());
        let interval = *recorder.advance(edge).unwrap();
        assert_eq!(interval.end, edge);
        edges.push((edge.ns() / 10_000_000, interval.phase, interval.whole));
    }
    use Phase::{Cooldown, Counted, Warmup};
    let expected = [
        (100, Warmup, true),
        (150, Warmup, false),
        (250, Counted, true),
        (350, Counted, true),
        (375, Counted, false),
        (475, Cooldown, true),
        (575, Cooldown, true),
    ];
    assert_eq!(edges, expected);
}

#[test]
fn each_closed_interval_is_handed_out_once_even_where_a_completion_closed_it() {
    let mut recorder = one_job(Loop::Closed, 0.0, 10.0);
    read(&mut recorder, 0.0, 0.5);
    read(&mut recorder, 0.0, 3.5); // a stall: closes three
    read(&mut recorder, 0.0, 1.5); // out of order: goes where it belongs
    let closed = drain(&mut recorder, 4.0);
    assert_eq!(closed.iter().map(Interval::count).collect::<Vec<_>>(), [1, 1, 0, 1]);
    assert!(drain(&mut recorder, 4.9).is_empty());
    assert_eq!(drain(&mut recorder, 5.0).len(), 1);
    assert_eq!(recorder.finish(s(5.0), &[]).series.len(), 5);
}

#[test]
fn a_run_cut_short_ends_counting_there() {
    let mut recorder = one_job(Loop::Closed, 0.0, 60.0);
    read(&mut recorder, 0.0, 1.5);
    let measured = recorder.finish(s(2.5), &[]);
    assert_eq!(measured.window(), Span::from_ms(2_500));
    let whole: Vec<_> = measured.series.iter().map(|interval| interval.whole).collect();
    assert_eq!(whole, [true, true, false]);
}

#[test]
fn a_run_of_unknown_length_ends_when_it_is_finished() {
    let layout = Layout::single("job", "target", Instant::ZERO, Instant::MAX, Span::from_secs(1));
    let mut recorder = Recorder::new(layout);
    read(&mut recorder, 0.0, 0.25);
    let measured = recorder.finish(s(0.5), &[]);
    assert_eq!((measured.window(), reads(&measured)), (Span::from_ms(500), 1));
}

#[test]
fn an_interval_has_a_median_from_20_ios_and_a_p99_from_1000() {
    let mut recorder = one_job(Loop::Closed, 0.0, 3.0);
    for (second, ios) in [(0.0, 19), (1.0, 20), (2.0, 1_000)] {
        (1..=ios).for_each(|n| read(&mut recorder, second + 0.5, second + 0.5 + f64::from(n) * 1e-4));
    }
    let series = recorder.finish(s(3.0), &[]).series;
    assert_eq!(series.iter().map(|i| i.read.p50.is_some()).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(series.iter().map(|i| i.read.p99.is_some()).collect::<Vec<_>>(), [false, false, true]);
    // 50.0 ms and 99.0 ms to two digits: at most 1 % above.
    let (p50, p99) = (series[2].read.p50.unwrap().us_f64(), series[2].read.p99.unwrap().us_f64());
    assert!((49_999.0..50_500.0).contains(&p50), "{p50}");
    assert!((98_999.0..99_990.0).contains(&p99), "{p99}");
}

#[test]
fn a_constant_depth_of_eight_is_an_achieved_depth_of_eight() {
    // Eight slots, each issues as soon as it completes, from half a second before to half a second after.
    let mut recorder = one_job(Loop::Closed, 0.5, 2.5);
    let mut slots = [0_u64; 8];
    let mut outstanding = Vec::new();
    while let Some(slot) = (0..8).filter(|slot| slots[*slot] < 2_400_000_000).min_by_key(|slot| slots[*slot])
    {
        let service = 1_000_000 + (slots[slot] * 31 + slot as u64) % 900_001;
        let (issued, completed) = (slots[slot], slots[slot] + service);
        slots[slot] = completed;
        let at = Instant::from_ns(issued);
        recorder.record(CELL, Op::Write, 4096, at, at, Instant::from_ns(completed), true);
    }
    outstanding.extend(slots.map(|issued| Outstanding { cell: CELL, issued: Instant::from_ns(issued) }));
    let measured = recorder.finish(s(2.5), &outstanding);
    assert_eq!(measured.jobs[0].outstanding_ns, 8 * 2_000_000_000);
    assert_eq!(measured.jobs[0].unfinished, 8);
}

/// One completion of a run with two jobs (closed and open), two threads and two targets.
#[derive(Clone, Debug)]
struct Done {
    cell: u32,
    op: Op,
    waited_ns: u64,
    service_ns: u64,
    completed_ns: u64,
    ok: bool,
}

const END_NS: u64 = 10_000_000;

fn two_jobs() -> Layout {
    let job = |name: &str, kind| JobLayout {
        name: name.to_string(),
        kind,
        requested_depth: Some(4),
        requested_iops: None,
    };
    let at = |job, thread, target| Cell { job, thread, target: TargetId(target) };
    Layout {
        jobs: vec![job("closed", Loop::Closed), job("open", Loop::Open)],
        threads: 2,
        targets: vec!["a".to_string(), "b".to_string()],
        cells: vec![at(0, 0, 0), at(0, 0, 1), at(0, 1, 0), at(0, 1, 1), at(1, 0, 0), at(1, 1, 1)],
        begin: Instant::ZERO,
        start: Instant::from_ns(2_500_000),
        end: Instant::from_ns(END_NS),
        interval: Span::from_ns(1_000_000),
    }
}

fn done() -> impl Strategy<Value = Done> {
    (0_u32..6, 0_usize..4, 0_u64..1_000, 0_u64..3_000_000, 0_u64..12_000_000, 0_u32..20).prop_map(
        |(cell, op, waited_ns, service_ns, completed_ns, ok)| Done {
            cell,
            op: Op::ALL[op],
            waited_ns,
            service_ns: service_ns.min(completed_ns),
            completed_ns,
            ok: ok > 0,
        },
    )
}

fn completion(io: &Done) -> Completion {
    let issued = Instant::from_ns(io.completed_ns - io.service_ns);
    let intended = Instant::from_ns(issued.ns().saturating_sub(io.waited_ns));
    let completed = Instant::from_ns(io.completed_ns);
    Completion { issued, completed, intended, cell: CellId(io.cell), len: 4096, op: io.op, ok: io.ok }
}

fn record(recorder: &mut Recorder, io: &Done) {
    let Completion { issued, completed, intended, cell, len, op, ok } = completion(io);
    recorder.record(cell, op, len, intended, issued, completed, ok);
}

fn recorded<'a>(ios: impl IntoIterator<Item = &'a Done>) -> Recorder {
    let mut recorder = Recorder::new(two_jobs());
    for io in ios {
        record(&mut recorder, io);
        let now = Instant::from_ns(io.completed_ns);
        while recorder.advance(now).is_some() {}
    }
    recorder
}

proptest! {
    #[test]
    fn completions_that_are_alike_count_at_once_as_one_by_one(
        batches in proptest::collection::vec((done(), 1_u64..40), 0..60)
    ) {
        // In whatever order they come: of the open interval, of a later one, of one that is closed.
        let (mut at_once, mut one_by_one) = (Recorder::new(two_jobs()), Recorder::new(two_jobs()));
        for (io, count) in &batches {
            at_once.record_alike(completion(io), *count);
            (0..*count).for_each(|_| record(&mut one_by_one, io));
        }
        let at = Instant::from_ns(12_000_000);
        prop_assert_eq!(at_once.finish(at, &[]), one_by_one.finish(at, &[]));
    }

    #[test]
    fn recorders_of_two_threads_merge_to_what_one_would_hold(
        mut ios in proptest::collection::vec(done(), 0..400)
    ) {
        ios.sort_by_key(|io| io.completed_ns);
        let at = Instant::from_ns(12_000_000);
        let whole = recorded(&ios).finish(at, &[]);
        let thread = |io: &&Done| two_jobs().cells[io.cell as usize].thread;
        let mut first = recorded(ios.iter().filter(|io| thread(io) == 0));
        first.merge(recorded(ios.iter().filter(|io| thread(io) == 1)));
        prop_assert_eq!(first.finish(at, &[]), whole);
    }

    #[test]
    fn in_whatever_order_completions_come_the_series_adds_up_to_the_jobs_and_cells(
        ios in proptest::collection::vec(done(), 0..300)
    ) {
        let mut recorder = Recorder::new(two_jobs());
        ios.iter().for_each(|io| record(&mut recorder, io));
        let measured = recorder.finish(Instant::from_ns(12_000_000), &[]);
        let counted = |io: &&Done| 2_500_000 < io.completed_ns && io.completed_ns <= END_NS;
        for op in Op::ALL {
            let mine = || ios.iter().filter(|io| io.op == op).filter(counted);
            let truth = mine().filter(|io| io.ok).count() as u64;
            let errors = mine().filter(|io| !io.ok).count() as u64;
            let jobs = measured.jobs.iter().map(|job| job.op(op));
            prop_assert_eq!(jobs.clone().map(|op| op.count()).sum::<u64>(), truth);
            prop_assert_eq!(jobs.clone().map(|op| op.bytes).sum::<u64>(), truth * 4096);
            prop_assert_eq!(jobs.map(|op| op.errors).sum::<u64>(), errors);
            let cells = measured.cells.iter().map(|cell| &cell.by_op[op as usize]);
            prop_assert_eq!(cells.map(|cell| cell.response.count()).sum::<u64>(), truth);
            let series = measured.series.iter().filter(|i| i.phase == Phase::Counted);
            let series = series.map(|i| match op {
                Op::Read => i.read,
                Op::Write => i.write,
                _ => Default::default(),
            });
            let (expected, failed) = if op.moves_data() { (truth, errors) } else { (0, 0) };
            prop_assert_eq!(series.clone().map(|tally| tally.count).sum::<u64>(), expected);
            prop_assert_eq!(series.map(|tally| tally.errors).sum::<u64>(), failed);
        }
        for interval in &measured.series {
            let (from, to) = (interval.start.ns(), interval.end.ns());
            let within = |at: u64| (from < at || (at == 0 && from == 0)) && at <= to;
            let reads = ios.iter().filter(|io| io.ok && io.op == Op::Read && within(io.completed_ns));
            prop_assert_eq!(interval.read.count, reads.count() as u64, "in {:?}", interval);
        }
    }

    #[test]
    fn achieved_depth_is_the_integral_of_the_outstanding_ios(
        mut ios in proptest::collection::vec(done(), 0..100), cut_ns in 2_500_000_u64..12_000_000
    ) {
        ios.sort_by_key(|io| io.completed_ns);
        let mut recorder = Recorder::new(two_jobs());
        let mut outstanding = Vec::new();
        for io in &ios {
            let issued_ns = io.completed_ns - io.service_ns;
            if io.completed_ns <= cut_ns {
                record(&mut recorder, io);
            } else if issued_ns <= cut_ns {
                outstanding.push(Outstanding { cell: CellId(io.cell), issued: Instant::from_ns(issued_ns) });
            }
        }
        let measured = recorder.finish(Instant::from_ns(cut_ns), &outstanding);
        let end_ns = cut_ns.min(END_NS);
        for (index, job) in measured.jobs.iter().enumerate() {
            let mine = || ios.iter().filter(|io| usize::from(io.cell >= 4) == index);
            let truth: u64 = mine()
                .map(|io| {
                    let issued_ns = io.completed_ns - io.service_ns;
                    io.completed_ns.min(end_ns).saturating_sub(issued_ns.max(2_500_000))
                })
                .sum();
            prop_assert_eq!(job.outstanding_ns, u128::from(truth));
            let unfinished = mine()
                .filter(|io| io.completed_ns > end_ns && io.completed_ns - io.service_ns < end_ns)
                .count();
            prop_assert_eq!(job.unfinished, unfinished as u64);
        }
    }
}

#[test]
fn what_a_recorder_handed_out_stands_for_it_when_it_is_lost() {
    let mut layout = one_job(Loop::Closed, 1.0, 10.0).layout().clone();
    layout.threads = 2;
    layout.cells.push(Cell { job: 0, thread: 1, target: TargetId(0) });
    let layout = Arc::new(layout);
    let mut lost = Recorder::of_thread(Arc::clone(&layout), 0, Keep::Intervals);
    let mut published = Published::new(&layout, Keep::Intervals);
    let mut gathered = Gathered::new(Arc::clone(&layout));
    read(&mut lost, 0.0, 0.5); // warm-up
    for n in 0..30 {
        read(&mut lost, 1.1, 1.2 + f64::from(n) / 100.0);
    }
    lost.record(CELL, Op::Write, 8192, s(1.0), s(1.0), s(2.5), false);
    read(&mut lost, 3.0, 3.5); // in an interval that is never handed out
    while let Some(tick) = lost.advance(s(3.0)) {
        published.take(&Together::from(tick));
        gathered.push(&Together::from(tick));
    }
    assert_eq!(published.until(), s(3.0));
    let known = published.into_recorder(Arc::clone(&layout), 0);
    let alone = gathered.add(known, s(3.0), &[]);
    let read_op = alone.jobs[0].op(Op::Read);
    assert_eq!((read_op.count(), read_op.bytes, alone.jobs[0].op(Op::Write).errors), (30, 30 * 4096, 1));
    // From 1.1 s to 1.2, 1.21, ... 1.49 s: 100 to 390 ms; the fifteenth is 240 ms, a bin of two digits wide at most.
    assert_eq!(read_op.response.moments().min_ns(), Some(100_000_000));
    assert_eq!(read_op.response.moments().max_ns(), Some(390_000_000));
    let median = read_op.response.value_at_percentile(50.0) as f64;
    assert!((median / 240e6 - 1.0).abs() < 0.01, "{median}");
    assert_eq!(alone.series.iter().map(Interval::count).collect::<Vec<_>>(), [1, 30, 0]);

    // Beside a thread that was not lost.
    let mut other = Recorder::of_thread(layout, 1, Keep::Nothing);
    read(&mut other, 2.0, 2.1);
    read(&mut other, 4.0, 4.1);
    gathered.add(other, s(10.0), &[]);
    let together = gathered.finish(s(10.0));
    assert_eq!(reads(&together), 32);
    let counted = together.series.iter().filter(|interval| interval.phase == Phase::Counted);
    assert_eq!(counted.map(Interval::count).sum::<u64>(), 32);
}
