//! True if all ranks of one machine have room together: each of them is about to make files that large.

use std::fs::Metadata;
use std::path::Path;

use iobound_load::prepare::Plan;
use iobound_units::Bytes;

use crate::run::Places;
use iobound_app::Failure;

/// Sees that so many ranks, each with a plan like this one, have room. Others may have begun to write: what their files
/// take already is of their part, whoever looks first.
///
/// # Errors
/// They have not.
pub(crate) fn check_room(plan: &Plan, places: &Places, ranks: u32) -> Result<(), Failure> {
    if ranks < 2 {
        return Ok(());
    }
    let siblings = || places.targets.iter().flat_map(|target| &target.files).flat_map(|file| &file.siblings);
    for room in plan.rooms() {
        let folder = room.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let Ok(folder) = std::fs::metadata(folder.unwrap_or(Path::new("."))) else { continue };
        let there = siblings().filter_map(|path| std::fs::metadata(path).ok());
        let taken: u64 = there.map(|file| taken_beside(&file, &folder)).sum();
        let needed = room.needed.get().saturating_mul(u64::from(ranks));
        let most = room.free.get().saturating_sub(room.kept.get()).saturating_add(taken);
        if needed > most {
            let part = Bytes(most / u64::from(ranks) / 4096 * 4096);
            let failure = Failure::input(format!(
                "{}: {ranks} ranks of this machine would write {} each next to it; {} are free for all, and {} must stay free",
                room.path.display(),
                room.needed,
                room.free,
                room.kept
            ));
            return Err(match part {
                Bytes(0) => failure.mend("free some space, or name a folder on another file system"),
                part => failure.mend(format!(
                    "free some space, or give a --size so that each rank writes at most {part}"
                )),
            });
        }
    }
    Ok(())
}

/// Bytes that a file takes of a folder's file system.
#[cfg(unix)]
fn taken_beside(file: &Metadata, folder: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    // `st_blocks` is in units of 512 bytes, whatever the file system's blocks are.
    if file.dev() == folder.dev() { file.blocks() * 512 } else { 0 }
}

/// Nothing is known of it.
#[cfg(not(unix))]
fn taken_beside(_: &Metadata, _: &Metadata) -> u64 {
    0
}
