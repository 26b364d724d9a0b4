use iobound_catalog::{Band, Resolved};
use iobound_drive::{Clock, Flow, VirtualClock};
use iobound_measure::result::Latency;
use iobound_measure::{Interval, Measured, summary};
use iobound_model::{Blueprint, Dimension};
use iobound_units::Span;
use iobound_workload::{Lane, Target};

use crate::band::{BandBasis, Ends, LatencyBands, layout_of, put_bands, regime_of};
use crate::binding::{Binding, bindings};
use crate::burst::{self, Burst, Levels};
use crate::ceiling::{Ceiling, ceiling, enforced_limits};
use crate::cluster::{Cluster, Hosts, cluster_under};
use crate::conditions::{Conditions, Known, is_shallow};
use crate::demand::{Flow as Demanding, flows};
use crate::error::PredictError;
use crate::idle;
use crate::knee::{self, Knee};
use crate::question::{Age, CacheState, Counted, Question};
use crate::scene::{Contents, Scene};
use crate::simulate::{Effort, Simulated, simulate_on};
use crate::staged::blueprint_of;
use crate::stalls;
use crate::targets::targets_of;
use crate::uses::{GateUse, PartUse, disks_of, gate_shares, gate_uses, volumes_of};
use crate::warm;

/// Expected figures of a configuration under a workload.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The most that the enforced limits allow for long.
    pub ceiling: Ceiling,
    /// The limit that binds at the ceiling.
    pub ceiling_binding: Vec<Binding>,
    /// The simulation's figures.
    pub expected: Expected,
    /// Response times of reads and writes together.
    pub latency: Option<Latency>,
    /// The bands of response times.
    pub latency_bands: LatencyBands,
    /// Where the bands come from, and what they claim.
    pub band: BandBasis,
    /// The limits that hold the expected figure back, first the one that holds longest.
    pub binding: Vec<Binding>,
    /// The limits, with what is used of them.
    pub gates: Vec<GateUse>,
    /// The same gate by gate, in the blueprint's order: used ÷ enforced of I/Os and of bytes.
    pub shares: Vec<[Option<f64>; 2]>,
    /// Figures that credits allow at first.
    pub burst: Option<Burst>,
    /// The concurrency that reaches the ceiling.
    pub knee: Option<Knee>,
    /// The volumes' own figures.
    pub volumes: Vec<PartUse>,
    /// The disks' own figures: what reaches their media.
    pub disks: Vec<PartUse>,
    /// The share of reads that host caches hold.
    pub hit_rate: Option<f64>,
    /// Outstanding I/Os asked for.
    pub outstanding: u64,
    /// The latency of one I/O alone.
    pub alone: Span,
}

/// The simulation's figures and their band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// I/Os a second.
    pub iops: f64,
    /// The low end of the band.
    pub low_iops: f64,
    /// The high end.
    pub high_iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
}

impl Expected {
    /// The same I/Os at another rate.
    fn at(self, iops: f64) -> Expected {
        let throughput_bytes_per_s = self.throughput_bytes_per_s * iops / self.iops;
        Expected { iops, throughput_bytes_per_s, ..self }
    }
}

/// The blueprint at an end of the band: at a shallow depth by as much slower as the expected one is.
pub(crate) fn end_of_band(resolved: &Resolved, band: Band, shallow: bool) -> Blueprint {
    let mut blueprint = resolved.with_band(band);
    if shallow {
        let slower = |at_end: Span, alone: Span, deep: Span| {
            let ns = u128::from(at_end.ns()) * u128::from(alone.ns()) / u128::from(deep.ns().max(1));
            Span::from_ns(ns as u64)
        };
        let expected = &resolved.blueprint.disks;
        for ((disk, expected), scatter) in blueprint.disks.iter_mut().zip(expected).zip(&resolved.media_bands)
        {
            let (media, alone, deep) = (&mut disk.media, scatter.depth_1, expected.media);
            media.read.mean = slower(media.read.mean, alone.read.mean, deep.read.mean);
            media.write.mean = slower(media.write.mean, alone.write.mean, deep.write.mean);
        }
        let expected = &resolved.blueprint.caches;
        for ((cache, expected), scatter) in
            blueprint.caches.iter_mut().zip(expected).zip(&resolved.cache_bands)
        {
            cache.hit.mean = slower(cache.hit.mean, scatter.hit[2].mean, expected.hit.mean);
            cache.ack.mean = slower(cache.ack.mean, scatter.ack[2].mean, expected.ack.mean);
        }
    }
    blueprint
}

