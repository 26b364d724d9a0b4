//! What may be changed in a stack and seen of it from outside.

use super::*;

impl Stack {
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
    pub(super) fn change_disk(&mut self, id: usize, spec: &DiskSpec) {
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

    pub(super) fn rearm(&mut self, id: GateId) {
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

    /// Makes present what the caches of another stack hold, and nothing else, in no time. Both have the same caches
    /// before the same disks.
    pub fn hold_what(&mut self, other: &Stack) {
        assert_eq!(self.caches.len(), other.caches.len(), "the contents of other caches");
        for (cache, other) in self.caches.iter_mut().zip(&other.caches) {
            assert_eq!(cache.seats, other.seats, "the contents of a cache of other disks");
            cache.presence.hold_what(&other.presence);
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
