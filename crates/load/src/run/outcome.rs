//! Result of a run, of all its threads together and of each.

use std::sync::Arc;
use std::time::SystemTime;

use iobound_drive::{EndReason, Part, Window, layout_of};
use iobound_measure::{Apart, Batches, Gathered, Histogram, Keep, Measured, Recorder, ThreadMeasured, Usage};
use iobound_units::{Instant, Span};
use iobound_workload::{Queue, QueueError, Target, Workload};

use super::counted::CountedThread;
use super::logged::LoggedIo;
use super::replaying::Replayed;
use super::thread::Ended;
use crate::engine::{Fault, Granted, PartTimes, SoFar, WrongBlock};

/// A run that has ended, however it did.
#[derive(Debug)]
pub struct Outcome {
    /// All threads together: what one recorder of all completions would hold.
    pub total: Measured,
    /// Each thread.
    pub threads: Vec<ThreadMeasured>,
    /// The queues that it had.
    pub queues: Vec<Queue>,
    /// Reason why it ended: the gravest reason of any thread.
    pub reason: EndReason,
    /// Reason for the failure, in words.
    pub error: Option<String>,
    /// The first I/O that failed.
    pub fault: Option<Fault>,
    /// The threads whose reads did not find what was written, each with its first such block.
    pub wrong: Vec<(u16, WrongBlock)>,
    /// Delay of the I/Os of open loops that the target did not cause, in ns; `None` without an open loop.
    pub lateness: Option<Histogram>,
    /// Features of io_uring that the kernel granted, if it issued the I/O.
    pub granted: Option<Granted>,
    /// Start of I/O, by the wall clock.
    pub began: SystemTime,
    /// Time that after its zero the first thread could issue an I/O: what the scheduler took of the start. `None` where
    /// no thread has said so.
    pub behind: Option<Span>,
    /// Time that the longest flush at a thread's end took; `None` where none was asked for.
    pub flushed: Option<Span>,
    /// The threads that replayed a trace.
    pub replays: Vec<Replayed>,
    /// Every I/O of each thread that succeeded, warm-up and cool-down included, where that was asked for.
    pub ios: Vec<Vec<LoggedIo>>,
    /// I/Os for which there was no room in it.
    pub unlogged: u64,
    /// A device did not answer: a thread is still in its call, or I/Os are outstanding, and the system keeps their
    /// buffers. Closing a target may block without end.
    pub hangs: bool,
}

impl Outcome {
    /// Cost of all threads together.
    pub fn usage(&self) -> Usage {
        self.threads.iter().map(|thread| thread.usage).fold(Usage::default(), Usage::plus)
    }

    /// Sizes of submission and completion batches of all threads.
    pub fn batches(&self) -> Batches {
        self.threads.iter().fold(Batches::default(), |sum, thread| sum.plus(&thread.batches))
    }

    /// I/Os that completed from the beginning to the end, warm-up and cool-down included.
    pub fn ios(&self) -> u64 {
        self.total.series.iter().map(|interval| interval.count()).sum()
    }
}

/// A run that goes on, by what its threads have counted up to now.
pub(super) fn so_far(
    threads: Vec<CountedThread>,
    gathered: &Gathered,
    queues: &[Queue],
    began: SystemTime,
) -> Outcome {
    merge(threads.into_iter().map(ended_now).collect(), gathered.clone(), queues.to_vec(), began)
}

/// A run that has not begun: every figure is zero. `interval` and `keep` are as in [`Options`](super::Options).
///
/// # Errors
/// Returns an error if the jobs do not fit the targets.
pub fn not_begun(
    workload: &Workload,
    names: &[Target],
    interval: Span,
    keep: Keep,
) -> Result<Outcome, QueueError> {
    let queues = workload.queues(names)?;
    let window = Window::of(workload, Instant::ZERO);
    let layout = Arc::new(layout_of(workload, &queues, names, window, interval));
    let thread = |thread: u16| {
        ended_now(CountedThread {
            job: queues.iter().find(|queue| queue.thread == thread).map_or(0, |queue| queue.job),
            at: Instant::ZERO,
            recorder: Recorder::of_thread(Arc::clone(&layout), thread, keep),
            usage: Usage::default(),
            counted: SoFar { batches: Batches::default(), apart: None },
        })
    };
    let threads = (0..layout.threads).map(thread).collect();
    Ok(merge(threads, Gathered::new(Arc::clone(&layout)), queues, super::wall_time()))
}

