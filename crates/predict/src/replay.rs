//! A trace on a configuration: every I/O of it on the model, in virtual time.

use iobound_catalog::Resolved;
use iobound_drive::{
    Flow, Modelled, ReplayCounts, ReplayError, ReplayMode, ReplayTarget, ReplayWatcher, ReplayedIo,
    VirtualClock, replay,
};
use iobound_measure::Histogram;
use iobound_model::{
    CacheId, CacheState as CacheCounters, Dimension, LimiterId, LimiterState, Stack, Start, StartCredits,
};
use iobound_trace::Source;
use iobound_units::{Instant, Op, Ppm, Span, TargetId};

use crate::binding::Binding;
use crate::ceiling::enforced_limits;
use crate::error::PredictError;
use crate::targets::targets_of;
use crate::uses::{LimiterUse, PassedBy, uses_of};

/// The most outstanding I/Os of a replay, on volumes whose number of disks allows as many.
const TAGS: u32 = 1 << 16;
const SECOND: Span = Span::from_secs(1);
/// Completions after which a window that goes on is asked whether the replay does.
const ASKED_AFTER: u32 = 1 << 16;
/// Windows of a second; after them, each further 5,000 windows are twice as long as those before.
const SECONDS: usize = 10_000;
const FURTHER: usize = 5_000;

/// Question: a configuration, and the replay of a trace on it.
#[derive(Clone, Debug)]
pub struct ReplayQuestion<'a> {
    /// The configuration. Host caches are empty at the start.
    pub resolved: &'a Resolved,
    /// Rule by which I/Os are issued.
    pub mode: ReplayMode,
    /// Factor on the recorded speed.
    pub speed: Ppm,
    /// True if burst credits are full at the start; else they are spent. Token buckets are full.
    pub full_credits: bool,
    /// Draws the media's latencies.
    pub seed: u64,
    /// Volumes of devices, by name; other devices go to the volume of their own name, or to the first.
    pub map: &'a [(String, String)],
    /// Ends the replay once it can't be met.
    pub goal: Option<ReplayGoal>,
}

/// A latency that all but so many reads and writes have to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayGoal {
    /// No longer than this.
    pub most: Span,
    /// Reads and writes that may take longer.
    pub over: u64,
}

/// One window of a replay.
#[derive(Clone, Debug)]
pub struct ReplayPoint {
    /// Begin, from the start of the replay.
    pub from: Span,
    /// Length.
    pub length: Span,
    /// Latencies of the reads and writes that completed in it, in ns; their count is the reads and writes.
    pub latency: LatencySummary,
    /// Bytes of them.
    pub bytes: u64,
    /// The limit that held I/Os back longest, by limiter.
    pub bound_by: Option<(LimiterId, Dimension)>,
    /// Reads that host caches held, and all reads of cached disks.
    pub hits: (u64, u64),
    /// I/Os outstanding at its end.
    pub outstanding: u64,
}

/// Figures of a distribution, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatencySummary {
    /// I/Os.
    pub ios: u64,
    /// Mean.
    pub mean: f64,
    /// Percentiles 50, 90, 95, 99 and 99.9.
    pub percentiles: [u64; 5],
    /// Maximum.
    pub max: u64,
}

/// Credits that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpentCredits {
    /// The limiter.
    pub limiter: LimiterId,
    /// Of I/Os or bytes.
    pub dimension: Dimension,
    /// End of the first window at which less than a thousandth was left.
    pub at: Span,
}

/// A limit, and its use in a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayLimit {
    /// The limit, with its use in the whole replay. It is that at the end: the burst limit if credits were left then.
    pub limit: LimiterUse,
    /// Share that was used of the fullest limiter in the busiest window of a second or more; of the whole replay if it is
    /// shorter.
    pub peak: f64,
}

/// Reason why a replay ended before its trace did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayStop {
    /// The goal can't be met any more; the time at which that was sure.
    Goal(Span),
    /// Whoever watched stopped it.
    Interrupted,
}

