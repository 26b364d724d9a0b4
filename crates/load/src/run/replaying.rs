//! Jobs that replay a trace: the records, their targets, and what became of them.

use std::fmt;
use std::sync::Arc;

use iobound_drive::{ReplayCounts, ReplayMode, ReplayTarget};
use iobound_measure::Histogram;
use iobound_trace::{Source, TraceError};
use iobound_units::{Ppm, Span};
use iobound_workload::{Load, Target, Workload};

use crate::engine::Targets;

/// Opens the records from their beginning; each thread reads its own.
pub type OpenSource = Box<dyn Fn() -> Result<Box<dyn Source>, TraceError> + Send + Sync>;

/// A trace that a job replays.
pub struct TraceReplay {
    /// The name of the job, which has threads of one queue each, as open loops. Their depth is the most outstanding I/Os, and
    /// the largest block of their mix is the longest read or write.
    pub job: String,
    /// True if nobody asked for that depth, so that it may be lowered to what the engine takes.
    pub lowers_depth: bool,
    /// The records.
    pub open: OpenSource,
    /// Rule by which I/Os are issued.
    pub mode: ReplayMode,
    /// Factor on the recorded speed.
    pub speed: Ppm,
    /// The targets of the devices. Others go to the first target.
    pub places: Vec<TracePlace>,
    /// Offsets are rounded down to multiples of this power of two, or of what a target takes if that is more.
    pub align: u32,
    /// Time from the first recorded issue to the last, at this speed.
    pub lasts: Span,
}

/// The target of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePlace {
    /// Device of the trace.
    pub device: String,
    /// Name of the target.
    pub target: String,
    /// First byte behind all I/Os of the device: offsets are scaled where the target is smaller. `None`: they are wrapped.
    pub scaled_from: Option<u64>,
    /// Divisor of all offsets.
    pub divisor: u64,
}

impl fmt::Debug for TraceReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, mode, speed, places, .. } = self;
        write!(f, "TraceReplay {{ job: {job}, mode: {mode:?}, speed: {speed:?}, places: {places:?} }}")
    }
}

impl TraceReplay {
    /// The target of a device among these, which are open. `longest` is the size of a buffer.
    pub(super) fn target(
        &self,
        device: &str,
        targets: &[Target],
        opened: &Targets,
        longest: u32,
    ) -> ReplayTarget {
        let place = self.places.iter().find(|place| place.device == device);
        let named = place.and_then(|place| targets.iter().find(|target| target.name == place.target));
        let target = named.unwrap_or(&targets[0]);
        let size = target.size.get();
        let direct = opened.is_direct(target.id);
        let takes = opened.files_of(target.id).iter().filter(|_| direct).map(|file| file.alignment.get());
        let align = takes.max().unwrap_or(512).max(512);
        let divisor = place.map_or(1, |place| place.divisor.max(1));
        let end = place.and_then(|place| place.scaled_from).map(|end| end / divisor);
        let ratio = match end.filter(|end| *end > size) {
            Some(end) => Some((size, end.saturating_mul(divisor))),
            None => (divisor > 1).then_some((1, divisor)),
        };
        let offset_align = align.max(u64::from(self.align));
        ReplayTarget { id: target.id, size, align: align as u32, offset_align, longest, ratio }
    }
}

/// Workloads whose replays have at most this many I/Os outstanding, unless someone asked for their depth.
pub fn lower_replays(workloads: &[Workload], traces: &[Arc<TraceReplay>], most: u64) -> Vec<Workload> {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    let mut lowered = workloads.to_vec();
    for job in lowered.iter_mut().flat_map(|workload| &mut workload.jobs) {
        let is_replay = traces.iter().any(|trace| trace.job == job.name && trace.lowers_depth);
        if let Load::Open { depth, .. } = &mut job.load
            && is_replay
        {
            *depth = (*depth).min(most);
        }
    }
    lowered
}

/// Outcome of a replay in one thread.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The thread.
    pub thread: u16,
    /// The name of its job.
    pub job: String,
    /// Rule by which I/Os were issued.
    pub mode: ReplayMode,
    /// Factor on the recorded speed.
    pub speed: Ppm,
    /// The most I/Os that could be outstanding.
    pub most_outstanding: u64,
    /// I/Os that were not issued as recorded; `None` if the replay failed.
    pub counts: Option<ReplayCounts>,
    /// Time from the first recorded issue to the last, at the replay's speed.
    pub lasts: Span,
    /// Recorded latencies in ns of the reads and writes that completed.
    pub recorded: Histogram,
}

#[cfg(test)]
mod tests {
    use iobound_trace::InMemory;
    use iobound_units::Rate;
    use iobound_workload::{Arrivals, Job};

    use super::*;

    #[test]
    fn replays_are_lowered_to_what_an_engine_takes_unless_their_depth_was_asked_for() {
        let job = |name: &str| {
            let mut job = Job::new(name);
            let rate = Rate::Ios { count: 1, per: Span::from_secs(1) };
            job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 16_384 };
            job
        };
        let trace = |name: &str, lowers_depth| {
            Arc::new(TraceReplay {
                job: name.into(),
                lowers_depth,
                open: Box::new(|| Ok(Box::new(InMemory::new(Vec::new(), Vec::new())))),
                mode: ReplayMode::Timed,
                speed: Ppm::ONE,
                places: Vec::new(),
                align: 1,
                lasts: Span::ZERO,
            })
        };
        let workload = Workload::new(vec![job("ours"), job("asked"), job("drawn")], Span::from_secs(1));
        let depths = |most| -> Vec<u32> {
            let traces = [trace("ours", true), trace("asked", false)];
            let lowered = lower_replays(std::slice::from_ref(&workload), &traces, most);
            lowered[0]
                .jobs
                .iter()
                .filter_map(|job| match job.load {
                    Load::Open { depth, .. } => Some(depth),
                    Load::Closed { .. } => None,
                })
                .collect()
        };
        assert_eq!(depths(1_024), [1_024, 16_384, 16_384]);
        assert_eq!(depths(u64::MAX), [16_384; 3]);
    }
}
