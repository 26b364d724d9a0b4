//! What a simulation used of every limit, and what each volume and disk did in it.

use iobound_measure::summary;
use iobound_model::{Blueprint, Dimension, GateId};

use crate::binding::Binding;
use crate::simulate::Simulated;

/// A limit and what is used of it: of all gates of a group (all disks) together.
#[derive(Clone, Debug, PartialEq)]
pub struct GateUse {
    /// `disk.iops`.
    pub name: String,
    /// What it counts.
    pub dimension: Dimension,
    /// How many gates it is.
    pub count: usize,
    /// What is published, a second.
    pub limit: f64,
    /// What is enforced, a second.
    pub enforced: f64,
    /// Used, a second.
    pub used: f64,
    /// The fullest of them: used ÷ enforced.
    pub share: f64,
    /// How long an I/O was held here for this, on average, in µs.
    pub held_us: f64,
}

/// A volume's or a disk's own figures.
#[derive(Clone, Debug, PartialEq)]
pub struct PartUse {
    /// Its name.
    pub name: String,
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
}

/// Used a second, of a gate's limit in one dimension.
fn used(simulated: &Simulated, gate: usize, dimension: Dimension) -> f64 {
    let state = &simulated.gates[gate];
    let used = if dimension == Dimension::Ios { state.units } else { state.bytes };
    used as f64 / simulated.measured.window().secs_f64()
}

pub(crate) fn gate_shares(simulated: &Simulated, limits: &[[Option<f64>; 2]]) -> Vec<[Option<f64>; 2]> {
    let of =
        |gate: usize, d: Dimension| limits[gate][d as usize].map(|limit| used(simulated, gate, d) / limit);
    (0..limits.len()).map(|gate| Dimension::ALL.map(|dimension| of(gate, dimension))).collect()
}

pub(crate) fn gate_uses(
    blueprint: &Blueprint,
    simulated: &Simulated,
    limits: &[[Option<f64>; 2]],
) -> Vec<GateUse> {
    let ios: u64 =
        simulated.measured.jobs.iter().map(|job| job.by_op[0].count() + job.by_op[1].count()).sum();
    let mut uses: Vec<GateUse> = Vec::new();
    for (index, gate) in blueprint.gates.iter().enumerate() {
        let state = &simulated.gates[index];
        for dimension in Dimension::ALL {
            let d = dimension as usize;
            let (Some(limit), Some(enforced)) = (gate.limit(dimension), limits[index][d]) else { continue };
            let used = used(simulated, index, dimension);
            let held_us = state.held_ns[d] as f64 / 1e3 / ios.max(1) as f64;
            let name = Binding::of(blueprint, GateId(index as u16), dimension).to_string();
            let share = used / enforced;
            if let Some(sum) = uses.iter_mut().find(|sum| sum.name == name) {
                sum.count += 1;
                sum.limit += limit.published as f64;
                sum.enforced += enforced;
                sum.used += used;
                sum.share = sum.share.max(share);
                sum.held_us += held_us;
            } else {
                let limit = limit.published as f64;
                uses.push(GateUse { name, dimension, count: 1, limit, enforced, used, share, held_us });
            }
        }
    }
    uses
}

pub(crate) fn volumes_of(blueprint: &Blueprint, simulated: &Simulated) -> Vec<PartUse> {
    let targets = blueprint.volumes.iter().enumerate();
    let times = simulated.stands_for as f64;
    targets
        .map(|(index, volume)| {
            let figures = summary::target(&simulated.measured, iobound_units::TargetId(index as u16)).total;
            PartUse {
                name: volume.name.clone(),
                iops: times * figures.iops.unwrap_or(0.0),
                throughput_bytes_per_s: times * figures.throughput_bytes_per_s.unwrap_or(0.0),
            }
        })
        .collect()
}

pub(crate) fn disks_of(blueprint: &Blueprint, simulated: &Simulated) -> Vec<PartUse> {
    let seconds = simulated.measured.window().secs_f64();
    let disks = blueprint.disks.iter().zip(&simulated.disks);
    disks
        .map(|(disk, state)| PartUse {
            name: disk.name.clone(),
            iops: state.ios as f64 / seconds,
            throughput_bytes_per_s: state.bytes as f64 / seconds,
        })
        .collect()
}
