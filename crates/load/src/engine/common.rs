//! Common parts of the engines of this crate: targets, buffers, clock, counts.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_drive::{Batching, Done, EngineError, Window};
use iobound_machine::SystemClock;
use iobound_measure::{Batches, CellId, Keep, Layout, Recorder, Usage};
use iobound_units::{Instant, Io, Op, Span, Tag};
use iobound_workload::RangeSync;

use super::contents::Contents;
use super::fault::{Failure, Faults, OnError};
use super::slots::Slots;
use super::target::Targets;

/// Input of an engine.
pub struct Setup<C> {
    /// Its targets.
    pub targets: Arc<Targets>,
    /// A buffer for each I/O that may be outstanding.
    pub slots: Slots,
    /// Content of blocks.
    pub contents: C,
    /// Set from outside, it ends the run.
    pub stop: Arc<AtomicBool>,
    /// Meaning of a failed I/O.
    pub on_error: OnError,
    /// Times submission and completion of each I/O apart; each I/O is then submitted by a call of its own.
    pub apart: Option<TimedApart>,
    /// Flushes are `sync_file_range(2)` with these steps. [`Sync`](super::Sync) alone makes them.
    pub range_sync: Option<RangeSync>,
}

/// Condition under which submission and completion are timed separately.
#[derive(Clone, Copy, Debug)]
pub struct TimedApart {
    /// The times of the run.
    pub window: Window,
    /// The length of an interval of both series.
    pub interval: Span,
    /// The part of both series that is kept.
    pub keep: Keep,
    /// Warm-up completions are counted if the run ends there.
    pub keep_warmup: bool,
}

/// The state that does not depend on how I/O is issued.
pub(crate) struct Common<C> {
    pub(crate) targets: Arc<Targets>,
    pub(crate) slots: Slots,
    pub(crate) contents: C,
    pub(crate) clock: SystemClock,
    /// The time that the run loop was last told.
    pub(crate) now: Instant,
    /// Number of I/Os that go to the kernel in one call.
    pub(crate) batching: Batching,
    pub(crate) queued: Vec<Tag>,
    pub(crate) in_flight: usize,
    /// Completions of the last wait whose next I/O has not gone out yet.
    handed: usize,
    pub(crate) batches: Batches,
    pub(crate) faults: Faults,
    /// The first block that was read and was not what was written.
    mismatch: Option<WrongBlock>,
    stop: Arc<AtomicBool>,
    pub(crate) apart: Option<Parting>,
    /// Time that the end waits for a device that answers nothing.
    pub(crate) patience: Span,
}

/// Submission and completion times, apart.
pub(crate) struct Parting {
    /// I/Os that the kernel has not yet accepted.
    placed: Vec<Tag>,
    /// By tag: when the kernel had accepted the I/O, and how long after its issue that was.
    submitted: Vec<(Instant, Span)>,
    pub(crate) times: PartTimes,
}

/// Counters of an engine so far.
#[derive(Clone)]
pub struct SoFar {
    /// Sizes of submission and completion batches.
    pub batches: Batches,
    /// Submission and completion, where they are timed apart.
    pub apart: Option<PartTimes>,
}

/// The times of submission and completion that an engine recorded apart, each by a recorder with one cell.
#[derive(Clone)]
pub struct PartTimes {
    /// From issue until the kernel accepted the I/O.
    pub submission: Recorder,
    /// From then to completion.
    pub completion: Recorder,
}

/// A read that did not find what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongBlock {
    /// The path of the file or device.
    pub path: PathBuf,
    /// Start of the read, in bytes.
    pub offset: u64,
    /// The read's length in bytes.
    pub len: u32,
    /// The problem, in words.
    pub why: String,
}

/// Final state of an engine.
pub struct Left<C> {
    /// Sizes of submission and completion batches.
    pub batches: Batches,
    /// Submission and completion, where they were timed apart.
    pub apart: Option<PartTimes>,
    /// I/Os that failed.
    pub faults: Faults,
    /// Content of blocks.
    pub contents: C,
    /// Cost of other threads of the engine.
    pub others: Usage,
    /// Problems found after the end: I/Os that the device did not answer, or a wrong block.
    pub error: Option<EngineError>,
    /// The first read that did not find what was written.
    pub wrong: Option<WrongBlock>,
    /// Some I/O was not answered: the system keeps what it was given for it.
    pub hangs: bool,
}

/// Counters during the run, without completions after its end.
pub(crate) struct Books {
    batches: Batches,
    apart: Option<Parting>,
}

impl Parting {
    /// An I/O goes to the kernel with the next call.
    #[inline]
    pub(crate) fn placed(&mut self, tag: Tag) {
        self.placed.push(tag);
    }

