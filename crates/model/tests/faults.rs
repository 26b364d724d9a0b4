//! What goes wrong while a stack runs, and ends by itself: a disk's fault, a bad host.

mod common;

use common::build::*;
use common::play::{closed, play, run};
use iobound_model::{
    Algorithm, BadHost, Blueprint, CacheMode, Change, DiskId, Event, Fault, LimiterId, Outcome, Stack,
    Stalls, VolumeSpec,
};
use iobound_units::{Bytes, Instant, Io, Ppm, Span, Tag};

fn stack(blueprint: &Blueprint, capacity: usize) -> Stack {
    Stack::new(blueprint, &SPENT, capacity).expect("a valid blueprint")
}

fn make(stack: &mut Stack, at: u64, change: Change) {
    stack.change(Instant::from_ns(at), change).expect("a change that can be made");
}

const DISK: DiskId = DiskId(0);

fn slow(times: u32, until: u64) -> Fault {
    Fault { latency: Ppm(times * 1_000_000), until: Instant::from_ns(until), ..Fault::NONE }
}

fn bad_host(times: u32, until: u64) -> Change {
    Change::Host(BadHost { latency: Ppm(times * 1_000_000), until: Instant::from_ns(until) })
}

/// A read at each of these times.
fn reads(at: &[u64]) -> Vec<(u64, Io)> {
    at.iter().map(|at| (*at, Io::read(target(0), 0, 4096))).collect()
}

/// Duration of each.
fn latencies(stack: &mut Stack, trace: &[(u64, Io)]) -> Vec<u64> {
    trace.iter().zip(play(stack, trace).times()).map(|((began, _), at)| at - began).collect()
}

#[test]
fn a_fault_ends_by_itself_for_what_reaches_the_disk_from_its_end_on() {
    let mut stack = stack(&apart(vec![], vec![disk(constant(2 * MS), &[])]), 10);
    make(&mut stack, 0, Change::Fault(DISK, slow(5, S)));
    // 5 x 2 ms; what began before the end keeps its time beyond it.
    let trace = reads(&[0, S - 1, S, 2 * S]);
    assert_eq!(latencies(&mut stack, &trace), [10 * MS, 10 * MS, 2 * MS, 2 * MS]);
}

#[test]
fn what_waits_at_a_limiter_over_a_faults_end_is_served_as_if_there_had_been_none() {
    // Ten a second, from the first slice's one on; what passes before 350 ms is slow.
    let mut stack = stack(&apart(vec![iops(10)], vec![disk(constant(2 * MS), &[0])]), 10);
    make(&mut stack, 0, Change::Fault(DISK, slow(20, 350 * MS)));
    let played = play(&mut stack, &reads(&[0; 8]));
    for done in &played.done {
        let passed = done.at - done.spent.media.ns();
        let expected = if passed < 350 * MS { 40 * MS } else { 2 * MS };
        assert_eq!(done.spent.media.ns(), expected, "at {passed}");
    }
    let slow = played.done.iter().filter(|done| done.spent.media.ns() > 2 * MS).count();
    assert!((3..=5).contains(&slow), "{slow}");
}

#[test]
fn who_asks_late_finds_that_a_fault_ended_when_it_did() {
    let blueprint = apart(vec![iops(100)], vec![disk(constant(2 * MS), &[0])]);
    let fault = Fault { errors: Ppm(500_000), ..slow(3, 250 * MS) };
    let trace = reads(&[0; 100]);
    let mut prompt = stack(&blueprint, 100);
    make(&mut prompt, 0, Change::Fault(DISK, fault));
    let prompt = play(&mut prompt, &trace);
    let mut late = stack(&blueprint, 100);
    make(&mut late, 0, Change::Fault(DISK, fault));
    for (n, (at, io)) in trace.iter().enumerate() {
        late.submit(Instant::from_ns(*at), Tag(n as u32), *io);
    }
    let mut events = Vec::new();
    late.poll(Instant::from_ns(60 * S), &mut events);
    assert_eq!(events.len(), 100);
    for event in events {
        let Event::Done { tag, at, outcome } = event else { panic!("{event:?}") };
        let expected = &prompt.done[tag.0 as usize];
        assert_eq!((at.ns(), outcome), (expected.at, expected.outcome));
    }
    assert!(prompt.done.iter().any(|done| done.outcome == Outcome::Error));
    assert!(prompt.done.iter().rev().take(50).all(|done| done.outcome == Outcome::Ok), "after its end");
}

