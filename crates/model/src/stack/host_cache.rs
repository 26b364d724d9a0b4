//! A host cache in time: its content, and the I/Os that wait for its dirty data.

use crate::blueprint::CacheSpec;
use crate::cache::Presence;
use crate::limiter::Line;
use crate::stack::disk::MediaTime;
use crate::stack::{CacheState, EMPTY_LINE};

#[derive(Debug)]
pub(super) struct Cache {
    pub(super) capacity: u64,
    pub(super) line_bytes: u64,
    /// The disks with a place in the cache's address space: which, and where it begins.
    pub(super) stream_keys: Vec<(usize, u64)>,
    /// The end of that space.
    pub(super) seated: u64,
    pub(super) presence: Presence,
    pub(super) hit: MediaTime,
    pub(super) ack: MediaTime,
    pub(super) dirty_high: u64,
    pub(super) dirty_low: u64,
    pub(super) stalled: bool,
    /// Writes that wait for the low watermark.
    pub(super) line: Line,
    pub(super) state: CacheState,
}

impl Cache {
    pub(super) fn new(spec: &CacheSpec) -> Cache {
        Cache {
            capacity: spec.capacity.get(),
            line_bytes: spec.line.get(),
            stream_keys: Vec::new(),
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

    pub(super) fn has_stream_key(&self, disk: usize) -> bool {
        self.stream_keys.iter().any(|(seated, _)| *seated == disk)
    }

    /// Key of the disk's stream at the start of its lines.
    pub(super) fn stream_key(&mut self, disk: usize, size: u64) -> u64 {
        if let Some((_, base)) = self.stream_keys.iter().find(|(seated, _)| *seated == disk) {
            return *base;
        }
        let base = self.seated;
        self.seated += size.div_ceil(self.line_bytes) * self.line_bytes;
        self.stream_keys.push((disk, base));
        base
    }

    /// Makes the table for the disks that have a stream_key: it is cold.
    pub(super) fn lay_out(&mut self) {
        self.presence = Presence::new(self.capacity, self.seated, self.line_bytes);
    }

    /// Makes the table anew for the disks that have a stream_key now; what is present stays, as far as there is room.
    pub(super) fn lay_out_again(&mut self) {
        self.presence = self.presence.laid_out(self.capacity, self.seated);
    }

    /// Other figures. With another line all stream_keys are other ones, for disks of those sizes, and the cache is cold.
    pub(super) fn set(&mut self, spec: &CacheSpec, size_of: impl Fn(usize) -> u64) {
        let (is_larger_or_smaller, has_other_lines) =
            (self.capacity != spec.capacity.get(), self.line_bytes != spec.line.get());
        self.capacity = spec.capacity.get();
        self.line_bytes = spec.line.get();
        self.hit = MediaTime::new(spec.hit);
        self.ack = MediaTime::new(spec.ack);
        self.dirty_high = spec.dirty_high.get();
        self.dirty_low = spec.dirty_low.get();
        if has_other_lines {
            self.seated = 0;
            for (disk, _) in std::mem::take(&mut self.stream_keys) {
                self.stream_key(disk, size_of(disk));
            }
            self.lay_out();
        } else if is_larger_or_smaller {
            self.lay_out_again();
        }
    }
}
