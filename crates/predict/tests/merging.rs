//! EBS charges sequential I/Os together: ceiling, simulation and AWS's documentation say the same.
//!
//! Source: Amazon EC2 user guide, "I/O characteristics and monitoring" (SSDs count units of 256 KiB, HDDs of 1 MiB, sequential I/Os
//! merged up to that) and "Throughput Optimized HDD and Cold HDD volumes" (a random I/O of 1 MiB or less costs 1 MiB of throughput
//! credits); figures of the volumes as in "Amazon EBS volume types". I/Os below 32 KiB are not merged.

mod common;

use common::{Case, binding, near};
use iobound_predict::{Age, Prediction};
use iobound_units::{Bytes, KIB, Percent, Span};
use iobound_workload::Access;

/// Reads of one block on an instance that limits nothing (r5b.24xlarge: 260,000 IOPS, 7,500 MB/s).
fn reads(disk: &str, block_kib: u64, sequential: bool, age: Age) -> Prediction {
    let case = Case::new("r5b.24xlarge", &[disk]).published().age(age).job(block_kib * KIB, 100, 64, |job| {
        if sequential {
            job.access = Access::sequential();
        }
    });
    // Short media times: the limits are what is asked about.
    case.media(Span::from_us(500), Span::from_us(500)).predict()
}

/// The ceiling exactly, the simulation within 1 %.
fn check(disk: &str, block_kib: u64, sequential: bool, iops: f64, bound_by: &str) {
    let prediction = reads(disk, block_kib, sequential, Age::Sustained);
    let what = format!("{disk} {block_kib} KiB {}", if sequential { "sequential" } else { "random" });
    let ceiling = prediction.ceiling.iops.expect("a limit");
    assert!(near(ceiling, iops, 1e-9), "{what}: ceiling {ceiling}, documented {iops}");
    let expected = prediction.expected.iops;
    assert!(near(expected, iops, 0.01), "{what}: simulated {expected}, documented {iops}");
    assert_eq!(binding(&prediction), bound_by, "{what}");
}

#[test]
fn gp3_counts_sequential_ios_by_256_kib_and_random_ones_each() {
    // 3,000 IOPS; the throughput is provisioned so that it does not bind: 0.25 MiB/s an IOPS, 750 MiB/s, are 256 KiB for
    // each of 3,000.
    let disk = "gp3@500GiB+3000iops+749MiB/s";
    for (block, sequential) in [(4, 3_000.0), (16, 3_000.0)] {
        check(disk, block, true, sequential, "disk.iops");
        check(disk, block, false, 3_000.0, "disk.iops");
    }
    // 64 KiB: four are one operation, and 749 MiB/s stand before 4 x 3,000 of them. Random: 3,000.
    check(disk, 64, true, 785_383_424.0 / 65_536.0, "disk.throughput");
    check(disk, 64, false, 3_000.0, "disk.iops");
    check(disk, 256, true, 785_383_424.0 / 262_144.0, "disk.throughput");
    check(disk, 256, false, 785_383_424.0 / 262_144.0, "disk.throughput");
    check(disk, 512, true, 785_383_424.0 / 524_288.0, "disk.throughput");
    check(disk, 512, false, 785_383_424.0 / 524_288.0, "disk.throughput");
}

#[test]
fn io2_of_few_iops_counts_them_alike() {
    // 1,000 IOPS and 0.256 MiB/s each: 256 MiB/s, more than 1,000 units of 256 KiB, 250.
    let disk = "io2@100GiB+1000iops";
    for block in [4u64, 16] {
        check(disk, block, true, 1_000.0, "disk.iops");
        check(disk, block, false, 1_000.0, "disk.iops");
    }
    check(disk, 64, true, 4_000.0, "disk.iops");
    check(disk, 64, false, 1_000.0, "disk.iops");
    check(disk, 256, true, 1_000.0, "disk.iops");
    check(disk, 256, false, 1_000.0, "disk.iops");
    check(disk, 512, true, 500.0, "disk.iops");
    check(disk, 512, false, 500.0, "disk.iops");
}

#[test]
fn an_hdd_gives_its_throughput_to_sequential_ios_and_a_mib_of_it_for_each_random_one() {
    // 1 TiB: base 40 MiB/s (st1) and 12 MiB/s (sc1) once the bucket is empty.
    for (disk, base) in [("st1@1TiB", 40.0), ("sc1@1TiB", 12.0)] {
        for block in [4u64, 16] {
            // Too small to be merged: a MiB each.
            check(disk, block, true, base, "disk.throughput");
            check(disk, block, false, base, "disk.throughput");
        }
        for block in [64u64, 256, 512] {
            check(disk, block, true, base * 1_024.0 / block as f64, "disk.throughput");
            check(disk, block, false, base, "disk.throughput");
        }
    }
}

