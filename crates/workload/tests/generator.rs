//! What a generator issues, seen from outside: offsets, mixes, streams and their order.

use std::collections::BTreeMap;

use iobound_units::{Bytes, Io, Op, Percent, Ppm, Span, TargetId};
use iobound_workload::{
    Access, Cursors, Distribution, Generator, HotZone, Job, Share, Spread, StridedZones, Target, Workload,
    ZoneRange,
};
use proptest::prelude::*;

fn target(id: u16, size: u64) -> Target {
    Target {
        name: format!("data.{id}"),
        id: TargetId(id),
        size: Bytes(size),
        members_of: Some("data".into()),
    }
}

fn generators(job: &Job, sizes: &[u64]) -> Vec<Generator> {
    let workload = Workload { seed: 1, ..Workload::new(vec![job.clone()], Span::from_secs(1)) };
    let targets: Vec<Target> = sizes.iter().enumerate().map(|(i, s)| target(i as u16, *s)).collect();
    let queues = workload.queues(&targets).unwrap();
    workload.generators(&queues)
}

fn draw(generator: &mut Generator, count: usize) -> Vec<Io> {
    (0..count).map(|_| generator.next()).collect()
}

fn offsets(generator: &mut Generator, count: usize) -> Vec<u64> {
    draw(generator, count).iter().map(|io| io.offset).collect()
}

fn percent(n: u32) -> Percent {
    Percent::whole(n).unwrap()
}

fn sequential() -> Job {
    Job { access: Access::sequential(), ..Job::new("sequential") }
}

#[test]
fn the_first_ios_of_a_seed_never_change() {
    // Golden: a change here changes every published simulation.
    let mut job = Job::new("golden");
    job.set_mix(8_192, percent(70));
    let ios = draw(&mut generators(&job, &[1 << 30])[0], 6);
    let seen: Vec<(&str, u64)> = ios.iter().map(|io| (io.op.name(), io.offset / 8_192)).collect();
    let golden = [
        ("write", 64_660),
        ("read", 29_648),
        ("read", 91_963),
        ("read", 80_258),
        ("write", 122_376),
        ("read", 67_247),
    ];
    assert_eq!(seen, golden);
    job.access.distribution = Distribution::Zipf { theta: Ppm(990_000) };
    let seen: Vec<u64> = offsets(&mut generators(&job, &[1 << 40])[0], 4).iter().map(|o| o / 8_192).collect();
    assert_eq!(seen, [71_180_129, 36_337_421, 95_453_111, 94_622_235]);
}

#[test]
fn a_sequential_stream_begins_again_where_the_next_io_would_not_fit() {
    let mut job = sequential();
    assert_eq!(offsets(&mut generators(&job, &[10_000])[0], 4), [0, 4_096, 0, 4_096]);
    job.access.stride = Some(Bytes(8_192));
    assert_eq!(offsets(&mut generators(&job, &[20_480])[0], 5), [0, 8_192, 16_384, 0, 8_192]);
}

#[test]
fn the_region_moves_every_offset() {
    let mut job = sequential();
    job.region.offset = Bytes(1 << 20);
    job.region.size = Some(Bytes(8_192));
    assert_eq!(offsets(&mut generators(&job, &[1 << 30])[0], 3), [1 << 20, (1 << 20) + 4_096, 1 << 20]);
}

#[test]
fn streams_of_threads_start_a_thread_stride_apart() {
    let mut job = Job { threads: 3, ..sequential() };
    job.access.thread_stride = Some(Bytes(6_144));
    let firsts: Vec<Vec<u64>> =
        generators(&job, &[20_480]).iter_mut().map(|generator| offsets(generator, 4)).collect();
    // As in DiskSpd a stream begins again at its start modulo its step.
    assert_eq!(
        firsts,
        [vec![0, 4_096, 8_192, 12_288], vec![6_144, 10_240, 14_336, 2_048], vec![12_288, 16_384, 0, 4_096]]
    );
}

#[test]
fn a_shared_stream_gives_each_block_once_whoever_asks() {
    let mut job = Job { threads: 4, ..sequential() };
    job.access.shared = true;
    let mut threads = generators(&job, &[10 * 4_096]);
    let order = [0, 3, 1, 1, 2, 0, 0, 3, 2, 1, 0, 2];
    let seen: Vec<u64> = order.iter().map(|thread| threads[*thread].next().offset / 4_096).collect();
    assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]);
}

