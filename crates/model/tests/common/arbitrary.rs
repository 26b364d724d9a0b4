//! Any blueprint that can be built, any I/Os that fit it, any change.

use iobound_model::{
    Algorithm, BadHost, Blueprint, ByteCharge, CacheId, CacheMode, CacheSpec, CacheUse, Change, Charge,
    Credit, Credits, Dimension, DiskId, DiskSpec, Fault, Latency, Limit, LimiterId, LimiterName, LimiterSpec,
    Media, Merge, Routes, Start, StartCredits, VolumeSpec,
};
use iobound_units::{Bytes, Instant, Io, Op, Ppm, Span, TargetId};
use proptest::prelude::*;

use super::build::{MS, S, US};

/// This number of cases, and no files beside the tests.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn credit(limit: Option<Limit>, times: u64, capacity: u64) -> Option<Credit> {
    let burst = limit?.published.max(limit?.enforced.unwrap_or(0)) * times;
    Some(Credit { burst: burst * 2, capacity })
}

pub(crate) fn limiter_spec() -> impl Strategy<Value = LimiterSpec> {
    let algorithm = prop_oneof![
        (100 * US..200 * MS).prop_map(|ns| Algorithm::Slice { length: Span::from_ns(ns) }),
        (100 * US..2 * S).prop_map(|ns| Algorithm::Bucket { depth: Span::from_ns(ns) }),
    ];
    let charge = prop_oneof![
        Just(Charge::Each),
        Just(Charge::Per(Bytes::kib(256))),
        (512u64..1_000_000).prop_map(|unit| Charge::Per(Bytes(unit))),
        (512u64..2_000_000, 0..=512u64, any::<bool>()).prop_map(|(unit, least, whole)| {
            let bytes = if whole { ByteCharge::WholeUnits } else { ByteCharge::Moved };
            Charge::Merged(Merge { unit: Bytes(unit), least: Bytes(least * unit / 512), bytes, streams: 1 })
        }),
    ];
    let limit = |range: std::ops::Range<u64>| {
        let limit = (range.clone(), prop::option::weighted(0.1, range))
            .prop_map(|(published, enforced)| Limit { published, enforced });
        prop::option::weighted(0.7, limit)
    };
    let credits = prop::option::weighted(0.3, (1u64..5, 0u64..1_000_000, any::<bool>(), any::<bool>()));
    (algorithm, charge, limit(20..20_000), limit(200_000..2_000_000_000), 500_000u32..1_500_000, credits)
        .prop_map(|(algorithm, charge, ios, bytes, factor, credits)| LimiterSpec {
            name: LimiterName::only("limiter"),
            ios,
            bytes,
            charge,
            algorithm,
            factor: Ppm(factor),
            credits: credits.map(|(times, capacity, of_ios, of_bytes)| Credits {
                ios: credit(ios.filter(|_| of_ios), times, capacity),
                bytes: credit(bytes.filter(|_| of_bytes), times, capacity * 4_096),
            }),
        })
}

fn latency() -> impl Strategy<Value = Latency> {
    (0u64..20 * MS, 0u32..=1_000_000, 0u64..50 * US).prop_map(|(mean, floor, per_kib)| Latency {
        mean: Span::from_ns(mean),
        floor: Ppm(floor),
        per_kib: Span::from_ns(per_kib),
    })
}

pub(crate) fn disk_spec(limiters: u16, caches: u16) -> impl Strategy<Value = DiskSpec> {
    let route = move || prop::collection::vec((0..limiters).prop_map(LimiterId), 0..=4);
    let mode = prop::sample::select(vec![CacheMode::ReadOnly, CacheMode::ReadWrite]);
    let cache =
        (0..caches.max(1), mode).prop_map(move |(cache, mode)| CacheUse { cache: CacheId(cache), mode });
    (
        (latency(), latency(), 1u64 << 20..64 << 20, 4_096u64..1 << 20),
        (route(), route(), route(), route(), route()),
        prop::option::weighted(0.7, cache),
    )
        .prop_map(move |((read, write, size, max_transfer), routes, cache)| DiskSpec {
            name: "disk".into(),
            size: Bytes(size),
            media: Media { read, write },
            routes: Routes {
                read_hit: routes.0,
                read: routes.1,
                write: routes.2,
                write_ack: routes.3,
                write_back: routes.4,
            },
            cache: cache.filter(|_| caches > 0),
            max_transfer: Bytes(max_transfer),
        })
}

fn cache_spec() -> impl Strategy<Value = CacheSpec> {
    (0u64..32 << 20, 9u32..18, latency(), latency(), 1u64..8 << 20, 0u64..=100).prop_map(
        |(capacity, line, hit, ack, high, low)| CacheSpec {
            capacity: Bytes(capacity),
            line: Bytes(1 << line),
            hit,
            ack,
            dirty_high: Bytes(high),
            dirty_low: Bytes(high * low / 100),
        },
    )
}

