//! The ceiling without a simulation: for who looks at many configurations, and takes the caches' hit rates from elsewhere.

use crate::binding::Binding;
use crate::burst;
use crate::ceiling::{Ceiling, ceiling, enforced_limits};
use crate::demand::{Flow, flows};
use crate::error::PredictError;
use crate::levels::limits_in_force;
use crate::targets::targets_of;
use iobound_catalog::Resolved;
use iobound_model::{Blueprint, Dimension};
use iobound_workload::Workload;

/// Rest of burst credits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BurstCredits {
    /// Nothing: only what lasts.
    #[default]
    Spent,
    /// All of them: what a burst allows, for minutes.
    Full,
}

/// The most that the limits allow, and what is full there: for long, or while credits last that are full. `hits` is the
/// share of its reads that each cached disk finds in the host cache.
///
/// # Errors
/// Returns an error if the configuration's volumes cannot hold the workload.
pub fn ceiling_of(
    resolved: &Resolved,
    workload: &Workload,
    hits: f64,
    credits: BurstCredits,
) -> Result<(Ceiling, Vec<Binding>), PredictError> {
    let blueprint = &resolved.blueprint;
    let ceiling = ceiling(&flows_of(resolved, workload, hits)?, &limits_of(blueprint, credits));
    let mut bindings: Vec<Binding> = Vec::new();
    for (limiter, dimension) in &ceiling.full {
        let binding = Binding::of(blueprint, *limiter, *dimension);
        if !bindings.contains(&binding) {
            bindings.push(binding);
        }
    }
    if bindings.is_empty() {
        let asked = ceiling.shares.iter().any(|share| share.satisfied);
        bindings.push(if asked { Binding::Rate } else { Binding::Unknown });
    }
    Ok((ceiling, bindings))
}

/// Average demand of one I/O of a workload on every limiter, in the blueprint's order: I/O units and bytes as they are
/// charged, after the stripe has split it. `hits` as in [`ceiling_of`].
///
/// # Errors
/// Returns an error if the configuration's volumes cannot hold the workload.
pub fn asks_of(resolved: &Resolved, workload: &Workload, hits: f64) -> Result<Vec<[f64; 2]>, PredictError> {
    let flows = flows_of(resolved, workload, hits)?;
    let weight: f64 = flows.iter().map(|flow| flow.weight).sum();
    let mut asks = vec![[0.0; 2]; resolved.blueprint.limiters.len()];
    for flow in &flows {
        for demand in &flow.demands {
            let of_limiter: &mut [f64; Dimension::ALL.len()] = &mut asks[usize::from(demand.limiter.0)];
            of_limiter[demand.dimension as usize] += demand.amount * flow.weight / weight;
        }
    }
    Ok(asks)
}

/// Use of the limit that a workload uses most, as a share of what is enforced: for long, or while credits last that are full. `None`:
/// a job has no rate. `hits` as in [`ceiling_of`].
///
/// # Errors
/// Returns an error if the configuration's volumes cannot hold the workload.
pub fn fullest_of(
    resolved: &Resolved,
    workload: &Workload,
    hits: f64,
    credits: BurstCredits,
) -> Result<Option<f64>, PredictError> {
    let limits = limits_of(&resolved.blueprint, credits);
    let mut used = vec![[0.0; 2]; limits.len()];
    for flow in flows_of(resolved, workload, hits)? {
        let Some(rate) = flow.asked else { return Ok(None) };
        for demand in &flow.demands {
            let of_limiter: &mut [f64; Dimension::ALL.len()] = &mut used[usize::from(demand.limiter.0)];
            of_limiter[demand.dimension as usize] += demand.amount * rate;
        }
    }
    let pairs = used.as_flattened().iter().zip(limits.as_flattened());
    Ok(Some(pairs.filter_map(|(used, limit)| limit.map(|limit| used / limit)).fold(0.0, f64::max)))
}

fn flows_of(resolved: &Resolved, workload: &Workload, hits: f64) -> Result<Vec<Flow>, PredictError> {
    let blueprint = &resolved.blueprint;
    let queues = workload.queues(&targets_of(resolved))?;
    let cached = blueprint.disks.iter().map(|disk| if disk.cache.is_some() { hits } else { 0.0 });
    Ok(flows(workload, &queues, blueprint, &cached.collect::<Vec<f64>>()))
}

fn limits_of(blueprint: &Blueprint, credits: BurstCredits) -> Vec<[Option<f64>; 2]> {
    match credits {
        BurstCredits::Spent => enforced_limits(blueprint),
        BurstCredits::Full => limits_in_force(blueprint, &burst::full(blueprint)),
    }
}
