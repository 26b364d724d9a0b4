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

    /// Another descriptor of the same directory.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn try_clone(&self) -> io::Result<Directory> {
        match self.0 {}
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        match self.0 {}
    }

    /// The path of an entry.
    pub fn path_of(&self, _name: &OsStr) -> std::path::PathBuf {
        match self.0 {}
    }

    /// Other users who can change its entries.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn others_can_write(&self) -> io::Result<Option<String>> {
        match self.0 {}
    }

    /// Other users who can put a file in the place of one of this user's.
    ///
    /// # Errors
    /// Never: there is no directory.
    pub fn others_can_plant(&self) -> io::Result<Option<String>> {
        match self.0 {}
    }

    /// Its identity.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn identity(&self) -> io::Result<Identity> {
        match self.0 {}
    }

    /// True if this process may write to an entry.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn check_writable(&self, _name: &OsStr, _as_effective_user: bool) -> io::Result<()> {
        match self.0 {}
    }

    /// The facts of an entry.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn entry(&self, _name: &OsStr) -> io::Result<Option<Facts>> {
        match self.0 {}
    }

    /// Opens an existing regular file.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn open_existing(&self, _name: &OsStr, _access: Access) -> io::Result<File> {
        match self.0 {}
    }

    /// Creates a file.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn create_new(&self, _name: &OsStr, _mode: u32) -> io::Result<File> {
        match self.0 {}
    }

    /// Creates a directory.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn create_directory(&self, _name: &OsStr) -> io::Result<Directory> {
        match self.0 {}
    }

    /// Removes a directory.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn remove_directory(&self, _name: &OsStr) -> io::Result<()> {
        match self.0 {}
    }

    /// Removes an entry.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn remove_same(&self, _name: &OsStr, _identity: Identity) -> io::Result<bool> {
        match self.0 {}
    }

    /// The identity of an entry that may be replaced.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn replaceable(&self, _name: &OsStr) -> io::Result<Option<Identity>> {
        match self.0 {}
    }

    /// Starts a file that takes its name later.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn temporary(&self, _mode: u32) -> io::Result<Temporary<'_>> {
        match self.0 {}
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// Never called: there is no directory.
    pub fn replace_own(&self, _name: &OsStr, _mode: u32, _content: &[u8]) -> io::Result<()> {
        match self.0 {}
    }

    /// Makes the entries durable.
    pub fn sync(&self) {
        match self.0 {}
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
    /// True if something has that name.
    pub fn exists(&self) -> bool {
        match self.never {}
    }

    /// The facts of what has that name.
    pub fn facts(&self) -> Option<&Facts> {
        match self.never {}
    }

    /// The kind of what has that name.
    pub fn kind(&self) -> Option<FileKind> {
        match self.never {}
    }

    /// The identity of what has that name.
    pub fn identity(&self) -> Option<Identity> {
        match self.never {}
    }

    /// Opens what was found.
    ///
    /// # Errors
    /// Never called: nothing was found.
    pub fn open(&self, _access: Access) -> io::Result<File> {
        match self.never {}
    }

    /// The directory that was found.
    ///
    /// # Errors
    /// Never called: nothing was found.
    pub fn as_directory(&self, _path: &Path) -> io::Result<Option<Directory>> {
        match self.never {}
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

/// Reason why a file has no identity that outlives restarts.
///
/// # Errors
/// Always returns an error.
pub fn unstable_identity(_file: &File) -> io::Result<Option<String>> {
    Err(NOT_HERE.into())
}

/// The user of this process; users have no numbers here.
pub fn user() -> u32 {
    0
}

pub(crate) fn facts(_file: &File) -> io::Result<Facts> {
    Err(NOT_HERE.into())
}

pub(crate) fn facts_at(_path: &Path) -> io::Result<Facts> {
    Err(NOT_HERE.into())
}

pub(crate) fn birth(_file: &File) -> io::Result<Birth> {
    Err(NOT_HERE.into())
}

/// Notices that a file is opened; never exists on this platform.
#[derive(Debug)]
pub struct OpenWatch(Infallible);

impl OpenWatch {
    /// Watches an open file.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn begin(_file: &File) -> io::Result<OpenWatch> {
        Err(NOT_HERE.into())
    }

    /// True if the file was opened.
    ///
    /// # Errors
    /// Never called: there is no watch.
    pub fn was_opened(&self) -> io::Result<bool> {
        match self.0 {}
    }
}

/// The name of a unix socket; never exists on this platform.
#[derive(Debug)]
pub struct SocketName(Infallible);

impl SocketName {
    /// Makes a path free for a socket.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn clear(_path: &Path) -> io::Result<()> {
        Err(NOT_HERE.into())
    }

    /// The name of the socket that was just bound to a path.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn of(_path: &Path) -> io::Result<SocketName> {
        Err(NOT_HERE.into())
    }
}

/// True if a path names a disk by its form alone: none does.
pub fn names_device(_path: &Path) -> bool {
    false
}
