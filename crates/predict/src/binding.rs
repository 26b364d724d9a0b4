use std::fmt;

use iobound_model::{Blueprint, Dimension, LimiterId};

use crate::simulate::Simulated;

/// The limit that holds a result back.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// A limit: the group of its limiter and the dimension, `vm.uncached.iops`.
    Limit(String, Dimension),
    /// Writes that wait for the host cache's dirty limit.
    CacheDirty,
    /// The queue depth and the latency: no limit is full.
    QueueDepth,
    /// The workload gets all it asks for.
    Rate,
    /// The client.
    Client,
    /// Nothing known.
    Unknown,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Binding::Limit(group, dimension) => write!(f, "{group}.{}", dimension.name()),
            Binding::CacheDirty => f.write_str("cache.dirty"),
            Binding::QueueDepth => f.write_str("queue_depth"),
            Binding::Rate => f.write_str("rate"),
            Binding::Client => f.write_str("client"),
            Binding::Unknown => f.write_str("unknown"),
        }
    }
}

impl Binding {
    /// The binding of a limiter's limit.
    pub fn of(blueprint: &Blueprint, limiter: LimiterId, dimension: Dimension) -> Binding {
        Binding::Limit(blueprint.limiters[usize::from(limiter.0)].name.group.clone(), dimension)
    }
}

/// A limiter holds the result back when it is this full.
pub(crate) const FULL: f64 = 0.98;

/// Share of the ceiling from which a simulation has reached it: its mean is known to 1 %.
pub(crate) const REACHED: f64 = 0.99;

/// Those that bind, first the one that held longest; ties are all there. `limits` is what was enforced, by limiter
/// and dimension; `satisfied` whether every flow had a rate of its own and got it; `at_ceiling` the limits that are full at the
/// ceiling where the simulation reached it, else none.
///
/// Queues also form at disks that are nearly full behind a VM that is full. The limits at the ceiling tell which of them binds.
pub(crate) fn bindings(
    blueprint: &Blueprint,
    simulated: &Simulated,
    limits: &[[Option<f64>; 2]],
    satisfied: bool,
    at_ceiling: &[Binding],
) -> Vec<Binding> {
    let seconds = simulated.measured.window().secs_f64();
    let mut held: Vec<(Binding, u64)> = Vec::new();
    for (index, state) in simulated.limiters.iter().enumerate() {
        for dimension in Dimension::ALL {
            let Some(limit) = limits[index][dimension as usize] else { continue };
            let used = match dimension {
                Dimension::Ios => state.units,
                Dimension::Bytes => state.bytes,
            };
            let waited = state.held_ns[dimension as usize];
            if (used as f64) < FULL * limit * seconds || waited == 0 {
                continue;
            }
            let binding = Binding::of(blueprint, LimiterId(index as u16), dimension);
            match held.iter_mut().find(|(other, _)| *other == binding) {
                Some((_, sum)) => *sum += waited,
                None => held.push((binding, waited)),
            }
        }
    }
    if held.iter().any(|(binding, _)| at_ceiling.contains(binding)) {
        held.retain(|(binding, _)| at_ceiling.contains(binding));
    }
    let stalled: u64 = simulated.caches.iter().map(|cache| cache.held_ns).sum();
    if stalled > 0 {
        held.push((Binding::CacheDirty, stalled));
    }
    if satisfied {
        return vec![Binding::Rate];
    }
    // A write stalled by dirty data waits for the limiters that the flusher waits at: the stall is the symptom of the
    // longest kind, so it stands first only where it outweighs them.
    held.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let longest = held.first().map_or(0, |(_, held)| *held);
    held.retain(|(_, held)| *held * 2 >= longest);
    if held.is_empty() {
        return vec![Binding::QueueDepth];
    }
    held.into_iter().map(|(binding, _)| binding).collect()
}
