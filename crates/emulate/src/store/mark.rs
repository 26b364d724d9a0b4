//! The mark of a file that was made here to hold a disk.
//!
//! This is not the mark of the load generator's files: any run may overwrite those, but a disk has a user's data.
//!
//! While a disk is served, its mark says nothing about its content. Afterwards the mark is sealed, so that foreign
//! content is noticed. After a kill there is no seal, and the content is not compared.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;

use iobound_machine::open::{Access, Birth, Directory, Seal, unstable_identity, user};
use rustix::fs::XattrFlags;

/// The extended attribute of such a file, also after it was moved or copied with its attributes.
const ATTRIBUTE: &str = "user.iobound.disk";

const TEXT: &str = "iobound disk, version 1";

/// The name of the sidecar, for a file system without such attributes.
fn sidecar(name: &OsStr) -> OsString {
    let mut name = name.to_os_string();
    name.push(".iobound");
    name
}

/// The text of the sidecar. It names one file, since another one may have been put in its place.
fn beside(file: &File) -> io::Result<String> {
    let Birth { filesystem, inode, born_ns } = Birth::of(file)?;
    let born = born_ns.map_or("unknown".to_string(), |ns| ns.to_string());
    Ok(format!("iobound disk, version 2, of file {inode} of file system {filesystem:x}, born {born}\n"))
}

/// The text of a mark, read.
struct Found {
    /// The content when the disk was last served; `None` where it is served, or was until a kill.
    seal: Option<Seal>,
}

impl Found {
    /// From the text of a mark that begins with `begin`.
    fn read(text: &str, begin: &str) -> Option<Found> {
        let rest = text.strip_prefix(begin)?;
        if rest.is_empty() {
            return Some(Found { seal: None });
        }
        let (modified_ns, samples) = rest.strip_prefix(SEALED)?.trim_end().split_once(' ')?;
        let samples = u64::from_str_radix(samples, 16).ok()?;
        Some(Found { seal: Some(Seal { modified_ns: modified_ns.parse().ok()?, samples }) })
    }
}

/// Begins the words of a seal: modification time in ns and digest follow.
const SEALED: &str = "\nsealed ";

fn words(seal: Seal) -> String {
    format!("{SEALED}{} {:x}", seal.modified_ns, seal.samples)
}

/// The mark that an open file carries, in its attribute or in a sidecar of this user's.
fn found(file: &File, directory: &Directory, name: &OsStr) -> Option<Found> {
    let mut attribute = [0; 256];
    if let Ok(length) = rustix::fs::fgetxattr(file, ATTRIBUTE, &mut attribute[..]) {
        return Found::read(std::str::from_utf8(attribute.get(..length)?).ok()?, TEXT);
    }
    let read = || -> io::Result<Option<Found>> {
        let beside_it = directory.open_existing(&sidecar(name), Access::READ)?;
        let facts = beside_it.metadata()?;
        let mut text = String::new();
        beside_it.take(256).read_to_string(&mut text)?;
        let is_own = facts.uid() == user() && facts.nlink() == 1;
        Ok(Found::read(&text, &beside(file)?).filter(|_| is_own))
    };
    read().ok().flatten()
}

/// Reason why an existing file may have a user's data and not be a disk of ours; `None` if it is a disk of ours. A mark
/// alone proves nothing, because everybody can write one.
///
/// # Errors
/// As `fstat`.
pub(super) fn doubt(file: &File, directory: &Directory, name: &OsStr) -> io::Result<Option<String>> {
    let facts = file.metadata()?;
    let Some(mark) = found(file, directory, name) else {
        return Ok(Some("this program did not make it for a disk".to_string()));
    };
    if facts.uid() != user() {
        return Ok(Some(format!("it belongs to user {}, not to user {}", facts.uid(), user())));
    }
    if facts.nlink() != 1 {
        return Ok(Some(format!("it has {} names (hard links)", facts.nlink())));
    }
    if let Some(who) = directory.others_can_write()? {
        return Ok(Some(format!("of its directory {}: {who}", directory.path().display())));
    }
    if let Some(why) = unstable_identity(file)? {
        return Ok(Some(why));
    }
    let is_changed = match mark.seal {
        Some(seal) => Seal::of(file)? != seal,
        None => false,
    };
    Ok(is_changed.then(|| "it was modified after it was last served".to_string()))
}

/// Tells whether an open file was made for a disk, whatever happened to it since.
pub(super) fn is_marked(file: &File, directory: &Directory, name: &OsStr) -> bool {
    found(file, directory, name).is_some()
}

/// Marks an open file, without a seal: in its attribute, else in a sidecar. An existing file of that name is replaced only
/// if it is the sidecar of a disk of this user's.
pub(super) fn mark(file: &File, directory: &Directory, name: &OsStr) -> io::Result<()> {
    write(file, directory, name, "")
}

/// Seals the mark of a file that is written to no more.
pub(super) fn seal(file: &File, directory: &Directory, name: &OsStr) -> io::Result<()> {
    write(file, directory, name, &words(Seal::of(file)?))
}

