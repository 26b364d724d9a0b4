//! Any stack and any I/Os: no panic, every I/O completes once and not before it began, its parts sum to its latency,
//! and asking late gives the same answers as asking early.
#![no_main]

use iobound_model::{
    Algorithm, BadHost, Blueprint, ByteCharge, CacheId, CacheMode, CacheSpec, CacheUse, Change, Charge,
    Credit, Credits, Dimension, DiskId, DiskSpec, Event, Fault, Latency, Limit, LimiterId, LimiterName,
    LimiterSpec, Media, Merge, Outcome, Routes, Stack, Start, StartCredits, VolumeSpec,
};
use iobound_units::{Bytes, Instant, Io, Ppm, Span, Tag, TargetId};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

const MOST_IOS: usize = 96;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let Ok(blueprint) = blueprint(&mut bytes) else { return };
    let Ok(start) = start(&mut bytes) else { return };
    if Stack::new(&blueprint, &start, MOST_IOS).is_err() {
        return;
    }
    let (mut steps, mut now) = (Vec::new(), Instant::ZERO);
    // What the stack is made of by then, and a stack that says so: what it refuses is not made.
    let mut grown = blueprint.clone();
    let mut trial = Stack::new(&blueprint, &start, MOST_IOS).expect("it was built before");
    while let Ok(step) = step(&mut bytes, &grown, now) {
        now = step.at;
        if bytes.is_empty() || steps.len() == MOST_IOS {
            break;
        }
        if let Some(change) = &step.change {
            let made = trial.change(now, change.clone()).is_ok();
            if made {
                grown.apply(change);
            }
            assert_eq!(grown.check(), Ok(()), "a stack runs that could not be built");
        }
        steps.push(step);
    }
    let early = play(&blueprint, &start, &steps, true);
    let late = play(&blueprint, &start, &steps, false);
    assert_eq!(early, late, "when the stack is asked changes what it says");
});

/// Step: an I/O, after a change or none.
#[derive(Clone, Debug)]
struct Step {
    at: Instant,
    change: Option<Change>,
    io: Io,
}

/// When each I/O completed and how, in the order of the steps.
fn play(blueprint: &Blueprint, start: &Start, steps: &[Step], early: bool) -> Vec<(Instant, Outcome)> {
    let mut stack = Stack::new(blueprint, start, MOST_IOS).expect("it was built before");
    let mut done: Vec<Option<(Instant, Outcome)>> = vec![None; steps.len()];
    let mut events = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        while early && stack.next_event().is_some_and(|at| at <= step.at) {
            let at = stack.next_event().expect("there is one");
            stack.poll(at, &mut events);
        }
        if let Some(change) = &step.change {
            // What can't be is refused, and the stack goes on as it was.
            let _ = stack.change(step.at, change.clone());
        }
        stack.submit(step.at, Tag(n as u32), step.io);
    }
    while let Some(at) = stack.next_event() {
        stack.poll(at, &mut events);
    }
    for event in events {
        if let Event::Done { tag, at, outcome } = event {
            let (n, began) = (tag.0 as usize, steps[tag.0 as usize].at);
            assert!(at >= began, "I/O {n} completed before it began");
            assert_eq!(stack.spent(tag).total(), at.since(began), "the parts of I/O {n} are not its latency");
            assert!(done[n].replace((at, outcome)).is_none(), "I/O {n} completed twice");
        }
    }
    let all = done.into_iter().enumerate().map(|(n, done)| done.unwrap_or_else(|| panic!("I/O {n} is lost")));
    all.collect()
}

fn start(bytes: &mut Unstructured<'_>) -> Result<Start> {
    let credits = if bytes.arbitrary()? { StartCredits::Full } else { StartCredits::Spent };
    Ok(Start { seed: bytes.arbitrary()?, credits })
}

fn step(bytes: &mut Unstructured<'_>, blueprint: &Blueprint, now: Instant) -> Result<Step> {
    // Mostly close together, now and then minutes apart.
    let gap_ns = match bytes.int_in_range(0..=9)? {
        0 => 0,
        1 => bytes.int_in_range(0..=300_000_000_000u64)?,
        _ => bytes.int_in_range(0..=30_000_000u64)?,
    };
    let at = now + Span::from_ns(gap_ns);
    let change = if bytes.ratio(1, 8)? { Some(change(bytes, blueprint, at)?) } else { None };
    let target = bytes.int_in_range(0..=blueprint.volumes.len() - 1)?;
    let size = blueprint.volumes[target].size.get();
    let len = bytes.int_in_range(1..=size.min(3 << 20))?;
    let offset = bytes.int_in_range(0..=size - len)?;
    let target = TargetId(target as u16);
    let io = match bytes.int_in_range(0..=9)? {
        0 => Io::flush(target),
        1 => Io::discard(target, offset, len as u32),
        2 => Io { fua: true, ..Io::write(target, offset, len as u32) },
        3..=5 => Io::write(target, offset, len as u32),
        _ => Io::read(target, offset, len as u32),
    };
    Ok(Step { at, change, io })
}

