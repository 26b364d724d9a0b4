use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::directory::Directory;
use super::facts::facts;
use super::filesystem::PROC;
use super::flags_of;
use super::trust::{is_ours, others_can_write};
use crate::sys::error::PathError;
use crate::sys::facts::{Access, Facts, FileKind, Identity};

/// The kernel's own limit of links in one path (path_resolution(7)).
const MOST_LINKS: u32 = 40;

/// A handle on a place in the tree, not on the entry there: it does not affect a device or a pipe.
const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A path that was resolved through trusted links: the directory, the name in it, and what has that name.
#[derive(Debug)]
pub struct Resolved {
    /// The directory that holds the entry.
    pub directory: Arc<Directory>,
    /// The name of the entry; `.` or `..` or `/` for a path without one.
    pub name: OsString,
    /// The path ends in a symbolic link, which was followed.
    pub is_link: bool,
    found: Option<Found>,
}

#[derive(Debug)]
struct Found {
    handle: OwnedFd,
    facts: Facts,
}

impl Resolved {
    /// True if something has that name.
    pub fn exists(&self) -> bool {
        self.found.is_some()
    }

    /// The facts of what has that name.
    pub fn facts(&self) -> Option<&Facts> {
        self.found.as_ref().map(|found| &found.facts)
    }

    /// The kind of what has that name.
    pub fn kind(&self) -> Option<FileKind> {
        self.facts().map(|facts| facts.kind)
    }

    /// The identity of what has that name.
    pub fn identity(&self) -> Option<Identity> {
        self.facts().map(|facts| facts.identity)
    }

    /// Opens what was found, and nothing else, whatever has its name by now.
    ///
    /// # Errors
    /// Returns an error if nothing was found or the system refuses.
    pub fn open(&self, access: Access) -> io::Result<File> {
        match &self.found {
            Some(found) => open_again(&found.handle, access, &self.directory, &self.name),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The directory that was found under that name; `None` if something else or nothing was.
    ///
    /// # Errors
    /// As `dup`.
    pub fn as_directory(&self, path: &Path) -> io::Result<Option<Directory>> {
        match &self.found {
            Some(found) if self.kind() == Some(FileKind::Directory) => {
                Ok(Some(Directory::new(found.handle.try_clone()?, path.to_path_buf())))
            }
            _ => Ok(None),
        }
    }
}

/// Opens an open file once more, for another access: the same file, whatever happened to its name. `directory` and
/// `name` are the way to it where `/proc` is not mounted; the result is the same file or an error.
///
/// # Errors
/// As `open`; `NotFound` if there is no `/proc` and another file has the name by now.
pub fn reopen(of: &File, access: Access, directory: &Directory, name: &OsStr) -> io::Result<File> {
    open_again(of, access, directory, name)
}

fn open_again(of: impl AsFd, access: Access, directory: &Directory, name: &OsStr) -> io::Result<File> {
    let flags = flags_of(access) | OFlags::CLOEXEC | OFlags::NOCTTY;
    let known = facts(&of)?.identity;
    let by_number = format!("/proc/self/fd/{}", of.as_fd().as_raw_fd());
    let file = match rustix::fs::open(by_number, flags, Mode::empty()) {
        Err(Errno::NOENT) => rustix::fs::openat(directory, name, flags | OFlags::NOFOLLOW, Mode::empty()),
        opened => opened,
    }?;
    if facts(&file)?.identity != known {
        return Err(io::Error::new(io::ErrorKind::NotFound, "another file has replaced it"));
    }
    Ok(File::from(file))
}

/// Resolves a path whose last component need not exist. Links are followed if no other user can redirect them.
///
/// # Errors
/// Returns an error if a component does not exist, is not a directory, or is a link that another user controls.
pub fn resolve(path: &Path) -> Result<Resolved, PathError> {
    if path.as_os_str().is_empty() {
        return Err(PathError::io(path, Errno::NOENT));
    }
    Walk::begin(path)?.into_end()
}

/// Resolves a path that begins in an open directory.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_in(directory: Directory, path: &Path) -> Result<Resolved, PathError> {
    let mut pending = Vec::new();
    parts(path, &mut pending);
    let shown = directory.path().to_path_buf();
    Walk { path, here: directory.into(), shown, pending, links: 0, last_is_link: false }.into_end()
}

/// A component that is still to be walked.
#[derive(Debug)]
enum Part {
    Root,
    Up,
    Name(OsString),
}

struct Walk<'a> {
    path: &'a Path,
    here: OwnedFd,
    /// The way so far, for messages.
    shown: PathBuf,
    /// The rest of the way, the next component last.
    pending: Vec<Part>,
    links: u32,
    last_is_link: bool,
}

fn parts(path: &Path, pending: &mut Vec<Part>) {
    let parts: Vec<Part> = path
        .components()
        .filter_map(|component| match component {
            Component::RootDir => Some(Part::Root),
            Component::ParentDir => Some(Part::Up),
            Component::Normal(name) => Some(Part::Name(name.to_os_string())),
            Component::CurDir | Component::Prefix(_) => None,
        })
        .collect();
    pending.extend(parts.into_iter().rev());
}

