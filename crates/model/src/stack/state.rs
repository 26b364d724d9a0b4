//! Content of a stack's caches at the start, and its state as seen from outside.

use super::*;

impl Stack {
    /// Makes a range of a volume present in its disks' caches, in no time: a cache that is warm at the start. Of a stack that
    /// runs [`Change::Warm`] does, which comes after what is due before it.
    pub fn prefill(&mut self, volume: usize, offset: u64, len: u64) {
        let (disks, caches) = (&self.disks, &mut self.caches);
        let Volume { stripe, size, .. } = &self.volumes[volume];
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
            assert_eq!(cache.stream_keys, other.stream_keys, "the contents of a cache of other disks");
            cache.presence.hold_what(&other.presence);
        }
    }

    /// Makes all data of a cache's disks present at once: the state of a warm cache that is as large as they are.
    pub fn complete_cache(&mut self, id: crate::blueprint::CacheId) {
        self.caches[usize::from(id.0)].presence.complete();
    }

    /// Parts of the time of a completed I/O, until its tag is used again.
    pub fn spent(&self, tag: Tag) -> Spent {
        let fragment = &self.fragments[tag.0];
        let route = &fragment.route;
        let mut limiters = [(LimiterId(0), Span::ZERO); MAX_ROUTE];
        for (slot, (limiter, held)) in limiters.iter_mut().zip(route.limiters.iter().zip(fragment.held_ns)) {
            *slot = (LimiterId(*limiter), Span::from_ns(held));
        }
        Spent {
            limiters,
            limiter_count: usize::from(route.len),
            dirty: Span::from_ns(fragment.dirty_ns),
            media: Span::from_ns(fragment.media_ns),
        }
    }

    /// Counters of a limiter's I/Os that passed or were held back, as of the last poll.
    pub fn limiter(&mut self, id: LimiterId) -> LimiterState {
        self.limiters[usize::from(id.0)].state(Instant::from_ns(self.now))
    }

    /// Counters of a disk's media, as of the last poll.
    pub fn disk(&self, id: DiskId) -> DiskState {
        self.disks[usize::from(id.0)].state
    }

    /// Counters of a cache, as of the last poll.
    pub fn cache(&self, id: crate::blueprint::CacheId) -> CacheState {
        self.caches[usize::from(id.0)].state
    }
}
