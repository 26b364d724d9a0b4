use iobound_catalog::Band;
use iobound_drive::{Clock, Flow, VirtualClock};
use iobound_measure::Interval;
use iobound_model::Blueprint;
use iobound_units::Span;
use iobound_workload::Queue;

use crate::alone::alone;
use crate::answer::{Expected, Prediction, latency_of};
use crate::band::{BandBasis, Ends, LatencyBands, layout_of, put_bands, regime_near_the_knee, regime_of};
use crate::binding::{Binding, REACHED, bindings};
use crate::burst::{self, Levels};
use crate::ceiling::ceiling;
use crate::cluster::{Cluster, Hosts, cluster_under};
use crate::conditions::{Conditions, Known};
use crate::demand::{Flow as Demanding, flows};
use crate::ends::{end_of_band, is_shallow};
use crate::error::PredictError;
use crate::idle;
use crate::knee;
use crate::levels::limits_in_force;
use crate::question::{CacheState, Counted, MOST_SIMULATED, Question};
use crate::simulate::{Effort, Simulated};
use crate::staged::{blueprint_of, simulate_on};
use crate::stalls;
use crate::targets::targets_of;
use crate::uses::{disks_of, limiter_shares, limiter_uses, volumes_of};
use crate::warm;

/// Predicts: the ceiling by arithmetic, the expected figure and its band by simulation. `watch` sees every interval
/// of every simulation, and may end it.
///
/// # Errors
/// Returns an error if the configuration's volumes cannot hold the workload or the caller's callback ends it.
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
    let Conditions { question, targets, queues, blueprint, scene, levels, .. } = conditions;
    let resolved = question.resolved;
    let alone = alone(question, &resolved.blueprint, targets, scene, watch)?;
    let simulated = conditions.settle(blueprint, Known::Expected, watch)?;
    let shallow = is_shallow(conditions.outstanding);
    let mut end = |band: Band| -> Result<(Blueprint, Simulated), PredictError> {
        let blueprint = end_of_band(resolved, band, shallow);
        let simulated = conditions.settle(&blueprint, Known::Band, watch)?;
        Ok((blueprint, simulated))
    };
    let ((slow_blueprint, slowest), (fast_blueprint, fastest)) = (end(Band::Low)?, end(Band::High)?);
    let least = slowest.iops();
    let low = stalls::of_stripes(conditions, watch)?.map_or(least, |stripes| stripes.min(least));
    let mut prediction = prediction_of_run(question, blueprint, &simulated, levels)?;
    prediction.alone = alone;
    let slow_limits = limits_in_force(&slow_blueprint, levels);
    let at_slowest = bindings(&slow_blueprint, &slowest, &slow_limits, false, &[]);
    prediction.band.regime = regime_near_the_knee(prediction.band.regime, at_slowest.first());
    let asking = flows_of(question, queues, blueprint, &simulated);
    let unasked: Vec<Demanding> =
        asking.iter().map(|flow| Demanding { asked: None, ..flow.clone() }).collect();
    let most = ceiling(&unasked, &limits_in_force(blueprint, levels)).iops;
    prediction.knee = knee::knee(question, targets, most, alone)?;
    let is_closed = asking.iter().all(|flow| flow.asked.is_none());
    let reached = simulated.iops();
    let falls_short = |knee: &knee::Knee| {
        knee.outstanding <= conditions.outstanding && reached < CLOSE_TO_CEILING * knee.iops
    };
    if prediction.knee.as_ref().is_some_and(falls_short)
        && is_closed
        && matches!(prediction.binding.first(), Some(Binding::Limit(..)))
    {
        prediction.knee = knee::knee(question, targets, Some(reached), alone)?;
    }
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
    let kept = kept_over_the_run(question, blueprint, &asking, &reach, levels);
    let of_run = match question.counted {
        Counted::Lasting => lasting,
        Counted::Run => lasting.at(from_idle(blueprint, &simulated, lasting.iops) * kept),
    };
    prediction.expected = of_run;
    if let Some(latency) = prediction.latency.as_mut().filter(|_| is_closed) {
        // A closed loop has a constant number of I/Os outstanding.
        latency.mean = latency.mean.map(|mean| mean * lasting.iops / of_run.iops);
    }
    let high = from_idle(&fast_blueprint, &fastest, fastest.iops()) * kept;
    let mechanism = Ends { low: low.min(lasting.iops) * kept, high: high.max(of_run.iops) };
    put_bands(question, &mut prediction, mechanism, &[slowest, fastest]);
    Ok(prediction)
}

