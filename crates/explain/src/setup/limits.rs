use iobound_catalog::Resolved;
use iobound_model::Dimension;

/// A limit of a configuration, all gates of one kind together.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupLimit {
    /// `disk.iops`, `vm.uncached.throughput`.
    pub name: String,
    /// What it counts.
    pub dimension: Dimension,
    /// How many gates.
    pub count: usize,
    /// Published, a second, of all of them.
    pub published: f64,
    /// What is let through.
    pub enforced: f64,
    /// What credits let through for a while.
    pub burst: Option<f64>,
}

/// Every limit of a configuration, in the order of its gates.
pub fn limits(resolved: &Resolved) -> Vec<SetupLimit> {
    let mut found: Vec<SetupLimit> = Vec::new();
    for gate in &resolved.blueprint.gates {
        for dimension in Dimension::ALL {
            let Some(limit) = gate.limit(dimension) else { continue };
            let name = format!("{}.{}", gate.name.group, dimension.name());
            let published = limit.published as f64;
            let enforced = limit.enforced_micro(gate.factor) as f64 / 1e6;
            let burst = gate.credit(dimension).map(|credit| credit.burst as f64);
            match found.iter_mut().find(|limit| limit.name == name) {
                Some(sum) => {
                    sum.count += 1;
                    // Of several of which one bursts, the others stay at what they have.
                    sum.burst = match (sum.burst, burst) {
                        (None, None) => None,
                        (before, burst) => Some(before.unwrap_or(sum.published) + burst.unwrap_or(published)),
                    };
                    sum.published += published;
                    sum.enforced += enforced;
                }
                None => found.push(SetupLimit { name, dimension, count: 1, published, enforced, burst }),
            }
        }
    }
    found
}
