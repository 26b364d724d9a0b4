//! Dirty data on its way to the media, and the I/Os that wait for it: flushes, and writes at the high watermark.

use super::*;

/// Writes of the flusher that a disk may have under way: enough for any published limit at 256 KiB.
const WRITE_BACK_DEPTH: u32 = 32;

impl Stack {
    pub(super) fn submit_flush(&mut self, tag: Tag, io: Io) {
        let volume = usize::from(io.target.0);
        let count = self.volumes[volume].stripe.disks().len();
        self.fragments.begin(tag, count as u32, false);
        let mut waits = false;
        for n in 0..count {
            let id = self.volumes[volume].stripe.disks()[n];
            let fragment = if n == 0 { tag.0 } else { self.fragments.allocate() };
            let extent = Extent { disk: id, offset: 0, len: 0 };
            self.fragments[fragment].set(tag, extent);
            self.fragments[fragment].start(Kind::Flush, Class::Foreground, Route::default(), self.now);
            let disk = &mut self.disks[usize::from(id.0)];
            match disk.dirty.close_epoch() {
                None => self.media(fragment, self.now),
                Some(epoch) => {
                    disk.barriers.push((epoch, fragment));
                    waits = true;
                }
            }
        }
        if waits {
            self.promote();
        }
    }

    pub(super) fn submit_discard(&mut self, tag: Tag, io: Io) {
        // A discard costs no units, whatever its length: one round trip on the first disk it touches.
        let volume = usize::from(io.target.0);
        let mut first = None;
        let (disks, caches) = (&mut self.disks, &mut self.caches);
        self.volumes[volume].stripe.split(io.offset, io.len, |extent| {
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
        for n in 0..self.volumes[volume].stripe.disks().len() {
            let id = usize::from(self.volumes[volume].stripe.disks()[n].0);
            self.less_is_dirty(id, self.now);
        }
        let extent =
            first.unwrap_or(Extent { disk: self.volumes[volume].stripe.disks()[0], offset: 0, len: 0 });
        self.fragments.begin(tag, 1, false);
        self.fragments[tag.0].set(tag, Extent { len: 0, ..extent });
        self.fragments[tag.0].start(Kind::Discard, Class::Foreground, Route::default(), self.now);
        self.media(tag.0, self.now);
    }

    /// Keeps the flusher of a disk busy.
    pub(super) fn write_back(&mut self, id: usize, now: u64, out: &mut Vec<Event>) {
        while self.disks[id].writing_back < WRITE_BACK_DEPTH {
            let disk = &mut self.disks[id];
            let most = disk.max_transfer.min(u64::from(u32::MAX));
            let Some(extent) = disk.dirty.take(most) else { return };
            disk.writing_back += 1;
            let back = disk.back;
            let class = if self.is_urgent(id) { Class::Foreground } else { Class::Background };
            let fragment = self.fragments.allocate();
            let slot = &mut self.fragments[fragment];
            let at = Extent { disk: DiskId(id as u16), offset: extent.offset, len: extent.len as u32 };
            slot.set(Tag(NOBODY), at);
            out.push(Event::WritingBack {
                disk: at.disk,
                offset: at.offset,
                len: at.len,
                at: Instant::from_ns(now),
            });
            slot.epoch = extent.epoch;
            slot.start(Kind::WriteBack, class, back, now);
            self.go_on(fragment, now);
        }
    }

    pub(super) fn cleaned(&mut self, fragment: u32, at: u64, out: &mut Vec<Event>) {
        let slot = &self.fragments[fragment];
        let (id, offset, len) = (usize::from(slot.disk), slot.offset, slot.len);
        let extent = crate::cache::DirtyRange { offset, len: u64::from(len), epoch: slot.epoch };
        self.fragments.release(fragment);
        let disk = &mut self.disks[id];
        disk.dirty.clean(extent);
        disk.writing_back -= 1;
        out.push(Event::Cleaned { disk: DiskId(id as u16), offset, len, at: Instant::from_ns(at) });
        let cache = &mut self.caches[self.disks[id].dirty_in].state;
        cache.dirty_bytes -= u64::from(len);
        cache.written_back += u64::from(len);
        self.less_is_dirty(id, at);
        self.write_back(id, at, out);
    }

    /// The flushes that have what they waited for go on, and at the low watermark so do the writes that waited.
    pub(super) fn less_is_dirty(&mut self, id: usize, now: u64) {
        let mut waiting = std::mem::take(&mut self.disks[id].barriers);
        waiting.retain(|(epoch, flush)| {
            let done = self.disks[id].dirty.is_clean_to(*epoch);
            if done {
                self.fragments[*flush].dirty_ns = now - self.fragments[*flush].arrived;
                self.media(*flush, now);
            }
            !done
        });
        self.disks[id].barriers = waiting;
        self.release_stalled(self.disks[id].dirty_in, now);
    }

    pub(super) fn release_stalled(&mut self, cache_id: usize, now: u64) {
        let Some(cache) = self.caches.get_mut(cache_id) else { return };
        if !cache.stalled || cache.state.dirty_bytes > cache.dirty_low {
            return;
        }
        cache.stalled = false;
        let mut fragment = self.caches[cache_id].line.first;
        self.caches[cache_id].line = EMPTY_LINE;
        while fragment != NOBODY {
            let slot = &mut self.fragments[fragment];
            let next = slot.next;
            slot.dirty_ns = now - slot.arrived;
            self.caches[cache_id].state.held_ns += slot.dirty_ns;
            self.go_on(fragment, now);
            fragment = next;
        }
    }

    /// True if an I/O waits for this disk's flusher: a flush, or a write at the dirty limit.
    pub(super) fn is_urgent(&self, id: usize) -> bool {
        let disk = &self.disks[id];
        !disk.barriers.is_empty() || self.caches.get(disk.dirty_in).is_some_and(|cache| cache.stalled)
    }

    /// An I/O has begun to wait for a flusher: its write-backs at limiters are no longer background. Write-backs of other
    /// disks keep their class.
    pub(super) fn promote(&mut self) {
        for id in 0..self.limiters.len() {
            let mut fragment = self.limiters[id].lines[Class::Background as usize].first;
            let mut lines = [self.limiters[id].lines[Class::Foreground as usize], EMPTY_LINE];
            let mut is_moved = false;
            while fragment != NOBODY {
                let next = self.fragments[fragment].next;
                if self.is_urgent(usize::from(self.fragments[fragment].disk)) {
                    self.fragments[fragment].class = Class::Foreground;
                    is_moved = true;
                }
                let class = self.fragments[fragment].class;
                append(&mut self.fragments, &mut lines[class as usize], fragment);
                fragment = next;
            }
            if is_moved {
                let limiter = &mut self.limiters[id];
                limiter.lines = lines;
                limiter.armed = NEVER;
                self.open(id as u16, self.now);
            }
        }
    }
}
