//! Targets of the null engine, which touches none.

use iobound_load::run::{MemoryNeeded, check_depth};
use iobound_units::{Bytes, TargetId};
use iobound_workload::{Target, Workload};

use super::engine::engine_for;
use super::how::RunOptions;
use super::ready::{Marks, Ready, filling_of, wanted};
use super::targets::RunTargets;
use super::uses::will_use;
use crate::Failure;

/// Checks what stages need of an engine and of memory, as far as their jobs say how large the targets are.
pub(crate) fn check_needs(
    places: &RunTargets,
    workloads: &[Workload],
    how: &RunOptions,
) -> Result<(), Failure> {
    let choice = engine_for(workloads, how)?;
    will_use(workloads, how);
    // A target without a size has that of its file, which is not looked at here.
    let Ok(ready) = Ready::of_nothing(places, workloads, how) else { return Ok(()) };
    for workload in workloads {
        check_depth(workload, &ready.names, choice.kind).map_err(Failure::input)?;
        MemoryNeeded::of(workload, &ready.names, how.apart.is_some()).map_err(Failure::input)?;
    }
    Ok(())
}

impl Ready {
    /// Targets of the null engine: as large as their jobs say, and not on any disk.
    pub(super) fn of_nothing(
        places: &RunTargets,
        workloads: &[Workload],
        how: &RunOptions,
    ) -> Result<Ready, Failure> {
        let filling = filling_of(workloads, how)?;
        let mut names = Vec::with_capacity(places.targets.len());
        for (id, target) in (0..).zip(&places.targets) {
            let sizes: Option<u64> =
                target.files.iter().map(|file| wanted(target, file, workloads).size.map(Bytes::get)).sum();
            let Some(size) = sizes.filter(|size| *size > 0) else {
                return Err(Failure::input(format!(
                    "the null engine cannot determine the size of {}",
                    target.name
                ))
                .help("give a size: size=10g"));
            };
            let size = Bytes(size);
            names.push(Target { name: target.name.clone(), id: TargetId(id), size, members_of: None });
        }
        Ok(Ready {
            files: vec![Vec::new(); names.len()],
            names,
            prepared: Vec::new(),
            in_memory: None,
            never_written: None,
            emulated: false,
            filling,
            made: Vec::new(),
            unlinked: Vec::new(),
            marks: Marks::default(),
            env: how.env.clone(),
        })
    }
}
