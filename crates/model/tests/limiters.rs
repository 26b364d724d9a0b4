//! Promises of a limiter for any arrivals: windows, rates, order, work conservation, and attribution of time.

mod common;

use common::arbitrary::cases;
use common::build::*;
use common::edges::first_edge;
use common::play::{Finished, closed, play, run, tags};
use common::random::Random;
use iobound_model::{
    Algorithm, Blueprint, CacheMode, Limit, LimiterId, LimiterSpec, Stack, Start, StartCredits,
};
use iobound_units::{Bytes, Io, Ppm, Span};
use proptest::prelude::*;

const UNIT: u32 = 256 * KIB;

/// An I/O passed: when, how many units, how many bytes.
type Passage = (u64, u64, u64);

/// A disk without latency behind one limiter: an I/O completes when it passes.
fn alone(limiter: LimiterSpec) -> Blueprint {
    apart(vec![limiter], vec![disk(constant(0), &[0])])
}

fn passages(limiter: LimiterSpec, seed: u64, trace: &[(u64, Io)]) -> Vec<Passage> {
    let charge = limiter.charge;
    let mut stack = Stack::new(&alone(limiter), &start(seed), trace.len()).expect("a valid blueprint");
    let times = play(&mut stack, trace).times();
    assert!(times.is_sorted(), "a limiter serves in the order of arrival");
    trace
        .iter()
        .zip(times)
        .map(|((_, io), at)| (at, charge.units(u64::from(io.len)), u64::from(io.len)))
        .collect()
}

/// Reads of disk 0: how long after the one before, and how long in bytes.
fn trace_of(arrivals: &[(u64, u32)]) -> Vec<(u64, Io)> {
    let mut at = 0;
    arrivals
        .iter()
        .map(|(gap, len)| {
            at += gap;
            (at, Io::read(target(0), 0, *len))
        })
        .collect()
}

/// Bursts and lulls: most I/Os at once, some after a part of a slice, some after several.
fn arrivals() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let gap = prop_oneof![6 => Just(0), 3 => 0..20 * MS, 1 => 0..400 * MS];
    let len = prop_oneof![4 => Just(4 * KIB), 2 => 1..=UNIT, 1 => UNIT..=8 * UNIT];
    prop::collection::vec((gap, len), 1..160)
}

/// The largest amount, less `bound(window)`, that passes in any window from one passage to another.
fn worst_excess(passages: &[Passage], amount: impl Fn(&Passage) -> u64, bound: impl Fn(u64) -> i128) -> i128 {
    let mut worst = i128::MIN;
    for (first, passage) in passages.iter().enumerate() {
        let mut passed = 0;
        for later in &passages[first..] {
            passed += i128::from(amount(later));
            worst = worst.max(passed * 1_000_000 - bound(later.0 - passage.0));
        }
    }
    worst
}

fn largest(passages: &[Passage], amount: impl Fn(&Passage) -> u64) -> i128 {
    i128::from(passages.iter().map(amount).max().unwrap_or(0))
}

