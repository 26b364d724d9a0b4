//! A cache warmed by construction beside one warmed by the generator's own I/Os.

use std::collections::{BTreeMap, BTreeSet};

use iobound_units::{Bytes, Percent, Ppm, Span, TargetId};
use iobound_workload::{
    Distribution, Generator, HotZone, Job, Popularity, Queue, Target, Workload, ZoneRange,
};

const LINE: u64 = 65_536;
const SEED: u64 = 5;

fn start(job: &Job, size: u64) -> (Queue, Generator) {
    let workload = Workload { seed: SEED, ..Workload::new(vec![job.clone()], Span::from_secs(1)) };
    let target = Target { name: "data".into(), id: TargetId(0), size: Bytes(size), members_of: None };
    let mut queues = workload.queues(&[target]).unwrap();
    let generator = workload.generators(&queues).remove(0);
    (queues.remove(0), generator)
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

/// What a warm cache of so many lines holds of a job alone, with the age of each line.
fn resident(popularity: &Popularity, lines: u64, held: impl FnMut(u64, f64)) {
    popularity.lines_after(LINE, popularity.draws_to_touch(LINE, lines as f64), held);
}

#[test]
fn the_lines_held_are_as_many_and_as_often_hit_as_those_of_a_real_lru() {
    for block in [4_096, 65_536, 262_144] {
        for distribution in distributions() {
            // 16,384 lines, of which the cache holds a quarter; so few are chosen with some scatter.
            let job = skewed(distribution.clone(), block);
            let (queue, mut generator) = start(&job, 16_384 * LINE);
            let lru = simulated(&mut generator, 4_096, 400_000);
            let mut held = BTreeSet::new();
            let popularity = Popularity::new(&job, queue.extents[0], SEED);
            resident(&popularity, 4_096, |offset, _| {
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
    let (queue, _) = start(&job, 100 * LINE);
    let mut held = Vec::new();
    let popularity = Popularity::new(&job, queue.extents[0], SEED);
    resident(&popularity, 30, |offset, _| held.push(offset / LINE));
    assert_eq!(held, (70..100).collect::<Vec<_>>());
    held.clear();
    resident(&popularity, 1_000, |offset, _| held.push(offset / LINE));
    assert_eq!(held, (0..100).collect::<Vec<_>>());
}

#[test]
fn a_region_that_fits_is_held_whole_whatever_its_hot_spots() {
    for distribution in distributions() {
        let job = skewed(distribution, 8_192);
        let (queue, _) = start(&job, 500 * LINE);
        let mut held = BTreeSet::new();
        resident(&Popularity::new(&job, queue.extents[0], SEED), 500, |offset, _| {
            held.insert(offset);
        });
        assert_eq!(held.len(), 500);
    }
}

#[test]
fn lines_are_the_same_each_time_and_the_popular_ones_the_youngest() {
    let job = skewed(Distribution::Zipf { theta: Ppm(1_100_000) }, 4_096);
    let (queue, mut generator) = start(&job, 1 << 34);
    let list = || {
        let mut held = Vec::new();
        let popularity = Popularity::new(&job, queue.extents[0], SEED);
        resident(&popularity, 2_000, |offset, age| held.push((offset, age)));
        held
    };
    let mut held = list();
    assert_eq!(held, list());
    held.sort_by(|one, other| one.1.total_cmp(&other.1));
    assert!(held.iter().all(|(_, age)| (0.0..=1.0).contains(age)));
    let offsets = |held: &[(u64, f64)]| held.iter().map(|(offset, _)| *offset).collect::<BTreeSet<u64>>();
    let (young, old) = (offsets(&held[..200]), offsets(&held[held.len() - 200..]));
    assert!(hit_share(&mut generator, &young, 20_000) > 5.0 * hit_share(&mut generator, &old, 20_000));
}

#[test]
fn lines_that_are_alike_have_aged_alike() {
    // A cache of a tenth of a uniform region: what was touched in the last draws, each as likely as any.
    let (queue, _) = start(&skewed(Distribution::Uniform, 65_536), 10_000 * LINE);
    let mut ages = Vec::new();
    let popularity = Popularity::new(&skewed(Distribution::Uniform, 65_536), queue.extents[0], SEED);
    resident(&popularity, 1_000, |_, age| ages.push(age));
    // The mean of an exponential time of rate r cut off at 1 is 1/r − 1/(e^r − 1), with 1 − e^−r = 0.1: 0.4912.
    let mean = ages.iter().sum::<f64>() / ages.len() as f64;
    assert!((mean - 0.4912).abs() < 0.005, "{mean}");
}

#[test]
fn the_work_is_bounded_by_the_cache_and_not_by_64_tebibytes() {
    for distribution in distributions() {
        let job = skewed(distribution.clone(), 4_096);
        let (queue, _) = start(&job, 64 << 40);
        let mut calls = 0u64;
        resident(&Popularity::new(&job, queue.extents[0], SEED), 100_000, |_, _| calls += 1);
        assert!((90_000..200_000).contains(&calls), "{distribution:?}: {calls}");
    }
}
