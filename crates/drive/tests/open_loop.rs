//! The laws of an open loop: I/Os have intended times whatever completes, and latency counts from them.

mod common;

use common::build::*;
use common::clocks::{Sloppy, virtual_time};
use iobound_drive::{EndReason, Engine, Flow, Window, Worker, layout_of, run};
use iobound_measure::Recorder;
use iobound_model::Latency;
use iobound_units::{Bytes, Instant, Op, Rate, Span};
use iobound_workload::{Arrivals, Job, Load};

#[test]
fn fixed_arrivals_are_even_and_exact() {
    let job = Job { threads: 3, ..open(7_500, Arrivals::Fixed, 32) };
    let (end, audit) = simulate(&for_seconds(vec![job], 2), &constant(2_000));
    // Floor of n / 7,500 s: it does not drift.
    for (n, entry) in audit.entries.iter().enumerate() {
        assert_eq!(entry.submitted.ns(), n as u64 * 1_000_000_000 / 7_500, "I/O {n}");
    }
    assert_eq!(audit.entries.len(), 15_000);
    assert_eq!(mean_us(of(&end, Op::Read)), 2_000.0);
    assert_eq!(end.measured.jobs[0].never_issued, 0);
}

#[test]
fn poisson_arrivals_have_the_rate_and_the_scatter_of_a_poisson_process() {
    let job = Job { threads: 2, ..open(5_000, Arrivals::Poisson, 256) };
    let (_, audit) = simulate(&for_seconds(vec![job], 40), &constant(500));
    // 200,000 expected with a deviation of 447.
    assert_within(audit.entries.len() as f64, 200_000.0, 0.009);
    // The number in a hundredth of a second: mean 50, variance 50.
    let mut counts = vec![0u32; 4_000];
    for entry in &audit.entries {
        counts[(entry.submitted.ns() / 10_000_000) as usize] += 1;
    }
    let mean = counts.iter().map(|n| f64::from(*n)).sum::<f64>() / 4_000.0;
    let variance = counts.iter().map(|n| (f64::from(*n) - mean).powi(2)).sum::<f64>() / 3_999.0;
    assert_within(variance / mean, 1.0, 0.08);
}

#[test]
fn a_queue_before_one_server_waits_as_pollaczek_and_khinchine_say() {
    // M/D/1: one outstanding, 1 ms each, 600 a second: R = s + rho s / (2 (1 - rho)) = 1 + 0.6 / 0.8 = 1.75 ms.
    let (end, audit) = simulate(&for_seconds(vec![open(600, Arrivals::Poisson, 1)], 1_000), &constant(1_000));
    let reads = of(&end, Op::Read);
    assert_within(mean_us(reads), 1_750.0, 0.03);
    let service = reads.service.as_ref().expect("an open loop has a service time beside");
    assert_eq!(service.moments().mean_ns(), Some(1e6));
    assert_eq!(audit.most_outstanding, 1);
}

#[test]
fn beyond_what_is_possible_latency_counts_from_the_intended_time() {
    // One outstanding at 1 ms, 2,000 a second asked: the n-th is intended at n / 2 ms and completes at n + 1 ms.
    let (end, audit) = simulate(&for_seconds(vec![open(2_000, Arrivals::Fixed, 1)], 10), &constant(1_000));
    let reads = of(&end, Op::Read);
    assert_eq!(reads.count(), 10_000);
    // (n + 1) - n / 2 ms for n below 10,000: the mean is 1 + 9,999 / 4.
    assert_within(mean_us(reads), 1_000.0 + 9_999_000.0 / 4.0, 1e-9);
    assert_eq!(reads.response.moments().max_ns(), Some(10_000_000_000 - 9_999 * 500_000));
    let service = reads.service.as_ref().expect("an open loop has a service time beside");
    assert_eq!((service.moments().min_ns(), service.moments().max_ns()), (Some(1_000_000), Some(1_000_000)));
    // Of 20,000 intended, 10,000 were issued; the backlog is a number, and one slot is all the memory.
    assert_eq!(end.measured.jobs[0].never_issued, 10_000);
    assert_eq!((audit.entries.len(), audit.most_outstanding), (10_000, 1));
}

#[test]
fn every_intended_io_is_completed_unfinished_or_never_issued() {
    for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
        for (iops, depth) in [(800, 1), (1_000, 4), (7_777, 3), (90_000, 64)] {
            let job = Job { threads: 2, ..open(iops, arrivals, depth) };
            let (end, _) = simulate(&for_seconds(vec![job], 20), &constant(3_000));
            let measured = &end.measured.jobs[0];
            let all = of(&end, Op::Read).count() + measured.unfinished + measured.never_issued;
            // Evenly spaced: those whose time lies before the end, to the one.
            let scatter = if arrivals == Arrivals::Fixed { 0.0 } else { 5.0 / (iops as f64 * 20.0).sqrt() };
            assert_within(all as f64, iops as f64 * 20.0, scatter);
        }
    }
}

#[test]
fn a_rate_that_nothing_could_reach_is_counted_and_not_gone_through() {
    // 10^15 a second for an hour: going through them one by one would take a year.
    for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
        let job = open(1_000_000_000_000_000, arrivals, 8);
        let (end, _) = simulate(&for_seconds(vec![job], 3_600), &constant(100_000));
        assert_within(end.measured.jobs[0].never_issued as f64, 3.6e18, 0.01);
    }
}

#[test]
fn a_job_that_moved_its_bytes_leaves_nothing_behind() {
    let done = Job { stop_after: Some(Bytes::kib(40)), ..open(100, Arrivals::Fixed, 4) };
    let (end, audit) = simulate(&for_seconds(vec![done, closed(1, 1)], 10), &constant(1_000));
    assert_eq!(of(&end, Op::Read).count(), 10);
    assert_eq!(end.measured.jobs[0].never_issued, 0);
    assert_eq!(audit.entries.len(), 10 + 10_000);
}

