//! What changes while I/Os wait: the head asks again, nothing is lost, and who is on the way keeps the way.

mod common;

use common::build::*;
use common::play::{play, play_with};
use iobound_model::{
    Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, Change, Credit, Credits, Dimension, DiskId, Fault,
    LimiterId, LimiterSpec, Outcome, Stack,
};
use iobound_units::{Bytes, Instant, Io, Ppm};

fn stack(blueprint: &Blueprint, capacity: usize) -> Stack {
    Stack::new(blueprint, &SPENT, capacity).expect("a valid blueprint")
}

/// `count` reads of 4 KiB at `at`, on as many lines of disk 0.
fn burst(at: u64, count: u64) -> Vec<(u64, Io)> {
    (0..count).map(|n| (at, Io::read(target(0), n * 65_536, 4096))).collect()
}

/// Plays the trace; the change is made at `at`.
fn changed(stack: &mut Stack, mut trace: Vec<(u64, Io)>, at: u64, change: Change) -> Vec<u64> {
    // A change comes with an I/O that nobody counts.
    let index = trace.iter().filter(|(time, _)| *time <= at).count();
    trace.insert(index, (at, Io::flush(target(0))));
    let mut times = play_with(stack, &trace, |stack, n| {
        if n == index {
            stack.change(Instant::from_ns(at), change.clone()).expect("a change that can be made");
        }
    })
    .times();
    times.remove(index);
    times
}

#[test]
fn a_faster_limiter_serves_who_waits_at_once() {
    for algorithm in [SLICE, BUCKET] {
        let slow = limited("disk", algorithm, Ppm::ONE, Some(10), None);
        let fast = limited("disk", algorithm, Ppm::ONE, Some(1_000), None);
        let mut stack = stack(&apart(vec![slow], vec![disk(constant(MS), &[0])]), 100);
        let times = changed(&mut stack, burst(0, 60), S, Change::Limiter(LimiterId(0), fast));
        let before = times.iter().filter(|at| **at < S).count();
        assert!((9..=11).contains(&before), "{algorithm:?}: {before}");
        // The other 49 or so at 1,000 a second.
        assert!(*times.last().expect("sixty") <= S + 52 * MS, "{algorithm:?}: {times:?}");
    }
}

#[test]
fn a_limiter_that_limits_nothing_any_more_lets_all_of_them_go() {
    let mut stack = stack(&apart(vec![iops(10)], vec![disk(constant(MS), &[0])]), 100);
    let times =
        changed(&mut stack, burst(0, 60), S, Change::Limiter(LimiterId(0), limiter("disk", SLICE, Ppm::ONE)));
    assert_eq!(times.iter().filter(|at| **at == S + MS).count(), 49, "{times:?}");
}

#[test]
fn a_slower_limiter_holds_who_waits_for_longer() {
    let mut stack = stack(&apart(vec![iops(1_000)], vec![disk(constant(0), &[0])]), 1_000);
    let times = changed(&mut stack, burst(0, 600), 200 * MS, Change::Limiter(LimiterId(0), iops(100)));
    let rest: Vec<_> = times.iter().filter(|at| **at > 200 * MS).collect();
    let took = *times.last().expect("some") - 200 * MS;
    assert!(took.abs_diff(rest.len() as u64 * 10 * MS) <= 100 * MS, "{} in {took}", rest.len());
}

#[test]
fn a_changed_limiter_begins_with_one_slices_quota_and_with_what_credits_a_start_gives() {
    let bursting = |base: u64| LimiterSpec {
        credits: Some(Credits { ios: Some(Credit { burst: 3_500, capacity: 1_000_000 }), bytes: None }),
        ..iops(base)
    };
    for algorithm in [SLICE, BUCKET] {
        let new = LimiterSpec { algorithm, ..bursting(200) };
        let mut stack = stack(&apart(vec![bursting(100)], vec![disk(constant(0), &[0])]), 100);
        let after_an_hour = Instant::from_ns(3_600 * S);
        stack.poll(after_an_hour, &mut Vec::new());
        stack.change(after_an_hour, Change::Limiter(LimiterId(0), new)).expect("a change that can be made");
        assert_eq!(stack.limiter(LimiterId(0)).credits[0], Some(0), "{algorithm:?}");
        let times = play(&mut stack, &burst(3_600 * S, 50)).times();
        let at_once = times.iter().filter(|at| **at == 3_600 * S).count();
        assert!(at_once <= 10, "{algorithm:?}: {at_once}");
    }
}

