//! The host cache: which limiters an I/O meets, and what is present.
//!
//! Paths: MicrosoftDocs/azure-compute-docs, disks-performance.

mod common;

use common::build::*;
use common::play::play;
use iobound_model::{Blueprint, CacheId, CacheMode, CacheSpec, Change, Latency, LimiterId, Stack};
use iobound_units::{Bytes, Instant, Io, Span};

fn stack(blueprint: &Blueprint, capacity: usize) -> Stack {
    Stack::new(blueprint, &FULL, capacity).expect("a valid blueprint")
}

/// What each of the three limiters let through, in units.
fn units(stack: &mut Stack) -> [u64; 3] {
    [0, 1, 2].map(|limiter| stack.limiter(LimiterId(limiter)).units)
}

/// The units that one I/O takes of VM cached, VM uncached and disk, after the I/Os before it; and its latency.
fn path(mode: Option<CacheMode>, before: &[Io], io: Io) -> ([u64; 3], u64) {
    let mut stack = stack(&one_disk(iops(5_000), mode), before.len() + 1);
    let trace: Vec<_> = before.iter().zip(0..).map(|(io, n)| (n * 10 * MS, *io)).collect();
    play(&mut stack, &trace);
    let taken = units(&mut stack);
    let done = play(&mut stack, &[(S, io)]).done[0];
    let now = units(&mut stack);
    ([0, 1, 2].map(|limiter| now[limiter] - taken[limiter]), done.at - S)
}

const READ: Io = Io::read(target(0), 65_536, 4096);
const WRITTEN: Io = Io::write(target(0), 65_536, 4096);
const DURABLE: Io = Io { fua: true, ..WRITTEN };

#[test]
fn a_disk_without_cache_meets_the_uncached_limiter_and_its_own() {
    assert_eq!(path(None, &[], READ), ([0, 1, 1], WRITE));
    assert_eq!(path(None, &[], WRITTEN), ([0, 1, 1], WRITE));
    assert_eq!(path(None, &[], DURABLE), ([0, 1, 1], WRITE));
}

#[test]
fn a_read_miss_passes_the_cached_limiter_too_and_a_hit_no_other() {
    for mode in [CacheMode::ReadOnly, CacheMode::ReadWrite] {
        assert_eq!(path(Some(mode), &[], READ), ([1, 1, 1], WRITE));
        assert_eq!(path(Some(mode), &[READ], READ), ([1, 0, 0], ACK));
    }
}

#[test]
fn a_read_only_cache_writes_through_and_the_data_is_then_a_hit() {
    let mode = Some(CacheMode::ReadOnly);
    assert_eq!(path(mode, &[], WRITTEN), ([1, 1, 1], WRITE));
    assert_eq!(path(mode, &[WRITTEN], READ), ([1, 0, 0], ACK));
}

#[test]
fn a_read_write_cache_acknowledges_at_the_cached_limiter_and_the_rest_follows() {
    let mode = Some(CacheMode::ReadWrite);
    assert_eq!(path(mode, &[], WRITTEN), ([1, 1, 1], ACK));
    assert_eq!(path(mode, &[WRITTEN], READ), ([1, 0, 0], ACK));
    let mut stack = stack(&one_disk(iops(5_000), mode), 1);
    let played = play(&mut stack, &[(0, WRITTEN)]);
    assert_eq!(played.cleaned.len(), 1);
    let cleaned = played.cleaned[0];
    assert_eq!((cleaned.disk, cleaned.offset, cleaned.len), (0, 65_536, 4096));
    assert!(cleaned.at >= ACK + WRITE);
}

#[test]
fn a_write_with_force_unit_access_goes_through_a_read_write_cache() {
    let mode = Some(CacheMode::ReadWrite);
    assert_eq!(path(mode, &[], DURABLE), ([1, 1, 1], WRITE));
    assert_eq!(path(mode, &[DURABLE], READ), ([1, 0, 0], ACK));
    let mut stack = stack(&one_disk(iops(5_000), mode), 1);
    assert_eq!(play(&mut stack, &[(0, DURABLE)]).cleaned, []);
}