/// A replayed trace.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Counts of I/Os.
    pub counts: ReplayCounts,
    /// Latencies of reads, writes, flushes and discards in ns, from the intended times.
    pub latency: [Histogram<3>; 4],
    /// Recorded latencies of reads and writes in ns.
    pub recorded: Histogram<3>,
    /// Sum of the replayed latencies of the reads and writes that have a recorded one, in ns.
    pub beside_recorded: u128,
    /// Bytes of reads and writes.
    pub bytes: u64,
    /// Last completion, from the first intended time.
    pub duration: Span,
    /// Windows of time.
    pub points: Vec<ReplayPoint>,
    /// Credits that ran out.
    pub spent: Vec<SpentCredits>,
    /// Use of every limit.
    pub limits: Vec<ReplayLimit>,
    /// Volumes by device, in the order of the trace.
    pub volumes: Vec<(String, usize)>,
    /// Reads that host caches held, and all reads of cached disks.
    pub hits: (u64, u64),
    /// Reason why it ended early.
    pub stop: Option<ReplayStop>,
}

impl Replayed {
    /// Latencies of reads and writes, in ns.
    pub fn data(&self) -> Histogram<3> {
        let mut all = self.latency[Op::Read as usize].clone();
        all.merge(&self.latency[Op::Write as usize]);
        all
    }

    /// Mean latency divided by the mean recorded latency; `None` if none was recorded.
    pub fn slowdown(&self) -> Option<f64> {
        let sum = self.recorded.moments().sum_ns();
        (sum > 0).then(|| self.beside_recorded as f64 / sum as f64)
    }
}

/// Whoever looks at a replay on the model.
struct Watch<'w> {
    targets: Vec<(String, ReplayTarget)>,
    map: &'w [(String, String)],
    volumes: Vec<(String, usize)>,
    latency: [Histogram<3>; 4],
    recorded: Histogram<3>,
    beside_recorded: u128,
    bytes: u64,
    begin: Instant,
    end: Instant,
    window: Histogram<2>,
    window_bytes: u64,
    limiters: Vec<LimiterState>,
    /// The most that a limiter let pass in a second, by dimension.
    busiest: Vec<[f64; 2]>,
    caches: Vec<CacheCounters>,
    full: Vec<[Option<u64>; 2]>,
    points: Vec<ReplayPoint>,
    spent: Vec<SpentCredits>,
    goal: Option<ReplayGoal>,
    over: u64,
    /// Completions since the caller was asked.
    unasked: u32,
    stop: Option<ReplayStop>,
    watch: &'w mut dyn FnMut() -> Flow,
}

impl Watch<'_> {
    /// Asks the caller whether the replay goes on.
    fn ask(&mut self) -> Flow {
        self.unasked = 0;
        let flow = (self.watch)();
        if flow == Flow::Stop {
            self.stop.get_or_insert(ReplayStop::Interrupted);
        }
        flow
    }

    /// Counts a completed I/O, and stops once the goal cannot be met.
    #[inline]
    fn count(&mut self, io: &ReplayedIo) -> Flow {
        let latency = io.completed.since(io.intended).ns();
        self.end = self.end.max(io.completed);
        self.latency[io.op as usize].record(latency);
        if !io.op.moves_data() {
            return Flow::Continue;
        }
        self.window.record(latency);
        self.window_bytes += u64::from(io.len);
        self.bytes = self.bytes.saturating_add(u64::from(io.len));
        if let Some(recorded) = io.recorded_ns {
            self.recorded.record(recorded);
            self.beside_recorded += u128::from(latency);
        }
        if let Some(goal) = self.goal.filter(|goal| latency > goal.most.ns()) {
            self.over += 1;
            if self.over > goal.over {
                self.stop.get_or_insert(ReplayStop::Goal(io.completed.since(self.begin)));
                return Flow::Stop;
            }
        }
        Flow::Continue
    }
}

fn summary_of(window: &Histogram<2>) -> LatencySummary {
    let moments = window.moments();
    let at = |percentile| window.percentile_ns(percentile);
    match moments.mean_ns() {
        None => LatencySummary::default(),
        Some(mean) => LatencySummary {
            ios: moments.count(),
            mean,
            percentiles: [at(50.0), at(90.0), at(95.0), at(99.0), at(99.9)],
            max: moments.max_ns().unwrap_or(0),
        },
    }
}

