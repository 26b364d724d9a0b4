//! One real thread of a run: its queues, its engine, its recorder.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use iobound_drive::{
    EndReason, EngineError, Flow, Part, ReplayMode, ReplayPart, TraceInput, Window, Worker, replay_part,
    run_part,
};
use iobound_measure::{Apart, Batches, Histogram, Layout, Published, Recorder, Tick, Together, Usage};
use iobound_trace::InMemory;
use iobound_units::{Instant, Op, Span};
use iobound_workload::{Cursors, Job, Queue, QueueLoad, Target, Workload};

use super::counted::{CountedThread, next_after};
use super::last_flush;
use super::live::Said;
use super::logged::{self, Log, Logged, LoggedIo};
use super::replaying::{Replayed, TraceReplay};
use super::start_line::{Decision, StartLine};
use super::{Blocks, Options, Placement, StartError, largest_block};
use crate::engine::{
    Aio, Checked, Contents, Fault, Granted, Iocp, Kind, Left, Null, PATIENCE, PartTimes, Patterned,
    RealEngine, Refreshed, Setup, Slots, SoFar, Sync, Targets, TimedApart, Uring, Verified, WrongBlock,
};
use crate::sys::{self, thread_usage};
use crate::usage::between;
use crate::verify::Checker;

/// State shared by all threads of a run. Nothing of it is borrowed, since a thread that hangs outlives its run.
pub(super) struct Shared {
    pub(super) workload: Arc<Workload>,
    /// Separate counters of all threads.
    pub(super) layout: Arc<Layout>,
    pub(super) queues: Vec<Queue>,
    pub(super) cursors: Cursors,
    pub(super) opened: Arc<Targets>,
    /// The same with the sizes that jobs may use, by id.
    pub(super) targets: Vec<Target>,
    pub(super) options: Options,
    pub(super) window: Window,
    /// Ends the run: set from outside, and by a thread that can't go on.
    pub(super) stop: Arc<AtomicBool>,
    pub(super) line: StartLine,
}

impl Shared {
    /// The trace that a job replays.
    fn trace_of(&self, job: u16) -> Option<&TraceReplay> {
        let name = &self.workload.jobs[usize::from(job)].name;
        self.options.traces.iter().find(|trace| trace.job == *name).map(|trace| &**trace)
    }

    fn replay<E: RealEngine>(
        &self,
        trace: &TraceReplay,
        worker: &Worker,
        engine: &mut E,
        recorder: Recorder,
        watch: &mut impl FnMut(Tick) -> Flow,
        look: &mut impl FnMut(&Recorder, &E, Instant),
    ) -> ReplayPart {
        let job = worker.queues().next().map_or(0, |queue| queue.job);
        let longest = largest_block(&self.workload, job).next_multiple_of(4_096);
        let mut target = |device: &str| trace.target(device, &self.targets, &self.opened, longest);
        let mut source = match (trace.open)() {
            Ok(source) => source,
            Err(error) => Box::new(InMemory::failing(error)),
        };
        let (mode, speed) = (trace.mode, trace.speed);
        let input = TraceInput { source: &mut *source, mode, speed, target: &mut target };
        replay_part(worker, engine, recorder, input, watch, look)
    }
}

/// Facts that a thread needs.
pub(super) struct Context {
    pub(super) shared: Arc<Shared>,
    pub(super) thread: u16,
    pub(super) says: mpsc::Sender<Said>,
}

/// Result of a thread.
pub(super) struct Ended {
    pub(super) job: u16,
    pub(super) part: Part,
    pub(super) usage: Usage,
    pub(super) batches: Batches,
    pub(super) apart: Option<Box<Apart>>,
    pub(super) fault: Option<Fault>,
    /// The first read that did not find what was written.
    pub(super) wrong: Option<WrongBlock>,
    pub(super) granted: Option<Granted>,
    pub(super) late: Option<Histogram>,
    /// Time that the flush at the end took.
    pub(super) flushed: Option<Span>,
    /// The system has not let go of all that it was given.
    pub(super) hangs: bool,
    /// Time that after the run's zero it was ready to issue.
    pub(super) behind: Option<Span>,
    /// Result of the replay, if the thread replayed a trace.
    pub(super) replay: Option<Replayed>,
    /// Every I/O that succeeded, where that is asked for.
    pub(super) ios: Vec<LoggedIo>,
    /// I/Os for which there was no room in it.
    pub(super) unlogged: u64,
}