    fn new(apart: TimedApart, capacity: usize) -> Parting {
        let TimedApart { window, interval, keep, keep_warmup } = apart;
        let layout = Arc::new(Layout {
            begin: window.begin,
            ..Layout::single("part", "all targets", window.start, window.end, interval)
        });
        let recorder = || {
            let mut recorder = Recorder::of_thread(Arc::clone(&layout), 0, keep);
            recorder.reserve(&[Op::Read, Op::Write]);
            if keep_warmup {
                recorder.keep_warmup(&[Op::Read, Op::Write], keep);
            }
            recorder
        };
        Parting {
            placed: Vec::with_capacity(capacity),
            submitted: vec![(Instant::ZERO, Span::ZERO); capacity],
            times: PartTimes { submission: recorder(), completion: recorder() },
        }
    }
}

/// No wait is longer, so that a stop from outside is seen.
const LONGEST_WAIT: Span = Span::from_ms(100);

/// At its end a run waits for what is outstanding until nothing has come back for so long: a disk at its limit takes
/// seconds for a deep queue, but answers all the while. One that answers nothing hangs.
pub(crate) const PATIENCE: Span = Span::from_secs(5);

/// And never longer than this, however much comes back.
pub(crate) const LONGEST_END: Span = Span::from_secs(30);

impl<C: Contents> Common<C> {
    pub(crate) fn new(setup: Setup<C>) -> Common<C> {
        let Setup { targets, mut slots, mut contents, stop, on_error, apart, range_sync: _ } = setup;
        let capacity = slots.capacity();
        slots.fill(&mut contents);
        let batching = if apart.is_some() { Batching::one_by_one() } else { Batching::adaptive(capacity) };
        Common {
            targets,
            now: Instant::ZERO,
            batching,
            slots,
            contents,
            clock: SystemClock::default(),
            queued: Vec::with_capacity(capacity),
            in_flight: 0,
            handed: 0,
            batches: Batches::default(),
            faults: Faults::new(on_error),
            mismatch: None,
            stop,
            patience: PATIENCE,
            apart: apart.map(|apart| Parting::new(apart, capacity)),
        }
    }

    #[inline]
    pub(crate) fn look(&mut self) -> Instant {
        self.now = self.clock.now_of_run();
        self.now
    }

    /// Inlined, so that the I/O stays in registers, see [`Slots::set`].
    #[inline(always)]
    pub(crate) fn queue(&mut self, tag: Tag, io: Io) {
        self.ready(tag, io);
        self.queued.push(tag);
    }

    /// Remembers a submitted I/O with its buffer.
    #[inline(always)]
    pub(crate) fn ready(&mut self, tag: Tag, io: Io) {
        self.slots.set(tag, io);
        if io.op == Op::Write || C::CHECKS {
            self.fill(tag);
        }
    }

    #[inline(never)]
    fn fill(&mut self, tag: Tag) {
        let io = self.slots.io(tag);
        self.contents.submit(tag, &io, self.slots.buffer(tag));
    }

    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Until when one call to the kernel may wait.
    #[inline]
    pub(crate) fn bounded(&self, until: Instant) -> Instant {
        until.min(self.now + LONGEST_WAIT)
    }

    /// Counts a batch that goes out. Completions that still wait for their turn are outstanding: fio takes back one I/O, by
    /// default, before it issues the next (`io_u_mark_depth`).
    #[inline]
    pub(crate) fn sent(&mut self, count: usize) {
        self.in_flight += count;
        self.handed = self.handed.saturating_sub(count);
        self.batches.submitted[Batches::bucket(count)] += 1;
        self.batches.outstanding[Batches::bucket(self.in_flight + self.handed)] += count as u64;
    }

    /// The batch is out, and the engine waits.
    #[inline]
    pub(crate) fn next_batch(&mut self) {
        self.handed = 0;
        self.batching.next_batch();
    }