#[test]
fn what_is_dirty_is_a_hit_even_if_the_cache_has_no_room_for_it() {
    let mut blueprint = one_disk(iops(5_000), Some(CacheMode::ReadWrite));
    blueprint.caches[0].capacity = Bytes::ZERO;
    blueprint.disks[0].media = constant(S);
    let mut stack = stack(&blueprint, 100);
    // The flusher has 32 under way; the rest is still dirty.
    let mut trace: Vec<_> = (0..64).map(|n| (0, Io::write(target(0), n * 65_536, 4096))).collect();
    trace.push((100 * MS, Io::read(target(0), 63 * 65_536, 4096)));
    let played = play(&mut stack, &trace);
    assert_eq!(played.done[64].at, 100 * MS + ACK);
}

#[test]
fn discarded_data_is_a_miss_and_is_not_written_back() {
    let mode = Some(CacheMode::ReadWrite);
    assert_eq!(path(mode, &[READ, Io::discard(target(0), 65_536, 4096)], READ).0, [1, 1, 1]);
    let mut blueprint = one_disk(iops(5_000), mode);
    blueprint.disks[0].media = constant(S);
    let mut stack = stack(&blueprint, 100);
    let mut trace: Vec<_> = (0..64).map(|n| (0, Io::write(target(0), n * 65_536, 4096))).collect();
    trace.push((100 * MS, Io::discard(target(0), 0, 64 * 65_536)));
    let played = play(&mut stack, &trace);
    assert_eq!(played.cleaned.len(), 32, "what was on its way");
    assert_eq!(stack.cache(CacheId(0)).dirty_bytes, 0);
}

#[test]
fn a_discard_is_free_and_takes_one_write_latency_whatever_its_length() {
    for mode in [None, Some(CacheMode::ReadOnly), Some(CacheMode::ReadWrite)] {
        let mut blueprint = one_disk(iops(5_000), mode);
        blueprint.disks[0].media.write.per_kib = Span::from_us(20);
        let mut stack = stack(&blueprint, 1);
        let played = play(&mut stack, &[(0, Io::discard(target(0), 0, 1 << 30))]);
        assert_eq!(played.times(), [WRITE]);
        assert_eq!(units(&mut stack), [0, 0, 0]);
    }
}

#[test]
fn a_flush_of_nothing_costs_no_units_and_one_write_latency() {
    for mode in [None, Some(CacheMode::ReadOnly), Some(CacheMode::ReadWrite)] {
        assert_eq!(path(mode, &[WRITTEN], Io::flush(target(0))), ([0, 0, 0], WRITE));
    }
}

#[test]
fn a_prefilled_range_hits_and_no_more_than_it() {
    let mut stack = stack(&one_disk(iops(5_000), Some(CacheMode::ReadOnly)), 4);
    stack.prefill(0, 1 << 20, 4 << 20);
    let mut now = 0;
    let mut hits = |stack: &mut Stack, offset, len| {
        let before = stack.cache(CacheId(0));
        now += S;
        play(stack, &[(now, Io::read(target(0), offset, len))]);
        stack.cache(CacheId(0)).hits > before.hits
    };
    assert!(hits(&mut stack, 1 << 20, MIB));
    assert!(hits(&mut stack, (5 << 20) - 4096, 4096));
    assert!(!hits(&mut stack, (1 << 20) - 4096, 4096));
    assert!(!hits(&mut stack, (5 << 20) - 4096, 8192));
}

