//! Files that are removed when a run is over: where the words of another tool ask for it (fio's `unlink=1`).

use std::path::PathBuf;

use iobound_load::prepare::{Handle, Plan, Prepared, What};
use iobound_workload::shell_path;

use super::how::RunOptions;
use super::targets::RunTargets;
use crate::Failure;

/// Files to remove, as requested.
pub(super) fn unlinked(places: &RunTargets, prepared: &[Prepared]) -> Vec<(PathBuf, Handle)> {
    let asked = places.targets.iter().flat_map(|target| &target.files);
    let mut files: Vec<(PathBuf, Handle)> = Vec::new();
    for (_, file) in asked.zip(prepared).filter(|(asked, _)| asked.unlink) {
        if !files.iter().any(|(path, _)| *path == file.path) {
            files.push((file.path.clone(), file.handle.clone()));
        }
    }
    files
}

/// Checks that files to remove were made by iobound, or may be lost.
///
/// # Errors
/// Returns an error if iobound did not create the file and no consent covers it.
pub(super) fn may_unlink(places: &RunTargets, plan: &Plan, how: &RunOptions) -> Result<(), Failure> {
    let asked = places.targets.iter().flat_map(|target| &target.files);
    for (file, step) in
        asked.zip(plan.steps()).filter(|(file, step)| file.unlink && step.what == What::Foreign)
    {
        if !how.overwrite.contains(&file.path) {
            let path = step.path.display();
            return Err(Failure::refused(format!(
                "{path} exists, was not made by iobound, and unlink=1 would remove it"
            ))
            .help(format!(
                "add --overwrite {} if it may be lost, or leave out unlink=1",
                shell_path(&step.path)
            )));
        }
    }
    Ok(())
}

/// Removes files and their marks, unless another file has the name by now.
pub(super) fn remove(files: &[(PathBuf, Handle)]) -> Result<(), Failure> {
    for (path, handle) in files {
        let failed =
            |why: &dyn std::fmt::Display| Failure::io(format!("{} cannot be removed: {why}", path.display()));
        if !handle.remove().map_err(|error| failed(&error))? {
            return Err(failed(&"another file has replaced it"));
        }
    }
    Ok(())
}