/// A thread that panics takes the others with it: they would wait for it at the start, or go on for nothing.
struct TakesAll<'a>(&'a Shared);

impl Drop for TakesAll<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.line.abort();
            self.0.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Sets up, waits for the others, runs. `None` where another thread could not be set up.
pub(super) fn work(context: Context) -> Result<Option<Ended>, StartError> {
    let _guard = TakesAll(&context.shared);
    let ended = set_up_and_run(&context);
    if ended.is_err() {
        context.shared.line.abort();
    }
    ended
}

/// Substitute for a thread that hangs in a system call: the intervals that it handed out until then.
pub(super) fn lost(shared: &Shared, thread: u16, published: Published) -> Ended {
    let layout = &shared.layout;
    let until = published.until();
    let kept = if until > layout.begin {
        let cells = layout.cells.iter().filter(|cell| cell.thread == thread).count();
        let targets = if cells > 1 {
            "; the split by target is unknown, so the first target has all of it"
        } else {
            ""
        };
        format!(
            "the figures contain the thread's I/O until {} after the start, and none after that{targets}",
            until.since(layout.begin)
        )
    } else {
        "the figures contain none of the thread's I/O: the call did not return within its first interval"
            .to_string()
    };
    let why = format!(
        "thread {thread} is in a system call that has not returned {PATIENCE} after the end of the run: a device hangs; \
         {kept}. The system may not be able to end the program before the device answers"
    );
    let job = shared.queues.iter().find(|queue| queue.thread == thread).map_or(0, |queue| queue.job);
    let part = Part {
        at: until,
        reason: EndReason::Failed,
        error: Some(EngineError { why }),
        recorder: published.into_recorder(Arc::clone(layout), thread),
        outstanding: Vec::new(),
    };
    Ended { hangs: true, ..Ended::of(job, part) }
}

impl Ended {
    /// A thread of which nothing is known beside this.
    pub(super) fn of(job: u16, part: Part) -> Ended {
        Ended {
            job,
            part,
            usage: Usage::default(),
            batches: Batches::default(),
            apart: None,
            fault: None,
            wrong: None,
            granted: None,
            late: None,
            flushed: None,
            hangs: false,
            behind: None,
            replay: None,
            ios: Vec::new(),
            unlogged: 0,
        }
    }
}

fn set_up_and_run(context: &Context) -> Result<Option<Ended>, StartError> {
    let thread = context.thread;
    let Shared { workload, queues, options, .. } = &*context.shared;
    bind(&options.placement, thread);
    sys::wake_on_time();
    let worker = Worker::of_thread(workload, queues, thread, &context.shared.cursors, context.shared.window)?;
    let job = worker.queues().next().map_or(0, |queue| queue.job);
    let mut recorder = Recorder::of_thread(Arc::clone(&context.shared.layout), thread, options.thread_series);
    let ops = ops_of(&workload.jobs[usize::from(job)]);
    recorder.reserve(&ops);
    if options.keep_warmup {
        recorder.keep_warmup(&ops, options.thread_series);
    }
    let refused =
        |error: io::Error| StartError::Engine(format!("thread {thread}: {}: {error}", options.engine));
    let largest = largest_block(workload, job);
    let writes = workload.jobs[usize::from(job)].mix.iter().any(|share| share.op == Op::Write);
    let capacity = worker.capacity();
    let slots = Slots::new(capacity, largest, writes).map_err(refused)?;
    let one = &workload.jobs[usize::from(job)];
    if let Some(pattern) = options.blocks.pattern_of(&one.name) {
        let has = |op: Op| one.mix.iter().any(|share| share.op == op && share.weight > 0);
        // A job that writes may read blocks that nobody has written yet (`do_io` of fio's backend.c).
        let checks = one.reads_back.is_some() || !(has(Op::Read) && has(Op::Write));
        let contents = Patterned::new(pattern.clone(), Arc::clone(&context.shared.opened), checks);
        let ended = on_engine(context, slots, contents, worker, recorder);
        return Ok(ended.map_err(refused)?.map(|ended| Ended { job, ..ended }));
    }
    let ended = match options.blocks.without_patterns() {
        Blocks::Patterned { .. } => unreachable!("these are the blocks of jobs without a pattern"),
        Blocks::Refreshed(payload) => {
            let contents = Refreshed::new(*payload, thread, capacity);
            on_engine(context, slots, contents, worker, recorder)
        }
        Blocks::Checked => on_engine(context, slots, Checked::default(), worker, recorder),
        Blocks::Verified { ledger, stamper, payload } => {
            // A discard moves no data, and has blocks to tell apart all the same.
            let mix = &workload.jobs[usize::from(job)].mix;
            let widest = mix.iter().map(|share| share.block).max().unwrap_or(0).max(largest);
            let checker = Checker::new(Arc::clone(ledger), *stamper, capacity, widest);
            let contents = Verified::new(checker, *payload, thread);
            on_engine(context, slots, contents, worker, recorder)
        }
    };
    Ok(ended.map_err(refused)?.map(|ended| Ended { job, ..ended }))
}

