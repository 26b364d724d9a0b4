//! Replays a trace on an engine. The records stream in; the backlog of an overloaded replay is the place in the stream, so it
//! takes no memory.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use iobound_trace::{Record, Source, TraceError};
use iobound_units::{Instant, Io, Op, Ppm, Span, Tag, TargetId};

use crate::engine::{Done, Engine, EngineError};
use crate::run::Flow;

/// Rule by which I/Os are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayMode {
    /// At their recorded times.
    Timed,
    /// After the I/Os that had completed before them in the recording, and the recorded think time.
    Dependent,
    /// In their recorded order, as soon as fewer than the most are outstanding.
    Eager,
}

/// Destination of a device's I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayTarget {
    /// The target.
    pub id: TargetId,
    /// Its size in bytes. I/Os beyond it are wrapped.
    pub size: u64,
    /// Bytes that offsets and lengths must be multiples of.
    pub align: u32,
    /// Bytes that offsets are rounded down to multiples of, a multiple of `align`.
    pub offset_align: u64,
    /// The longest read or write. Longer ones are left out.
    pub longest: u32,
    /// Ratio by which offsets are multiplied before; `None`: they stay.
    pub ratio: Option<(u64, u64)>,
}

impl ReplayTarget {
    /// A target of whole sectors of 512 bytes whose offsets are those of the trace.
    pub const fn of_sectors(id: TargetId, size: u64) -> ReplayTarget {
        ReplayTarget { id, size, align: 512, offset_align: 512, longest: u32::MAX, ratio: None }
    }
}

/// A completed I/O of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedIo {
    /// The time at which it was to be issued.
    pub intended: Instant,
    /// The time at which it was issued.
    pub issued: Instant,
    /// Its target.
    pub target: TargetId,
    /// Completion time.
    pub completed: Instant,
    /// Length in bytes.
    pub len: u32,
    /// Operation.
    pub op: Op,
    /// Recorded latency in ns, if known.
    pub recorded_ns: Option<u64>,
    /// True if all of it succeeded.
    pub ok: bool,
}

/// Counts of I/Os that were not issued as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayCounts {
    /// I/Os that were issued.
    pub issued: u64,
    /// I/Os that were left out: of length zero, longer than 4 GiB or than their target.
    pub left_out: u64,
    /// I/Os whose offsets were wrapped.
    pub wrapped: u64,
    /// I/Os whose offset or length was no multiple of what their target takes, and was rounded.
    pub rounded: u64,
    /// I/Os that waited because all tags were in use.
    pub held_back: u64,
    /// Issue time of the last record, from the first one, at the replay's speed.
    pub recorded: Span,
    /// Issue time of the last I/O, from the start of the replay.
    pub last_issue: Span,
    /// True if the trace was replayed to its end.
    pub complete: bool,
}

/// Receives the progress of a replay.
pub trait ReplayWatcher<E> {
    /// The target of a device, which is asked for once.
    fn target(&mut self, device: &str) -> ReplayTarget;

    /// An I/O has completed.
    fn completed(&mut self, io: &ReplayedIo) -> Flow;

    /// A window of time has ended; the next one's length. Windows in which nothing happens are left out, unless
    /// [`ReplayWatcher::KEEPS_IDLE`].
    fn window(&mut self, engine: &mut E, from: Instant, to: Instant, outstanding: usize) -> (Flow, Span);

    /// True if windows in which nothing happens have an end too.
    const KEEPS_IDLE: bool = false;

    /// The end of the first window of a replay that begins at `begin`.
    fn first_end(&self, begin: Instant) -> Instant {
        begin + Span::from_secs(1)
    }

    /// An I/O was issued so long after the time at which it could have been.
    fn issued(&mut self, _late: Span) {}

    /// An I/O is outstanding at the end.
    fn left(&mut self, _target: TargetId, _issued: Instant) {}
}

