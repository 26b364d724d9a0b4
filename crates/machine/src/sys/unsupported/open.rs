//! Files and directories: nothing can be opened.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use crate::sys::error::{NotOnThisPlatform, PathError};
use crate::sys::facts::{Access, Birth, Facts, FileKind, Identity};

const NOT_HERE: NotOnThisPlatform = NotOnThisPlatform { what: "safe opening of files" };

/// An open directory; never exists on this platform.
#[derive(Debug)]
pub struct Directory(Infallible);

impl Directory {
    /// Opens a directory by its path.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn open(path: &Path) -> Result<Directory, PathError> {
        Err(PathError::io(path, NOT_HERE))
    }

    never! { 0:
        pub fn try_clone(&self) -> io::Result<Directory>;
        pub fn path(&self) -> &Path;
        pub fn path_of(&self, _name: &OsStr) -> std::path::PathBuf;
        pub fn others_can_write(&self) -> io::Result<Option<String>>;
        pub fn others_can_plant(&self) -> io::Result<Option<String>>;
        pub fn identity(&self) -> io::Result<Identity>;
        pub fn check_writable(&self, _name: &OsStr, _as_effective_user: bool) -> io::Result<()>;
        pub fn entry(&self, _name: &OsStr) -> io::Result<Option<Facts>>;
        pub fn open_existing(&self, _name: &OsStr, _access: Access) -> io::Result<File>;
        pub fn create_new(&self, _name: &OsStr, _mode: u32) -> io::Result<File>;
        pub fn create_directory(&self, _name: &OsStr) -> io::Result<Directory>;
        pub fn remove_directory(&self, _name: &OsStr) -> io::Result<()>;
        pub fn remove_same(&self, _name: &OsStr, _identity: Identity) -> io::Result<bool>;
        pub fn replaceable(&self, _name: &OsStr) -> io::Result<Option<Identity>>;
        pub fn temporary(&self, _mode: u32) -> io::Result<Temporary<'_>>;
        pub fn replace_own(&self, _name: &OsStr, _mode: u32, _content: &[u8]) -> io::Result<()>;
        pub fn sync(&self);
    }
}

/// A new file without a name; never exists on this platform.
#[derive(Debug)]
pub struct Temporary<'a>(Infallible, PhantomData<&'a Directory>);

impl Temporary<'_> {
    /// The open file.
    pub fn file(&mut self) -> &mut File {
        match self.0 {}
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Never called: there is no file.
    pub fn commit(self, _name: &OsStr, _replaces: Option<Identity>) -> io::Result<()> {
        match self.0 {}
    }
}

/// A resolved path; never exists on this platform.
#[derive(Debug)]
pub struct Resolved {
    /// The directory that holds the entry.
    pub directory: Arc<Directory>,
    /// The name of the entry.
    pub name: OsString,
    /// The path ends in a symbolic link.
    pub is_link: bool,
    never: Infallible,
}

impl Resolved {
    never! { never:
        pub fn exists(&self) -> bool;
        pub fn facts(&self) -> Option<&Facts>;
        pub fn kind(&self) -> Option<FileKind>;
        pub fn identity(&self) -> Option<Identity>;
        pub fn open(&self, _access: Access) -> io::Result<File>;
        pub fn as_directory(&self, _path: &Path) -> io::Result<Option<Directory>>;
    }
}

/// Resolves a path.
///
/// # Errors
/// Always returns an error.
pub fn resolve(path: &Path) -> Result<Resolved, PathError> {
    Err(PathError::io(path, NOT_HERE))
}

/// Resolves a path that begins in an open directory.
///
/// # Errors
/// Never called: there is no directory.
pub fn resolve_in(directory: Directory, _path: &Path) -> Result<Resolved, PathError> {
    match directory.0 {}
}

/// Opens an open file once more.
///
/// # Errors
/// Never called: there is no directory.
pub fn reopen(_of: &File, _access: Access, directory: &Directory, _name: &OsStr) -> io::Result<File> {
    match directory.0 {}
}

/// The user of this process; users have no numbers here.
pub fn user() -> u32 {
    0
}

refused! { NOT_HERE:
    pub fn unstable_identity(_file: &File) -> io::Result<Option<String>>;
    pub(crate) fn facts(_file: &File) -> io::Result<Facts>;
    pub(crate) fn facts_at(_path: &Path) -> io::Result<Facts>;
    pub(crate) fn birth(_file: &File) -> io::Result<Birth>;
}

/// Notices that a file is opened; never exists on this platform.
#[derive(Debug)]
pub struct OpenWatch(Infallible);

impl OpenWatch {
    refused! { NOT_HERE: pub fn begin(_file: &File) -> io::Result<OpenWatch>; }
    never! { 0: pub fn was_opened(&self) -> io::Result<bool>; }
}

/// The name of a unix socket; never exists on this platform.
#[derive(Debug)]
pub struct SocketName(Infallible);

impl SocketName {
    refused! { NOT_HERE:
        pub fn clear(_path: &Path) -> io::Result<()>;
        pub fn of(_path: &Path) -> io::Result<SocketName>;
    }
}

/// True if a path names a disk by its form alone: none does.
pub fn names_device(_path: &Path) -> bool {
    false
}