/// The operations that a job carries out.
pub(super) fn ops_of(job: &Job) -> Vec<Op> {
    let flushes = job.flush_at_end || job.flush_every.is_some();
    let is_used = |op: &Op| {
        let follows = (flushes && *op == Op::Flush) || (job.read_back_after.is_some() && *op == Op::Read);
        follows || job.mix.iter().any(|share| share.op == *op)
    };
    Op::ALL.into_iter().filter(is_used).collect()
}

fn on_engine(
    context: &Context,
    slots: Slots,
    contents: impl Contents,
    worker: Worker,
    recorder: Recorder,
) -> io::Result<Option<Ended>> {
    let Shared { workload, options, opened, stop, .. } = &*context.shared;
    let job = worker.queues().next().map_or(0, |queue| queue.job);
    let setup = Setup {
        targets: Arc::clone(opened),
        slots,
        contents,
        stop: Arc::clone(stop),
        on_error: options.on_error,
        apart: options.apart.map(|keep| TimedApart {
            window: context.shared.window,
            interval: options.interval,
            keep,
            keep_warmup: options.keep_warmup,
        }),
        range_sync: workload.jobs[usize::from(job)].flush_range,
    };
    Ok(match options.engine {
        Kind::IoUring => {
            let mut engine = Uring::new(setup)?;
            if options.nops {
                engine = engine.of_nops();
            }
            let granted = Some(engine.granted());
            go(context, engine, worker, recorder).map(|ended| Ended { granted, ..ended })
        }
        Kind::Iocp => go(context, Iocp::new(setup)?, worker, recorder),
        Kind::Libaio => go(context, Aio::new(setup)?, worker, recorder),
        Kind::Sync => go(context, Sync::new(setup)?, worker, recorder),
        Kind::Null => go(context, Null::new(setup), worker, recorder),
    })
}

/// Runs, with a record of every I/O where that is asked for.
fn go(context: &Context, engine: impl RealEngine, worker: Worker, recorder: Recorder) -> Option<Ended> {
    if !context.shared.options.log_ios {
        return carry_out(context, engine, worker, recorder);
    }
    let log = Log::default();
    let engine = Logged::new(engine, worker.capacity(), Log::clone(&log));
    let ended = carry_out(context, engine, worker, recorder);
    ended.map(|ended| {
        let (ios, unlogged) = logged::taken(&log);
        Ended { ios, unlogged, ..ended }
    })
}

/// The job of a thread.
fn job_of(worker: &Worker) -> u16 {
    worker.queues().next().map_or(0, |queue| queue.job)
}

