//! The stack in time: I/Os in, events out. The caller owns the clock.

mod change;
mod crash;
mod disk;
mod events;
mod growth;
mod host_cache;
mod state;
mod write_back;

use iobound_units::{Instant, Io, Op, Span, Tag};

use crate::agenda::{Agenda, Entry};
use crate::blueprint::{
    Blueprint, CacheMode, CacheSpec, DiskId, DiskSpec, Invalid, LimiterId, LimiterSpec, MAX_ROUTE, VolumeSpec,
};
use crate::fragment::{Class, Fragments, Kind, NOBODY, Route};
use crate::limiter::{Limiter, LimiterState, Line};
use crate::random::Draws;
use crate::stripe::{Extent, Stripe};
use disk::Disk;
use growth::{check_fragments, entries, more_fragments, most_outstanding, widest};
use host_cache::Cache;

pub use events::{
    BadHost, CacheState, Change, DiskState, Event, Fault, Outcome, Spent, Stalls, Start, StartCredits,
};

const NEVER: u64 = u64::MAX;
const EMPTY_LINE: Line = Line { first: NOBODY, last: NOBODY };

#[derive(Debug)]
struct Volume {
    stripe: Stripe,
    size: u64,
    /// True if no disk of it has a cache: then nothing but the end of an I/O follows its fragments' media time.
    uncached: bool,
}

impl Volume {
    fn new(spec: &VolumeSpec, disks: &[Disk]) -> Volume {
        let stripe = Stripe::over(spec, |id| {
            let disk = &disks[usize::from(id.0)];
            (disk.size, disk.max_transfer)
        });
        let mut volume = Volume { stripe, size: spec.size.get(), uncached: false };
        volume.look_at(disks);
        volume
    }

    fn look_at(&mut self, disks: &[Disk]) {
        self.uncached = self.stripe.disks().iter().all(|id| disks[usize::from(id.0)].cache.is_none());
    }
}

/// The stack: effect of a storage stack on I/Os, in the caller's time.
#[derive(Debug)]
pub struct Stack {
    volumes: Vec<Volume>,
    disks: Vec<Disk>,
    caches: Vec<Cache>,
    limiters: Vec<Limiter>,
    fragments: Fragments,
    agenda: Agenda,
    /// Events between polls, while I/Os came in.
    late: Vec<Event>,
    now: u64,
    start: Start,
    host: BadHost,
}

impl Stack {
    /// The most outstanding I/Os for which a stack of this blueprint can be made.
    pub fn most_outstanding(blueprint: &Blueprint) -> usize {
        most_outstanding(widest(blueprint))
    }

    /// A stack as its blueprint says, for at most `capacity` outstanding I/Os (tags below `capacity`).
    ///
    /// # Errors
    /// Returns an error if the blueprint contradicts itself.
    pub fn new(blueprint: &Blueprint, start: &Start, capacity: usize) -> Result<Stack, Invalid> {
        blueprint.check()?;
        let widest = widest(blueprint);
        check_fragments(capacity, widest)?;
        let mut stack = Stack {
            volumes: Vec::with_capacity(blueprint.volumes.len()),
            disks: Vec::with_capacity(blueprint.disks.len()),
            caches: Vec::with_capacity(blueprint.caches.len()),
            limiters: Vec::with_capacity(blueprint.limiters.len()),
            fragments: Fragments::new(capacity, more_fragments(capacity, widest)),
            agenda: Agenda::with_capacity(entries(capacity, blueprint.limiters.len())),
            late: Vec::with_capacity(64),
            now: 0,
            start: *start,
            host: BadHost::NONE,
        };
        blueprint.limiters.iter().for_each(|limiter| stack.add_limiter(limiter));
        blueprint.caches.iter().for_each(|cache| stack.add_cache(cache));
        blueprint.disks.iter().for_each(|disk| stack.add_disk(disk));
        stack.caches.iter_mut().for_each(Cache::lay_out);
        blueprint.volumes.iter().for_each(|volume| stack.add_volume(volume));
        Ok(stack)
    }

