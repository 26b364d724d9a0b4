//! The documented examples: arithmetic on published limits, exact; and simulated with factor 1, within 1 %.
//!
//! Source: Microsoft's "Virtual machine and disk performance", "Premium storage: design for high performance",
//! "Managed disk bursting" and "Benchmark a disk", each figure as printed there; those of 2015 to 2017 with the
//! figures of that time (era 2016).

mod common;

use common::{Case, binding, near};
use iobound_predict::on_demand_transactions;
use iobound_units::{Bytes, KIB, Span};
use iobound_workload::{Access, Job, Spread, Targets};

const K: u64 = KIB;

/// The published ceiling exactly, the simulation within 1 %, and the limit that binds.
fn check(id: &str, case: &Case, iops: f64, bound_by: &str) {
    let prediction = case.predict();
    let ceiling = prediction.ceiling.iops.expect("a limit");
    assert!(near(ceiling, iops, 1e-9), "{id}: ceiling {ceiling}, documented {iops}");
    let expected = prediction.expected.iops;
    assert!(near(expected, iops, 0.01), "{id}: simulated {expected}, documented {iops}");
    assert_eq!(binding(&prediction), bound_by, "{id}");
}

#[test]
fn a1_each_disk_is_held_to_its_own_limit() {
    let case = Case::new("D8s_v3", &["E30", "E30"])
        .os("E30")
        .published()
        .asked("1000iops", 4 * K, 100, "os")
        .asked("4500iops", 4 * K, 100, "data")
        .asked("4500iops", 4 * K, 100, "data2");
    check("A1", &case, 1_500.0, "disk.iops");
    for volume in &case.predict().volumes {
        assert!(near(volume.iops, 500.0, 0.01), "{} {}", volume.name, volume.iops);
    }
}

#[test]
fn a2_three_disks_share_the_uncached_limit_of_the_vm() {
    let case = Case::new("D8s_v3", &["P30", "P30", "P30"])
        .published()
        .asked("5000iops", 4 * K, 100, "data")
        .asked("5000iops", 4 * K, 100, "data2")
        .asked("5000iops", 4 * K, 100, "data3");
    check("A2", &case, 12_800.0, "vm.uncached.iops");
    // Documented: 4,267, 4,266 and 4,266.
    for volume in &case.predict().volumes {
        assert!(near(volume.iops, 12_800.0 / 3.0, 0.02), "{} {}", volume.name, volume.iops);
    }
}

#[test]
fn a3_hits_reach_the_cached_limit_of_the_vm() {
    let case = Case::new("D8s_v3", &["3xP30:readwrite"])
        .published()
        .job(4 * K, 100, 64, |job| job.region.size = Some(Bytes::gib(30)));
    check("A3", &case, 16_000.0, "vm.cached.iops");
}

#[test]
fn a5_a_vm_smaller_than_its_disk_binds() {
    check("A5", &Case::new("D2s_v3", &["P30"]).published().reads(4 * K, 64), 3_200.0, "vm.uncached.iops");
    let cached = Case::new("D2s_v3", &["P30:readonly"])
        .published()
        .job(4 * K, 100, 64, |job| job.region.size = Some(Bytes::gib(10)));
    check("A5", &cached, 4_000.0, "vm.cached.iops");
}

#[test]
fn a6_hits_pass_neither_the_uncached_limit_nor_the_disk() {
    // Documented (disks-metrics): an uncached OS disk, two disks with ReadWrite cache and two without reach 22,800 IOPS, which are
    // 12,800 + 2 x 5,000. The page's metrics: cached limit 61 % used, uncached 101 %, the cached disks' own limits 0 %, so all
    // their reads are hits. What holds the cached disks at 5,000 each is the demand, which is not stated: as in the page's other
    // examples, what the disks are sold for.
    let mut case =
        Case::new("D8s_v3", &["P30:readwrite", "P30:readwrite", "P30", "P30"]).os("P30").published();
    for target in ["os", "data", "data2", "data3", "data4"] {
        case = case.asked("5000iops", 4 * K, 100, target);
    }
    for job in &mut case.jobs {
        job.region.size = Some(Bytes::gib(20));
    }
    check("A6", &case, 22_800.0, "vm.uncached.iops");
    let prediction = case.predict();
    for cached in &prediction.disks[..2] {
        assert!(cached.iops < 50.0, "{} {}", cached.name, cached.iops);
    }
}

