//! A disk in time: its media, and the routes to it.

use crate::blueprint::{CacheMode, DiskSpec, GateId, Latency, MAX_ROUTE};
use crate::cache::Dirty;
use crate::piece::Kind;
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) gates: [u16; MAX_ROUTE],
    pub(super) len: u8,
}

impl Route {
    pub(super) fn new(gates: &[GateId]) -> Route {
        let mut route = Route { gates: [0; MAX_ROUTE], len: gates.len() as u8 };
        for (slot, gate) in route.gates.iter_mut().zip(gates) {
            *slot = gate.0;
        }
        route
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
    /// The path of who comes now.
    pub(super) path: u32,
    /// The path of dirty data: the latest with a ReadWrite cache.
    pub(super) back: u32,
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
            path: 0,
            back: 0,
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
        disk.set(spec, index as u32);
        (disk.back, disk.dirty_in) = (disk.path, disk.cache.map_or(0, |(cache, _)| cache));
        disk
    }

    pub(super) fn set(&mut self, spec: &DiskSpec, path: u32) {
        self.read = MediaTime::new(spec.media.read);
        self.write = MediaTime::new(spec.media.write);
        self.cache = spec.cache.map(|cache| (usize::from(cache.cache.0), cache.mode));
        self.path = path;
    }
}

/// A disk's routes, in the order of [`Kind`], and the cache they go by. A piece keeps the path it set out on, also
/// when its disk is changed meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) routes: [Route; Kind::COUNT],
    /// Only hits and acknowledgements ask for it.
    pub(super) cache: usize,
}

impl Path {
    pub(super) fn new(spec: &DiskSpec) -> Path {
        let routes = Kind::ALL.map(|kind| {
            Route::new(match kind {
                Kind::Hit => &spec.routes.read_hit,
                Kind::Read => &spec.routes.read,
                Kind::Write => &spec.routes.write,
                Kind::Acknowledge => &spec.routes.write_ack,
                Kind::WriteBack => &spec.routes.write_back,
                Kind::Flush | Kind::Discard => &[],
            })
        });
        Path { routes, cache: spec.cache.map_or(0, |of| usize::from(of.cache.0)) }
    }
}