#[test]
fn in_a_cache_that_holds_all_a_discarded_range_is_a_miss_and_the_rest_is_not() {
    for len in [4096u32, 1 << 30] {
        let mut blueprint = one_disk(iops(5_000), Some(CacheMode::ReadOnly));
        blueprint.caches[0].capacity = Bytes::gib(64);
        let mut stack = stack(&blueprint, 3);
        stack.complete_cache(CacheId(0));
        let trace = [
            (0, Io::discard(target(0), 1 << 30, len)),
            (S, Io::read(target(0), 1 << 30, 4096)),
            (S, Io::read(target(0), 3 << 30, 4096)),
        ];
        play(&mut stack, &trace);
        assert_eq!((stack.cache(CacheId(0)).hits, stack.cache(CacheId(0)).misses), (1, 1));
    }
}

#[test]
#[should_panic(expected = "holds all")]
fn a_cache_smaller_than_its_disks_cannot_hold_all_they_do() {
    stack(&one_disk(iops(5_000), Some(CacheMode::ReadOnly)), 1).complete_cache(CacheId(0));
}

#[test]
fn a_cache_of_576_gib_is_made_in_no_time_and_works() {
    // DS14: 32 disks of 1 TiB before one cache. The table is at most 8 bytes a line of 64 KiB (see presence.rs).
    let disks = vec![(iops(5_000), constant(WRITE), Some(CacheMode::ReadOnly)); 32];
    let mut blueprint = azure(wide("vm.cached"), wide("vm.uncached"), cache(Bytes::gib(576)), disks);
    for n in 0..32 {
        blueprint.disks[n].size = Bytes::gib(1_024);
        blueprint.volumes[n].size = Bytes::gib(1_024);
    }
    let mut stack = stack(&blueprint, 64);
    stack.prefill(31, 0, 4 << 30);
    let trace: Vec<_> = (0..64).map(|n| (0, Io::read(target(31), n << 26, 4096))).collect();
    play(&mut stack, &trace);
    assert_eq!((stack.cache(CacheId(0)).hits, stack.cache(CacheId(0)).misses), (64, 0));
}

fn make(stack: &mut Stack, at: u64, change: Change) {
    stack.change(Instant::from_ns(at), change).expect("a change that can be made");
}

/// Reads of the first line, the second, ...: one a line, all at that time.
fn reads(at: u64, lines: std::ops::Range<u64>) -> Vec<(u64, Io)> {
    lines.map(|n| (at, Io::read(target(0), n * 65_536, 4096))).collect()
}

/// Number of these reads that hit.
fn hits(stack: &mut Stack, reads: &[(u64, Io)]) -> u64 {
    let before = stack.cache(CacheId(0)).hits;
    play(stack, reads);
    stack.cache(CacheId(0)).hits - before
}

#[test]
fn what_is_warmed_while_it_runs_hits_and_what_is_beside_it_does_not() {
    let mut stack = stack(&one_disk(iops(5_000), Some(CacheMode::ReadOnly)), 100);
    play(&mut stack, &reads(0, 0..10));
    make(&mut stack, S, Change::Warm(target(0), 10 * 65_536, 20 * 65_536));
    assert_eq!(hits(&mut stack, &reads(S, 10..30)), 20);
    assert_eq!(hits(&mut stack, &reads(2 * S, 30..40)), 0);
    assert_eq!(hits(&mut stack, &reads(3 * S, 0..10)), 10, "what was read before");
    make(&mut stack, 4 * S, Change::Warm(target(0), 0, 0));
    make(&mut stack, 4 * S, Change::Warm(target(0), 0, 64 << 30));
    assert_eq!(hits(&mut stack, &reads(4 * S, 1_048_000..1_048_010)), 10, "the last of 2^20 lines");
}

#[test]
fn warming_comes_after_what_was_due_before_it_also_for_who_asks_late() {
    // A cache of one line: what came last is what it holds.
    let one_line = |polled: bool| {
        let mut blueprint = one_disk(iops(5_000), Some(CacheMode::ReadOnly));
        blueprint.caches[0].capacity = Bytes::kib(64);
        (blueprint.disks[0].size, blueprint.volumes[0].size) = (Bytes::mib(1), Bytes::mib(1));
        let mut stack = stack(&blueprint, 100);
        stack.submit(Instant::ZERO, iobound_units::Tag(0), Io::read(target(0), 65_536, 4096));
        let mut events = Vec::new();
        if polled {
            stack.poll(Instant::from_ns(S / 2), &mut events);
        }
        make(&mut stack, S, Change::Warm(target(0), 0, 65_536));
        stack.poll(Instant::from_ns(S), &mut events);
        hits(&mut stack, &reads(S, 0..1))
    };
    assert_eq!([one_line(true), one_line(false)], [1, 1]);
}

