//! Replays on an engine whose latency is known.

use iobound_drive::{
    Done, EndReason, Engine, EngineError, Flow, ReplayCounts, ReplayError, ReplayMode, ReplayPart,
    ReplayTarget, ReplayWatcher, ReplayedIo, TraceInput, Window, Worker, layout_of, replay, replay_part,
};
use iobound_measure::Recorder;
use iobound_trace::{InMemory, NO_LATENCY, Record};
use iobound_units::{Bytes, Instant, Io, Op, Ppm, Rate, Span, Tag, TargetId};
use iobound_workload::{Arrivals, Job, Load, Target, Workload};

/// Every I/O takes the same time, however many there are.
struct Fixed {
    now: Instant,
    latency: Span,
    open: Vec<(Instant, Tag)>,
    seen: Vec<(Instant, Io)>,
}

impl Fixed {
    fn new(latency: Span) -> Fixed {
        Fixed { now: Instant::ZERO, latency, open: Vec::new(), seen: Vec::new() }
    }
}

impl Engine for Fixed {
    fn now(&mut self) -> Instant {
        self.now
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        self.open.push((self.now + self.latency, tag));
        self.seen.push((self.now, io));
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let next = self.open.iter().map(|open| open.0).min().unwrap_or(until).min(until);
        self.now = self.now.max(next);
        let now = self.now;
        self.open.retain(|(at, tag)| {
            if *at <= now {
                done.push(Done { tag: *tag, at: *at, ok: true });
            }
            *at > now
        });
        Ok(())
    }
}

#[derive(Default)]
struct Seen {
    ios: Vec<ReplayedIo>,
    windows: Vec<(u64, u64)>,
    stop_after: Option<usize>,
}

impl ReplayWatcher<Fixed> for Seen {
    fn target(&mut self, _: &str) -> ReplayTarget {
        ReplayTarget::of_sectors(TargetId(0), 1 << 20)
    }

    fn completed(&mut self, io: &ReplayedIo) -> Flow {
        self.ios.push(*io);
        if self.stop_after.is_some_and(|after| self.ios.len() >= after) { Flow::Stop } else { Flow::Continue }
    }

    fn window(&mut self, _: &mut Fixed, from: Instant, to: Instant, _: usize) -> (Flow, Span) {
        self.windows.push((from.ns(), to.ns()));
        (Flow::Continue, Span::from_secs(1))
    }
}

fn read(at_us: u64, latency_us: Option<u64>) -> Record {
    Record {
        // A clock that does not begin at zero.
        at_ns: 1_000_000_000 + at_us * 1_000,
        offset: 0,
        length: 4_096,
        latency_ns: latency_us.map_or(NO_LATENCY, |us| us * 1_000),
        device: 0,
        op: Op::Read,
    }
}

fn run(
    records: Vec<Record>,
    mode: ReplayMode,
    speed: u32,
    tags: u32,
    latency_us: u64,
) -> Result<(ReplayCounts, Fixed, Seen), ReplayError> {
    let mut engine = Fixed::new(Span::from_us(latency_us));
    let mut seen = Seen::default();
    let mut source = InMemory::new(records, vec!["disk".into()]);
    let counts = replay(&mut engine, &mut source, mode, Ppm(speed), tags, &mut seen)?;
    Ok((counts, engine, seen))
}

fn issued_us(engine: &Fixed) -> Vec<u64> {
    engine.seen.iter().map(|(at, _)| at.ns() / 1_000).collect()
}

#[test]
fn timed_ios_are_issued_at_their_recorded_times() {
    let records = vec![read(0, None), read(100, None), read(5_000_000, None)];
    let (counts, engine, seen) = run(records.clone(), ReplayMode::Timed, 1_000_000, 8, 250).unwrap();
    assert_eq!(issued_us(&engine), [0, 100, 5_000_000]);
    assert_eq!((counts.issued, counts.recorded), (3, Span::from_secs(5)));
    assert!(seen.ios.iter().all(|io| io.completed.since(io.intended) == Span::from_us(250)));
    // Seconds without I/O have no window.
    assert_eq!(seen.windows.len(), 2);
    let (_, engine, _) = run(records, ReplayMode::Timed, 2_000_000, 8, 250).unwrap();
    assert_eq!(issued_us(&engine), [0, 50, 2_500_000]);
}

