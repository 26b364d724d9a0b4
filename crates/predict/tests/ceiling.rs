//! The ceiling is the most that the limits allow, so no expected figure lies above it.

mod common;

use common::Case;
use iobound_predict::{Age, Prediction};
use iobound_units::{Bytes, Span, parse_rate};
use iobound_workload::{Access, Arrivals, Load, Share, Targets};

const K: u64 = 1 << 10;

fn is_within(prediction: &Prediction, what: &str) {
    let ceiling = prediction.ceiling.iops.expect("a limit");
    let expected = prediction.expected.iops;
    assert!(expected <= ceiling, "{what}: {expected} IOPS expected, {ceiling} at the ceiling");
}

#[test]
fn a_stripe_with_a_wide_interleave_has_the_ceiling_of_all_its_disks() {
    // 1 TiB of each P30: random I/O meets all four disks. 4 x 5,000 x 1.02.
    let mut case = Case::new("D16s_v5", &["4xP30"]).reads(4 * K, 32);
    case.configuration.interleave = Bytes::gib(1_024);
    let prediction = case.predict();
    is_within(&prediction, "random");
    assert_eq!(prediction.ceiling.iops.map(f64::round), Some(20_400.0));
}

#[test]
fn fragments_of_one_large_io_are_merged_on_each_disk() {
    // 4 MiB on six disks are 11 or 10 fragments of 64 KiB on each, contiguous there: one unit of 1 MiB a disk and not three.
    let mut case = Case::new("m8idb.32xlarge", &["6xst1@500GiB"]).job(4_096 * K, 50, 4, |_| {});
    case = case.age(Age::At(Span::from_secs(20 * 60)));
    is_within(&case.predict(), "st1 while its credits last");
}

#[test]
fn each_part_of_a_mix_crosses_columns_at_its_own_boundaries() {
    // 4 KiB columns: at multiples of 4 KiB an I/O meets one disk, at those of 512 B two of 7 in 8 times.
    let ceiling = |aligns: [u64; 2]| {
        let mut case = Case::new("D16s_v5", &["4xP30"]).job(4 * K, 100, 32, |job| {
            let share = |align| Share { align: Some(Bytes(align)), ..job.mix[0] };
            job.mix = aligns.map(share).to_vec();
        });
        case.configuration.interleave = Bytes(4 * K);
        case.predict().ceiling.iops.expect("a limit")
    };
    let (aligned, crossing, mixed) = (ceiling([4 * K; 2]), ceiling([512; 2]), ceiling([4 * K, 512]));
    assert!((aligned / crossing - 1.875).abs() < 0.01, "{aligned} and {crossing}");
    // Half of the I/Os of each.
    let between = 2.0 / (1.0 / aligned + 1.0 / crossing);
    assert!((mixed / between - 1.0).abs() < 0.01, "{mixed} between {aligned} and {crossing}");
}

#[test]
fn sampling_error_does_not_lift_the_expected_figure_above_the_ceiling() {
    let premium_v2 = Case::new("D8s_v6", &["premiumv2@1TiB+20000iops"]).reads(4 * K, 64);
    is_within(&premium_v2.predict(), "a VM limit below the disk's");
    let mixed = Case::new("DS14", &["data=8xP30:readonly", "log=2xP20"])
        .job(8 * K, 70, 32, |job| {
            job.threads = 4;
            job.targets = Targets::Named(vec!["data".into()]);
        })
        .job(4 * K, 0, 32, |job| {
            job.targets = Targets::Named(vec!["log".into()]);
            job.access = Access::sequential();
            let rate = parse_rate("2000iops").expect("a rate");
            job.load = Load::Open { rate, arrivals: Arrivals::Poisson, depth: 32 };
        });
    is_within(&mixed.predict(), "cached reads and a log");
}

#[test]
fn limits_of_disks_that_differ_are_told_apart() {
    let prediction = Case::new("DS14", &["data=8xP30:readonly", "log=2xP20"]).reads(4 * K, 32).predict();
    let of = |family: &str| {
        let found = prediction
            .gates
            .iter()
            .find(|gate| gate.name == "disk.iops" && gate.of.as_deref() == Some(family));
        found.expect("a family of disks")
    };
    // 8 x 5,000 and 2 x 2,300, x 1.02.
    assert_eq!((of("data").count, of("data").enforced.round()), (8, 40_800.0));
    assert_eq!((of("log").count, of("log").enforced.round()), (2, 4_692.0));
    for gate in &prediction.gates {
        assert!(gate.share <= 1.02, "{gate:?}");
        assert!((gate.used / gate.enforced) <= gate.share + 1e-9, "{gate:?}");
    }
    let alike = Case::new("DS14", &["10xP30"]).reads(4 * K, 32).predict();
    assert!(alike.gates.iter().all(|gate| gate.of.is_none()), "{:?}", alike.gates);
}

#[test]
fn the_burst_limit_in_force_is_shown() {
    let of = |age: Age| {
        let prediction = Case::new("D2s_v3", &["P20"]).reads(4 * K, 32).age(age).predict();
        let disk =
            prediction.gates.iter().find(|gate| gate.name == "disk.iops").expect("the disk's limit").clone();
        (disk.limit, disk.burst, disk.enforced.round())
    };
    assert_eq!(of(Age::At(Span::ZERO)), (2_300.0, Some(3_500.0), 3_570.0));
    assert_eq!(of(Age::Sustained), (2_300.0, None, 2_346.0));
}
