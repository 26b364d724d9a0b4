//! The file system that a path is in: its type, and the room in it.

use std::io;
use std::path::Path;

pub use crate::sys::device::Free;
use crate::{Mounts, Node, World, sys};

impl Free {
    /// The room on the file system of a path.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn at(path: &Path) -> io::Result<Free> {
        sys::room(path)
    }
}

/// The room in a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes that this user may still write: less than the free space if some is reserved for root.
    pub available_bytes: u64,
    /// Its size, in bytes.
    pub total_bytes: u64,
    /// True if it is mounted read-only.
    pub read_only: bool,
    /// Its type, `ext4`; `None` where no mount of this process holds the path.
    pub filesystem: Option<String>,
}

/// Asks the file system of an existing path.
///
/// # Errors
///
/// Returns the error of `statvfs` or `stat`.
pub fn space(world: &World, path: &Path) -> io::Result<Space> {
    let room = sys::room(path)?;
    let (node, path) = (Node::of(path)?, std::fs::canonicalize(path)?);
    Ok(Space {
        available_bytes: room.available_bytes,
        total_bytes: room.total_bytes,
        read_only: room.read_only,
        filesystem: Mounts::of(world).holding(&path, &node).map(|mount| mount.filesystem.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_folder_is_in_a_file_system_with_a_type_and_some_room() {
        let folder = tempfile::tempdir().unwrap();
        let space = space(&World::real(), folder.path()).unwrap();
        assert!(space.total_bytes >= space.available_bytes);
        assert!(!space.read_only);
        assert!(space.filesystem.is_some_and(|filesystem| !filesystem.is_empty()));
    }

    #[test]
    fn the_kernels_own_file_system_has_its_name() {
        let space = space(&World::real(), Path::new("/proc/self")).unwrap();
        assert_eq!(space.filesystem.as_deref(), Some("proc"));
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        assert_eq!(
            space(&World::real(), Path::new("/nowhere/at/all")).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
