//! Write-back: when a write is durable, what a flush waits for, and what the flusher may take.

mod common;

use common::build::*;
use common::play::{Got, Loop, closed, play, run, tags};
use common::random::Random;
use iobound_model::{Blueprint, CacheId, CacheMode, CacheSpec, Event, Stack};
use iobound_units::{Bytes, Instant, Io, Op, Ppm, Tag};

const SECTOR: u64 = 4096;

fn stack(blueprint: &Blueprint, capacity: usize) -> Stack {
    Stack::new(blueprint, &FULL, capacity).expect("a valid blueprint")
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
        let mut stack = stack(&one_disk(iops(100), Some(CacheMode::ReadWrite)), trace.len());
        let played = play(&mut stack, &trace);
        let flushed = played.done[40];
        for cleaned in &played.cleaned[..40] {
            let line = cleaned.offset / 65_536;
            assert!((first_dirty..first_dirty + 80).contains(&line), "what was dirty first goes first");
        }
        assert!(flushed.at >= played.cleaned[39].at, "a flush is done when all of it is there");
        // 40 at 100 a second, less the ten that a limiter that was idle lets through at first.
        assert!((250 * MS..400 * MS).contains(&flushed.at), "{}", flushed.at);
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
    let blueprint = small_dirty(one_disk(iops(200), Some(CacheMode::ReadWrite)));
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
    let mut blueprint = small_dirty(one_disk(iops(5_000), Some(CacheMode::ReadWrite)));
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

/// Disk 0 with ReadWrite cache and disk 1 without, behind a VM's uncached limiter of so many IOPS.
fn two_disks(algorithm: iobound_model::Algorithm, vm_iops: u64) -> Blueprint {
    let limiter = |iops| limited("limiter", algorithm, Ppm::ONE, Some(iops), None);
    let disks = vec![
        (limiter(5_000), constant(WRITE), Some(CacheMode::ReadWrite)),
        (limiter(20_000), constant(WRITE), None),
    ];
    azure(wide("vm.cached"), limiter(vm_iops), cache(Bytes::gib(64)), disks)
}

#[test]
fn the_flusher_takes_only_what_the_foreground_leaves() {
    // The reader alone: bound by its depth (half of the limiter), or by the limiter.
    for algorithm in [SLICE, BUCKET] {
        for depth in [4, 64] {
            let blueprint = two_disks(algorithm, 4_000);
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
            assert!((beside / alone - 1.0).abs() < 0.01, "{algorithm:?}, {depth}: {alone} alone, {beside}");
            // What is left is not wasted.
            let left = (4_000.0 - alone).max(0.0) * 4096.0 * 12.0;
            assert!(written_back as f64 >= left * 0.9, "{algorithm:?}, {depth}: {written_back} of {left}");
        }
    }
}

#[test]
fn a_flush_of_one_disk_makes_no_other_disks_write_back_urgent() {
    // Disks 0 and 2 have ReadWrite caches: 0 has a backlog, 2 writes one sector and flushes it, again and again.
    let mut blueprint = two_disks(SLICE, 4_000);
    blueprint.limiters.push(iops(5_000));
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

/// What a writer gets in ten seconds beside reads that always wait at the VM's limiter, and so leave nothing of it.
fn beside_saturating_reads(blueprint: &Blueprint, writer: Loop<'_>) -> Got {
    let loops = vec![closed(256, random_reads(1, 7)), writer];
    let mut stack = stack(blueprint, tags(&loops));
    let got = run(&mut stack, loops, 0, 10 * S);
    // Who reads keeps most of the limiter: the write-backs share it as they come.
    assert!(got[0].iops() > 2_000.0, "{}", got[0].iops());
    got[1].clone()
}

#[test]
fn a_waiting_flush_is_not_starved_by_a_foreground_that_leaves_nothing() {
    // A hundred sectors and a flush: four rounds of at most 32 write-backs behind at most 256 reads at 4,000 a second.
    for algorithm in [SLICE, BUCKET] {
        let got = beside_saturating_reads(
            &two_disks(algorithm, 4_000),
            closed(1, |n| match n % 101 {
                100 => Io::flush(target(0)),
                _ => Io::write(target(0), n * 65_536, 4096),
            }),
        );
        assert!(got.ios / 101 >= 20, "{algorithm:?}: {} flushes", got.ios / 101);
        assert!(got.latencies.iter().all(|latency| *latency < 500 * MS), "{algorithm:?}");
    }
}

#[test]
fn writes_that_wait_for_the_dirty_limit_are_not_starved_by_a_foreground_that_leaves_nothing() {
    for algorithm in [SLICE, BUCKET] {
        let got = beside_saturating_reads(
            &small_dirty(two_disks(algorithm, 4_000)),
            closed(4, random_writes(0, 8)),
        );
        // From 1 MiB down to 64 KiB are 240 sectors: eight rounds as above.
        assert!(got.ios > 10 * 240, "{algorithm:?}: {}", got.ios);
        assert!(got.latencies.iter().all(|latency| *latency < S), "{algorithm:?}");
    }
}

#[test]
fn neighbours_are_written_back_together() {
    let mut blueprint = one_disk(iops(100), Some(CacheMode::ReadWrite));
    blueprint.caches[0].dirty_high = Bytes::gib(1);
    let trace: Vec<_> = (0..4_096).map(|n| (n * 10 * US, Io::write(target(0), n * SECTOR, 4096))).collect();
    let mut stack = stack(&blueprint, trace.len());
    let played = play(&mut stack, &trace);
    let total: u64 = played.cleaned.iter().map(|cleaned| u64::from(cleaned.len)).sum();
    assert_eq!(total, 4_096 * SECTOR);
    assert!(played.cleaned.len() < 110, "{} writes for 64 × 256 KiB", played.cleaned.len());
    assert!(played.cleaned.iter().all(|cleaned| cleaned.len <= 256 * KIB));
}

/// A day of random operations against a plain table of sectors: when each was acknowledged, and when what was
/// acknowledged was on the media.
#[test]
fn a_day_of_random_operations_loses_nothing_and_cleans_nothing_that_was_not_written() {
    const SECTORS: u64 = 2_048;
    let mut blueprint = one_disk(iops(60), Some(CacheMode::ReadWrite));
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
            Op::Write if !io.fua => {
                acknowledged += u64::from(io.len);
                note(io.offset, io.len, done.at, What::Acknowledged);
            }
            Op::Discard => note(io.offset, io.len, *submitted, What::Discarded),
            Op::Flush => flushes.push((*submitted, done.at)),
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