fn carry_out(
    context: &Context,
    mut engine: impl RealEngine,
    mut worker: Worker,
    recorder: Recorder,
) -> Option<Ended> {
    let Decision::Go(clock) = context.shared.line.wait() else { return None };
    engine.start(clock);
    let mut clock = clock;
    // The clock shows zero until it starts.
    while clock.now_of_run().ns() == 0 {
        std::hint::spin_loop();
    }
    let behind = clock.now_of_run().since(Instant::ZERO);
    let is_open = |queue: &Queue| matches!(queue.load, QueueLoad::Open { .. });
    if context.shared.trace_of(job_of(&worker)).is_none() && worker.queues().any(is_open) {
        worker.time_lateness();
    }
    let before = thread_usage();
    let thread = context.thread;
    let job = job_of(&worker);
    let mut watch = |tick: Tick| {
        // Once an interval, not once an I/O: that this allocates costs nothing.
        let said = Said::Interval { thread, interval: Box::new(Together::from(tick)) };
        if context.says.send(said).is_ok() { Flow::Continue } else { Flow::Stop }
    };
    let every = context.shared.options.report_every;
    let mut due = every.map_or(Instant::MAX, |every| Instant::ZERO + every);
    let tell = |recorder: &Recorder, counted: SoFar, at: Instant| {
        let usage = between(before, thread_usage());
        let counted = CountedThread { job, at, recorder: recorder.clone(), usage, counted };
        // Nobody listens any more only where the run is over.
        let _ = context.says.send(Said::SoFar { thread, counted: Box::new(counted) });
    };
    let mut look = |recorder: &Recorder, engine: &_, now: Instant| {
        if let Some(every) = every.filter(|_| now >= due) {
            due = next_after(now, every);
            tell(recorder, RealEngine::so_far(engine), now);
        }
    };
    let (mut part, replayed) = match context.shared.trace_of(job) {
        None => (run_part(&mut worker, &mut engine, recorder, &mut watch, &mut look), None),
        Some(trace) => {
            let ReplayPart { part, counts, late, recorded } =
                context.shared.replay(trace, &worker, &mut engine, recorder, &mut watch, &mut look);
            let (job, mode, speed, lasts) = (trace.job.clone(), trace.mode, trace.speed, trace.lasts);
            let most_outstanding = worker.depth();
            (
                part,
                Some((
                    Replayed { thread, job, mode, speed, most_outstanding, counts, lasts, recorded },
                    late,
                )),
            )
        }
    };
    if every.is_some() {
        tell(&part.recorder, engine.so_far(), part.at);
    }
    if part.error.is_some() {
        // Figures without this thread would be those of another workload.
        context.shared.stop.store(true, Ordering::Relaxed);
    }
    let usage = between(before, thread_usage());
    // Nobody listens any more only where the run is over.
    let _ = context.says.send(Said::Over { thread });
    let Left { batches, apart, faults, others, error, wrong, hangs, .. } = engine.leave();
    if part.error.is_none() && error.is_some() {
        (part.reason, part.error) = (EndReason::Failed, error);
    }
    let flushes = part.error.is_none() && last_flush::is_asked(&context.shared, thread);
    let flushed = flushes.then(|| {
        let _ = context.says.send(Said::Flushing);
        let took = last_flush::flush(&context.shared, thread, &mut clock, &mut part);
        let _ = context.says.send(Said::Flushed);
        took
    });
    let apart = apart.map(|PartTimes { submission, completion }| {
        let finish = |recorder: Recorder| recorder.ended_at(part.at).finish(part.at, &[]);
        Box::new(Apart { submission: finish(submission), completion: finish(completion) })
    });
    let fault = faults.first().cloned();
    let (replay, late) = match replayed {
        None => (None, worker.lateness().cloned()),
        // Nothing is late where nothing has a time.
        Some((replay, late)) => {
            let late = Some(late).filter(|_| replay.mode != ReplayMode::Eager);
            (Some(replay), late)
        }
    };
    Some(Ended {
        job,
        part,
        usage: usage.plus(others),
        batches,
        apart,
        fault,
        wrong,
        granted: None,
        late,
        flushed,
        hangs,
        behind: Some(behind),
        replay,
        ios: Vec::new(),
        unlogged: 0,
    })
}

/// Binds the calling thread to its processors.
fn bind(placement: &Placement, thread: u16) {
    let own = match placement {
        Placement::Anywhere => return,
        Placement::InTurn(list) if list.is_empty() => return,
        Placement::InTurn(list) => {
            let place = usize::from(thread) % list.len();
            &list[place..=place]
        }
        Placement::Among(list) => list,
    };
    sys::bind(own);
}