#[test]
fn latency_counts_from_the_recorded_time_when_tags_are_short() {
    let records = (0..4).map(|n| read(n * 10, None)).collect();
    let (counts, engine, seen) = run(records, ReplayMode::Timed, 1_000_000, 1, 100).unwrap();
    assert_eq!(issued_us(&engine), [0, 100, 200, 300]);
    let latencies: Vec<u64> =
        seen.ios.iter().map(|io| io.completed.since(io.intended).ns() / 1_000).collect();
    assert_eq!(latencies, [100, 190, 280, 370]);
    assert_eq!(counts.held_back, 3);
    // Two tags become free together: both of the I/Os that follow have waited.
    let records = (0..4).map(|_| read(0, None)).collect();
    let (counts, engine, _) = run(records, ReplayMode::Timed, 1_000_000, 2, 100).unwrap();
    assert_eq!((issued_us(&engine), counts.held_back), (vec![0, 0, 100, 100], 2));
}

#[test]
fn dependent_ios_keep_think_times_and_follow_faster_disks() {
    // Recorded: each I/O took 1 ms; the second follows the first after 0.2 ms, the third overlaps the second.
    let records = vec![
        read(0, Some(1_000)),
        read(1_200, Some(1_000)),
        read(1_300, Some(1_000)),
        read(2_500, Some(1_000)),
    ];
    let (_, engine, _) = run(records.clone(), ReplayMode::Dependent, 1_000_000, 8, 100).unwrap();
    // 100 + 200 of think time; 100 + 300; then after the third, which completes at 500, 200 more.
    assert_eq!(issued_us(&engine), [0, 300, 400, 700]);
    let (_, engine, _) = run(records, ReplayMode::Dependent, 1_000_000, 8, 1_000).unwrap();
    assert_eq!(issued_us(&engine), [0, 1_200, 1_300, 2_500]);
}

#[test]
fn a_dependent_replay_needs_latencies() {
    let records = vec![read(0, Some(1_000)), read(10, None)];
    assert_eq!(run(records, ReplayMode::Dependent, 1_000_000, 8, 100).err(), Some(ReplayError::NoLatency(2)));
}

#[test]
fn ios_that_do_not_fit_are_wrapped_or_left_out_and_counted() {
    let at = |offset, length, op| Record { offset, length, op, ..read(0, None) };
    let records = vec![
        at(1 << 30, 4_096, Op::Read),
        at(0, 0, Op::Write),
        at(0, 1 << 21, Op::Read),
        at(u64::MAX, 512, Op::Write),
        at(700, 100, Op::Write),
        at(5, 7, Op::Flush),
    ];
    let (counts, engine, _) = run(records, ReplayMode::Timed, 1_000_000, 8, 100).unwrap();
    assert_eq!((counts.issued, counts.left_out, counts.wrapped), (4, 2, 2));
    assert!(engine.seen.iter().all(|(_, io)| io.offset + u64::from(io.len) <= 1 << 20));
    let whole: Vec<(u64, u32)> = engine.seen.iter().map(|(_, io)| (io.offset % 512, io.len % 512)).collect();
    assert_eq!(whole, [(0, 0); 4]);
}

#[test]
fn a_replay_ends_when_its_watcher_wants_it() {
    let mut engine = Fixed::new(Span::from_us(10));
    let mut seen = Seen { stop_after: Some(2), ..Seen::default() };
    let mut source = InMemory::new((0..100).map(|n| read(n * 1_000, None)).collect(), vec!["disk".into()]);
    let counts = replay(&mut engine, &mut source, ReplayMode::Timed, Ppm::ONE, 8, &mut seen).unwrap();
    assert!(counts.issued < 5 && seen.ios.len() == 2);
}

#[test]
fn an_eager_replay_keeps_the_order_and_ignores_the_times() {
    let records = vec![read(0, None), read(5_000_000, None), read(9_000_000, None)];
    let (counts, engine, _) = run(records, ReplayMode::Eager, 1_000_000, 1, 100).unwrap();
    assert_eq!(issued_us(&engine), [0, 100, 200]);
    assert!(counts.complete);
}

