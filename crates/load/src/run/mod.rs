//! A run on real targets: a thread of the system for each thread of the workload, each with its own engine and
//! recorder, merged without loss at the end.

mod counted;
mod last_flush;
mod live;
mod logged;
mod memory;
mod outcome;
mod patience;
mod replaying;
mod start;
mod start_line;
mod thread;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use iobound_drive::{Flow, Window, WorkerError, layout_of};
use iobound_machine::SystemClock;
use iobound_measure::{Gathered, Keep, Published, Together};
use iobound_units::{Bytes, Instant, Span};
use iobound_workload::{BlockPattern, Cursors, QueueError, Target, Workload};

use crate::engine::{Kind, Misaligned, OnError, Targets, check_alignment};
use crate::prepare::Payload;
use crate::verify::{Ledger, Stamper};
use counted::CountedThreads;
use live::{Live, Said};
use patience::Patience;
use start_line::StartLine;
use thread::{Context, Shared};

pub use crate::sys::{close_output, processors};
pub use logged::LoggedIo;
pub use memory::MemoryNeeded;
pub use outcome::{Outcome, not_begun};
pub use replaying::{OpenSource, Replayed, TracePlace, TraceReplay, lower_replays};
pub use start::Start;

/// Options of a run, besides the workload.
#[derive(Clone, Debug)]
pub struct Options {
    /// I/O engine.
    pub engine: Kind,
    /// Time that an interval of the series is.
    pub interval: Span,
    /// Processors of the threads.
    pub placement: Placement,
    /// Effect of a failed I/O.
    pub on_error: OnError,
    /// Times submission and completion apart, and keeps this of the series of both.
    pub apart: Option<Keep>,
    /// Every I/O is recorded: [`Outcome::ios`].
    pub log_ios: bool,
    /// A run whose work is done before its warm-up is over counts all of it, as in fio.
    pub keep_warmup: bool,
    /// I/Os of nothing, for the cost of the program itself.
    pub nops: bool,
    /// Content of blocks.
    pub blocks: Blocks,
    /// Jobs that replay a trace.
    pub traces: Vec<Arc<TraceReplay>>,
    /// Start of I/O.
    pub start: Start,
    /// Stored data of each thread's own intervals, for reports that show them by thread. Memory for them grows with the
    /// threads and the time.
    pub thread_series: Keep,
    /// The time between two reports of a run that goes on: see [`run_reporting`]. A multiple of the interval.
    pub report_every: Option<Span>,
}

/// The processors that threads run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// The system chooses.
    #[default]
    Anywhere,
    /// Each thread has one of these, in turn.
    InTurn(Vec<u32>),
    /// Each thread may use all of these.
    Among(Vec<u32>),
}

/// Content of blocks.
#[derive(Clone)]
pub enum Blocks {
    /// Content of a kind, each write a little different.
    Refreshed(Payload),
    /// Reading back an earlier run with offset, generation and checksum: every read is checked, nothing is written.
    Checked,
    /// Offset, generation and checksum: every read is judged.
    Verified {
        /// Permitted generations on the targets, for all threads.
        ledger: Arc<Ledger>,
        /// Makes and reads the stamps.
        stamper: Stamper,
        /// Content under the stamps.
        payload: Payload,
    },
    /// A pattern in each block of the jobs of these names; other blocks for the other jobs.
    Patterned {
        /// The name of a job, and its pattern.
        jobs: Vec<(String, BlockPattern)>,
        /// Content of blocks of the other jobs.
        others: Box<Blocks>,
    },
}

impl Blocks {
    /// The pattern of a job of this name.
    pub fn pattern_of(&self, name: &str) -> Option<&BlockPattern> {
        let Blocks::Patterned { jobs, .. } = self else { return None };
        jobs.iter().find(|(job, _)| job == name).map(|(_, pattern)| pattern)
    }

    /// Content of blocks of jobs without a pattern.
    pub fn without_patterns(&self) -> &Blocks {
        match self {
            Blocks::Patterned { others, .. } => others.without_patterns(),
            other => other,
        }
    }
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Blocks::Refreshed(_) => "Refreshed",
            Blocks::Checked => "Checked",
            Blocks::Verified { .. } => "Verified",
            Blocks::Patterned { .. } => "Patterned",
        })
    }
}

