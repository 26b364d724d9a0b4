//! The host is lost, and with it all that was only in its memory.

use super::*;
use crate::cache::Dirty;

impl Stack {
    /// The VM's host fails at `now`, after what is due up to then, and the VM begins again on another one: what is
    /// outstanding never completes, so its tags are free; the host caches are cold, and what they had acknowledged and not
    /// written to the media is gone. What happened before is still told by the next poll.
    ///
    /// A bad host is left behind. The disks are elsewhere: their faults stay, and so do the quotas and credits of all limiters, which are kept for the VM
    /// and not for its host.
    pub fn crash(&mut self, now: Instant) {
        self.catch_up(now.ns());
        self.agenda.clear();
        self.fragments.clear();
        for limiter in &mut self.limiters {
            limiter.lines = [EMPTY_LINE; 2];
            limiter.armed = NEVER;
            limiter.waiting = 0;
        }
        for cache in &mut self.caches {
            cache.presence.clear();
            cache.line = EMPTY_LINE;
            cache.stalled = false;
            cache.state.dirty_bytes = 0;
        }
        self.host = BadHost::NONE;
        for disk in &mut self.disks {
            disk.set_host(self.host);
            disk.dirty = Dirty::default();
            disk.barriers.clear();
            disk.writing_back = 0;
        }
    }
}
