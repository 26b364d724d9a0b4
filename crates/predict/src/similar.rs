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
/// The share that a limiter lets through keeps three digits: in parts per million it is not divided below this.
const LEAST_FACTOR: u32 = 1_000;

/// Number of I/Os that each one stands for. More than one only where every job is a closed loop without a pace of its own,
/// all depths can be divided, and nothing but the limits has a size: neither credits nor dirty data.
pub(crate) fn stands_for(blueprint: &Blueprint, workload: &Workload, outstanding: u64) -> u64 {
    let sized = blueprint.has_credits()
        || blueprint.disks.iter().filter_map(|disk| disk.cache).any(|used| used.mode == CacheMode::ReadWrite);
    let depths = workload.jobs.iter().map(|job| match job.load {
        Load::Closed { depth, cap: None } if job.think.is_none() => Some(u64::from(depth)),
        _ => None,
    });
    let Some(depths) = depths.collect::<Option<Vec<u64>>>().filter(|_| !sized) else { return 1 };
    let least_factor = blueprint.limiters.iter().map(|limiter| limiter.factor.0).min().unwrap_or(u32::MAX);
    let most = outstanding / (LEAST_EACH * blueprint.disks.len().max(1) as u64);
    largest_divisor(depths.into_iter().fold(0, gcd), most.min(u64::from(least_factor / LEAST_FACTOR)))
}

/// The greatest number that divides both; that of zero and a number is the number.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The largest divisor of a number that is not above `most`; 1 where there is none.
fn largest_divisor(of: u64, most: u64) -> u64 {
    (1..=most.min(of)).rev().find(|by| of.is_multiple_of(*by)).unwrap_or(1)
}

/// Divides limits and depths.
pub(crate) fn divide(blueprint: &mut Blueprint, workload: &mut Workload, by: u64) {
    for limiter in &mut blueprint.limiters {
        for limit in [&mut limiter.ios, &mut limiter.bytes].into_iter().flatten() {
            limit.enforced = limit.enforced.map(|enforced| enforced / by);
        }
        limiter.factor = Ppm(limiter.factor.0 / by as u32);
    }
    for job in &mut workload.jobs {
        if let Load::Closed { depth, .. } = &mut job.load {
            *depth /= by as u32;
        }
    }
}
