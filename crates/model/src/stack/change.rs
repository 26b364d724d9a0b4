//! What may be changed while a stack runs, and what is refused.

use iobound_units::{Bytes, Ppm};

use super::*;
use crate::check::{Parts, check_disk, check_gate, check_lines};

fn refuse(why: String) -> Result<(), Invalid> {
    Err(Invalid(why))
}

/// Whether what is named is there.
fn there(what: &str, id: u16, count: usize) -> Result<(), Invalid> {
    if usize::from(id) < count {
        return Ok(());
    }
    refuse(format!("there is no {what} {id}: there are {count}, counted from 0"))
}

impl Stack {
    /// Changes the stack at `now`, after what is due up to then.
    ///
    /// # Errors
    /// A change that names what is not there, or whose figures no stack could be built from: then nothing is changed.
    pub fn change(&mut self, now: Instant, change: Change) -> Result<(), Invalid> {
        self.check(&change)?;
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
        Ok(())
    }

    fn check(&self, change: &Change) -> Result<(), Invalid> {
        match change {
            Change::Gate(id, spec) => {
                there("gate", id.0, self.gates.len())?;
                check_gate(spec)
            }
            Change::Credits(id, dimension, credits) => {
                there("gate", id.0, self.gates.len())?;
                let of = dimension.name();
                match self.gates[usize::from(id.0)].credit_capacity(*dimension) {
                    None => refuse(format!("gate {}: it has no credits of {of}", id.0)),
                    Some(most) if *credits > most => {
                        refuse(format!("gate {}: {credits} credits of {of}: it holds {most} at most", id.0))
                    }
                    Some(_) => Ok(()),
                }
            }
            Change::Disk(id, spec) => {
                there("disk", id.0, self.disks.len())?;
                self.check_disk(usize::from(id.0), spec)
            }
            Change::DropCache(id) => there("cache", id.0, self.caches.len()),
            Change::Fault(id, fault) => {
                there("disk", id.0, self.disks.len())?;
                if fault.errors > Ppm::ONE {
                    let ppm = fault.errors.0;
                    return refuse(format!("disk {}: {ppm} ppm of its I/Os fail: all are 1000000", id.0));
                }
                Ok(())
            }
        }
    }

    fn check_disk(&self, id: usize, spec: &DiskSpec) -> Result<(), Invalid> {
        check_disk(spec, Parts { gates: self.gates.len(), caches: self.caches.len() })?;
        let disk = &self.disks[id];
        for (what, to, is) in
            [("size", spec.size, disk.size), ("largest transfer", spec.max_transfer, disk.max_transfer)]
        {
            if to.get() != is {
                let is = Bytes(is);
                return refuse(format!("disk {}: its {what} stays {is}: it can't become {to}", spec.name));
            }
        }
        match spec.cache.map(|of| usize::from(of.cache.0)) {
            Some(n) if !self.caches[n].has_seat(id) => {
                let cache = &self.caches[n];
                let used = cache.seated.saturating_add(disk.size);
                check_lines(n, Bytes(cache.capacity), used, Bytes(cache.line_bytes))
            }
            _ => Ok(()),
        }
    }

    /// A disk's new setting is for who comes from now on. What is dirty stays dirty, and goes to the media by the
    /// routes of the last ReadWrite setting there was.
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
                self.disks[id].cache_base = cache.seat(id, self.disks[id].size);
                if cache.seated > seated {
                    cache.lay_out();
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

    pub(super) fn rearm(&mut self, id: GateId) {
        self.gates[usize::from(id.0)].armed = NEVER;
        self.open(id.0, self.now);
    }
}
