//! Blueprints in a few words.

use iobound_model::{
    Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, Charge, Discipline, DiskId, DiskSpec, GateId,
    GateName, GateSpec, Latency, Limit, Media, Routes, Start, StartCredits, VolumeSpec,
};
use iobound_units::{Bytes, Ppm, Span, TargetId};

pub(crate) const US: u64 = 1_000;
pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000_000_000;
pub(crate) const KIB: u32 = 1 << 10;
pub(crate) const MIB: u32 = 1 << 20;

/// Azure's premium discipline: slices of 50 ms.
pub(crate) const SLICE: Discipline = Discipline::Slice { length: Span::from_ms(50) };
/// AWS's: a bucket of one second.
pub(crate) const BUCKET: Discipline = Discipline::Bucket { depth: Span::from_secs(1) };
/// What Azure's premium gates enforce of what is published.
pub(crate) const PREMIUM: Ppm = Ppm(1_020_000);

pub(crate) const FULL: Start = Start { seed: 1, credits: StartCredits::Full };
pub(crate) const SPENT: Start = Start { seed: 1, credits: StartCredits::Spent };

pub(crate) fn start(seed: u64) -> Start {
    Start { seed, credits: StartCredits::Full }
}

/// A gate that limits nothing yet.
pub(crate) fn gate(name: &str, discipline: Discipline, factor: Ppm) -> GateSpec {
    GateSpec {
        name: GateName::only(name),
        ios: None,
        bytes: None,
        charge: Charge::Per(Bytes::kib(256)),
        discipline,
        factor,
        credits: None,
    }
}

/// A premium gate: IOPS and bytes a second as published.
pub(crate) fn premium(name: &str, iops: u64, bytes: u64) -> GateSpec {
    limited(name, SLICE, PREMIUM, Some(iops), Some(bytes))
}

pub(crate) fn limited(
    name: &str,
    discipline: Discipline,
    factor: Ppm,
    iops: Option<u64>,
    bytes: Option<u64>,
) -> GateSpec {
    GateSpec {
        ios: iops.map(Limit::published),
        bytes: bytes.map(Limit::published),
        ..gate(name, discipline, factor)
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

/// A disk without host cache behind these gates.
pub(crate) fn disk(media: Media, gates: &[u16]) -> DiskSpec {
    let route: Vec<GateId> = gates.iter().map(|gate| GateId(*gate)).collect();
    DiskSpec {
        name: "disk".into(),
        size: Bytes::gib(64),
        media,
        routes: Routes { read: route.clone(), write: route, ..Routes::default() },
        cache: None,
        max_transfer: Bytes::kib(256),
    }
}

/// A disk behind cache 0 and Azure's gates: 0 is the VM's cached one, 1 its uncached one, then its own.
pub(crate) fn cached_disk(media: Media, mode: CacheMode, own_gates: &[u16]) -> DiskSpec {
    let ids = |gates: &[u16]| -> Vec<GateId> { gates.iter().map(|gate| GateId(*gate)).collect() };
    let back = [&[1], own_gates].concat();
    let through = [&[0, 1], own_gates].concat();
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
pub(crate) fn apart(gates: Vec<GateSpec>, disks: Vec<DiskSpec>) -> Blueprint {
    let volumes = disks.iter().enumerate().map(|(n, disk)| volume(&[n as u16], disk.size, 1)).collect();
    Blueprint { volumes, disks, caches: Vec::new(), gates }
}

/// All disks one stripe at 64 KiB.
pub(crate) fn striped(gates: Vec<GateSpec>, disks: Vec<DiskSpec>) -> Blueprint {
    let ids: Vec<u16> = (0..disks.len() as u16).collect();
    let size = Bytes(disks[0].size.get() * disks.len() as u64);
    let volumes = vec![volume(&ids, size, disks.len() as u16)];
    Blueprint { volumes, disks, caches: Vec::new(), gates }
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

/// Azure's shape: gate 0 is the VM's cached one, 1 its uncached one, 2 + n that of disk n; cache 0.
pub(crate) fn azure(
    cached: GateSpec,
    uncached: GateSpec,
    cache: CacheSpec,
    disks: Vec<(GateSpec, Media, Option<CacheMode>)>,
) -> Blueprint {
    let mut gates = vec![cached, uncached];
    let mut specs = Vec::new();
    for (n, (own, media, mode)) in disks.into_iter().enumerate() {
        let id = 2 + n as u16;
        gates.push(GateSpec { name: GateName::of("disk", &format!("data.{n}")), ..own });
        specs.push(match mode {
            None => disk(media, &[1, id]),
            Some(mode) => cached_disk(media, mode, &[id]),
        });
    }
    Blueprint { caches: vec![cache], ..apart(gates, specs) }
}

pub(crate) const fn target(n: u16) -> TargetId {
    TargetId(n)
}

/// Of [`one_disk`]: a hit or an acknowledgement, and what reaches the disk.
pub(crate) const ACK: u64 = 60 * US;
pub(crate) const WRITE: u64 = 2 * MS;

/// A gate that limits nothing that a test does.
pub(crate) fn wide(name: &str) -> GateSpec {
    limited(name, SLICE, Ppm::ONE, Some(1_000_000), None)
}

/// A disk's gate, as published.
pub(crate) fn iops(iops: u64) -> GateSpec {
    limited("disk", SLICE, Ppm::ONE, Some(iops), None)
}

/// A VM that limits nothing, with one disk of 64 GiB and a cache of 4.
pub(crate) fn one_disk(own: GateSpec, mode: Option<CacheMode>) -> Blueprint {
    azure(wide("vm.cached"), wide("vm.uncached"), cache(Bytes::gib(4)), vec![(own, constant(WRITE), mode)])
}