#[test]
fn given_credits_let_the_head_go_on() {
    for algorithm in [SLICE, BUCKET] {
        let limiter = LimiterSpec {
            algorithm,
            credits: Some(Credits { ios: Some(Credit { burst: 2_000, capacity: 10_000 }), bytes: None }),
            ..iops(10)
        };
        let mut stack = stack(&apart(vec![limiter], vec![disk(constant(0), &[0])]), 400);
        let credits = Change::Credits(LimiterId(0), Dimension::Ios, 10_000);
        let times = changed(&mut stack, burst(0, 300), S, credits);
        // 289 at 2,000 a second, beginning with the next slice.
        assert!(*times.last().expect("some") <= S + 250 * MS, "{algorithm:?}: {times:?}");
    }
}

/// A VM with a slow cached and a slow uncached limiter, and one disk that is changed.
fn slow_vm(mode: Option<CacheMode>) -> Blueprint {
    azure(iops(400), iops(200), cache(Bytes::gib(1)), vec![(iops(100), constant(2 * MS), mode)])
}

#[test]
fn who_waits_when_the_cache_setting_changes_goes_the_way_it_set_out_on() {
    use CacheMode::{ReadOnly, ReadWrite};
    let settings = [None, Some(ReadOnly), Some(ReadWrite)];
    for from in settings {
        for to in settings {
            let mut trace = burst(0, 120);
            trace.extend((0..60).map(|n| (MS, Io::write(target(0), n * 65_536, 4096))));
            trace.extend(burst(2 * MS, 120));
            trace.extend(burst(2 * S, 5));
            let mut stack = stack(&slow_vm(from), trace.len() + 1);
            stack.prefill(0, 0, 30 * 65_536);
            let change = Change::Disk(DiskId(0), slow_vm(to).disks[0].clone());
            changed(&mut stack, trace, 300 * MS, change);
            assert_eq!(stack.cache(CacheId(0)).dirty_bytes, 0, "{from:?} to {to:?}");
            for limiter in 0..3 {
                assert_eq!(stack.limiter(LimiterId(limiter)).waiting, 0, "{from:?} to {to:?}");
            }
        }
    }
}

#[test]
fn a_shorter_route_is_for_who_comes_later() {
    let blueprint = slow_vm(Some(CacheMode::ReadOnly));
    let mut stack = stack(&blueprint, 41);
    let change = Change::Disk(DiskId(0), slow_vm(None).disks[0].clone());
    let mut trace = burst(0, 20);
    trace.extend(burst(10 * MS, 20));
    changed(&mut stack, trace, 5 * MS, change);
    // The first twenty passed the VM's cached limiter, the later twenty did not; all passed the others.
    let units = [0, 1, 2].map(|limiter| stack.limiter(LimiterId(limiter)).units);
    assert_eq!(units, [20, 40, 40]);
}

#[test]
fn writes_that_wait_for_the_dirty_limit_are_not_lost_when_the_cache_is_taken_away() {
    for to in [None, Some(CacheMode::ReadOnly)] {
        let mut blueprint = slow_vm(Some(CacheMode::ReadWrite));
        blueprint.caches[0].dirty_high = Bytes(40 * 4096);
        blueprint.caches[0].dirty_low = Bytes(10 * 4096);
        let trace: Vec<_> = (0..200).map(|n| (n * MS, Io::write(target(0), n * 65_536, 4096))).collect();
        let mut stack = stack(&blueprint, trace.len() + 1);
        let change = Change::Disk(DiskId(0), slow_vm(to).disks[0].clone());
        changed(&mut stack, trace, 150 * MS, change);
        assert_eq!(stack.cache(CacheId(0)).dirty_bytes, 0);
    }
}

