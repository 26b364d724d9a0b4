//! What can be built and what is refused: extreme figures are refused in words, or they work.

mod common;

use common::arbitrary::cases;
use common::build::*;
use common::play::play;
use iobound_model::{
    Algorithm, Blueprint, ByteCharge, CacheId, CacheMode, CacheSpec, CacheUse, Charge, Credit, Credits,
    DiskId, DiskSpec, Latency, Limit, LimiterId, LimiterSpec, Media, Merge, Stack,
};
use iobound_units::{Bytes, Io, Op, Ppm, Span};
use proptest::prelude::*;

fn sound() -> Blueprint {
    let disks = vec![(premium("disk", 500, 100_000_000), constant(2 * MS), Some(CacheMode::ReadWrite)); 2];
    let (cached, uncached) =
        (premium("vm.cached", 4_000, 32_000_000), premium("vm.uncached", 3_200, 32_000_000));
    azure(cached, uncached, cache(Bytes::gib(43)), disks)
}

/// The words in which a changed blueprint is refused.
fn refusal(change: impl FnOnce(&mut Blueprint)) -> String {
    let mut blueprint = sound();
    blueprint.check().expect("the blueprint to begin with is sound");
    change(&mut blueprint);
    let refused = blueprint.check().expect_err("the changed one is not").to_string();
    assert_eq!(Stack::new(&blueprint, &FULL, 1).expect_err("nor can it be built").to_string(), refused);
    refused
}

#[test]
fn what_cannot_be_built_is_refused_by_name_with_what_is_wrong() {
    let credit = |burst| Some(Credits { ios: Some(Credit { burst, capacity: 1_000 }), bytes: None });
    type Change = Box<dyn FnOnce(&mut Blueprint)>;
    let cases: [(&str, &str, Change); 33] = [
        ("data0", "2 columns on 1 disk:", Box::new(|b| b.volumes[0].columns = 2)),
        ("data0", "on 0 disks", Box::new(|b| b.volumes[0].disks.clear())),
        ("data0", "interleave", Box::new(|b| b.volumes[0].interleave = Bytes::ZERO)),
        ("data0", "no size", Box::new(|b| b.volumes[0].size = Bytes::ZERO)),
        ("data0", "no disk 7", Box::new(|b| b.volumes[0].disks[0] = DiskId(7))),
        ("data0", "64 GiB", Box::new(|b| b.volumes[0].size = Bytes((64 << 30) + 1))),
        ("data0", "64 GiB", Box::new(|b| b.volumes[0].partition_offset = Bytes(u64::MAX))),
        ("disk", "no limiter 9", Box::new(|b| b.disks[1].routes.read.push(LimiterId(9)))),
        ("disk", "limiters", Box::new(|b| b.disks[1].routes.write = vec![LimiterId(0); 9])),
        ("disk", "no cache 3", Box::new(|b| b.disks[0].cache.as_mut().expect("cached").cache = CacheId(3))),
        ("disk", "transfer", Box::new(|b| b.disks[0].max_transfer = Bytes::ZERO)),
        ("disk", "size", Box::new(|b| b.disks[0].size = Bytes(u64::MAX))),
        ("disk", "floor", Box::new(|b| b.disks[0].media.read.floor = Ppm(1_000_001))),
        ("disk", "latency", Box::new(|b| b.disks[0].media.write.mean = Span::MAX)),
        ("disk", "KiB", Box::new(|b| b.disks[0].media.write.per_kib = Span::MAX)),
        ("cache", "power of two", Box::new(|b| b.caches[0].line = Bytes(48))),
        ("cache", "watermark", Box::new(|b| b.caches[0].dirty_low = Bytes::gib(2))),
        (
            "cache",
            "a dirty limit of zero allows no write",
            Box::new(|b| {
                b.caches[0].dirty_low = Bytes::ZERO;
                b.caches[0].dirty_high = Bytes::ZERO;
            }),
        ),
        ("cache", "lines", Box::new(|b| b.caches[0].line = Bytes(16))),
        ("cache", "floor", Box::new(|b| b.caches[0].hit.floor = Ppm(2_000_000))),
        ("vm.cached", "zero", Box::new(|b| b.limiters[0].ios = Some(Limit::published(0)))),
        ("vm.cached", "a second", Box::new(|b| b.limiters[0].bytes = Some(Limit::published(u64::MAX)))),
        (
            "vm.cached",
            "a second",
            Box::new(|b| b.limiters[0].bytes = Some(Limit { published: 1, enforced: Some(u64::MAX) })),
        ),
        (
            "vm.cached",
            "slice",
            Box::new(|b| b.limiters[0].algorithm = Algorithm::Slice { length: Span::ZERO }),
        ),
        (
            "vm.cached",
            "bucket",
            Box::new(|b| b.limiters[0].algorithm = Algorithm::Bucket { depth: Span::MAX }),
        ),
        (
            "vm.cached",
            "too short",
            Box::new(move |b| {
                b.limiters[0].algorithm = Algorithm::Slice { length: Span::from_us(1) };
                b.limiters[0].credits = credit(5_000);
            }),
        ),
        ("vm.cached", "512", Box::new(|b| b.limiters[0].charge = Charge::Per(Bytes(100)))),
        ("vm.cached", "512", Box::new(|b| b.limiters[0].charge = merged(100, 0))),
        ("vm.cached", "above", Box::new(|b| b.limiters[0].charge = merged(262_144, 262_145))),
        ("vm.cached", "at most", Box::new(|b| b.limiters[0].charge = merged((1 << 30) + 1, 0))),
        ("vm.cached", "burst", Box::new(move |b| b.limiters[0].credits = credit(3_999))),
        ("vm.cached", "burst", Box::new(move |b| b.limiters[0].credits = credit(u64::MAX))),
        (
            "vm.cached",
            "credits",
            Box::new(move |b| {
                b.limiters[0].ios = None;
                b.limiters[0].credits = credit(5_000);
            }),
        ),
    ];
    for (name, what, change) in cases {
        let refused = refusal(change);
        assert!(refused.contains(name) && refused.contains(what), "{name}, {what}: {refused}");
    }
}