impl<'a> Walk<'a> {
    fn begin(path: &'a Path) -> Result<Walk<'a>, PathError> {
        let mut pending = Vec::new();
        parts(path, &mut pending);
        let here = rustix::fs::openat(CWD, ".", LOOK | OFlags::DIRECTORY, Mode::empty());
        let here = match here {
            // The working directory may be gone; an absolute path does not need it.
            Err(_) if path.is_absolute() => rustix::fs::open("/", LOOK | OFlags::DIRECTORY, Mode::empty()),
            opened => opened,
        };
        let here = here.map_err(|error| PathError::io(path, error))?;
        Ok(Walk { path, here, shown: PathBuf::new(), pending, links: 0, last_is_link: false })
    }

    fn into_end(mut self) -> Result<Resolved, PathError> {
        while let Some(component) = self.pending.pop() {
            if let Some(resolved) = self.step(component)? {
                return Ok(resolved);
            }
        }
        self.ends_here()
    }

    fn failed(&self, error: Errno) -> PathError {
        PathError::io(self.path, error)
    }

    /// Walks one component; the result, if it is the last and has a name.
    fn step(&mut self, part: Part) -> Result<Option<Resolved>, PathError> {
        let name = match part {
            Part::Root => {
                self.shown = PathBuf::from("/");
                self.here = self.directory("/")?;
                return Ok(None);
            }
            Part::Up => {
                self.shown.push("..");
                self.here = self.directory("..")?;
                return Ok(None);
            }
            Part::Name(name) => name,
        };
        let is_last = self.pending.is_empty();
        let handle = match rustix::fs::openat(&self.here, &name, LOOK, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) if is_last => return Ok(Some(self.resolved(name, None)?)),
            Err(error) => return Err(self.failed(error)),
        };
        let facts = facts(&handle).map_err(|error| PathError::io(self.path, error))?;
        match facts.kind {
            FileKind::Link => {
                self.last_is_link |= is_last;
                self.follow(&name, &handle, &facts).map(|()| None)
            }
            _ if is_last => Ok(Some(self.resolved(name, Some(Found { handle, facts }))?)),
            FileKind::Directory => {
                self.shown.push(name);
                self.here = handle;
                Ok(None)
            }
            _ => Err(self.failed(Errno::NOTDIR)),
        }
    }

    fn directory(&self, name: &str) -> Result<OwnedFd, PathError> {
        let opened = rustix::fs::openat(&self.here, name, LOOK | OFlags::DIRECTORY, Mode::empty());
        opened.map_err(|error| self.failed(error))
    }

    fn resolved(&mut self, name: OsString, found: Option<Found>) -> Result<Resolved, PathError> {
        let here = self.here.try_clone().map_err(|error| PathError::io(self.path, error))?;
        let directory = Arc::new(Directory::new(here, self.shown.clone()));
        Ok(Resolved { directory, name, is_link: self.last_is_link, found })
    }

    /// The path names a directory without a name in another: `/`, `.`, `..`, or a link to one of them.
    fn ends_here(mut self) -> Result<Resolved, PathError> {
        let handle = self.here.try_clone().map_err(|error| PathError::io(self.path, error))?;
        let facts = facts(&handle).map_err(|error| PathError::io(self.path, error))?;
        self.resolved(OsString::from("."), Some(Found { handle, facts }))
    }

    /// Puts the text of a link in its place on the way, if no other user can change it.
    fn follow(&mut self, name: &OsStr, link: &OwnedFd, found: &Facts) -> Result<(), PathError> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(self.failed(Errno::LOOP));
        }
        let shown = self.shown.join(name);
        let holder = facts(&self.here).map_err(|error| PathError::io(self.path, error))?;
        let foreign = (!is_ours(found)).then(|| format!("it belongs to user {}", found.owner));
        let why = foreign.or_else(|| {
            let who = others_can_write(&holder)?;
            let directory = self.shown.as_os_str();
            let directory = if directory.is_empty() { Path::new(".") } else { Path::new(directory) };
            Some(format!("of its directory {}: {who}", directory.display()))
        });
        if let Some(why) = why {
            return Err(PathError::Untrusted {
                path: self.path.to_path_buf(),
                found: format!(
                    "{} is a symbolic link that another user can redirect ({why})",
                    shown.display()
                ),
                help: "name the file itself, by a path without that link".to_string(),
            });
        }
        // Links there (`/proc/self/fd/3`) lead to open files, whatever text they show.
        if rustix::fs::fstatfs(&self.here).is_ok_and(|system| system.f_type as u32 == PROC) {
            return self.follow_to_open_file(name);
        }
        let text = rustix::fs::readlinkat(link, "", Vec::new()).map_err(|error| self.failed(error))?;
        parts(Path::new(&OsString::from_vec(text.into_bytes())), &mut self.pending);
        Ok(())
    }

    /// `/proc/self/cwd`, `/proc/self/fd/3`: the kernel leads to what is open, and its text is only a hint.
    fn follow_to_open_file(&mut self, name: &OsStr) -> Result<(), PathError> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.here, name, flags, Mode::empty());
        let handle = handle.map_err(|error| self.failed(error))?;
        let facts = facts(&handle).map_err(|error| PathError::io(self.path, error))?;
        if facts.kind == FileKind::Directory {
            self.shown.push(name);
            self.here = handle;
            return Ok(());
        }
        // A file has no name in a directory that could be opened: its text leads there, if it is still true.
        let text =
            rustix::fs::readlinkat(&self.here, name, Vec::new()).map_err(|error| self.failed(error))?;
        parts(Path::new(&OsString::from_vec(text.into_bytes())), &mut self.pending);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
