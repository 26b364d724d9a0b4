//! Burst credits: earned below the published limit, spent above it, and gone when they are gone.
//!
//! Documented examples: MicrosoftDocs/azure-compute-docs, disk-bursting (A19, A20).

mod common;

use common::build::*;
use common::play::{closed, play, run};
use iobound_model::{
    Algorithm, Change, Credit, Credits, Dimension, Limit, LimiterId, LimiterSpec, Stack, Start,
};
use iobound_units::{Instant, Io, Ppm};

const BOTH: [Algorithm; 2] = [SLICE, BUCKET];

/// A disk that bursts: its credits last 30 minutes at full burst, as far as the published figures go.
fn bursting(iops: u64, bytes: u64, algorithm: Algorithm, factor: Ppm) -> LimiterSpec {
    let credit = |base: u64, burst: u64| Some(Credit { burst, capacity: (burst - base) * 1_800 });
    LimiterSpec {
        credits: Some(Credits { ios: credit(iops, 3_500), bytes: credit(bytes, 170_000_000) }),
        ..limited("disk", algorithm, factor, Some(iops), Some(bytes))
    }
}

/// P1 to P4: 120 IOPS and 25 MB/s, 3,500 and 170 in a burst.
fn p1(algorithm: Algorithm, factor: Ppm) -> LimiterSpec {
    bursting(120, 25_000_000, algorithm, factor)
}

fn stack(limiter: LimiterSpec, start: &Start, capacity: usize) -> Stack {
    Stack::new(&apart(vec![limiter], vec![disk(constant(0), &[0])]), start, capacity)
        .expect("a valid blueprint")
}

fn credits_at(stack: &mut Stack, at: u64) -> [u64; 2] {
    stack.poll(Instant::from_ns(at), &mut Vec::new());
    stack.limiter(LimiterId(0)).credits.map(|credits| credits.expect("a limiter with credits"))
}

/// Units a second that a saturated limiter lets through.
fn sustained(stack: &mut Stack, len: u32, warm: u64, until: u64) -> f64 {
    let got = run(stack, vec![closed(64, move |_| Io::read(target(0), 0, len))], warm, until);
    got[0].iops() * f64::from(len.div_ceil(256 * KIB))
}

#[test]
fn a19_a_p1_at_100_iops_and_20_mb_per_s_earns_20_ios_and_5_mb_a_second() {
    for algorithm in BOTH {
        let trace: Vec<_> = (0..10_000).map(|n| (n * 10 * MS, Io::read(target(0), 0, 200_000))).collect();
        let mut stack = stack(p1(algorithm, PREMIUM), &SPENT, trace.len());
        // The first second fills what a bucket holds besides.
        play(&mut stack, &trace[..100]);
        let before = credits_at(&mut stack, S);
        let rest: Vec<_> = trace[100..].to_vec();
        play(&mut stack, &rest);
        let after = credits_at(&mut stack, 100 * S);
        // Within what one slice may use or earn.
        let [ios, bytes] = [after[0] - before[0], after[1] - before[1]];
        assert!(ios.abs_diff(99 * 20) <= 6, "{algorithm:?}: {ios}");
        assert!(bytes.abs_diff(99 * 5_000_000) <= 1_300_000, "{algorithm:?}: {bytes}");
    }
}

#[test]
fn a19_even_with_10_000_credits_no_second_has_more_than_the_burst() {
    for algorithm in BOTH {
        let mut stack = stack(p1(algorithm, Ppm::ONE), &SPENT, 64);
        stack
            .change(Instant::ZERO, Change::Credits(LimiterId(0), Dimension::Ios, 10_000))
            .expect("a change that can be made");
        let first_seconds = sustained(&mut stack, 4096, 50 * MS, 2_050 * MS);
        // Two seconds of 3,500, and what a slice or the end of a bucket may add.
        assert!((3_400.0..=3_500.0 * 1.03).contains(&first_seconds), "{algorithm:?}: {first_seconds}");
    }
}