/// Reason why a replay ended before its trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The trace can't be read further.
    Trace(TraceError),
    /// The engine can't go on.
    Engine(EngineError),
    /// `dependent` needs the latency of every read and write, and this I/O of the trace, counted from 1, has none.
    NoLatency(u64),
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReplayError::Trace(error) => error.fmt(f),
            ReplayError::Engine(error) => error.fmt(f),
            ReplayError::NoLatency(number) => write!(
                f,
                "a dependent replay needs recorded latencies, and I/O {number} has none: replay the trace timed"
            ),
        }
    }
}

impl std::error::Error for ReplayError {}

/// An I/O that is outstanding.
#[derive(Clone, Copy)]
struct ReplaySlot {
    intended: Instant,
    issued: Instant,
    target: TargetId,
    busy: bool,
    recorded_ns: Option<u64>,
    len: u32,
    op: Op,
    /// Its number in the replay, for those that wait for it.
    number: u64,
}

const IDLE: ReplaySlot = ReplaySlot {
    intended: Instant::ZERO,
    issued: Instant::ZERO,
    target: TargetId(0),
    busy: false,
    recorded_ns: None,
    len: 0,
    op: Op::Read,
    number: 0,
};

/// The next I/O.
struct Next {
    io: Io,
    /// Recorded issue time from the first one, at the replay's speed.
    at: u64,
    recorded_ns: Option<u64>,
    /// `None` as long as I/Os that it waits for are outstanding.
    ready: Option<Instant>,
}

/// Completions that are kept before those of no use are dropped.
const KEPT: usize = 8_192;

/// The order in which I/Os wait for each other.
#[derive(Default)]
struct Dependencies {
    /// Recorded completions, with the number of the I/O.
    recorded: BinaryHeap<Reverse<(u64, u64)>>,
    /// Completions in the replay, from number `first` on; `None` while outstanding.
    done: VecDeque<Option<Instant>>,
    first: u64,
    /// Numbers that the next I/O waits for.
    outstanding_before: Vec<u64>,
    /// The latest completion of all that was waited for, in the replay and in the recording.
    base: Instant,
    last_recorded: Option<u64>,
}

impl Dependencies {
    fn issued(&mut self, recorded_done: u64) {
        let number = self.first + self.done.len() as u64;
        self.recorded.push(Reverse((recorded_done, number)));
        self.done.push_back(None);
    }

    fn completed(&mut self, number: u64, at: Instant) {
        let place = number.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        if let Some(done) = place.and_then(|place| self.done.get_mut(place)) {
            *done = Some(at);
        }
    }

    /// Earliest time of an I/O that was recorded at this time; `None`: not before another completion.
    fn ready(&mut self, at: u64) -> Option<Instant> {
        while self.recorded.peek().is_some_and(|first| first.0.0 <= at) {
            let Some(Reverse((done, number))) = self.recorded.pop() else { break };
            self.last_recorded = Some(self.last_recorded.map_or(done, |last| last.max(done)));
            self.outstanding_before.push(number);
        }
        let (first, done) = (self.first, &self.done);
        let mut base = self.base;
        self.outstanding_before.retain(|number| match done[(number - first) as usize] {
            Some(completed) => {
                base = base.max(completed);
                false
            }
            None => true,
        });
        self.base = base;
        if !self.outstanding_before.is_empty() {
            return None;
        }
        // I/Os that have completed in both are no longer needed.
        if self.done.len() > KEPT {
            let waiting = self.recorded.iter().map(|first| first.0.1).min();
            let keep = waiting.unwrap_or(self.first + self.done.len() as u64);
            while self.first < keep && matches!(self.done.front(), Some(Some(_))) {
                self.done.pop_front();
                self.first += 1;
            }
        }
        let think = at - self.last_recorded.unwrap_or(0).min(at);
        Some(self.base + Span::from_ns(think))
    }
}

