//! That a file was made here to be a disk's, and may be written to.
//!
//! Not the mark of the load generator's files: those may be written over by any run, and a disk has somebody's data.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::fs::XattrFlags;

/// The extended attribute that such a file carries, also when it is moved or copied with its attributes.
const ATTRIBUTE: &str = "user.iobound.disk";

const TEXT: &str = "iobound disk, version 1";

/// Where the mark is of a file whose file system has no such attributes: `NAME.iobound`, beside it.
fn sidecar(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".iobound");
    path.with_file_name(name)
}

/// What is beside the file: it names the file by its number, because another one may have been put in its place.
fn beside(file: &File) -> io::Result<String> {
    Ok(format!("{TEXT}, of file {}\n", rustix::fs::fstat(file)?.st_ino))
}

/// Whether an open file carries the mark.
pub(super) fn is_marked(file: &File, path: &Path) -> bool {
    let mut found = [0; 64];
    if let Ok(length) = rustix::fs::fgetxattr(file, ATTRIBUTE, &mut found[..]) {
        return found.get(..length) == Some(TEXT.as_bytes());
    }
    let mut text = String::new();
    let read = File::open(sidecar(path)).and_then(|beside| beside.take(256).read_to_string(&mut text));
    read.is_ok() && beside(file).is_ok_and(|wanted| wanted == text)
}

/// Marks an open file: by the attribute, else beside it.
pub(super) fn mark(file: &File, path: &Path) -> io::Result<()> {
    if rustix::fs::fsetxattr(file, ATTRIBUTE, TEXT.as_bytes(), XattrFlags::empty()).is_ok() {
        return Ok(());
    }
    std::fs::write(sidecar(path), beside(file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_beside_the_file_is_that_of_this_file_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data.img");
        let file = File::create(&path).expect("a file");
        assert!(!is_marked(&file, &path));
        mark(&file, &path).expect("it can be marked");
        assert!(is_marked(&file, &path));
        // As on a file system without attributes.
        let _ = rustix::fs::fremovexattr(&file, ATTRIBUTE);
        std::fs::write(sidecar(&path), beside(&file).expect("a number")).expect("it can be written");
        assert!(is_marked(&file, &path));
        // Somebody puts a file of their own in its place.
        std::fs::rename(&path, folder.path().join("other")).expect("it can be renamed");
        let other = File::create(&path).expect("another file");
        assert!(!is_marked(&other, &path));
    }

    #[test]
    fn the_load_generators_files_are_not_disks() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data.img");
        let file = File::create(&path).expect("a file");
        let set = rustix::fs::fsetxattr(&file, "user.iobound", b"{\"version\":1}", XattrFlags::empty());
        set.expect("it can be set");
        assert!(!is_marked(&file, &path));
    }
}
