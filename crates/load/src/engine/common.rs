//! What every engine of this crate has: targets, buffers, clock, counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_drive::{Done, EngineError, Window};
use iobound_machine::SystemClock;
use iobound_measure::{Apart, Batches, Histogram, Usage};
use iobound_units::{Instant, Io, Op, Span, Tag};

use super::contents::Contents;
use super::fault::{Failure, Faults, OnError};
use super::slots::Slots;
use super::target::Targets;

/// What an engine is made with.
pub struct Setup<C> {
    /// What it issues I/O to.
    pub targets: Arc<Targets>,
    /// A buffer for each I/O that may be outstanding.
    pub slots: Slots,
    /// What blocks hold.
    pub contents: C,
    /// Set from outside, it ends the run.
    pub stop: Arc<AtomicBool>,
    /// What a failed I/O means.
    pub on_error: OnError,
    /// Submission and completion are timed apart, of the I/Os that count: a call to the kernel more for each batch.
    pub apart: Option<Window>,
}

/// The state that does not depend on how I/O is issued.
pub(super) struct Common<C> {
    pub(super) targets: Arc<Targets>,
    pub(super) slots: Slots,
    pub(super) contents: C,
    pub(super) clock: SystemClock,
    /// The time that the run loop was last told.
    pub(super) now: Instant,
    pub(super) queued: Vec<Tag>,
    pub(super) in_flight: usize,
    pub(super) batches: Batches,
    pub(super) faults: Faults,
    /// The first block that was read and was not what was written.
    mismatch: Option<String>,
    stop: Arc<AtomicBool>,
    pub(super) apart: Option<Parting>,
    /// How long the end waits for a device that answers nothing.
    pub(super) patience: Span,
}

/// Submission and completion apart.
pub(super) struct Parting {
    window: Window,
    /// By tag: when it had been submitted, and how long that took.
    submitted: Vec<(Instant, Span)>,
    by_op: Box<[Apart; Op::ALL.len()]>,
}

/// What an engine leaves when its run is over.
pub struct Left<C> {
    /// How I/Os went out and came back.
    pub batches: Batches,
    /// Submission and completion, where they were timed apart.
    pub apart: Option<Box<[Apart; Op::ALL.len()]>>,
    /// I/Os that failed.
    pub faults: Faults,
    /// What blocks hold.
    pub contents: C,
    /// What other threads of the engine cost.
    pub others: Usage,
    /// What showed after the end: I/Os that the device did not answer, or a block that was not what was written.
    pub error: Option<EngineError>,
    /// Some I/O was not answered: the system keeps what it was given for it.
    pub hangs: bool,
}

/// What is counted while the run is on, and of nothing that comes back after its end.
pub(super) struct Books {
    batches: Batches,
    apart: Option<Parting>,
}

/// No wait is longer, so that a stop from outside is seen.
const LONGEST_WAIT: Span = Span::from_ms(100);

/// At its end a run waits for what is outstanding until nothing has come back for so long: a disk at its limit takes
/// seconds for a deep queue, but answers all the while. One that answers nothing hangs.
pub(crate) const PATIENCE: Span = Span::from_secs(5);

/// And never longer than this, however much comes back.
pub(crate) const LONGEST_END: Span = Span::from_secs(30);

impl<C: Contents> Common<C> {
    pub(super) fn new(setup: Setup<C>) -> Common<C> {
        let Setup { targets, mut slots, mut contents, stop, on_error, apart } = setup;
        let capacity = slots.capacity();
        slots.fill(&mut contents);
        let parts = || Apart { submission: Histogram::new(), completion: Histogram::new() };
        Common {
            targets,
            now: Instant::ZERO,
            slots,
            contents,
            clock: SystemClock::default(),
            queued: Vec::with_capacity(capacity),
            in_flight: 0,
            batches: Batches::default(),
            faults: Faults::new(on_error),
            mismatch: None,
            stop,
            patience: PATIENCE,
            apart: apart.map(|window| Parting {
                window,
                submitted: vec![(Instant::ZERO, Span::ZERO); capacity],
                by_op: Box::new(std::array::from_fn(|_| parts())),
            }),
        }
    }

    #[inline]
    pub(super) fn look(&mut self) -> Instant {
        self.now = self.clock.now_of_run();
        self.now
    }

