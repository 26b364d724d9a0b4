//! A disk in time: its media, and the routes to it.

use crate::blueprint::{CacheMode, DiskSpec, Latency};
use crate::cache::Dirty;
use crate::piece::{Kind, Route};
use crate::random::{Draws, exponential_q32};
use crate::stack::{DiskState, Fault};

#[derive(Clone, Copy, Debug)]
pub(super) struct MediaTime {
    pub(super) floor_ns: u64,
    pub(super) spread_ns: u64,
    pub(super) ns_per_kib: u64,
}

impl MediaTime {
    pub(super) fn new(latency: Latency) -> MediaTime {
        let floor_ns = latency.floor.of(latency.mean.ns()).min(latency.mean.ns());
        MediaTime { floor_ns, spread_ns: latency.mean.ns() - floor_ns, ns_per_kib: latency.per_kib.ns() }
    }

    #[inline]
    pub(super) fn draw(&self, draws: Draws, n: u64, len: u64) -> u64 {
        let mut ns = self.floor_ns + ((len.saturating_sub(4096) * self.ns_per_kib) >> 10);
        if self.spread_ns > 0 {
            ns += ((u128::from(exponential_q32(draws.bits(n))) * u128::from(self.spread_ns)) >> 32) as u64;
        }
        ns
    }
}

#[derive(Debug)]
pub(super) struct Disk {
    pub(super) read: MediaTime,
    pub(super) write: MediaTime,
    pub(super) size: u64,
    pub(super) cache: Option<(usize, CacheMode)>,
    /// Where this disk's lines begin in the cache's address space.
    pub(super) cache_base: u64,
    /// In the order of [`Kind`], for who comes now: a piece keeps the one it set out on, also when its disk is changed
    /// meanwhile.
    pub(super) routes: [Route; Kind::COUNT],
    /// The route of dirty data: that of the latest ReadWrite cache.
    pub(super) back: Route,
    /// The cache that counts this disk's dirty data.
    pub(super) dirty_in: usize,
    pub(super) max_transfer: u64,
    pub(super) draws: Draws,
    pub(super) drawn: u64,
    pub(super) state: DiskState,
    pub(super) fault: Fault,
    pub(super) dirty: Dirty,
    pub(super) writing_back: u32,
    /// Flushes that wait: the epoch that must be clean, and the piece.
    pub(super) barriers: Vec<(u64, u32)>,
}

impl Disk {
    pub(super) fn new(spec: &DiskSpec, index: usize, cache_base: u64, seed: u64) -> Disk {
        let mut disk = Disk {
            read: MediaTime::new(spec.media.read),
            write: MediaTime::new(spec.media.write),
            size: spec.size.get(),
            cache: None,
            cache_base,
            routes: routes_of(spec),
            back: Route::new(&spec.routes.write_back),
            dirty_in: 0,
            max_transfer: spec.max_transfer.get(),
            draws: Draws::new(seed, index as u64),
            drawn: 0,
            state: DiskState::default(),
            fault: Fault::NONE,
            dirty: Dirty::default(),
            writing_back: 0,
            barriers: Vec::new(),
        };
        disk.set(spec);
        disk.dirty_in = disk.cache.map_or(0, |(cache, _)| cache);
        disk
    }

    pub(super) fn set(&mut self, spec: &DiskSpec) {
        self.read = MediaTime::new(spec.media.read);
        self.write = MediaTime::new(spec.media.write);
        self.cache = spec.cache.map(|cache| (usize::from(cache.cache.0), cache.mode));
        self.routes = routes_of(spec);
    }
}

fn routes_of(spec: &DiskSpec) -> [Route; Kind::COUNT] {
    Kind::ALL.map(|kind| {
        Route::new(match kind {
            Kind::Hit => &spec.routes.read_hit,
            Kind::Read => &spec.routes.read,
            Kind::Write => &spec.routes.write,
            Kind::Acknowledge => &spec.routes.write_ack,
            Kind::WriteBack => &spec.routes.write_back,
            Kind::Flush | Kind::Discard => &[],
        })
    })
}
