//! How full each limit is, from what was seen: by group of gates, since an observation is mostly of all disks together.

use iobound_catalog::{CacheSetting, Resolved};
use iobound_model::{CacheMode, Dimension, DiskSpec, GateId};

use crate::observed::{Figures, Observed};

/// What of an observation is known to pass a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// `disk`, `vm.uncached`, `vm.cached`, `account`.
    pub group: String,
    /// What it counts.
    pub dimension: Dimension,
    /// How many gates of the group the load goes to.
    pub count: usize,
    /// Published, a second, of all of them.
    pub published: f64,
    /// What is enforced.
    pub enforced: f64,
    /// The most that may be enforced: the largest factor, megabytes of 2^20 where that is not settled.
    pub enforced_high: f64,
    /// The least that passes it: what hits a cache does not.
    pub used_low: f64,
    /// The most.
    pub used_high: f64,
    /// The fullest of its gates: the most that passes ÷ published.
    pub fullest: f64,
    /// What credits allow for a while, and for how many seconds at that rate.
    pub burst: Option<(f64, f64)>,
}

impl Usage {
    /// Used ÷ enforced, of all of it.
    pub fn share(&self) -> f64 {
        self.used_high / self.enforced
    }

    /// Used ÷ published.
    pub fn of_published(&self) -> f64 {
        self.used_high / self.published
    }

    /// Whether all that was seen passes here, whatever hits a cache.
    pub fn is_certain(&self) -> bool {
        self.used_low >= self.used_high * 0.999
    }

    /// Its name as `predict` tells it: `vm.cached.throughput`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.group, self.dimension.name())
    }
}

/// What of a rate passes a gate: the least and the most.
#[derive(Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
}

/// What share of a disk's I/Os passes a gate: unknown read shares and unknown hits make it a range.
fn passes(disk: &DiskSpec, gate: GateId, read: Option<f64>) -> Span {
    let on = |route: &[GateId]| f64::from(u8::from(route.contains(&gate)));
    let routes = &disk.routes;
    let reads = match disk.cache {
        Some(_) => {
            let (hit, miss) = (on(&routes.read_hit), on(&routes.read));
            Span { low: hit.min(miss), high: hit.max(miss) }
        }
        None => Span { low: on(&routes.read), high: on(&routes.read) },
    };
    let writes = match disk.cache.map(|cache| cache.mode) {
        Some(CacheMode::ReadWrite) => {
            // What is written back later is written back merged: at most as many I/Os.
            let (ack, back) = (on(&routes.write_ack), on(&routes.write_back));
            Span { low: ack, high: ack.max(back) }
        }
        _ => Span { low: on(&routes.write), high: on(&routes.write) },
    };
    match read {
        Some(read) => Span {
            low: read * reads.low + (1.0 - read) * writes.low,
            high: read * reads.high + (1.0 - read) * writes.high,
        },
        None => Span { low: reads.low.min(writes.low), high: reads.high.max(writes.high) },
    }
}

/// The rate of every disk: its own where it was named, its volume's part, else an even part of what is left.
fn rates(resolved: &Resolved, observed: &Observed, figure: fn(&Figures) -> Option<f64>) -> Option<Vec<f64>> {
    let total = figure(&observed.total);
    let mut rates: Vec<Option<f64>> = vec![None; resolved.disks.len()];
    for part in &observed.parts {
        let Some(value) = figure(&part.figures) else { continue };
        if let Some(disk) = resolved.disks.iter().position(|disk| disk.name == part.name) {
            rates[disk] = Some(value);
            continue;
        }
        let volumes = resolved.volumes_of(&part.name).unwrap_or_default();
        let disks: Vec<usize> = volumes
            .iter()
            .flat_map(|volume| &resolved.blueprint.volumes[*volume].disks)
            .map(|disk| usize::from(disk.0))
            .collect();
        for disk in &disks {
            rates[*disk] = Some(value / disks.len() as f64);
        }
    }
    let known: f64 = rates.iter().flatten().sum();
    // The operating system's disk bears the load only where it is the only one or named.
    let data = resolved.disks.iter().any(|disk| !disk.is_os);
    let open: Vec<usize> = (0..rates.len())
        .filter(|disk| rates[*disk].is_none() && !(data && resolved.disks[*disk].is_os))
        .collect();
    let left = match total {
        Some(total) => (total - known).max(0.0),
        None if known > 0.0 => 0.0,
        None => return None,
    };
    for disk in &open {
        rates[*disk] = Some(left / open.len() as f64);
    }
    Some(rates.into_iter().map(|rate| rate.unwrap_or(0.0)).collect())
}