proptest! {
    #![proptest_config(cases(96))]

    /// At the window's start at most two quotas are there, the slice's own and a carried one; each of the at most
    /// ⌈w/T⌉ slice edges that follow brings one more; the last I/O may overdraw.
    #[test]
    fn in_any_window_a_slice_limiter_lets_its_quotas_the_carry_and_one_io_through(
        arrivals in arrivals(), seed: u64, iops in 20u64..3_000, kb_per_s in 500u64..60_000,
        length_ms in 5u64..80, by_bytes: bool,
    ) {
        let length = length_ms * MS;
        let algorithm = Algorithm::Slice { length: Span::from_ns(length) };
        let bytes_per_s = kb_per_s * 1_000;
        let limiter = limited("disk", algorithm, PREMIUM, (!by_bytes).then_some(iops), by_bytes.then_some(bytes_per_s));
        let passages = passages(limiter, seed, &trace_of(&arrivals));
        let (limit, amount): (u64, fn(&Passage) -> u64) =
            if by_bytes { (bytes_per_s, |p| p.2) } else { (iops, |p| p.1) };
        let quota = i128::from(limit) * 1_020_000 * i128::from(length) / 1_000_000_000 + 1;
        let one = largest(&passages, amount) * 1_000_000;
        let excess = worst_excess(&passages, amount, |window| {
            i128::from(window.div_ceil(length) + 2) * quota + one
        });
        prop_assert!(excess <= 0, "{excess} millionths too much");
    }

    #[test]
    fn in_any_window_a_bucket_lets_rate_times_window_its_depth_and_one_io_through(
        arrivals in arrivals(), seed: u64, iops in 20u64..3_000, kb_per_s in 500u64..60_000,
        depth_ms in 1u64..1_500, by_bytes: bool,
    ) {
        let algorithm = Algorithm::Bucket { depth: Span::from_ms(depth_ms) };
        let bytes_per_s = kb_per_s * 1_000;
        let limiter = limited("disk", algorithm, Ppm::ONE, (!by_bytes).then_some(iops), by_bytes.then_some(bytes_per_s));
        let passages = passages(limiter, seed, &trace_of(&arrivals));
        let (rate, amount): (u64, fn(&Passage) -> u64) =
            if by_bytes { (bytes_per_s, |p| p.2) } else { (iops, |p| p.1) };
        let one = largest(&passages, amount) * 1_000_000;
        let excess = worst_excess(&passages, amount, |window| {
            i128::from(rate) * i128::from(window + depth_ms * MS) / 1_000 + one + 1
        });
        prop_assert!(excess <= 0, "{excess} millionths too much");
    }

    /// While somebody waits, the quota is used up in every slice: what passes in a busy time of k slices is k
    /// quotas, but for what was overdrawn before and what is overdrawn after.
    #[test]
    fn a_limiter_that_has_quota_keeps_nobody_waiting(
        arrivals in arrivals(), seed: u64, iops in 20u64..2_000, sliced: bool, length_ms in 5u64..80,
    ) {
        let length = Span::from_ms(length_ms);
        let algorithm = if sliced { Algorithm::Slice { length } } else { Algorithm::Bucket { depth: length } };
        let trace = trace_of(&arrivals);
        let passages = passages(limited("disk", algorithm, Ppm::ONE, Some(iops), None), seed, &trace);
        let one = largest(&passages, |p| p.1);
        let mut from = 0;
        while from < trace.len() {
            // A busy time: from an I/O that waits to the first that finds nobody waiting.
            let mut to = from + 1;
            while to < trace.len() && trace[to].0 < passages[to - 1].0 {
                to += 1;
            }
            let (begin, end) = (trace[from].0, passages[to - 1].0);
            if passages[from].0 > begin {
                let passed: i128 = passages[from..to - 1].iter().map(|p| i128::from(p.1)).sum();
                // A slice's quota comes at its edge, so up to a slice of it may still be to come.
                let slack = if sliced { i128::from(iops * length.ns()) } else { 0 };
                let due = i128::from(iops) * i128::from(end - begin);
                let short = due - passed * i128::from(S) - slack;
                prop_assert!(short <= (one + 1) * i128::from(S), "{} units short", short / i128::from(S));
            }
            from = to;
        }
    }
}

/// Two quotas just before a slice's edge and a third just after it: what ⌊w/T⌋ + 2 would forbid.
#[test]
fn three_quotas_pass_around_one_slice_edge() {
    let limiter = limited("disk", SLICE, Ppm::ONE, Some(2_000), None); // 100 a slice
    let edge = first_edge(1, 0, 50 * MS) + 20 * 50 * MS;
    let trace: Vec<_> = (0..400).map(|n| (edge - 1_000 + n, Io::read(target(0), 0, 4096))).collect();
    let passages = passages(limiter, 1, &trace);
    let within = passages.iter().filter(|p| p.0 <= edge).count();
    assert_eq!(within, 300);
    assert_eq!(passages[299].0 - passages[0].0, 1_000, "in a microsecond");
}