#[test]
fn a_rate_in_bytes_spaces_by_the_length_of_each_io() {
    let mut job = open(1, Arrivals::Fixed, 64);
    job.mix[0].block = 65_536;
    let rate = Rate::Bytes { count: 65_536 * 250, per: Span::from_secs(1) };
    job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 64 };
    let (_, audit) = simulate(&for_seconds(vec![job], 4), &constant(2_000));
    let times: Vec<Instant> = audit.entries.iter().map(|entry| entry.submitted).collect();
    assert_eq!(times.len(), 1_000);
    assert!(times.windows(2).all(|two| two[1].since(two[0]) == Span::from_ms(4)));
}

#[test]
fn a_flush_after_writes_has_no_intended_time_and_delays_none() {
    let job = Job { flush_every: Some(2), ..writes(open(100, Arrivals::Fixed, 4)) };
    let (end, audit) = simulate(&for_seconds(vec![job], 1), &constant(1_000));
    let written: Vec<u64> = audit.of(Op::Write).map(|entry| entry.submitted.ns() / 1_000_000).collect();
    assert_eq!(written, (0..100).map(|n| n * 10).collect::<Vec<u64>>());
    let flushed: Vec<u64> = audit.of(Op::Flush).map(|entry| entry.submitted.ns() / 1_000_000).collect();
    assert_eq!(flushed, (0..50).map(|n| n * 20 + 10).collect::<Vec<u64>>());
    assert_eq!(mean_us(of(&end, Op::Flush)), 1_000.0, "from its issue");
}

#[test]
fn an_open_loop_that_is_stopped_counts_what_was_due_by_then() {
    let workload = for_seconds(vec![open(2_000, Arrivals::Fixed, 1)], 60);
    let blueprint = constant(1_000);
    let targets = target(blueprint.volumes[0].size);
    let virtual_time = common::clocks::virtual_time();
    let make = |capacity| {
        common::audit::Audit::new(modelled(&blueprint, virtual_time, capacity), capacity, &targets)
    };
    let (end, audit) = run_on(&workload, &targets, make, &mut |interval| {
        if interval.end.ns() >= 3_000_000_000 { Flow::Stop } else { Flow::Continue }
    });
    assert_eq!((end.reason, end.at), (EndReason::Stopped, Instant::ZERO + Span::from_secs(3)));
    // Of 6,000 that were intended by then, one went out as the last came back.
    assert_eq!((of(&end, Op::Read).count(), audit.outstanding), (3_000, 1));
    assert_eq!(end.measured.jobs[0].never_issued, 2_999);
}

/// A run in which lateness is counted: how many I/Os, the mean and the largest in ns, and the mean response in µs.
fn lateness_of<E: Engine>(iops: u64, depth: u32, make: impl FnOnce(usize) -> E) -> (u64, f64, u64, f64) {
    let workload = for_seconds(vec![open(iops, Arrivals::Fixed, depth)], 10);
    let targets = target(Bytes::gib(4));
    let window = Window::of(&workload, Instant::ZERO);
    let mut worker = Worker::new(&workload, &targets, window).unwrap();
    worker.time_lateness();
    let queues: Vec<_> = worker.queues().cloned().collect();
    let recorder = Recorder::new(layout_of(&workload, &queues, &targets, window, Span::from_secs(1)));
    let mut engine = make(worker.capacity());
    let end = run(&mut worker, &mut engine, recorder, &mut |_| Flow::Continue).unwrap();
    let late = worker.lateness().unwrap();
    let moments = late.moments();
    (late.count(), moments.mean_ns().unwrap(), moments.max_ns().unwrap(), mean_us(of(&end, Op::Read)))
}

#[test]
fn lateness_is_the_clocks_own_where_the_target_keeps_up() {
    // Sleeps end 0 to 15 sixteenths of 160 µs late: 75 µs on average, 150 at most. A look takes 10 ns.
    let late = || Sloppy::new(Span::from_ns(10), Span::from_us(160));
    let (count, mean, most, _) =
        lateness_of(100, 16, |capacity| modelled(&constant(1_000), late(), capacity));
    assert_eq!(count, 1_000);
    assert_within(mean, 75_000.0, 0.1);
    assert!((150_000..151_000).contains(&most), "{most}");
    // A clock that jumps is never late.
    let (_, _, most, _) =
        lateness_of(100, 16, |capacity| modelled(&constant(1_000), virtual_time(), capacity));
    assert_eq!(most, 0);
}

#[test]
fn a_target_that_does_not_keep_up_makes_no_lateness() {
    // Twice what it can: responses grow to seconds, and every I/O goes out the moment that a slot comes back.
    let (count, _, most, response) =
        lateness_of(2_000, 1, |capacity| modelled(&constant(1_000), virtual_time(), capacity));
    assert_eq!((count, most), (10_000, 0));
    assert!(response > 1e6);
}

#[test]
fn latency_that_scatters_does_not_move_the_arrivals() {
    let spread = Latency { mean: Span::from_us(900), floor: iobound_units::Ppm(0), per_kib: Span::ZERO };
    let one = simulate(&for_seconds(vec![open(3_000, Arrivals::Poisson, 512)], 5), &striped(1, spread, None));
    let other = simulate(&for_seconds(vec![open(3_000, Arrivals::Poisson, 512)], 5), &constant(10));
    let times = |audit: &[common::audit::Entry]| audit.iter().map(|e| e.submitted).collect::<Vec<_>>();
    assert_eq!(times(&one.1.entries), times(&other.1.entries));
}