    /// Inlined, so that the I/O stays in registers, see [`Slots::set`].
    #[inline(always)]
    pub(super) fn queue(&mut self, tag: Tag, io: Io) {
        self.ready(tag, io);
        self.queued.push(tag);
    }

    /// Remembers an I/O that goes out, with its buffer as it is to be.
    #[inline(always)]
    pub(super) fn ready(&mut self, tag: Tag, io: Io) {
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
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Until when one call to the kernel may wait.
    #[inline]
    pub(super) fn bounded(&self, until: Instant) -> Instant {
        until.min(self.now + LONGEST_WAIT)
    }

    /// Counts a batch that goes out.
    #[inline]
    pub(super) fn sent(&mut self, count: usize) {
        self.in_flight += count;
        self.batches.submitted[Batches::bucket(count)] += 1;
        self.batches.outstanding[Batches::bucket(self.in_flight)] += count as u64;
    }

    /// Takes back one I/O. `result` is what the system says: bytes moved, or a negative error number.
    #[inline(always)]
    pub(super) fn take_back(&mut self, tag: Tag, result: i32, at: Instant, done: &mut Vec<Done>) {
        let io = self.slots.io(tag);
        let expected = if io.op.moves_data() { io.len as i32 } else { 0 };
        let ok = result == expected;
        if !ok {
            self.fail(io, result);
        }
        if C::CHECKS {
            let verdict = self.contents.complete(tag, &io, self.slots.buffer(tag), result.max(0) as u32);
            if let Err(why) = verdict {
                self.mismatch.get_or_insert(why);
            }
        }
        if ok && self.apart.is_some() {
            self.part(tag, io.op, at);
        }
        done.push(Done { tag, at, ok });
    }

    /// Counts the two parts of a completed I/O's latency.
    #[inline(never)]
    fn part(&mut self, tag: Tag, op: Op, at: Instant) {
        if let Some(parting) = self.apart.as_mut().filter(|parting| parting.window.counts(at)) {
            let (submitted, took) = parting.submitted[tag.0 as usize];
            let apart = &mut parting.by_op[op as usize];
            apart.submission.record(took.ns());
            apart.completion.record(at.since(submitted).ns());
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
    pub(super) fn took_back(&mut self, count: usize) {
        self.in_flight -= count;
        self.batches.completed[Batches::bucket(count)] += 1;
    }

    /// Whether the run may go on.
    #[inline]
    pub(super) fn verdict(&self) -> Result<(), EngineError> {
        if let Some(why) = &self.mismatch {
            return Err(EngineError { why: why.clone() });
        }
        self.faults.verdict()
    }

    /// Remembers when the I/Os just sent had been submitted.
    pub(super) fn submitted(&mut self, tags: std::ops::Range<usize>) {
        let at = self.clock.now_of_run();
        if let Some(apart) = &mut self.apart {
            for tag in &self.queued[tags] {
                apart.submitted[tag.0 as usize] = (at, at.since(self.now));
            }
        }
    }

    /// Waits for a time without any I/O outstanding.
    pub(super) fn sleep(&mut self, until: Instant) {
        let until = self.bounded(until);
        iobound_drive::Clock::sleep_until(&mut self.clock, until);
    }

    /// The end of counting: what comes back from now on belongs to no figure.
    pub(super) fn close_books(&mut self) -> Books {
        Books { batches: self.batches, apart: self.apart.take() }
    }

    /// What is left when all that could be waited for is back. What is not keeps its buffers: the device may yet
    /// write to them.
    pub(super) fn leave(self, books: Books) -> Left<C> {
        let unanswered = (self.in_flight > 0).then(|| self.unanswered());
        let error = unanswered.or_else(|| self.verdict().err());
        let Common { slots, faults, contents, in_flight, .. } = self;
        if in_flight > 0 {
            std::mem::forget(slots);
        }
        Left {
            batches: books.batches,
            apart: books.apart.map(|apart| apart.by_op),
            faults,
            contents,
            others: Usage::default(),
            error,
            hangs: in_flight > 0,
        }
    }

    fn unanswered(&self) -> EngineError {
        let files: Vec<String> =
            self.targets.files().iter().map(|file| file.path.display().to_string()).collect();
        EngineError {
            why: format!(
                "{} I/Os of one thread were still not answered when nothing had come back for {} after the \
                 end: a device hangs ({}); see the kernel's log for its resets and timeouts. The system may end the \
                 program only when the device answers",
                self.in_flight,
                self.patience,
                files.join(", ")
            ),
        }
    }
}