fn write(file: &File, directory: &Directory, name: &OsStr, seal: &str) -> io::Result<()> {
    let text = format!("{TEXT}{seal}");
    if rustix::fs::fsetxattr(file, ATTRIBUTE, text.as_bytes(), XattrFlags::empty()).is_ok() {
        return Ok(());
    }
    write_beside(file, directory, name, seal)
}

fn write_beside(file: &File, directory: &Directory, name: &OsStr, seal: &str) -> io::Result<()> {
    let name = sidecar(name);
    if directory.entry(&name)?.is_some() {
        let mut text = String::new();
        directory.open_existing(&name, Access::READ)?.take(256).read_to_string(&mut text)?;
        if !text.starts_with("iobound disk, version ") {
            let why =
                format!("{} exists and is not a mark of this program", directory.path_of(&name).display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
    }
    let text = format!("{}{seal}", beside(file)?);
    directory.replace_own(&name, 0o600, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const NAME: &str = "data.img";

    fn made() -> (tempfile::TempDir, Directory, File) {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = Directory::open(folder.path()).expect("it is there");
        let file = directory.create_new(OsStr::new(NAME), 0o600).expect("a new file");
        (folder, directory, file)
    }

    fn doubted(file: &File, directory: &Directory) -> Option<String> {
        doubt(file, directory, OsStr::new(NAME)).expect("it is open")
    }

    #[test]
    fn a_mark_beside_the_file_is_that_of_this_file_only() {
        let (folder, directory, file) = made();
        assert!(doubted(&file, &directory).is_some_and(|why| why.contains("this program did not make it")));
        mark(&file, &directory, OsStr::new(NAME)).expect("it can be marked");
        assert_eq!(doubted(&file, &directory), None);
        // As on a file system without attributes.
        rustix::fs::fremovexattr(&file, ATTRIBUTE).expect("it is there");
        write_beside(&file, &directory, OsStr::new(NAME), "").expect("it can be written");
        assert_eq!(doubted(&file, &directory), None);
        // Somebody puts a file of their own in its place.
        std::fs::rename(folder.path().join(NAME), folder.path().join("other")).expect("it can be renamed");
        let other = directory.create_new(OsStr::new(NAME), 0o600).expect("another file");
        assert!(doubted(&other, &directory).is_some());
    }

    #[test]
    fn a_sealed_disk_that_somebody_wrote_to_is_doubted() {
        for in_attribute in [true, false] {
            let (_folder, directory, file) = made();
            let name = OsStr::new(NAME);
            file.set_len(1 << 20).expect("it is sparse");
            mark(&file, &directory, name).expect("it can be marked");
            let sealed = match in_attribute {
                true => seal(&file, &directory, name),
                false => {
                    // As on a file system without attributes.
                    rustix::fs::fremovexattr(&file, ATTRIBUTE).expect("it is there");
                    write_beside(&file, &directory, name, &words(Seal::of(&file).expect("it can be read")))
                }
            };
            sealed.expect("it can be sealed");
            assert_eq!(doubted(&file, &directory), None);
            std::os::unix::fs::FileExt::write_all_at(&file, b"database", 4096).expect("it takes data");
            assert!(doubted(&file, &directory).is_some_and(|why| why.contains("was modified after")));
            // Served again with consent: until a kill nothing is said of the content.
            mark(&file, &directory, name).expect("it can be marked");
            assert_eq!(doubted(&file, &directory), None);
        }
    }

    #[test]
    fn a_forged_mark_is_not_enough() {
        let (folder, directory, file) = made();
        mark(&file, &directory, OsStr::new(NAME)).expect("it can be marked");
        std::fs::hard_link(folder.path().join(NAME), folder.path().join("other")).expect("a second name");
        assert!(doubted(&file, &directory).is_some_and(|why| why.contains("2 names")));
        std::fs::remove_file(folder.path().join("other")).expect("it is there");
        for mode in [0o777, 0o1777, 0o770] {
            std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(mode)).expect("it is ours");
            assert!(doubted(&file, &directory).is_some_and(|why| why.contains("other users can write")));
        }
    }

    #[test]
    fn a_sidecar_is_not_written_through_a_link_or_over_another_file() {
        let (folder, directory, file) = made();
        let (beside, victim) = (folder.path().join("data.img.iobound"), folder.path().join("victim"));
        File::create(&victim).and_then(|mut file| io::Write::write_all(&mut file, b"notes")).expect("notes");
        for link in [true, false] {
            match link {
                true => symlink(&victim, &beside).expect("a link"),
                false => std::fs::rename(&victim, &beside).expect("it can be renamed"),
            }
            write_beside(&file, &directory, OsStr::new(NAME), "").expect_err("it is somebody's");
            let kept = if link { &victim } else { &beside };
            let mut text = String::new();
            File::open(kept).and_then(|mut file| file.read_to_string(&mut text)).expect("notes");
            assert_eq!(text, "notes");
            if link {
                std::fs::remove_file(&beside).expect("a link");
            }
        }
    }

    #[test]
    fn the_load_generators_files_are_not_disks() {
        let (_folder, directory, file) = made();
        let set = rustix::fs::fsetxattr(&file, "user.iobound", b"{\"version\":1}", XattrFlags::empty());
        set.expect("it can be set");
        assert!(doubted(&file, &directory).is_some());
    }
}
