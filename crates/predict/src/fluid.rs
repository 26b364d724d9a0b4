//! Flows that share limits: max-min fair, each weighted by what it has outstanding.
//!
//! Rates rise together in proportion to the weights until a limit is full or a flow has what it asks for; those
//! it concerns stay where they are, the others rise on. A first-come gate shares in this proportion.

use iobound_model::{Dimension, GateId};

use crate::demand::Flow;

/// What fills a limit.
pub(crate) struct Allocation {
    /// I/Os a second, by flow; `None`: nothing limits it.
    pub(crate) rates: Vec<Option<f64>>,
    /// The limits that are full.
    pub(crate) full: Vec<(GateId, Dimension)>,
}

/// The rates that `limits` (units a second by gate and dimension) allow.
pub(crate) fn share(flows: &[Flow], limits: &[[Option<f64>; 2]]) -> Allocation {
    let mut rates: Vec<f64> = vec![0.0; flows.len()];
    let mut rising: Vec<bool> = vec![true; flows.len()];
    let mut unlimited = vec![false; flows.len()];
    let mut full = Vec::new();
    let weight = |flow: &Flow| flow.depth.max(1) as f64;
    while rising.iter().any(|rises| *rises) {
        // How far every rising flow can go, in units of its weight, and what stops it there.
        let mut step = f64::INFINITY;
        for (index, flow) in flows.iter().enumerate().filter(|(index, _)| rising[*index]) {
            if let Some(asked) = flow.asked {
                step = step.min((asked - rates[index]) / weight(flow));
            }
        }
        let mut loads = Vec::new();
        for (gate, by_dimension) in limits.iter().enumerate() {
            for dimension in Dimension::ALL {
                let Some(limit) = by_dimension[dimension as usize] else { continue };
                let demand = |flow: &Flow| -> f64 {
                    let wanted = |d: &&crate::demand::Demand| {
                        usize::from(d.gate.0) == gate && d.dimension == dimension
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
                    loads.push((gate, dimension, room));
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
        for (gate, dimension, _) in loads.into_iter().filter(|(_, _, room)| *room <= tight) {
            let id = GateId(gate as u16);
            full.push((id, dimension));
            for (index, flow) in flows.iter().enumerate() {
                if flow.demands.iter().any(|d| d.gate == id && d.dimension == dimension) {
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