#[test]
fn what_is_dirty_when_the_cache_is_taken_away_can_still_be_discarded() {
    let two_caches = |of: Option<(u16, CacheMode)>| {
        let mut blueprint = slow_vm(of.map(|(_, mode)| mode));
        blueprint.caches.push(cache(Bytes::gib(1)));
        blueprint.disks[0].media = constant(10 * S);
        blueprint.disks[0].cache = of.map(|(id, mode)| CacheUse { cache: CacheId(id), mode });
        blueprint
    };
    for to in [
        None,
        Some((0, CacheMode::ReadOnly)),
        Some((1, CacheMode::ReadOnly)),
        Some((1, CacheMode::ReadWrite)),
    ] {
        let before = two_caches(Some((0, CacheMode::ReadWrite)));
        let mut trace: Vec<_> = (0..64).map(|n| (0, Io::write(target(0), n * 65_536, 4096))).collect();
        trace.push((2 * S, Io::discard(target(0), 0, 64 << 16)));
        let mut stack = stack(&before, trace.len() + 1);
        let change = Change::Disk(DiskId(0), two_caches(to).disks[0].clone());
        changed(&mut stack, trace, S, change);
        let written: u64 = [0, 1].map(|id| stack.cache(CacheId(id)).written_back).iter().sum();
        assert_eq!(written, 32 * 4096, "only what was on its way, changed to {to:?}");
        assert_eq!([0, 1].map(|id| stack.cache(CacheId(id)).dirty_bytes), [0, 0]);
    }
}

#[test]
fn a_disk_that_is_given_a_cache_begins_cold_and_does_not_meet_its_neighbours_lines() {
    let two = |second| {
        let disks = vec![
            (iops(5_000), constant(2 * MS), Some(CacheMode::ReadOnly)),
            (iops(5_000), constant(2 * MS), second),
        ];
        azure(iops(9_000), iops(9_000), cache(Bytes::gib(256)), disks)
    };
    let mut stack = stack(&two(None), 100);
    stack.prefill(0, 0, 100 * 65_536);
    let with_cache = two(Some(CacheMode::ReadOnly)).disks[1].clone();
    stack
        .change(Instant::ZERO, Change::Disk(DiskId(1), with_cache.clone()))
        .expect("a change that can be made");
    let reads =
        |from: u64| (0..20).map(|n| (from, Io::read(target(1), n * 65_536, 4096))).collect::<Vec<_>>();
    play(&mut stack, &reads(0));
    assert_eq!((stack.cache(CacheId(0)).hits, stack.cache(CacheId(0)).misses), (0, 20));
    play(&mut stack, &reads(S));
    assert_eq!((stack.cache(CacheId(0)).hits, stack.cache(CacheId(0)).misses), (20, 20));
    // Taken away and given again it is cold again.
    stack
        .change(Instant::from_ns(2 * S), Change::Disk(DiskId(1), two(None).disks[1].clone()))
        .expect("a change that can be made");
    stack
        .change(Instant::from_ns(2 * S), Change::Disk(DiskId(1), with_cache))
        .expect("a change that can be made");
    play(&mut stack, &reads(2 * S));
    assert_eq!((stack.cache(CacheId(0)).hits, stack.cache(CacheId(0)).misses), (20, 40));
}

#[test]
fn a_huge_disk_that_joins_a_small_cache_does_not_meet_its_neighbours_lines_either() {
    let two = |second| {
        let disks = vec![
            (iops(5_000), constant(2 * MS), Some(CacheMode::ReadOnly)),
            (iops(5_000), constant(2 * MS), second),
        ];
        let mut blueprint = azure(iops(9_000), iops(9_000), cache(Bytes::mib(2)), disks);
        blueprint.disks[0].size = Bytes::mib(16);
        blueprint.volumes[0].size = Bytes::mib(16);
        blueprint.disks[1].size = Bytes::gib(64);
        blueprint
    };
    let mut stack = stack(&two(None), 100);
    stack
        .change(Instant::ZERO, Change::Disk(DiskId(1), two(Some(CacheMode::ReadOnly)).disks[1].clone()))
        .expect("a change that can be made");
    // Sixteen places that a number of 16 bits cannot tell apart.
    let reads: Vec<_> =
        (0..16).map(|n| (n * S, Io::read(target(1), n * 65_536 * 65_536 % (64 << 30), 4096))).collect();
    play(&mut stack, &reads);
    assert_eq!((stack.cache(CacheId(0)).hits, stack.cache(CacheId(0)).misses), (0, 16));
}