/// 400 lines that were read in order, in a cache of 4 GiB before a disk of 64.
fn read_400() -> (Stack, CacheSpec) {
    let blueprint = one_disk(iops(5_000), Some(CacheMode::ReadOnly));
    let mut stack = stack(&blueprint, 400);
    for n in 0..400 {
        play(&mut stack, &reads(n * 10 * MS, n..n + 1));
    }
    (stack, blueprint.caches[0])
}

#[test]
fn a_cache_that_shrinks_keeps_what_was_used_last_and_one_that_grows_keeps_everything() {
    let (mut stack, spec) = read_400();
    make(&mut stack, 10 * S, Change::Cache(CacheId(0), CacheSpec { capacity: Bytes::gib(8), ..spec }));
    assert_eq!(hits(&mut stack, &reads(10 * S, 0..400)), 400);
    let (mut stack, spec) = read_400();
    make(&mut stack, 10 * S, Change::Cache(CacheId(0), CacheSpec { capacity: Bytes::mib(10), ..spec }));
    // 160 lines are left; within a set the older ones went first.
    let kept = hits(&mut stack, &reads(10 * S, 300..400));
    assert!(kept >= 60, "{kept} of the last hundred");
    let (mut stack, spec) = read_400();
    make(&mut stack, 10 * S, Change::Cache(CacheId(0), CacheSpec { capacity: Bytes::ZERO, ..spec }));
    assert_eq!(hits(&mut stack, &reads(10 * S, 0..400)), 0);
}

#[test]
fn a_cache_of_another_line_is_cold_and_works() {
    let (mut stack, spec) = read_400();
    make(&mut stack, 10 * S, Change::Cache(CacheId(0), CacheSpec { line: Bytes::kib(16), ..spec }));
    assert_eq!(hits(&mut stack, &reads(10 * S, 0..100)), 0);
    assert_eq!(hits(&mut stack, &reads(11 * S, 0..100)), 100);
}

#[test]
fn a_cache_of_other_figures_keeps_what_it_holds_and_takes_as_long_as_they_say() {
    let (mut stack, spec) = read_400();
    let hit = Latency::constant(Span::from_us(90));
    make(&mut stack, 10 * S, Change::Cache(CacheId(0), CacheSpec { hit, ..spec }));
    assert_eq!(play(&mut stack, &reads(10 * S, 0..1)).times(), [10 * S + 90 * US]);
}

#[test]
fn a_higher_low_watermark_lets_go_on_who_waits_for_it() {
    let mut blueprint = one_disk(iops(100), Some(CacheMode::ReadWrite));
    (blueprint.caches[0].dirty_high, blueprint.caches[0].dirty_low) = (Bytes(40 * 4096), Bytes::ZERO);
    let writes: Vec<_> = (0..200).map(|n| (n * MS, Io::write(target(0), n * 65_536, 4096))).collect();
    let mut stack = stack(&blueprint, 201);
    let mut trace = writes.clone();
    trace.push((250 * MS, Io::read(target(0), 32 << 30, 4096)));
    let wide = CacheSpec { dirty_high: Bytes::gib(1), dirty_low: Bytes::gib(1), ..blueprint.caches[0] };
    let played = common::play::play_with(&mut stack, &trace, |stack, n| {
        if n == 200 {
            make(stack, 250 * MS, Change::Cache(CacheId(0), wide));
        }
    });
    // Those that waited are acknowledged at the change, in the time of the cache.
    let last = played.times()[..200].iter().copied().max();
    assert_eq!(last, Some(250 * MS + ACK));
}
