//! A trace that is replayed as a part of a run: a recorder counts what completes, and intervals end as in any run.

use iobound_measure::{CellId, Completion, Histogram, Outstanding, Recorder, Tick};
use iobound_trace::Source;
use iobound_units::{Instant, Ppm, Span, TargetId};

use crate::engine::{Engine, EngineError};
use crate::replay::{ReplayCounts, ReplayError, ReplayMode, ReplayTarget, ReplayWatcher, ReplayedIo, replay};
use crate::run::{EndReason, Flow, Part};
use crate::worker::Worker;

/// A trace and the way in which it is replayed.
pub struct TraceInput<'a> {
    /// The records.
    pub source: &'a mut dyn Source,
    /// Rule by which I/Os are issued.
    pub mode: ReplayMode,
    /// Factor on the recorded speed.
    pub speed: Ppm,
    /// The target of a device.
    pub target: &'a mut dyn FnMut(&str) -> ReplayTarget,
}

/// Result of a part that replayed a trace.
pub struct ReplayPart {
    /// The part, as of any run.
    pub part: Part,
    /// I/Os that were not issued as recorded; `None` if the replay failed.
    pub counts: Option<ReplayCounts>,
    /// Delay in ns from the time at which an I/O could have been issued to its issue.
    pub late: Histogram,
    /// Recorded latencies in ns of the reads and writes that completed.
    pub recorded: Histogram,
}

struct Recording<'a, W, L> {
    recorder: Recorder,
    /// By target id.
    cells: Vec<Option<CellId>>,
    until: Instant,
    target: &'a mut dyn FnMut(&str) -> ReplayTarget,
    watch: &'a mut W,
    look: &'a mut L,
    reason: EndReason,
    outstanding: Vec<Outstanding>,
    late: Histogram,
    recorded: Histogram,
}

impl<W, L> Recording<'_, W, L> {
    fn cell(&self, target: TargetId) -> CellId {
        self.cells[usize::from(target.0)].expect("the trace goes to targets of the worker")
    }
}

impl<E: Engine, W: FnMut(Tick) -> Flow, L: FnMut(&Recorder, &E, Instant)> ReplayWatcher<E>
    for Recording<'_, W, L>
{
    fn target(&mut self, device: &str) -> ReplayTarget {
        (self.target)(device)
    }

    fn completed(&mut self, io: &ReplayedIo) -> Flow {
        let ReplayedIo { intended, issued, target, completed, len, op, recorded_ns, ok } = *io;
        let cell = self.cell(target);
        self.recorder.record_alike(Completion { issued, completed, intended, cell, len, op, ok }, 1);
        if let Some(ns) = recorded_ns.filter(|_| op.moves_data()) {
            self.recorded.record(ns);
        }
        Flow::Continue
    }

    fn window(&mut self, engine: &mut E, _: Instant, to: Instant, _: usize) -> (Flow, Span) {
        while let Some(tick) = self.recorder.advance(to) {
            if (self.watch)(tick) == Flow::Stop {
                return (Flow::Stop, Span::ZERO);
            }
        }
        (self.look)(&self.recorder, engine, to);
        if to >= self.until {
            self.reason = EndReason::Time;
            return (Flow::Stop, Span::ZERO);
        }
        (Flow::Continue, self.recorder.next_edge().min(self.until).since(to))
    }

    // The owner of a run sees each interval at its end, whether anything happened or not.
    const KEEPS_IDLE: bool = true;

    fn first_end(&self, _: Instant) -> Instant {
        self.recorder.next_edge().min(self.until)
    }

    fn issued(&mut self, late: Span) {
        self.late.record(late.ns());
    }

    fn left(&mut self, target: TargetId, issued: Instant) {
        self.outstanding.push(Outstanding { cell: self.cell(target), issued });
    }
}

/// Replays a trace as the part of a worker of one queue, whose depth is the most outstanding I/Os, until the trace or the worker's
/// window is over, or `watch` stops it. `watch` and `look` are as in [`crate::run_part`].
pub fn replay_part<E: Engine>(
    worker: &Worker,
    engine: &mut E,
    recorder: Recorder,
    trace: TraceInput<'_>,
    watch: &mut impl FnMut(Tick) -> Flow,
    look: &mut impl FnMut(&Recorder, &E, Instant),
) -> ReplayPart {
    let TraceInput { source, mode, speed, target } = trace;
    let mut cells = Vec::new();
    for (number, target) in worker.queues().flat_map(|queue| queue.targets()).enumerate() {
        let at = usize::from(target.0);
        cells.resize(cells.len().max(at + 1), None);
        cells[at].get_or_insert(CellId(number as u32));
    }
    let until = worker.window().until;
    let mut recording = Recording {
        recorder,
        cells,
        until,
        target,
        watch,
        look,
        reason: EndReason::Stopped,
        outstanding: Vec::new(),
        late: Histogram::new(),
        recorded: Histogram::new(),
    };
    let tags = u32::try_from(worker.capacity().max(1)).unwrap_or(u32::MAX);
    let replayed = replay(engine, source, mode, speed, tags, &mut recording);
    let at = engine.now().min(until);
    let Recording { recorder, reason, outstanding, late, recorded, .. } = recording;
    let (reason, error, counts) = match replayed {
        Ok(counts) if counts.complete => (EndReason::WorkDone, None, Some(counts)),
        Ok(counts) => (reason, None, Some(counts)),
        Err(ReplayError::Engine(error)) => (EndReason::Failed, Some(error), None),
        Err(other) => (EndReason::Failed, Some(EngineError { why: other.to_string() }), None),
    };
    ReplayPart { part: Part { at, reason, error, recorder, outstanding }, counts, late, recorded }
}
