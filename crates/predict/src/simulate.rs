//! A workload on a stack in virtual time.

use iobound_drive::{
    Clock, Done, EndReason, Engine, EngineError, Flow, MOST_OUTSTANDING, Modelled, VirtualClock, Window,
    Worker, WorkerError, layout_by_job, layout_of, run,
};
use iobound_measure::confidence::BatchMeans;
use iobound_measure::{Interval, Measured, Phase, Recorder};
use iobound_model::{
    Blueprint, CacheId, CacheState as CacheCounters, Change, Credits, Dimension, DiskId, DiskState,
    LimiterId, LimiterState, Stack, Stalls, Start, StartCredits,
};
use iobound_units::{Bytes, Instant, Io, Ppm, Span, Tag};
use iobound_workload::{Target, Workload};

use crate::burst::Levels;
use crate::error::PredictError;
use crate::scene::Scene;
use crate::{similar, warm};

/// Time that a simulation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Until the mean is known, for at most this many I/Os: figures that last, whatever the workload's own times.
    Settle {
        /// The bound.
        most_ios: u64,
        /// Half of the mean's confidence interval (95 %), as a share of it.
        within: Ppm,
        /// Time that the stack is given to settle before anything is counted.
        warmup: Span,
    },
    /// For so long: a part of a run, in which the caches change little.
    For {
        /// Before anything is counted.
        warmup: Span,
        /// While counting is on.
        counted: Span,
    },
    /// As long as the workload says.
    Full,
}

/// Result of a simulation. Counters are of the counted time.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The recorder's figures.
    pub measured: Measured,
    /// By limiter.
    pub limiters: Vec<LimiterState>,
    /// By limiter: true if an I/O waited there at any time, the warm-up included.
    pub waited: Vec<bool>,
    /// By cache.
    pub caches: Vec<CacheCounters>,
    /// By disk.
    pub disks: Vec<DiskState>,
    /// Reason why it ended.
    pub reason: EndReason,
    /// Number of I/Os that each one that the recorder saw stands for; the other counters have all of them.
    pub stands_for: u64,
}

impl Simulated {
    /// Completed reads and writes.
    pub fn ios(&self) -> u64 {
        let jobs = self.measured.jobs.iter();
        jobs.map(|job| job.by_op[0].count() + job.by_op[1].count()).sum::<u64>() * self.stands_for
    }

    /// Completed reads and writes a second.
    pub fn iops(&self) -> f64 {
        self.ios() as f64 / self.measured.window().secs_f64()
    }

