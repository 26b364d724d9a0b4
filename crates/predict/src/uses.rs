//! Use of every limit in a simulation, and what each volume and disk did in it.

use iobound_measure::summary;
use iobound_model::{Blueprint, Dimension, LimiterId, LimiterState};

use crate::binding::Binding;
use crate::simulate::Simulated;

/// A limit and what is used of it: all limiters of one name and one family together, such as the disks of one `--disk`.
#[derive(Clone, Debug, PartialEq)]
pub struct LimiterUse {
    /// `disk.iops`.
    pub name: String,
    /// The family of limiters, where the name stands for several: `data` beside `log`, `read` beside `write`.
    pub of: Option<String>,
    /// The quantity that it counts.
    pub dimension: Dimension,
    /// Number of limiters.
    pub count: usize,
    /// The published limit, a second.
    pub limit: f64,
    /// The published burst limit, a second, where credits are left and the burst limit is in force.
    pub burst: Option<f64>,
    /// The enforced limit, a second: of the burst limit while it is in force.
    pub enforced: f64,
    /// Used, a second.
    pub used: f64,
    /// The fullest of them: used ÷ enforced.
    pub share: f64,
    /// Time that an I/O was held here for this, on average, in µs.
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

/// What limiters let pass in some time.
pub(crate) struct PassedBy<'a> {
    /// By limiter: the counters of that time.
    pub(crate) limiters: &'a [LimiterState],
    pub(crate) seconds: f64,
    /// Reads and writes.
    pub(crate) ios: u64,
}

impl<'a> PassedBy<'a> {
    fn of(simulated: &'a Simulated) -> PassedBy<'a> {
        let jobs = simulated.measured.jobs.iter();
        PassedBy {
            limiters: &simulated.limiters,
            seconds: simulated.measured.window().secs_f64(),
            ios: jobs.map(|job| job.by_op[0].count() + job.by_op[1].count()).sum(),
        }
    }

    /// Used a second, of a limiter's limit in one dimension.
    pub(crate) fn used(&self, limiter: usize, dimension: Dimension) -> f64 {
        let state = &self.limiters[limiter];
        let used = if dimension == Dimension::Ios { state.units } else { state.bytes };
        used as f64 / self.seconds
    }
}

pub(crate) fn limiter_shares(simulated: &Simulated, limits: &[[Option<f64>; 2]]) -> Vec<[Option<f64>; 2]> {
    let passed = PassedBy::of(simulated);
    let of = |limiter: usize, d: Dimension| {
        limits[limiter][d as usize].map(|limit| passed.used(limiter, d) / limit)
    };
    (0..limits.len()).map(|limiter| Dimension::ALL.map(|dimension| of(limiter, dimension))).collect()
}

pub(crate) fn limiter_uses(
    blueprint: &Blueprint,
    simulated: &Simulated,
    limits: &[[Option<f64>; 2]],
) -> Vec<LimiterUse> {
    uses_of(blueprint, &PassedBy::of(simulated), limits)
}

/// The uses of these limits, a second by limiter and dimension, in some time.
pub(crate) fn uses_of(
    blueprint: &Blueprint,
    passed: &PassedBy<'_>,
    limits: &[[Option<f64>; 2]],
) -> Vec<LimiterUse> {
    let mut uses: Vec<LimiterUse> = Vec::new();
    for (index, limiter) in blueprint.limiters.iter().enumerate() {
        let state = &passed.limiters[index];
        for dimension in Dimension::ALL {
            let d = dimension as usize;
            let (Some(limit), Some(enforced)) = (limiter.limit(dimension), limits[index][d]) else {
                continue;
            };
            let used = passed.used(index, dimension);
            let held_us = state.held_ns[d] as f64 / 1e3 / passed.ios.max(1) as f64;
            let name = Binding::of(blueprint, LimiterId(index as u16), dimension).to_string();
            let share = used / enforced;
            let of = limiter.name.family();
            let published = limit.published as f64;
            let burst = limiter.credit(dimension).map(|credit| credit.burst as f64);
            let burst = burst.filter(|burst| enforced >= burst * limiter.factor.as_f64() * (1.0 - 1e-9));
            if let Some(sum) = uses.iter_mut().find(|sum| sum.name == name && sum.of == of) {
                // Disks of one family may differ in what is left of their credits.
                let either = (sum.burst.is_some() || burst.is_some())
                    .then(|| sum.burst.unwrap_or(sum.limit) + burst.unwrap_or(published));
                sum.count += 1;
                sum.limit += published;
                sum.burst = either;
                sum.enforced += enforced;
                sum.used += used;
                sum.share = sum.share.max(share);
                sum.held_us += held_us;
            } else {
                let limit = published;
                uses.push(LimiterUse {
                    name,
                    of,
                    dimension,
                    count: 1,
                    limit,
                    burst,
                    enforced,
                    used,
                    share,
                    held_us,
                });
            }
        }
    }
    name_families(&mut uses);
    uses
}

/// Leaves a family out where it is the only one of its name.
fn name_families(uses: &mut [LimiterUse]) {
    let names: Vec<String> = uses.iter().map(|limiter| limiter.name.clone()).collect();
    for limiter in uses {
        if names.iter().filter(|name| **name == limiter.name).count() == 1 {
            limiter.of = None;
        }
    }
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
