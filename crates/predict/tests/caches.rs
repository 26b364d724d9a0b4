//! Caches that are smaller than what is used of their disks: the hit rate of a cache that is warm.

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
