//! The host cache: which gates, when a write is durable, what the flusher may take.
//!
//! Paths: MicrosoftDocs/azure-compute-docs, disks-performance.

mod common;

use common::build::*;
use common::play::{Got, Loop, closed, play, run, tags};
use common::random::Random;
use iobound_model::{Blueprint, CacheId, CacheMode, CacheSpec, Event, GateId, GateSpec, Stack};
use iobound_units::{Bytes, Instant, Io, Ppm, Span, Tag};

const ACK: u64 = 60 * US;
const WRITE: u64 = 2 * MS;
const SECTOR: u64 = 4096;

fn wide(name: &str) -> GateSpec {
    limited(name, SLICE, Ppm::ONE, Some(1_000_000), None)
}

fn iops(iops: u64) -> GateSpec {
    limited("disk", SLICE, Ppm::ONE, Some(iops), None)
}

/// A VM that limits nothing, with one disk.
fn vm(own: GateSpec, mode: Option<CacheMode>) -> Blueprint {
    azure(wide("vm.cached"), wide("vm.uncached"), cache(Bytes::gib(4)), vec![(own, constant(WRITE), mode)])
}

fn stack(blueprint: &Blueprint, capacity: usize) -> Stack {
    Stack::new(blueprint, &FULL, capacity).expect("a valid blueprint")
}

/// What each of the three gates let through, in units.
fn units(stack: &mut Stack) -> [u64; 3] {
    [0, 1, 2].map(|gate| stack.gate(GateId(gate)).units)
}

/// The units that one I/O takes of VM cached, VM uncached and disk, after the I/Os before it; and its latency.
fn path(mode: Option<CacheMode>, before: &[Io], io: Io) -> ([u64; 3], u64) {
    let mut stack = stack(&vm(iops(5_000), mode), before.len() + 1);
    let trace: Vec<_> = before.iter().zip(0..).map(|(io, n)| (n * 10 * MS, *io)).collect();
    play(&mut stack, &trace);
    let taken = units(&mut stack);
    let done = play(&mut stack, &[(S, io)]).done[0];
    let now = units(&mut stack);
    ([0, 1, 2].map(|gate| now[gate] - taken[gate]), done.at - S)
}

const READ: Io = Io::read(target(0), 65_536, 4096);
const WRITTEN: Io = Io::write(target(0), 65_536, 4096);
const DURABLE: Io = Io { fua: true, ..WRITTEN };

#[test]
fn a_disk_without_cache_meets_the_uncached_gate_and_its_own() {
    assert_eq!(path(None, &[], READ), ([0, 1, 1], WRITE));
    assert_eq!(path(None, &[], WRITTEN), ([0, 1, 1], WRITE));
    assert_eq!(path(None, &[], DURABLE), ([0, 1, 1], WRITE));
}

