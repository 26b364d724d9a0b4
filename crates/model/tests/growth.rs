//! A stack that grows while it runs: what is added is as if it had been there, and what was there does not feel it.

mod common;

use common::arbitrary::{any_start, blueprint, cases, sketches, trace};
use common::build::*;
use common::play::{Played, play, play_with};
use iobound_model::{
    Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, Change, Charge, DiskId, DiskSpec, LimiterId, Merge,
    Stack, Start, VolumeSpec,
};
use iobound_units::{Bytes, Instant, Io, Tag};
use proptest::prelude::*;

fn stack(blueprint: &Blueprint, start: &Start, capacity: usize) -> Stack {
    Stack::new(blueprint, start, capacity).expect("a valid blueprint")
}

/// The first volumes of a blueprint with what they need, and the changes that add the rest.
fn cut(whole: &Blueprint, volumes: usize) -> (Blueprint, Vec<Change>) {
    let kept = &whole.volumes[..volumes];
    let count = |most: Option<u16>| most.map_or(0, |most| usize::from(most) + 1);
    let disks = count(kept.iter().flat_map(|volume| &volume.disks).map(|disk| disk.0).max());
    let (kept_disks, new_disks) = whole.disks.split_at(disks);
    let routes = kept_disks.iter().flat_map(|disk| disk.routes.all()).flatten();
    let (kept_limiters, new_limiters) = whole.limiters.split_at(count(routes.map(|limiter| limiter.0).max()));
    let caches = count(kept_disks.iter().filter_map(|disk| disk.cache).map(|of| of.cache.0).max());
    let (kept_caches, new_caches) = whole.caches.split_at(caches);
    let first = Blueprint {
        volumes: kept.to_vec(),
        disks: kept_disks.to_vec(),
        caches: kept_caches.to_vec(),
        limiters: kept_limiters.to_vec(),
    };
    let limiters = new_limiters.iter().cloned().map(Change::AddLimiter);
    let caches = new_caches.iter().copied().map(Change::AddCache);
    let disks = new_disks.iter().cloned().map(Change::AddDisk);
    let volumes = whole.volumes[volumes..].iter().cloned().map(Change::AddVolume);
    (first, limiters.chain(caches).chain(disks).chain(volumes).collect())
}