/// Replays a trace until its end, or until `watcher` stops it. `tags` I/Os can be outstanding; more wait, and their latency
/// counts from the time at which they were to be issued.
///
/// # Errors
/// Returns an error if the trace cannot be read further, the engine cannot go on, or a trace in dependent mode has no
/// latencies.
pub fn replay<E: Engine, W: ReplayWatcher<E>>(
    engine: &mut E,
    source: &mut dyn Source,
    mode: ReplayMode,
    speed: Ppm,
    tags: u32,
    watcher: &mut W,
) -> Result<ReplayCounts, ReplayError> {
    assert!(speed.0 > 0 && tags > 0, "a replay has a speed and a tag");
    let mut now = engine.now();
    let mut replay = Replay {
        source,
        speed: u64::from(speed.0),
        dependencies: (mode == ReplayMode::Dependent)
            .then(|| Dependencies { base: now, ..Dependencies::default() }),
        batch: Vec::new(),
        place: 0,
        begin_ns: None,
        targets: Vec::new(),
        counts: ReplayCounts::default(),
        seen: 0,
    };
    let mut slots = vec![IDLE; tags as usize];
    // When a tag became free, if none had been.
    let mut free_since = now;
    let mut free: Vec<Tag> = (0..tags).rev().map(Tag).collect();
    let mut done: Vec<Done> = Vec::with_capacity(1_024);
    let begin = now;
    let mut window = (begin, watcher.first_end(begin));
    let mut active = false;
    let mut next = replay.next(watcher)?;
    loop {
        let outstanding = slots.len() - free.len();
        if next.is_none() && outstanding == 0 {
            replay.counts.complete = true;
            break;
        }
        let mut wake = Instant::MAX;
        if let Some(waiting) = &mut next {
            if waiting.ready.is_none() {
                waiting.ready = match &mut replay.dependencies {
                    None if mode == ReplayMode::Eager => Some(now),
                    None => Some(begin + Span::from_ns(waiting.at)),
                    Some(dependencies) => dependencies.ready(waiting.at),
                };
            }
            match (waiting.ready, free.last().copied()) {
                (Some(ready), Some(tag)) if ready <= now => {
                    free.pop();
                    let number = replay.counts.issued;
                    let Next { io, recorded_ns, .. } = *waiting;
                    let recorded_done = waiting.at.saturating_add(replay.scaled(recorded_ns.unwrap_or(0)));
                    if let Some(dependencies) = &mut replay.dependencies {
                        dependencies.issued(recorded_done);
                    }
                    engine.submit(tag, io);
                    let issued = engine.issued_at(now);
                    watcher.issued(issued.since(ready.max(free_since)));
                    slots[tag.0 as usize] = ReplaySlot {
                        intended: ready,
                        issued,
                        target: io.target,
                        busy: true,
                        recorded_ns,
                        len: io.len,
                        op: io.op,
                        number,
                    };
                    replay.counts.issued += 1;
                    replay.counts.last_issue = issued.since(begin);
                    // All that was ready when a tag became free had waited for one.
                    replay.counts.held_back += u64::from(ready < free_since);
                    active = true;
                    next = replay.next(watcher)?;
                    continue;
                }
                (Some(ready), Some(_)) => wake = ready,
                (Some(_), None) | (None, _) => {}
            }
        }
        if !W::KEEPS_IDLE && outstanding == 0 && !active && wake > window.1 {
            // Nothing happens up to the next I/O: its window begins with it.
            window = (wake, wake + window.1.since(window.0));
        }
        let failed = engine.wait(wake.min(window.1), &mut done).err();
        now = engine.now();
        active |= !done.is_empty();
        let mut stopped = false;
        for Done { tag, at, ok } in done.drain(..) {
            let slot = std::mem::replace(&mut slots[tag.0 as usize], IDLE);
            if free.is_empty() {
                free_since = at;
            }
            free.push(tag);
            if let Some(dependencies) = &mut replay.dependencies {
                dependencies.completed(slot.number, at);
            }
            let ReplaySlot { intended, issued, target, recorded_ns, len, op, .. } = slot;
            let io = ReplayedIo { intended, issued, target, completed: at, len, op, recorded_ns, ok };
            stopped |= watcher.completed(&io) == Flow::Stop;
        }
        if let Some(error) = failed {
            slots.iter().filter(|slot| slot.busy).for_each(|slot| watcher.left(slot.target, slot.issued));
            return Err(ReplayError::Engine(error));
        }
        while now >= window.1 && !stopped {
            let outstanding = slots.len() - free.len();
            let (flow, length) = watcher.window(engine, window.0, window.1, outstanding);
            stopped |= flow == Flow::Stop;
            active = outstanding > 0;
            window = (window.1, window.1 + length);
        }
        if stopped || engine.stopped() {
            break;
        }
    }
    slots.iter().filter(|slot| slot.busy).for_each(|slot| watcher.left(slot.target, slot.issued));
    if now > window.0 {
        watcher.window(engine, window.0, now, slots.len() - free.len());
    }
    Ok(replay.counts)
}

