//! Mount options that cost data or speed.
//!
//! Documentation: ext4(5), xfs(5), mount(8): `barrier=0` and `nobarrier` leave flushes out, `sync` makes every write wait,
//! `data=journal` writes everything twice.
//! Remedy: the defaults.

use super::Look;
use crate::finding::{Confidence, Finding};

/// An option, what comes of it, and how far that matters.
const OPTIONS: [(&str, &str, f64); 5] = [
    ("nobarrier", "leaves flushes out: what was acknowledged can be lost, and the file system with it", 1.7),
    ("barrier=0", "leaves flushes out: what was acknowledged can be lost, and the file system with it", 1.7),
    ("sync", "makes every write wait for the disk", 1.6),
    ("dirsync", "makes every change of a folder wait for the disk", 1.1),
    ("data=journal", "writes all data twice", 1.5),
];

pub(super) fn judge(look: &Look<'_>) -> Option<Finding> {
    let mounts =
        look.setup.volumes.iter().flat_map(|volume| volume.mounts.iter().map(move |mount| (volume, mount)));
    let found = mounts.flat_map(|(volume, mount)| {
        let has = move |(option, ..): &&(&str, &str, f64)| mount.options.iter().any(|own| own == option);
        OPTIONS.iter().filter(has).map(move |option| (volume, mount, option))
    });
    let (volume, mount, (option, effect, weight)) =
        found.max_by(|(.., one), (.., other)| one.2.total_cmp(&other.2))?;
    let claim = format!("{} on {} is mounted with {option}, which {effect}", mount.point, volume.name);
    Some(
        Finding::new("file-system", Confidence::Likely, *weight, claim)
            .because(format!("{}, /proc/self/mountinfo", mount.filesystem))
            .advise(format!("mount it without {option}")),
    )
}
