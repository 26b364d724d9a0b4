//! Whatever is built and whatever is asked of it: no panic, every I/O completes once, the same again.

mod common;

use common::arbitrary::{any_change, any_start, blueprint, cases, change, sketches, trace};
use common::build::*;
use common::play::{Cleaned, Finished, Played, play, play_with};
use iobound_model::{Blueprint, CacheId, Change, Event, LimiterId, Outcome, Stack, Start};
use iobound_units::{Instant, Io, Tag};
use proptest::prelude::*;

fn stack(blueprint: &Blueprint, start: &Start, capacity: usize) -> Stack {
    Stack::new(blueprint, start, capacity).expect("a valid blueprint")
}

/// Nothing waits any more and nothing is dirty.
fn is_at_rest(stack: &mut Stack, blueprint: &Blueprint) -> bool {
    (0..blueprint.limiters.len()).all(|n| stack.limiter(LimiterId(n as u16)).waiting == 0)
        && (0..blueprint.caches.len()).all(|n| stack.cache(CacheId(n as u16)).dirty_bytes == 0)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn every_io_completes_once_and_its_parts_sum_to_its_latency(
        blueprint in blueprint(), start in any_start(), sketches in sketches(80),
    ) {
        prop_assert_eq!(blueprint.check(), Ok(()));
        let trace = trace(&blueprint, &sketches);
        let mut stack = stack(&blueprint, &start, trace.len());
        let played = play(&mut stack, &trace);
        for ((at, _), done) in trace.iter().zip(&played.done) {
            prop_assert_eq!(done.spent.total().ns(), done.at - at);
            prop_assert_eq!(done.outcome, Outcome::Ok);
        }
        prop_assert!(is_at_rest(&mut stack, &blueprint));
    }

    #[test]
    fn whatever_changes_meanwhile_every_io_completes_once_and_its_parts_sum_to_its_latency(
        blueprint in blueprint(), start in any_start(), sketches in sketches(60),
        changes in prop::collection::vec(prop::option::weighted(0.3, any_change()), 60),
    ) {
        let trace = trace(&blueprint, &sketches);
        let again = |lazy: bool| {
            let mut stack = stack(&blueprint, &start, trace.len());
            let before = |stack: &mut Stack, n: usize| {
                let now = trace[n].0;
                if let Some(change) = changes[n].as_ref().and_then(|any| change(&blueprint, now, any)) {
                    // A limiter may have lost its credits by a change before.
                    let may_be_refused = matches!(change, Change::Credits(..));
                    let made = stack.change(Instant::from_ns(now), change);
                    assert!(made.is_ok() || may_be_refused, "{made:?}");
                }
            };
            let played = if lazy { submit_all(&mut stack, &trace, before) } else { play_with(&mut stack, &trace, before) };
            assert!(is_at_rest(&mut stack, &blueprint));
            played
        };
        let played = again(false);
        for ((at, _), done) in trace.iter().zip(&played.done) {
            prop_assert_eq!(done.spent.total().ns(), done.at - at);
        }
        prop_assert_eq!(&played, &again(false));
        prop_assert_eq!(&played, &again(true));
    }

    /// A real clock is read once a batch and polled when somebody comes round to it.
    #[test]
    fn a_stack_that_is_not_polled_between_says_the_same_in_the_end(
        blueprint in blueprint(), start in any_start(), sketches in sketches(80),
    ) {
        let trace = trace(&blueprint, &sketches);
        let prompt = play(&mut stack(&blueprint, &start, trace.len()), &trace);
        let late = submit_all(&mut stack(&blueprint, &start, trace.len()), &trace, |_, _| {});
        prop_assert_eq!(prompt, late);
    }
}

/// Submits everything without a look, and polls once, an hour after the last.
fn submit_all(stack: &mut Stack, trace: &[(u64, Io)], mut before: impl FnMut(&mut Stack, usize)) -> Played {
    for (n, (at, io)) in trace.iter().enumerate() {
        before(stack, n);
        stack.submit(Instant::from_ns(*at), Tag(n as u32), *io);
    }
    let mut events = Vec::new();
    stack.poll(Instant::from_ns(trace[trace.len() - 1].0 + 3_600_000 * S), &mut events);
    let mut played = Played { done: Vec::new(), taken: Vec::new(), cleaned: Vec::new() };
    let mut done = vec![None; trace.len()];
    for event in events {
        match event {
            Event::Done { tag, at, outcome } => {
                let spent = stack.spent(tag);
                let finished = Finished { at: at.ns(), outcome, spent };
                assert_eq!(done[tag.0 as usize].replace(finished), None, "I/O {} completes twice", tag.0);
            }
            Event::WritingBack { disk, offset, len, at } => {
                played.taken.push(Cleaned { disk: disk.0, offset, len, at: at.ns() });
            }
            Event::Cleaned { disk, offset, len, at } => {
                played.cleaned.push(Cleaned { disk: disk.0, offset, len, at: at.ns() });
            }
        }
    }
    played.done = done.into_iter().map(|done| done.expect("every I/O completes")).collect();
    played
}
