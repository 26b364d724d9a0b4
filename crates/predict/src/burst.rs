//! Burst credits over time: what they allow, and how long they last.

use iobound_model::{Blueprint, Dimension, LimiterId};
use iobound_units::Span;

use crate::ceiling::{ceiling, enforced_limits};
use crate::demand::Flow;

/// Burst: figures that credits allow at first, and their time.
#[derive(Clone, Debug, PartialEq)]
pub struct Burst {
    /// I/Os a second while they last.
    pub iops: f64,
    /// Bytes a second while they last.
    pub throughput_bytes_per_s: f64,
    /// Its time; `None`: this workload does not use them up.
    pub seconds: Option<f64>,
    /// The limiter whose credits are the first to go.
    pub first: Option<(LimiterId, Dimension)>,
}

/// The level of every credit bucket of a blueprint, by limiter and dimension.
pub(crate) type Levels = Vec<[Option<f64>; 2]>;

/// Full buckets.
pub(crate) fn full(blueprint: &Blueprint) -> Levels {
    let level =
        |limiter: &iobound_model::LimiterSpec, d| limiter.credit(d).map(|credit| credit.capacity as f64);
    blueprint
        .limiters
        .iter()
        .map(|limiter| Dimension::ALL.map(|dimension| level(limiter, dimension)))
        .collect()
}

/// Empty buckets.
pub(crate) fn spent(blueprint: &Blueprint) -> Levels {
    full(blueprint).iter().map(|levels| levels.map(|level| level.map(|_| 0.0))).collect()
}

/// The limits while these credits are left.
fn limits_at(blueprint: &Blueprint, levels: &Levels) -> Vec<[Option<f64>; 2]> {
    let mut limits = enforced_limits(blueprint);
    for ((limiter, limits), levels) in blueprint.limiters.iter().zip(&mut limits).zip(levels) {
        for dimension in Dimension::ALL {
            let d = dimension as usize;
            if let (Some(limit), Some(credit)) = (&mut limits[d], limiter.credit(dimension))
                && levels[d].is_some_and(|level| level > 0.5)
            {
                *limit = credit.burst as f64 * limiter.factor.as_f64();
            }
        }
    }
    limits
}

/// Rate at which each bucket drains (positive) or fills (negative).
fn drains(blueprint: &Blueprint, flows: &[Flow], rates: &[f64]) -> Vec<[f64; 2]> {
    let mut drains = vec![[0.0; 2]; blueprint.limiters.len()];
    for (flow, rate) in flows.iter().zip(rates) {
        for demand in &flow.demands {
            drains[usize::from(demand.limiter.0)][demand.dimension as usize] += demand.amount * rate;
        }
    }
    for (limiter, drain) in blueprint.limiters.iter().zip(&mut drains) {
        for dimension in Dimension::ALL {
            if let Some(limit) = limiter.limit(dimension) {
                drain[dimension as usize] -= limit.published as f64;
            }
        }
    }
    drains
}

/// The rates at these levels, held down to what the outstanding I/Os can reach (`reach`, by flow).
fn rates_at(blueprint: &Blueprint, flows: &[Flow], levels: &Levels, reach: &[f64]) -> Vec<f64> {
    rates_under(flows, &limits_at(blueprint, levels), reach)
}

/// The rates under these limits, held down in the same way.
pub(crate) fn rates_under(flows: &[Flow], limits: &[[Option<f64>; 2]], reach: &[f64]) -> Vec<f64> {
    let limited = ceiling(flows, limits);
    limited
        .shares
        .iter()
        .zip(reach)
        .map(|(share, reach)| share.iops.map_or(*reach, |iops| iops.min(*reach)))
        .collect()
}

/// The credits left after this workload has run for `age` from full buckets.
pub(crate) fn levels_after(blueprint: &Blueprint, flows: &[Flow], reach: &[f64], age: Span) -> Levels {
    let mut levels = full(blueprint);
    run_on(blueprint, flows, reach, &mut levels, age);
    levels
}

