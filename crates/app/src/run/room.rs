//! True if all ranks of one machine have room together: each of them is about to make files that large.

use std::path::Path;

use iobound_load::prepare::Plan;
use iobound_machine::Node;
use iobound_units::Bytes;

use super::targets::RunTargets;
use crate::Failure;

/// Checks that so many ranks, each with a plan like this one, have enough space. Others may have begun to write; the
/// space of their files counts as part of their plan.
///
/// # Errors
/// Returns an error if there is not enough space.
pub(crate) fn check_room(plan: &Plan, places: &RunTargets, ranks: u32) -> Result<(), Failure> {
    if ranks < 2 {
        return Ok(());
    }
    let siblings = || places.targets.iter().flat_map(|target| &target.files).flat_map(|file| &file.siblings);
    for room in plan.rooms() {
        let folder = room.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let Ok(folder) = Node::of(folder.unwrap_or(Path::new("."))) else { continue };
        let there = siblings().filter_map(|path| Node::of(path).ok());
        let taken: u64 =
            there.filter(|file| file.filesystem == folder.filesystem).map(|file| file.allocated_bytes).sum();
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
                Bytes(0) => failure.help("free some space, or name a folder on another file system"),
                part => failure.help(format!(
                    "free some space, or give a --size so that each rank writes at most {part}"
                )),
            });
        }
    }
    Ok(())
}