    /// Takes back one I/O. `result` is what the system says: bytes moved, or a negative error number.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, tag: Tag, result: i32, at: Instant, done: &mut Vec<Done>) {
        let io = self.slots.io(tag);
        let expected = if io.op.moves_data() { io.len as i32 } else { 0 };
        let ok = result == expected;
        if !ok {
            self.fail(io, result);
        }
        if C::CHECKS {
            let verdict = self.contents.complete(tag, &io, self.slots.buffer(tag), result.max(0) as u32);
            if let Err(why) = verdict {
                let targets = &self.targets;
                self.mismatch.get_or_insert_with(|| WrongBlock {
                    path: targets.path_of(io.target, io.offset).to_path_buf(),
                    offset: targets.place(io.target, io.offset).1,
                    len: io.len,
                    why,
                });
            }
        }
        if ok && self.apart.is_some() {
            self.part(tag, io, at);
        }
        done.push(Done { tag, at, ok });
    }

    /// Counts the two parts of a completed I/O's latency.
    #[inline(never)]
    fn part(&mut self, tag: Tag, io: Io, at: Instant) {
        let Some(parting) = &mut self.apart else { return };
        let (submitted, took) = parting.submitted[tag.0 as usize];
        let PartTimes { submission, completion } = &mut parting.times;
        // Other threads may complete an I/O before this one has read the clock for its acceptance.
        let early = submitted.ns().saturating_sub(at.ns());
        let (submitted, took) = (submitted.min(at), Span::from_ns(took.ns().saturating_sub(early)));
        // Both count at the time of the completion, so that an interval has the same I/Os in both.
        let begin = Instant::from_ns(at.ns().saturating_sub(took.ns()));
        submission.record(CellId(0), io.op, io.len, begin, begin, at, true);
        completion.record(CellId(0), io.op, io.len, submitted, submitted, at, true);
        // Nothing reads these intervals during the run, so the recorders drop them.
        for part in [submission, completion] {
            while part.is_due(at) && part.advance(at).is_some() {}
        }
    }

    #[cold]
    fn fail(&mut self, io: Io, result: i32) {
        let failure =
            if result < 0 { Failure::Errno(-result) } else { Failure::Short { moved: result as u32 } };
        self.faults.take(&self.targets, io, failure);
    }

    /// Ends a look at the completions that found so many.
    #[inline]
    pub(crate) fn took_back(&mut self, count: usize) {
        self.in_flight -= count;
        self.handed += count;
        self.batches.completed[Batches::bucket(count)] += 1;
    }

    /// True if the run may go on.
    #[inline]
    pub(crate) fn verdict(&self) -> Result<(), EngineError> {
        if let Some(block) = &self.mismatch {
            return Err(EngineError { why: block.why.clone() });
        }
        self.faults.verdict()
    }

    /// The kernel has accepted `count` I/Os in a call of their own, which were issued at [`Common::now`]; `waiting` says
    /// whether completions are waiting to be taken. I/Os that follow are issued from now on.
    pub(crate) fn accepted(&mut self, count: usize, waiting: bool) {
        let issued = self.now;
        let took = self.look().since(issued);
        if self.batching.times_rest() {
            self.batches.timed += count as u64;
            self.batches.timed_ns += took.ns() * count as u64;
        }
        self.batching.sent(count, waiting);
    }

    /// The kernel has accepted the I/Os that were placed since the last call, issued at `issued`, by the time
    /// [`Common::now`].
    pub(crate) fn accepted_tags(&mut self, issued: Instant) {
        let now = self.now;
        if let Some(apart) = &mut self.apart {
            let Parting { placed, submitted, .. } = apart;
            for tag in placed.drain(..) {
                submitted[tag.0 as usize] = (now, now.since(issued));
            }
        }
    }

    /// Time that the submission of an I/O took, where that is timed.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only a platform's own engines time it"))]
    pub(crate) fn submission(&self, tag: Tag) -> Span {
        self.apart.as_ref().map_or(Span::ZERO, |apart| apart.submitted[tag.0 as usize].1)
    }

    /// Waits for a time without any I/O outstanding.
    pub(crate) fn sleep(&mut self, until: Instant) {
        let until = self.bounded(until);
        iobound_drive::Clock::sleep_until(&mut self.clock, until);
    }

    /// A copy of what is counted up to now.
    pub(crate) fn so_far(&self) -> SoFar {
        SoFar { batches: self.batches, apart: self.apart.as_ref().map(|apart| apart.times.clone()) }
    }

    /// The end of counting: what comes back from now on belongs to no figure.
    pub(crate) fn close_books(&mut self) -> Books {
        Books { batches: self.batches, apart: self.apart.take() }
    }

    /// Outstanding I/Os after the wait. Those that did not complete keep their buffers: the device may yet
    /// write to them.
    pub(crate) fn leave(self, books: Books) -> Left<C> {
        let unanswered = (self.in_flight > 0).then(|| self.unanswered());
        let error = unanswered.or_else(|| self.verdict().err());
        let Common { slots, faults, contents, in_flight, mismatch, .. } = self;
        if in_flight > 0 {
            std::mem::forget(slots);
        }
        Left {
            batches: books.batches,
            apart: books.apart.map(|apart| apart.times),
            faults,
            contents,
            others: Usage::default(),
            error,
            wrong: mismatch,
            hangs: in_flight > 0,
        }
    }

    fn unanswered(&self) -> EngineError {
        let files: Vec<String> =
            self.targets.files().iter().map(|file| file.path.display().to_string()).collect();
        EngineError {
            why: format!(
                "{} of one thread did not complete within {} after the end: a device hangs ({}); see \
                 the kernel log for resets and timeouts. The system may not be able to end the \
                 program before the device answers",
                iobound_units::Counted(self.in_flight as u64, "I/O"),
                self.patience,
                files.join(", ")
            ),
        }
    }
}
