//! One real thread of a run: its lanes, its engine, its recorder.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use iobound_drive::{Crew, EndReason, EngineError, Flow, Part, Window, layout_of, run_part};
use iobound_measure::{
    Apart, Batches, CellId, Histogram, Layout, Published, Recorder, Tick, Together, Usage,
};
use iobound_units::{Instant, Op, Span};
use iobound_workload::{Cursors, Lane, LaneLoad, Target, Workload};

use super::last_flush;
use super::live::Said;
use super::start_line::{Decision, StartLine};
use super::{Blocks, Options, Placement, StartError, largest_block};
use crate::engine::{
    Aio, Contents, Fault, Granted, Kind, Left, PATIENCE, RealEngine, Refreshed, Setup, Slots, Sync, Targets,
    Uring, Verified,
};
use crate::usage::{between, thread_usage};
use crate::verify::Checker;

/// What all threads of a run share. Nothing of it is borrowed, since a thread that hangs outlives its run.
pub(super) struct Shared {
    pub(super) workload: Workload,
    pub(super) lanes: Vec<Lane>,
    pub(super) names: Vec<Target>,
    pub(super) cursors: Cursors,
    pub(super) opened: Arc<Targets>,
    pub(super) options: Options,
    pub(super) window: Window,
    /// Ends the run: set from outside, and by a thread that can't go on.
    pub(super) stop: Arc<AtomicBool>,
    pub(super) line: StartLine,
}

/// What a thread needs to know.
pub(super) struct Context {
    pub(super) shared: Arc<Shared>,
    pub(super) thread: u16,
    pub(super) says: mpsc::Sender<Said>,
}

