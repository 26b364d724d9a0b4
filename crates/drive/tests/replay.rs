//! Replays on an engine whose latency is known.

use iobound_drive::{
    Done, Engine, EngineError, Flow, ReplayCounts, ReplayError, ReplayMode, ReplayTarget, ReplayWatcher,
    ReplayedIo, replay,
};
use iobound_trace::{NO_LATENCY, Record, Source, TraceError, TraceFacts};
use iobound_units::{Instant, Io, Op, Ppm, Span, Tag, TargetId};

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

struct Records(Vec<Record>, Vec<String>);

impl Source for Records {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        batch.append(&mut self.0);
        Ok(())
    }

    fn devices(&self) -> &[String] {
        &self.1
    }

    fn facts(&self) -> TraceFacts {
        TraceFacts::default()
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
    let mut source = Records(records, vec!["disk".into()]);
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
    let mut source = Records((0..100).map(|n| read(n * 1_000, None)).collect(), vec!["disk".into()]);
    let counts = replay(&mut engine, &mut source, ReplayMode::Timed, Ppm::ONE, 8, &mut seen).unwrap();
    assert!(counts.issued < 5 && seen.ios.len() == 2);
}