fn change(bytes: &mut Unstructured<'_>, blueprint: &Blueprint, now: Instant) -> Result<Change> {
    let limiter = LimiterId(bytes.int_in_range(0..=blueprint.limiters.len() - 1)? as u16);
    let disk = DiskId(bytes.int_in_range(0..=blueprint.disks.len() - 1)? as u16);
    Ok(match bytes.int_in_range(0..=11)? {
        0 => Change::Limiter(limiter, limiter_spec(bytes)?),
        1 => {
            let dimension = Dimension::ALL[usize::from(bytes.arbitrary::<bool>()?)];
            Change::Credits(limiter, dimension, bytes.int_in_range(0..=10_000_000)?)
        }
        2 => {
            let spec = disk_spec(bytes, blueprint.limiters.len(), blueprint.caches.len())?;
            let DiskSpec { size, max_transfer, .. } = blueprint.disks[usize::from(disk.0)];
            Change::Disk(disk, DiskSpec { size, max_transfer, ..spec })
        }
        3 if !blueprint.caches.is_empty() => {
            Change::DropCache(CacheId(bytes.int_in_range(0..=blueprint.caches.len() - 1)? as u16))
        }
        4 if !blueprint.caches.is_empty() => {
            let cache = CacheId(bytes.int_in_range(0..=blueprint.caches.len() - 1)? as u16);
            Change::Cache(cache, cache_spec(bytes)?)
        }
        5 => {
            let volume = bytes.int_in_range(0..=blueprint.volumes.len() - 1)?;
            let size = blueprint.volumes[volume].size.get();
            let offset = bytes.int_in_range(0..=size)?;
            Change::Warm(TargetId(volume as u16), offset, bytes.int_in_range(0..=size - offset)?)
        }
        6 => {
            let until = now + Span::from_ms(bytes.int_in_range(0..=5_000)?);
            Change::Host(BadHost { latency: Ppm(bytes.int_in_range(0..=5_000_000)?), until })
        }
        7 => Change::AddLimiter(limiter_spec(bytes)?),
        8 => Change::AddCache(cache_spec(bytes)?),
        9 => Change::AddDisk(disk_spec(bytes, blueprint.limiters.len(), blueprint.caches.len())?),
        10 => Change::AddVolume(volume(bytes, &blueprint.disks)?),
        _ => {
            let stall = Span::from_ms(bytes.int_in_range(0..=5_000)?);
            let fault = Fault {
                latency: Ppm(bytes.int_in_range(0..=5_000_000)?),
                errors: Ppm(bytes.int_in_range(0..=1_000_000)?),
                stalled_until: now + stall,
                until: now + stall + Span::from_ms(bytes.int_in_range(0..=5_000)?),
            };
            Change::Fault(disk, fault)
        }
    })
}

fn blueprint(bytes: &mut Unstructured<'_>) -> Result<Blueprint> {
    let limiters = several(bytes, 1, 5, limiter_spec)?;
    let caches = several(bytes, 0, 2, cache_spec)?;
    let disks = several(bytes, 1, 6, |bytes| disk_spec(bytes, limiters.len(), caches.len()))?;
    let volumes = several(bytes, 1, 3, |bytes| volume(bytes, &disks))?;
    Ok(Blueprint { volumes, disks, caches, limiters })
}

fn several<T>(
    bytes: &mut Unstructured<'_>,
    least: usize,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = bytes.int_in_range(least..=most)?;
    (0..count).map(|_| one(bytes)).collect()
}