/// An idle disk has its slice's quota and a carried one, also before the run: 204 of 1,000 I/Os pass at once.
#[test]
fn a_burst_at_the_start_is_served_as_one_after_idle_seconds() {
    let limiter = limited("disk", SLICE, PREMIUM, Some(2_000), None); // 102 a slice
    let burst_at = |at: u64, credits: StartCredits| {
        let start = Start { seed: 7, credits };
        let mut stack = Stack::new(&alone(limiter.clone()), &start, 1_000).expect("a valid blueprint");
        let times = play(&mut stack, &vec![(at, Io::read(target(0), 0, 4096)); 1_000]).times();
        times.into_iter().map(|time| time - at).collect::<Vec<u64>>()
    };
    for credits in [StartCredits::Full, StartCredits::Rested] {
        let first = burst_at(0, credits);
        assert_eq!(first.iter().filter(|held| **held == 0).count(), 204, "{credits:?}");
        assert_eq!(first, burst_at(100 * 50 * MS, credits), "{credits:?}");
    }
    let held = burst_at(0, StartCredits::Spent).into_iter().filter(|held| *held > 0).count();
    assert!(held >= 1_000 - 102, "under a load that lasts nothing was carried: {held}");
}

/// What a saturated limiter lets through in 100 s after the first: units a second, and bytes a second.
fn sustained(limiter: LimiterSpec, len: u32) -> (f64, f64) {
    let units = limiter.charge.units(u64::from(len)) as f64;
    let loops = vec![closed(64, move |_| Io::read(target(0), 0, len))];
    let mut stack = Stack::new(&alone(limiter), &SPENT, tags(&loops)).expect("a valid blueprint");
    let got = run(&mut stack, loops, S, 101 * S);
    (got[0].iops() * units, got[0].mb_per_s() * 1e6)
}

fn within(got: f64, expected: f64, share: f64) -> bool {
    (got - expected).abs() <= expected * share
}

#[test]
fn over_100_s_the_rate_is_the_limit_times_the_factor() {
    for algorithm in [SLICE, BUCKET, Algorithm::Bucket { depth: Span::from_ms(7) }] {
        for factor in [PREMIUM, Ppm::ONE] {
            // P4 (6.12 units a slice), P10, P20, P30, a VM; a prime.
            for iops in [120, 500, 2_300, 5_000, 12_800, 7_919] {
                let (got, _) = sustained(limited("disk", algorithm, factor, Some(iops), None), 4096);
                let expected = iops as f64 * factor.as_f64();
                assert!(within(got, expected, 0.001), "{iops} IOPS, {algorithm:?}: {got}");
            }
            for (mb_per_s, len) in [(25, UNIT), (60, 64 * KIB), (100, 100_000), (200, MIB), (768, 4 * UNIT)] {
                let limiter = limited("disk", algorithm, factor, None, Some(mb_per_s * 1_000_000));
                let (_, got) = sustained(limiter, len);
                let expected = mb_per_s as f64 * 1e6 * factor.as_f64();
                assert!(within(got, expected, 0.001), "{mb_per_s} MB/s, {algorithm:?}: {got}");
            }
        }
    }
}

#[test]
fn the_lower_of_two_limits_holds_and_the_other_is_not_used_up() {
    // P30 at 64 KiB is bound by 200 MB/s: 3,052 I/Os a second × 1.02, not 5,000 (A7, with 10^6).
    for algorithm in [SLICE, BUCKET] {
        let limiter = limited("disk", algorithm, PREMIUM, Some(5_000), Some(200_000_000));
        let (units, bytes) = sustained(limiter.clone(), 64 * KIB);
        assert!(within(bytes, 204e6, 0.001), "{bytes}");
        assert!(within(units, 204e6 / 65_536.0, 0.001), "{units}");
        let (units, _) = sustained(limiter, 8 * KIB);
        assert!(within(units, 5_100.0, 0.001), "{units}");
    }
}

#[test]
fn an_enforced_figure_stands_in_place_of_the_published_one_and_its_factor() {
    // Standard HDD: published 60 MB/s, 100 MB/s measured.
    let limit = Limit { published: 60_000_000, enforced: Some(100_000_000) };
    let limiter = LimiterSpec { bytes: Some(limit), ..limiter("disk", BUCKET, PREMIUM) };
    let (_, got) = sustained(limiter, UNIT);
    assert!(within(got, 100e6, 0.001), "{got}");
}