/// Every limit of the configuration that something of what was seen passes.
pub fn usages(resolved: &Resolved, observed: &Observed) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    let read_of = |disk: usize| {
        let named = observed.parts.iter().find(|part| part.name == resolved.disks[disk].name);
        named.and_then(|part| part.figures.read).or(observed.total.read)
    };
    let iops = rates(resolved, observed, |figures| figures.iops);
    let bytes = rates(resolved, observed, |figures| figures.throughput_bytes_per_s);
    for (index, gate) in resolved.blueprint.gates.iter().enumerate() {
        let band = &resolved.gate_bands[index];
        for dimension in Dimension::ALL {
            let Some(limit) = gate.limit(dimension) else { continue };
            let rates = match dimension {
                Dimension::Ios => &iops,
                Dimension::Bytes => &bytes,
            };
            let Some(rates) = rates else { continue };
            let (mut low, mut high) = (0.0, 0.0);
            for (disk, rate) in rates.iter().enumerate() {
                let pass = passes(&resolved.blueprint.disks[disk], GateId(index as u16), read_of(disk));
                let block = observed.total.block.unwrap_or(4096.0).round().max(1.0);
                let units = gate.charge.units(block as u64) as f64;
                let each = if dimension == Dimension::Ios { rate * units } else { *rate };
                low += each * pass.low;
                high += each * pass.high;
            }
            if high <= 0.0 {
                continue;
            }
            let published = limit.published as f64;
            let enforced = limit.enforced_micro(gate.factor) as f64 / 1e6;
            let mut most = limit.enforced.map_or(published * band.factor_high.as_f64(), |own| own as f64);
            if let (Dimension::Bytes, Some(high)) = (dimension, band.bytes_high) {
                most = most.max(band.factor_high.of(high) as f64);
            }
            let burst = gate.credit(dimension).map(|credit| {
                let above = (credit.burst as f64 - published).max(1.0);
                (credit.burst as f64, credit.capacity as f64 / above)
            });
            add(
                &mut usages,
                Usage {
                    group: gate.name.group.clone(),
                    dimension,
                    count: 1,
                    published,
                    enforced,
                    enforced_high: most,
                    used_low: low,
                    used_high: high,
                    fullest: high / published,
                    burst,
                },
            );
        }
    }
    usages
}

/// Adds a gate to its group.
fn add(usages: &mut Vec<Usage>, one: Usage) {
    let same = |usage: &&mut Usage| usage.group == one.group && usage.dimension == one.dimension;
    let Some(sum) = usages.iter_mut().find(same) else {
        usages.push(one);
        return;
    };
    sum.count += one.count;
    sum.published += one.published;
    sum.enforced += one.enforced;
    sum.enforced_high += one.enforced_high;
    sum.used_low += one.used_low;
    sum.used_high += one.used_high;
    sum.fullest = sum.fullest.max(one.fullest);
    sum.burst = match (sum.burst, one.burst) {
        (Some((rate, seconds)), Some((other, others))) => Some((rate + other, seconds.min(others))),
        _ => None,
    };
}

/// Whether any disk has a host cache.
pub(crate) fn has_cache(resolved: &Resolved) -> bool {
    resolved.disks.iter().any(|disk| disk.cache != CacheSetting::None)
}
