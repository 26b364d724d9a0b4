//! Start and end of jobs: stages, delays, bounds on time and on bytes, and the stop of a run.

mod common;

use common::build::*;
use iobound_drive::{EndReason, Flow};
use iobound_units::{Bytes, Instant, Op, Span};
use iobound_workload::Job;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_ms(ms)
}

#[test]
fn stages_follow_each_other_when_the_last_io_of_one_is_back() {
    let first = closed(1, 4);
    let second = Job { stage: 1, ..writes(closed(1, 4)) };
    let (end, audit) = simulate(&for_seconds(vec![first, second], 2), &constant(3_000));
    let last_read = audit.of(Op::Read).filter_map(|entry| entry.completed).max().unwrap();
    let first_write = audit.of(Op::Write).map(|entry| entry.submitted).min().unwrap();
    assert!(audit.of(Op::Read).all(|entry| entry.submitted < at(2_000)));
    // The last were issued at 1,998 ms; none of the next stage overlaps with them.
    assert_eq!((last_read, first_write), (at(2_001), at(2_001)));
    assert_eq!((end.reason, end.at), (EndReason::Time, at(4_000)));
}

#[test]
fn a_stage_that_is_done_early_makes_way_and_the_next_has_its_own_time() {
    // Sixteen reads of 1 ms at depth 4 are done after 4 ms; the writes then have the two seconds of a stage.
    let first = Job { stop_after: Some(Bytes::kib(64)), ..closed(1, 4) };
    let second = Job { stage: 1, ..writes(closed(1, 1)) };
    let (end, audit) = simulate(&for_seconds(vec![first, second], 2), &constant(1_000));
    assert_eq!(audit.of(Op::Read).count(), 16);
    let times: Vec<Instant> = audit.of(Op::Write).map(|entry| entry.submitted).collect();
    assert_eq!((times[0], *times.last().unwrap()), (at(4), at(2_003)));
    assert_eq!((end.reason, end.at), (EndReason::WorkDone, at(2_004)));
    assert_eq!(end.measured.window(), Span::from_ms(2_004), "counting ends with the work");
}

#[test]
fn a_job_begins_after_its_delay_and_ends_with_its_own_time() {
    let late = Job { start_after: Span::from_ms(250), runtime: Some(Span::from_ms(500)), ..closed(1, 1) };
    let (_, audit) = simulate(&for_seconds(vec![late, writes(closed(1, 1))], 2), &constant(1_000));
    let times: Vec<Instant> = audit.of(Op::Read).map(|entry| entry.submitted).collect();
    assert_eq!((times[0], *times.last().unwrap(), times.len()), (at(250), at(749), 500));
    assert_eq!(audit.of(Op::Write).count(), 2_000, "the other job has the whole time");
}

#[test]
fn a_job_ends_with_its_bytes_and_the_run_with_the_last_job() {
    let job = Job { stop_after: Some(Bytes::kib(400)), ..closed(2, 4) };
    let (end, audit) = simulate(&for_seconds(vec![job], 60), &constant(1_000));
    // A hundred I/Os of 4 KiB a thread, four at a time: 25 rounds of 1 ms.
    assert_eq!(audit.entries.len(), 200);
    assert_eq!((end.reason, end.at), (EndReason::WorkDone, at(25)));
    assert_eq!(of(&end, Op::Read).count(), 200);
    assert_eq!(read_iops(&end), 8_000.0, "over the time that it took, not over the minute it might have");
}

#[test]
fn what_is_outstanding_at_the_end_is_unfinished_and_not_counted() {
    let (end, audit) = simulate(&for_seconds(vec![closed(1, 7)], 1), &constant(300_000));
    // Rounds at 0, 300, 600 and 900 ms; the last is not back after a second.
    assert_eq!(of(&end, Op::Read).count(), 21);
    assert_eq!(end.measured.jobs[0].unfinished, 7);
    assert_eq!((audit.entries.len(), audit.outstanding), (28, 7));
    assert_eq!(end.at, at(1_000), "the end does not wait for them");
}

#[test]
fn warm_up_and_cool_down_run_and_do_not_count() {
    let mut workload = for_seconds(vec![closed(1, 2)], 3);
    (workload.warmup, workload.cooldown) = (Span::from_secs(1), Span::from_secs(2));
    let (end, audit) = simulate(&workload, &constant(1_000));
    assert_eq!((end.at, end.measured.start, end.measured.end), (at(6_000), at(1_000), at(4_000)));
    assert_eq!(of(&end, Op::Read).count(), 6_000);
    assert_eq!(audit.entries.len(), 12_000);
    // Those that come back in the cool-down were issued before it.
    assert_eq!(end.measured.jobs[0].unfinished, 0, "the last of the counted time come back at its end");
    assert_eq!(end.measured.series.len(), 6);
}

#[test]
fn whoever_watches_sees_every_interval_once_and_may_stop_the_run() {
    let workload = for_seconds(vec![closed(1, 1)], 60);
    let blueprint = constant(1_000);
    let targets = target(blueprint.volumes[0].size);
    let mut seen = Vec::new();
    let make = |capacity| modelled(&blueprint, common::clocks::virtual_time(), capacity);
    let (end, _) = run_on(&workload, &targets, make, &mut |interval| {
        seen.push((interval.start, interval.count()));
        if seen.len() == 5 { Flow::Stop } else { Flow::Continue }
    });
    let expected: Vec<_> = (0..5).map(|n| (at(n * 1_000), 1_000)).collect();
    assert_eq!(seen, expected);
    assert_eq!((end.reason, end.at), (EndReason::Stopped, at(5_000)));
    assert_eq!(of(&end, Op::Read).count(), 5_000);
}

#[test]
fn a_run_of_no_length_is_over_at_once() {
    let (end, audit) = simulate(&for_seconds(vec![closed(1, 4)], 0), &constant(1_000));
    assert_eq!((end.reason, end.at, audit.waits), (EndReason::Time, Instant::ZERO, 0));
}
