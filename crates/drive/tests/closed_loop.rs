//! The laws of a closed loop: N outstanding at a latency of R make X = N / R, whatever N and R are.

mod common;

use common::build::*;
use iobound_model::Latency;
use iobound_units::{Bytes, Op, Ppm, Span};
use iobound_workload::{Job, Load, Think};
use proptest::prelude::*;

#[test]
fn without_a_limit_the_rate_is_outstanding_over_latency_exactly() {
    for (threads, depth, us) in [(1, 1, 1_000), (1, 32, 2_000), (4, 8, 2_000), (32, 128, 64_000)] {
        let (end, audit) = simulate(&for_seconds(vec![closed(threads, depth)], 10), &constant(us));
        let outstanding = u64::from(threads * depth);
        // 10 s hold a whole number of these latencies, or an I/O of each slot less.
        assert_eq!(of(&end, Op::Read).count(), outstanding * (10_000_000 / us));
        assert_eq!(mean_us(of(&end, Op::Read)), us as f64);
        assert_eq!(audit.most_outstanding as u64, outstanding);
        assert_eq!(achieved_depth(&end), outstanding as f64);
    }
}

#[test]
fn above_the_knee_the_rate_is_the_limit_and_the_latency_is_arithmetic() {
    for algorithm in [SLICE, BUCKET] {
        let mut workload = for_seconds(vec![closed(4, 64)], 20);
        workload.warmup = Span::from_secs(5);
        let (end, _) = simulate(&workload, &limited(2_000, 5_000, algorithm));
        assert_within(read_iops(&end), 5_000.0, 0.001);
        // R = N / X = 256 / 5,000, although the disk takes 2 ms.
        assert_within(mean_us(of(&end, Op::Read)), 51_200.0, 0.01);
        assert_within(achieved_depth(&end), 256.0, 1e-9);
    }
}

#[test]
fn below_the_knee_a_limit_changes_nothing() {
    let mut workload = for_seconds(vec![closed(1, 9)], 10);
    // Credits are spent at the start: the first I/Os wait for theirs.
    workload.warmup = Span::from_secs(1);
    let (end, _) = simulate(&workload, &limited(2_000, 5_000, BUCKET));
    assert_eq!(read_iops(&end), 4_500.0);
}

#[test]
fn a_cap_holds_a_closed_loop_down_and_is_no_schedule() {
    let mut job = closed(2, 8);
    job.load = Load::Closed { depth: 8, cap: Some(per_second(700)) };
    let (end, audit) = simulate(&for_seconds(vec![job], 10), &constant(1_000));
    // Two threads of 700 each; latency counts from the issue.
    assert_within(read_iops(&end), 1_400.0, 0.001);
    assert_eq!(mean_us(of(&end, Op::Read)), 1_000.0);
    assert!(of(&end, Op::Read).service.is_none(), "a closed loop has one latency");
    assert_eq!(audit.most_outstanding, 2, "a thousandth of a second at 700 a second overlaps with no other");
}

#[test]
fn a_pause_after_every_burst_adds_its_time_to_the_burst() {
    // From issue: 8 at once and 50 ms; the completions fall into the pause. From completion: 1 ms more.
    for (after_completion, cycle_ms) in [(false, 50), (true, 51)] {
        let think = Some(Think { burst: 8, time: Span::from_ms(50), after_completion });
        let job = Job { think, ..closed(1, 8) };
        let (end, audit) = simulate(&for_seconds(vec![job], 51 * 5), &constant(1_000));
        let bursts = 51_000 * 5 / cycle_ms;
        assert_eq!(audit.entries.len() as u64, 8 * bursts, "every {cycle_ms} ms");
        for burst in audit.entries.chunks(8) {
            assert!(burst.iter().all(|entry| entry.submitted == burst[0].submitted));
        }
        assert_eq!(mean_us(of(&end, Op::Read)), 1_000.0);
    }
}

#[test]
fn a_flush_follows_every_so_many_writes_of_a_thread_and_counts_apart() {
    let job = Job { flush_every: Some(4), ..writes(closed(1, 1)) };
    let (end, audit) = simulate(&for_seconds(vec![job], 10), &constant(1_000));
    for (n, entry) in audit.entries.iter().enumerate() {
        let expected = if n % 5 == 4 { Op::Flush } else { Op::Write };
        assert_eq!(entry.io.op, expected, "I/O {n}");
    }
    assert_eq!(of(&end, Op::Write).count(), 8_000);
    assert_eq!(of(&end, Op::Flush).count(), 2_000);
    let second = end.measured.series[3];
    assert_eq!(second.count(), 800, "flushes are no part of IOPS");
}

#[test]
fn a_queue_of_several_threads_keeps_its_depth_on_each() {
    // Two threads of depth 3: the slots of one are not used by the other.
    let (end, _) = simulate(&for_seconds(vec![closed(2, 3)], 1), &constant(10_000));
    let cells: Vec<u64> = end.measured.cells.iter().map(|cell| cell.by_op[0].response.count()).collect();
    assert_eq!(cells, [300, 300]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Little's law over the recorder's own books: the integral of the outstanding I/Os is the sum of the
    /// latencies, less the parts before and after the counted time.
    #[test]
    fn littles_law_holds_of_whatever_is_run(
        threads in 1u32..5, depth in 1u32..40, mean_us in 50u64..5_000, floor in 0u32..=1_000_000,
        iops in 500u64..50_000, slice in any::<bool>(), block in 1u32..200, write in any::<bool>(),
    ) {
        let mut job = closed(threads, depth);
        job.mix[0].block = block * 4096;
        let job = if write { Job { mix: vec![iobound_workload::Share { op: Op::Write, ..job.mix[0] }], ..job } } else { job };
        let op = if write { Op::Write } else { Op::Read };
        let latency = Latency { mean: Span::from_us(mean_us), floor: Ppm(floor), per_kib: Span::from_ns(500) };
        let blueprint = striped(3, latency, Some((iops, if slice { SLICE } else { BUCKET })));
        let mut workload = for_seconds(vec![job], 3);
        workload.warmup = Span::from_secs(1);
        let (end, audit) = simulate(&workload, &blueprint);

        let outstanding = f64::from(threads * depth);
        prop_assert!((achieved_depth(&end) / outstanding - 1.0).abs() < 1e-9, "{}", achieved_depth(&end));
        let (start, stop) = (end.measured.start, end.measured.end);
        let within: u64 = audit.entries.iter().map(|entry| {
            let completed = entry.completed.unwrap_or(end.at).min(stop);
            completed.since(entry.submitted.max(start)).ns()
        }).sum();
        prop_assert_eq!(u128::from(within), end.measured.jobs[0].outstanding_ns);
        // X R = N, but for what begins before and ends after.
        let measured = of(&end, op);
        let rate = measured.count() as f64 / end.measured.window().secs_f64();
        if measured.count() > 20 * u64::from(threads * depth) {
            let product = rate * common::build::mean_us(measured) / 1e6;
            prop_assert!((product / outstanding - 1.0).abs() < 0.05, "{product} for {outstanding}");
        }
    }
}

#[test]
fn bytes_are_counted_with_the_ios() {
    let mut job = closed(1, 2);
    job.mix[0].block = 65_536;
    let (end, _) = simulate(&for_seconds(vec![job], 1), &constant(1_000));
    assert_eq!(of(&end, Op::Read).bytes, 2_000 * Bytes::kib(64).get());
}