#[test]
fn an_io_larger_than_a_slices_quota_leaves_a_debt_that_later_slices_repay() {
    // P4: 6.12 units a slice, 2 MiB is 8. An idle one has 12.24, so two pass at once; the next when 3.76 are repaid, in
    // the second slice, and so on: 122.4 units a second in the long run.
    let p4 = limited("disk", SLICE, PREMIUM, Some(120), None);
    let edge = first_edge(1, 0, 50 * MS);
    let trace: Vec<_> = (0..5).map(|_| (0, Io::read(target(0), 0, 2 * MIB))).collect();
    let slices: Vec<u64> = passages(p4.clone(), 1, &trace)
        .iter()
        .map(|p| if p.0 == 0 { 0 } else { (p.0 - edge) / (50 * MS) + 1 })
        .collect();
    // Balances after each: 4.24, −3.76, −5.64, −7.52; then −1.40 in slice 3 and 4.72 in slice 4.
    assert_eq!(slices, [0, 0, 1, 2, 4]);
    let (units, _) = sustained(p4, 2 * MIB);
    assert!(within(units, 122.4, 0.001), "{units}");
}

#[test]
fn an_io_larger_than_a_bucket_passes_when_it_is_full_and_leaves_a_debt() {
    let bucket = limited("disk", Algorithm::Bucket { depth: Span::from_ms(10) }, Ppm::ONE, Some(100), None);
    // One token deep; 2 MiB is 8 units. At 0 it is full, and full again after 80 ms.
    let trace: Vec<_> = (0..3).map(|_| (0, Io::read(target(0), 0, 2 * MIB))).collect();
    let times: Vec<u64> = passages(bucket, 1, &trace).iter().map(|p| p.0).collect();
    assert_eq!(times, [0, 80 * MS, 160 * MS]);
}

/// Times of an I/O at each limiter of its route: arrived, passed.
fn visits(submitted: u64, done: &Finished) -> Vec<(LimiterId, u64, u64)> {
    let mut at = submitted;
    done.spent.limiters[..done.spent.limiter_count]
        .iter()
        .map(|(limiter, held)| {
            let arrived = at;
            at += held.ns();
            (*limiter, arrived, at)
        })
        .collect()
}

