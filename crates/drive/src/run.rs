use iobound_measure::{Interval, Measured, Recorder};
use iobound_units::Instant;

use crate::crew::Crew;
use crate::engine::{Done, Engine, EngineError};

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Continue,
    /// It ends now, with what was done.
    Stop,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct End {
    /// When.
    pub at: Instant,
    /// Why.
    pub reason: EndReason,
    /// All that was recorded, unfinished I/Os counted.
    pub measured: Measured,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Its time was up.
    Time,
    /// Every job had moved what it was to move.
    WorkDone,
    /// Whoever watched wanted it.
    Stopped,
}

/// Issues a crew's I/Os to an engine and records what completes, until the crew's window is over, its work is
/// done, or `watch` stops it at the end of an interval.
///
/// The loop refills only what completed, then records. It allocates nothing after the start, takes no lock, and
/// asks the engine for the time once before and once after each wait.
///
/// # Errors
/// The engine can't go on; what was recorded until then is lost.
pub fn run<E: Engine>(
    crew: &mut Crew,
    engine: &mut E,
    mut recorder: Recorder,
    watch: &mut impl FnMut(&Interval) -> Flow,
) -> Result<End, EngineError> {
    let until = crew.window().until;
    let mut done: Vec<Done> = Vec::with_capacity(crew.capacity().max(1));
    let mut now = engine.now();
    crew.begin_stage(engine, now);
    let reason = loop {
        if now >= until {
            break EndReason::Time;
        }
        if crew.is_idle() && !crew.next_stage(engine, now) {
            break EndReason::WorkDone;
        }
        let wake = crew.timers.next().min(recorder.next_edge()).min(until);
        engine.wait(wake, &mut done)?;
        now = engine.now();
        for completion in done.drain(..) {
            crew.complete(engine, &mut recorder, completion, now);
        }
        while let Some(lane) = crew.timers.pop_due(now) {
            crew.wake(engine, lane, now);
        }
        if now >= recorder.next_edge() && report(&mut recorder, now, watch) == Flow::Stop {
            break EndReason::Stopped;
        }
    };
    for (cell, count) in crew.never_issued(now) {
        recorder.never_issued(cell, count);
    }
    let measured = recorder.finish(now, &crew.left_over());
    Ok(End { at: now, reason, measured })
}

/// Hands every interval that has ended to whoever watches.
#[inline(never)]
fn report(recorder: &mut Recorder, now: Instant, watch: &mut impl FnMut(&Interval) -> Flow) -> Flow {
    while let Some(interval) = recorder.advance(now) {
        if watch(interval) == Flow::Stop {
            return Flow::Stop;
        }
    }
    Flow::Continue
}
