use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::facts::{facts, of};
use super::filesystem::is_of_the_kernel;
use super::flags_of;
use super::resolve::resolve;
use super::temporary::Temporary;
use super::trust::{is_ours, others_can_exchange, others_can_write, user};
use crate::sys::error::PathError;
use crate::sys::facts::{Access, Facts, FileKind, Identity};

/// An open directory. Names in it are single components, and links are never followed.
#[derive(Debug)]
pub struct Directory {
    handle: OwnedFd,
    path: PathBuf,
}

impl Directory {
    /// Another descriptor of the same directory.
    ///
    /// # Errors
    /// Returns an error if no descriptor is available.
    pub fn try_clone(&self) -> io::Result<Directory> {
        Ok(Directory { handle: self.handle.try_clone()?, path: self.path.clone() })
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl From<Directory> for OwnedFd {
    fn from(directory: Directory) -> OwnedFd {
        directory.handle
    }
}

impl Directory {
    /// `handle` may be `O_PATH`; `path` is for messages only.
    pub(super) fn new(handle: OwnedFd, path: PathBuf) -> Directory {
        let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
        Directory { handle, path }
    }

    /// Opens a directory by its path, through trusted links only.
    ///
    /// # Errors
    /// As [`resolve`]; also if it is not a directory.
    pub fn open(path: &Path) -> Result<Directory, PathError> {
        let failed = |error: io::Error| PathError::io(path, error);
        let found = resolve(path)?;
        let missing = if found.exists() { Errno::NOTDIR } else { Errno::NOENT };
        found.as_directory(path).map_err(failed)?.ok_or_else(|| failed(missing.into()))
    }

    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of an entry, for messages.
    pub fn path_of(&self, name: &OsStr) -> PathBuf {
        self.path.join(name)
    }

    /// Other users who can add, remove and rename its entries now; `None` if only root and this user can.
    ///
    /// # Errors
    /// As `fstat`.
    pub fn others_can_write(&self) -> io::Result<Option<String>> {
        Ok(others_can_write(&facts(&self.handle)?))
    }

    /// Other users who can put a file in the place of one of this user's that passes for it; `None` if only root and this user can.
    ///
    /// # Errors
    /// As `fstat`.
    pub fn others_can_plant(&self) -> io::Result<Option<String>> {
        self.others_can_write()
    }

    /// Other users who can rename or remove an entry of this user's now; `None` if only root and this user can.
    ///
    /// # Errors
    /// As `fstat`.
    pub fn others_can_exchange(&self) -> io::Result<Option<String>> {
        Ok(others_can_exchange(&facts(&self.handle)?))
    }

    /// Directory on the way from the root to this one, itself included, that another user can exchange or change the entries
    /// of, and how; `None` if only root and this user can. The way is that of the kernel and has no links.
    ///
    /// # Errors
    /// Returns an error if a directory on the path cannot be opened.
    pub fn others_can_redirect(&self) -> io::Result<Option<String>> {
        const UP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
        let mut here = self.handle.try_clone()?;
        // Entries of the last directory are created by this user, so the sticky bit protects them.
        let mut is_own_entry = true;
        loop {
            let found = facts(&here)?;
            let who = match is_own_entry {
                true => others_can_exchange(&found),
                false => others_can_write(&found),
            };
            if let Some(who) = who {
                let link = format!("/proc/self/fd/{}", here.as_raw_fd());
                let path = std::fs::read_link(link).unwrap_or_else(|_| self.path.clone());
                return Ok(Some(format!("of the directory {}: {who}", path.display())));
            }
            is_own_entry = is_ours(&found);
            let above = rustix::fs::openat(&here, "..", UP, Mode::empty())?;
            if facts(&above)?.identity == found.identity {
                return Ok(None);
            }
            here = above;
        }
    }

    /// True if it is of a file system whose files are calls to the kernel: to write to one changes a setting.
    ///
    /// # Errors
    /// As `fstatfs`.
    pub fn is_of_the_kernel(&self) -> io::Result<bool> {
        Ok(is_of_the_kernel(rustix::fs::fstatfs(&self.handle)?.f_type as u32))
    }

    /// Its identity.
    ///
    /// # Errors
    /// As `fstat`.
    pub fn identity(&self) -> io::Result<Identity> {
        Ok(facts(&self.handle)?.identity)
    }

    /// True if this process may write to an entry; `as_effective_user` decides by the effective user and groups, else the
    /// real ones. Of a directory (`.` is this one) it must also be allowed to reach its entries.
    ///
    /// # Errors
    /// Returns an error if it may not; `ErrorKind::Unsupported` if the system cannot tell.
    pub fn check_writable(&self, name: &OsStr, as_effective_user: bool) -> io::Result<()> {
        let mut access = rustix::fs::Access::WRITE_OK;
        access.set(rustix::fs::Access::EXEC_OK, name == ".");
        let flags = if as_effective_user { AtFlags::EACCESS } else { AtFlags::empty() };
        match rustix::fs::accessat(&self.handle, name, access, flags) {
            Err(Errno::NOSYS | Errno::INVAL) => Err(io::ErrorKind::Unsupported.into()),
            answer => Ok(answer?),
        }
    }

    /// Facts of an entry itself; of a link, not of its target. `None` if it does not exist.
    ///
    /// # Errors
    /// As `fstatat`.
    pub fn entry(&self, name: &OsStr) -> io::Result<Option<Facts>> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens an existing regular file; `ErrorKind::InvalidInput` for anything else (links, devices, pipes).
    ///
    /// # Errors
    /// As `openat`.
    pub fn open_existing(&self, name: &OsStr, access: Access) -> io::Result<File> {
        // O_NONBLOCK: a pipe must not block the look at it.
        let flags = flags_of(access) | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let stat = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        // Looked at before it is opened, since opening alone can do something to a device.
        if !of(&stat).is_file() {
            return Err(not_a_regular_file());
        }
        let file = rustix::fs::openat(&self.handle, name, flags, Mode::empty())?;
        if !facts(&file)?.is_file() {
            return Err(not_a_regular_file());
        }
        Ok(File::from(file))
    }

    /// Creates a file, open for reading and writing; fails if the name exists, also as a link.
    ///
    /// # Errors
    /// As `openat`.
    pub fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::NOCTTY
            | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode);
        Ok(File::from(rustix::fs::openat(&self.handle, name, flags, mode)?))
    }