    /// Issues an I/O. `now` never goes back; the range lies within the volume and, but for a flush, is not empty; the
    /// tag is free.
    ///
    /// Events that are due up to `now` happen first, polled or not, so a late caller gets the same answers.
    pub fn submit(&mut self, now: Instant, tag: Tag, io: Io) {
        self.catch_up(now.ns());
        let Volume { stripe, size, .. } = &self.volumes[usize::from(io.target.0)];
        let end = io.offset.checked_add(u64::from(io.len));
        assert!(end.is_some_and(|end| end <= *size), "an I/O beyond the end of its volume");
        assert!(io.len > 0 || io.op == Op::Flush, "an I/O of no length");
        match io.op {
            Op::Read | Op::Write => {
                if let Some(extent) = stripe.single(io.offset, io.len) {
                    self.fragments.begin(tag, 1, false);
                    self.fragments[tag.0].set(tag, extent);
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
        // The fragments are made first, so that none completes the I/O before the last has begun.
        let Volume { stripe, uncached, .. } = &self.volumes[usize::from(io.target.0)];
        let uncached = *uncached;
        let kind = if io.op == Op::Read { Kind::Read } else { Kind::Write };
        let (fragments, disks, now) = (&mut self.fragments, &self.disks, self.now);
        let (mut last, mut count) = (tag.0, 0);
        stripe.split(io.offset, io.len, |extent| {
            let fragment = if count == 0 { tag.0 } else { fragments.allocate() };
            fragments[last].next = fragment;
            last = fragment;
            count += 1;
            let slot = &mut fragments[fragment];
            slot.set(tag, extent);
            if uncached {
                let disk = &disks[usize::from(extent.disk.0)];
                slot.start(kind, Class::Foreground, disk.routes[kind as usize], now);
            }
        });
        fragments.begin(tag, count, uncached);
        let mut fragment = tag.0;
        for _ in 0..count {
            let slot = &self.fragments[fragment];
            let (next, extent) = (slot.next, slot.extent());
            if uncached {
                self.go_on(fragment, now);
            } else {
                self.enter(fragment, extent, io);
            }
            fragment = next;
        }
    }

    /// A fragment reaches its disk's part of the stack: what it is decides its route.
    #[inline]
    fn enter(&mut self, fragment: u32, extent: Extent, io: Io) {
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
        let route = disk.routes[kind as usize];
        let slot = &mut self.fragments[fragment];
        slot.start(kind, Class::Foreground, route, self.now);
        if let Some((cache, _)) = disk.cache {
            slot.cache = cache as u16;
        }
        if kind == Kind::Acknowledge {
            let (cache, _) = self.disks[usize::from(extent.disk.0)].cache.expect("an acknowledging cache");
            let cache = &mut self.caches[cache];
            if cache.stalled || cache.state.dirty_bytes >= cache.dirty_high {
                append(&mut self.fragments, &mut cache.line, fragment);
                if !std::mem::replace(&mut cache.stalled, true) {
                    self.promote();
                }
                return;
            }
        }
        self.go_on(fragment, self.now);
    }

    /// Through every limiter that is open, to the first closed one or to the media.
    #[inline]
    fn go_on(&mut self, fragment: u32, now: u64) {
        let slot = &mut self.fragments[fragment];
        let (route, class) = (slot.route, slot.class);
        for step in slot.step..route.len {
            let id = route.limiters[usize::from(step)];
            let limiter = &mut self.limiters[usize::from(id)];
            if limiter.is_clear(class) {
                match limiter.admit(now, slot, class) {
                    Ok(()) => continue,
                    Err(at) => {
                        if at < limiter.armed {
                            limiter.armed = at;
                            self.agenda.limiter(at, id);
                        }
                    }
                }
            }
            slot.step = step;
            slot.arrived = now;
            limiter.waiting += 1;
            append(&mut self.fragments, &mut limiter.lines[class as usize], fragment);
            return;
        }
        self.media(fragment, now);
    }

    /// The limiter decides for the first waiting fragment, and for the next ones while it is open.
    fn open(&mut self, id: u16, now: u64) {
        loop {
            let limiter = &mut self.limiters[usize::from(id)];
            let class = if limiter.lines[0].first != NOBODY { Class::Foreground } else { Class::Background };
            let head = limiter.lines[class as usize].first;
            if head == NOBODY {
                return;
            }
            let slot = &mut self.fragments[head];
            match limiter.admit(now, slot, class) {
                Ok(()) => {
                    let held = now - slot.arrived;
                    slot.held_ns[usize::from(slot.step)] = held;
                    limiter.held_ns[limiter.bound as usize] += held;
                    limiter.waiting -= 1;
                    slot.step += 1;
                    let next = slot.next;
                    let line = &mut limiter.lines[class as usize];
                    line.first = next;
                    if next == NOBODY {
                        line.last = NOBODY;
                    }
                    self.go_on(head, now);
                }
                Err(at) => {
                    limiter.armed = at;
                    self.agenda.limiter(at, id);
                    return;
                }
            }
        }
    }

    /// After the last limiter nothing joins, so the media's time is booked at once. Always inlined: left to itself the compiler
    /// makes it a call, and a tenth of its instructions are that.
    #[inline(always)]
    fn media(&mut self, fragment: u32, now: u64) {
        let slot = &mut self.fragments[fragment];
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
                let cache = &self.caches[usize::from(slot.cache)];
                if slot.kind == Kind::Hit { &cache.hit } else { &cache.ack }
            }
        };
        let mut ns = time.draw(disk.draws, n, u64::from(slot.len));
        if now < disk.well_from {
            (ns, slot.failed) = disk.misbehave(now, slot.kind, n, ns);
            if slot.failed && slot.kind != Kind::WriteBack {
                let tag = slot.tag;
                self.fragments.fail(tag);
            }
        }
        let at = now.saturating_add(ns);
        if let Some((at, fragment)) = self.fragments.book(fragment, ns, at) {
            self.agenda.fragment(at, fragment);
        }
    }

    fn complete(&mut self, fragment: u32, at: u64, out: &mut Vec<Event>) {
        let slot = &self.fragments[fragment];
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
        }
        if kind == Kind::WriteBack {
            self.cleaned(fragment, at, out);
            return;
        }
        if let Some(outcome) = self.fragments.finish(fragment) {
            let tag = self.fragments[fragment].tag;
            if fragment != tag.0 {
                self.fragments.copy_path(fragment, tag);
            }
            out.push(Event::Done { tag, at: Instant::from_ns(at), outcome });
        }
        if fragment as usize >= self.fragments.tags() {
            self.fragments.release(fragment);
        }
        if kind == Kind::Acknowledge {
            self.write_back(id, at, out);
        }
    }

    /// Time of the next event, if nothing is submitted before; a past time if an event is ready.
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
                Entry::Fragment(fragment) => self.complete(fragment, at, out),
                Entry::Limiter(limiter) => {
                    if self.limiters[usize::from(limiter)].armed == at {
                        self.limiters[usize::from(limiter)].armed = NEVER;
                        self.open(limiter, at);
                    }
                }
            }
        }
        self.now = self.now.max(now);
    }
}

/// Puts a fragment at the end of a line.
#[inline]
fn append(fragments: &mut Fragments, line: &mut Line, fragment: u32) {
    fragments[fragment].next = NOBODY;
    if line.first == NOBODY {
        line.first = fragment;
    } else {
        fragments[line.last].next = fragment;
    }
    line.last = fragment;
}
