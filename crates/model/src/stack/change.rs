//! Changes that a running stack takes, and those that it refuses.

use iobound_units::{Bytes, Ppm, TargetId};

use super::*;
use crate::blueprint::CacheId;
use crate::check::{Parts, check_cache, check_count, check_disk, check_limiter, check_lines, check_volume};

/// The longest stall.
const MOST_STALLED: Span = Span::from_secs(3_600);

fn refuse(why: String) -> Result<(), Invalid> {
    Err(Invalid(why))
}

/// True if what is named is there.
fn there(what: &str, id: u16, count: usize) -> Result<(), Invalid> {
    if usize::from(id) < count {
        return Ok(());
    }
    refuse(format!("no {what} {id}: there are {count}, counted from 0"))
}

impl Stack {
    /// Changes the stack at `now`, after what is due up to then.
    ///
    /// # Errors
    /// Returns an error if the change names an unknown part, or no stack can be built from its figures. Nothing is
    /// changed then.
    pub fn change(&mut self, now: Instant, change: Change) -> Result<(), Invalid> {
        self.check(&change)?;
        self.catch_up(now.ns());
        match change {
            Change::Limiter(id, spec) => {
                let draw = self.limiter_draw(usize::from(id.0));
                self.limiters[usize::from(id.0)].set_spec(&spec, &self.start, now.ns(), draw);
                self.rearm(id);
            }
            Change::Credits(id, dimension, credits) => {
                self.limiters[usize::from(id.0)].set_credits(now.ns(), dimension, credits);
                self.rearm(id);
            }
            Change::Disk(id, spec) => self.change_disk(usize::from(id.0), &spec),
            Change::Cache(id, spec) => self.change_cache(usize::from(id.0), &spec),
            Change::DropCache(id) => self.caches[usize::from(id.0)].presence.clear(),
            Change::Warm(volume, offset, len) => self.prefill(usize::from(volume.0), offset, len),
            Change::Fault(id, fault) => self.disks[usize::from(id.0)].set_fault(fault),
            Change::Stalls(id, stalls) => {
                let draw = self.limiter_draw(usize::from(id.0));
                self.limiters[usize::from(id.0)].set_stalls(stalls, draw);
            }
            Change::Host(host) => {
                self.host = host;
                self.disks.iter_mut().for_each(|disk| disk.set_host(host));
            }
            Change::AddLimiter(spec) => self.add_limiter(&spec),
            Change::AddCache(spec) => {
                self.add_cache(&spec);
                self.caches.last_mut().expect("just added").lay_out();
            }
            Change::AddDisk(spec) => {
                self.add_disk(&spec);
                if let Some(of) = spec.cache {
                    self.caches[usize::from(of.cache.0)].lay_out_again();
                }
            }
            Change::AddVolume(spec) => self.add_volume(&spec),
        }
        Ok(())
    }

    fn check_stalls(&self, id: LimiterId, stalls: Option<Stalls>) -> Result<(), Invalid> {
        there("limiter", id.0, self.limiters.len())?;
        let Some(Stalls { share, length }) = stalls else { return Ok(()) };
        if !self.limiters[usize::from(id.0)].is_sliced() {
            return refuse(format!("limiter {}: a bucket has no slices that could stall", id.0));
        }
        if share == Ppm(0) || share > Ppm::ONE || length.is_zero() || length > MOST_STALLED {
            return refuse(format!(
                "stalls of {length} for {} ppm of the time: above 0, to 1,000,000 and an hour",
                share.0
            ));
        }
        Ok(())
    }

    fn check(&self, change: &Change) -> Result<(), Invalid> {
        match change {
            Change::Limiter(id, spec) => {
                there("limiter", id.0, self.limiters.len())?;
                check_limiter(spec)
            }
            Change::Credits(id, dimension, credits) => {
                there("limiter", id.0, self.limiters.len())?;
                let of = dimension.name();
                match self.limiters[usize::from(id.0)].credit_capacity(*dimension) {
                    None => refuse(format!("limiter {}: it has no credits of {of}", id.0)),
                    Some(most) if *credits > most => refuse(format!(
                        "limiter {}: {credits} credits of {of}: it holds {most} at most",
                        id.0
                    )),
                    Some(_) => Ok(()),
                }
            }
            Change::Disk(id, spec) => {
                there("disk", id.0, self.disks.len())?;
                self.check_disk(usize::from(id.0), spec)
            }
            Change::Cache(id, spec) => self.check_cache(*id, spec),
            Change::DropCache(id) => there("cache", id.0, self.caches.len()),
            Change::Warm(volume, offset, len) => self.check_range(*volume, *offset, *len),
            Change::Fault(id, fault) => self.check_fault(*id, fault),
            Change::Stalls(id, stalls) => self.check_stalls(*id, *stalls),
            Change::Host(_) => Ok(()),
            Change::AddLimiter(spec) => {
                check_count("limiter", self.limiters.len() + 1)?;
                check_limiter(spec)
            }
            Change::AddCache(spec) => {
                check_count("cache", self.caches.len() + 1)?;
                check_cache(self.caches.len(), spec, 0)
            }
            Change::AddDisk(spec) => {
                check_count("disk", self.disks.len() + 1)?;
                check_disk(spec, self.parts())?;
                spec.cache
                    .map_or(Ok(()), |of| self.check_stream_key(of.cache, self.disks.len(), spec.size.get()))
            }
            Change::AddVolume(spec) => {
                check_count("volume", self.volumes.len() + 1)?;
                check_volume(spec, |id| self.disks.get(usize::from(id.0)).map(|disk| Bytes(disk.size)))?;
                check_fragments(self.fragments.tags(), spec.disks.len())
            }
        }
    }