impl ReplayWatcher<Modelled<VirtualClock>> for Watch<'_> {
    fn target(&mut self, device: &str) -> ReplayTarget {
        let wanted = self.map.iter().find(|(from, _)| from == device).map_or(device, |(_, to)| to.as_str());
        let at = self.targets.iter().position(|(name, _)| name == wanted).unwrap_or(0);
        self.volumes.push((device.to_string(), at));
        self.targets[at].1
    }

    #[inline]
    fn completed(&mut self, io: &ReplayedIo) -> Flow {
        let flow = self.count(io);
        self.unasked += 1;
        if flow == Flow::Continue && self.unasked >= ASKED_AFTER { self.ask() } else { flow }
    }

    fn window(
        &mut self,
        engine: &mut Modelled<VirtualClock>,
        from: Instant,
        to: Instant,
        outstanding: usize,
    ) -> (Flow, Span) {
        let stack = engine.stack();
        let mut bound: Option<(u64, LimiterId, Dimension)> = None;
        // The rate of a part of a second is that of a few I/Os.
        let seconds = Some(to.since(from)).filter(|length| *length >= SECOND).map(Span::secs_f64);
        for (index, before) in self.limiters.iter_mut().enumerate() {
            let id = LimiterId(index as u16);
            let state = stack.limiter(id);
            let passed = [state.units - before.units, state.bytes - before.bytes];
            for dimension in Dimension::ALL {
                let d = dimension as usize;
                if let Some(seconds) = seconds {
                    self.busiest[index][d] = self.busiest[index][d].max(passed[d] as f64 / seconds);
                }
                let held = state.held_ns[d] - before.held_ns[d];
                if held > 0 && bound.is_none_or(|(most, _, _)| held > most) {
                    bound = Some((held, id, dimension));
                }
                let known =
                    self.spent.iter().any(|spent| spent.limiter == id && spent.dimension == dimension);
                if let (Some(full), Some(left), false) = (self.full[index][d], state.credits[d], known)
                    && full > 0
                    && left < full.div_ceil(1_000)
                {
                    self.spent.push(SpentCredits { limiter: id, dimension, at: to.since(self.begin) });
                }
            }
            *before = state;
        }
        let mut hits = (0, 0);
        for (index, before) in self.caches.iter_mut().enumerate() {
            let state = stack.cache(CacheId(index as u16));
            hits.0 += state.hits - before.hits;
            hits.1 += state.hits - before.hits + state.misses - before.misses;
            *before = state;
        }
        self.points.push(ReplayPoint {
            from: from.since(self.begin),
            length: to.since(from),
            latency: summary_of(&self.window),
            bytes: std::mem::take(&mut self.window_bytes),
            bound_by: bound.map(|(_, limiter, dimension)| (limiter, dimension)),
            hits,
            outstanding: outstanding as u64,
        });
        self.window.clear();
        let flow = self.ask();
        let beyond = self.points.len().saturating_sub(SECONDS).div_ceil(FURTHER).min(20);
        (flow, Span::from_secs(1 << beyond))
    }
}

