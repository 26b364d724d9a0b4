//! Disks with secret parameters, drawn from a seed.
#![allow(clippy::disallowed_methods, reason = "a last digit of a parameter may differ between machines")]

use iobound_model::{
    Algorithm, Blueprint, ByteCharge, CacheId, CacheMode, CacheSpec, CacheUse, Charge, Credit, Credits,
    Latency, Limit, LimiterId, LimiterName, LimiterSpec, Merge, VolumeSpec,
};
use iobound_units::{Bytes, Ppm, Span};
use iobound_workload::Random;

/// A disk, and its parameters as the probe should find them.
#[derive(Clone, Debug)]
pub(crate) struct Hidden {
    pub(crate) kind: &'static str,
    pub(crate) blueprint: Blueprint,
    pub(crate) iops: f64,
    pub(crate) bytes: f64,
    pub(crate) charge: Charge,
    pub(crate) algorithm: Algorithm,
    /// Rate and size of the burst of I/Os.
    pub(crate) burst: Option<(f64, f64)>,
    pub(crate) media: Latency,
    /// Latency of a hit, and size.
    pub(crate) cache: Option<(Latency, u64)>,
    /// Rate that the targets share, and which do.
    pub(crate) shared: Option<(f64, Vec<usize>)>,
}

/// Draws between two values, evenly on a scale of ratios.
fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.unit())
}

fn media(random: &mut Random) -> Latency {
    Latency {
        mean: Span::from_ns(between(random, 0.2e6, 3e6) as u64),
        floor: Ppm(800_000),
        per_kib: Span::from_ns(between(random, 500.0, 15_000.0) as u64),
    }
}

fn charge(random: &mut Random) -> Charge {
    let unit = Bytes::kib([16, 64, 256, 1024][random.below(4) as usize]);
    match random.below(4) {
        0 => Charge::Each,
        1 => Charge::Merged(Merge {
            unit: Bytes::kib(256),
            least: Bytes::kib(32),
            bytes: ByteCharge::Moved,
            streams: 4,
        }),
        _ => Charge::Per(unit),
    }
}

/// The disk of a seed.
#[allow(dead_code, reason = "the score names a size")]
pub(crate) fn hidden(seed: u64) -> Hidden {
    hidden_of_size(seed, Bytes::gib(512))
}

/// The disk of a seed, with another size.
pub(crate) fn hidden_of_size(seed: u64, size: Bytes) -> Hidden {
    let mut random = Random::keyed(&[0x9_0be, seed]);
    let kind = ["slices", "bucket", "credits", "cache", "shared"][(seed % 5) as usize];
    let iops = between(&mut random, 300.0, 15_000.0).round();
    let bytes = (iops * between(&mut random, 16.0, 1_500.0) * 1024.0).clamp(15e6, 1_500e6).round();
    let charge = charge(&mut random);
    let slice =
        Algorithm::Slice { length: Span::from_ns((between(&mut random, 6e6, 200e6).max(3e9 / iops)) as u64) };
    let bucket = Algorithm::Bucket { depth: Span::from_ns(between(&mut random, 30e6, 2e9) as u64) };
    let algorithm = match kind {
        "slices" => slice,
        "bucket" => bucket,
        _ if random.below(2) == 0 => slice,
        _ => bucket,
    };
    let media = media(&mut random);
    let burst = (kind == "credits").then(|| {
        let rate = iops * between(&mut random, 2.0, 6.0);
        (rate.round(), ((rate - iops) * between(&mut random, 4.0, 40.0)).round())
    });
    let cache = (kind == "cache").then(|| {
        let hit = Latency { mean: media.mean_for(4096), ..media };
        let hit = Latency { mean: Span::from_ns(hit.mean.ns() / (3 + random.below(8))), ..hit };
        (hit, (between(&mut random, 200.0, 3_000.0) as u64) << 20)
    });
    let count = if kind == "shared" { 2 + random.below(3) as u16 } else { 1 };
    let mut blueprint = Blueprint { ..Blueprint::striped("data", count, size, media) };
    blueprint.volumes = (0..count)
        .map(|n| VolumeSpec { name: format!("data.{n}"), ..VolumeSpec::striped("", [n], size) })
        .collect();
    let credits = burst.map(|(rate, size)| Credits {
        ios: Some(Credit { burst: rate as u64, capacity: size as u64 }),
        bytes: None,
    });
    let limiter = |name: LimiterName, ios: f64, bytes: Option<f64>| LimiterSpec {
        name,
        ios: Some(Limit::published(ios as u64)),
        bytes: bytes.map(|bytes| Limit::published(bytes as u64)),
        charge,
        algorithm,
        factor: Ppm::ONE,
        credits,
    };
    let shared = (kind == "shared").then(|| {
        let members: Vec<usize> = (0..usize::from(count)).filter(|n| *n < 2 || random.below(3) > 0).collect();
        (iops * members.len() as f64 * (0.45 + 0.4 * random.unit()), members)
    });
    for n in 0..count {
        blueprint.limiters.push(limiter(LimiterName::of("disk", &format!("{n}")), iops, Some(bytes)));
        let disk = &mut blueprint.disks[usize::from(n)];
        disk.max_transfer = Bytes::mib(4);
        (disk.routes.read, disk.routes.write) = (vec![LimiterId(n)], vec![LimiterId(n)]);
    }
    if let Some((rate, members)) = &shared {
        blueprint.limiters.push(limiter(LimiterName::only("vm"), rate.round(), None));
        for member in members {
            let routes = &mut blueprint.disks[*member].routes;
            (routes.read, routes.write) = (
                vec![LimiterId(count), LimiterId(*member as u16)],
                vec![LimiterId(count), LimiterId(*member as u16)],
            );
        }
    }
    if let Some((hit, size)) = cache {
        blueprint.limiters.push(limiter(LimiterName::only("cached"), (iops * 3.0).round(), None));
        blueprint.caches.push(CacheSpec {
            capacity: Bytes(size),
            line: Bytes::kib(64),
            hit,
            ack: hit,
            dirty_high: Bytes::gib(1),
            dirty_low: Bytes::ZERO,
        });
        let disk = &mut blueprint.disks[0];
        disk.cache = Some(CacheUse { cache: CacheId(0), mode: CacheMode::ReadOnly });
        disk.routes.read_hit = vec![LimiterId(1)];
        disk.routes.read = vec![LimiterId(1), LimiterId(0)];
        disk.routes.write = vec![LimiterId(1), LimiterId(0)];
    }
    Hidden { kind, blueprint, iops, bytes, charge, algorithm, burst, media, cache, shared }
}

/// A disk without any limit.
pub(crate) fn unlimited(seed: u64) -> Blueprint {
    let mut random = Random::keyed(&[0xf_4ee, seed]);
    let latency = media(&mut random);
    Blueprint::striped("data", 1, Bytes::gib(256), latency)
}