/// What a thread leaves.
pub(super) struct Ended {
    pub(super) job: u16,
    pub(super) part: Part,
    pub(super) usage: Usage,
    pub(super) batches: Batches,
    pub(super) apart: Option<Box<[Apart; Op::ALL.len()]>>,
    pub(super) fault: Option<Fault>,
    pub(super) granted: Option<Granted>,
    pub(super) late: Option<Histogram>,
    /// How long the flush at the end took.
    pub(super) flushed: Option<Span>,
    /// The system has not let go of all that it was given.
    pub(super) hangs: bool,
    /// How long after the run's zero it was ready to issue.
    pub(super) behind: Option<Span>,
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

/// What stands for a thread that hangs in a call to the system: what it had handed out until then.
pub(super) fn lost(shared: &Shared, thread: u16, published: Published) -> Ended {
    let layout = shared.layout();
    let until = published.until(&layout);
    let kept = if until > layout.begin {
        let cells = layout.cells.iter().filter(|cell| cell.thread == thread).count();
        let targets = if cells > 1 { "; by target it is not known, and stands with the first" } else { "" };
        format!(
            "what the thread read and wrote until {} after the beginning is in the figures, what came after is not{targets}",
            until.since(layout.begin)
        )
    } else {
        "nothing the thread counted is known: the call did not return within its first interval".to_string()
    };
    let why = format!(
        "thread {thread} is in a call to the system that does not return, {PATIENCE} after the end of the run: a device \
         hangs; {kept}. The system may end the program only when the device answers"
    );
    let first = layout.cells.iter().position(|cell| cell.thread == thread).unwrap_or(0);
    Ended {
        job: shared.lanes.iter().find(|lane| lane.thread == thread).map_or(0, |lane| lane.job),
        part: Part {
            at: until,
            reason: EndReason::Failed,
            error: Some(EngineError { why }),
            recorder: published.into_recorder(layout, CellId(first as u32)),
            outstanding: Vec::new(),
        },
        usage: Usage::default(),
        batches: Batches::default(),
        apart: None,
        fault: None,
        granted: None,
        late: None,
        flushed: None,
        hangs: true,
        behind: None,
    }
}

impl Shared {
    pub(super) fn layout(&self) -> Layout {
        layout_of(&self.workload, &self.lanes, &self.names, self.window, self.options.interval)
    }
}

fn set_up_and_run(context: &Context) -> Result<Option<Ended>, StartError> {
    let thread = context.thread;
    let Shared { workload, lanes, options, .. } = &*context.shared;
    bind(&options.placement, thread);
    // A thread that sleeps for a schedule is woken 50 µs late unless it asks for better.
    // SAFETY: this call takes no address.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64, 0_u64, 0_u64, 0_u64) };
    let crew = Crew::of_thread(workload, lanes, thread, &context.shared.cursors, context.shared.window)?;
    let job = crew.lanes().next().map_or(0, |lane| lane.job);
    let recorder = Recorder::new(context.shared.layout());
    let refused =
        |error: io::Error| StartError::Engine(format!("thread {thread}: {}: {error}", options.engine));
    let largest = largest_block(workload, job);
    let writes = workload.jobs[usize::from(job)].mix.iter().any(|share| share.op == Op::Write);
    let capacity = crew.capacity();
    let slots = Slots::new(capacity, largest, writes).map_err(refused)?;
    let ended = match &options.blocks {
        Blocks::Refreshed(payload) => {
            let contents = Refreshed::new(*payload, thread, capacity);
            on_engine(context, slots, contents, crew, recorder)
        }
        Blocks::Verified { ledger, stamper, payload } => {
            let checker = Checker::new(Arc::clone(ledger), *stamper, capacity, largest);
            let contents = Verified::new(checker, *payload, thread);
            on_engine(context, slots, contents, crew, recorder)
        }
    };
    Ok(ended.map_err(refused)?.map(|ended| Ended { job, ..ended }))
}

fn on_engine(
    context: &Context,
    slots: Slots,
    contents: impl Contents,
    crew: Crew,
    recorder: Recorder,
) -> io::Result<Option<Ended>> {
    let Shared { options, opened, stop, .. } = &*context.shared;
    let setup = Setup {
        targets: Arc::clone(opened),
        slots,
        contents,
        stop: Arc::clone(stop),
        on_error: options.on_error,
        apart: options.apart.then_some(context.shared.window),
    };
    Ok(match options.engine {
        Kind::IoUring => {
            let mut engine = Uring::new(setup)?;
            if options.nops {
                engine = engine.of_nops();
            }
            let granted = Some(engine.granted());
            go(context, engine, crew, recorder).map(|ended| Ended { granted, ..ended })
        }
        Kind::Libaio => go(context, Aio::new(setup)?, crew, recorder),
        Kind::Sync => go(context, Sync::new(setup)?, crew, recorder),
    })
}

fn go(context: &Context, mut engine: impl RealEngine, mut crew: Crew, recorder: Recorder) -> Option<Ended> {
    let Decision::Go(clock) = context.shared.line.wait() else { return None };
    engine.start(clock);
    let mut clock = clock;
    // The clock shows zero until it starts.
    while clock.now_of_run().ns() == 0 {
        std::hint::spin_loop();
    }
    let behind = clock.now_of_run().since(Instant::ZERO);
    if crew.lanes().any(|lane| matches!(lane.load, LaneLoad::Open { .. })) {
        crew.time_lateness();
    }
    let before = thread_usage();
    let thread = context.thread;
    let mut watch = |tick: Tick| {
        // Once an interval, not once an I/O: that this allocates costs nothing.
        let said = Said::Interval { thread, interval: Box::new(Together::from(tick)) };
        if context.says.send(said).is_ok() { Flow::Continue } else { Flow::Stop }
    };
    let mut part = run_part(&mut crew, &mut engine, recorder, &mut watch);
    if part.error.is_some() {
        // Figures without this thread would be those of another workload.
        context.shared.stop.store(true, Ordering::Relaxed);
    }
    let usage = between(before, thread_usage());
    // Nobody listens any more only where the run is over.
    let _ = context.says.send(Said::Over { thread });
    let Left { batches, apart, faults, others, error, hangs, .. } = engine.leave();
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
    let fault = faults.first().cloned();
    let late = crew.lateness().cloned();
    Some(Ended {
        job: 0,
        part,
        usage: usage.plus(others),
        batches,
        apart,
        fault,
        granted: None,
        late,
        flushed,
        hangs,
        behind: Some(behind),
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
    let mut set = rustix::thread::CpuSet::new();
    own.iter().for_each(|processor| set.set(*processor as usize));
    // The program checked beforehand that there is such a processor; one that went away since is no reason to end.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}