#[test]
fn a_dropped_cache_misses_what_was_clean_and_still_has_what_is_dirty() {
    let mut blueprint = slow_vm(Some(CacheMode::ReadWrite));
    // Nothing is written back for a while.
    blueprint.disks[0].media = constant(10 * S);
    let mut stack = stack(&blueprint, 100);
    stack.prefill(0, 0, 1 << 20);
    let mut trace = vec![(0, Io::read(target(0), 0, 4096))];
    // More than the flusher has under way at once.
    trace.extend((0..64).map(|n| (MS, Io::write(target(0), (100 + n) * 65_536, 4096))));
    trace.push((500 * MS, Io::read(target(0), 0, 4096)));
    trace.push((500 * MS, Io::read(target(0), 163 * 65_536, 4096)));
    play_with(&mut stack, &trace, |stack, n| {
        if n == 65 {
            stack
                .change(Instant::from_ns(500 * MS), Change::DropCache(CacheId(0)))
                .expect("a change that can be made");
        }
    });
    assert_eq!((stack.cache(CacheId(0)).hits, stack.cache(CacheId(0)).misses), (2, 1));
}

fn fault(latency: u32, errors: u32, stalled_until_ns: u64) -> Change {
    let stalled_until = Instant::from_ns(stalled_until_ns);
    Change::Fault(
        DiskId(0),
        Fault { latency: Ppm(latency), errors: Ppm(errors), stalled_until, ..Fault::NONE },
    )
}

#[test]
fn a_fault_slows_stalls_or_fails_what_reaches_the_disk_from_then_on() {
    let blueprint = apart(vec![], vec![disk(constant(2 * MS), &[])]);
    let mut slow = stack(&blueprint, 10);
    let trace: Vec<_> = (0..3).flat_map(|n| burst(n * S, 1)).collect();
    let times = changed(&mut slow, trace.clone(), S / 2, fault(5_000_000, 0, 0));
    assert_eq!(times, [2 * MS, S + 10 * MS, 2 * S + 10 * MS]);
    let mut stalled = stack(&blueprint, 10);
    let times = changed(&mut stalled, trace, S / 2, fault(1_000_000, 0, S + 700 * MS));
    assert_eq!(times, [2 * MS, S + 702 * MS, 2 * S + 2 * MS]);
    let mut failing = stack(&blueprint, 10_001);
    failing.change(Instant::ZERO, fault(1_000_000, 250_000, 0)).expect("a change that can be made");
    let played = play(&mut failing, &burst(0, 10_000));
    let failed = played.done.iter().filter(|done| done.outcome == Outcome::Error).count();
    assert!((2_300..2_700).contains(&failed), "{failed}");
    failing
        .change(Instant::from_ns(S), Change::Fault(DiskId(0), Fault::NONE))
        .expect("a change that can be made");
    let played = play(&mut failing, &burst(S, 1_000));
    assert!(played.done.iter().all(|done| done.outcome == Outcome::Ok));
}

#[test]
fn a_fault_of_the_disk_is_not_felt_by_what_its_host_cache_answers() {
    let mut stack = stack(&slow_vm(Some(CacheMode::ReadWrite)), 10);
    stack.prefill(0, 0, 1 << 20);
    stack.change(Instant::ZERO, fault(1_000_000, 1_000_000, 10 * S)).expect("a change that can be made");
    let trace = [
        (0, Io::read(target(0), 0, 4096)),
        (0, Io::write(target(0), 4096, 4096)),
        (0, Io::read(target(0), 1 << 30, 4096)),
    ];
    let played = play(&mut stack, &trace);
    assert_eq!(played.times()[..2], [60 * US, 60 * US]);
    assert!(played.times()[2] >= 10 * S);
    let outcomes: Vec<_> = played.done.iter().map(|done| done.outcome).collect();
    assert_eq!(outcomes, [Outcome::Ok, Outcome::Ok, Outcome::Error]);
}

#[test]
fn a_read_that_failed_has_not_filled_the_cache() {
    let mut stack = stack(&slow_vm(Some(CacheMode::ReadOnly)), 1);
    stack.change(Instant::ZERO, fault(1_000_000, 1_000_000, 0)).expect("a change that can be made");
    play(&mut stack, &burst(0, 1));
    stack
        .change(Instant::from_ns(S), Change::Fault(DiskId(0), Fault::NONE))
        .expect("a change that can be made");
    play(&mut stack, &burst(S, 1));
    assert_eq!(stack.cache(CacheId(0)).hits, 0);
}

