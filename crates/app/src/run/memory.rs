//! Jobs that ask for so many times the machine's memory, sized on the machine that runs them.

use iobound_machine::World;
use iobound_machine::memory::memory;
use iobound_units::{Bytes, Span};
use iobound_workload::Workload;

use super::targets::RunTargets;
use crate::Failure;

/// Time that a pass may take whose end is its work: a year, so that sums with it stay small.
pub(super) const UNTIL_DONE: Span = Span::from_secs(365 * 24 * 3_600);

/// Lets such jobs end when their work is done.
pub(super) fn until_done(workloads: &mut [Workload]) {
    for workload in workloads {
        if workload.jobs.iter().all(|job| job.times_memory.is_some()) {
            workload.duration = UNTIL_DONE;
        }
    }
}

/// Sizes such jobs by this machine's memory, shared by its targets and by the ranks that are on it.
///
/// # Errors
/// Returns an error if the memory size is unknown.
pub(crate) fn settle(
    world: &World,
    workloads: &mut [Workload],
    places: &RunTargets,
    here: u32,
) -> Result<(), Failure> {
    let mut jobs = workloads.iter().flat_map(|workload| &workload.jobs);
    let is_asked = jobs.any(|job| job.times_memory.is_some() && job.region.size.is_none());
    let memory = match memory(world).total_bytes {
        Some(bytes) => Bytes(bytes),
        None if is_asked => {
            return Err(Failure::input(
                "the size of files depends on this machine's memory, which is unknown",
            )
            .help("give the size of each: --size 64GiB"));
        }
        None => Bytes::ZERO,
    };
    let targets = places.targets.len() as u64 * u64::from(here.max(1));
    workloads.iter_mut().for_each(|workload| workload.settle_memory(memory, targets));
    Ok(())
}
