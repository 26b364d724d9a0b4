use iobound_measure::{Measured, Outstanding, Recorder, Tick};
use iobound_units::Instant;

use crate::engine::{Done, Engine, EngineError};
use crate::worker::Worker;

/// True if a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Continue,
    /// It ends now, with what was done.
    Stop,
}

/// End of a run.
#[derive(Clone, Debug)]
pub struct End {
    /// Time of the end.
    pub at: Instant,
    /// Reason.
    pub reason: EndReason,
    /// All that was recorded, unfinished I/Os counted.
    pub measured: Measured,
}

/// Reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Its time was up.
    Time,
    /// Every job had moved what it was to move.
    WorkDone,
    /// The caller's callback or the engine's owner stopped it.
    Stopped,
    /// The engine can't go on: [`Part::error`] says why.
    Failed,
}

/// Result of one real thread's share of a run: to be merged with those of the others, or finished alone.
pub struct Part {
    /// Time of its end.
    pub at: Instant,
    /// Reason.
    pub reason: EndReason,
    /// Reason for which the engine gave up.
    pub error: Option<EngineError>,
    /// All that was recorded.
    pub recorder: Recorder,
    /// I/Os outstanding at the end.
    pub outstanding: Vec<Outstanding>,
}

impl Part {
    /// The end of a run that had this part alone.
    ///
    /// # Errors
    /// Returns the error that stopped the engine.
    pub fn finish(self) -> Result<End, EngineError> {
        match self.error {
            Some(error) => Err(error),
            None => {
                let measured = self.recorder.finish(self.at, &self.outstanding);
                Ok(End { at: self.at, reason: self.reason, measured })
            }
        }
    }
}

/// Issues a worker's I/Os to an engine and records what completes, until the worker's window is over, its work is
/// done, or `watch` stops it at the end of an interval.
///
/// The loop refills only what completed, then records, completions that are alike at once. It allocates nothing after the start, takes no lock, and
/// asks the engine for the time once before and once after each wait.
///
/// # Errors
/// Returns an error if the engine cannot go on. The record up to then is lost ([`run_part`] keeps it).
pub fn run<E: Engine>(
    worker: &mut Worker,
    engine: &mut E,
    recorder: Recorder,
    watch: &mut impl FnMut(Tick) -> Flow,
) -> Result<End, EngineError> {
    run_part(worker, engine, recorder, watch, &mut |_, _, _| {}).finish()
}

/// [`run`], without an end: what was recorded is not yet summed up, and kept where the engine gave up. `look` sees the
/// recorder and the engine each time that `watch` has seen an interval.
pub fn run_part<E: Engine>(
    worker: &mut Worker,
    engine: &mut E,
    mut recorder: Recorder,
    watch: &mut impl FnMut(Tick) -> Flow,
    look: &mut impl FnMut(&Recorder, &E, Instant),
) -> Part {
    let until = worker.window().until;
    let mut done: Vec<Done> = Vec::with_capacity(worker.capacity().max(1));
    let mut now = engine.now();
    worker.begin_stage(engine, now);
    let mut error = None;
    let reason = loop {
        if now >= until {
            break EndReason::Time;
        }
        if worker.is_idle() && !worker.next_stage(engine, now) {
            break EndReason::WorkDone;
        }
        let wake = worker.timers.next().min(recorder.next_edge()).min(until);
        let failed = engine.wait(wake, &mut done).err();
        now = engine.now();
        worker.complete(engine, &mut recorder, &done, now);
        done.clear();
        if failed.is_some() {
            error = failed;
            break EndReason::Failed;
        }
        if engine.stopped() {
            break EndReason::Stopped;
        }
        while let Some(queue) = worker.timers.pop_due(now) {
            worker.wake(engine, queue, now);
        }
        if recorder.is_due(now) {
            if report(&mut recorder, now, watch) == Flow::Stop {
                break EndReason::Stopped;
            }
            look(&recorder, engine, now);
        }
    };
    for (cell, count) in worker.never_issued(now) {
        recorder.never_issued(cell, count);
    }
    // A real clock has gone on by the time that is noticed: the run ends when it was to end.
    Part { at: now.min(until), reason, error, recorder, outstanding: worker.left_over() }
}

/// Passes every interval that has ended to the caller's callback.
#[inline(never)]
fn report(recorder: &mut Recorder, now: Instant, watch: &mut impl FnMut(Tick) -> Flow) -> Flow {
    while let Some(tick) = recorder.advance(now) {
        if watch(tick) == Flow::Stop {
            return Flow::Stop;
        }
    }
    Flow::Continue
}