#[test]
fn a7_a_p30_is_bound_by_iops_up_to_40_kib_and_by_throughput_above() {
    // At 10^6 bytes a MB; the documentation's 3,200 at 64 KB and 200 at 1,024 KB count 1,024 KB.
    for (block, iops, bound_by) in [
        (8, 5_000.0, "disk.iops"),
        (32, 5_000.0, "disk.iops"),
        (64, 200e6 / 65_536.0, "disk.throughput"),
        (1_024, 200e6 / 1_048_576.0, "disk.throughput"),
    ] {
        let case = Case::new("DS14", &["P30"]).era("2016").published().reads(block * K, 64);
        check(&format!("A7 {block}"), &case, iops, bound_by);
    }
}

#[test]
fn a8_to_a10_and_a15_the_smaller_of_vm_and_disk() {
    let era = |vm: &str, disks: &[&str]| Case::new(vm, disks).era("2016").published();
    check("A8", &era("DS1", &["P30"]).asked("4000iops", 4 * K, 100, "data"), 3_200.0, "vm.uncached.iops");
    let mb = |mb: f64| mb * 1e6 / 65_536.0;
    check("A9", &era("DS4", &["P30"]).asked("250MB/s", 64 * K, 100, "data"), mb(200.0), "disk.throughput");
    check("A10", &era("DS4", &["2xP30"]).reads(64 * K, 64), mb(256.0), "vm.uncached.throughput");
    check("A15", &era("DS1", &["P10"]).reads(64 * K, 64), mb(32.0), "vm.uncached.throughput");
}

#[test]
fn a11_units_count_and_not_ios() {
    // 495 I/Os of 16 KB and one of 2 MB (eight units) within a second are 503 units of a P10's 500.
    let case = Case::new("DS14", &["P10"]).published().asked("495iops", 16 * K, 100, "data").asked(
        "1iops",
        2_048 * K,
        100,
        "data",
    );
    let prediction = case.predict();
    assert!(prediction.ceiling.shares.iter().any(|share| !share.satisfied));
    let units: f64 = prediction
        .limiters
        .iter()
        .filter(|limiter| limiter.name == "disk.iops")
        .map(|limiter| limiter.used)
        .sum();
    assert!(near(units, 500.0, 0.01), "{units}");
    assert_eq!(binding(&prediction), "disk.iops", "{:#?}", prediction.limiters);
}

#[test]
fn a12_a_p10_moves_100_mb_a_second_in_256_kb_ios() {
    // The documentation's 400 × 256 KB count 1,024 KB a MB; at 10^6 it is 381.
    let case = Case::new("DS14", &["P10"]).published().reads(256 * K, 32);
    check("A12", &case, 100e6 / 262_144.0, "disk.throughput");
}

#[test]
fn a13_reads_that_miss_and_writes_share_the_disk() {
    let case = Case::new("DS14", &["P10:readonly"]).published().cache(iobound_predict::CacheState::Cold).job(
        256 * K,
        60,
        64,
        |_| {},
    );
    let prediction = case.predict();
    assert!(near(prediction.ceiling.throughput_bytes_per_s.expect("a limit"), 100e6, 1e-9));
    // As reads become hits, writes may rise: with every read a hit the writes alone fill the disk.
    let warm = Case::new("DS14", &["P10:readonly"]).published().job(256 * K, 60, 64, |_| {}).predict();
    let writes = warm.ceiling.throughput_bytes_per_s.expect("a limit") * 0.4;
    assert!(near(writes, 100e6, 1e-9), "{writes}");
}

