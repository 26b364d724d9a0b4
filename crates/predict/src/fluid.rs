//! Flows that share limits: max-min fair, each weighted by what it has outstanding.
//!
//! Rates rise together in proportion to the weights until a limit is full or a flow has what it asks for; those
//! it concerns stay where they are, the others rise on. A first-come limiter shares in this proportion.

use iobound_model::{Dimension, LimiterId};

use crate::demand::Flow;

/// The flow that fills a limit.
pub(crate) struct Allocation {
    /// I/Os a second, by flow; `None`: nothing limits it.
    pub(crate) rates: Vec<Option<f64>>,
    /// The limits that are full.
    pub(crate) full: Vec<(LimiterId, Dimension)>,
}

/// The rates that `limits` (units a second by limiter and dimension) allow.
pub(crate) fn share(flows: &[Flow], limits: &[[Option<f64>; 2]]) -> Allocation {
    let mut rates: Vec<f64> = vec![0.0; flows.len()];
    let mut rising: Vec<bool> = vec![true; flows.len()];
    let mut unlimited = vec![false; flows.len()];
    let mut full = Vec::new();
    let weight = |flow: &Flow| flow.weight.max(1e-3);
    while rising.iter().any(|rises| *rises) {
        // How far every rising flow can go, in units of its weight, and what stops it there.
        let mut step = f64::INFINITY;
        for (index, flow) in flows.iter().enumerate().filter(|(index, _)| rising[*index]) {
            if let Some(asked) = flow.asked {
                step = step.min((asked - rates[index]) / weight(flow));
            }
        }
        let mut loads = Vec::new();
        for (limiter, by_dimension) in limits.iter().enumerate() {
            for dimension in Dimension::ALL {
                let Some(limit) = by_dimension[dimension as usize] else { continue };
                let demand = |flow: &Flow| -> f64 {
                    let wanted = |d: &&crate::demand::Demand| {
                        usize::from(d.limiter.0) == limiter && d.dimension == dimension
                    };
                    flow.demands.iter().find(wanted).map_or(0.0, |d| d.amount)
                };
                let used: f64 = flows.iter().zip(&rates).map(|(flow, rate)| demand(flow) * rate).sum();
                let slope: f64 = flows
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| rising[*index])
                    .map(|(_, flow)| demand(flow) * weight(flow))
                    .sum();
                if slope > 0.0 {
                    let room = ((limit - used) / slope).max(0.0);
                    step = step.min(room);
                    loads.push((limiter, dimension, room));
                }
            }
        }
        if step.is_infinite() {
            for (index, rises) in rising.iter_mut().enumerate().filter(|(_, rises)| **rises) {
                unlimited[index] = true;
                *rises = false;
            }
            break;
        }
        for (index, flow) in flows.iter().enumerate().filter(|(index, _)| rising[*index]) {
            rates[index] += step * weight(flow);
        }
        let tight = step * (1.0 + 1e-9) + 1e-12;
        for (limiter, dimension, _) in loads.into_iter().filter(|(_, _, room)| *room <= tight) {
            let id = LimiterId(limiter as u16);
            full.push((id, dimension));
            for (index, flow) in flows.iter().enumerate() {
                if flow.demands.iter().any(|d| d.limiter == id && d.dimension == dimension) {
                    rising[index] = false;
                }
            }
        }
        for (index, flow) in flows.iter().enumerate() {
            if flow.asked.is_some_and(|asked| rates[index] >= asked * (1.0 - 1e-9)) {
                rising[index] = false;
            }
        }
    }
    let rates =
        rates.into_iter().zip(unlimited).map(|(rate, unlimited)| (!unlimited).then_some(rate)).collect();
    Allocation { rates, full }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Demand;
    use proptest::prelude::*;

    fn flow(depth: u64, asked: Option<f64>, demands: &[(u16, f64)]) -> Flow {
        let demands = demands
            .iter()
            .map(|(limiter, amount)| Demand {
                limiter: LimiterId(*limiter),
                dimension: Dimension::Ios,
                amount: *amount,
            })
            .collect();
        Flow { job: 0, depth, weight: depth as f64, asked, bytes: 4096.0, demands, targets: vec![0] }
    }

    fn limits(ios: &[f64]) -> Vec<[Option<f64>; 2]> {
        ios.iter().map(|limit| [Some(*limit), None]).collect()
    }

    #[test]
    fn what_one_flow_does_not_ask_for_the_others_get() {
        // A1's arithmetic on one limiter: 1,000 of 12,800 are asked for, the other two share the rest.
        let flows =
            [flow(1, Some(1_000.0), &[(0, 1.0)]), flow(1, None, &[(0, 1.0)]), flow(1, None, &[(0, 1.0)])];
        let shared = share(&flows, &limits(&[12_800.0]));
        assert_eq!(shared.rates, [Some(1_000.0), Some(5_900.0), Some(5_900.0)]);
        assert_eq!(shared.full, [(LimiterId(0), Dimension::Ios)]);
    }

    #[test]
    fn a_first_come_limiter_shares_by_what_is_outstanding() {
        let flows = [flow(3, None, &[(0, 1.0)]), flow(1, None, &[(0, 1.0)])];
        assert_eq!(share(&flows, &limits(&[4_000.0])).rates, [Some(3_000.0), Some(1_000.0)]);
    }

    #[test]
    fn a_flow_that_no_limit_stands_before_has_no_rate() {
        assert_eq!(share(&[flow(1, None, &[])], &limits(&[100.0])).rates, [None]);
    }

    proptest! {
        #[test]
        fn no_limit_is_exceeded_and_nobody_could_have_more(
            amounts in proptest::collection::vec(proptest::collection::vec(0.0f64..4.0, 3), 1..5),
            caps in proptest::collection::vec(100.0f64..10_000.0, 3),
            asked in proptest::collection::vec(proptest::option::of(1.0f64..5_000.0), 5),
            depths in proptest::collection::vec(1u64..100, 5),
        ) {
            let flows: Vec<Flow> = amounts
                .iter()
                .enumerate()
                .map(|(n, amounts)| {
                    let demands: Vec<(u16, f64)> =
                        amounts.iter().enumerate().map(|(limiter, amount)| (limiter as u16, *amount + 0.01)).collect();
                    flow(depths[n], asked[n], &demands)
                })
                .collect();
            let limits = limits(&caps);
            let rates: Vec<f64> = share(&flows, &limits).rates.into_iter().map(|rate| rate.unwrap()).collect();
            let load = |limiter: usize| -> f64 {
                flows.iter().zip(&rates).map(|(flow, rate)| flow.demands[limiter].amount * rate).sum()
            };
            for (limiter, cap) in caps.iter().enumerate() {
                prop_assert!(load(limiter) <= cap * (1.0 + 1e-6));
            }
            let any_full = (0..3).any(|limiter| load(limiter) >= caps[limiter] * (1.0 - 1e-6));
            for (flow, rate) in flows.iter().zip(&rates) {
                let satisfied = flow.asked.is_some_and(|asked| *rate >= asked * (1.0 - 1e-6));
                prop_assert!(satisfied || any_full);
                prop_assert!(flow.asked.is_none_or(|asked| *rate <= asked * (1.0 + 1e-6)));
            }
        }
    }
}