/// A run that could not begin.
#[derive(Clone, Debug)]
pub enum StartError {
    /// The jobs and the targets do not fit.
    Queues(QueueError),
    /// More outstanding I/Os than there can be.
    Worker(WorkerError),
    /// Direct I/O that a target does not take.
    Misaligned(Misaligned),
    /// A run may take more memory than is free.
    Memory {
        /// Memory limit.
        needed: MemoryNeeded,
        /// Free memory.
        free: Bytes,
    },
    /// More outstanding I/Os of one thread than the engine has room for.
    Deep {
        /// The thread.
        thread: u16,
        /// Request of its jobs.
        depth: u64,
        /// I/O engine.
        engine: Kind,
        /// Memory available.
        most: u64,
    },
    /// More threads than the system has mappings for: a stack is one, and so is what guards it.
    Threads {
        /// Those of the jobs, and those that carry out plain calls.
        threads: u64,
        /// Mappings that they need.
        needed: u64,
        /// Mappings that a process may have.
        most: u64,
    },
    /// A thread could not set up its engine.
    Engine(String),
    /// The process that decides about the start called it off: see [`Start::Agreed`].
    CalledOff,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Queues(error) => error.fmt(f),
            StartError::Worker(error) => error.fmt(f),
            StartError::Misaligned(error) => error.fmt(f),
            StartError::Memory { needed, free } => write!(
                f,
                "the run may need {} of memory, and {free} are free: {} for the buffers of all outstanding I/Os, {} for \
                 the figures of {} threads; lower --depth, --threads or --block",
                needed.total(),
                needed.buffers,
                needed.figures,
                needed.threads
            ),
            StartError::Deep { thread, depth, engine, most } => write!(
                f,
                "thread {thread} needs {depth} I/Os outstanding, and {engine} supports {most} for each thread: lower \
                 --depth, or give it to several threads (--threads {})",
                depth.div_ceil(*most)
            ),
            StartError::Threads { threads, needed, most } => write!(
                f,
                "{threads} threads need about {needed} mappings, and the limit of a process is {most}: lower --threads{}, \
                 or raise vm.max_map_count (sysctl -w vm.max_map_count={})",
                if needed / threads.max(&1) < WORKER_MAPPINGS { " or --depth" } else { "" },
                needed.next_power_of_two()
            ),
            StartError::Engine(why) => f.write_str(why),
            StartError::CalledOff => f.write_str("the run was cancelled before its first I/O"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<QueueError> for StartError {
    fn from(error: QueueError) -> StartError {
        StartError::Queues(error)
    }
}

impl From<WorkerError> for StartError {
    fn from(error: WorkerError) -> StartError {
        StartError::Worker(error)
    }
}

/// Number of times that it is looked whether threads hang.
const LOOK: Duration = Duration::from_millis(100);

/// Mappings of a thread of a job: its stack and its signal stack with a guard each, its rings, its buffers (measured: 7).
const WORKER_MAPPINGS: u64 = 8;
/// Mappings of a thread that carries out plain calls: two stacks with a guard each, and one to spare.
const CALLER_MAPPINGS: u64 = 5;
/// Mappings of the program itself.
const OWN_MAPPINGS: u64 = 1_000;

/// Sees that the system has mappings for all threads: a thread that gets none for its signal stack ends the process.
///
/// # Errors
/// Returns an error if there are too many threads, or the jobs do not fit the targets.
pub fn check_threads(
    workload: &Workload,
    targets: &[Target],
    engine: Kind,
    mappings: Option<u64>,
) -> Result<(), StartError> {
    let queues = workload.queues(targets)?;
    let workers = queues.chunk_by(|one, other| one.thread == other.thread).count() as u64;
    let callers = match engine {
        Kind::Sync => queues.iter().map(|queue| u64::from(queue.depth)).sum(),
        Kind::IoUring | Kind::Libaio | Kind::Iocp | Kind::Null => 0,
    };
    let needed = OWN_MAPPINGS + workers * WORKER_MAPPINGS + callers * CALLER_MAPPINGS;
    match mappings {
        Some(most) if needed > most => Err(StartError::Threads { threads: workers + callers, needed, most }),
        _ => Ok(()),
    }
}

/// Sees that every thread's outstanding I/Os fit into its engine.
///
/// # Errors
/// Returns an error if a thread needs more, or the jobs do not fit the targets.
pub fn check_depth(workload: &Workload, targets: &[Target], engine: Kind) -> Result<(), StartError> {
    let queues = workload.queues(targets)?;
    let Some(most) = engine.most_outstanding() else { return Ok(()) };
    // Queues of one thread follow each other.
    for own in queues.chunk_by(|one, other| one.thread == other.thread) {
        let depth = own.iter().map(|queue| u64::from(queue.depth)).sum();
        if depth > most {
            return Err(StartError::Deep { thread: own[0].thread, depth, engine, most });
        }
    }
    Ok(())
}

/// The largest that a job reads or writes: discards have a length and no data.
fn largest_block(workload: &Workload, job: u16) -> u32 {
    let job = &workload.jobs[usize::from(job)];
    // A write that follows a discard is as large as the discard.
    let moved = job.mix.iter().filter(|share| share.op.moves_data() || job.access.trim_first);
    moved.map(|share| share.block).max().unwrap_or(0)
}

/// Sees that a workload can run on what was opened. The I/Os of a trace are rounded to what their target takes.
///
/// # Errors
/// Returns an error if the jobs do not fit the targets, or a target does not accept such I/O.
pub fn check(
    workload: &Workload,
    names: &[Target],
    opened: &Targets,
    traces: &[Arc<TraceReplay>],
) -> Result<(), StartError> {
    let mut described = workload.clone();
    described.jobs.retain(|job| !traces.iter().any(|trace| trace.job == job.name));
    if described.jobs.is_empty() {
        return Ok(());
    }
    check_alignment(&described, names, opened)?.map_err(StartError::Misaligned)
}

/// Carries out one stage of a workload. `names` are the targets by id, with the sizes that jobs may use; `opened`
/// the same, open. `watch` sees every interval of all threads together, as it ends; it may stop the run, and so may
/// `stop`.
///
/// # Errors
/// Returns an error if the run cannot begin. A run that begins has an outcome, however it ends.
pub fn run(
    workload: &Workload,
    names: &[Target],
    opened: &Arc<Targets>,
    options: &Options,
    stop: &Arc<AtomicBool>,
    watch: &mut dyn FnMut(&Together) -> Flow,
) -> Result<Outcome, StartError> {
    run_reporting(workload, names, opened, options, stop, watch, &mut |_| {})
}

/// [`run`], with reports: `report` sees the run up to now, as if it had ended, each [`Options::report_every`].
///
/// # Errors
/// As [`run`].
pub fn run_reporting(
    workload: &Workload,
    names: &[Target],
    opened: &Arc<Targets>,
    options: &Options,
    stop: &Arc<AtomicBool>,
    watch: &mut dyn FnMut(&Together) -> Flow,
    report: &mut dyn FnMut(&Outcome),
) -> Result<Outcome, StartError> {
    check(workload, names, opened, &options.traces)?;
    let queues = workload.queues(names)?;
    let threads = queues.iter().map(|queue| queue.thread + 1).max().unwrap_or(0);
    let window = Window::of(workload, Instant::ZERO);
    let shared = Arc::new(Shared {
        cursors: Cursors::new(&queues),
        layout: Arc::new(layout_of(workload, &queues, names, window, options.interval)),
        queues,
        workload: Arc::new(workload.clone()),
        opened: Arc::clone(opened),
        targets: names.to_vec(),
        options: options.clone(),
        window,
        stop: Arc::clone(stop),
        line: StartLine::default(),
    });
    let (says, said) = mpsc::channel();
    let mut running = Vec::with_capacity(usize::from(threads));
    let mut failed = None;
    for thread in 0..threads {
        let context = Context { shared: Arc::clone(&shared), thread, says: says.clone() };
        let builder = std::thread::Builder::new().name(format!("iobound-{thread}"));
        match builder.spawn(move || thread::work(context)) {
            Ok(handle) => running.push(handle),
            Err(error) => {
                shared.line.abort();
                let why = format!("cannot create thread {thread} of {threads}: {error}: lower --threads");
                failed = Some(StartError::Engine(why));
                break;
            }
        }
    }
    drop(says);
    let mut called_off = false;
    let clock = shared.line.go(running.len(), || {
        let clock = shared.options.start.clock();
        called_off = clock.is_none();
        clock
    });
    if called_off {
        failed = Some(StartError::CalledOff);
    }
    let began = wall_time();
    let mut published = vec![Published::new(&shared.layout, options.thread_series); running.len()];
    let mut gathered = Gathered::new(Arc::clone(&shared.layout));
    let mut report = |gathered: &Gathered, counted: &mut CountedThreads| {
        if let Some(threads) = counted.next_report() {
            report(&outcome::so_far(threads, gathered, &shared.queues, began));
        }
    };
    let mut heard = Heard { published: &mut published, gathered: &mut gathered, report: &mut report };
    let hangs = listen(&shared, &said, clock, &mut heard, watch);
    // The threads that hang end nothing of what they began any more.
    drop(said);
    let mut ended = Vec::with_capacity(running.len());
    for ((thread, handle), published) in (0..).zip(running).zip(published) {
        if hangs && !handle.is_finished() {
            // The thread is the system's now, with all that it holds.
            ended.push(thread::lost(&shared, thread, published));
            continue;
        }
        match handle.join().expect("a thread of the run does not panic") {
            Ok(end) => ended.extend(end),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(outcome::merge(ended, gathered, shared.queues.clone(), began)),
    }
}

/// Destination of the threads' messages.
struct Heard<'a> {
    published: &'a mut [Published],
    gathered: &'a mut Gathered,
    report: &'a mut dyn FnMut(&Gathered, &mut CountedThreads),
}

/// Hands what the threads say to `watch` until all have ended, and keeps what each has said; tells whether some have
/// not ended, and hang.
fn listen(
    shared: &Shared,
    said: &mpsc::Receiver<Said>,
    clock: Option<SystemClock>,
    heard: &mut Heard<'_>,
    watch: &mut dyn FnMut(&Together) -> Flow,
) -> bool {
    let Some(mut clock) = clock else { return false };
    let Heard { published, gathered, report } = heard;
    let mut counted = CountedThreads::new(published.len());
    let mut live = Live::new(published.len() as u16);
    let mut patience = Patience::new(shared.window.until, published.len());
    let mut watch = |gathered: &mut Gathered, interval: &Together| {
        gathered.push(interval);
        if watch(interval) == Flow::Stop {
            shared.stop.store(true, Ordering::Relaxed);
        }
    };
    loop {
        match said.recv_timeout(LOOK) {
            Ok(said) => {
                let said = match said {
                    Said::SoFar { thread, counted: latest } => {
                        counted.take(thread, latest);
                        report(gathered, &mut counted);
                        continue;
                    }
                    other => other,
                };
                match &said {
                    Said::Over { thread } => {
                        patience.over(clock.now_of_run());
                        counted.over(*thread);
                    }
                    Said::Flushing => patience.flushes(),
                    Said::Flushed => patience.flushed(clock.now_of_run()),
                    Said::Interval { thread, interval } => published[usize::from(*thread)].take(interval),
                    Said::SoFar { .. } => {}
                }
                live.take(said, |interval| watch(gathered, interval));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        if patience.is_out(clock.now_of_run(), shared.stop.load(Ordering::Relaxed)) {
            // Intervals without the figures of the hanging threads.
            for thread in 0..published.len() as u16 {
                live.take(Said::Over { thread }, |interval| watch(gathered, interval));
            }
            return true;
        }
    }
}

/// The wall clock: only for when a run began, never for how long anything took.
#[allow(
    clippy::disallowed_methods,
    reason = "this crate touches the world, and this is the moment of the start"
)]
fn wall_time() -> SystemTime {
    SystemTime::now()
}