#[test]
fn offsets_are_scaled_then_aligned_and_long_ios_are_left_out() {
    let at = |offset, length| Record { offset, length, ..read(0, None) };
    let mut seen = Small;
    let mut engine = Fixed::new(Span::from_us(10));
    let mut source = InMemory::new(vec![at(40_960, 4_096), at(8_192, 8_192)], vec!["disk".into()]);
    let counts = replay(&mut engine, &mut source, ReplayMode::Timed, Ppm::ONE, 8, &mut seen).unwrap();
    // A third of 40,960 is 13,653, and the multiple of 4,096 below it 12,288.
    assert_eq!(engine.seen.iter().map(|(_, io)| io.offset).collect::<Vec<u64>>(), [12_288]);
    assert_eq!((counts.issued, counts.left_out), (1, 1));
}

/// A watcher whose target takes a third of all offsets, in multiples of 4 KiB, and nothing longer than that.
struct Small;

impl ReplayWatcher<Fixed> for Small {
    fn target(&mut self, _: &str) -> ReplayTarget {
        let whole = ReplayTarget::of_sectors(TargetId(0), 1 << 20);
        ReplayTarget { offset_align: 4_096, longest: 4_096, ratio: Some((1, 3)), ..whole }
    }

    fn completed(&mut self, _: &ReplayedIo) -> Flow {
        Flow::Continue
    }

    fn window(&mut self, _: &mut Fixed, _: Instant, _: Instant, _: usize) -> (Flow, Span) {
        (Flow::Continue, Span::from_secs(1))
    }
}

/// A replay of three reads within 5 s as the part of a run that lasts so long; it ends after so many intervals.
fn part(seconds: u64, intervals: usize) -> (ReplayPart, usize) {
    let mut job = Job::new("trace");
    let rate = Rate::Ios { count: 3, per: Span::from_secs(5) };
    job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 8 };
    let workload = Workload::new(vec![job], Span::from_secs(seconds));
    let disk = Target { name: "disk".into(), id: TargetId(0), size: Bytes(1 << 20), members_of: None };
    let window = Window::of(&workload, Instant::ZERO);
    let queues = workload.queues(std::slice::from_ref(&disk)).unwrap();
    let layout = layout_of(&workload, &queues, &[disk], window, Span::from_secs(1));
    let worker = Worker::of_queues(&workload, queues, window).unwrap();
    let mut engine = Fixed::new(Span::from_us(250));
    let records = vec![read(0, Some(300)), read(100, Some(300)), read(5_000_000, Some(300))];
    let mut source = InMemory::new(records, vec!["disk".into()]);
    let input = TraceInput {
        source: &mut source,
        mode: ReplayMode::Timed,
        speed: Ppm::ONE,
        target: &mut |_| ReplayTarget::of_sectors(TargetId(0), 1 << 20),
    };
    let mut ended = 0;
    let mut watch = |_: iobound_measure::Tick<'_>| {
        ended += 1;
        if ended == intervals { Flow::Stop } else { Flow::Continue }
    };
    let part = replay_part(&worker, &mut engine, Recorder::new(layout), input, &mut watch, &mut |_, _, _| {});
    (part, ended)
}

#[test]
fn a_replay_in_a_run_has_intervals_and_an_end_as_any_run() {
    let (whole, intervals) = part(60, usize::MAX);
    assert_eq!((whole.part.reason, intervals), (EndReason::WorkDone, 5));
    assert_eq!((whole.recorded.count(), whole.late.count()), (3, 3));
    let counts = whole.counts.unwrap();
    assert_eq!((counts.issued, counts.last_issue, counts.complete), (3, Span::from_secs(5), true));
    let end = whole.part.finish().unwrap();
    assert_eq!(end.at.ns(), 5_000_250_000);
    assert_eq!(end.measured.jobs[0].op(Op::Read).count(), 3);
    let (cut, intervals) = part(2, usize::MAX);
    assert_eq!((cut.part.reason, cut.counts.unwrap().issued, intervals), (EndReason::Time, 2, 2));
    let (stopped, intervals) = part(60, 1);
    assert_eq!((stopped.part.reason, intervals), (EndReason::Stopped, 1));
}