/// Predicts: the ceiling by arithmetic, the expected figure and its band by simulation. `watch` sees every interval
/// of every simulation, and may end it.
///
/// # Errors
/// A workload that the configuration's volumes can't hold; whoever watched ended it.
pub fn predict(
    question: &Question<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Prediction, PredictError> {
    predict_under(&Conditions::of(question, watch)?, watch)
}

/// As [`predict`], and what so many hosts of the same kind deliver together.
///
/// # Errors
/// As [`predict`].
pub fn predict_cluster(
    question: &Question<'_>,
    asked: &Hosts,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(Prediction, Cluster), PredictError> {
    let conditions = Conditions::of(question, watch)?;
    let prediction = predict_under(&conditions, watch)?;
    let cluster = cluster_under(&conditions, &prediction, asked, watch)?;
    Ok((prediction, cluster))
}

fn predict_under(
    conditions: &Conditions<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Prediction, PredictError> {
    let Conditions { question, targets, lanes, blueprint, scene, levels, .. } = conditions;
    let resolved = question.resolved;
    let alone = knee::alone(question, &resolved.blueprint, targets, scene, watch)?;
    let simulated = conditions.settle(blueprint, Known::Expected, watch)?;
    let shallow = is_shallow(conditions.outstanding);
    let mut end = |band: Band| -> Result<(Blueprint, Simulated), PredictError> {
        let blueprint = end_of_band(resolved, band, shallow);
        let simulated = conditions.settle(&blueprint, Known::Band, watch)?;
        Ok((blueprint, simulated))
    };
    let (slowest, (fast_blueprint, fastest)) = (end(Band::Low)?.1, end(Band::High)?);
    let least = slowest.iops();
    let low = stalls::of_stripes(conditions, watch)?.map_or(least, |stripes| stripes.min(least));
    let mut prediction = prediction_of_run(question, blueprint, &simulated, levels)?;
    prediction.alone = alone;
    let asking = flows_of(question, lanes, blueprint, &simulated);
    let unasked: Vec<Demanding> =
        asking.iter().map(|flow| Demanding { asked: None, ..flow.clone() }).collect();
    let most = ceiling(&unasked, &limits_in_force(blueprint, levels)).iops;
    prediction.knee = knee::knee(question, targets, most, alone)?;
    let reach: Vec<f64> = unasked.iter().map(|flow| flow.depth as f64 / alone.secs_f64().max(1e-9)).collect();
    prediction.burst = burst::burst(blueprint, &asking, &reach);
    // The figure of a run from idle, of the figure that lasts.
    let from_idle = |blueprint: &Blueprint, simulated: &Simulated, lasting: f64| {
        let limits = limits_in_force(blueprint, levels);
        let Some(depth) = idle::saved(blueprint, simulated, &limits) else { return lasting };
        let free = burst::rates_under(&asking, &idle::without_buckets(blueprint, &limits), &reach);
        idle::mean_of_run(lasting, free.iter().sum(), depth, question.workload)
    };
    let lasting = within_the_ceiling(prediction.expected, prediction.ceiling.iops);
    prediction.expected = match question.counted {
        Counted::Lasting => lasting,
        Counted::Run => lasting.at(from_idle(blueprint, &simulated, lasting.iops)),
    };
    let high = from_idle(&fast_blueprint, &fastest, fastest.iops());
    let mechanism = Ends { low: low.min(lasting.iops), high: high.max(prediction.expected.iops) };
    put_bands(question, &mut prediction, mechanism, &[slowest, fastest]);
    Ok(prediction)
}

/// The simulated mean, without the part of its sampling error that lies above the ceiling.
///
/// A simulation ends when its mean is known to less than 1 %, and the ceiling is exact: a mean that is above it by no more is above it
/// by chance. A larger difference stays, because then the ceiling is wrong, which must be seen.
fn within_the_ceiling(expected: Expected, ceiling: Option<f64>) -> Expected {
    const KNOWN_TO: f64 = 0.01;
    match ceiling {
        Some(ceiling) if expected.iops > ceiling && expected.iops <= ceiling * (1.0 + KNOWN_TO) => {
            expected.at(ceiling)
        }
        _ => expected,
    }
}

/// A run of the workload's own length on a clock of the caller's, and what it says. A virtual clock makes it the
/// simulation, a real one (that begins at zero when it is first read) the model in real time.
///
/// # Errors
/// As [`predict`].
pub fn full_run<C: Clock>(
    clock: C,
    question: &Question<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(Simulated, Prediction), PredictError> {
    let blueprint = blueprint_of(question, &targets_of(question.resolved))?;
    let (simulated, levels) = simulate_on(clock, question, &blueprint, Effort::Full, watch)?;
    let prediction = prediction_of_run(question, &blueprint, &simulated, &levels)?;
    Ok((simulated, prediction))
}

/// The most I/Os of a run in virtual time, which takes about a quarter of an hour.
pub const MOST_SIMULATED: u64 = 4_000_000_000;

/// A run of the workload's own length in virtual time: the simulation.
///
/// # Errors
/// As [`predict`]; [`PredictError::TooManyIos`] as soon as the first intervals show that the whole run would have more than
/// [`MOST_SIMULATED`].
pub fn simulated_run(
    question: &Question<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(Simulated, Prediction), PredictError> {
    let workload = question.workload;
    let whole = workload.warmup.secs_f64() + workload.duration.secs_f64();
    let (mut done, mut expected) = (0_u64, 0.0);
    let mut bounded = |interval: &Interval| {
        done += interval.read.count + interval.write.count;
        expected = done as f64 * 1e9 / interval.end.ns() as f64 * whole;
        if expected > MOST_SIMULATED as f64 { Flow::Stop } else { watch(interval) }
    };
    let run = full_run(VirtualClock::default(), question, &mut bounded)?;
    if expected > MOST_SIMULATED as f64 {
        return Err(PredictError::TooManyIos { seconds: whole, ios: expected });
    }
    Ok(run)
}

/// Figures of a simulated run: everything but the band, the knee and the burst.
///
/// # Errors
/// Nothing completed.
pub fn prediction_of_run(
    question: &Question<'_>,
    blueprint: &Blueprint,
    simulated: &Simulated,
    levels: &Levels,
) -> Result<Prediction, PredictError> {
    let iops = simulated.iops();
    if iops == 0.0 {
        return Err(PredictError::Nothing);
    }
    let targets = targets_of(question.resolved);
    let lanes = question.workload.lanes(&targets)?;
    let flows = flows_of(question, &lanes, blueprint, simulated);
    let limits = limits_in_force(blueprint, levels);
    let ceiling = ceiling(&flows, &limits);
    let asked: Option<f64> = flows.iter().map(|flow| flow.asked).sum();
    let granted = ceiling.shares.iter().all(|share| share.satisfied);
    let satisfied = granted && asked.is_some_and(|asked| iops >= 0.98 * asked);
    let binding = bindings(blueprint, simulated, &limits, satisfied);
    let mut ceiling_binding: Vec<Binding> = Vec::new();
    for (gate, dimension) in &ceiling.full {
        let binding = Binding::of(blueprint, *gate, *dimension);
        if !ceiling_binding.contains(&binding) {
            ceiling_binding.push(binding);
        }
    }
    if ceiling_binding.is_empty() {
        ceiling_binding.push(if ceiling.shares.iter().any(|share| share.satisfied) {
            Binding::Rate
        } else {
            Binding::Unknown
        });
    }
    let throughput = simulated.throughput_bytes_per_s();
    let gates = gate_uses(blueprint, simulated, &limits);
    let regime = regime_of(blueprint, simulated, &binding, &gates);
    let mechanism = Ends { low: iops, high: iops };
    Ok(Prediction {
        ceiling,
        ceiling_binding,
        expected: Expected { iops, low_iops: iops, high_iops: iops, throughput_bytes_per_s: throughput },
        latency: latency_of(&simulated.measured),
        latency_bands: LatencyBands::default(),
        band: BandBasis {
            regime,
            layout: layout_of(question.resolved, simulated),
            coverage: None,
            one_slow_vm_in: None,
            mechanism,
            latency_mechanism: [None; 3],
        },
        binding,
        gates,
        shares: gate_shares(simulated, &limits),
        burst: None,
        knee: None,
        volumes: volumes_of(blueprint, simulated),
        disks: disks_of(blueprint, simulated),
        hit_rate: simulated.hit_rate(),
        outstanding: lanes.iter().map(|lane| u64::from(lane.depth)).sum(),
        alone: Span::ZERO,
    })
}

/// The latency of all reads and writes of a run.
pub fn latency_of(measured: &Measured) -> Option<Latency> {
    summary::run(measured).total.latency_us
}

pub(crate) fn full_hits(blueprint: &Blueprint) -> Vec<f64> {
    vec![1.0; blueprint.disks.len()]
}

/// The share of reads that each disk's cache holds: known where the state says it, else as simulated.
fn flows_of(
    question: &Question<'_>,
    lanes: &[Lane],
    blueprint: &Blueprint,
    simulated: &Simulated,
) -> Vec<Demanding> {
    let fits = warm::fits(blueprint, lanes);
    let hits: Vec<f64> = blueprint
        .disks
        .iter()
        .map(|disk| {
            let Some(cache) = disk.cache else { return 0.0 };
            let id = usize::from(cache.cache.0);
            match question.cache {
                CacheState::Warm if fits[id] => 1.0,
                CacheState::Cold => 0.0,
                _ => {
                    let state = &simulated.caches[id];
                    state.hits as f64 / ((state.hits + state.misses) as f64).max(1.0)
                }
            }
        })
        .collect();
    let mut flows = flows(question.workload, lanes, blueprint, &hits);
    // A gate that opens for a slice at once serves shallow queues first: what flows get of it is not in proportion
    // to their depth, and the simulation knows.
    for flow in &mut flows {
        let cells = simulated.measured.cells.iter().filter(|measured| {
            usize::from(measured.cell.job) == flow.job
                && flow.targets.contains(&usize::from(measured.cell.target.0))
        });
        let ios: u64 =
            cells.map(|cell| cell.by_op[..2].iter().map(|op| op.response.count()).sum::<u64>()).sum();
        flow.weight = (ios * simulated.stands_for) as f64 / simulated.measured.window().secs_f64();
    }
    flows
}

/// The ceiling that a workload would have without rates and pauses of its own, if every cached read were a hit.
pub(crate) fn unasked_ceiling(
    question: &Question<'_>,
    blueprint: &Blueprint,
    lanes: &[Lane],
    levels: &Levels,
) -> Option<f64> {
    let flows = flows(question.workload, lanes, blueprint, &full_hits(blueprint));
    let unasked: Vec<Demanding> = flows.into_iter().map(|flow| Demanding { asked: None, ..flow }).collect();
    ceiling(&unasked, &limits_in_force(blueprint, levels)).iops
}

/// The enforced limits, of the burst where there are credits.
pub(crate) fn limits_in_force(blueprint: &Blueprint, levels: &Levels) -> Vec<[Option<f64>; 2]> {
    let mut limits = enforced_limits(blueprint);
    for ((gate, limits), levels) in blueprint.gates.iter().zip(&mut limits).zip(levels) {
        for dimension in Dimension::ALL {
            let d = dimension as usize;
            if let (Some(limit), Some(credit), Some(level)) =
                (&mut limits[d], gate.credit(dimension), levels[d])
                && level > 0.0
            {
                *limit = credit.burst as f64 * gate.factor.as_f64();
            }
        }
    }
    limits
}

/// What caches hold under a question's workload for a long time: nothing before a second run, which begins with what
/// the first has left.
pub(crate) fn scene_of(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
) -> Result<Scene, PredictError> {
    let contents = match question.cache {
        CacheState::Warm => Contents::Warm,
        CacheState::Cold | CacheState::SecondRun => Contents::Cold,
    };
    Scene::new(blueprint, question.workload, targets, contents, true)
}

/// The credits at the asked age.
pub(crate) fn levels_of(
    question: &Question<'_>,
    blueprint: &Blueprint,
    targets: &[Target],
    scene: &Scene,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Levels, PredictError> {
    let has_credits = blueprint.gates.iter().any(|gate| gate.credits.is_some());
    let spent = burst::spent(blueprint);
    match question.age {
        Age::At(age) if has_credits => {
            let lanes = question.workload.lanes(targets)?;
            let alone = knee::alone(question, blueprint, targets, scene, watch)?;
            let hits = if question.cache == CacheState::Cold {
                vec![0.0; blueprint.disks.len()]
            } else {
                full_hits(blueprint)
            };
            let flows = flows(question.workload, &lanes, blueprint, &hits);
            let reach: Vec<f64> =
                flows.iter().map(|flow| flow.depth as f64 / alone.secs_f64().max(1e-9)).collect();
            Ok(burst::levels_after(blueprint, &flows, &reach, age))
        }
        _ => Ok(spent),
    }
}