fn merged(unit: u64, least: u64) -> Charge {
    Charge::Merged(Merge {
        unit: Bytes(unit),
        least: Bytes(least),
        bytes: ByteCharge::WholeUnits,
        streams: 1,
    })
}

/// Figures that somebody may come to give: sensible, at an edge, or beyond every edge.
fn figure(sensible: std::ops::Range<u64>) -> impl Strategy<Value = u64> {
    prop_oneof![
        40 => sensible,
        1 => prop::sample::select(vec![0, 1, 2, 1_000, u64::from(u32::MAX), 1 << 40, 1 << 50, 1 << 63, u64::MAX]),
        1 => any::<u64>(),
    ]
}

fn latency() -> impl Strategy<Value = Latency> {
    (figure(0..10 * MS), prop_oneof![60 => 0..=1_000_000u32, 1 => any::<u32>()], figure(0..50_000)).prop_map(
        |(mean, floor, per_kib)| Latency {
            mean: Span::from_ns(mean),
            floor: Ppm(floor),
            per_kib: Span::from_ns(per_kib),
        },
    )
}

fn limiter_spec() -> impl Strategy<Value = LimiterSpec> {
    let limit = |sensible: std::ops::Range<u64>| {
        let figures = (figure(sensible.clone()), prop::option::weighted(0.2, figure(sensible)));
        prop::option::of(figures.prop_map(|(published, enforced)| Limit { published, enforced }))
    };
    let credit = || {
        let figures = (figure(1 << 30..1 << 31), figure(0..1 << 30));
        prop::option::of(figures.prop_map(|(burst, capacity)| Credit { burst, capacity }))
    };
    let length = (figure(US..S), any::<bool>()).prop_map(|(ns, sliced)| match sliced {
        true => Algorithm::Slice { length: Span::from_ns(ns) },
        false => Algorithm::Bucket { depth: Span::from_ns(ns) },
    });
    let charge = prop_oneof![
        Just(Charge::Each),
        figure(512..1 << 20).prop_map(|unit| Charge::Per(Bytes(unit))),
        (figure(1 << 18..1 << 20), figure(0..1 << 18)).prop_map(|(unit, least)| merged(unit, least)),
    ];
    let factor = prop_oneof![40 => 500_000..2_000_000u32, 1 => any::<u32>()];
    let credits = prop::option::weighted(0.3, (credit(), credit()));
    (length, charge, limit(20..20_000), limit(100_000..1 << 30), factor, credits).prop_map(
        |(algorithm, charge, ios, bytes, factor, credits)| LimiterSpec {
            ios,
            bytes,
            charge,
            credits: credits.map(|(for_ios, for_bytes)| Credits {
                ios: for_ios.filter(|_| ios.is_some()),
                bytes: for_bytes.filter(|_| bytes.is_some()),
            }),
            ..limiter("limiter", algorithm, Ppm(factor))
        },
    )
}

