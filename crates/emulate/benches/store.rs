//! Cost of keeping data, beside a copy of it: `cargo bench -p iobound-emulate --bench store` prints the best of several
//! interleaved rounds, in nanoseconds.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use iobound_emulate::store::{Backing, Contents, Durability, Pool};
use iobound_emulate::{ExportId, with_single_disks};
use iobound_model::{
    Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, DiskId, DiskSpec, Event, Latency, VolumeSpec,
};
use iobound_units::{Bytes, Instant as Virtual, Span};

/// Used part of each disk.
const SPACE: u64 = 64 << 20;
const COUNT: u64 = 5_000;
const ROUNDS: usize = 60;
const WRITE_BACK: Option<CacheMode> = Some(CacheMode::ReadWrite);

/// Pages of the space in an order that no prefetcher follows.
fn pages(space: u64) -> Vec<u64> {
    let count = space / 4096;
    (0..COUNT).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % count * 4096).collect()
}

/// Four disks of 1 TiB striped at 64 KiB, behind a ReadWrite cache or none.
fn striped(mode: Option<CacheMode>) -> Blueprint {
    let latency = Latency::constant(Span::from_ms(1));
    let size = Bytes::gib(1024);
    let disk = |n| DiskSpec {
        cache: mode.map(|mode| CacheUse { cache: CacheId(0), mode }),
        ..DiskSpec::plain(format!("data.{n}"), size, latency)
    };
    with_single_disks(&Blueprint {
        volumes: vec![VolumeSpec::striped("data", 0..4, size)],
        disks: (0..4).map(disk).collect(),
        caches: vec![CacheSpec {
            capacity: Bytes::gib(1),
            line: Bytes::kib(64),
            hit: latency,
            ack: latency,
            dirty_high: Bytes::gib(1),
            dirty_low: Bytes::mib(512),
        }],
        limiters: Vec::new(),
    })
}

fn contents(pool: &Pool, mode: Option<CacheMode>) -> Contents {
    let disks = pool.disks(4);
    Contents::new(&striped(mode), disks)
}

/// A name, and what is done so many times when it is called; says how long that took.
type Case<'a> = (&'a str, u64, Box<dyn FnMut() -> Duration + 'a>);

fn timed(mut body: impl FnMut()) -> Duration {
    let start = Instant::now();
    body();
    start.elapsed()
}

/// A case of one call for each page.
fn each<'a>(name: &'a str, pages: &'a [u64], mut call: impl FnMut(u64) + 'a) -> Case<'a> {
    (name, pages.len() as u64, Box::new(move || timed(|| pages.iter().for_each(|at| call(*at)))))
}

fn main() {
    let pool = Pool::new(Bytes::gib(8)).expect("so much");
    let pages = pages(SPACE);
    let data = || black_box([7u8; 4096]);
    let (mut to, from) = (vec![1u8; SPACE as usize], vec![1u8; SPACE as usize]);
    let (mut read, mut read_from) = (data(), data());
    let (mut written, mut kept, mut space) = (pool.disk(), pool.disk(), pool.disk());
    let large = vec![7u8; 1 << 20];
    for at in (0..SPACE).step_by(1 << 20) {
        kept.write(at, &large).expect("there is room");
    }
    let [mut plain, mut plain_read, mut cached, mut cached_read, mut settled] =
        [None, None, WRITE_BACK, WRITE_BACK, WRITE_BACK].map(|mode| contents(&pool, mode));
    let (volume, disk) = (ExportId(0), ExportId(1));
    let write = |contents: &mut Contents, export: ExportId, at: u64, data: &[u8]| {
        contents.write(export, at, data, Durability::AsCached).expect("there is room");
    };
    for at in &pages {
        write(&mut plain_read, volume, *at, &data());
        write(&mut cached_read, volume, *at, &data());
    }
    let (mut plain_into, mut cached_into) = (data(), data());
    let source = data();
    let mut cases = [
        each("copy 4 KiB to a page", &pages, |at| to[at as usize..][..4096].copy_from_slice(&source)),
        each("memory: write 4 KiB", &pages, |at| written.write(at, &source).expect("there is room")),
        each("volume, no cache: write 4 KiB", &pages, |at| write(&mut plain, volume, at, &source)),
        each("volume, ReadWrite: write 4 KiB", &pages, |at| write(&mut cached, volume, at, &source)),
        each("copy 4 KiB from a page", &pages, |at| {
            black_box(&mut read_from).copy_from_slice(&from[at as usize..][..4096]);
        }),
        each("memory: read 4 KiB", &pages, |at| kept.read(at, black_box(&mut read)).expect("it can be read")),
        each("volume, no cache: read 4 KiB", &pages, |at| {
            plain_read.read(volume, at, black_box(&mut plain_into), None).expect("it can be read");
        }),
        each("volume, ReadWrite: read 4 KiB", &pages, |at| {
            cached_read.read(volume, at, black_box(&mut cached_into), None).expect("it can be read");
        }),
        each("disk, ReadWrite: write 4 KiB, taken, arrived", &pages, |offset| {
            let (id, len, at) = (DiskId(0), 4096, Virtual::ZERO);
            write(&mut settled, disk, offset, &source);
            settled.hear(&Event::WritingBack { disk: id, offset, len, at });
            settled.hear(&Event::Cleaned { disk: id, offset, len, at });
        }),
        (
            "memory: discard, for each 4 KiB of 64 MiB",
            SPACE / 4096,
            Box::new(|| {
                for at in (0..SPACE).step_by(1 << 20) {
                    space.write(at, &large).expect("there is room");
                }
                timed(|| space.discard(0, SPACE).expect("it can be"))
            }),
        ),
    ];
    let mut best = vec![Duration::MAX; cases.len()];
    for _ in 0..ROUNDS {
        for (best, (_, _, case)) in best.iter_mut().zip(&mut cases) {
            *best = (*best).min(case());
        }
    }
    for ((name, calls, _), best) in cases.iter().zip(best) {
        println!("{name:<46} {:>8.1} ns", best.as_nanos() as f64 / *calls as f64);
    }
}
