//! Scene of the runs of one prediction: how small the working sets and the caches are, and what the caches
//! hold. Made once and used by every run, since filling a cache takes as long as a run does.

use iobound_model::{Blueprint, Stack, Start, StartCredits};
use iobound_units::Bytes;
use iobound_workload::{Access, Queue, Region, Target, Workload};

use crate::error::PredictError;
use crate::warm;

/// Content of the caches of a run when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Nothing.
    Cold,
    /// Their content after a long time of the workload.
    Warm,
    /// Their content after the first so many I/Os of the workload.
    After(u64),
}

/// The sizes and the cache contents that runs have in common.
#[derive(Debug)]
pub(crate) struct Scene {
    regions: Vec<(Region, Access)>,
    /// Capacity and line of each cache.
    caches: Vec<(Bytes, Bytes)>,
    disks: Vec<Bytes>,
    volumes: Vec<Bytes>,
    /// A stack of these sizes that does nothing but hold; `None`: nothing is held.
    filled: Option<Stack>,
}

impl Scene {
    /// The scene of a workload on a blueprint. A `short` run does not fill a cache that begins empty.
    pub(crate) fn new(
        blueprint: &Blueprint,
        workload: &Workload,
        targets: &[Target],
        contents: Contents,
        short: bool,
    ) -> Result<Scene, PredictError> {
        let mut blueprint = blueprint.clone();
        let mut workload = workload.clone();
        let mut queues = workload.queues(targets)?;
        warm::set_lines(&mut blueprint, &workload, &queues, contents, short);
        if contents == Contents::Warm
            && let Some(by) = warm::scale(&blueprint, &queues)
        {
            let small = warm::scaled_workload(&workload, &queues, by);
            let small_queues = small.queues(targets)?;
            for id in 0..blueprint.caches.len() {
                let (whole, part) = ((&workload, queues.as_slice()), (&small, small_queues.as_slice()));
                blueprint.caches[id].capacity = warm::equivalent_capacity(&blueprint, id, whole, part);
            }
            (workload, queues) = (small, small_queues);
        }
        trim_to_working_set(&mut blueprint, &queues);
        let filled = if blueprint.caches.is_empty() || contents == Contents::Cold {
            None
        } else {
            let start = Start { seed: workload.seed, credits: StartCredits::Spent };
            let mut stack = Stack::new(&blueprint, &start, 1).map_err(PredictError::Blueprint)?;
            match contents {
                Contents::Cold => {}
                Contents::Warm => warm::fill_warm(&mut stack, &blueprint, &workload, &queues),
                Contents::After(ios) => {
                    warm::fill_by_first_run(&mut stack, &workload, &queues, ios, &mut || true);
                }
            }
            Some(stack)
        };
        Ok(Scene {
            regions: workload.jobs.iter().map(|job| (job.region, job.access.clone())).collect(),
            caches: blueprint.caches.iter().map(|cache| (cache.capacity, cache.line)).collect(),
            disks: blueprint.disks.iter().map(|disk| disk.size).collect(),
            volumes: blueprint.volumes.iter().map(|volume| volume.size).collect(),
            filled,
        })
    }

    /// Gives a run's workload and blueprint the sizes of the scene.
    pub(crate) fn set(&self, workload: &mut Workload, blueprint: &mut Blueprint) {
        for (job, (region, access)) in workload.jobs.iter_mut().zip(&self.regions) {
            (job.region, job.access) = (*region, access.clone());
        }
        for (cache, (capacity, line)) in blueprint.caches.iter_mut().zip(&self.caches) {
            (cache.capacity, cache.line) = (*capacity, *line);
        }
        for (disk, size) in blueprint.disks.iter_mut().zip(&self.disks) {
            disk.size = *size;
        }
        for (volume, size) in blueprint.volumes.iter_mut().zip(&self.volumes) {
            volume.size = *size;
        }
    }

    /// Gives a stack of these sizes what the scene's caches hold.
    pub(crate) fn fill(&self, stack: &mut Stack) {
        if let Some(filled) = &self.filled {
            stack.hold_what(filled);
        }
    }
}

/// Disks no larger than what is used of them, so that the caches' tables are no larger either. Not where fewer
/// columns than disks make a disk's size part of the layout.
fn trim_to_working_set(blueprint: &mut Blueprint, queues: &[Queue]) {
    if blueprint.caches.is_empty() {
        return;
    }
    for (index, volume) in blueprint.volumes.iter_mut().enumerate() {
        if usize::from(volume.columns) != volume.disks.len() {
            continue;
        }
        let extents = queues.iter().flat_map(|queue| &queue.extents);
        let ends = extents.filter(|e| usize::from(e.target.0) == index).map(|e| e.start + e.len);
        let used = ends.max().unwrap_or(0) + volume.partition_offset.get();
        let row = volume.interleave.get() * u64::from(volume.columns);
        let each = used.div_ceil(row) * volume.interleave.get();
        for disk in &volume.disks {
            let disk = &mut blueprint.disks[usize::from(disk.0)];
            let least = if volume.disks.len() == 1 { used } else { each };
            disk.size = Bytes(disk.size.get().min(least.max(1 << 20)));
        }
        // The volume ends where its disks do now.
        let disks = volume.disks.iter().map(|id| blueprint.disks[usize::from(id.0)].size.get());
        let room = disks.sum::<u64>() - volume.partition_offset.get();
        volume.size = Bytes(volume.size.get().min(room));
    }
}