/// An Azure VM with cached and uncached disks, and a random trace over them: some hits, some misses, writes.
fn mixed(seed: u64, sliced: bool) -> (Blueprint, Vec<(u64, Io)>) {
    let mut random = Random(seed);
    let algorithm = |sliced| if sliced { SLICE } else { Algorithm::Bucket { depth: Span::from_ms(30) } };
    let mut limiter = |name: &str, low: u64, high: u64| {
        let iops = low + random.below(high - low);
        limited(name, algorithm(sliced), PREMIUM, Some(iops), Some(iops * 8_000))
    };
    let (cached, uncached) = (limiter("vm.cached", 800, 3_000), limiter("vm.uncached", 500, 3_000));
    let own: Vec<_> = (0..4).map(|_| limiter("disk", 100, 1_500)).collect();
    let modes = [None, Some(CacheMode::ReadOnly), None, Some(CacheMode::ReadOnly)];
    let disks = own.into_iter().zip(modes).map(|(limiter, mode)| (limiter, constant(2 * MS), mode)).collect();
    let blueprint = azure(cached, uncached, cache(Bytes::gib(4)), disks);
    let mut at = 0;
    let trace = (0..1_500)
        .map(|_| {
            at += random.pick(&[0, 0, 10, 300_000, 1_000_000]) + random.below(1_000_000);
            let (disk, len) = (target(random.below(4) as u16), KIB << (2 + random.below(8)));
            let offset = random.below(64) * u64::from(MIB);
            let io = if random.below(3) == 0 { Io::write } else { Io::read };
            (at, io(disk, offset, len))
        })
        .collect();
    (blueprint, trace)
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn every_limiter_serves_in_the_order_of_arrival_there(seed: u64, sliced: bool) {
        let (blueprint, trace) = mixed(seed, sliced);
        let mut stack = Stack::new(&blueprint, &start(seed), trace.len()).expect("a valid blueprint");
        let played = play(&mut stack, &trace);
        for limiter in 0..blueprint.limiters.len() {
            let mut visits: Vec<(u64, u64)> = trace
                .iter()
                .zip(&played.done)
                .flat_map(|((at, _), done)| visits(*at, done))
                .filter(|(id, ..)| usize::from(id.0) == limiter)
                .map(|(_, arrived, passed)| (arrived, passed))
                .collect();
            visits.sort_unstable();
            prop_assert!(visits.windows(2).all(|v| v[0].0 == v[1].0 || v[0].1 <= v[1].1), "limiter {limiter}");
        }
    }

    #[test]
    fn the_time_a_limiter_held_is_what_the_ios_spent_there_and_all_parts_sum_to_the_latency(
        seed: u64, sliced: bool,
    ) {
        let (blueprint, trace) = mixed(seed, sliced);
        let mut stack = Stack::new(&blueprint, &start(seed), trace.len()).expect("a valid blueprint");
        let played = play(&mut stack, &trace);
        let mut spent = vec![0; blueprint.limiters.len()];
        let mut charged = vec![(0, 0); blueprint.limiters.len()];
        for ((at, io), done) in trace.iter().zip(&played.done) {
            prop_assert_eq!(done.spent.total().ns(), done.at - at);
            for (limiter, held) in &done.spent.limiters[..done.spent.limiter_count] {
                spent[usize::from(limiter.0)] += held.ns();
                let charged = &mut charged[usize::from(limiter.0)];
                charged.0 += u64::from(io.len.div_ceil(UNIT));
                charged.1 += u64::from(io.len);
            }
        }
        for (n, spent) in spent.into_iter().enumerate() {
            let state = stack.limiter(LimiterId(n as u16));
            prop_assert_eq!(state.held_ns[0] + state.held_ns[1], spent);
            prop_assert_eq!((state.units, state.bytes), charged[n]);
            prop_assert_eq!(state.waiting, 0);
        }
    }

    /// Disks that share no limiter do not know of each other.
    #[test]
    fn a_disk_of_its_own_limiters_is_as_fast_beside_others_as_alone(seed: u64, slow in 1u64..50) {
        let limiters = vec![premium("a", slow, 500_000), premium("b", 1_000, 50_000_000)];
        let blueprint = apart(limiters, vec![disk(constant(90 * MS), &[0]), disk(constant(MS), &[1])]);
        let mut random = Random(seed);
        let mut at = 0;
        let trace: Vec<_> = (0..400).map(|n| {
            at += random.below(3 * MS);
            (at, Io::read(target(n % 2), 0, KIB << (2 + random.below(8))))
        }).collect();
        let alone: Vec<_> = trace.iter().copied().filter(|(_, io)| io.target == target(1)).collect();
        let played = |trace: &[(u64, Io)]| {
            let mut stack = Stack::new(&blueprint, &start(seed), trace.len()).expect("a valid blueprint");
            play(&mut stack, trace).times()
        };
        let beside: Vec<u64> = played(&trace).into_iter().skip(1).step_by(2).collect();
        prop_assert_eq!(beside, played(&alone));
    }
}

/// Booking the whole path at admission gave the uncached disk 160 IOPS here: its places at the VM's uncached limiter
/// were taken by I/Os that still waited at the cached one.
#[test]
fn cached_disks_held_at_the_vms_cached_limit_do_not_hold_back_an_uncached_one() {
    let p30 = || premium("disk", 5_000, 200_000_000);
    let mut disks = vec![(p30(), constant(1_600_000), Some(CacheMode::ReadOnly)); 4];
    disks.push((p30(), constant(1_600_000), None));
    let cached = premium("vm.cached", 4_000, 32_000_000);
    let uncached = premium("vm.uncached", 51_200, 768_000_000);
    let blueprint = azure(cached, uncached, cache(Bytes::mib(64)), disks);
    let mut loops: Vec<_> = (0..4)
        .map(|disk| closed(128, move |n| Io::read(target(disk), (n % 900_000) * 65_536, 4096)))
        .collect();
    loops.push(closed(8, |n| Io::read(target(4), (n % 900_000) * 65_536, 4096)));
    let mut stack = Stack::new(&blueprint, &FULL, tags(&loops)).expect("a valid blueprint");
    let got = run(&mut stack, loops, S, 11 * S);
    let cached: f64 = got[..4].iter().map(|got| got.iops()).sum();
    assert!(within(cached, 4_080.0, 0.01), "{cached}");
    // Depth 8 at 1.6 ms is 5,000 a second, and its limiter lets 5,100 through.
    assert!((4_900.0..=5_000.0).contains(&got[4].iops()), "{}", got[4].iops());
}