#[test]
fn a_stall_without_end_is_no_overflow() {
    let mut stack = stack(&apart(vec![], vec![disk(constant(2 * MS), &[])]), 1);
    stack.change(Instant::from_ns(S), fault(2_000_000, 0, u64::MAX)).expect("a change that can be made");
    stack.submit(Instant::from_ns(S), iobound_units::Tag(0), Io::read(target(0), 0, 4096));
    assert_eq!(stack.next_event(), Some(Instant::MAX));
}

#[test]
fn what_cannot_be_is_refused_in_words_and_changes_nothing() {
    let bursting = LimiterSpec {
        credits: Some(Credits { ios: Some(Credit { burst: 3_500, capacity: 1_000 }), bytes: None }),
        ..iops(100)
    };
    let blueprint = one_disk(bursting.clone(), Some(CacheMode::ReadWrite));
    let disk = |change: fn(&mut iobound_model::DiskSpec)| {
        let mut spec = blueprint.disks[0].clone();
        change(&mut spec);
        Change::Disk(DiskId(0), spec)
    };
    let fault = |errors| Fault { errors: Ppm(errors), ..Fault::NONE };
    let cases = [
        (Change::Limiter(LimiterId(3), iops(10)), "no limiter 3"),
        (Change::Limiter(LimiterId(2), iops(0)), "zero"),
        (Change::Limiter(LimiterId(2), LimiterSpec { ios: None, ..bursting }), "which it does not limit"),
        (Change::Credits(LimiterId(3), Dimension::Ios, 1), "no limiter 3"),
        (Change::Credits(LimiterId(0), Dimension::Ios, 1), "no credits of iops"),
        (Change::Credits(LimiterId(2), Dimension::Bytes, 1), "no credits of throughput"),
        (Change::Credits(LimiterId(2), Dimension::Ios, 1_001), "1000 at most"),
        (Change::Disk(DiskId(1), blueprint.disks[0].clone()), "no disk 1"),
        (disk(|spec| spec.size = Bytes::gib(65)), "size stays 64 GiB"),
        (disk(|spec| spec.max_transfer = Bytes::kib(512)), "transfer stays 256 KiB"),
        (disk(|spec| spec.routes.read = vec![LimiterId(3)]), "no limiter 3"),
        (disk(|spec| spec.routes.write_back = vec![LimiterId(0); 7]), "above 6"),
        (
            disk(|spec| spec.cache = Some(CacheUse { cache: CacheId(1), mode: CacheMode::ReadOnly })),
            "no cache 1",
        ),
        (disk(|spec| spec.media.read.floor = Ppm(1_000_001)), "at most the mean"),
        (Change::DropCache(CacheId(1)), "no cache 1"),
        (Change::Fault(DiskId(1), Fault::NONE), "no disk 1"),
        (Change::Fault(DiskId(0), fault(1_000_001)), "1000001 ppm"),
    ];
    let trace = burst(0, 60);
    let untouched = play(&mut stack(&blueprint, 60), &trace);
    let mut stack = stack(&blueprint, 60);
    for (change, why) in cases {
        let refused = stack.change(Instant::ZERO, change.clone()).expect_err("it cannot be").to_string();
        assert!(refused.contains(why), "{change:?}: {refused}");
    }
    assert_eq!(play(&mut stack, &trace), untouched);
}

#[test]
fn a_disk_that_joins_a_cache_may_not_make_its_table_larger_than_any_can_be() {
    // 2^28 lines are the most. In lines of 4 KiB a disk of 1,000 GiB has 2.6 x 10^8, just below, and two have twice that.
    let two = |second| {
        let disks =
            vec![(iops(500), constant(MS), Some(CacheMode::ReadOnly)), (iops(500), constant(MS), second)];
        azure(iops(500), iops(500), CacheSpec { line: Bytes(1 << 12), ..cache(Bytes::gib(2_048)) }, disks)
    };
    let mut small = two(None);
    for (disk, volume) in small.disks.iter_mut().zip(&mut small.volumes) {
        (disk.size, volume.size) = (Bytes::gib(1_000), Bytes::gib(1_000));
    }
    let joins = Change::Disk(
        DiskId(1),
        iobound_model::DiskSpec {
            size: Bytes::gib(1_000),
            ..two(Some(CacheMode::ReadOnly)).disks[1].clone()
        },
    );
    let refused = stack(&small, 1).change(Instant::ZERO, joins).expect_err("too many lines").to_string();
    assert!(refused.contains("lines") && refused.contains("larger lines"), "{refused}");
}
