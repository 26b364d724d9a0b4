//! Published measurements that the model was not made from: inside the model's own band, or said to be outside.
//!
//! Sources: D8ds_v4: Microsoft, "Benchmark a disk". D16ds_v5 (2022): tkubica12/cloud-storage-tests. P15:
//! StianOvrevage, stian.tech. Cassandra: Azure-Samples/cassandra-on-azure-vms-performance-experiments (2019). LISA:
//! microsoft/lisa #610.

mod common;

use common::Case;
use iobound_predict::{Age, Prediction};
use iobound_units::{Bytes, KIB, Span};
use iobound_workload::{Access, Spread};

const K: u64 = KIB;

/// The last digit of a published figure, and the sampling of a run of 30 s: half a percent.
const ROUNDING: f64 = 0.005;

/// Whether the model explains a figure without the factors of published runs.
fn explains(prediction: &Prediction, published: f64) -> bool {
    let band = prediction.band.mechanism;
    (band.low * (1.0 - ROUNDING)..=band.high * (1.0 + ROUNDING)).contains(&published)
}

fn case(vm: &str, disks: &str, block: u64, read: u32, depth: u32, threads: u32) -> Case {
    Case::new(vm, &[disks]).job(block, read, depth, |job| {
        job.threads = threads;
        job.spread = Spread::PerTarget;
        job.region.size = Some(Bytes::gib(100));
    })
}

#[test]
fn measured_figures_lie_inside_the_band() {
    let first = |case: Case| case.age(Age::At(Span::ZERO));
    for (id, case, published) in [
        ("D8ds_v4, 3 x P30", case("D8ds_v4", "3xP30", 8 * K, 0, 128, 4), 13_052.65),
        ("HDD", case("D16ds_v5", "S30", 4 * K, 100, 256, 1), 561.0),
        ("HDD writes", case("D16ds_v5", "S30", 4 * K, 0, 256, 1), 560.0),
        ("E30 bursting", first(case("D16ds_v5", "E30", 4 * K, 100, 256, 1)), 1_001.0),
        ("HDD, MiB/s", case("D16ds_v5", "S30", 1024 * K, 100, 64, 1), 97.0),
        ("P30, MiB/s", case("D16ds_v5", "P30", 1024 * K, 100, 64, 1), 198.0),
        ("LISA, depth 1", case("DS14_v2", "12xP30", 4 * K, 100, 1, 1), 348.0),
        ("LISA, depth 2", case("DS14_v2", "12xP30", 4 * K, 100, 2, 1), 705.0),
        ("LISA, depth 4", case("DS14_v2", "12xP30", 4 * K, 100, 4, 1), 1_503.0),
        ("LISA, depth 8", case("DS14_v2", "12xP30", 4 * K, 100, 8, 1), 3_095.0),
        ("LISA, depth 16", case("DS14_v2", "12xP30", 4 * K, 100, 16, 1), 6_191.0),
        ("LISA, depth 32", case("DS14_v2", "12xP30", 4 * K, 100, 32, 1), 12_630.0),
        ("LISA, depth 64", case("DS14_v2", "12xP30", 4 * K, 100, 64, 1), 23_614.0),
    ] {
        let prediction = case.predict();
        assert!(explains(&prediction, published), "{id}: {published} {:?}", prediction.expected);
    }
}

#[test]
fn sequential_writes_one_at_a_time_take_the_latency_of_their_size() {
    for (block, published) in [(4, 378.0), (128, 197.0)] {
        let prediction = Case::new("D16ds_v5", &["P15"])
            .job(block * K, 0, 1, |job| job.access = Access::sequential())
            .predict();
        assert!(explains(&prediction, published), "{block} KiB: {published} {:?}", prediction.expected);
    }
}

#[test]
fn what_no_known_limit_explains_stays_outside() {
    for (id, case, published) in [
        // 5,210 = 1.042 x 5,000: no enforcement factor above 1.025 was seen elsewhere.
        ("P30 of 2022", case("D16ds_v5", "P30", 4 * K, 100, 256, 1), 5_210.0),
        // 4,748 to 4,907 a disk: below the published limit.
        ("Cassandra, 4 x P30", case("DS14_v2", "4xP30", 4 * K, 0, 64, 1), 19_357.0),
        // Twice the depth of 23,614 should bring the VM's limit.
        ("LISA, depth 128", case("DS14_v2", "12xP30", 4 * K, 100, 128, 1), 28_152.0),
    ] {
        let prediction = case.predict();
        assert!(!explains(&prediction, published), "{id}: {published} {:?}", prediction.expected);
    }
}
