//! A workload on a stack in virtual time.

use iobound_drive::{
    Clock, Crew, Done, EndReason, Engine, EngineError, Flow, Modelled, VirtualClock, Window, layout_of, run,
};
use iobound_measure::confidence::BatchMeans;
use iobound_measure::{Interval, Measured, Phase, Recorder};
use iobound_model::{
    Blueprint, CacheId, CacheState as CacheCounters, Change, Dimension, DiskId, DiskState, GateId, GateState,
    Stack, Start, StartCredits,
};
use iobound_units::{Bytes, Instant, Io, Ppm, Span, Tag};
use iobound_workload::{Target, Workload};

use crate::burst::Levels;
use crate::prediction::PredictError;
use crate::question::CacheState;
use crate::warm;

/// How long a simulation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Until the mean is known to 1 %, for at most this many I/Os: figures that last, whatever the workload's own
    /// times.
    Settle {
        /// The bound.
        most_ios: u64,
        /// How long the stack is given to settle before anything is counted.
        warmup: Span,
    },
    /// As long as the workload says.
    Full,
}

/// What a simulation gave. Counters are of the counted time.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// What the recorder saw.
    pub measured: Measured,
    /// By gate.
    pub gates: Vec<GateState>,
    /// By cache.
    pub caches: Vec<CacheCounters>,
    /// By disk.
    pub disks: Vec<DiskState>,
    /// Why it ended.
    pub reason: EndReason,
}

impl Simulated {
    /// Completed reads and writes a second.
    pub fn iops(&self) -> f64 {
        let count: u64 =
            self.measured.jobs.iter().map(|job| job.by_op[0].count() + job.by_op[1].count()).sum();
        count as f64 / self.measured.window().secs_f64()
    }

    /// Bytes a second.
    pub fn throughput_bytes_per_s(&self) -> f64 {
        let bytes: u64 = self.measured.jobs.iter().map(|job| job.by_op[0].bytes + job.by_op[1].bytes).sum();
        bytes as f64 / self.measured.window().secs_f64()
    }

    /// The share of reads that the caches held; `None` without cached reads.
    pub fn hit_rate(&self) -> Option<f64> {
        let hits: u64 = self.caches.iter().map(|cache| cache.hits).sum();
        let misses: u64 = self.caches.iter().map(|cache| cache.misses).sum();
        (hits + misses > 0).then(|| hits as f64 / (hits + misses) as f64)
    }
}

/// Counters at one time.
#[derive(Clone, Debug)]
struct Counters {
    gates: Vec<GateState>,
    caches: Vec<CacheCounters>,
    disks: Vec<DiskState>,
}

/// The simulator, which remembers its counters as of the start of the counting.
struct Probed<C> {
    inner: Modelled<C>,
    start: Instant,
    at_start: Option<Counters>,
    sizes: (usize, usize, usize),
}

impl<C: Clock> Probed<C> {
    fn counters(&mut self) -> Counters {
        let (gates, caches, disks) = self.sizes;
        let stack = self.inner.stack();
        Counters {
            gates: (0..gates).map(|id| stack.gate(GateId(id as u16))).collect(),
            caches: (0..caches).map(|id| stack.cache(CacheId(id as u16))).collect(),
            disks: (0..disks).map(|id| stack.disk(DiskId(id as u16))).collect(),
        }
    }
}

impl<C: Clock> Engine for Probed<C> {
    #[inline]
    fn now(&mut self) -> Instant {
        let now = self.inner.now();
        if now >= self.start && self.at_start.is_none() {
            self.at_start = Some(self.counters());
        }
        now
    }

    #[inline]
    fn submit(&mut self, tag: Tag, io: Io) {
        self.inner.submit(tag, io);
    }

    #[inline]
    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        self.inner.wait(until, done)
    }
}

/// Everything a simulation needs.
pub(crate) struct Setup<'a> {
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) workload: &'a Workload,
    pub(crate) targets: &'a [Target],
    pub(crate) cache: CacheState,
    /// I/Os of the first run, for a second one.
    pub(crate) first_run: u64,
    pub(crate) levels: &'a Levels,
    pub(crate) effort: Effort,
    pub(crate) seed: u64,
}