fn limiter_spec(bytes: &mut Unstructured<'_>) -> Result<LimiterSpec> {
    let limit = |bytes: &mut Unstructured<'_>, least: u64, most: u64| -> Result<Option<Limit>> {
        if bytes.ratio(1, 4)? {
            return Ok(None);
        }
        let published = bytes.int_in_range(least..=most)?;
        let enforced = if bytes.ratio(1, 8)? { Some(bytes.int_in_range(least..=most)?) } else { None };
        Ok(Some(Limit { published, enforced }))
    };
    let credit = |bytes: &mut Unstructured<'_>, limit: Option<Limit>| -> Result<Option<Credit>> {
        let Some(limit) = limit else { return Ok(None) };
        let least = limit.published.max(limit.enforced.unwrap_or(0));
        let times = bytes.int_in_range(2..=8u64)?;
        Ok(Some(Credit { burst: least * times, capacity: bytes.int_in_range(0..=1u64 << 32)? }))
    };
    let ios = limit(bytes, 20, 20_000)?;
    let throughput = limit(bytes, 200_000, 2_000_000_000)?;
    let credits = match bytes.int_in_range(0..=5)? {
        0 => Some(Credits { ios: credit(bytes, ios)?, bytes: None }),
        1 => Some(Credits { ios: credit(bytes, ios)?, bytes: credit(bytes, throughput)? }),
        _ => None,
    };
    Ok(LimiterSpec {
        name: LimiterName::only("limiter"),
        ios,
        bytes: throughput,
        charge: match bytes.int_in_range(0..=3)? {
            0 => Charge::Each,
            1 => Charge::Per(Bytes::kib(256)),
            2 => Charge::Merged(Merge {
                unit: Bytes(bytes.int_in_range(1..=2_000_000)?),
                least: Bytes(bytes.int_in_range(0..=65_536)?),
                streams: bytes.int_in_range(1..=40)?,
                bytes: if bytes.arbitrary()? { ByteCharge::WholeUnits } else { ByteCharge::Moved },
            }),
            _ => Charge::Per(Bytes(bytes.int_in_range(1..=1_000_000)?)),
        },
        algorithm: match bytes.arbitrary()? {
            true => Algorithm::Slice { length: Span::from_us(bytes.int_in_range(100..=200_000)?) },
            false => Algorithm::Bucket { depth: Span::from_us(bytes.int_in_range(100..=2_000_000)?) },
        },
        factor: Ppm(bytes.int_in_range(500_000..=1_500_000)?),
        credits,
    })
}

fn latency(bytes: &mut Unstructured<'_>) -> Result<Latency> {
    Ok(Latency {
        mean: Span::from_us(bytes.int_in_range(0..=20_000)?),
        floor: Ppm(bytes.int_in_range(0..=1_000_000)?),
        per_kib: Span::from_ns(bytes.int_in_range(0..=50_000)?),
    })
}

fn cache_spec(bytes: &mut Unstructured<'_>) -> Result<CacheSpec> {
    let dirty_high = bytes.int_in_range(1..=8u64 << 20)?;
    Ok(CacheSpec {
        capacity: Bytes(bytes.int_in_range(0..=32u64 << 20)?),
        line: Bytes(1 << bytes.int_in_range(9..=18)?),
        hit: latency(bytes)?,
        ack: latency(bytes)?,
        dirty_high: Bytes(dirty_high),
        dirty_low: Bytes(bytes.int_in_range(0..=dirty_high)?),
    })
}

fn disk_spec(bytes: &mut Unstructured<'_>, limiters: usize, caches: usize) -> Result<DiskSpec> {
    let route = |bytes: &mut Unstructured<'_>| {
        several(bytes, 0, 5, |bytes| Ok(LimiterId(bytes.int_in_range(0..=limiters - 1)? as u16)))
    };
    let routes = Routes {
        read_hit: route(bytes)?,
        read: route(bytes)?,
        write: route(bytes)?,
        write_ack: route(bytes)?,
        write_back: route(bytes)?,
    };
    let cache = if caches > 0 && bytes.ratio(2, 3)? {
        let mode = if bytes.arbitrary()? { CacheMode::ReadOnly } else { CacheMode::ReadWrite };
        Some(CacheUse { cache: CacheId(bytes.int_in_range(0..=caches - 1)? as u16), mode })
    } else {
        None
    };
    Ok(DiskSpec {
        name: "disk".into(),
        size: Bytes(bytes.int_in_range(1u64 << 20..=64 << 20)?),
        media: Media { read: latency(bytes)?, write: latency(bytes)? },
        routes,
        cache,
        max_transfer: Bytes(bytes.int_in_range(4_096..=1 << 20)?),
    })
}

/// A stripe of one to four disks, or two groups of them.
fn volume(bytes: &mut Unstructured<'_>, disks: &[DiskSpec]) -> Result<VolumeSpec> {
    let columns = bytes.int_in_range(1..=disks.len().min(4))?;
    let groups = if disks.len() >= 2 * columns { bytes.int_in_range(1..=2)? } else { 1 };
    let first = bytes.int_in_range(0..=disks.len() - columns * groups)?;
    let ids: Vec<DiskId> = (first..first + columns * groups).map(|n| DiskId(n as u16)).collect();
    let smallest = ids.iter().map(|id| disks[usize::from(id.0)].size.get()).min().expect("there is one");
    let interleave = bytes.int_in_range(1..=128)? * 512u64;
    let rows = smallest / interleave;
    let partition_offset = bytes.int_in_range(0..=interleave.min(rows * interleave / 2))?;
    let size = rows * interleave * (columns * groups) as u64 - partition_offset;
    Ok(VolumeSpec {
        name: "data".into(),
        size: Bytes(size),
        disks: ids,
        columns: columns as u16,
        interleave: Bytes(interleave),
        partition_offset: Bytes(partition_offset),
    })
}
