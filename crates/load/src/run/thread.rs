//! One real thread of a run: its lanes, its engine, its recorder.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};

use iobound_drive::{Crew, Flow, Part, Window, layout_of, run_part};
use iobound_measure::{Apart, Batches, Recorder, Tick, Together, Usage};
use iobound_units::{Op, Span};
use iobound_workload::{Cursors, Lane, Target, Workload};

use super::live::Said;
use super::start_line::{Decision, StartLine};
use super::{Blocks, Options, StartError, largest_block};
use crate::engine::{
    Aio, Contents, Fault, Granted, Kind, Left, RealEngine, Refreshed, Setup, Slots, Sync, Targets, Uring,
    Verified,
};
use crate::usage::{between, thread_usage};
use crate::verify::Checker;

/// What a thread needs to know.
pub(super) struct Context<'a> {
    pub(super) workload: &'a Workload,
    pub(super) lanes: &'a [Lane],
    pub(super) names: &'a [Target],
    pub(super) thread: u16,
    pub(super) cursors: &'a Cursors,
    pub(super) opened: &'a Arc<Targets>,
    pub(super) options: &'a Options,
    pub(super) window: Window,
    pub(super) stop: &'a Arc<AtomicBool>,
    pub(super) line: &'a StartLine,
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
}

/// Sets up, waits for the others, runs. `None` where another thread could not be set up.
pub(super) fn work(context: Context<'_>) -> Result<Option<Ended>, StartError> {
    let ended = set_up_and_run(&context);
    if ended.is_err() {
        context.line.abort();
    }
    ended
}

fn set_up_and_run(context: &Context<'_>) -> Result<Option<Ended>, StartError> {
    let Context { workload, lanes, thread, options, .. } = *context;
    bind(&options.processors, thread);
    // A thread that sleeps for a schedule is woken 50 µs late unless it asks for better.
    // SAFETY: this call takes no address.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64, 0_u64, 0_u64, 0_u64) };
    let crew = Crew::of_thread(workload, lanes, thread, context.cursors, context.window)?;
    let job = crew.lanes().next().map_or(0, |lane| lane.job);
    let layout = layout_of(workload, lanes, context.names, context.window, options.interval);
    let recorder = Recorder::new(layout);
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
        Blocks::Verified { ledger, stamper } => {
            let contents = Verified::new(Checker::new(Arc::clone(ledger), *stamper, capacity, largest));
            on_engine(context, slots, contents, crew, recorder)
        }
    };
    Ok(ended.map_err(refused)?.map(|ended| Ended { job, ..ended }))
}

fn on_engine(
    context: &Context<'_>,
    slots: Slots,
    contents: impl Contents,
    crew: Crew,
    recorder: Recorder,
) -> io::Result<Option<Ended>> {
    let options = context.options;
    let setup = Setup {
        targets: Arc::clone(context.opened),
        slots,
        contents,
        stop: Arc::clone(context.stop),
        on_error: options.on_error,
        apart: options.apart.then_some(context.window),
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

fn go(
    context: &Context<'_>,
    mut engine: impl RealEngine,
    mut crew: Crew,
    recorder: Recorder,
) -> Option<Ended> {
    let Decision::Go(clock) = context.line.wait() else { return None };
    engine.start(clock);
    let mut clock = clock;
    // The clock shows zero until it starts.
    while clock.now_of_run().ns() == 0 {
        std::hint::spin_loop();
    }
    let before = thread_usage();
    let thread = context.thread;
    let mut watch = |tick: Tick| {
        // Once an interval, not once an I/O: that this allocates costs nothing.
        let said = Said::Interval { thread, interval: Box::new(Together::from(tick)) };
        if context.says.send(said).is_ok() { Flow::Continue } else { Flow::Stop }
    };
    let part = run_part(&mut crew, &mut engine, recorder, &mut watch);
    let usage = between(before, thread_usage());
    // Nobody listens any more only where the run is over.
    let _ = context.says.send(Said::Over { thread });
    let Left { batches, apart, faults, others, .. } = engine.leave();
    let fault = faults.first().cloned();
    Some(Ended { job: 0, part, usage: usage.plus(others), batches, apart, fault, granted: None })
}

/// Binds the calling thread to its processor of the list.
fn bind(processors: &[u32], thread: u16) {
    if processors.is_empty() {
        return;
    }
    let processor = processors[usize::from(thread) % processors.len()];
    let mut set = rustix::thread::CpuSet::new();
    set.set(processor as usize);
    // The program checked beforehand that there is such a processor; one that went away since is no reason to end.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

/// How long before I/O begins the threads are told: they are awake by then.
pub(super) const LEAD: Span = Span::from_us(500);