fn make(stack: &mut Stack, at: u64, changes: &[Change]) {
    for change in changes {
        stack.change(Instant::from_ns(at), change.clone()).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// What every limiter, cache and disk has done.
fn states(stack: &mut Stack, of: &Blueprint) -> String {
    let limiters: Vec<_> = (0..of.limiters.len()).map(|n| stack.limiter(LimiterId(n as u16))).collect();
    let caches: Vec<_> = (0..of.caches.len()).map(|n| stack.cache(CacheId(n as u16))).collect();
    let disks: Vec<_> = (0..of.disks.len()).map(|n| stack.disk(DiskId(n as u16))).collect();
    format!("{limiters:?} {caches:?} {disks:?}")
}

/// Submits everything without a look, and polls once.
fn completes_late(
    stack: &mut Stack,
    trace: &[(u64, Io)],
    grow_at: usize,
    changes: &[Change],
) -> Vec<(u32, u64)> {
    for (n, (at, io)) in trace.iter().enumerate() {
        if n == grow_at {
            make(stack, *at, changes);
        }
        stack.submit(Instant::from_ns(*at), Tag(n as u32), *io);
    }
    let mut events = Vec::new();
    stack.poll(Instant::from_ns(trace[trace.len() - 1].0 + 3_600_000 * S), &mut events);
    let mut done: Vec<_> = events
        .into_iter()
        .filter_map(|event| match event {
            iobound_model::Event::Done { tag, at, .. } => Some((tag.0, at.ns())),
            _ => None,
        })
        .collect();
    done.sort_unstable();
    done
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_stack_that_is_grown_at_time_zero_says_what_one_says_that_was_built_so(
        whole in blueprint(), start in any_start(), sketches in sketches(60), keep in any::<u16>(),
    ) {
        let trace = trace(&whole, &sketches);
        let (first, changes) = cut(&whole, usize::from(keep) % (whole.volumes.len() + 1));
        let mut built = stack(&whole, &start, trace.len());
        let mut grown = stack(&first, &start, trace.len());
        make(&mut grown, 0, &changes);
        prop_assert_eq!(play(&mut built, &trace), play(&mut grown, &trace));
        prop_assert_eq!(states(&mut built, &whole), states(&mut grown, &whole));
    }

    #[test]
    fn a_stack_that_grows_under_way_completes_every_io_once_and_says_the_same_when_asked_late(
        whole in blueprint(), start in any_start(), sketches in sketches(60), keep in any::<u16>(),
        grow_at in any::<u16>(),
    ) {
        let (first, changes) = cut(&whole, 1 + usize::from(keep) % whole.volumes.len());
        let grow_at = usize::from(grow_at) % sketches.len();
        let mut ios = trace(&first, &sketches[..grow_at]);
        let so_far = ios.last().map_or(0, |(at, _)| *at);
        ios.extend(trace(&whole, &sketches[grow_at..]).into_iter().map(|(at, io)| (so_far + at, io)));
        let mut prompt = stack(&first, &start, ios.len());
        let played = play_with(&mut prompt, &ios, |stack, n| {
            if n == grow_at {
                make(stack, ios[n].0, &changes);
            }
        });
        for ((at, _), done) in ios.iter().zip(&played.done) {
            prop_assert_eq!(done.spent.total().ns(), done.at - at);
        }
        let late = completes_late(&mut stack(&first, &start, ios.len()), &ios, grow_at, &changes);
        let prompt: Vec<_> = played.times().into_iter().enumerate().map(|(n, at)| (n as u32, at)).collect();
        prop_assert_eq!(prompt, late);
    }

    /// Nothing that is added behind limiters of its own is felt by what was there: the same events, to the nanosecond.
    #[test]
    fn what_is_added_apart_is_not_felt_by_what_was_there(
        first in blueprint(), second in blueprint(), start in any_start(), sketches in sketches(60),
        more in sketches(60),
    ) {
        let ios = trace(&first, &sketches);
        let alone = play(&mut stack(&first, &start, ios.len()), &ios);
        let mut both = ios.clone();
        let beside = |(at, io): (u64, Io)| (at, Io { target: target(io.target.0 + first.volumes.len() as u16), ..io });
        both.extend(trace(&second, &more).into_iter().map(beside));
        let mut order: Vec<usize> = (0..both.len()).collect();
        order.sort_by_key(|n| both[*n].0);
        let merged: Vec<_> = order.iter().map(|n| both[*n]).collect();
        let mut grown = stack(&first, &start, both.len());
        make(&mut grown, 0, &shifted(&second, &first));
        let played: Played = play(&mut grown, &merged);
        for (place, n) in order.iter().enumerate().filter(|(_, n)| **n < ios.len()) {
            prop_assert_eq!(played.done[place], alone.done[*n]);
        }
    }
}

/// The changes that add a whole blueprint behind another.
fn shifted(what: &Blueprint, behind: &Blueprint) -> Vec<Change> {
    let mut what = what.clone();
    for disk in &mut what.disks {
        let routes = &mut disk.routes;
        for route in [
            &mut routes.read_hit,
            &mut routes.read,
            &mut routes.write,
            &mut routes.write_ack,
            &mut routes.write_back,
        ] {
            route.iter_mut().for_each(|limiter| limiter.0 += behind.limiters.len() as u16);
        }
        if let Some(of) = &mut disk.cache {
            of.cache.0 += behind.caches.len() as u16;
        }
    }
    for volume in &mut what.volumes {
        volume.disks.iter_mut().for_each(|disk| disk.0 += behind.disks.len() as u16);
    }
    let (_, changes) = cut(&what, 0);
    changes
}

fn reads(of: u16, from: u64, count: u64) -> Vec<(u64, Io)> {
    (0..count).map(|n| (from, Io::read(target(of), n * 65_536, 4096))).collect()
}

/// A VM whose disks have host caches as given.
fn vm(modes: &[Option<CacheMode>], capacity: Bytes) -> Blueprint {
    let disks = modes.iter().map(|mode| (iops(5_000), constant(2 * MS), *mode)).collect();
    azure(wide("vm.cached"), wide("vm.uncached"), cache(capacity), disks)
}

#[test]
fn a_disk_that_is_added_to_a_warm_cache_begins_cold_and_its_neighbours_stay_warm() {
    const RO: Option<CacheMode> = Some(CacheMode::ReadOnly);
    // A cache that holds everything, one that holds a part, and one that was warmed whole.
    for (capacity, is_whole) in [(Bytes::gib(256), false), (Bytes::mib(64), false), (Bytes::gib(256), true)] {
        let (first, changes) = cut(&vm(&[RO, RO], capacity), 1);
        let mut stack = stack(&first, &SPENT, 100);
        if is_whole {
            stack.complete_cache(CacheId(0));
        } else {
            stack.prefill(0, 0, 100 * 65_536);
        }
        make(&mut stack, S, &changes);
        play(&mut stack, &reads(0, S, 100));
        let state = stack.cache(CacheId(0));
        assert_eq!((state.hits, state.misses), (100, 0), "{capacity}: the neighbour's");
        play(&mut stack, &reads(1, 2 * S, 100));
        let state = stack.cache(CacheId(0));
        assert_eq!((state.hits, state.misses), (100, 100), "{capacity}: its own");
        play(&mut stack, &reads(1, 3 * S, 100));
        assert_eq!(stack.cache(CacheId(0)).hits, 200, "{capacity}: its own, once read");
    }
}

#[test]
fn a_limiter_that_is_added_begins_with_one_slices_quota() {
    // 100 IOPS in slices of 50 ms: five, where a limiter that was idle before carries five more.
    let mut stack = stack(&apart(vec![], vec![]), &SPENT, 100);
    let hour = 3_600 * S;
    let one = apart(vec![iops(100)], vec![disk(constant(0), &[0])]);
    make(&mut stack, hour, &cut(&one, 0).1);
    let times = play(&mut stack, &reads(0, hour, 50)).times();
    let at_once = times.iter().filter(|at| **at == hour).count();
    assert!((1..=5).contains(&at_once), "{at_once}");
    // The rest at 100 a second.
    let last = times.last().expect("fifty") - hour;
    assert!(last.abs_diff(45 * 10 * MS) <= 60 * MS, "{last}");
}

#[test]
fn a_volume_that_is_wider_than_any_before_has_room_for_its_fragments() {
    let whole = Blueprint {
        volumes: vec![
            volume(&[0], Bytes::gib(64), 1),
            volume(&(0..10).collect::<Vec<_>>(), Bytes::gib(640), 10),
        ],
        ..striped(vec![], vec![disk(constant(MS), &[]); 10])
    };
    let (first, changes) = cut(&whole, 1);
    let mut stack = stack(&first, &SPENT, 64);
    make(&mut stack, S, &changes);
    let trace: Vec<_> = (0..64).map(|n| (S, Io::read(target(1), n << 20, MIB))).collect();
    assert_eq!(play(&mut stack, &trace).times(), [S + MS; 64]);
    let fragments: u64 = (0..10).map(|n| stack.disk(DiskId(n)).ios).sum();
    assert_eq!(fragments, 64 * 10, "a MiB is 16 units of 64 KiB on ten disks");
}

#[test]
fn what_cannot_be_added_is_refused_in_words_and_adds_nothing() {
    let blueprint = vm(&[Some(CacheMode::ReadWrite)], Bytes::gib(4));
    let spec = |change: fn(&mut DiskSpec)| {
        let mut spec = blueprint.disks[0].clone();
        change(&mut spec);
        Change::AddDisk(spec)
    };
    let over = |disks: &[u16], size| Change::AddVolume(volume(disks, size, disks.len() as u16));
    let cache_of = |change: fn(&mut CacheSpec)| {
        let mut spec = blueprint.caches[0];
        change(&mut spec);
        spec
    };
    let odd_line = cache_of(|spec| spec.line = Bytes(48));
    let no_dirt = cache_of(|spec| (spec.dirty_high, spec.dirty_low) = (Bytes::ZERO, Bytes::ZERO));
    let merged = Charge::Merged(Merge {
        unit: Bytes::kib(16),
        least: Bytes::kib(32),
        bytes: iobound_model::ByteCharge::Moved,
        streams: 1,
    });
    let cases = [
        (Change::AddLimiter(iops(0)), "zero"),
        (
            Change::AddLimiter(iobound_model::LimiterSpec { charge: merged, ..iops(10) }),
            "least is above the most",
        ),
        (Change::AddCache(odd_line), "power of two"),
        (Change::Cache(CacheId(0), no_dirt), "a dirty limit of zero allows no write"),
        (Change::Cache(CacheId(1), blueprint.caches[0]), "no cache 1"),
        (spec(|spec| spec.routes.read = vec![LimiterId(3)]), "no limiter 3"),
        (
            spec(|spec| spec.cache = Some(CacheUse { cache: CacheId(1), mode: CacheMode::ReadOnly })),
            "no cache 1",
        ),
        (spec(|spec| spec.size = Bytes(1 << 51)), "a size of"),
        (over(&[1], Bytes::gib(1)), "no disk 1"),
        (over(&[0], Bytes::gib(65)), "exceed the size of its disks: 64 GiB"),
        (
            Change::AddVolume(VolumeSpec { disks: vec![], ..volume(&[0], Bytes::gib(1), 1) }),
            "1 column on 0 disks",
        ),
        (Change::Warm(target(1), 0, 1), "no volume 1"),
        (Change::Warm(target(0), 1, 64 << 30), "more than it holds: 64 GiB"),
        (Change::Warm(target(0), u64::MAX, u64::MAX), "more than it holds"),
    ];
    let trace = reads(0, 0, 60);
    let untouched = play(&mut stack(&blueprint, &SPENT, 60), &trace);
    let mut stack = stack(&blueprint, &SPENT, 60);
    for (change, why) in cases {
        let refused = stack.change(Instant::ZERO, change.clone()).expect_err("it cannot be").to_string();
        assert!(refused.contains(why), "{change:?}: {refused}");
    }
    assert_eq!(play(&mut stack, &trace), untouched);
    // Refused additions have taken no ids: the next of each is the first.
    let next = VolumeSpec { disks: vec![DiskId(1)], ..blueprint.volumes[0].clone() };
    make(&mut stack, 10 * S, &[Change::AddDisk(blueprint.disks[0].clone()), Change::AddVolume(next)]);
    play(&mut stack, &reads(1, 10 * S, 1));
}

#[test]
fn a_volume_of_more_disks_than_the_outstanding_ios_leave_room_for_is_refused() {
    // 2^23 fragments are the most: 10^6 I/Os over 7 disks are just below, over 8 above.
    let mut stack = stack(&apart(vec![], vec![disk(constant(0), &[]); 8]), &SPENT, 1_000_000);
    let all: Vec<u16> = (0..8).collect();
    make(&mut stack, 0, &[Change::AddVolume(volume(&all[..7], Bytes::gib(7), 7))]);
    let wide = Change::AddVolume(volume(&all, Bytes::gib(8), 8));
    let refused = stack.change(Instant::ZERO, wide).expect_err("too wide").to_string();
    assert!(refused.contains("more than a stack holds"), "{refused}");
}

#[test]
fn a_disk_that_is_added_may_not_make_a_caches_table_larger_than_any_can_be() {
    // In lines of 4 KiB two disks of 1,000 GiB have twice the 2^28 lines that are the most.
    let mut whole = vm(&[Some(CacheMode::ReadOnly); 2], Bytes::gib(2_048));
    whole.caches[0].line = Bytes(1 << 12);
    for (disk, volume) in whole.disks.iter_mut().zip(&mut whole.volumes) {
        (disk.size, volume.size) = (Bytes::gib(1_000), Bytes::gib(1_000));
    }
    let (first, changes) = cut(&whole, 1);
    let mut stack = stack(&first, &SPENT, 1);
    make(&mut stack, 0, &changes[..1]);
    let refused = stack.change(Instant::ZERO, changes[1].clone()).expect_err("too many lines").to_string();
    assert!(refused.contains("lines") && refused.contains("larger lines"), "{refused}");
}