#[test]
fn a_shared_stream_is_one_for_real_threads_that_take_their_queues_apart() {
    let mut job = Job { threads: 4, ..sequential() };
    job.access.shared = true;
    let workload = Workload::new(vec![job], Span::from_secs(1));
    let queues = workload.queues(&[target(0, 40_000 * 4_096)]).unwrap();
    let cursors = Cursors::new(&queues);
    let mut seen: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = queues
            .chunks(1)
            .map(|queue| {
                let mut generators = workload.generators_on(queue, &cursors);
                scope.spawn(move || offsets(&mut generators[0], 10_000))
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    seen.sort_unstable();
    assert!(seen.iter().enumerate().all(|(index, offset)| *offset == index as u64 * 4_096));
}

#[test]
fn a_shared_stream_of_several_sizes_leaves_no_gap() {
    let mut job = Job { threads: 2, ..sequential() };
    job.access.shared = true;
    job.mix = [4_096, 8_192]
        .map(|block| Share { weight: 1, op: Op::Read, block, random: None, align: None })
        .to_vec();
    let mut threads = generators(&job, &[1 << 20]);
    let mut expected = 0;
    for turn in 0..2_000 {
        let io = threads[turn % 2].next();
        if io.offset == 0 {
            expected = 0;
        }
        assert_eq!(io.offset, expected);
        assert!(io.offset + u64::from(io.len) <= 1 << 20);
        expected += u64::from(io.len);
    }
}

#[test]
fn a_dealing_queue_takes_its_targets_in_turn_each_with_its_own_stream() {
    let job = Job { spread: Spread::Dealt, ..sequential() };
    let ios = draw(&mut generators(&job, &[1 << 20, 1 << 20])[0], 4);
    let seen: Vec<(u16, u64)> = ios.iter().map(|io| (io.target.0, io.offset)).collect();
    assert_eq!(seen, [(0, 0), (1, 0), (0, 4_096), (1, 4_096)]);
}

#[test]
fn the_sequential_ones_of_a_mixed_stream_follow_on_from_the_last_io() {
    let mut job = Job::new("mixed");
    job.access.random = percent(20);
    let ios = draw(&mut generators(&job, &[1 << 40])[0], 50_000);
    let follow = ios.windows(2).filter(|pair| pair[1].offset == pair[0].offset + 4_096).count();
    // 80 % of 50,000 with a deviation of 89.
    assert!(follow.abs_diff(40_000) < 450, "{follow}");
}

#[test]
fn a_share_may_be_random_where_its_job_is_not() {
    let mut job = sequential();
    job.mix = vec![
        Share { weight: 1, op: Op::Read, block: 4_096, random: Some(Percent::HUNDRED), align: None },
        Share { weight: 1, op: Op::Write, block: 8_192, random: None, align: None },
    ];
    let ios = draw(&mut generators(&job, &[1 << 40])[0], 1_000);
    assert!(
        ios.windows(2).all(|pair| {
            pair[1].op == Op::Read || pair[1].offset == pair[0].offset + u64::from(pair[0].len)
        })
    );
}

#[test]
fn a_flush_follows_every_nth_write_on_each_target_written() {
    let mut job = Job { flush_every: Some(2), spread: Spread::Dealt, durable: true, ..sequential() };
    job.set_mix(4_096, Percent::ZERO);
    let mut generators = generators(&job, &[1 << 20, 1 << 20]);
    let ios = draw(&mut generators[0], 8);
    let seen: Vec<(Op, u16)> = ios.iter().map(|io| (io.op, io.target.0)).collect();
    let round = [(Op::Write, 0), (Op::Write, 1), (Op::Flush, 0), (Op::Flush, 1)];
    assert_eq!(seen, [round, round].concat());
    assert!(ios.iter().all(|io| io.fua == (io.op == Op::Write)));
}

#[test]
fn a_mix_has_the_shares_of_its_weights() {
    let mut job = Job::new("split");
    job.mix = [(60, 4_096), (40, 65_536)]
        .map(|(weight, block)| Share { weight, op: Op::Read, block, random: None, align: None })
        .to_vec();
    let ios = draw(&mut generators(&job, &[1 << 40])[0], 100_000);
    let small = ios.iter().filter(|io| io.len == 4_096).count();
    assert!(small.abs_diff(60_000) < 775, "{small}");
    assert!(ios.iter().all(|io| io.offset.is_multiple_of(u64::from(io.len))));
}

#[test]
fn once_each_touches_every_block_once_before_any_twice() {
    let mut job = Job::new("once");
    job.access.once_each = true;
    let generator = &mut generators(&job, &[1_000 * 4_096])[0];
    let mut passes: Vec<Vec<u64>> = (0..3).map(|_| offsets(generator, 1_000)).collect();
    assert_ne!(passes[0], passes[1]);
    for pass in &mut passes {
        pass.sort_unstable();
        assert!(pass.iter().enumerate().all(|(index, offset)| *offset == index as u64 * 4_096));
    }
}

#[test]
fn several_sizes_touch_every_block_once_together() {
    let mut job = Job::new("map");
    job.access.once_each = true;
    job.mix = [4_096, 8_192, 16_384]
        .map(|block| Share { weight: 1, op: Op::Read, block, random: None, align: None })
        .to_vec();
    let generator = &mut generators(&job, &[1_000 * 4_096])[0];
    for _ in 0..2 {
        let (mut touched, mut moved) = (vec![0; 1_000], 0);
        while moved < 1_000 * 4_096 {
            let io = generator.next();
            moved += u64::from(io.len);
            let first = io.offset / 4_096;
            (first..first + u64::from(io.len) / 4_096).for_each(|block| touched[block as usize] += 1);
        }
        assert_eq!(touched, vec![1; 1_000]);
    }
}

fn share_below(job: &Job, size: u64, bound: u64) -> f64 {
    let drawn = offsets(&mut generators(job, &[size])[0], 100_000);
    drawn.iter().filter(|offset| **offset < bound).count() as f64 / 100_000.0
}

#[test]
fn ninety_percent_of_the_ios_go_to_the_first_tenth() {
    let mut job = Job::new("hot");
    let zone = |ios, range| HotZone { ios: percent(ios), range: ZoneRange::Share(percent(range)) };
    job.access.distribution = Distribution::Zones(vec![zone(90, 10)]);
    let size = 1 << 30;
    assert!((share_below(&job, size, size / 10) - 0.9).abs() < 0.005);
    // Alike within the cold zone.
    assert!((share_below(&job, size, size * 55 / 100) - 0.95).abs() < 0.005);
}

#[test]
fn a_normal_has_two_thirds_within_a_deviation_of_the_middle() {
    let mut job = Job::new("normal");
    job.access.distribution = Distribution::Normal { deviation: Ppm(100_000) };
    let size = 1u64 << 30;
    assert!((share_below(&job, size, size / 2) - 0.5).abs() < 0.008);
    assert!((share_below(&job, size, size * 4 / 10) - 0.158_66).abs() < 0.006);
}

/// Hit rate of the most popular `share` of the blocks.
fn hits_of_most_popular(job: &Job, blocks: u64, share: f64) -> f64 {
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for offset in offsets(&mut generators(job, &[blocks * 4_096])[0], 200_000) {
        *counts.entry(offset).or_default() += 1;
    }
    let mut counts: Vec<u32> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let top = (blocks as f64 * share) as usize;
    counts.iter().take(top).map(|count| f64::from(*count)).sum::<f64>() / 200_000.0
}

#[test]
fn pareto_point_two_is_the_eighty_twenty_rule() {
    let mut job = Job::new("pareto");
    job.access.distribution = Distribution::Pareto { power: Ppm(200_000) };
    let hits = hits_of_most_popular(&job, 1_000, 0.2);
    assert!((hits - 0.8).abs() < 0.01, "{hits}");
}

#[test]
fn zipf_blocks_are_scattered_and_shared_by_all_threads() {
    let mut job = Job { threads: 2, ..Job::new("zipf") };
    job.access.distribution = Distribution::Zipf { theta: Ppm(1_200_000) };
    let mut threads = generators(&job, &[1 << 30]);
    let hottest = |generator: &mut Generator| {
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for offset in offsets(generator, 20_000) {
            *counts.entry(offset).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count).unwrap()
    };
    let (first, second) = (hottest(&mut threads[0]), hottest(&mut threads[1]));
    assert_eq!(first.0, second.0);
    assert_ne!(first.0, 0);
    // 1 / ζ(1.2) over 262,144 ranks = 1 / 5.18.
    assert!((f64::from(first.1) / 20_000.0 - 0.193).abs() < 0.015, "{first:?}");
}

#[test]
fn queues_draw_differently_and_each_the_same_again() {
    let job = Job { threads: 2, ..Job::new("random") };
    let first = |index: usize| offsets(&mut generators(&job, &[1 << 40])[index], 20);
    assert_ne!(first(0), first(1));
    assert_eq!(first(1), first(1));
}

fn distributions() -> impl Strategy<Value = Distribution> {
    prop_oneof![
        Just(Distribution::Uniform),
        (0u32..3_000_000).prop_map(|theta| Distribution::Zipf { theta: Ppm(theta) }),
        (1u32..1_000_000).prop_map(|power| Distribution::Pareto { power: Ppm(power) }),
        (1_000u32..=1_000_000).prop_map(|deviation| Distribution::Normal { deviation: Ppm(deviation) }),
        (1u32..100, 30u32..70).prop_map(|(ios, range)| Distribution::Zones(vec![HotZone {
            ios: percent(ios),
            range: ZoneRange::Share(percent(range)),
        }])),
    ]
}

proptest! {
    #[test]
    fn every_io_lies_inside_its_region_and_on_its_alignment(
        distribution in distributions(),
        blocks in proptest::collection::vec(1u32..=64, 1..4),
        aligns in proptest::collection::vec(proptest::option::of(1u64..=64), 4),
        random in 0u32..=100,
        shared: bool,
        offset in 0u64..1_000,
        sectors in 1_024u64..1 << 37,
    ) {
        let mut job = Job { threads: 2, ..Job::new("any") };
        job.mix = blocks.iter().map(|b| Share { weight: *b, op: Op::Write, block: b * 512, random: None, align: None }).collect();
        let bytes = |align: Option<u64>| align.map(|a| Bytes(a * 512));
        job.mix.iter_mut().zip(&aligns).for_each(|(share, align)| share.align = bytes(*align));
        job.access.random = percent(random);
        job.access.distribution = distribution;
        job.access.shared = shared;
        job.region.offset = Bytes(offset * 512);
        job.region.size = Some(Bytes(sectors * 512));
        for generator in &mut generators(&job, &[(offset + sectors) * 512]) {
            for io in draw(generator, 200) {
                let at = io.offset - offset * 512;
                prop_assert!(at + u64::from(io.len) <= sectors * 512);
                let shares = job.mix.iter().filter(|share| share.block == io.len);
                let mut aligns = shares.map(|share| share.align.map_or(512, Bytes::get));
                prop_assert!(aligns.any(|align| at.is_multiple_of(align)), "{at} of {}", io.len);
            }
        }
    }
}

#[test]
fn sequential_ios_begin_at_the_next_boundary_of_their_own_share() {
    let share =
        |block, align| Share { weight: 1, op: Op::Read, block, random: None, align: Some(Bytes(align)) };
    let mut job = sequential();
    job.mix = vec![share(512, 512), share(4_096, 4_096), share(1_024, 3_072)];
    for shared in [false, true] {
        job.access.shared = shared;
        let mut end = 0;
        for io in draw(&mut generators(&job, &[1 << 20])[0], 2_000) {
            let align = job.mix.iter().find(|share| share.block == io.len).unwrap().align.unwrap().get();
            let next = u64::next_multiple_of(end, align);
            let expected = if next + u64::from(io.len) > 1 << 20 { 0 } else { next };
            // Where only a smaller one ends inside the region, it takes the turn, at its own boundary.
            assert_eq!(io.offset, expected, "{shared} {io:?}");
            end = io.offset + u64::from(io.len);
        }
    }
}

#[test]
fn hot_places_of_a_mix_are_on_the_boundaries_of_each_share() {
    let share =
        |block, align| Share { weight: 1, op: Op::Read, block, random: None, align: Some(Bytes(align)) };
    let mut job = Job::new("mixed");
    job.mix = vec![share(4_096, 6_144), share(8_192, 4_096)];
    job.access.distribution = Distribution::Zipf { theta: Ppm(900_000) };
    for io in draw(&mut generators(&job, &[1 << 24])[0], 2_000) {
        assert_eq!(io.offset % if io.len == 4_096 { 6_144 } else { 4_096 }, 0, "{io:?}");
    }
}

#[test]
fn a_backward_stream_goes_from_the_end_to_the_start_and_begins_again() {
    // fio 3.33, `rw=read:-8k` with blocks of 4 KiB on 32 KiB: the first I/O begins 8 KiB before the end.
    let mut job = sequential();
    (job.access.stride, job.access.backward) = (Some(Bytes(4_096)), Some(Bytes(8_192)));
    let seen: Vec<u64> = offsets(&mut generators(&job, &[32_768])[0], 9).iter().map(|o| o / 4_096).collect();
    assert_eq!(seen, [6, 5, 4, 3, 2, 1, 0, 6, 5]);
}

#[test]
fn random_ios_touch_every_block_of_a_zone_before_the_next() {
    let mut job = Job::new("strided");
    job.access.once_each = true;
    let (range, zone) = (Bytes(8 * 4_096), 8);
    job.access.strided = Some(StridedZones { range, size: Bytes(2 * range.0), skip: Bytes::ZERO });
    let seen = offsets(&mut generators(&job, &[3 * range.0])[0], 6 * zone);
    for (pass, offsets) in seen.chunks(zone).enumerate() {
        let mut blocks: Vec<u64> = offsets.iter().map(|offset| offset / 4_096).collect();
        blocks.sort_unstable();
        let first = (pass / 2 * zone) as u64;
        assert_eq!(blocks, (first..first + zone as u64).collect::<Vec<_>>(), "pass {pass}");
    }
}

#[test]
fn a_sequential_stream_begins_at_the_start_of_each_zone() {
    let mut job = sequential();
    job.access.strided = Some(StridedZones { range: Bytes(8_192), size: Bytes(8_192), skip: Bytes(8_192) });
    assert_eq!(offsets(&mut generators(&job, &[32_768])[0], 6), [0, 4_096, 16_384, 20_480, 0, 4_096]);
}

#[test]
fn each_write_follows_a_discard_of_the_same_block() {
    let mut job = Job::new("trimwrite");
    job.mix = [(Op::Discard, 4_096), (Op::Write, 4_096), (Op::Discard, 8_192), (Op::Write, 8_192)]
        .map(|(op, block)| Share { weight: 1, op, block, random: None, align: None })
        .to_vec();
    job.access.trim_first = true;
    for access in [job.access.clone(), Access { trim_first: true, ..Access::sequential() }] {
        job.access = access;
        let ios = draw(&mut generators(&job, &[1 << 20])[0], 1_000);
        for pair in ios.chunks(2) {
            assert_eq!((pair[0].op, pair[1].op), (Op::Discard, Op::Write));
            assert_eq!((pair[0].offset, pair[0].len), (pair[1].offset, pair[1].len));
        }
    }
}

#[test]
fn a_write_follows_a_discard_where_the_mix_has_discards_alone() {
    let mut job = Job::new("trimwrite");
    job.mix = vec![Share { weight: 1, op: Op::Discard, block: 4_096, random: None, align: None }];
    job.access.trim_first = true;
    let ios = draw(&mut generators(&job, &[1 << 20])[0], 4);
    assert_eq!(
        ios.iter().map(|io| io.op).collect::<Vec<_>>(),
        [Op::Discard, Op::Write, Op::Discard, Op::Write]
    );
    assert_eq!(ios[0].offset, ios[1].offset);
}

#[test]
fn sequential_ios_of_several_sizes_reach_the_regions_end() {
    let mut job = sequential();
    job.mix = [512, 1_024, 4_096]
        .map(|block| Share { weight: 1, op: Op::Read, block, random: None, align: None })
        .to_vec();
    let mut generator = generators(&job, &[1 << 16]).remove(0);
    let mut expected = 0;
    while expected < 1 << 16 {
        let io = generator.next();
        assert_eq!(io.offset, expected);
        expected += u64::from(io.len);
    }
    assert_eq!((expected, generator.next().offset), (1 << 16, 0));
}
