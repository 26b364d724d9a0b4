//! Requests on an emulator in virtual time, with the plain bytes of every disk beside it.

use iobound_emulate::store::Pool;
use iobound_emulate::{Action, Batch, Completed, Emulator, ExportId, FrontId, Owner, Request};
use iobound_model::{
    Algorithm, Blueprint, CacheId, CacheMode, CacheSpec, CacheUse, Charge, DiskSpec, Latency, Limit,
    LimiterId, LimiterName, LimiterSpec, Routes, Start, StartCredits, VolumeSpec,
};
use iobound_units::{Bytes, Instant, Ppm, Span};

pub(crate) const SECTOR: u64 = 512;

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
        ((u128::from(x) * u128::from(n)) >> 64) as u64
    }
}

/// A limiter in slices of 50 ms.
pub(crate) fn limiter(name: &str, iops: u64) -> LimiterSpec {
    LimiterSpec {
        name: LimiterName::only(name),
        ios: Some(Limit::published(iops)),
        bytes: None,
        charge: Charge::Per(Bytes::kib(256)),
        algorithm: Algorithm::Slice { length: Span::from_ms(50) },
        factor: Ppm::ONE,
        credits: None,
    }
}

/// A disk behind the VM's limiter 0, its own, and cache 0. Latencies scatter, so that what is issued first is often not done
/// first.
pub(crate) fn disk(name: &str, size: Bytes, own: u16, mode: Option<CacheMode>) -> DiskSpec {
    let latency = Latency { mean: Span::from_ms(20), floor: Ppm(100_000), per_kib: Span::ZERO };
    let through = vec![LimiterId(0), LimiterId(own)];
    DiskSpec {
        routes: Routes {
            read_hit: vec![LimiterId(0)],
            read: through.clone(),
            write: through.clone(),
            write_ack: vec![LimiterId(0)],
            write_back: through,
        },
        cache: mode.map(|mode| CacheUse { cache: CacheId(0), mode }),
        ..DiskSpec::plain(name, size, latency)
    }
}

pub(crate) fn cache() -> CacheSpec {
    let latency = Latency::constant(Span::from_us(60));
    CacheSpec {
        capacity: Bytes::mib(4),
        line: Bytes::kib(64),
        hit: latency,
        ack: latency,
        dirty_high: Bytes::kib(512),
        dirty_low: Bytes::kib(128),
    }
}

/// A stripe of three disks whose partition is aligned to nothing but sectors, and three disks apart: without host cache, and
/// behind one of either kind. Limiter 1 + n is disk n's.
pub(crate) fn blueprint(size: Bytes, iops: u64) -> Blueprint {
    let modes = [None, None, None, None, Some(CacheMode::ReadOnly), Some(CacheMode::ReadWrite)];
    let disks: Vec<DiskSpec> =
        modes.iter().enumerate().map(|(n, mode)| disk(&format!("d{n}"), size, 1 + n as u16, *mode)).collect();
    let partition_offset = Bytes(3 * SECTOR);
    let units = size.get() / 65_536 * 65_536;
    Blueprint {
        volumes: vec![VolumeSpec {
            size: Bytes(3 * units - partition_offset.get()),
            partition_offset,
            ..VolumeSpec::striped("data", 0..3, size)
        }],
        limiters: (0..=disks.len())
            .map(|n| if n == 0 { limiter("vm", 20_000) } else { limiter("disk", iops) })
            .collect(),
        disks,
        caches: vec![cache()],
    }
}

/// An emulator whose disks are all in one pool.
pub(crate) fn emulator(blueprint: &Blueprint, seed: u64, pool: &Pool) -> Emulator {
    let disks = pool.disks(blueprint.disks.len());
    Emulator::new(blueprint, &Start { seed, credits: StartCredits::Full }, 64, disks)
        .expect("a valid blueprint")
}

/// An emulator, and what its time is.
pub(crate) struct Player {
    pub(crate) emulator: Emulator,
    pub(crate) now: u64,
    batch: Batch,
    submitted: u64,
}

impl Player {
    pub(crate) fn new(emulator: Emulator) -> Player {
        Player { emulator, now: 0, batch: Batch::default(), submitted: 0 }
    }

    /// Issues a request now; its cookie, which ascends. `None` where as many are outstanding as can be.
    pub(crate) fn submit(
        &mut self,
        export: ExportId,
        action: Action,
        offset: u64,
        len: u32,
        data: &[u8],
    ) -> Option<u64> {
        if self.emulator.room() == 0 {
            return None;
        }
        self.submitted += 1;
        let owner = Owner { front: FrontId(0), connection: 0, cookie: self.submitted };
        let request = Request { owner, export, action, offset, len };
        self.emulator.submit(Instant::from_ns(self.now), request, data).expect("it makes sense");
        Some(self.submitted)
    }

    /// Moves on, and shows each completion when it happens, with the data that was read.
    pub(crate) fn go_to(&mut self, until: u64, mut each: impl FnMut(&Completed, &[u8])) {
        loop {
            let next = self.emulator.next_event().map_or(until, |next| next.ns().clamp(self.now, until));
            self.now = next;
            self.batch.clear();
            self.emulator.poll(Instant::from_ns(next), &mut self.batch);
            for completed in &self.batch.completed {
                each(completed, self.batch.bytes(completed));
            }
            if self.now == until && self.emulator.next_event().is_none_or(|next| next.ns() > until) {
                return;
            }
        }
    }

    /// The host is lost now; each request that was outstanding is shown.
    pub(crate) fn crash(&mut self, mut each: impl FnMut(&Completed, &[u8])) {
        self.batch.clear();
        self.emulator.crash(Instant::from_ns(self.now), &mut self.batch);
        for completed in &self.batch.completed {
            each(completed, self.batch.bytes(completed));
        }
    }
}

/// Where the sectors of a range of an export are: the disk and the sector of it. Not the model's mapping, but a naive one:
/// unit u of a stripe is on column u mod c, at row u div c.
pub(crate) fn sectors(blueprint: &Blueprint, export: ExportId, offset: u64, len: u64) -> Vec<(usize, usize)> {
    let volume = &blueprint.volumes[usize::from(export.0)];
    let place = |at: u64| {
        let at = at + volume.partition_offset.get();
        if volume.disks.len() == 1 {
            return (usize::from(volume.disks[0].0), (at / SECTOR) as usize);
        }
        let (interleave, columns) = (volume.interleave.get(), u64::from(volume.columns));
        let (unit, within) = (at / interleave, at % interleave);
        let disk = volume.disks[(unit % columns) as usize];
        (usize::from(disk.0), ((unit / columns * interleave + within) / SECTOR) as usize)
    };
    (0..len / SECTOR).map(|n| place(offset + n * SECTOR)).collect()
}

/// Sectors that all say the same: the number of what wrote them.
pub(crate) fn versions(version: u64, len: u32) -> Vec<u8> {
    version.to_le_bytes().repeat(len as usize / 8)
}

/// Content of sectors.
pub(crate) fn said(data: &[u8]) -> impl Iterator<Item = u64> {
    data.chunks(SECTOR as usize).map(|sector| {
        let version = u64::from_le_bytes(sector[..8].try_into().expect("eight bytes"));
        assert!(sector.chunks(8).all(|word| word == version.to_le_bytes()), "a sector is torn");
        version
    })
}
