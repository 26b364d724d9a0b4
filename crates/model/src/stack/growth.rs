//! The parts of a stack, one at a time: those of its blueprint, and what is added while it runs.

use super::*;

impl Stack {
    /// A limiter more. It begins now with what a limiter has at the start.
    pub(super) fn add_limiter(&mut self, spec: &LimiterSpec) {
        let mut limiter = Limiter::new(spec, &self.start, self.limiter_draw(self.limiters.len()));
        limiter.begin_at(self.now);
        self.limiters.push(limiter);
        self.agenda.make(entries(self.fragments.tags(), self.limiters.len()));
    }

    /// Rule for the start of a limiter's slices.
    pub(super) fn limiter_draw(&self, id: usize) -> u64 {
        Draws::new(self.start.seed, 1 << 32).bits(id as u64)
    }

    /// A cache more, before no disk yet.
    pub(super) fn add_cache(&mut self, spec: &CacheSpec) {
        self.caches.push(Cache::new(spec));
    }

    /// A disk more. Its cache has a stream_key for it, and no table yet in which it has a place.
    pub(super) fn add_disk(&mut self, spec: &DiskSpec) {
        let id = self.disks.len();
        let base =
            spec.cache.map_or(0, |of| self.caches[usize::from(of.cache.0)].stream_key(id, spec.size.get()));
        let mut disk = Disk::new(spec, id, base, self.start.seed);
        disk.set_host(self.host);
        self.disks.push(disk);
        for limiter in spec.routes.all().into_iter().flatten() {
            self.limiters[usize::from(limiter.0)].stream_key(id as u16);
        }
    }

    /// A volume more, and room for the fragments of its I/Os.
    pub(super) fn add_volume(&mut self, spec: &VolumeSpec) {
        self.volumes.push(Volume::new(spec, &self.disks));
        self.fragments.make(more_fragments(self.fragments.tags(), spec.disks.len()));
    }
}

/// Disks of the widest volume.
pub(super) fn widest(blueprint: &Blueprint) -> usize {
    blueprint.volumes.iter().map(|volume| volume.disks.len()).max().unwrap_or(1)
}

/// The most outstanding I/Os whose fragments, over the widest volume's disks, can be told apart.
pub(super) fn most_outstanding(widest: usize) -> usize {
    (Agenda::MAX_FRAGMENTS - 1) / (widest + 1)
}

/// True if the fragments of so many I/Os, over the widest volume's disks, can be told apart.
pub(super) fn check_fragments(capacity: usize, widest: usize) -> Result<(), Invalid> {
    if capacity > most_outstanding(widest) {
        return Err(Invalid(format!(
            "{capacity} outstanding I/Os over {widest} disks are more than a stack holds"
        )));
    }
    Ok(())
}

/// For how many entries of the agenda there is room ahead of time.
pub(super) fn entries(capacity: usize, limiters: usize) -> usize {
    2 * capacity + limiters + 64
}

/// For how many fragments there is room ahead of time, beside one for each tag.
pub(super) fn more_fragments(capacity: usize, widest: usize) -> usize {
    capacity * (widest - 1).min(8)
}