    fn parts(&self) -> Parts {
        Parts { limiters: self.limiters.len(), caches: self.caches.len() }
    }

    fn check_fault(&self, id: DiskId, fault: &Fault) -> Result<(), Invalid> {
        there("disk", id.0, self.disks.len())?;
        if fault.errors > Ppm::ONE {
            let ppm = fault.errors.0;
            return refuse(format!("disk {}: {ppm} ppm of its I/Os fail: all are 1000000", id.0));
        }
        if fault.stalled_until > fault.until {
            let over = fault.stalled_until.since(fault.until);
            return refuse(format!(
                "disk {}: its stall is {over} longer than its fault: a stall must end with its fault or before",
                id.0
            ));
        }
        Ok(())
    }

    fn check_range(&self, volume: TargetId, offset: u64, len: u64) -> Result<(), Invalid> {
        there("volume", volume.0, self.volumes.len())?;
        let size = self.volumes[usize::from(volume.0)].size;
        if offset.checked_add(len).is_none_or(|end| end > size) {
            return refuse(format!(
                "volume {}: {} from an offset of {} on are more than it holds: {}",
                volume.0,
                Bytes(len),
                Bytes(offset),
                Bytes(size)
            ));
        }
        Ok(())
    }

    fn check_cache(&self, id: CacheId, spec: &CacheSpec) -> Result<(), Invalid> {
        there("cache", id.0, self.caches.len())?;
        let n = usize::from(id.0);
        let seated = self.caches[n].stream_keys.iter().map(|(disk, _)| self.disks[*disk].size);
        check_cache(n, spec, seated.fold(0, u64::saturating_add))
    }

    /// True if the table of a cache may have its size with that disk.
    fn check_stream_key(&self, id: CacheId, disk: usize, size: u64) -> Result<(), Invalid> {
        let cache = &self.caches[usize::from(id.0)];
        if cache.has_stream_key(disk) {
            return Ok(());
        }
        let used = cache.seated.saturating_add(size);
        check_lines(usize::from(id.0), Bytes(cache.capacity), used, Bytes(cache.line_bytes))
    }

    fn check_disk(&self, id: usize, spec: &DiskSpec) -> Result<(), Invalid> {
        check_disk(spec, self.parts())?;
        let disk = &self.disks[id];
        for (what, to, is) in
            [("size", spec.size, disk.size), ("largest transfer", spec.max_transfer, disk.max_transfer)]
        {
            if to.get() != is {
                let is = Bytes(is);
                return refuse(format!("disk {}: its {what} stays {is}: it cannot become {to}", spec.name));
            }
        }
        spec.cache.map_or(Ok(()), |of| self.check_stream_key(of.cache, id, disk.size))
    }

    fn change_cache(&mut self, id: usize, spec: &CacheSpec) {
        let disks = &mut self.disks;
        self.caches[id].set(spec, |disk| disks[disk].size);
        for (disk, base) in &self.caches[id].stream_keys {
            if disks[*disk].cache.is_some_and(|(cache, _)| cache == id) {
                disks[*disk].cache_base = *base;
            }
        }
        self.release_stalled(id, self.now);
    }

    /// A disk's new setting applies to I/Os that arrive from now on. Dirty data stays dirty, and goes to the media by
    /// the routes of the last ReadWrite setting.
    pub(super) fn change_disk(&mut self, id: usize, spec: &DiskSpec) {
        let before = self.disks[id].cache;
        self.disks[id].set(spec);
        let after = self.disks[id].cache;
        self.volumes.iter_mut().for_each(|volume| volume.look_at(&self.disks));
        if before.map(|(cache, _)| cache) != after.map(|(cache, _)| cache) {
            if let Some((cache, _)) = before {
                let disk = &self.disks[id];
                self.caches[cache].presence.remove(disk.cache_base, disk.size);
            }
            if let Some((cache, _)) = after {
                let cache = &mut self.caches[cache];
                let seated = cache.seated;
                self.disks[id].cache_base = cache.stream_key(id, self.disks[id].size);
                if cache.seated > seated {
                    cache.lay_out_again();
                }
            }
        }
        if let Some((cache, CacheMode::ReadWrite)) = after {
            let disk = &mut self.disks[id];
            let counted_before = std::mem::replace(&mut disk.dirty_in, cache);
            disk.back = disk.routes[Kind::WriteBack as usize];
            let unclean = disk.dirty.unclean_bytes();
            self.caches[cache].state.dirty_bytes += unclean;
            self.caches[counted_before].state.dirty_bytes -= unclean;
            self.release_stalled(counted_before, self.now);
        }
    }

    pub(super) fn rearm(&mut self, id: LimiterId) {
        self.limiters[usize::from(id.0)].armed = NEVER;
        self.open(id.0, self.now);
    }
}