    /// Creates a directory and opens it; fails if the name exists.
    ///
    /// # Errors
    /// As `mkdirat`.
    pub fn create_directory(&self, name: &OsStr) -> io::Result<Directory> {
        rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o755))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.handle, name, flags, Mode::empty())?;
        Ok(Directory::new(handle, self.path_of(name)))
    }

    /// Removes a directory if it is empty.
    ///
    /// # Errors
    /// As `unlinkat`.
    pub fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes an entry if it still is that file; whether it was.
    ///
    /// # Errors
    /// As `unlinkat`.
    pub fn remove_same(&self, name: &OsStr, identity: Identity) -> io::Result<bool> {
        match self.entry(name)? {
            Some(facts) if facts.identity == identity => {
                rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The identity of an entry that this user may replace: a regular file, owned by this user, with one link.
    /// `None` if there is no entry.
    ///
    /// # Errors
    /// Returns `ErrorKind::AlreadyExists` if the entry is anything else: a device, a link, another user's file.
    pub fn replaceable(&self, name: &OsStr) -> io::Result<Option<Identity>> {
        let Some(found) = self.entry(name)? else { return Ok(None) };
        let refused = |why: String| Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        match found.kind {
            FileKind::File => {}
            FileKind::Link => return refused("it exists and is a symbolic link".to_string()),
            FileKind::Directory => return refused("it exists and is a directory".to_string()),
            _ => return refused("it exists and is not a regular file".to_string()),
        }
        if found.owner != user() {
            return refused(format!("it exists and belongs to user {}", found.owner));
        }
        if found.links != 1 {
            return refused(format!("it exists and has {} names (hard links)", found.links));
        }
        Ok(Some(found.identity))
    }

    /// Starts a file that takes its name when it is complete, atomically: see [`Temporary::commit`].
    ///
    /// # Errors
    /// As `openat`.
    pub fn temporary(&self, mode: u32) -> io::Result<Temporary<'_>> {
        Temporary::create(self, mode)
    }

    /// Writes a whole file at once: a new one, or in place of one of this user's own ([`Directory::replaceable`]).
    /// It is durable, and no reader sees a part of it.
    ///
    /// # Errors
    /// Returns `ErrorKind::AlreadyExists` if the name belongs to anything else, or the error of the file system.
    pub fn replace_own(&self, name: &OsStr, mode: u32, content: &[u8]) -> io::Result<()> {
        let old = self.replaceable(name)?;
        let mut new = self.temporary(mode)?;
        io::Write::write_all(new.file(), content)?;
        new.commit(name, old)
    }

    /// Makes the entries durable. File systems that cannot are left alone.
    pub fn sync(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if let Ok(open) = rustix::fs::openat(&self.handle, ".", flags, Mode::empty()) {
            let _ = rustix::fs::fsync(open);
        }
    }
}

fn not_a_regular_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}