/// One to six disks, apart and striped, behind whatever limiters and caches.
pub(crate) fn blueprint() -> impl Strategy<Value = Blueprint> {
    (1u16..6, 0u16..3, 1u16..7).prop_flat_map(|(limiters, caches, disks)| {
        let volumes = prop::collection::vec(shape(disks), 1..4);
        (
            prop::collection::vec(limiter_spec(), usize::from(limiters)),
            prop::collection::vec(cache_spec(), usize::from(caches)),
            prop::collection::vec(disk_spec(limiters, caches), usize::from(disks)),
            volumes,
        )
            .prop_map(|(limiters, caches, disks, volumes)| {
                let volumes = volumes.into_iter().map(|shape| volume(&disks, shape)).collect();
                Blueprint { volumes, disks, caches, limiters }
            })
    })
}

fn volume(disks: &[DiskSpec], (first, columns, groups, interleave, partition_offset): Shape) -> VolumeSpec {
    let room = disks.len() as u16 - first;
    let columns = columns.min(room);
    let groups = groups.min(room / columns);
    let members: Vec<DiskId> = (first..first + columns * groups).map(DiskId).collect();
    let smallest = members.iter().map(|id| disks[usize::from(id.0)].size.get()).min().unwrap_or(0);
    let interleave = 512 + interleave * 1_000;
    let each = if members.len() == 1 { smallest } else { smallest / interleave * interleave };
    VolumeSpec {
        name: format!("data{first}"),
        size: Bytes(each * members.len() as u64 - partition_offset),
        disks: members,
        columns,
        interleave: Bytes(interleave),
        partition_offset: Bytes(partition_offset),
    }
}

pub(crate) fn any_start() -> impl Strategy<Value = Start> {
    (any::<u64>(), any::<bool>()).prop_map(|(seed, full)| Start {
        seed,
        credits: if full { StartCredits::Full } else { StartCredits::Spent },
    })
}

/// An I/O before it is known what volumes there are: fractions of 2^16.
pub(crate) type Sketch = (u64, Op, u16, u16, u32, bool);

pub(crate) fn sketches(most: usize) -> impl Strategy<Value = Vec<Sketch>> {
    let gap = prop_oneof![3 => Just(0u64), 5 => 0..2 * MS, 2 => 0..60 * MS, 1 => 0..2 * S];
    let op =
        prop_oneof![6 => Just(Op::Read), 8 => Just(Op::Write), 1 => Just(Op::Flush), 1 => Just(Op::Discard)];
    let len = prop_oneof![5 => 1u32..20_000, 2 => 1u32..600_000, 1 => 1u32..3_000_000];
    prop::collection::vec((gap, op, any::<u16>(), any::<u16>(), len, prop::bool::weighted(0.1)), 1..most)
}

/// The I/Os that fit the blueprint's volumes.
pub(crate) fn trace(blueprint: &Blueprint, sketches: &[Sketch]) -> Vec<(u64, Io)> {
    let mut at = 0;
    sketches
        .iter()
        .map(|(gap, op, volume, offset, len, fua)| {
            at += gap;
            let target = usize::from(*volume) % blueprint.volumes.len();
            let size = blueprint.volumes[target].size.get();
            let target = TargetId(target as u16);
            if *op == Op::Flush {
                return (at, Io::flush(target));
            }
            let len = u64::from(*len).min(size);
            let offset = (size - len) * u64::from(*offset) / 65_535;
            (at, Io { offset, len: len as u32, target, op: *op, fua: *fua && *op == Op::Write })
        })
        .collect()
}

/// What may change, whichever limiters, disks and caches there are (counted round).
#[derive(Clone, Debug)]
pub(crate) enum AnyChange {
    Limiter(u16, LimiterSpec),
    Credits(u16, bool, u64),
    Disk(u16, Box<DiskSpec>),
    DropCache(u16),
    Fault(u16, u32, u32, u64, u64),
    NoFault(u16),
    Host(u32, u64),
    Cache(u16, CacheSpec),
    Warm(u16, u16, u16),
    AddLimiter(LimiterSpec),
    AddCache(CacheSpec),
    AddDisk(Box<DiskSpec>),
    AddVolume(Shape),
}

/// A volume over the disks there are: the first, columns, groups, interleave, partition offset.
type Shape = (u16, u16, u16, u64, u64);

fn shape(disks: u16) -> impl Strategy<Value = Shape> {
    (0..disks, 1u16..4, 1u16..3, 0u64..200, 0u64..300_000)
}