/// Simulates a workload on a blueprint in the given state. `watch` sees every interval of a full run.
pub fn simulate(
    setup_of: &crate::question::Question<'_>,
    blueprint: &Blueprint,
    effort: Effort,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Simulated, PredictError> {
    simulate_on(VirtualClock::default(), setup_of, blueprint, effort, watch)
}

/// As [`simulate`], on a clock of the caller's: a real one makes it the model in real time. The clock is first
/// read when the stack is ready, and shall begin at zero then.
pub fn simulate_on<C: Clock>(
    clock: C,
    setup_of: &crate::question::Question<'_>,
    blueprint: &Blueprint,
    effort: Effort,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Simulated, PredictError> {
    let targets = crate::targets::targets_of(setup_of.resolved);
    let levels = crate::prediction::levels_of(setup_of, blueprint, &targets)?;
    let first_run = match setup_of.cache {
        CacheState::SecondRun => crate::prediction::first_run_ios(setup_of, blueprint, &targets)?,
        _ => 0,
    };
    let setup = Setup {
        blueprint,
        workload: setup_of.workload,
        targets: &targets,
        cache: setup_of.cache,
        first_run,
        levels: &levels,
        effort,
        seed: setup_of.workload.seed,
    };
    simulate_setup_on(clock, &setup, watch)
}

/// An hour: longer than any settling.
const LONGEST_SETTLING: Span = Span::from_secs(3_600);
/// An interval of a settling run: a slice of the premium gates, so that its count does not depend on their phase.
const SETTLING_INTERVAL: Span = Span::from_ms(50);
/// Fewer I/Os than this support no 99th percentile worth printing.
const LEAST_IOS: u64 = 20_000;
/// Quota that a gate carries over takes this long to even out.
const SHORTEST: Span = Span::from_secs(1);
/// Slow disks do not do that many; this long is enough for their mean.
const LEAST_TIME: Span = Span::from_secs(40);

pub(crate) fn simulate_setup(
    setup: &Setup<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Simulated, PredictError> {
    simulate_setup_on(VirtualClock::default(), setup, watch)
}

fn simulate_setup_on<C: Clock>(
    clock: C,
    setup: &Setup<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Simulated, PredictError> {
    let mut workload = setup.workload.clone();
    let mut blueprint = setup.blueprint.clone();
    if let Effort::Settle { warmup, .. } = setup.effort {
        (workload.warmup, workload.duration, workload.cooldown) = (warmup, LONGEST_SETTLING, Span::ZERO);
        for job in &mut workload.jobs {
            (job.stop_after, job.runtime, job.start_after) = (None, None, Span::ZERO);
        }
        shorten_dirty_cycles(&mut blueprint);
    }
    let lanes = workload.lanes(setup.targets)?;
    warm::set_lines(&mut blueprint, &workload, &lanes);
    if let Some(by) = warm::scale(&blueprint, &lanes, setup.cache) {
        let small = warm::scaled_workload(&workload, &lanes, by);
        let small_lanes = small.lanes(setup.targets)?;
        for id in 0..blueprint.caches.len() {
            let (whole, part) = ((&workload, lanes.as_slice()), (&small, small_lanes.as_slice()));
            blueprint.caches[id].capacity = warm::equivalent_capacity(&blueprint, id, whole, part);
        }
        workload = small;
    }
    let lanes = workload.lanes(setup.targets)?;
    trim_to_working_set(&mut blueprint, &lanes);
    let window = Window::of(&workload, Instant::ZERO);
    let mut crew = Crew::of_lanes(&workload, lanes.clone(), window)?;
    let start = Start { seed: setup.seed, credits: StartCredits::Spent };
    let mut stack = Stack::new(&blueprint, &start, crew.capacity()).map_err(PredictError::Blueprint)?;
    for (gate, levels) in setup.levels.iter().enumerate() {
        for dimension in Dimension::ALL {
            if let Some(level) = levels[dimension as usize] {
                let change = Change::Credits(GateId(gate as u16), dimension, level as u64);
                stack.change(Instant::ZERO, change).map_err(PredictError::Blueprint)?;
            }
        }
    }
    warm::fill(&mut stack, &blueprint, &workload, &lanes, setup.cache, setup.first_run);
    let interval = match setup.effort {
        Effort::Settle { .. } => SETTLING_INTERVAL,
        Effort::Full => Span::from_secs(1),
    };
    let recorder = Recorder::new(layout_of(&workload, &lanes, setup.targets, window, interval));
    let mut engine = Probed {
        inner: Modelled::new(stack, clock),
        start: window.start,
        at_start: None,
        sizes: (blueprint.gates.len(), blueprint.caches.len(), blueprint.disks.len()),
    };
    let mut settling = Settling::new(setup.effort, window.start);
    let end = run(&mut crew, &mut engine, recorder, &mut |interval| match setup.effort {
        Effort::Settle { .. } => settling.take(&interval),
        Effort::Full => watch(&interval),
    })
    .map_err(PredictError::Engine)?;
    let last = engine.counters();
    let first = engine.at_start.unwrap_or_else(|| last.clone());
    Ok(Simulated {
        measured: end.measured,
        gates: last
            .gates
            .iter()
            .zip(&first.gates)
            .map(|(last, first)| gate_difference(last, first))
            .collect(),
        caches: last
            .caches
            .iter()
            .zip(&first.caches)
            .map(|(last, first)| cache_difference(last, first))
            .collect(),
        disks: last
            .disks
            .iter()
            .zip(&first.disks)
            .map(|(last, first)| DiskState { ios: last.ios - first.ios, bytes: last.bytes - first.bytes })
            .collect(),
        reason: end.reason,
    })
}

/// Decides when the mean is known well enough.
struct Settling {
    means: BatchMeans,
    ios: u64,
    most_ios: u64,
    start: Instant,
}

impl Settling {
    fn new(effort: Effort, start: Instant) -> Settling {
        let most_ios = match effort {
            Effort::Settle { most_ios, .. } => most_ios,
            Effort::Full => u64::MAX,
        };
        Settling { means: BatchMeans::new(), ios: 0, most_ios, start }
    }

    fn take(&mut self, interval: &Interval) -> Flow {
        if interval.phase != Phase::Counted {
            return Flow::Continue;
        }
        self.ios += interval.count();
        self.means.push(interval.count());
        let counted = interval.end.since(self.start);
        let enough =
            counted >= SHORTEST && (self.ios >= LEAST_IOS.min(self.most_ios) || counted >= LEAST_TIME);
        let known = enough && self.means.has_settled(Ppm(10_000));
        if known || self.ios >= self.most_ios { Flow::Stop } else { Flow::Continue }
    }
}

/// A cache that acknowledges writes fills with dirty data, stalls, drains, and begins again. The mean of a cycle
/// does not depend on its length: the media's. So a figure that lasts is taken over short cycles, of which even a
/// run for an end of the band holds several.
fn shorten_dirty_cycles(blueprint: &mut Blueprint) {
    const SHORT: u64 = 4 << 20;
    for cache in &mut blueprint.caches {
        if cache.dirty_high.get() > SHORT {
            let by = cache.dirty_high.get().div_ceil(SHORT);
            cache.dirty_high = Bytes(cache.dirty_high.get() / by);
            cache.dirty_low = Bytes(cache.dirty_low.get() / by);
        }
    }
}

/// Disks no larger than what is used of them, so that the caches' tables are no larger either. Not where fewer
/// columns than disks make a disk's size part of the layout.
fn trim_to_working_set(blueprint: &mut Blueprint, lanes: &[iobound_workload::Lane]) {
    if blueprint.caches.is_empty() {
        return;
    }
    for (index, volume) in blueprint.volumes.iter_mut().enumerate() {
        if usize::from(volume.columns) != volume.disks.len() {
            continue;
        }
        let extents = lanes.iter().flat_map(|lane| &lane.extents);
        let ends = extents.filter(|e| usize::from(e.target.0) == index).map(|e| e.start + e.len);
        let used = ends.max().unwrap_or(0) + volume.partition_offset.get();
        let row = volume.interleave.get() * u64::from(volume.columns);
        let each = used.div_ceil(row) * volume.interleave.get();
        for disk in &volume.disks {
            let disk = &mut blueprint.disks[usize::from(disk.0)];
            let least = if volume.disks.len() == 1 { used } else { each };
            disk.size = Bytes(disk.size.get().min(least.max(1 << 20)));
        }
        // The volume ends where its disks do now.
        let disks = volume.disks.iter().map(|id| blueprint.disks[usize::from(id.0)].size.get());
        let room = disks.sum::<u64>() - volume.partition_offset.get();
        volume.size = Bytes(volume.size.get().min(room));
    }
}

fn gate_difference(last: &GateState, first: &GateState) -> GateState {
    GateState {
        units: last.units - first.units,
        bytes: last.bytes - first.bytes,
        held_ns: [last.held_ns[0] - first.held_ns[0], last.held_ns[1] - first.held_ns[1]],
        credits: last.credits,
        waiting: last.waiting,
    }
}

fn cache_difference(last: &CacheCounters, first: &CacheCounters) -> CacheCounters {
    CacheCounters {
        hits: last.hits - first.hits,
        misses: last.misses - first.misses,
        dirty_bytes: last.dirty_bytes,
        held_ns: last.held_ns - first.held_ns,
        written_back: last.written_back - first.written_back,
    }
}