#[test]
fn a_full_bucket_lets_an_hdd_burst_by_whole_mib() {
    // st1 of 1 TiB: 250 MiB/s; a full bucket of 1 TiB lasts, at 250 spent and 40 earned, 4,993 s.
    for (block, sequential, iops) in [(64u64, true, 4_000.0), (64, false, 250.0), (16, true, 250.0)] {
        let prediction = reads("st1@1TiB", block, sequential, Age::At(Span::ZERO));
        assert!(near(prediction.expected.iops, iops, 0.01), "{block} KiB: {}", prediction.expected.iops);
        let burst = prediction.burst.expect("a burst");
        assert!(near(burst.iops, iops, 1e-9), "{block} KiB: {}", burst.iops);
        assert!(near(burst.seconds.expect("an end"), 1_048_576.0 / 210.0, 1e-6), "{:?}", burst.seconds);
    }
}

#[test]
fn gp2_bursts_to_3000_iops_and_above_170_gib_to_250_mib_per_s_while_io_credits_last() {
    // 5.4 M credits ÷ (3,000 − 300): 2,000 s at 100 GiB, as documented; 1,862 s at 33 GiB.
    for (gib, seconds) in [(100, 2_000.0), (33, 5.4e6 / 2_900.0)] {
        let burst = reads(&format!("gp2@{gib}GiB"), 4, false, Age::At(Span::ZERO)).burst.expect("a burst");
        assert!(near(burst.iops, 3_000.0, 1e-9), "{gib} GiB: {}", burst.iops);
        assert!(near(burst.seconds.expect("an end"), seconds, 1e-6), "{gib} GiB: {:?}", burst.seconds);
    }
    // 200 GiB, 256 KiB: 250 MiB/s are 1,000 IOPS, 400 of them from credits; then 600 x 256 KiB, 150 MiB/s.
    let burst = reads("gp2@200GiB", 256, false, Age::At(Span::ZERO)).burst.expect("a burst");
    assert!(near(burst.iops, 1_000.0, 1e-9), "{}", burst.iops);
    assert!(near(burst.seconds.expect("an end"), 5.4e6 / 400.0, 1e-6), "{:?}", burst.seconds);
    check("gp2@200GiB", 256, false, 600.0, "disk.iops");
    // 170 GiB: 128 MiB/s with credits or without. 334 GiB: 250 MiB/s regardless of them.
    assert!(near(reads("gp2@170GiB", 256, false, Age::At(Span::ZERO)).expected.iops, 512.0, 0.01));
    check("gp2@334GiB", 256, false, 1_000.0, "disk.throughput");
}

#[test]
fn what_is_merged_on_one_disk_is_merged_on_each_of_a_stripe() {
    // Four of 1,000 IOPS: a stream of 64 KiB puts every fourth on each, one behind the other.
    let case = |sequential: bool| {
        Case::new("r5b.24xlarge", &["4xio2@100GiB+1000iops"])
            .published()
            .media(Span::from_us(500), Span::from_us(500))
            .job(64 * KIB, 100, 256, |job| {
                if sequential {
                    job.access = Access::sequential();
                }
            })
            .predict()
    };
    for (sequential, iops) in [(true, 16_000.0), (false, 4_000.0)] {
        let prediction = case(sequential);
        assert!(near(prediction.ceiling.iops.expect("a limit"), iops, 1e-9), "{:?}", prediction.ceiling.iops);
        // Random ones do not ask the disks alike in every moment.
        let share = if sequential { 0.01 } else { 0.04 };
        assert!(near(prediction.expected.iops, iops, share), "{}", prediction.expected.iops);
    }
}

#[test]
fn reads_and_writes_in_turn_are_merged_each_with_their_own() {
    // One stream, 70 % reads, 64 KiB: a unit of four goes on with the chance p = 0.7 (0.3 for writes), so an I/O is
    // charged (1 − p) / (1 − p⁴) units.
    let charged = |p: f64| (1.0 - p) / (1.0 - p.powi(4));
    let iops = 1_000.0 / (0.7 * charged(0.7) + 0.3 * charged(0.3));
    let prediction = Case::new("r5b.24xlarge", &["io2@100GiB+1000iops"])
        .published()
        .media(Span::from_us(500), Span::from_us(500))
        .job(64 * KIB, 70, 64, |job| job.access = Access::sequential())
        .predict();
    assert!(near(prediction.ceiling.iops.expect("a limit"), iops, 1e-9), "{:?}", prediction.ceiling.iops);
    assert!(near(prediction.expected.iops, iops, 0.01), "{} {iops}", prediction.expected.iops);
}

#[test]
fn several_streams_break_each_others_runs_and_stay_below_the_ceiling() {
    for (threads, depth, random) in [(4, 16, 0), (16, 4, 0), (4, 16, 30), (1, 64, 50), (64, 1, 0)] {
        let prediction = Case::new("r5b.24xlarge", &["io2@100GiB+1000iops"])
            .published()
            .job(64 * KIB, 100, depth, |job| {
                job.threads = threads;
                job.access = Access::sequential();
                job.access.random = Percent::whole(random).expect("a percentage");
                job.access.thread_stride = Some(Bytes::gib(1));
            })
            .predict();
        let (ceiling, expected) = (prediction.ceiling.iops.expect("a limit"), prediction.expected.iops);
        let what = format!("{threads} x {depth}, {random} % random: {expected} {ceiling}");
        assert!((990.0..=ceiling * 1.01).contains(&expected), "{what}");
        assert_eq!(binding(&prediction), "disk.iops", "{what}");
    }
}