    /// Bytes a second.
    pub fn throughput_bytes_per_s(&self) -> f64 {
        let bytes: u64 = self.measured.jobs.iter().map(|job| job.by_op[0].bytes + job.by_op[1].bytes).sum();
        (bytes * self.stands_for) as f64 / self.measured.window().secs_f64()
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
    limiters: Vec<LimiterState>,
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
        let (limiters, caches, disks) = self.sizes;
        let stack = self.inner.stack();
        Counters {
            limiters: (0..limiters).map(|id| stack.limiter(LimiterId(id as u16))).collect(),
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

/// Bounds what is simulated, whatever each simulated I/O stands for.
pub(crate) fn check_outstanding(depth: u64) -> Result<(), PredictError> {
    if depth > MOST_OUTSTANDING {
        return Err(WorkerError::TooDeep { depth, most: MOST_OUTSTANDING }.into());
    }
    Ok(())
}

/// Everything a simulation needs.
pub(crate) struct Setup<'a> {
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) workload: &'a Workload,
    pub(crate) targets: &'a [Target],
    pub(crate) scene: &'a Scene,
    /// The workload's first I/Os, that the run passes over.
    pub(crate) passed: u64,
    pub(crate) levels: &'a Levels,
    /// Content of token buckets at the start; burst credits are as `levels` says.
    pub(crate) start: StartCredits,
    /// Limiters that stall.
    pub(crate) stalls: &'a [(LimiterId, Stalls)],
    pub(crate) effort: Effort,
}

/// An hour: longer than any settling.
const LONGEST_SETTLING: Span = Span::from_secs(3_600);
/// An interval of a settling run: a slice of the premium limiters, so that its count does not depend on their phase.
pub(crate) const SETTLING_INTERVAL: Span = Span::from_ms(50);
/// The mean of an end of a band, or of a step on the way to a figure, is known to 1 %.
pub const ROUGHLY: Ppm = Ppm(10_000);
/// An expected mean is known to 0.5 %: two seeds differ by more than 1.5 % in one of tens of thousands of questions.
pub(crate) const EXACTLY: Ppm = Ppm(5_000);
/// Fewer I/Os than this support no 99th percentile worth printing.
const LEAST_IOS: u64 = 20_000;
/// Quota that a limiter carries over takes this long to even out.
const SHORTEST: Span = Span::from_secs(1);
/// Slow disks do not do that many; this long is enough for their mean.
const LEAST_TIME: Span = Span::from_secs(40);

/// Gives the limiters what is left of their credits.
pub(crate) fn set_credits(stack: &mut Stack, levels: &Levels) -> Result<(), PredictError> {
    for (limiter, levels) in levels.iter().enumerate() {
        for dimension in Dimension::ALL {
            if let Some(level) = levels[dimension as usize] {
                let change = Change::Credits(LimiterId(limiter as u16), dimension, level as u64);
                stack.change(Instant::ZERO, change).map_err(PredictError::Blueprint)?;
            }
        }
    }
    Ok(())
}

/// A burst that is over sooner may end while the mean is looked for.
const SHORT_BURST: f64 = 60.0;

/// Credits with which a short burst lasts: a simulation until the mean is known shows the limits that are in force at its start.
fn lasting(blueprint: &mut Blueprint, levels: &Levels) -> Levels {
    let mut levels = levels.clone();
    for (limiter, levels) in blueprint.limiters.iter_mut().zip(&mut levels) {
        let Some(Credits { ios, bytes }) = &mut limiter.credits else { continue };
        for (credit, level) in [ios, bytes].into_iter().zip(levels) {
            let (Some(credit), Some(level)) = (credit, level) else { continue };
            if *level > 0.0 && *level < SHORT_BURST * credit.burst as f64 {
                credit.capacity = credit.burst.saturating_mul(LONGEST_SETTLING.ns() / 1_000_000_000);
                *level = credit.capacity as f64;
            }
        }
    }
    levels
}

pub(crate) fn simulate_setup(
    setup: &Setup<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Simulated, PredictError> {
    simulate_setup_on(VirtualClock::default(), setup, watch)
}

pub(crate) fn simulate_setup_on<C: Clock>(
    clock: C,
    setup: &Setup<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Simulated, PredictError> {
    let mut workload = setup.workload.clone();
    let mut blueprint = setup.blueprint.clone();
    let times = match setup.effort {
        Effort::Settle { warmup, .. } => Some((warmup, LONGEST_SETTLING)),
        Effort::For { warmup, counted } => Some((warmup, counted)),
        Effort::Full => None,
    };
    if let Some((warmup, counted)) = times {
        (workload.warmup, workload.duration, workload.cooldown) = (warmup, counted, Span::ZERO);
        for job in &mut workload.jobs {
            (job.stop_after, job.runtime, job.start_after) = (None, None, Span::ZERO);
        }
        shorten_dirty_cycles(&mut blueprint, &workload);
    }
    let levels = match setup.effort {
        Effort::Settle { .. } => lasting(&mut blueprint, setup.levels),
        Effort::For { .. } | Effort::Full => setup.levels.clone(),
    };
    setup.scene.set(&mut workload, &mut blueprint);
    let mut stands_for = 1;
    if times.is_some() {
        let outstanding = workload.queues(setup.targets)?.iter().map(|queue| u64::from(queue.depth)).sum();
        check_outstanding(outstanding)?;
        stands_for = similar::stands_for(&blueprint, &workload, outstanding);
        similar::divide(&mut blueprint, &mut workload, stands_for);
    }
    let queues = workload.queues(setup.targets)?;
    let window = Window::of(&workload, Instant::ZERO);
    let interval = match setup.effort {
        Effort::Settle { .. } | Effort::For { .. } => SETTLING_INTERVAL,
        Effort::Full => Span::from_secs(1),
    };
    let mut worker = Worker::of_queues(&workload, queues.clone(), window)?;
    let layout = match setup.effort {
        Effort::Full => layout_of(&workload, &queues, setup.targets, window, interval),
        // Nobody looks at single threads of a simulation without a length of its own, and there may be 65,535 of them.
        Effort::Settle { .. } | Effort::For { .. } => {
            worker.count_by_job();
            layout_by_job(&workload, &queues, setup.targets, window, interval)
        }
    };
    worker.pass_over(&warm::ios_by_queue(&queues, setup.passed));
    let start = Start { seed: workload.seed, credits: setup.start };
    let mut stack = Stack::new(&blueprint, &start, worker.capacity()).map_err(PredictError::Blueprint)?;
    set_credits(&mut stack, &levels)?;
    for (limiter, stalls) in setup.stalls {
        let change = Change::Stalls(*limiter, Some(*stalls));
        stack.change(Instant::ZERO, change).map_err(PredictError::Blueprint)?;
    }
    setup.scene.fill(&mut stack);
    let recorder = Recorder::new(layout);
    let mut engine = Probed {
        inner: Modelled::new(stack, clock),
        start: window.start,
        at_start: None,
        sizes: (blueprint.limiters.len(), blueprint.caches.len(), blueprint.disks.len()),
    };
    let mut settling = Settling::new(setup.effort, window.start);
    let mut unwanted = false;
    let end = run(&mut worker, &mut engine, recorder, &mut |tick| {
        unwanted = watch(&tick) == Flow::Stop;
        if unwanted { Flow::Stop } else { settling.take(&tick) }
    })
    .map_err(PredictError::Engine)?;
    if unwanted && setup.effort != Effort::Full {
        // A figure that lasts is known when it has settled, and not before.
        return Err(PredictError::Interrupted);
    }
    let last = engine.counters();
    let first = engine.at_start.unwrap_or_else(|| last.clone());
    Ok(Simulated {
        measured: end.measured,
        waited: last.limiters.iter().map(|state| state.held_ns != [0; 2] || state.waiting > 0).collect(),
        limiters: differences(&last.limiters, &first.limiters, |last, first| {
            limiter_difference(last, first, stands_for)
        }),
        caches: differences(&last.caches, &first.caches, |last, first| {
            cache_difference(last, first, stands_for)
        }),
        disks: differences(&last.disks, &first.disks, |last, first| DiskState {
            ios: (last.ios - first.ios) * stands_for,
            bytes: (last.bytes - first.bytes) * stands_for,
        }),
        reason: end.reason,
        stands_for,
    })
}

fn differences<T>(last: &[T], first: &[T], of: impl Fn(&T, &T) -> T) -> Vec<T> {
    last.iter().zip(first).map(|(last, first)| of(last, first)).collect()
}

/// Decides when the mean is known well enough; a run of a length of its own goes on to its end.
struct Settling {
    means: BatchMeans,
    ios: u64,
    most_ios: Option<u64>,
    within: Ppm,
    start: Instant,
}

impl Settling {
    fn new(effort: Effort, start: Instant) -> Settling {
        let (most_ios, within) = match effort {
            Effort::Settle { most_ios, within, .. } => (Some(most_ios), within),
            Effort::For { .. } | Effort::Full => (None, ROUGHLY),
        };
        Settling { means: BatchMeans::new(), ios: 0, most_ios, within, start }
    }

    fn take(&mut self, interval: &Interval) -> Flow {
        let Some(most_ios) = self.most_ios.filter(|_| interval.phase == Phase::Counted) else {
            return Flow::Continue;
        };
        self.ios += interval.count();
        self.means.push(interval.count());
        let counted = interval.end.since(self.start);
        let enough = counted >= SHORTEST && (self.ios >= LEAST_IOS.min(most_ios) || counted >= LEAST_TIME);
        let known = enough && self.means.has_settled(self.within);
        if known || self.ios >= most_ios { Flow::Stop } else { Flow::Continue }
    }
}

/// A cache that acknowledges writes fills with dirty data, stalls, drains, and begins again. The mean of a cycle
/// does not depend on its length: the media's. So a figure that lasts is taken over short cycles, of which even a
/// run for an end of the band holds several.
fn shorten_dirty_cycles(blueprint: &mut Blueprint, workload: &Workload) {
    const SHORT: u64 = 1 << 20;
    const LEAST_BLOCKS: u64 = 64;
    let blocks = workload.jobs.iter().flat_map(|job| &job.mix).map(|share| u64::from(share.block));
    let short = SHORT.max(LEAST_BLOCKS * blocks.max().unwrap_or(0));
    for cache in &mut blueprint.caches {
        if cache.dirty_high.get() > short {
            let by = cache.dirty_high.get().div_ceil(short);
            cache.dirty_high = Bytes(cache.dirty_high.get() / by);
            cache.dirty_low = Bytes(cache.dirty_low.get() / by);
        }
    }
}

fn limiter_difference(last: &LimiterState, first: &LimiterState, times: u64) -> LimiterState {
    LimiterState {
        units: (last.units - first.units) * times,
        bytes: (last.bytes - first.bytes) * times,
        held_ns: [0, 1].map(|d| (last.held_ns[d] - first.held_ns[d]) * times),
        credits: last.credits,
        waiting: last.waiting,
    }
}

fn cache_difference(last: &CacheCounters, first: &CacheCounters, times: u64) -> CacheCounters {
    CacheCounters {
        hits: (last.hits - first.hits) * times,
        misses: (last.misses - first.misses) * times,
        dirty_bytes: last.dirty_bytes,
        held_ns: (last.held_ns - first.held_ns) * times,
        written_back: (last.written_back - first.written_back) * times,
    }
}
