//! The stack in time: I/Os in, events out. The caller owns the clock.

use iobound_units::{Instant, Io, Op, Ppm, Span, Tag};

use crate::agenda::{Agenda, Entry};
use crate::blueprint::{
    Blueprint, CacheMode, CacheSpec, DiskId, DiskSpec, GateId, GateSpec, Invalid, Latency, MAX_ROUTE,
};
use crate::cache::{Dirty, Presence};
use crate::gate::{Class, Gate, GateState, Line, NOBODY};
use crate::piece::{Kind, Pieces};
use crate::random::{Draws, exponential_q32};
use crate::stripe::{Extent, Stripe};

/// Writes of the flusher that a disk may have under way: enough for any published limit at 256 KiB.
const WRITE_BACK_DEPTH: u32 = 32;
const NEVER: u64 = u64::MAX;
const EMPTY_LINE: Line = Line { first: NOBODY, last: NOBODY };

/// How a stack begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Keys every draw.
    pub seed: u64,
    /// What burst credits and token buckets hold.
    pub credits: StartCredits,
}

/// What burst credits and token buckets hold at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartCredits {
    /// As after an idle day.
    Full,
    /// Nothing: the figures of a sustained load.
    Spent,
}

/// What the stack says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An I/O is complete.
    Done {
        /// Whose slot is free again.
        tag: Tag,
        /// When: its own time, also if it was polled for later.
        at: Instant,
        /// How.
        outcome: Outcome,
    },
    /// Data that a ReadWrite cache had acknowledged has reached the media.
    Cleaned {
        /// Which disk.
        disk: DiskId,
        /// Where on it.
        offset: u64,
        /// How much.
        len: u32,
        /// When.
        at: Instant,
    },
}

/// How an I/O ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Ok,
    /// Failed by an injected fault.
    Error,
}

/// Where an I/O's time went: of its last piece, so that the parts sum to the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Held at each gate of the route, in order.
    pub gates: [(GateId, Span); MAX_ROUTE],
    /// How many of them count.
    pub gate_count: usize,
    /// Held because the cache had too much dirty data.
    pub dirty: Span,
    /// In the media (or the cache).
    pub media: Span,
}

impl Spent {
    /// All of it: the latency.
    pub fn total(&self) -> Span {
        self.gates[..self.gate_count].iter().fold(self.dirty + self.media, |sum, (_, held)| sum + *held)
    }
}

/// What may change while a stack runs.
#[derive(Clone, Debug)]
pub enum Change {
    /// A gate's limits: another tier. Who waits goes on waiting, for the new limits.
    Gate(GateId, GateSpec),
    /// The credits of a gate.
    Credits(GateId, crate::blueprint::Dimension, u64),
    /// A disk's media, routes or cache setting, for who comes from now on: who is on the way keeps the way. A disk
    /// that gets a cache begins cold in it (and if it is new to that cache, so do the others: it is laid out anew).
    /// Its size and its largest transfer stay.
    Disk(DiskId, DiskSpec),
    /// A cache forgets what is clean: as after a restart.
    DropCache(crate::blueprint::CacheId),
    /// A disk misbehaves from now on, or no more.
    Fault(DiskId, Fault),
}

/// How a disk misbehaves, to what reaches it: its host cache goes on answering hits and acknowledging writes. Data
/// being written back is late, but not lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Media latency × this.
    pub latency: Ppm,
    /// The share of I/Os that fail.
    pub errors: Ppm,
    /// Nothing completes before this.
    pub stalled_until: Instant,
}

impl Fault {
    /// None.
    pub const NONE: Fault = Fault { latency: Ppm::ONE, errors: Ppm(0), stalled_until: Instant::ZERO };
}

/// What a host cache has done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CacheState {
    /// Pieces read from it.
    pub hits: u64,
    /// Pieces that had to be read from the media.
    pub misses: u64,
    /// Bytes acknowledged and not yet on the media.
    pub dirty_bytes: u64,
    /// The time writes waited for the dirty limit, in nanoseconds.
    pub held_ns: u64,
    /// Bytes written to the media later.
    pub written_back: u64,
}