#[test]
fn a16_many_small_disks_and_a_few_large() {
    let standard = Case::new("D14", &["32xstandard@1023GiB"]).era("2016").published().reads(4 * K, 1_024);
    check("A16", &standard, 16_000.0, "disk.iops");
    let premium = Case::new("DS13", &["4xP30"]).era("2016").published().reads(4 * K, 256);
    check("A16", &premium, 20_000.0, "disk.iops");
}

#[test]
fn a19_and_a20_credits_are_what_is_not_used() {
    use iobound_predict::Age;
    let p1 = |age| Case::new("D8s_v3", &["P1"]).published().age(age).reads(4 * K, 64);
    let burst = p1(Age::Sustained).predict().burst.expect("a P1 bursts");
    assert!(near(burst.iops, 3_500.0, 1e-9), "{}", burst.iops);
    // (3,500 − 120) × 1,800 s of credits at full burst last 30 minutes.
    assert!(near(burst.seconds.expect("they run out"), 1_800.0, 1e-6));
    let at_first = p1(Age::At(Span::ZERO)).predict();
    assert!(near(at_first.expected.iops, 3_500.0, 0.01), "{}", at_first.expected.iops);
    let later = p1(Age::At(Span::from_secs(1_900))).predict();
    assert!(near(later.expected.iops, 120.0, 0.01), "{}", later.expected.iops);
}

#[test]
fn a21_on_demand_bursts_are_billed_by_what_exceeds_the_baseline() {
    assert_eq!(on_demand_transactions(6_000, 5_000, Span::from_secs(10)), 10_000);
    assert_eq!(on_demand_transactions(7_000, 5_000, Span::from_secs(60)), 120_000);
    assert_eq!(on_demand_transactions(4_000, 5_000, Span::from_secs(60)), 0);
}

#[test]
fn a25_and_a26_the_benchmark_of_a_ds14() {
    let threads = |case: Case, read: u32| {
        case.job(8 * K, read, 256, |job| {
            job.threads = 4;
            job.spread = Spread::PerTarget;
            job.region.size = Some(Bytes::gib(100));
        })
    };
    let writes = threads(Case::new("DS14", &["10xP30"]).era("2016").published(), 0);
    check("A25", &writes, 50_000.0, "disk.iops");
    // Documented "above 64,000": at 8 KiB that is 524 MB/s, which the 512 "MBps" allow only if they count 2^20,
    // as the service's own record of the size does, and as two published runs at that limit did.
    let hits = threads(Case::new("DS14", &["P30:readonly"]).era("2016"), 100).predict();
    assert_eq!(binding(&hits), "vm.cached.iops");
    assert!(hits.expected.iops > 64_000.0, "{:?}", hits.expected);
}

#[test]
fn a29_queue_depth_is_iops_times_latency() {
    let ms = Span::from_ms(1);
    let case = Case::new("DS14", &["P30"]).published().media(ms, ms).reads(4 * K, 32);
    assert_eq!(case.predict().knee.expect("a limit").outstanding, 5);
}

#[test]
fn a30_a_stripe_adds_up() {
    check("A30", &Case::new("DS14", &["2xP30"]).published().reads(4 * K, 256), 10_000.0, "disk.iops");
    let large = Case::new("DS14", &["2xP30"]).published().reads(256 * K, 64);
    check("A30", &large, 400e6 / 262_144.0, "disk.throughput");
}

#[test]
fn a_cached_miss_stays_under_the_cached_limit_which_may_be_the_lower_one() {
    // D8s_v3: cached 128 MB/s, uncached 192: turning the cache on slows large reads that miss.
    let cold = Case::new("D8s_v3", &["P30:readonly"])
        .published()
        .cache(iobound_predict::CacheState::Cold)
        .reads(256 * K, 64);
    check("miss", &cold, 128e6 / 262_144.0, "vm.cached.throughput");
    let uncached = Case::new("D8s_v3", &["2xP30"]).published().reads(256 * K, 64);
    check("uncached", &uncached, 192e6 / 262_144.0, "vm.uncached.throughput");
}

