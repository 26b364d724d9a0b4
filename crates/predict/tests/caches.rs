//! Caches that are smaller than what is used of their disks: the hit rate of a cache that is warm.
#![allow(clippy::disallowed_methods, reason = "the platform's mathematics are the oracle's")]

mod common;

use common::{Case, binding, near};
use iobound_units::KIB;

#[test]
fn under_uniform_access_a_warm_cache_hits_by_its_share_of_the_working_set() {
    // D8s_v3 caches 200 GiB; the disk has 1,024. What misses is held to 5,100 IOPS.
    let prediction = Case::new("D8s_v3", &["P30:readonly"]).reads(4 * KIB, 64).predict();
    let hits = 200.0 / 1_024.0;
    assert!(near(prediction.hit_rate.expect("reads"), hits, 0.03), "{:?}", prediction.hit_rate);
    assert!(near(prediction.expected.iops, 5_100.0 / (1.0 - hits), 0.02), "{:?}", prediction.expected);
    assert_eq!(binding(&prediction), "disk.iops");
}

#[test]
fn a_sequential_pass_over_more_than_the_cache_hits_nothing() {
    let prediction = Case::new("D8s_v3", &["P30:readonly"])
        .job(64 * KIB, 100, 32, |job| job.access = iobound_workload::Access::sequential())
        .predict();
    assert_eq!(prediction.hit_rate, Some(0.0));
}

#[test]
fn a_hot_spot_that_fits_is_held_and_the_rest_misses() {
    // 90 % of the I/Os on 10 % of 1 TiB, 102 GiB: an LRU of 200 GiB holds it.
    let zones = iobound_workload::Distribution::Zones(vec![
        iobound_workload::HotZone {
            ios: iobound_units::Percent::whole(90).expect("a percentage"),
            range: iobound_workload::ZoneRange::Share(
                iobound_units::Percent::whole(10).expect("a percentage"),
            ),
        },
        iobound_workload::HotZone {
            ios: iobound_units::Percent::whole(10).expect("a percentage"),
            range: iobound_workload::ZoneRange::Rest,
        },
    ]);
    let prediction = Case::new("D8s_v3", &["P30:readonly"])
        .job(4 * KIB, 100, 64, |job| job.access.distribution = zones)
        .predict();
    assert!(prediction.hit_rate.expect("reads") > 0.90, "{:?}", prediction.hit_rate);
    assert_eq!(binding(&prediction), "vm.cached.iops");
}

/// Miss rate of an LRU under Zipf's law, by Che's approximation: ranks in bins of 0.2 %.
fn zipf_misses(blocks: f64, held: f64, theta: f64) -> f64 {
    let mut bins: Vec<(f64, f64)> = Vec::new();
    let mut first = 1.0;
    while first <= blocks {
        let next: f64 = (first * 1.002_f64).floor().max(first + 1.0).min(blocks + 1.0);
        bins.push((next - first, f64::midpoint(first, next - 1.0).powf(-theta)));
        first = next;
    }
    let total: f64 = bins.iter().map(|(count, weight)| count * weight).sum();
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        bins.iter().map(|(count, weight)| count * of(weight / total)).sum()
    };
    let (mut low, mut high) = (held / 2.0, held * 1e4);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if sum(&|p| 1.0 - (-p * middle).exp()) < held { low = middle } else { high = middle }
    }
    sum(&|p| p * (-p * low).exp())
}

#[test]
fn under_zipfs_law_a_warm_cache_misses_as_often_as_ches_approximation_says_whatever_the_seed() {
    // 1 TiB in blocks of 4 KiB before a cache of 200 GiB. A disk of 500 IOPS, all misses: its IOPS ÷ misses are the
    // whole figure. Sets of 32 ways miss a little more often than one list of all lines: up to 2 %.
    let (blocks, held) = ((1u64 << 28) as f64, (200u64 << 18) as f64);
    for (theta, within) in [(900_000, 0.02), (1_100_000, 0.03)] {
        let law = iobound_units::Ppm(theta);
        let misses = zipf_misses(blocks, held, law.as_f64());
        let found: Vec<f64> = (1..=5)
            .map(|seed| {
                let prediction = Case::new("D8s_v3", &["S30:readonly"])
                    .seed(seed)
                    .job(4 * KIB, 100, 64, |job| {
                        job.access.distribution = iobound_workload::Distribution::Zipf { theta: law };
                    })
                    .predict();
                1.0 - prediction.hit_rate.expect("reads")
            })
            .collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        assert!(near(mean, misses, within), "{theta}: {mean}, not {misses}");
        assert!(found.iter().all(|one| near(*one, mean, 0.02)), "{theta}: {found:?}");
    }
}

#[test]
fn a_cache_smaller_than_its_hot_spot_does_not_hit_more_and_more() {
    // 90 % of the I/Os on 30 % of 1 TiB before 200 GiB. By Che's approximation 0.2749 I/Os a block fill the cache:
    // 0.3 x (1 - e^(-3 x 0.2749)) + 0.7 x (1 - e^(-0.2749 / 7)) = 0.1953; it misses 0.9 x e^(-0.8247) +
    // 0.1 x e^(-0.0393) = 0.4907 of them.
    let zone = |ios, range| iobound_workload::HotZone {
        ios: iobound_units::Percent::whole(ios).expect("a percentage"),
        range,
    };
    let share = iobound_workload::ZoneRange::Share(iobound_units::Percent::whole(30).expect("a percentage"));
    let zones = vec![zone(90, share), zone(10, iobound_workload::ZoneRange::Rest)];
    let prediction = Case::new("D8s_v3", &["S30:readonly"])
        .job(4 * KIB, 100, 64, |job| {
            job.access.distribution = iobound_workload::Distribution::Zones(zones);
        })
        .predict();
    let misses = 1.0 - prediction.hit_rate.expect("reads");
    assert!(near(misses, 0.4907, 0.02), "{misses}");
}