#[test]
fn a_later_fault_replaces_the_one_before_with_its_end() {
    let mut stack = stack(&apart(vec![], vec![disk(constant(2 * MS), &[])]), 10);
    make(&mut stack, 0, Change::Fault(DISK, slow(5, S)));
    make(&mut stack, 0, Change::Fault(DISK, slow(3, 2 * S)));
    assert_eq!(latencies(&mut stack, &reads(&[0, S, 2 * S])), [6 * MS, 6 * MS, 2 * MS]);
    make(&mut stack, 3 * S, Change::Fault(DISK, slow(3, u64::MAX)));
    make(&mut stack, 3 * S, Change::Fault(DISK, Fault::NONE));
    assert_eq!(latencies(&mut stack, &reads(&[3 * S])), [2 * MS]);
}

#[test]
fn a_stall_lasts_no_longer_than_its_fault() {
    let mut stack = stack(&apart(vec![], vec![disk(constant(2 * MS), &[])]), 10);
    let stalled = |from: u64, to: u64| Fault { stalled_until: Instant::from_ns(from), ..slow(1, to) };
    let refused = stack.change(Instant::ZERO, Change::Fault(DISK, stalled(3 * S, S)));
    let why = refused.expect_err("a stall beyond the end").to_string();
    assert!(why.contains("its stall is 2 s longer"), "{why}");
    make(&mut stack, 0, Change::Fault(DISK, stalled(S, S)));
    assert_eq!(latencies(&mut stack, &reads(&[0, S / 2, S])), [S + 2 * MS, S / 2 + 2 * MS, 2 * MS]);
}

/// A VM with a ReadWrite cache before one disk, and one disk without.
fn vm() -> Blueprint {
    let disks = vec![
        (iops(5_000), constant(WRITE), Some(CacheMode::ReadWrite)),
        (iops(5_000), constant(WRITE), None),
    ];
    azure(wide("vm.cached"), wide("vm.uncached"), cache(Bytes::gib(4)), disks)
}

#[test]
fn a_bad_host_is_slow_for_every_disk_and_for_its_own_cache_until_it_ends() {
    let mut stack = stack(&vm(), 10);
    stack.prefill(0, 0, 1 << 20);
    make(&mut stack, 0, bad_host(5, 10 * S));
    let at = |at: u64| {
        [
            (at, Io::read(target(0), 0, 4096)),
            (at, Io::write(target(0), 0, 4096)),
            (at, Io::read(target(0), 1 << 30, 4096)),
            (at, Io::read(target(1), 0, 4096)),
        ]
    };
    // A hit and an acknowledgement take 60 us, what reaches a disk 2 ms.
    assert_eq!(latencies(&mut stack, &at(S)), [5 * ACK, 5 * ACK, 5 * WRITE, 5 * WRITE]);
    make(&mut stack, 2 * S, Change::DropCache(iobound_model::CacheId(0)));
    stack.prefill(0, 0, 1 << 20);
    assert_eq!(latencies(&mut stack, &at(10 * S)), [ACK, ACK, WRITE, WRITE]);
}

#[test]
fn a_bad_host_and_a_disks_fault_are_felt_together_and_end_apart() {
    let mut stack = stack(&vm(), 10);
    make(&mut stack, 0, bad_host(5, 2 * S));
    make(&mut stack, 0, Change::Fault(DiskId(1), slow(3, S)));
    let trace: Vec<_> =
        reads(&[0, S, 2 * S]).into_iter().map(|(at, io)| (at, Io { target: target(1), ..io })).collect();
    assert_eq!(latencies(&mut stack, &trace), [15 * WRITE, 5 * WRITE, WRITE]);
    make(&mut stack, 3 * S, bad_host(5, u64::MAX));
    make(&mut stack, 3 * S, Change::Host(BadHost::NONE));
    assert_eq!(latencies(&mut stack, &reads(&[3 * S])), [WRITE]);
}

