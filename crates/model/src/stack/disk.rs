//! A disk in time: its media, and the routes to it.

use iobound_units::Ppm;

use crate::blueprint::{CacheMode, DiskSpec, Latency};
use crate::cache::Dirty;
use crate::fragment::{Kind, Route};
use crate::random::{Draws, exponential_q32};
use crate::stack::{BadHost, DiskState, Fault};

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
    /// Start of this disk's lines in the cache's address space.
    pub(super) cache_base: u64,
    /// In the order of [`Kind`], for fragments that arrive now. A fragment keeps its route if its disk changes
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
    pub(super) host: BadHost,
    /// Before this something is wrong with the disk or with its host: zero where nothing is.
    pub(super) well_from: u64,
    pub(super) dirty: Dirty,
    pub(super) writing_back: u32,
    /// Flushes that wait: the epoch that must be clean, and the fragment.
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
            host: BadHost::NONE,
            well_from: 0,
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

    pub(super) fn set_fault(&mut self, fault: Fault) {
        self.fault = fault;
        self.look_at_faults();
    }

    pub(super) fn set_host(&mut self, host: BadHost) {
        self.host = host;
        self.look_at_faults();
    }

    fn look_at_faults(&mut self) {
        let of_fault = if self.fault == Fault::NONE { 0 } else { self.fault.until.ns() };
        let of_host = if self.host == BadHost::NONE { 0 } else { self.host.until.ns() };
        self.well_from = of_fault.max(of_host);
    }

    /// Time in ns that the `n`th fragment takes at `now` with the faults that are set, and true if it fails. Without faults it
    /// takes `ns`.
    #[cold]
    pub(super) fn misbehave(&self, now: u64, kind: Kind, n: u64, mut ns: u64) -> (u64, bool) {
        let mut failed = false;
        if now < self.host.until.ns() {
            ns = slower(ns, self.host.latency);
        }
        let reaches_the_disk = !matches!(kind, Kind::Hit | Kind::Acknowledge);
        if now < self.fault.until.ns() && reaches_the_disk {
            let stall = self.fault.stalled_until.ns().saturating_sub(now);
            ns = slower(ns, self.fault.latency).saturating_add(stall);
            failed = self.draws.bits(n ^ (1 << 63)) % 1_000_000 < u64::from(self.fault.errors.0);
        }
        (ns.min(u64::MAX - now), failed)
    }
}

/// A time × a factor; the longest there is where it were longer.
fn slower(ns: u64, by: Ppm) -> u64 {
    u64::try_from(u128::from(ns) * u128::from(by.0) / 1_000_000).unwrap_or(u64::MAX)
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