/// Replays a trace on the model. `watch` is asked once for each window, and more often in a
/// window of many I/Os, whether the replay goes on.
///
/// # Errors
/// Returns an error if the trace cannot be read or has no latencies in dependent mode, or the configuration cannot be
/// built.
pub fn replay_on_model(
    question: &ReplayQuestion<'_>,
    source: &mut dyn Source,
    watch: &mut dyn FnMut() -> Flow,
) -> Result<Replayed, ReplayFailure> {
    let blueprint = &question.resolved.blueprint;
    let credits = if question.full_credits { StartCredits::Full } else { StartCredits::Rested };
    let start = Start { seed: question.seed, credits };
    let built = |error| ReplayFailure::Predict(PredictError::Blueprint(error));
    let tags = TAGS.min(u32::try_from(Stack::most_outstanding(blueprint)).unwrap_or(TAGS));
    let mut stack = Stack::new(blueprint, &start, tags as usize).map_err(built)?;
    let limiters: Vec<LimiterState> =
        (0..blueprint.limiters.len()).map(|id| stack.limiter(LimiterId(id as u16))).collect();
    let caches: Vec<CacheCounters> =
        (0..blueprint.caches.len()).map(|id| stack.cache(CacheId(id as u16))).collect();
    let mut engine = Modelled::new(stack, VirtualClock::default());
    let targets = targets_of(question.resolved).into_iter();
    let mut watcher = Watch {
        targets: targets
            .map(|target| (target.name, ReplayTarget::of_sectors(TargetId(target.id.0), target.size.get())))
            .collect(),
        map: question.map,
        volumes: Vec::new(),
        latency: Default::default(),
        recorded: Histogram::new(),
        beside_recorded: 0,
        bytes: 0,
        begin: Instant::ZERO,
        end: Instant::ZERO,
        window: Histogram::new(),
        window_bytes: 0,
        full: limiters
            .iter()
            .map(|limiter| if question.full_credits { limiter.credits } else { [None; 2] })
            .collect(),
        busiest: vec![[0.0; 2]; limiters.len()],
        limiters,
        caches,
        points: Vec::new(),
        spent: Vec::new(),
        goal: question.goal,
        over: 0,
        unasked: 0,
        stop: None,
        watch,
    };
    let counts = replay(&mut engine, source, question.mode, question.speed, tags, &mut watcher)
        .map_err(ReplayFailure::Replay)?;
    let limits = limits_of(question, &watcher, &mut engine);
    let hits = watcher.points.iter().fold((0, 0), |sum, point| (sum.0 + point.hits.0, sum.1 + point.hits.1));
    Ok(Replayed {
        counts,
        latency: watcher.latency,
        recorded: watcher.recorded,
        beside_recorded: watcher.beside_recorded,
        bytes: watcher.bytes,
        duration: watcher.end.since(watcher.begin),
        points: watcher.points,
        spent: watcher.spent,
        limits,
        volumes: watcher.volumes,
        hits,
        stop: watcher.stop,
    })
}

/// The use of every limit, the fullest in its busiest second first.
fn limits_of(
    question: &ReplayQuestion<'_>,
    watcher: &Watch<'_>,
    engine: &mut Modelled<VirtualClock>,
) -> Vec<ReplayLimit> {
    let blueprint = &question.resolved.blueprint;
    let mut enforced = enforced_limits(blueprint);
    for (index, limiter) in blueprint.limiters.iter().enumerate() {
        for dimension in Dimension::ALL {
            let is_spent =
                |spent: &SpentCredits| usize::from(spent.limiter.0) == index && spent.dimension == dimension;
            let credit = limiter.credit(dimension).filter(|_| question.full_credits);
            if let Some(credit) = credit.filter(|_| !watcher.spent.iter().any(is_spent)) {
                enforced[index][dimension as usize] = Some(credit.burst as f64 * limiter.factor.as_f64());
            }
        }
    }
    let states: Vec<LimiterState> =
        (0..blueprint.limiters.len()).map(|id| engine.stack().limiter(LimiterId(id as u16))).collect();
    let ios = [Op::Read, Op::Write].map(|op| watcher.latency[op as usize].count()).iter().sum();
    let seconds = watcher.end.since(watcher.begin).secs_f64().max(1e-9);
    let passed = PassedBy { limiters: &states, seconds, ios };
    let peak_of = |limit: &LimiterUse| {
        let shares = blueprint.limiters.iter().enumerate().filter_map(|(index, limiter)| {
            let name = Binding::of(blueprint, LimiterId(index as u16), limit.dimension).to_string();
            let is_own = name == limit.name && (limit.of.is_none() || limiter.name.family() == limit.of);
            let enforced = enforced[index][limit.dimension as usize].filter(|_| is_own)?;
            let used = watcher.busiest[index][limit.dimension as usize];
            // A replay that has no whole window is its own window.
            Some(used.max(passed.used(index, limit.dimension)) / enforced)
        });
        shares.fold(0.0, f64::max)
    };
    let uses = uses_of(blueprint, &passed, &enforced).into_iter();
    let mut limits: Vec<ReplayLimit> =
        uses.map(|limit| ReplayLimit { peak: peak_of(&limit), limit }).collect();
    limits.sort_by(|one, other| other.peak.total_cmp(&one.peak));
    limits
}

/// Reason why there is no replay.
#[derive(Clone, Debug)]
pub enum ReplayFailure {
    /// The trace, or the engine.
    Replay(ReplayError),
    /// The configuration.
    Predict(PredictError),
}