#[test]
fn a20_an_idle_p1_earns_120_ios_a_second_and_an_idle_p20_2300() {
    for algorithm in BOTH {
        for (iops, limiter) in
            [(120, p1(algorithm, PREMIUM)), (2_300, bursting(2_300, 150_000_000, algorithm, PREMIUM))]
        {
            let mut stack = stack(limiter, &SPENT, 1);
            let before = credits_at(&mut stack, S);
            let after = credits_at(&mut stack, 61 * S);
            assert_eq!(after[0] - before[0], 60 * iops, "{algorithm:?}");
        }
    }
}

#[test]
fn credits_never_exceed_their_capacity() {
    for algorithm in BOTH {
        let mut stack = stack(p1(algorithm, PREMIUM), &FULL, 1);
        assert_eq!(credits_at(&mut stack, 86_400 * S), [3_380 * 1_800, 145_000_000 * 1_800]);
    }
}

#[test]
fn a_full_burst_lasts_nearly_30_minutes_and_then_the_base_times_the_factor_is_left() {
    // 3,380 × 1,800 credits, spent at 3,500 × 1.02 − 120: 1,763 s.
    for algorithm in BOTH {
        for len in [256 * KIB, MIB] {
            let mut limiter = p1(algorithm, PREMIUM);
            limiter.bytes = None;
            limiter.credits.as_mut().expect("credits").bytes = None;
            let units = |from: u64, until: u64| {
                let mut stack = stack(limiter.clone(), &FULL, 64);
                sustained(&mut stack, len, from * S, until * S)
            };
            let burst = units(10, 1_750);
            assert!((burst / 3_570.0 - 1.0).abs() < 0.001, "{algorithm:?}, {len}: {burst}");
            let base = units(1_780, 2_000);
            assert!((base / 122.4 - 1.0).abs() < 0.002, "{algorithm:?}, {len}: {base}");
        }
    }
}

#[test]
fn once_spent_a_limiter_gives_its_base_whatever_the_size_of_the_ios() {
    // Larger I/Os than a slice's quota leave slices in which nothing passes: they repay, they do not earn.
    for algorithm in BOTH {
        for len in [4 * KIB, 64 * KIB, 100_000, 256 * KIB, MIB, 2 * MIB] {
            let mut stack = stack(p1(algorithm, PREMIUM), &SPENT, 64);
            let units = sustained(&mut stack, len, S, 201 * S);
            let by_bytes = 25.5e6 / f64::from(len) * f64::from(len.div_ceil(256 * KIB));
            let expected = by_bytes.min(122.4);
            assert!((units / expected - 1.0).abs() < 0.001, "{algorithm:?}, {len}: {units}, not {expected}");
        }
    }
}

#[test]
fn a_burst_is_never_less_than_what_is_enforced_without() {
    // 100 MB/s are measured where 60 are published and 70 are the burst.
    for algorithm in BOTH {
        for start in [FULL, SPENT] {
            let limit = Limit { published: 60_000_000, enforced: Some(100_000_000) };
            let credit = Some(Credit { burst: 70_000_000, capacity: 1_000_000_000_000 });
            let limiter = LimiterSpec {
                bytes: Some(limit),
                credits: Some(Credits { ios: None, bytes: credit }),
                ..limiter("disk", algorithm, Ppm::ONE)
            };
            let units = sustained(&mut stack(limiter, &start, 64), 256 * KIB, S, 21 * S);
            assert!((units * 262_144.0 / 100e6 - 1.0).abs() < 0.001, "{algorithm:?}, {start:?}: {units}");
        }
    }
}

#[test]
fn io_credits_and_byte_credits_are_spent_apart() {
    for algorithm in BOTH {
        let mut stack = stack(p1(algorithm, PREMIUM), &FULL, 64);
        let full = credits_at(&mut stack, 0);
        sustained(&mut stack, 4096, 0, 100 * S);
        let after = credits_at(&mut stack, 100 * S);
        // 3,570 I/Os a second of 4 KiB: 14.6 MB/s, below the 25 MB/s that earn.
        assert!(full[0] - after[0] > 300_000, "{algorithm:?}: {after:?}");
        assert!(full[1] - after[1] <= 4096, "{algorithm:?}: {after:?}");
    }
}