#[test]
fn a_read_miss_passes_the_cached_gate_too_and_a_hit_no_other() {
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
fn a_read_write_cache_acknowledges_at_the_cached_gate_and_the_rest_follows() {
    let mode = Some(CacheMode::ReadWrite);
    assert_eq!(path(mode, &[], WRITTEN), ([1, 1, 1], ACK));
    assert_eq!(path(mode, &[WRITTEN], READ), ([1, 0, 0], ACK));
    let mut stack = stack(&vm(iops(5_000), mode), 1);
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
    let mut stack = stack(&vm(iops(5_000), mode), 1);
    assert_eq!(play(&mut stack, &[(0, DURABLE)]).cleaned, []);
}

#[test]
fn what_is_dirty_is_a_hit_even_if_the_cache_has_no_room_for_it() {
    let mut blueprint = vm(iops(5_000), Some(CacheMode::ReadWrite));
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
    let mut blueprint = vm(iops(5_000), mode);
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
        let mut blueprint = vm(iops(5_000), mode);
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
fn a_flush_waits_for_what_was_dirty_when_it_arrived_and_not_for_what_came_later() {
    // 100 writes a second reach the disk. 40 sectors are dirty when the flush comes; then somebody writes one sector
    // after the other. The flusher goes round in ascending order, and each of these may lie ahead of it.
    for (first_dirty, descending, later) in
        [(9_000u64, false, 0), (9_000, true, 0), (0, false, 9_000), (0, true, 9_000)]
    {
        let write = |at: u64, line: u64| (at, Io::write(target(0), line * 65_536, 4096));
        let mut trace: Vec<_> =
            (0..40).map(|n| write(0, first_dirty + 2 * if descending { 39 - n } else { n })).collect();
        trace.push((MS, Io::flush(target(0))));
        trace.extend((0..8_000).map(|n| write(2 * MS + n * 200 * US, later + n)));
        let mut stack = stack(&vm(iops(100), Some(CacheMode::ReadWrite)), trace.len());
        let played = play(&mut stack, &trace);
        let flushed = played.done[40];
        for cleaned in &played.cleaned[..40] {
            let line = cleaned.offset / 65_536;
            assert!((first_dirty..first_dirty + 80).contains(&line), "what was dirty first goes first");
        }
        assert!(flushed.at >= played.cleaned[39].at, "a flush is done when all of it is there");
        // 40 at 100 a second, less what a gate that was idle lets through at first.
        assert!((300 * MS..450 * MS).contains(&flushed.at), "{}", flushed.at);
        assert_eq!(flushed.spent.dirty.ns() + flushed.spent.media.ns(), flushed.at - MS);
    }
}

/// 64 KiB of dirty data may be left, 1 MiB there may be.
fn small_dirty(mut blueprint: Blueprint) -> Blueprint {
    blueprint.caches[0] =
        CacheSpec { dirty_high: Bytes::mib(1), dirty_low: Bytes::kib(64), ..blueprint.caches[0] };
    blueprint
}

#[test]
fn at_the_high_watermark_writes_stop_until_the_low_one_is_reached() {
    // One sector a write, far from the next; the disk takes 200 a second, the writer has 4 outstanding.
    let blueprint = small_dirty(vm(iops(200), Some(CacheMode::ReadWrite)));
    let (high, low, outstanding) = (1 << 20, 64 << 10, 4 * SECTOR);
    let mut stack = stack(&blueprint, 4);
    let (mut written, mut stalls, mut stalled, mut held) = (0, 0, false, 0);
    let mut submit = |stack: &mut Stack, now: Instant, tag: Tag| {
        stack.submit(now, tag, Io::write(target(0), written * 65_536, 4096));
        written += 1;
    };
    (0..4).for_each(|tag| submit(&mut stack, Instant::ZERO, Tag(tag)));
    let mut events = Vec::new();
    while let Some(now) = stack.next_event().filter(|now| now.ns() < 20 * S) {
        let before = stack.cache(CacheId(0)).dirty_bytes;
        stack.poll(now, &mut events);
        let dirty = stack.cache(CacheId(0)).dirty_bytes;
        assert!(dirty <= high + outstanding, "{dirty} bytes dirty");
        if stalled && dirty <= low {
            stalled = false;
        }
        let draining = stalled && before.max(dirty) < high;
        for event in events.drain(..) {
            if let Event::Done { tag, at, .. } = event {
                assert!(!draining, "a write is acknowledged while {dirty} bytes are dirty");
                held += stack.spent(tag).dirty.ns();
                submit(&mut stack, at, tag);
            }
        }
        if !stalled && dirty >= high {
            (stalled, stalls) = (true, stalls + 1);
        }
    }
    // Each round 240 sectors at 200 a second.
    assert!((15..=17).contains(&stalls), "{stalls}");
    let state = stack.cache(CacheId(0));
    // What four writes may have waited that are not done yet.
    assert!(state.held_ns >= held && state.held_ns - held < 4 * 2 * S, "{} {held}", state.held_ns);
}

#[test]
fn a_discard_of_what_is_dirty_lets_go_on_who_waits_for_the_low_watermark() {
    // Nothing reaches the media for ten seconds; 256 sectors are the limit, and 32 of them are under way.
    let mut blueprint = small_dirty(vm(iops(5_000), Some(CacheMode::ReadWrite)));
    blueprint.caches[0].dirty_low = Bytes(32 * SECTOR);
    blueprint.disks[0].media = constant(10 * S);
    let mut trace: Vec<_> = (0..300).map(|n| (n * MS, Io::write(target(0), n * 65_536, 4096))).collect();
    trace.push((S, Io::discard(target(0), 0, 256 << 16)));
    let mut stack = stack(&blueprint, trace.len());
    let played = play(&mut stack, &trace);
    assert!(played.done[255].at < S);
    for done in &played.done[257..300] {
        assert_eq!(done.at, S + ACK);
    }
}

/// Loops of reads at random places of a disk without cache.
fn random_reads(disk: u16, seed: u64) -> impl FnMut(u64) -> Io {
    let mut random = Random(seed);
    move |_| Io::read(target(disk), random.below(1 << 20) * 4096, 4096)
}

/// Writes at random places of a disk with cache.
fn random_writes(disk: u16, seed: u64) -> impl FnMut(u64) -> Io {
    let mut random = Random(seed);
    move |_| Io::write(target(disk), random.below(1 << 20) * 4096, 4096)
}

/// Disk 0 with ReadWrite cache and disk 1 without, behind a VM's uncached gate of so many IOPS.
fn two_disks(discipline: iobound_model::Discipline, vm_iops: u64) -> Blueprint {
    let gate = |iops| limited("gate", discipline, Ppm::ONE, Some(iops), None);
    let disks = vec![
        (gate(5_000), constant(WRITE), Some(CacheMode::ReadWrite)),
        (gate(20_000), constant(WRITE), None),
    ];
    azure(wide("vm.cached"), gate(vm_iops), cache(Bytes::gib(64)), disks)
}

#[test]
fn the_flusher_takes_only_what_the_foreground_leaves() {
    // The reader alone: bound by its depth (half of the gate), or by the gate.
    for discipline in [SLICE, BUCKET] {
        for depth in [4, 64] {
            let blueprint = two_disks(discipline, 4_000);
            let reads = |with_writes: bool| {
                let mut loops = vec![closed(depth, random_reads(1, 7))];
                if with_writes {
                    loops.push(closed(1, random_writes(0, 8)));
                }
                let mut stack = stack(&blueprint, tags(&loops));
                let got = run(&mut stack, loops, 2 * S, 12 * S);
                (got[0].iops(), stack.cache(CacheId(0)).written_back)
            };
            let (alone, _) = reads(false);
            let (beside, written_back) = reads(true);
            assert!((beside / alone - 1.0).abs() < 0.01, "{discipline:?}, {depth}: {alone} alone, {beside}");
            // What is left is not wasted.
            let left = (4_000.0 - alone).max(0.0) * 4096.0 * 12.0;
            assert!(written_back as f64 >= left * 0.9, "{discipline:?}, {depth}: {written_back} of {left}");
        }
    }
}

#[test]
fn a_flush_of_one_disk_makes_no_other_disks_write_back_urgent() {
    // Disks 0 and 2 have ReadWrite caches: 0 has a backlog, 2 writes one sector and flushes it, again and again.
    let mut blueprint = two_disks(SLICE, 4_000);
    blueprint.gates.push(iops(5_000));
    blueprint.disks.push(cached_disk(constant(WRITE), CacheMode::ReadWrite, &[4]));
    blueprint.volumes.push(volume(&[2], Bytes::gib(64), 1));
    let reads = |with_backlog: bool| {
        let mut loops = vec![
            closed(64, random_reads(1, 7)),
            closed(
                1,
                |n| if n % 2 == 0 { Io::write(target(2), n * 4096, 4096) } else { Io::flush(target(2)) },
            ),
        ];
        if with_backlog {
            loops.push(closed(1, random_writes(0, 8)));
        }
        let mut stack = stack(&blueprint, tags(&loops));
        run(&mut stack, loops, 2 * S, 12 * S)[0].iops()
    };
    let (without, with) = (reads(false), reads(true));
    assert!((with / without - 1.0).abs() < 0.01, "{without} reads a second without a backlog, {with} with");
}

/// What a writer gets in ten seconds beside reads that always wait at the VM's gate, and so leave nothing of it.
fn beside_saturating_reads(blueprint: &Blueprint, writer: Loop<'_>) -> Got {
    let loops = vec![closed(256, random_reads(1, 7)), writer];
    let mut stack = stack(blueprint, tags(&loops));
    let got = run(&mut stack, loops, 0, 10 * S);
    // Who reads keeps most of the gate: the write-backs share it as they come.
    assert!(got[0].iops() > 2_000.0, "{}", got[0].iops());
    got[1].clone()
}

#[test]
fn a_waiting_flush_is_not_starved_by_a_foreground_that_leaves_nothing() {
    // A hundred sectors and a flush: four rounds of at most 32 write-backs behind at most 256 reads at 4,000 a second.
    for discipline in [SLICE, BUCKET] {
        let got = beside_saturating_reads(
            &two_disks(discipline, 4_000),
            closed(1, |n| match n % 101 {
                100 => Io::flush(target(0)),
                _ => Io::write(target(0), n * 65_536, 4096),
            }),
        );
        assert!(got.ios / 101 >= 20, "{discipline:?}: {} flushes", got.ios / 101);
        assert!(got.latencies.iter().all(|latency| *latency < 500 * MS), "{discipline:?}");
    }
}

#[test]
fn writes_that_wait_for_the_dirty_limit_are_not_starved_by_a_foreground_that_leaves_nothing() {
    for discipline in [SLICE, BUCKET] {
        let got = beside_saturating_reads(
            &small_dirty(two_disks(discipline, 4_000)),
            closed(4, random_writes(0, 8)),
        );
        // From 1 MiB down to 64 KiB are 240 sectors: eight rounds as above.
        assert!(got.ios > 10 * 240, "{discipline:?}: {}", got.ios);
        assert!(got.latencies.iter().all(|latency| *latency < S), "{discipline:?}");
    }
}

#[test]
fn neighbours_are_written_back_together() {
    let mut blueprint = vm(iops(100), Some(CacheMode::ReadWrite));
    blueprint.caches[0].dirty_high = Bytes::gib(1);
    let trace: Vec<_> = (0..4_096).map(|n| (n * 10 * US, Io::write(target(0), n * SECTOR, 4096))).collect();
    let mut stack = stack(&blueprint, trace.len());
    let played = play(&mut stack, &trace);
    let total: u64 = played.cleaned.iter().map(|cleaned| u64::from(cleaned.len)).sum();
    assert_eq!(total, 4_096 * SECTOR);
    assert!(played.cleaned.len() < 110, "{} writes for 64 × 256 KiB", played.cleaned.len());
    assert!(played.cleaned.iter().all(|cleaned| cleaned.len <= 256 * KIB));
}

#[test]
fn a_prefilled_range_hits_and_no_more_than_it() {
    let mut stack = stack(&vm(iops(5_000), Some(CacheMode::ReadOnly)), 4);
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
        let mut blueprint = vm(iops(5_000), Some(CacheMode::ReadOnly));
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
    stack(&vm(iops(5_000), Some(CacheMode::ReadOnly)), 1).complete_cache(CacheId(0));
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

/// A day of random operations against a plain table of sectors: when each was acknowledged, and when what was
/// acknowledged was on the media.
#[test]
fn a_day_of_random_operations_loses_nothing_and_cleans_nothing_that_was_not_written() {
    const SECTORS: u64 = 2_048;
    let mut blueprint = vm(iops(60), Some(CacheMode::ReadWrite));
    blueprint.disks[0].size = Bytes(SECTORS * SECTOR);
    blueprint.volumes[0].size = blueprint.disks[0].size;
    blueprint.caches[0].capacity = Bytes(SECTORS * SECTOR / 3);
    blueprint.caches[0].dirty_high = Bytes(400 * SECTOR);
    blueprint.caches[0].dirty_low = Bytes(100 * SECTOR);
    let mut random = Random(3);
    let mut at = 0;
    let mut trace = Vec::new();
    while at < 24 * 3_600 * S {
        // Mostly lulls; now and then a storm.
        let (count, gap) = if random.below(12) == 0 { (400, MS) } else { (6, 900 * MS) };
        for _ in 0..count {
            at += random.below(2 * gap);
            let sectors = 1 + random.below(16);
            let offset = random.below(SECTORS - sectors) * SECTOR;
            let len = (sectors * SECTOR) as u32;
            trace.push((
                at,
                match random.below(20) {
                    0 => Io::flush(target(0)),
                    1 => Io::discard(target(0), offset, len),
                    2 => Io { fua: true, ..Io::write(target(0), offset, len) },
                    3..8 => Io::read(target(0), offset, len),
                    _ => Io::write(target(0), offset, len),
                },
            ));
        }
        at += random.below(120 * S);
    }
    let mut stack = stack(&blueprint, trace.len());
    let played = play(&mut stack, &trace);
    assert_eq!(stack.cache(CacheId(0)).dirty_bytes, 0);

    // By sector: acknowledgements, discards and arrivals on the media, in order of time. What arrives at a time was
    // taken a media latency before, at the latest.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum What {
        Acknowledged,
        Discarded,
        Cleaned,
    }
    let mut histories = vec![Vec::new(); SECTORS as usize];
    let mut note = |offset: u64, len: u32, at: u64, what: What| {
        for sector in offset / SECTOR..(offset + u64::from(len)) / SECTOR {
            histories[sector as usize].push((at, what));
        }
    };
    let mut flushes = Vec::new();
    let mut acknowledged = 0;
    for ((submitted, io), done) in trace.iter().zip(&played.done) {
        match io.op {
            iobound_units::Op::Write if !io.fua => {
                acknowledged += u64::from(io.len);
                note(io.offset, io.len, done.at, What::Acknowledged);
            }
            iobound_units::Op::Discard => note(io.offset, io.len, *submitted, What::Discarded),
            iobound_units::Op::Flush => flushes.push((*submitted, done.at)),
            _ => {}
        }
    }
    let mut written_back = 0;
    for cleaned in &played.cleaned {
        written_back += u64::from(cleaned.len);
        note(cleaned.offset, cleaned.len, cleaned.at, What::Cleaned);
    }
    assert_eq!(stack.cache(CacheId(0)).written_back, written_back);
    assert!(written_back < acknowledged, "what is written twice between is written back once");
    for history in &mut histories {
        history.sort_unstable();
        let (mut acknowledged, mut cleaned) = (0, 0);
        for (_, what) in history.iter() {
            acknowledged += usize::from(*what == What::Acknowledged);
            cleaned += usize::from(*what == What::Cleaned);
            assert!(cleaned <= acknowledged, "cleaned without having been written");
        }
        // The first time from which on what was acknowledged at `from` is durable (or was discarded).
        let safe = |from: u64| {
            let later = history.iter().filter(|(at, _)| *at >= from);
            later
                .filter(|(at, what)| match what {
                    What::Acknowledged => false,
                    What::Discarded => true,
                    What::Cleaned => at - from >= WRITE,
                })
                .map(|(at, _)| *at)
                .next()
        };
        for (at, what) in history.iter().filter(|(_, what)| *what == What::Acknowledged) {
            let safe = safe(*at);
            assert!(safe.is_some(), "acknowledged and never written");
            let first_flush = flushes.iter().find(|(arrived, _)| arrived >= at);
            if let (Some((_, flushed)), What::Acknowledged) = (first_flush, what) {
                assert!(safe <= Some(*flushed), "a flush was done before what was acknowledged before it");
            }
        }
    }
}
