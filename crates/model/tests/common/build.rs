//! Blueprints in a few words.

use iobound_model::{
    Algorithm, Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, Charge, DiskId, DiskSpec, Latency, Limit,
    LimiterId, LimiterName, LimiterSpec, Media, Routes, Start, StartCredits, VolumeSpec,
};
use iobound_units::{Bytes, Ppm, Span, TargetId};

pub(crate) const US: u64 = 1_000;
pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000_000_000;
pub(crate) const KIB: u32 = 1 << 10;
pub(crate) const MIB: u32 = 1 << 20;

/// Azure's premium algorithm: slices of 50 ms.
pub(crate) const SLICE: Algorithm = Algorithm::Slice { length: Span::from_ms(50) };
/// AWS's: a bucket of one second.
pub(crate) const BUCKET: Algorithm = Algorithm::Bucket { depth: Span::from_secs(1) };
/// What Azure's premium limiters enforce of what is published.
pub(crate) const PREMIUM: Ppm = Ppm(1_020_000);

pub(crate) const FULL: Start = Start { seed: 1, credits: StartCredits::Full };
pub(crate) const SPENT: Start = Start { seed: 1, credits: StartCredits::Spent };

pub(crate) fn start(seed: u64) -> Start {
    Start { seed, credits: StartCredits::Full }
}

/// A limiter that limits nothing yet.
pub(crate) fn limiter(name: &str, algorithm: Algorithm, factor: Ppm) -> LimiterSpec {
    LimiterSpec {
        name: LimiterName::only(name),
        ios: None,
        bytes: None,
        charge: Charge::Per(Bytes::kib(256)),
        algorithm,
        factor,
        credits: None,
    }
}

/// A premium limiter: IOPS and bytes a second as published.
pub(crate) fn premium(name: &str, iops: u64, bytes: u64) -> LimiterSpec {
    limited(name, SLICE, PREMIUM, Some(iops), Some(bytes))
}

pub(crate) fn limited(
    name: &str,
    algorithm: Algorithm,
    factor: Ppm,
    iops: Option<u64>,
    bytes: Option<u64>,
) -> LimiterSpec {
    LimiterSpec {
        ios: iops.map(Limit::published),
        bytes: bytes.map(Limit::published),
        ..limiter(name, algorithm, factor)
    }
}

/// The same time for every I/O.
pub(crate) fn constant(ns: u64) -> Media {
    let latency = Latency::constant(Span::from_ns(ns));
    Media { read: latency, write: latency }
}

/// 20 ms on average, mostly an exponential, so that what is issued first is often not done first.
pub(crate) fn scattered() -> Media {
    let latency = Latency { mean: Span::from_ms(20), floor: Ppm(100_000), per_kib: Span::ZERO };
    Media { read: latency, write: latency }
}

/// A disk without host cache behind these limiters.
pub(crate) fn disk(media: Media, limiters: &[u16]) -> DiskSpec {
    let route: Vec<LimiterId> = limiters.iter().map(|limiter| LimiterId(*limiter)).collect();
    DiskSpec {
        name: "disk".into(),
        size: Bytes::gib(64),
        media,
        routes: Routes { read: route.clone(), write: route, ..Routes::default() },
        cache: None,
        max_transfer: Bytes::kib(256),
    }
}

/// A disk behind cache 0 and Azure's limiters: 0 is the VM's cached one, 1 its uncached one, then its own.
pub(crate) fn cached_disk(media: Media, mode: CacheMode, own_limiters: &[u16]) -> DiskSpec {
    let ids =
        |limiters: &[u16]| -> Vec<LimiterId> { limiters.iter().map(|limiter| LimiterId(*limiter)).collect() };
    let back = [&[1], own_limiters].concat();
    let through = [&[0, 1], own_limiters].concat();
    DiskSpec {
        routes: Routes {
            read_hit: ids(&[0]),
            read: ids(&through),
            write: ids(&through),
            write_ack: ids(&[0]),
            write_back: ids(&back),
        },
        cache: Some(CacheUse { cache: CacheId(0), mode }),
        ..disk(media, &[])
    }
}

/// A host cache of that capacity, in lines of 64 KiB, that answers in 60 µs.
pub(crate) fn cache(capacity: Bytes) -> CacheSpec {
    let latency = Latency::constant(Span::from_us(60));
    CacheSpec {
        capacity,
        line: Bytes::kib(64),
        hit: latency,
        ack: latency,
        dirty_high: Bytes::gib(1),
        dirty_low: Bytes::mib(512),
    }
}

/// Each disk a volume of its own, with the disk's number.
pub(crate) fn apart(limiters: Vec<LimiterSpec>, disks: Vec<DiskSpec>) -> Blueprint {
    let volumes = disks.iter().enumerate().map(|(n, disk)| volume(&[n as u16], disk.size, 1)).collect();
    Blueprint { volumes, disks, caches: Vec::new(), limiters }
}

/// All disks one stripe at 64 KiB.
pub(crate) fn striped(limiters: Vec<LimiterSpec>, disks: Vec<DiskSpec>) -> Blueprint {
    let ids: Vec<u16> = (0..disks.len() as u16).collect();
    let size = Bytes(disks[0].size.get() * disks.len() as u64);
    let volumes = vec![volume(&ids, size, disks.len() as u16)];
    Blueprint { volumes, disks, caches: Vec::new(), limiters }
}

pub(crate) fn volume(disks: &[u16], size: Bytes, columns: u16) -> VolumeSpec {
    VolumeSpec {
        name: format!("data{}", disks[0]),
        size,
        disks: disks.iter().map(|disk| DiskId(*disk)).collect(),
        columns,
        interleave: Bytes::kib(64),
        partition_offset: Bytes::ZERO,
    }
}

/// Azure's shape: limiter 0 is the VM's cached one, 1 its uncached one, 2 + n that of disk n; cache 0.
pub(crate) fn azure(
    cached: LimiterSpec,
    uncached: LimiterSpec,
    cache: CacheSpec,
    disks: Vec<(LimiterSpec, Media, Option<CacheMode>)>,
) -> Blueprint {
    let mut limiters = vec![cached, uncached];
    let mut specs = Vec::new();
    for (n, (own, media, mode)) in disks.into_iter().enumerate() {
        let id = 2 + n as u16;
        limiters.push(LimiterSpec { name: LimiterName::of("disk", &format!("data.{n}")), ..own });
        specs.push(match mode {
            None => disk(media, &[1, id]),
            Some(mode) => cached_disk(media, mode, &[id]),
        });
    }
    Blueprint { caches: vec![cache], ..apart(limiters, specs) }
}

pub(crate) const fn target(n: u16) -> TargetId {
    TargetId(n)
}

/// Of [`one_disk`]: a hit or an acknowledgement, and what reaches the disk.
pub(crate) const ACK: u64 = 60 * US;
pub(crate) const WRITE: u64 = 2 * MS;

/// A limiter that limits nothing that a test does.
pub(crate) fn wide(name: &str) -> LimiterSpec {
    limited(name, SLICE, Ppm::ONE, Some(1_000_000), None)
}

/// A disk's limiter, as published.
pub(crate) fn iops(iops: u64) -> LimiterSpec {
    limited("disk", SLICE, Ppm::ONE, Some(iops), None)
}

/// A VM that limits nothing, with one disk of 64 GiB and a cache of 4.
pub(crate) fn one_disk(own: LimiterSpec, mode: Option<CacheMode>) -> Blueprint {
    azure(wide("vm.cached"), wide("vm.uncached"), cache(Bytes::gib(4)), vec![(own, constant(WRITE), mode)])
}
