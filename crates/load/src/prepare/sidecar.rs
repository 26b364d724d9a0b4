//! The mark of a file whose file system has no extended attributes: `NAME.iobound` in the same directory.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};

use iobound_machine::open::{Access, Facts, Identity, user};
use serde::Deserialize;

use super::handle::Handle;
use super::mark::LONGEST;

/// Fields of every version of a mark.
#[derive(Deserialize)]
struct AnyMark {
    #[serde(rename = "version")]
    _version: u32,
    #[serde(rename = "size_bytes")]
    _size: u64,
    #[serde(rename = "inode")]
    _inode: u64,
}

fn name_of(name: &OsStr) -> OsString {
    let mut name = name.to_os_string();
    name.push(".iobound");
    name
}

/// The text of the sidecar and the file that it is; `None` unless it is a regular file of this user with one name.
fn own(handle: &Handle) -> Option<(Vec<u8>, Identity)> {
    let beside = handle.directory().open_existing(&name_of(handle.name()), Access::READ).ok()?;
    let facts = Facts::of(&beside).ok()?;
    if facts.owner != user() || facts.links != 1 {
        return None;
    }
    let mut text = Vec::new();
    beside.take(LONGEST as u64).read_to_end(&mut text).ok()?;
    Some((text, facts.identity))
}

/// The text of the sidecar, if this user owns it.
pub(super) fn read(handle: &Handle) -> Option<Vec<u8>> {
    own(handle).map(|(text, _)| text)
}

/// Writes the sidecar, whole or not at all. An existing one is replaced only if it is a mark and this user's.
///
/// # Errors
/// Returns `ErrorKind::AlreadyExists` if the name belongs to another file, or the error of the file system.
pub(super) fn write(handle: &Handle, text: &[u8]) -> io::Result<()> {
    let (directory, name) = (handle.directory(), name_of(handle.name()));
    let old = match own(handle) {
        Some((text, identity)) if serde_json::from_slice::<AnyMark>(&text).is_ok() => Some(identity),
        _ => None,
    };
    if old.is_none() && directory.entry(&name)?.is_some() {
        let path = directory.path_of(&name);
        let why = format!("{} exists and is not a mark of this program and this user", path.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
    }
    let mut new = directory.temporary(0o644)?;
    io::Write::write_all(new.file(), text)?;
    new.commit(&name, old)
}

/// Removes the sidecar, if it is a mark and this user's.
pub(super) fn remove(handle: &Handle) {
    if let Some((text, identity)) = own(handle)
        && serde_json::from_slice::<AnyMark>(&text).is_ok()
    {
        // Without it the next file of that name is only asked about.
        let _ = handle.directory().remove_same(&name_of(handle.name()), identity);
    }
}