/// The part of a replay that reads.
struct Replay<'a> {
    source: &'a mut dyn Source,
    speed: u64,
    dependencies: Option<Dependencies>,
    batch: Vec<Record>,
    place: usize,
    begin_ns: Option<u64>,
    targets: Vec<ReplayTarget>,
    counts: ReplayCounts,
    seen: u64,
}

impl Replay<'_> {
    /// A time at the replay's speed.
    #[inline]
    fn scaled(&self, ns: u64) -> u64 {
        if self.speed == 1_000_000 {
            return ns;
        }
        u64::try_from(u128::from(ns) * 1_000_000 / u128::from(self.speed)).unwrap_or(u64::MAX)
    }

    /// The next I/O that can be issued.
    fn next<E, W: ReplayWatcher<E>>(&mut self, watcher: &mut W) -> Result<Option<Next>, ReplayError> {
        loop {
            if self.place == self.batch.len() {
                self.batch.clear();
                self.place = 0;
                self.source.read(&mut self.batch).map_err(ReplayError::Trace)?;
                for name in &self.source.devices()[self.targets.len()..] {
                    self.targets.push(watcher.target(name));
                }
            }
            let Some(record) = self.batch.get(self.place).copied() else { return Ok(None) };
            self.place += 1;
            self.seen += 1;
            let begin = *self.begin_ns.get_or_insert(record.at_ns);
            let at = self.scaled(record.at_ns.saturating_sub(begin));
            self.counts.recorded = self.counts.recorded.max(Span::from_ns(at));
            let target = self.targets[usize::from(record.device)];
            let Some(io) = self.io_of(&record, target) else {
                self.counts.left_out += 1;
                continue;
            };
            let recorded_ns = record.latency();
            if self.dependencies.is_some() && recorded_ns.is_none() {
                return Err(ReplayError::NoLatency(self.seen));
            }
            return Ok(Some(Next { io, at, recorded_ns, ready: None }));
        }
    }

    /// The I/O on its target, in multiples of what the target takes; `None`: one that can't be issued.
    fn io_of(&mut self, record: &Record, target: ReplayTarget) -> Option<Io> {
        if record.op == Op::Flush {
            return Some(Io::flush(target.id));
        }
        let align = u64::from(target.align);
        let len = u32::try_from(record.length.checked_next_multiple_of(align)?).ok()?;
        let is_too_long = record.op.moves_data() && len > target.longest || u64::from(len) > target.size;
        if len == 0 || is_too_long {
            return None;
        }
        let whole = match target.ratio {
            None => record.offset,
            Some((to, from)) => u64::try_from(u128::from(record.offset) * u128::from(to) / u128::from(from))
                .unwrap_or(u64::MAX),
        };
        let mut offset = whole / target.offset_align * target.offset_align;
        let is_moved = target.ratio.is_none() && offset != record.offset;
        self.counts.rounded += u64::from(is_moved || u64::from(len) != record.length);
        if offset.checked_add(u64::from(len)).is_none_or(|end| end > target.size) {
            self.counts.wrapped += 1;
            offset %= (target.size - u64::from(len) + align) / align * align;
        }
        Some(Io { offset, len, target: target.id, op: record.op, fua: false })
    }
}