/// With a deeper queue than at the knee, a simulation that a limit holds reaches this share of the ceiling, or that ceiling is not
/// reached: it is what no order of the I/Os exceeds.
const CLOSE_TO_CEILING: f64 = 0.95;

/// The mean rate of a run whose credits drain, in shares of the rate at its start; 1 where the figures are of a moment.
fn kept_over_the_run(
    question: &Question<'_>,
    blueprint: &Blueprint,
    asking: &[Demanding],
    reach: &[f64],
    levels: &Levels,
) -> f64 {
    let workload = question.workload;
    if question.counted == Counted::Lasting || workload.duration.is_zero() {
        return 1.0;
    }
    let run = (workload.warmup, workload.duration);
    burst::mean_share(blueprint, asking, reach, levels.clone(), run).unwrap_or(1.0)
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

/// A run of the workload's own length in virtual time: the simulation.
///
/// # Errors
/// As [`predict`]; [`PredictError::TooManyIos`] as soon as the first intervals show that the whole run has more than
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
/// Returns an error if no I/O completed.
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
    let queues = question.workload.queues(&targets)?;
    let flows = flows_of(question, &queues, blueprint, simulated);
    let limits = limits_in_force(blueprint, levels);
    let ceiling = ceiling(&flows, &limits);
    let asked: Option<f64> = flows.iter().map(|flow| flow.asked).sum();
    let granted = ceiling.shares.iter().all(|share| share.satisfied);
    let satisfied = granted && asked.is_some_and(|asked| iops >= 0.98 * asked);
    let mut ceiling_binding: Vec<Binding> = Vec::new();
    for (limiter, dimension) in &ceiling.full {
        let binding = Binding::of(blueprint, *limiter, *dimension);
        if !ceiling_binding.contains(&binding) {
            ceiling_binding.push(binding);
        }
    }
    let is_reached = ceiling.iops.is_some_and(|most| iops >= REACHED * most);
    let at_ceiling = if is_reached { ceiling_binding.as_slice() } else { &[] };
    let binding = bindings(blueprint, simulated, &limits, satisfied, at_ceiling);
    if ceiling_binding.is_empty() {
        ceiling_binding.push(if ceiling.shares.iter().any(|share| share.satisfied) {
            Binding::Rate
        } else {
            Binding::Unknown
        });
    }
    let throughput = simulated.throughput_bytes_per_s();
    let limiters = limiter_uses(blueprint, simulated, &limits);
    let regime = regime_of(question.resolved, blueprint, simulated, &binding, &limiters);
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
        limiters,
        shares: limiter_shares(simulated, &limits),
        burst: None,
        knee: None,
        volumes: volumes_of(blueprint, simulated),
        disks: disks_of(blueprint, simulated),
        hit_rate: simulated.hit_rate(),
        outstanding: queues.iter().map(|queue| u64::from(queue.depth)).sum(),
        alone: Span::ZERO,
    })
}

/// The share of reads that each disk's cache holds: known where the state says it, else as simulated.
fn flows_of(
    question: &Question<'_>,
    queues: &[Queue],
    blueprint: &Blueprint,
    simulated: &Simulated,
) -> Vec<Demanding> {
    let fits = warm::fits(blueprint, queues);
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
    let mut flows = flows(question.workload, queues, blueprint, &hits);
    // A limiter that opens for a slice at once serves shallow queues first: what flows get of it is not in proportion
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
