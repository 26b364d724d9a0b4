//! The consents of several groups of targets: each group has those of its own.

use std::path::{Path, PathBuf};

use super::targets::RunTargets;

/// The consents of each group: those of its targets, or of files in its folders. One that fits no group is a mistake, which
/// the first group's survey says.
pub(crate) fn consents(groups: &[&RunTargets], overwrite: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let mut consents = vec![Vec::new(); groups.len()];
    for path in overwrite {
        let of =
            |named: &Path| -> Vec<usize> { (0..groups.len()).filter(|at| has(groups[*at], named)).collect() };
        let mut fitting = of(path);
        if fitting.is_empty() {
            fitting = path.parent().map_or(Vec::new(), of);
        }
        if fitting.is_empty() {
            fitting.extend((!groups.is_empty()).then_some(0));
        }
        for at in fitting {
            consents[at].push(path.clone());
        }
    }
    consents
}

/// True if a path is one of the targets, by whatever name.
fn has(targets: &RunTargets, path: &Path) -> bool {
    let is_same = |one: &Path| {
        one == path || one.canonicalize().is_ok_and(|one| path.canonicalize().is_ok_and(|path| one == path))
    };
    targets.targets.iter().flat_map(|target| &target.files).any(|file| is_same(&file.path))
}