/// A thread as if it had ended with what it has counted.
fn ended_now(thread: CountedThread) -> Ended {
    let CountedThread { job, at, recorder, usage, counted: SoFar { batches, apart } } = thread;
    let apart = apart.map(|PartTimes { submission, completion }| {
        let finish = |recorder: Recorder| recorder.finish(at, &[]);
        Box::new(Apart { submission: finish(submission), completion: finish(completion) })
    });
    let part = Part { at, reason: EndReason::Time, error: None, recorder, outstanding: Vec::new() };
    Ended { usage, batches, apart, ..Ended::of(job, part) }
}

/// The end of all threads, in their order.
pub(super) fn merge(
    ended: Vec<Ended>,
    mut gathered: Gathered,
    queues: Vec<Queue>,
    began: SystemTime,
) -> Outcome {
    let at = ended.iter().map(|end| end.part.at).max().unwrap_or(Instant::ZERO);
    let gravity = |reason: &EndReason| match reason {
        EndReason::Failed => 3,
        EndReason::Stopped => 2,
        EndReason::Time => 1,
        EndReason::WorkDone => 0,
    };
    let reason = ended.iter().map(|end| end.part.reason).max_by_key(gravity).unwrap_or(EndReason::WorkDone);
    let error = ended.iter().find_map(|end| end.part.error.as_ref()).map(ToString::to_string);
    let fault = ended.iter().find_map(|end| end.fault.clone());
    let wrong = |(thread, end): (u16, &Ended)| Some((thread, end.wrong.clone()?));
    let wrong = (0..).zip(&ended).filter_map(wrong).collect();
    let flushed = ended.iter().filter_map(|end| end.flushed).max();
    let behind = ended.iter().filter_map(|end| end.behind).min();
    let hangs = ended.iter().any(|end| end.hangs);
    let granted = ended.iter().find_map(|end| end.granted);
    let replays = ended.iter().filter_map(|end| end.replay.clone()).collect();
    let mut lateness: Option<Histogram> = None;
    for late in ended.iter().filter_map(|end| end.late.as_ref()) {
        lateness.get_or_insert_default().merge(late);
    }
    let mut ended = ended;
    if reason == EndReason::WorkDone {
        let start_of = |ended: &[Ended]| ended.first().map(|end| end.part.recorder.layout().start);
        let start = start_of(&ended);
        let of_warmup = |end: Ended| {
            let part = Part { recorder: end.part.recorder.ended_at(at), ..end.part };
            Ended { part, ..end }
        };
        ended = ended.into_iter().map(of_warmup).collect();
        if let Some(first) = ended.first().filter(|_| start_of(&ended) != start) {
            // The returned intervals are of a warm-up that does not count.
            gathered = Gathered::new(first.part.recorder.layout().clone());
        }
    }
    let unlogged = ended.iter().map(|end| end.unlogged).sum();
    let mut ios = Vec::with_capacity(ended.len());
    let thread = |end: Ended| {
        ios.push(end.ios);
        ThreadMeasured {
            job: end.job,
            measured: gathered.add(end.part.recorder, end.part.at, &end.part.outstanding),
            usage: end.usage,
            batches: end.batches,
            apart: end.apart,
        }
    };
    let threads = ended.into_iter().map(thread).collect();
    let total = gathered.finish(at);
    Outcome {
        total,
        threads,
        queues,
        reason,
        error,
        fault,
        wrong,
        lateness,
        granted,
        began,
        behind,
        flushed,
        replays,
        ios,
        unlogged,
        hangs,
    }
}
