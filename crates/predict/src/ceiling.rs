use iobound_model::{Blueprint, Dimension, LimiterId};

use crate::demand::Flow;
use crate::fluid::share;

/// The most that the limits allow for long, whatever the queue depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// I/Os a second; `None`: no limit stands in the way.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<f64>,
    /// The limits that are full there.
    pub full: Vec<(LimiterId, Dimension)>,
    /// Each flow's part, in the order of jobs and targets.
    pub shares: Vec<Share>,
}

/// One flow's part of a ceiling.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The job's index.
    pub job: usize,
    /// The volumes it runs on, by index.
    pub targets: Vec<usize>,
    /// I/Os a second.
    pub iops: Option<f64>,
    /// True if it gets all it asks for.
    pub satisfied: bool,
}

/// The enforced limits of a blueprint, units a second by limiter and dimension.
pub(crate) fn enforced_limits(blueprint: &Blueprint) -> Vec<[Option<f64>; 2]> {
    let limit = |limiter: &iobound_model::LimiterSpec, dimension| {
        limiter.limit(dimension).map(|limit| limit.enforced_micro(limiter.factor) as f64 / 1e6)
    };
    blueprint
        .limiters
        .iter()
        .map(|limiter| Dimension::ALL.map(|dimension| limit(limiter, dimension)))
        .collect()
}

/// The ceiling of these flows under these limits.
pub(crate) fn ceiling(flows: &[Flow], limits: &[[Option<f64>; 2]]) -> Ceiling {
    let allocation = share(flows, limits);
    let total = |value: &dyn Fn(&Flow) -> f64| -> Option<f64> {
        flows.iter().zip(&allocation.rates).map(|(flow, rate)| rate.map(|rate| rate * value(flow))).sum()
    };
    Ceiling {
        iops: total(&|_| 1.0),
        throughput_bytes_per_s: total(&|flow| flow.bytes),
        full: allocation.full,
        shares: flows
            .iter()
            .zip(&allocation.rates)
            .map(|(flow, rate)| Share {
                job: flow.job,
                targets: flow.targets.clone(),
                iops: *rate,
                satisfied: flow.asked.zip(*rate).is_some_and(|(asked, rate)| rate >= asked * (1.0 - 1e-6)),
            })
            .collect(),
    }
}