#[test]
fn cached_and_uncached_limits_add_up() {
    // D8s_v3: 16,000 + 12,800 (Microsoft, "Combined uncached and cached limits").
    let named = |name: &str| Targets::Named(vec![name.to_string()]);
    let case = Case::new("D8s_v3", &["P30:readonly", "3xP30"])
        .published()
        .job(4 * K, 100, 64, |job| {
            job.targets = named("data");
            job.region.size = Some(Bytes::gib(10));
        })
        .job(4 * K, 100, 128, |job| job.targets = named("data2"));
    let prediction = case.predict();
    assert!(near(prediction.ceiling.iops.expect("limits"), 28_800.0, 1e-9));
    assert!(near(prediction.expected.iops, 28_800.0, 0.01), "{}", prediction.expected.iops);
}

#[test]
fn what_lies_in_one_group_of_columns_has_the_limits_of_that_group() {
    // Four P30 in groups of two, one after the other: 10 GiB lie on the first two; all of it, on all four. A
    // sequential stream is in one group at a time.
    let four = |change: fn(&mut Job)| {
        let mut case = Case::new("DS14", &["4xP30"]).published().job(4 * K, 100, 256, change);
        case.configuration.columns = Some(2);
        case
    };
    check("10 GiB", &four(|job| job.region.size = Some(Bytes::gib(10))), 10_000.0, "disk.iops");
    check("all", &four(|_| {}), 20_000.0, "disk.iops");
    check("a stream", &four(|job| job.access = Access::sequential()), 10_000.0, "disk.iops");
}

#[test]
fn acknowledged_writes_go_as_fast_as_the_disk_takes_them_at_both_ends_of_the_band_too() {
    // Writes end as fast as the disks take them, whatever the cache acknowledges at first; the reads hit.
    // Enforcement as published has a band of media alone, which does not bind.
    for (disks, kib, read, depth, oracle) in [
        ("P30:readwrite", 4, 50, 32, 10_000.0),
        ("P30:readwrite", 4, 70, 32, 5_000.0 / 0.3),
        ("P30:readwrite", 256, 0, 32, 200e6 / 262_144.0),
        ("P30:readwrite", 1_024, 0, 64, 200e6 / 1_048_576.0),
        ("10xP30:readwrite", 4, 0, 64, 50_000.0),
        ("4xP30:readwrite", 8, 0, 128, 20_000.0),
        ("4xP30:readwrite", 64, 0, 32, 7_812.5),
    ] {
        let case = Case::new("DS14", &[disks])
            .published()
            .job(kib * K, read, depth, |job| job.region.size = Some(Bytes::gib(100)));
        let prediction = case.predict();
        let (expected, band) = (prediction.expected, prediction.band.mechanism);
        assert!(near(expected.iops, oracle, 0.02), "{disks} {kib} KiB, {read} % read: {expected:?}");
        assert!(near(band.low, oracle, 0.08), "{disks} {kib} KiB, {read} % read: {band:?}");
        assert!(near(band.high, oracle, 0.08), "{disks} {kib} KiB, {read} % read: {band:?}");
    }
}

#[test]
fn a_ceiling_is_never_below_what_is_expected_of_a_mix() {
    // Small and large I/Os on one disk: its limiter serves them in another proportion than their depth.
    let case = Case::new("DS14", &["P30"]).asked("2000iops", 4 * K, 100, "data").asked(
        "2000iops",
        256 * K,
        100,
        "data",
    );
    let prediction = case.predict();
    let ceiling = prediction.ceiling.iops.expect("a limit");
    assert!(ceiling >= prediction.expected.iops * 0.99, "{ceiling} {:?}", prediction.expected);
}