#[test]
fn a_disk_that_is_added_is_on_the_same_host() {
    let mut stack = stack(&vm(), 10);
    make(&mut stack, 0, bad_host(5, S));
    make(&mut stack, 0, Change::AddDisk(disk(constant(WRITE), &[])));
    make(&mut stack, 0, Change::AddVolume(VolumeSpec { disks: vec![DiskId(2)], ..vm().volumes[1].clone() }));
    let trace: Vec<_> =
        reads(&[0, S]).into_iter().map(|(at, io)| (at, Io { target: target(2), ..io })).collect();
    assert_eq!(latencies(&mut stack, &trace), [5 * WRITE, WRITE]);
}

#[test]
fn a_vm_that_loses_a_bad_host_begins_again_on_a_good_one_and_its_disks_are_what_they_were() {
    let mut stack = stack(&vm(), 10);
    make(&mut stack, 0, bad_host(5, u64::MAX));
    make(&mut stack, 0, Change::Fault(DiskId(1), slow(3, u64::MAX)));
    stack.crash(Instant::from_ns(S));
    make(&mut stack, S, Change::AddDisk(disk(constant(WRITE), &[])));
    make(&mut stack, S, Change::AddVolume(VolumeSpec { disks: vec![DiskId(2)], ..vm().volumes[1].clone() }));
    let trace: Vec<_> = (0..3).map(|n| (S, Io::read(target(n), 0, 4096))).collect();
    assert_eq!(latencies(&mut stack, &trace), [WRITE, 3 * WRITE, WRITE]);
}

#[test]
fn factors_beyond_any_time_there_is_are_no_overflow() {
    let mut stack = stack(&apart(vec![], vec![disk(constant(80_000 * S), &[])]), 1);
    make(&mut stack, S, Change::Host(BadHost { latency: Ppm(u32::MAX), until: Instant::MAX }));
    make(&mut stack, S, Change::Fault(DISK, Fault { latency: Ppm(u32::MAX), ..Fault::NONE }));
    stack.submit(Instant::from_ns(S), Tag(0), Io::read(target(0), 0, 4096));
    assert_eq!(stack.next_event(), Some(Instant::MAX));
}

#[test]
fn a_limiter_that_stalls_grants_nothing_for_that_share_of_the_time() {
    let served = |stalls: Option<Stalls>| {
        let mut stack = stack(&apart(vec![iops(1_000)], vec![disk(constant(MS), &[0])]), 200);
        make(&mut stack, 0, Change::Stalls(LimiterId(0), stalls));
        let reads = closed(128, |_| Io::read(target(0), 0, 4096));
        run(&mut stack, vec![reads], 0, 35 * S)[0].iops() * 35.0
    };
    let stalls = Stalls { share: Ppm(20_000), length: Span::from_ms(350) };
    let lost = served(None) - served(Some(stalls));
    // Two periods of 17.5 s: seven or eight slices of 50 in each.
    assert!((2.0 * 6.0 * 50.0..=2.0 * 8.0 * 51.0 + 60.0).contains(&lost), "{lost}");
}

#[test]
fn stalls_that_no_limiter_can_have_are_refused() {
    let bucket =
        limited("disk", Algorithm::Bucket { depth: Span::from_secs(1) }, Ppm::ONE, Some(1_000), None);
    let mut stack = stack(&apart(vec![iops(1_000), bucket], vec![disk(constant(MS), &[0, 1])]), 10);
    let mut refused = |limiter: u16, share: u32, length: Span| {
        let change = Change::Stalls(LimiterId(limiter), Some(Stalls { share: Ppm(share), length }));
        stack.change(Instant::ZERO, change).is_err()
    };
    let third = Span::from_ms(350);
    assert!(!refused(0, 20_000, third));
    assert!(refused(1, 20_000, third), "a bucket");
    assert!(refused(2, 20_000, third), "no limiter");
    assert!(refused(0, 0, third) && refused(0, 1_000_001, third), "no share");
    assert!(refused(0, 20_000, Span::ZERO) && refused(0, 20_000, Span::from_secs(3_601)), "no length");
}
