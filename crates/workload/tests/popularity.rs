//! A cache warmed by construction beside one warmed by the generator's own I/Os.

use std::collections::{BTreeMap, BTreeSet};

use iobound_units::{Bytes, Percent, Ppm, Span, TargetId};
use iobound_workload::{
    Distribution, Generator, HotZone, Job, Lane, Popularity, Target, Workload, ZoneRange,
};

const LINE: u64 = 65_536;
const SEED: u64 = 5;

fn start(job: &Job, size: u64) -> (Lane, Generator) {
    let workload = Workload { seed: SEED, ..Workload::new(vec![job.clone()], Span::from_secs(1)) };
    let target = Target { name: "data".into(), id: TargetId(0), size: Bytes(size), members_of: None };
    let mut lanes = workload.lanes(&[target]).unwrap();
    let generator = workload.generators(&lanes).remove(0);
    (lanes.remove(0), generator)
}

fn lines_of(generator: &mut Generator) -> impl Iterator<Item = u64> + use<> {
    let io = generator.next();
    (io.offset / LINE..(io.offset + u64::from(io.len)).div_ceil(LINE)).map(|line| line * LINE)
}

/// The lines an LRU of this capacity holds after so many I/Os.
fn simulated(generator: &mut Generator, capacity: usize, ios: u64) -> BTreeSet<u64> {
    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    for now in 0..ios {
        last.extend(lines_of(generator).map(|line| (line, now)));
    }
    let mut recent: Vec<(u64, u64)> = last.into_iter().map(|(line, at)| (at, line)).collect();
    recent.sort_unstable_by(|a, b| b.cmp(a));
    recent.into_iter().take(capacity).map(|(_, line)| line).collect()
}

fn hit_share(generator: &mut Generator, held: &BTreeSet<u64>, ios: u32) -> f64 {
    let hits = (0..ios).filter(|_| lines_of(generator).all(|line| held.contains(&line))).count();
    hits as f64 / f64::from(ios)
}

fn skewed(distribution: Distribution, block: u32) -> Job {
    let mut job = Job::new("skewed");
    job.set_mix(block, Percent::HUNDRED);
    job.access.distribution = distribution;
    job
}

fn distributions() -> Vec<Distribution> {
    let zone = |ios, range| HotZone {
        ios: Percent::whole(ios).unwrap(),
        range: ZoneRange::Share(Percent::whole(range).unwrap()),
    };
    vec![
        Distribution::Uniform,
        Distribution::Zipf { theta: Ppm(800_000) },
        Distribution::Zipf { theta: Ppm(1_000_000) },
        Distribution::Zipf { theta: Ppm(1_300_000) },
        Distribution::Pareto { power: Ppm(200_000) },
        Distribution::Normal { deviation: Ppm(100_000) },
        Distribution::Zones(vec![zone(90, 10), zone(5, 40)]),
    ]
}

#[test]
fn the_lines_held_are_as_many_and_as_often_hit_as_those_of_a_real_lru() {
    for block in [4_096, 65_536, 262_144] {
        for distribution in distributions() {
            // 16,384 lines, of which the cache holds a quarter; so few are chosen with some scatter.
            let job = skewed(distribution.clone(), block);
            let (lane, mut generator) = start(&job, 16_384 * LINE);
            let lru = simulated(&mut generator, 4_096, 400_000);
            let mut held = BTreeSet::new();
            let popularity = Popularity::new(&job, lane.extents[0], SEED);
            popularity.lines_resident(LINE, 4_096, |offset| {
                held.insert(offset);
            });
            let context = format!("{distribution:?}, {block} B: {} and {} lines", held.len(), lru.len());
            assert!(held.len().abs_diff(lru.len()) < 160, "{context}");
            let (ours, real) =
                (hit_share(&mut generator, &held, 40_000), hit_share(&mut generator, &lru, 40_000));
            assert!((ours - real).abs() < 0.025, "{context}: {ours} and {real}");
        }
    }
}

#[test]
fn a_sequential_pass_misses_what_a_smaller_cache_holds() {
    let mut job = Job::new("scan");
    job.access = iobound_workload::Access::sequential();
    let (lane, _) = start(&job, 100 * LINE);
    let mut held = Vec::new();
    let popularity = Popularity::new(&job, lane.extents[0], SEED);
    popularity.lines_resident(LINE, 30, |offset| held.push(offset / LINE));
    assert_eq!(held, (70..100).collect::<Vec<_>>());
    held.clear();
    popularity.lines_resident(LINE, 1_000, |offset| held.push(offset / LINE));
    assert_eq!(held, (0..100).collect::<Vec<_>>());
}

#[test]
fn a_region_that_fits_is_held_whole_whatever_its_hot_spots() {
    for distribution in distributions() {
        let job = skewed(distribution, 8_192);
        let (lane, _) = start(&job, 500 * LINE);
        let mut held = BTreeSet::new();
        Popularity::new(&job, lane.extents[0], SEED).lines_resident(LINE, 500, |offset| {
            held.insert(offset);
        });
        assert_eq!(held.len(), 500);
    }
}

#[test]
fn lines_are_the_same_each_time_and_the_popular_ones_come_last() {
    let job = skewed(Distribution::Zipf { theta: Ppm(1_100_000) }, 4_096);
    let (lane, mut generator) = start(&job, 1 << 34);
    let list = || {
        let mut held = Vec::new();
        Popularity::new(&job, lane.extents[0], SEED).lines_resident(LINE, 2_000, |offset| held.push(offset));
        held
    };
    let held = list();
    assert_eq!(held, list());
    let late: BTreeSet<u64> = held[held.len() - 200..].iter().copied().collect();
    let early: BTreeSet<u64> = held[..200].iter().copied().collect();
    assert!(hit_share(&mut generator, &late, 20_000) > 5.0 * hit_share(&mut generator, &early, 20_000));
}

#[test]
fn the_work_is_bounded_by_the_cache_and_not_by_64_tebibytes() {
    for distribution in distributions() {
        let job = skewed(distribution.clone(), 4_096);
        let (lane, _) = start(&job, 64 << 40);
        let mut calls = 0u64;
        Popularity::new(&job, lane.extents[0], SEED).lines_resident(LINE, 100_000, |_| calls += 1);
        assert!((90_000..200_000).contains(&calls), "{distribution:?}: {calls}");
    }
}