fn disk_spec() -> impl Strategy<Value = DiskSpec> {
    let route = || prop::collection::vec((0..2u16).prop_map(LimiterId), 0..=4);
    (latency(), latency(), figure(1 << 20..1 << 30), figure(4_096..1 << 20), route(), route(), 0..3u8)
        .prop_map(|(read, write, size, max_transfer, one, other, mode)| {
            let mode = [None, Some(CacheMode::ReadOnly), Some(CacheMode::ReadWrite)][usize::from(mode)];
            let mut disk = disk(Media { read, write }, &[]);
            (disk.size, disk.max_transfer) = (Bytes(size), Bytes(max_transfer));
            (disk.routes.read, disk.routes.write_back) = (one.clone(), one);
            (disk.routes.write, disk.routes.write_ack) = (other.clone(), other);
            disk.cache = mode.map(|mode| CacheUse { cache: CacheId(0), mode });
            disk
        })
}

fn extreme() -> impl Strategy<Value = Blueprint> {
    let cache = (figure(0..1 << 30), figure(16..17), latency(), latency(), figure(1..1 << 24), figure(0..1))
        .prop_map(|(capacity, line, hit, ack, high, low)| CacheSpec {
            capacity: Bytes(capacity),
            line: Bytes(if line == 16 { 65_536 } else { line }),
            hit,
            ack,
            dirty_high: Bytes(high),
            dirty_low: Bytes(low),
        });
    let shape = (figure(1..1 << 20), 1..3u16, figure(4_096..1 << 20), figure(0..1));
    let disks = prop::collection::vec(disk_spec(), 2);
    (disks, cache, prop::collection::vec(limiter_spec(), 2), shape).prop_map(
        |(disks, cache, limiters, (size, columns, interleave, partition_offset))| {
            let mut whole = volume(&[0, 1], Bytes(size), columns);
            (whole.interleave, whole.partition_offset) = (Bytes(interleave), Bytes(partition_offset));
            Blueprint { volumes: vec![whole], disks, caches: vec![cache], limiters }
        },
    )
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn extreme_figures_are_refused_or_work(
        blueprint in extreme(), ops in prop::collection::vec((0..S, 0..4usize, any::<u16>(), 1..1u64 << 16), 1..12),
    ) {
        let built = Stack::new(&blueprint, &FULL, ops.len());
        prop_assert_eq!(built.is_ok(), blueprint.check().is_ok());
        if let Ok(mut stack) = built {
            let size = blueprint.volumes[0].size.get();
            let mut at = 0;
            let trace: Vec<_> = ops.iter().map(|(gap, op, offset, len)| {
                at += gap;
                let len = (*len).min(size);
                let offset = (u128::from(size - len) * u128::from(*offset) / 65_535) as u64;
                let io = Io { op: Op::ALL[*op], ..Io::read(target(0), offset, len as u32) };
                (at, if io.op == Op::Flush { Io::flush(target(0)) } else { io })
            }).collect();
            play(&mut stack, &trace);
        }
    }
}

#[test]
fn a_debt_of_weeks_is_not_counted_slice_by_slice() {
    let credits = Some(Credits { ios: None, bytes: Some(Credit { burst: 1 << 39, capacity: 1 }) });
    for (bytes_per_s, length, credits) in [(10, Span::from_us(1), None), (5_000, Span::from_secs(1), credits)]
    {
        let algorithm = Algorithm::Slice { length };
        let slow = LimiterSpec { credits, ..limited("slow", algorithm, Ppm::ONE, None, Some(bytes_per_s)) };
        let blueprint = apart(vec![slow], vec![disk(constant(0), &[0])]);
        let mut stack = Stack::new(&blueprint, &SPENT, 3).expect("sound");
        let times = play(&mut stack, &[(0, Io::read(target(0), 0, 16 * MIB)); 3]).times();
        // 16 MiB at 10 bytes a second: 19 days each.
        let each = (16 << 20) * S / bytes_per_s;
        assert!(times[1].abs_diff(each) <= 2 * S && times[2].abs_diff(2 * each) <= 2 * S, "{times:?}");
    }
}

#[test]
#[should_panic(expected = "beyond the end")]
fn an_io_beyond_the_end_of_its_volume_is_a_defect_of_the_caller() {
    let mut stack = Stack::new(&sound(), &FULL, 1).expect("sound");
    play(&mut stack, &[(0, Io::read(target(0), 64 << 30, 4096))]);
}

#[test]
#[should_panic(expected = "no length")]
fn an_io_of_no_length_is_a_defect_of_the_caller() {
    let mut stack = Stack::new(&sound(), &FULL, 1).expect("sound");
    play(&mut stack, &[(0, Io::read(target(0), 0, 0))]);
}

#[test]
#[should_panic(expected = "beyond the end")]
fn a_prefill_beyond_the_end_of_its_volume_is_a_defect_of_the_caller() {
    let mut stack = Stack::new(&sound(), &FULL, 1).expect("sound");
    stack.prefill(0, 63 << 30, 2 << 30);
}