/// The mean rate over `counted` after `before`, in shares of the rate at the start, from these levels; `None` where nothing
/// limits the rate.
pub(crate) fn mean_share(
    blueprint: &Blueprint,
    flows: &[Flow],
    reach: &[f64],
    mut levels: Levels,
    (before, counted): (Span, Span),
) -> Option<f64> {
    let first: f64 = rates_at(blueprint, flows, &levels, reach).iter().sum();
    run_on(blueprint, flows, reach, &mut levels, before);
    let done = run_on(blueprint, flows, reach, &mut levels, counted);
    let share = done / counted.secs_f64() / first;
    share.is_finite().then_some(share)
}

/// Runs this workload for a time, and moves the levels. Returns the I/Os that it does.
fn run_on(blueprint: &Blueprint, flows: &[Flow], reach: &[f64], levels: &mut Levels, time: Span) -> f64 {
    let mut left = time.secs_f64();
    let mut done = 0.0;
    let mut rates = rates_at(blueprint, flows, levels, reach);
    // Each step ends when a bucket runs dry, so there are few; a bound guards against rounding.
    for _ in 0..4 * blueprint.limiters.len() + 4 {
        if left <= 0.0 {
            break;
        }
        let drains = drains(blueprint, flows, &rates);
        let step = first_dry(levels, &drains).map_or(left, |(seconds, _)| seconds.min(left));
        for ((limiter, levels), drains) in blueprint.limiters.iter().zip(levels.iter_mut()).zip(&drains) {
            for dimension in Dimension::ALL {
                let d = dimension as usize;
                if let (Some(level), Some(credit)) = (&mut levels[d], limiter.credit(dimension)) {
                    *level = (*level - drains[d] * step).clamp(0.0, credit.capacity as f64);
                    // What is left below half a unit is nothing.
                    if *level < 0.5 {
                        *level = 0.0;
                    }
                }
            }
        }
        done += rates.iter().sum::<f64>() * step;
        left -= step.max(1e-6);
        rates = rates_at(blueprint, flows, levels, reach);
    }
    done + rates.iter().sum::<f64>() * left.max(0.0)
}

fn first_dry(levels: &Levels, drains: &[[f64; 2]]) -> Option<(f64, (LimiterId, Dimension))> {
    let mut first: Option<(f64, (LimiterId, Dimension))> = None;
    for (limiter, (levels, drains)) in levels.iter().zip(drains).enumerate() {
        for dimension in Dimension::ALL {
            let d = dimension as usize;
            let Some(level) = levels[d].filter(|level| *level > 0.0 && drains[d] > 1e-9) else { continue };
            let seconds = level / drains[d];
            if first.is_none_or(|(other, _)| seconds < other) {
                first = Some((seconds, (LimiterId(limiter as u16), dimension)));
            }
        }
    }
    first
}

/// The burst of this workload from full credits; `None` where credits would change nothing.
pub(crate) fn burst(blueprint: &Blueprint, flows: &[Flow], reach: &[f64]) -> Option<Burst> {
    let levels = full(blueprint);
    let rates = rates_at(blueprint, flows, &levels, reach);
    let spent = vec![[None; 2]; blueprint.limiters.len()];
    let sustained: f64 = rates_at(blueprint, flows, &spent, reach).iter().sum();
    let iops: f64 = rates.iter().sum();
    if iops <= sustained * 1.001 {
        return None;
    }
    let dry = first_dry(&levels, &drains(blueprint, flows, &rates));
    Some(Burst {
        iops,
        throughput_bytes_per_s: flows.iter().zip(&rates).map(|(flow, rate)| flow.bytes * rate).sum(),
        seconds: dry.map(|(seconds, _)| seconds),
        first: dry.map(|(_, first)| first),
    })
}

/// The burst transactions that an on-demand bursting disk bills: I/O units above its baseline.
///
/// Source: Microsoft, managed disk bursting: a P30 at 6,000 IOPS for 10 s and at 7,000 for 60 s bills 10,000 and
/// 120,000.
pub fn on_demand_transactions(iops: u64, baseline: u64, time: Span) -> u64 {
    let above = u128::from(iops.saturating_sub(baseline));
    (above * u128::from(time.ns()) / 1_000_000_000) as u64
}
