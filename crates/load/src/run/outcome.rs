//! What a run left, of all its threads together and of each.

use std::time::SystemTime;

use iobound_drive::EndReason;
use iobound_measure::{Batches, Histogram, Measured, ThreadMeasured, Usage};
use iobound_units::{Instant, Span};
use iobound_workload::Lane;

use super::thread::Ended;
use crate::engine::{Fault, Granted};

/// A run that has ended, however it did.
#[derive(Debug)]
pub struct Outcome {
    /// All threads together: what one recorder of all completions would hold.
    pub total: Measured,
    /// Each thread.
    pub threads: Vec<ThreadMeasured>,
    /// The lanes that it had.
    pub lanes: Vec<Lane>,
    /// Why it ended: the gravest reason of any thread.
    pub reason: EndReason,
    /// What made it fail, in words.
    pub error: Option<String>,
    /// The first I/O that failed.
    pub fault: Option<Fault>,
    /// How late I/Os of open loops went out where the target was not the cause, in ns; `None` where there is no open
    /// loop.
    pub lateness: Option<Histogram>,
    /// What the kernel granted of io_uring, where that issued the I/O.
    pub granted: Option<Granted>,
    /// When I/O began, by the wall clock.
    pub began: SystemTime,
    /// How long after its zero the first thread could issue an I/O: what the scheduler took of the start. `None` where
    /// no thread has said so.
    pub behind: Option<Span>,
    /// How long the longest flush at a thread's end took; `None` where none was asked for.
    pub flushed: Option<Span>,
    /// A device did not answer: a thread is still in its call, or I/Os are outstanding, and the system keeps what it was
    /// given for them. Whoever closes a target may wait for ever.
    pub hangs: bool,
}

impl Outcome {
    /// What all threads cost together.
    pub fn usage(&self) -> Usage {
        self.threads.iter().map(|thread| thread.usage).fold(Usage::default(), Usage::plus)
    }

    /// How the I/Os of all threads went out and came back.
    pub fn batches(&self) -> Batches {
        self.threads.iter().fold(Batches::default(), |sum, thread| sum.plus(&thread.batches))
    }

    /// I/Os that completed from the beginning to the end, warm-up and cool-down included.
    pub fn ios(&self) -> u64 {
        self.total.series.iter().map(|interval| interval.count()).sum()
    }
}

/// The end of all threads, in their order.
pub(super) fn merge(ended: Vec<Ended>, lanes: Vec<Lane>, began: SystemTime) -> Outcome {
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
    let flushed = ended.iter().filter_map(|end| end.flushed).max();
    let behind = ended.iter().filter_map(|end| end.behind).min();
    let hangs = ended.iter().any(|end| end.hangs);
    let granted = ended.iter().find_map(|end| end.granted);
    let mut lateness: Option<Histogram> = None;
    for late in ended.iter().filter_map(|end| end.late.as_ref()) {
        lateness.get_or_insert_default().merge(late);
    }
    let (mut threads, mut whole, mut outstanding) = (Vec::with_capacity(ended.len()), None, Vec::new());
    for end in ended {
        let recorder = end.part.recorder.clone();
        let measured = end.part.recorder.finish(end.part.at, &end.part.outstanding);
        threads.push(ThreadMeasured {
            job: end.job,
            measured,
            usage: end.usage,
            batches: end.batches,
            apart: end.apart,
        });
        match &mut whole {
            None => whole = Some(recorder),
            Some(whole) => whole.merge(recorder),
        }
        outstanding.extend(end.part.outstanding);
    }
    let whole = whole.expect("a workload has a thread");
    let total = whole.finish(at, &outstanding);
    Outcome { total, threads, lanes, reason, error, fault, lateness, granted, began, behind, flushed, hangs }
}
