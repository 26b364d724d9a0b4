//! The parts of a stack, one at a time: those of its blueprint, and what is added while it runs.

use super::*;

impl Stack {
    /// A gate more. It begins now with what a gate has at the start.
    pub(super) fn add_gate(&mut self, spec: &GateSpec) {
        let mut gate = Gate::new(spec, &self.start, self.gate_draw(self.gates.len()));
        gate.begin_at(self.now);
        self.gates.push(gate);
        self.agenda.make(entries(self.pieces.tags(), self.gates.len()));
    }

    /// Rule for the start of a gate's slices.
    pub(super) fn gate_draw(&self, id: usize) -> u64 {
        Draws::new(self.start.seed, 1 << 32).bits(id as u64)
    }

    /// A cache more, before no disk yet.
    pub(super) fn add_cache(&mut self, spec: &CacheSpec) {
        self.caches.push(Cache::new(spec));
    }

    /// A disk more. Its cache has a seat for it, and no table yet in which it has a place.
    pub(super) fn add_disk(&mut self, spec: &DiskSpec) {
        let id = self.disks.len();
        let base = spec.cache.map_or(0, |of| self.caches[usize::from(of.cache.0)].seat(id, spec.size.get()));
        let mut disk = Disk::new(spec, id, base, self.start.seed);
        disk.set_host(self.host);
        self.disks.push(disk);
        for gate in spec.routes.all().into_iter().flatten() {
            self.gates[usize::from(gate.0)].seat(id as u16);
        }
    }

    /// A volume more, and room for the pieces of its I/Os.
    pub(super) fn add_volume(&mut self, spec: &VolumeSpec) {
        self.volumes.push(Volume::new(spec, &self.disks));
        self.pieces.make(more_pieces(self.pieces.tags(), spec.disks.len()));
    }
}

/// True if the pieces of so many I/Os, over the widest volume's disks, can be told apart.
pub(super) fn check_pieces(capacity: usize, widest: usize) -> Result<(), Invalid> {
    if capacity.saturating_mul(widest + 1) >= Agenda::MAX_PIECES {
        return Err(Invalid(format!(
            "{capacity} outstanding I/Os over {widest} disks are more than a stack holds"
        )));
    }
    Ok(())
}

/// For how many entries of the agenda there is room ahead of time.
pub(super) fn entries(capacity: usize, gates: usize) -> usize {
    2 * capacity + gates + 64
}

/// For how many pieces there is room ahead of time, beside one for each tag.
pub(super) fn more_pieces(capacity: usize, widest: usize) -> usize {
    capacity * (widest - 1).min(8)
}