/// What a disk's media has done so far: host-cache hits are not among it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DiskState {
    /// Pieces read and written.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct MediaTime {
    floor_ns: u64,
    spread_ns: u64,
    ns_per_kib: u64,
}

impl MediaTime {
    fn new(latency: Latency) -> MediaTime {
        let floor_ns = latency.floor.of(latency.mean.ns()).min(latency.mean.ns());
        MediaTime { floor_ns, spread_ns: latency.mean.ns() - floor_ns, ns_per_kib: latency.per_kib.ns() }
    }

    #[inline]
    fn draw(&self, draws: Draws, n: u64, len: u64) -> u64 {
        let mut ns = self.floor_ns + ((len.saturating_sub(4096) * self.ns_per_kib) >> 10);
        if self.spread_ns > 0 {
            ns += ((u128::from(exponential_q32(draws.bits(n))) * u128::from(self.spread_ns)) >> 32) as u64;
        }
        ns
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Route {
    gates: [u16; MAX_ROUTE],
    len: u8,
}

impl Route {
    fn new(gates: &[GateId]) -> Route {
        let mut route = Route { gates: [0; MAX_ROUTE], len: gates.len() as u8 };
        for (slot, gate) in route.gates.iter_mut().zip(gates) {
            *slot = gate.0;
        }
        route
    }
}

#[derive(Debug)]
struct Disk {
    read: MediaTime,
    write: MediaTime,
    size: u64,
    cache: Option<(usize, CacheMode)>,
    /// Where this disk's lines begin in the cache's address space.
    cache_base: u64,
    /// The path of who comes now.
    path: u32,
    /// The path of dirty data: the latest with a ReadWrite cache.
    back: u32,
    /// The cache that counts this disk's dirty data.
    dirty_in: usize,
    max_transfer: u64,
    draws: Draws,
    drawn: u64,
    state: DiskState,
    fault: Fault,
    dirty: Dirty,
    writing_back: u32,
    /// Flushes that wait: the epoch that must be clean, and the piece.
    barriers: Vec<(u64, u32)>,
}

impl Disk {
    fn new(spec: &DiskSpec, index: usize, cache_base: u64, seed: u64) -> Disk {
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

    fn set(&mut self, spec: &DiskSpec, path: u32) {
        self.read = MediaTime::new(spec.media.read);
        self.write = MediaTime::new(spec.media.write);
        self.cache = spec.cache.map(|cache| (usize::from(cache.cache.0), cache.mode));
        self.path = path;
    }
}

/// A disk's routes, in the order of [`Kind`], and the cache they go by. A piece keeps the path it set out on, also
/// when its disk is changed meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Path {
    routes: [Route; Kind::COUNT],
    /// Only hits and acknowledgements ask for it.
    cache: usize,
}

impl Path {
    fn new(spec: &DiskSpec) -> Path {
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

#[derive(Debug)]
struct Cache {
    capacity: u64,
    line_bytes: u64,
    /// The disks with a place in the cache's address space: which, and where it begins.
    seats: Vec<(usize, u64)>,
    /// The end of that space.
    seated: u64,
    presence: Presence,
    hit: MediaTime,
    ack: MediaTime,
    dirty_high: u64,
    dirty_low: u64,
    stalled: bool,
    /// Writes that wait for the low watermark.
    line: Line,
    state: CacheState,
}

impl Cache {
    fn new(spec: &CacheSpec) -> Cache {
        Cache {
            capacity: spec.capacity.get(),
            line_bytes: spec.line.get(),
            seats: Vec::new(),
            seated: 0,
            presence: Presence::new(0, 0, spec.line.get()),
            hit: MediaTime::new(spec.hit),
            ack: MediaTime::new(spec.ack),
            dirty_high: spec.dirty_high.get(),
            dirty_low: spec.dirty_low.get(),
            stalled: false,
            line: EMPTY_LINE,
            state: CacheState::default(),
        }
    }

    /// Where a disk's lines begin.
    fn seat(&mut self, disk: usize, size: u64) -> u64 {
        if let Some((_, base)) = self.seats.iter().find(|(seated, _)| *seated == disk) {
            return *base;
        }
        let base = self.seated;
        self.seated += size.div_ceil(self.line_bytes) * self.line_bytes;
        self.seats.push((disk, base));
        base
    }

    /// Makes the table for the disks that have a seat: it is cold.
    fn lay_out(&mut self) {
        self.presence = Presence::new(self.capacity, self.seated, self.line_bytes);
    }
}

/// What a storage stack does to I/Os, in the caller's time.
#[derive(Debug)]
pub struct Stack {
    volumes: Vec<(Stripe, u64)>,
    disks: Vec<Disk>,
    /// First every disk's, then those that changes brought.
    paths: Vec<Path>,
    caches: Vec<Cache>,
    gates: Vec<Gate>,
    pieces: Pieces,
    agenda: Agenda,
    /// What happened between polls, while I/Os came in.
    late: Vec<Event>,
    now: u64,
    start: Start,
}

impl Stack {
    /// A stack as its blueprint says, for at most `capacity` outstanding I/Os (tags below `capacity`).
    ///
    /// # Errors
    /// A blueprint that contradicts itself.
    pub fn new(blueprint: &Blueprint, start: &Start, capacity: usize) -> Result<Stack, Invalid> {
        blueprint.check()?;
        let mut caches: Vec<Cache> = blueprint.caches.iter().map(Cache::new).collect();
        let mut disks = Vec::with_capacity(blueprint.disks.len());
        for (index, spec) in blueprint.disks.iter().enumerate() {
            let base =
                spec.cache.map_or(0, |of| caches[usize::from(of.cache.0)].seat(index, spec.size.get()));
            disks.push(Disk::new(spec, index, base, start.seed));
        }
        caches.iter_mut().for_each(Cache::lay_out);
        let gate_draws = Draws::new(start.seed, 1 << 32);
        let widest = blueprint.volumes.iter().map(|v| v.disks.len()).max().unwrap_or(1);
        if capacity.saturating_mul(widest + 1) >= Agenda::MAX_PIECES {
            return Err(Invalid(format!(
                "{capacity} outstanding I/Os over {widest} disks are more than a stack holds"
            )));
        }
        Ok(Stack {
            volumes: blueprint.volumes.iter().map(|v| (Stripe::new(v, blueprint), v.size.get())).collect(),
            disks,
            paths: blueprint.disks.iter().map(Path::new).collect(),
            caches,
            gates: blueprint
                .gates
                .iter()
                .enumerate()
                .map(|(n, spec)| Gate::new(spec, start, gate_draws.bits(n as u64)))
                .collect(),
            pieces: Pieces::new(capacity, capacity * (widest - 1).min(8)),
            agenda: Agenda::with_capacity(2 * capacity + blueprint.gates.len() + 64),
            late: Vec::with_capacity(64),
            now: 0,
            start: *start,
        })
    }

    /// Issues an I/O. `now` never goes back; the range lies within the volume and, but for a flush, is not empty; the
    /// tag is free.
    ///
    /// What is due up to `now` happens before it, polled or not, so a caller that is late gets the same answers.
    pub fn submit(&mut self, now: Instant, tag: Tag, io: Io) {
        self.catch_up(now.ns());
        let (stripe, size) = &self.volumes[usize::from(io.target.0)];
        let end = io.offset.checked_add(u64::from(io.len));
        assert!(end.is_some_and(|end| end <= *size), "an I/O beyond the end of its volume");
        assert!(io.len > 0 || io.op == Op::Flush, "an I/O of no length");
        match io.op {
            Op::Read | Op::Write => {
                if let Some(extent) = stripe.single(io.offset, io.len) {
                    self.pieces.begin(tag, 1, false);
                    self.pieces[tag.0].set(tag, extent);
                    self.enter(tag.0, extent, io);
                } else {
                    self.submit_split(tag, io);
                }
            }
            Op::Flush => self.submit_flush(tag, io),
            Op::Discard => self.submit_discard(tag, io),
        }
    }

    #[inline(never)]
    fn submit_split(&mut self, tag: Tag, io: Io) {
        // The pieces are made first, so that none completes the I/O before the last has begun.
        let mut first = NOBODY;
        let mut last = NOBODY;
        let mut count = 0;
        let pieces = &mut self.pieces;
        self.volumes[usize::from(io.target.0)].0.split(io.offset, io.len, |extent| {
            let piece = if count == 0 { tag.0 } else { pieces.allocate() };
            pieces[piece].set(tag, extent);
            if last == NOBODY {
                first = piece;
            } else {
                pieces[last].next = piece;
            }
            last = piece;
            count += 1;
        });
        let disks = self.volumes[usize::from(io.target.0)].0.disks();
        let booked = disks.iter().all(|id| self.disks[usize::from(id.0)].cache.is_none());
        pieces.begin(tag, count, booked);
        let mut piece = first;
        for _ in 0..count {
            let next = self.pieces[piece].next;
            let extent = self.pieces[piece].extent();
            self.enter(piece, extent, io);
            piece = next;
        }
    }

    fn submit_flush(&mut self, tag: Tag, io: Io) {
        let volume = usize::from(io.target.0);
        let count = self.volumes[volume].0.disks().len();
        self.pieces.begin(tag, count as u32, false);
        let mut waits = false;
        for n in 0..count {
            let id = self.volumes[volume].0.disks()[n];
            let piece = if n == 0 { tag.0 } else { self.pieces.allocate() };
            let extent = Extent { disk: id, offset: 0, len: 0 };
            self.pieces[piece].set(tag, extent);
            self.pieces[piece].start(Kind::Flush, Class::Foreground, 0, self.now);
            let disk = &mut self.disks[usize::from(id.0)];
            match disk.dirty.close_epoch() {
                None => self.media(piece, self.now),
                Some(epoch) => {
                    disk.barriers.push((epoch, piece));
                    waits = true;
                }
            }
        }
        if waits {
            self.promote();
        }
    }

    fn submit_discard(&mut self, tag: Tag, io: Io) {
        // A discard costs no units, whatever its length: one round trip on the first disk it touches.
        let volume = usize::from(io.target.0);
        let mut first = None;
        let (disks, caches) = (&mut self.disks, &mut self.caches);
        self.volumes[volume].0.split(io.offset, io.len, |extent| {
            first.get_or_insert(extent);
            let disk = &mut disks[usize::from(extent.disk.0)];
            let (offset, len) = (extent.offset, u64::from(extent.len));
            if let Some((cache, _)) = disk.cache {
                caches[cache].presence.remove(disk.cache_base + offset, len);
            }
            if !disk.dirty.is_empty() {
                caches[disk.dirty_in].state.dirty_bytes -= disk.dirty.discard(offset, len);
            }
        });
        for n in 0..self.volumes[volume].0.disks().len() {
            let id = usize::from(self.volumes[volume].0.disks()[n].0);
            self.less_is_dirty(id, self.now);
        }
        let extent = first.unwrap_or(Extent { disk: self.volumes[volume].0.disks()[0], offset: 0, len: 0 });
        self.pieces.begin(tag, 1, false);
        self.pieces[tag.0].set(tag, Extent { len: 0, ..extent });
        self.pieces[tag.0].start(Kind::Discard, Class::Foreground, 0, self.now);
        self.media(tag.0, self.now);
    }

    /// A piece reaches its disk's part of the stack: what it is decides its route.
    #[inline]
    fn enter(&mut self, piece: u32, extent: Extent, io: Io) {
        let disk = &mut self.disks[usize::from(extent.disk.0)];
        let kind = match (disk.cache, io.op) {
            (None, Op::Read) => Kind::Read,
            (None, _) => Kind::Write,
            (Some((cache, _)), Op::Read) => {
                let cache = &mut self.caches[cache];
                let (at, len) = (extent.offset, u64::from(extent.len));
                let hit = cache.presence.lookup(disk.cache_base + at, len)
                    || (!disk.dirty.is_empty() && disk.dirty.covers(at, len));
                if hit {
                    cache.state.hits += 1;
                    Kind::Hit
                } else {
                    cache.state.misses += 1;
                    Kind::Read
                }
            }
            (Some((_, CacheMode::ReadWrite)), _) if !io.fua => Kind::Acknowledge,
            (Some(_), _) => Kind::Write,
        };
        let path = disk.path;
        self.pieces[piece].start(kind, Class::Foreground, path, self.now);
        if kind == Kind::Acknowledge {
            let (cache, _) = self.disks[usize::from(extent.disk.0)].cache.expect("an acknowledging cache");
            let cache = &mut self.caches[cache];
            if cache.stalled || cache.state.dirty_bytes >= cache.dirty_high {
                append(&mut self.pieces, &mut cache.line, piece);
                if !std::mem::replace(&mut cache.stalled, true) {
                    self.promote();
                }
                return;
            }
        }
        self.go_on(piece, self.now);
    }

    /// Through every gate that is open, to the first closed one or to the media.
    #[inline]
    fn go_on(&mut self, piece: u32, now: u64) {
        let slot = &mut self.pieces[piece];
        let route = self.paths[slot.path as usize].routes[slot.kind as usize];
        let (len, class) = (u64::from(slot.len), slot.class);
        for step in slot.step..route.len {
            let id = route.gates[usize::from(step)];
            let gate = &mut self.gates[usize::from(id)];
            if gate.is_clear(class) {
                match gate.admit(now, len, class) {
                    Ok(()) => continue,
                    Err(at) => {
                        if at < gate.armed {
                            gate.armed = at;
                            self.agenda.gate(at, id);
                        }
                    }
                }
            }
            slot.step = step;
            slot.arrived = now;
            gate.waiting += 1;
            append(&mut self.pieces, &mut gate.lines[class as usize], piece);
            return;
        }
        self.media(piece, now);
    }

    /// The gate decides for its head, and for who follows while it is open.
    fn open(&mut self, id: u16, now: u64) {
        loop {
            let gate = &mut self.gates[usize::from(id)];
            let class = if gate.lines[0].first != NOBODY { Class::Foreground } else { Class::Background };
            let head = gate.lines[class as usize].first;
            if head == NOBODY {
                return;
            }
            let slot = &mut self.pieces[head];
            match gate.admit(now, u64::from(slot.len), class) {
                Ok(()) => {
                    let held = now - slot.arrived;
                    slot.held_ns[usize::from(slot.step)] = held;
                    gate.held_ns[gate.bound as usize] += held;
                    gate.waiting -= 1;
                    slot.step += 1;
                    let next = slot.next;
                    let line = &mut gate.lines[class as usize];
                    line.first = next;
                    if next == NOBODY {
                        line.last = NOBODY;
                    }
                    self.go_on(head, now);
                }
                Err(at) => {
                    gate.armed = at;
                    self.agenda.gate(at, id);
                    return;
                }
            }
        }
    }

    /// After the last gate nothing joins, so the media's time is booked at once.
    #[inline]
    fn media(&mut self, piece: u32, now: u64) {
        let slot = &mut self.pieces[piece];
        let disk = &mut self.disks[usize::from(slot.disk)];
        let n = disk.drawn;
        disk.drawn += 1;
        if matches!(slot.kind, Kind::Read | Kind::Write | Kind::WriteBack) {
            disk.state.ios += 1;
            disk.state.bytes += u64::from(slot.len);
        }
        let time = match slot.kind {
            Kind::Read => &disk.read,
            Kind::Write | Kind::WriteBack | Kind::Flush | Kind::Discard => &disk.write,
            Kind::Hit | Kind::Acknowledge => {
                let cache = &self.caches[self.paths[slot.path as usize].cache];
                if slot.kind == Kind::Hit { &cache.hit } else { &cache.ack }
            }
        };
        let mut ns = time.draw(disk.draws, n, u64::from(slot.len));
        let reaches_the_disk = !matches!(slot.kind, Kind::Hit | Kind::Acknowledge);
        if disk.fault != Fault::NONE && reaches_the_disk {
            let stall = disk.fault.stalled_until.ns().saturating_sub(now);
            ns = disk.fault.latency.of(ns).saturating_add(stall).min(NEVER - now);
            slot.failed = disk.draws.bits(n ^ (1 << 63)) % 1_000_000 < u64::from(disk.fault.errors.0);
            if slot.failed && slot.kind != Kind::WriteBack {
                let tag = slot.tag;
                self.pieces.fail(tag);
            }
        }
        self.pieces[piece].media_ns = ns;
        let at = now.saturating_add(ns);
        if self.pieces.is_booked(piece) {
            if let Some((at, last)) = self.pieces.book(piece, at) {
                self.agenda.piece(at, last);
            }
        } else {
            self.agenda.piece(at, piece);
        }
    }

    fn complete(&mut self, piece: u32, at: u64, out: &mut Vec<Event>) {
        let slot = &self.pieces[piece];
        let (id, kind, offset, len) = (usize::from(slot.disk), slot.kind, slot.offset, slot.len);
        let brings_data = matches!(kind, Kind::Read | Kind::Write | Kind::Acknowledge) && !slot.failed;
        let disk = &mut self.disks[id];
        if let Some((cache, _)) = disk.cache
            && brings_data
        {
            self.caches[cache].presence.insert(disk.cache_base + offset, u64::from(len));
        }
        if kind == Kind::Acknowledge {
            self.caches[disk.dirty_in].state.dirty_bytes += disk.dirty.mark(offset, u64::from(len));
            self.write_back(id, at);
        }
        if kind == Kind::WriteBack {
            self.cleaned(piece, at, out);
            return;
        }
        if let Some(outcome) = self.pieces.finish(piece) {
            let tag = self.pieces[piece].tag;
            if piece != tag.0 {
                self.pieces.copy_path(piece, tag);
            }
            out.push(Event::Done { tag, at: Instant::from_ns(at), outcome });
        }
        if piece as usize >= self.pieces.tags() {
            self.pieces.release(piece);
        }
    }

    /// Keeps the flusher of a disk busy.
    fn write_back(&mut self, id: usize, now: u64) {
        while self.disks[id].writing_back < WRITE_BACK_DEPTH {
            let disk = &mut self.disks[id];
            let most = disk.max_transfer.min(u64::from(u32::MAX));
            let Some(extent) = disk.dirty.take(most) else { return };
            disk.writing_back += 1;
            let back = disk.back;
            let class = if self.is_urgent(id) { Class::Foreground } else { Class::Background };
            let piece = self.pieces.allocate();
            let slot = &mut self.pieces[piece];
            let at = Extent { disk: DiskId(id as u16), offset: extent.offset, len: extent.len as u32 };
            slot.set(Tag(NOBODY), at);
            slot.epoch = extent.epoch;
            slot.start(Kind::WriteBack, class, back, now);
            self.go_on(piece, now);
        }
    }

    fn cleaned(&mut self, piece: u32, at: u64, out: &mut Vec<Event>) {
        let slot = &self.pieces[piece];
        let (id, offset, len) = (usize::from(slot.disk), slot.offset, slot.len);
        let extent = crate::cache::Extent { offset, len: u64::from(len), epoch: slot.epoch };
        self.pieces.release(piece);
        let disk = &mut self.disks[id];
        disk.dirty.clean(extent);
        disk.writing_back -= 1;
        out.push(Event::Cleaned { disk: DiskId(id as u16), offset, len, at: Instant::from_ns(at) });
        let cache = &mut self.caches[self.disks[id].dirty_in].state;
        cache.dirty_bytes -= u64::from(len);
        cache.written_back += u64::from(len);
        self.less_is_dirty(id, at);
        self.write_back(id, at);
    }

    /// The flushes that have what they waited for go on, and at the low watermark so do the writes that waited.
    fn less_is_dirty(&mut self, id: usize, now: u64) {
        let mut waiting = std::mem::take(&mut self.disks[id].barriers);
        waiting.retain(|(epoch, flush)| {
            let done = self.disks[id].dirty.is_clean_to(*epoch);
            if done {
                self.pieces[*flush].dirty_ns = now - self.pieces[*flush].arrived;
                self.media(*flush, now);
            }
            !done
        });
        self.disks[id].barriers = waiting;
        self.release_stalled(self.disks[id].dirty_in, now);
    }

    fn release_stalled(&mut self, cache_id: usize, now: u64) {
        let Some(cache) = self.caches.get_mut(cache_id) else { return };
        if !cache.stalled || cache.state.dirty_bytes > cache.dirty_low {
            return;
        }
        cache.stalled = false;
        let mut piece = self.caches[cache_id].line.first;
        self.caches[cache_id].line = EMPTY_LINE;
        while piece != NOBODY {
            let slot = &mut self.pieces[piece];
            let next = slot.next;
            slot.dirty_ns = now - slot.arrived;
            self.caches[cache_id].state.held_ns += slot.dirty_ns;
            self.go_on(piece, now);
            piece = next;
        }
    }

    /// Whether somebody waits for what this disk's flusher does: a flush, or a write at the dirty limit.
    fn is_urgent(&self, id: usize) -> bool {
        let disk = &self.disks[id];
        !disk.barriers.is_empty() || self.caches.get(disk.dirty_in).is_some_and(|cache| cache.stalled)
    }

    /// Somebody has begun to wait for a flusher: what it has waiting at gates is no background any more. Other disks'
    /// write-backs stay what they are.
    fn promote(&mut self) {
        for id in 0..self.gates.len() {
            let mut piece = self.gates[id].lines[Class::Background as usize].first;
            let mut lines = [self.gates[id].lines[Class::Foreground as usize], EMPTY_LINE];
            let mut is_moved = false;
            while piece != NOBODY {
                let next = self.pieces[piece].next;
                if self.is_urgent(usize::from(self.pieces[piece].disk)) {
                    self.pieces[piece].class = Class::Foreground;
                    is_moved = true;
                }
                let class = self.pieces[piece].class;
                append(&mut self.pieces, &mut lines[class as usize], piece);
                piece = next;
            }
            if is_moved {
                let gate = &mut self.gates[id];
                gate.lines = lines;
                gate.armed = NEVER;
                self.open(id as u16, self.now);
            }
        }
    }

    /// When something happens next, if nothing is submitted before; a time that has passed if there is something to
    /// be told.
    #[inline]
    pub fn next_event(&self) -> Option<Instant> {
        if self.late.is_empty() {
            return self.agenda.next_ns().map(Instant::from_ns);
        }
        Some(Instant::from_ns(self.now))
    }

    /// Everything that happens up to `now`, in order of time. Events keep their own time when polled late.
    pub fn poll(&mut self, now: Instant, out: &mut Vec<Event>) {
        out.append(&mut self.late);
        self.advance(now.ns(), out);
    }

    #[inline]
    fn catch_up(&mut self, now: u64) {
        debug_assert!(now >= self.now, "time went back");
        if self.agenda.next_ns().is_some_and(|next| next <= now) {
            self.catch_up_late(now);
        }
        self.now = now;
    }

    #[cold]
    fn catch_up_late(&mut self, now: u64) {
        let mut late = std::mem::take(&mut self.late);
        self.advance(now, &mut late);
        self.late = late;
    }

    fn advance(&mut self, now: u64, out: &mut Vec<Event>) {
        while let Some((at, entry)) = self.agenda.pop_due(now) {
            self.now = at;
            match entry {
                Entry::Piece(piece) => self.complete(piece, at, out),
                Entry::Gate(gate) => {
                    if self.gates[usize::from(gate)].armed == at {
                        self.gates[usize::from(gate)].armed = NEVER;
                        self.open(gate, at);
                    }
                }
            }
        }
        self.now = self.now.max(now);
    }

    /// Changes the stack at `now`, after what is due up to then.
    pub fn change(&mut self, now: Instant, change: Change) {
        self.catch_up(now.ns());
        match change {
            Change::Gate(id, spec) => {
                let draw = Draws::new(self.start.seed, 1 << 32).bits(u64::from(id.0));
                self.gates[usize::from(id.0)].set_spec(&spec, &self.start, now.ns(), draw);
                self.rearm(id);
            }
            Change::Credits(id, dimension, credits) => {
                self.gates[usize::from(id.0)].set_credits(now.ns(), dimension, credits);
                self.rearm(id);
            }
            Change::Disk(id, spec) => self.change_disk(usize::from(id.0), &spec),
            Change::DropCache(id) => self.caches[usize::from(id.0)].presence.clear(),
            Change::Fault(id, fault) => self.disks[usize::from(id.0)].fault = fault,
        }
    }

    /// A disk's new setting is for who comes from now on. What is dirty stays dirty, and goes to the media by the
    /// routes of the last ReadWrite setting there was.
    fn change_disk(&mut self, id: usize, spec: &DiskSpec) {
        let path = Path::new(spec);
        let index = self.paths.iter().position(|known| *known == path).unwrap_or_else(|| {
            self.paths.push(path);
            self.paths.len() - 1
        });
        let before = self.disks[id].cache;
        self.disks[id].set(spec, index as u32);
        let after = self.disks[id].cache;
        if before.map(|(cache, _)| cache) != after.map(|(cache, _)| cache) {
            if let Some((cache, _)) = before {
                let disk = &self.disks[id];
                self.caches[cache].presence.remove(disk.cache_base, disk.size);
            }
            if let Some((cache, _)) = after {
                let cache = &mut self.caches[cache];
                let seated = cache.seated;
                self.disks[id].cache_base = cache.seat(id, self.disks[id].size);
                if cache.seated > seated {
                    cache.lay_out();
                }
            }
        }
        if let Some((cache, CacheMode::ReadWrite)) = after {
            let disk = &mut self.disks[id];
            let counted_before = std::mem::replace(&mut disk.dirty_in, cache);
            disk.back = disk.path;
            let unclean = disk.dirty.unclean_bytes();
            self.caches[cache].state.dirty_bytes += unclean;
            self.caches[counted_before].state.dirty_bytes -= unclean;
            self.release_stalled(counted_before, self.now);
        }
    }

    fn rearm(&mut self, id: GateId) {
        self.gates[usize::from(id.0)].armed = NEVER;
        self.open(id.0, self.now);
    }

    /// Makes a range of a volume present in its disks' caches, in no time: a cache that is warm at the start.
    pub fn prefill(&mut self, volume: usize, offset: u64, len: u64) {
        let (disks, caches) = (&self.disks, &mut self.caches);
        let (stripe, size) = &self.volumes[volume];
        let (mut at, end) = (offset, offset.saturating_add(len));
        assert!(end <= *size, "a prefill beyond the end of its volume");
        while at < end {
            let step = (end - at).min(1 << 30);
            stripe.split(at, step as u32, |extent| {
                let disk = &disks[usize::from(extent.disk.0)];
                if let Some((cache, _)) = disk.cache {
                    caches[cache].presence.insert(disk.cache_base + extent.offset, u64::from(extent.len));
                }
            });
            at += step;
        }
    }

    /// Makes all that a cache's disks hold present, in no time: a warm cache that is no smaller than they are.
    pub fn complete_cache(&mut self, id: crate::blueprint::CacheId) {
        self.caches[usize::from(id.0)].presence.complete();
    }

    /// Where the time of a completed I/O went, until its tag is used again.
    pub fn spent(&self, tag: Tag) -> Spent {
        let piece = &self.pieces[tag.0];
        let route = &self.paths[piece.path as usize].routes[piece.kind as usize];
        let mut gates = [(GateId(0), Span::ZERO); MAX_ROUTE];
        for (slot, (gate, held)) in gates.iter_mut().zip(route.gates.iter().zip(piece.held_ns)) {
            *slot = (GateId(*gate), Span::from_ns(held));
        }
        Spent {
            gates,
            gate_count: usize::from(route.len),
            dirty: Span::from_ns(piece.dirty_ns),
            media: Span::from_ns(piece.media_ns),
        }
    }

    /// What a gate has let through and held back, as of the last poll.
    pub fn gate(&mut self, id: GateId) -> GateState {
        self.gates[usize::from(id.0)].state(Instant::from_ns(self.now))
    }

    /// What a disk's media has done, as of the last poll.
    pub fn disk(&self, id: DiskId) -> DiskState {
        self.disks[usize::from(id.0)].state
    }

    /// What a cache has done, as of the last poll.
    pub fn cache(&self, id: crate::blueprint::CacheId) -> CacheState {
        self.caches[usize::from(id.0)].state
    }
}

/// Puts a piece at the end of a line.
#[inline]
fn append(pieces: &mut Pieces, line: &mut Line, piece: u32) {
    pieces[piece].next = NOBODY;
    if line.first == NOBODY {
        line.first = piece;
    } else {
        pieces[line.last].next = piece;
    }
    line.last = piece;
}