pub(crate) fn any_change() -> impl Strategy<Value = AnyChange> {
    prop_oneof![
        (any::<u16>(), limiter_spec()).prop_map(|(n, spec)| AnyChange::Limiter(n, spec)),
        (any::<u16>(), any::<bool>(), 0u64..1 << 40).prop_map(|(n, of, to)| AnyChange::Credits(n, of, to)),
        // Limiters and caches are counted round, so any number will do.
        (any::<u16>(), disk_spec(1_000, 1_000)).prop_map(|(n, spec)| AnyChange::Disk(n, Box::new(spec))),
        any::<u16>().prop_map(AnyChange::DropCache),
        (any::<u16>(), 0u32..5_000_000, 0u32..=1_000_000, 0u64..S, 0u64..S)
            .prop_map(|(n, latency, errors, stall, more)| AnyChange::Fault(n, latency, errors, stall, more)),
        any::<u16>().prop_map(AnyChange::NoFault),
        (0u32..5_000_000, 0u64..S).prop_map(|(latency, lasts)| AnyChange::Host(latency, lasts)),
        (any::<u16>(), cache_spec()).prop_map(|(n, spec)| AnyChange::Cache(n, spec)),
        any::<(u16, u16, u16)>().prop_map(|(n, from, to)| AnyChange::Warm(n, from, to)),
        limiter_spec().prop_map(AnyChange::AddLimiter),
        cache_spec().prop_map(AnyChange::AddCache),
        disk_spec(1_000, 1_000).prop_map(|spec| AnyChange::AddDisk(Box::new(spec))),
        shape(1_000).prop_map(AnyChange::AddVolume),
    ]
}

/// The change, for that blueprint and at that time; none where there is nothing to change.
pub(crate) fn change(blueprint: &Blueprint, now: u64, change: &AnyChange) -> Option<Change> {
    let limiter = |n: u16| LimiterId(n % blueprint.limiters.len() as u16);
    let disk = |n: u16| DiskId(n % blueprint.disks.len() as u16);
    let caches = blueprint.caches.len() as u16;
    let fitting = |spec: &DiskSpec| {
        let route = |route: &[LimiterId]| route.iter().map(|id| limiter(id.0)).collect();
        let Routes { read_hit, read, write, write_ack, write_back } = &spec.routes;
        let cache = spec.cache.filter(|_| caches > 0);
        DiskSpec {
            routes: Routes {
                read_hit: route(read_hit),
                read: route(read),
                write: route(write),
                write_ack: route(write_ack),
                write_back: route(write_back),
            },
            cache: cache.map(|of| CacheUse { cache: CacheId(of.cache.0 % caches), mode: of.mode }),
            ..spec.clone()
        }
    };
    Some(match change {
        AnyChange::Limiter(n, spec) => Change::Limiter(limiter(*n), spec.clone()),
        AnyChange::Credits(n, of_ios, credits) => {
            let dimension = if *of_ios { Dimension::Ios } else { Dimension::Bytes };
            let id = limiter(*n);
            let most = blueprint.limiters[usize::from(id.0)].credit(dimension)?.capacity;
            Change::Credits(id, dimension, credits % (most + 1))
        }
        AnyChange::Disk(n, spec) => {
            let id = disk(*n);
            let DiskSpec { size, max_transfer, .. } = blueprint.disks[usize::from(id.0)];
            Change::Disk(id, DiskSpec { size, max_transfer, ..fitting(spec) })
        }
        AnyChange::AddDisk(spec) => Change::AddDisk(fitting(spec)),
        AnyChange::AddVolume((first, columns, groups, interleave, partition_offset)) => {
            let first = first % blueprint.disks.len() as u16;
            let shape = (first, *columns, *groups, *interleave, *partition_offset);
            Change::AddVolume(volume(&blueprint.disks, shape))
        }
        AnyChange::AddLimiter(spec) => Change::AddLimiter(spec.clone()),
        AnyChange::AddCache(spec) => Change::AddCache(*spec),
        AnyChange::Cache(n, spec) => Change::Cache(CacheId(n.checked_rem(caches)?), *spec),
        AnyChange::Warm(n, from, to) => {
            let volume = usize::from(*n) % blueprint.volumes.len();
            let at = |part: u16| blueprint.volumes[volume].size.get() * u64::from(part) / 65_535;
            let (from, to) = (at(*from.min(to)), at(*from.max(to)));
            Change::Warm(TargetId(volume as u16), from, to - from)
        }
        AnyChange::Host(latency, lasts) => {
            Change::Host(BadHost { latency: Ppm(*latency), until: Instant::from_ns(now + lasts) })
        }
        AnyChange::DropCache(n) => Change::DropCache(CacheId(n.checked_rem(caches)?)),
        AnyChange::Fault(n, latency, errors, stall, more) => Change::Fault(
            disk(*n),
            Fault {
                latency: Ppm(*latency),
                errors: Ppm(*errors),
                stalled_until: Instant::from_ns(now + stall),
                until: Instant::from_ns(now + stall + more),
            },
        ),
        AnyChange::NoFault(n) => Change::Fault(disk(*n), Fault::NONE),
    })
}
