//! A VM that loses its host: what was outstanding, what was dirty, and what goes on after.

mod common;

use common::arbitrary::{any_start, blueprint, cases, sketches, trace};
use common::build::*;
use iobound_model::{CacheId, CacheMode, Event, LimiterId, Stack};
use iobound_units::{Instant, Io, Tag};
use proptest::prelude::*;

fn poll_to(stack: &mut Stack, until: u64) -> Vec<Event> {
    let mut events = Vec::new();
    stack.poll(Instant::from_ns(until), &mut events);
    events
}

#[test]
fn what_was_acknowledged_and_not_written_back_is_gone_and_so_is_who_waited() {
    // 100 IOPS in slices of 50 ms: five write-backs pass at once, the other fifteen wait, and so does the flush.
    let mut stack = Stack::new(&one_disk(iops(100), Some(CacheMode::ReadWrite)), &FULL, 64).expect("valid");
    for n in 0..20 {
        stack.submit(Instant::ZERO, Tag(n), Io::write(target(0), u64::from(n) * 1_000_000, 4096));
    }
    let done = poll_to(&mut stack, ACK);
    assert_eq!(done.iter().filter(|event| matches!(event, Event::Done { .. })).count(), 20);
    stack.submit(Instant::from_ns(ACK), Tag(0), Io::flush(target(0)));
    assert!(stack.cache(CacheId(0)).dirty_bytes > 0);
    stack.crash(Instant::from_ns(ACK + 1));
    assert_eq!(stack.next_event(), None, "nothing is on its way");
    assert_eq!(stack.cache(CacheId(0)).dirty_bytes, 0);
    assert!((0..3).all(|limiter| stack.limiter(LimiterId(limiter)).waiting == 0));
    // The flush's tag is free, and there is nothing to flush: one write's time of the media.
    stack.submit(Instant::from_ns(MS), Tag(0), Io::flush(target(0)));
    assert_eq!(stack.next_event(), Some(Instant::from_ns(MS + WRITE)));
}

#[test]
fn what_happened_before_is_told_after_and_the_cache_is_cold() {
    let mut stack = Stack::new(&one_disk(wide("disk"), Some(CacheMode::ReadOnly)), &FULL, 8).expect("valid");
    stack.prefill(0, 0, 1 << 20);
    stack.submit(Instant::ZERO, Tag(0), Io::read(target(0), 0, 4096));
    stack.crash(Instant::from_ns(ACK));
    let events = poll_to(&mut stack, ACK);
    assert!(matches!(events[..], [Event::Done { tag: Tag(0), at, .. }] if at.ns() == ACK), "{events:?}");
    stack.submit(Instant::from_ns(MS), Tag(0), Io::read(target(0), 0, 4096));
    assert_eq!(stack.next_event(), Some(Instant::from_ns(MS + WRITE)), "a miss");
}

proptest! {
    #![proptest_config(cases(200))]

    /// Whatever is under way: of what came before the crash nothing is heard after it, and what comes after completes once,
    /// in order of time.
    #[test]
    fn the_stack_goes_on_with_what_comes_after(
        blueprint in blueprint(), start in any_start(), before in sketches(60), after in sketches(60), wait in 0..10 * MS,
    ) {
        let (before, after) = (trace(&blueprint, &before), trace(&blueprint, &after));
        let mut stack = Stack::new(&blueprint, &start, 64).expect("a valid blueprint");
        let mut events = Vec::new();
        for (n, (at, io)) in before.iter().enumerate() {
            stack.submit(Instant::from_ns(*at), Tag(n as u32), *io);
        }
        let crash = before.last().map_or(0, |(at, _)| *at) + wait;
        stack.crash(Instant::from_ns(crash));
        stack.poll(Instant::from_ns(crash), &mut events);
        let early = |event: Event| !matches!(event, Event::Done { at, .. } if at.ns() > crash);
        prop_assert!(events.drain(..).all(early));
        prop_assert_eq!(stack.next_event(), None);
        for (n, (at, io)) in after.iter().enumerate() {
            stack.submit(Instant::from_ns(crash + at), Tag(n as u32), *io);
        }
        while let Some(next) = stack.next_event() {
            stack.poll(next, &mut events);
        }
        let mut done: Vec<(u64, u32)> = events.iter().filter_map(|event| match event {
            Event::Done { tag, at, .. } => Some((at.ns(), tag.0)),
            _ => None,
        }).collect();
        prop_assert!(done.is_sorted_by_key(|(at, _)| *at));
        done.sort_unstable_by_key(|(_, tag)| *tag);
        prop_assert!(done.iter().map(|(_, tag)| *tag).eq(0..after.len() as u32));
        for cache in 0..blueprint.caches.len() {
            prop_assert_eq!(stack.cache(CacheId(cache as u16)).dirty_bytes, 0);
        }
    }

    /// A late poll returns the same as a timely one.
    #[test]
    fn a_late_caller_is_told_the_same_before_and_after(
        blueprint in blueprint(), start in any_start(), sketches in sketches(60), crash_before in 0..60usize,
    ) {
        let trace = trace(&blueprint, &sketches);
        let told = |in_time: bool| {
            let mut stack = Stack::new(&blueprint, &start, 64).expect("a valid blueprint");
            let mut events = Vec::new();
            for (n, (at, io)) in trace.iter().enumerate() {
                while let Some(next) = stack.next_event().filter(|next| in_time && next.ns() <= *at) {
                    stack.poll(next, &mut events);
                }
                if n == crash_before {
                    stack.crash(Instant::from_ns(*at));
                }
                stack.submit(Instant::from_ns(*at), Tag(n as u32), *io);
            }
            stack.poll(Instant::from_ns(3_600 * S), &mut events);
            events
        };
        prop_assert_eq!(told(true), told(false));
    }
}
