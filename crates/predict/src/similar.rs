//! Deep queues in small: with limits and outstanding I/Os divided by the same number, every I/O takes as long as
//! before and a second has so many fewer of them. Each simulated I/O then stands for several.
//!
//! Slices, media times and the share of each queue stay as they are, so that Little's law holds on both sides. What
//! grows is the unevenness between disks, of about (disks ÷ outstanding): hence a least number for each disk.

use iobound_model::{Blueprint, CacheMode};
use iobound_units::Ppm;
use iobound_workload::{Load, Workload};

/// Outstanding I/Os that each disk keeps.
const LEAST_EACH: u64 = 256;

/// How many I/Os each one stands for. More than one only where every job is a closed loop without a pace of its own,
/// all depths can be divided, and nothing but the limits has a size: neither credits nor dirty data.
pub(crate) fn stands_for(blueprint: &Blueprint, workload: &Workload, outstanding: u64) -> u64 {
    let sized = blueprint.gates.iter().any(|gate| gate.credits.is_some())
        || blueprint.disks.iter().filter_map(|disk| disk.cache).any(|used| used.mode == CacheMode::ReadWrite);
    let depths = workload.jobs.iter().map(|job| match job.load {
        Load::Closed { depth, cap: None } if job.think.is_none() => Some(u64::from(depth)),
        _ => None,
    });
    let Some(depths) = depths.collect::<Option<Vec<u64>>>().filter(|_| !sized) else { return 1 };
    let most = outstanding / (LEAST_EACH * blueprint.disks.len().max(1) as u64);
    (1..=most).rev().find(|by| depths.iter().all(|depth| depth % by == 0)).unwrap_or(1)
}

/// Divides limits and depths.
pub(crate) fn divide(blueprint: &mut Blueprint, workload: &mut Workload, by: u64) {
    for gate in &mut blueprint.gates {
        for limit in [&mut gate.ios, &mut gate.bytes].into_iter().flatten() {
            limit.enforced = limit.enforced.map(|enforced| enforced / by);
        }
        gate.factor = Ppm(gate.factor.0 / by as u32);
    }
    for job in &mut workload.jobs {
        if let Load::Closed { depth, .. } = &mut job.load {
            *depth /= by as u32;
        }
    }
}
