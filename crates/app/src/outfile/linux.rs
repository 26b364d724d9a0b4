//! Output files on Linux: by open descriptors of directories and files, never twice by a name.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use iobound_machine::open::{
    Access, Directory, Facts, FileKind, Identity, PathError, Resolved, resolve, user,
};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::Unfit;
use super::kind::{DocumentKind, LOOKED_AT};
use crate::Env;

/// Number of times that a pipe without a reader is tried again.
const AGAIN: Duration = Duration::from_millis(20);

/// Destination of an output file.
#[derive(Clone, Debug)]
pub(super) enum OutPlace {
    /// A descriptor that this process has.
    Descriptor(Arc<File>),
    /// A pipe or a terminal that has a name.
    Special(Arc<Resolved>),
    /// A name in a directory: of a regular file, or of none yet.
    Name(Arc<Resolved>),
}

/// Existing file with the name of the new one.
enum Occupant {
    Nothing,
    /// A file with nothing in it.
    Empty(Identity),
    /// A file that may be replaced.
    Replaceable {
        identity: Identity,
        mode: u32,
        owner: (u32, u32),
    },
}

impl From<io::Error> for Unfit {
    fn from(error: io::Error) -> Unfit {
        Unfit::Unwritable(error)
    }
}

impl OutPlace {
    /// The place that a path names: nothing is created, opened for writing or changed.
    ///
    /// # Errors
    /// Returns an error if an existing entry must not be overwritten, or the folder is not writable.
    pub(super) fn of(path: &str, kind: DocumentKind) -> Result<OutPlace, Unfit> {
        if let Some(file) = descriptor(path)? {
            return match Facts::of(&file)?.kind {
                FileKind::BlockDevice => Err(Unfit::Taken("is a block device".into())),
                FileKind::Directory => Err(Unfit::Taken("is a folder".into())),
                _ => Ok(OutPlace::Descriptor(Arc::new(file))),
            };
        }
        let resolved = resolve(Path::new(path)).map_err(|error| match error {
            PathError::Io { error, .. } => Unfit::Unwritable(error),
            PathError::Untrusted { found, .. } => Unfit::Taken(format!("is not safe to write to: {found}")),
        })?;
        let is = |what: &str| Err(Unfit::Taken(format!("is not a file: it is {what}")));
        if resolved.directory.is_of_the_kernel()? {
            return is("a file of the kernel's own file system");
        }
        match resolved.kind() {
            None | Some(FileKind::File) => {}
            Some(FileKind::Pipe) => return Ok(OutPlace::Special(Arc::new(resolved))),
            Some(FileKind::CharacterDevice) => {
                let number = resolved.facts().map_or(0, |facts| facts.device);
                return match is_harmless(number) {
                    true => Ok(OutPlace::Special(Arc::new(resolved))),
                    false => is("a character device"),
                };
            }
            Some(FileKind::BlockDevice) => return is("a block device"),
            Some(FileKind::Directory) => return is("a folder"),
            Some(FileKind::Socket) => return is("a socket"),
            Some(_) => return is("something else"),
        }
        match occupant(&resolved.directory, &resolved.name, kind)? {
            Occupant::Empty(_) => allowed(&resolved.directory, &resolved.name)?,
            Occupant::Nothing | Occupant::Replaceable { .. } => {
                allowed(&resolved.directory, OsStr::new("."))?;
            }
        }
        Ok(OutPlace::Name(Arc::new(resolved)))
    }

    /// The place, to compare it with others; `None` for what many may write to.
    pub(super) fn claim(&self, shown: &str) -> Option<OutputClaim> {
        match self {
            OutPlace::Special(_) => None,
            OutPlace::Descriptor(file) => {
                let is_file = file.metadata().is_ok_and(|found| found.is_file());
                let file = is_file.then(|| Identity::of_open(file).ok()).flatten()?;
                Some(OutputClaim { shown: shown.into(), entry: None, file: Some(file) })
            }
            OutPlace::Name(resolved) => OutputClaim::of_resolved(shown, resolved),
        }
    }

    /// Writes a document as a whole.
    pub(super) fn write(&self, kind: DocumentKind, content: &[u8], env: &Env) -> Result<(), Unfit> {
        let resolved = match self {
            OutPlace::Name(resolved) => resolved,
            _ => return Ok(self.open(kind, env)?.write_all(content)?),
        };
        let (directory, name) = (&resolved.directory, resolved.name.as_os_str());
        match occupant(directory, name, kind)? {
            Occupant::Empty(identity) => Ok(open_empty(directory, name, identity)?.write_all(content)?),
            Occupant::Nothing => {
                let mut new = directory.temporary(0o666)?;
                new.file().write_all(content)?;
                Ok(new.commit(name, None)?)
            }
            Occupant::Replaceable { identity, mode, owner } => {
                let mut new = directory.temporary(0o600)?;
                new.file().write_all(content)?;
                take_over(new.file(), mode, owner)?;
                Ok(new.commit(name, Some(identity))?)
            }
        }
    }

    /// Opens the file to be written as things happen. A file that it replaces is gone from then on.
    pub(super) fn open(&self, kind: DocumentKind, env: &Env) -> Result<File, Unfit> {
        let resolved = match self {
            OutPlace::Descriptor(file) => return Ok(file.try_clone()?),
            OutPlace::Special(resolved) => return open_special(resolved, env),
            OutPlace::Name(resolved) => resolved,
        };
        let (directory, name) = (&resolved.directory, resolved.name.as_os_str());
        match occupant(directory, name, kind)? {
            Occupant::Nothing => Ok(directory.create_new(name, 0o666)?),
            Occupant::Empty(identity) => Ok(open_empty(directory, name, identity)?),
            Occupant::Replaceable { identity, mode, owner } => {
                let mut new = directory.temporary(0o600)?;
                take_over(new.file(), mode, owner)?;
                let file = new.file().try_clone()?;
                new.commit(name, Some(identity))?;
                Ok(file)
            }
        }
    }
}

/// The descriptor that a word names: `-`, `fd:3`, `/dev/stdout`, `/dev/fd/3`; `None` for any other word.
fn descriptor(path: &str) -> Result<Option<File>, Unfit> {
    let number = match path {
        "-" | "/dev/stdout" => 1,
        "/dev/stderr" => 2,
        _ => {
            let prefixes = ["fd:", "/dev/fd/", "/proc/self/fd/"];
            let Some(number) = prefixes.iter().find_map(|prefix| path.strip_prefix(prefix)) else {
                return Ok(None);
            };
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            match number.parse::<u32>().ok().filter(|_| is_number) {
                Some(number) => number,
                None => return Err(Unfit::Nameless(format!("`{number}` is not a descriptor"))),
            }
        }
    };
    let own = |stream: std::os::fd::BorrowedFd<'_>| stream.try_clone_to_owned().map(File::from);
    let file = match number {
        1 => own(std::io::stdout().as_fd())?,
        2 => own(std::io::stderr().as_fd())?,
        // Another descriptor of the same file: what the caller has written to it stays.
        _ => {
            let named = format!("/proc/self/fd/{number}");
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
            let opened = rustix::fs::open(named, flags, rustix::fs::Mode::empty());
            File::from(opened.map_err(io::Error::from)?)
        }
    };
    Ok(Some(file))
}

/// Terminals, `/dev/null`, `/dev/zero`, `/dev/full`: by the kernel's list of device numbers. Opening another device may already
/// do something, as with a watchdog.
fn is_harmless(number: u64) -> bool {
    match rustix::fs::major(number) {
        1 => matches!(rustix::fs::minor(number), 3 | 5 | 7),
        4 | 5 | 136..=143 => true,
        _ => false,
    }
}

/// Existing file with the name, if a file of that kind may replace it.
fn occupant(directory: &Directory, name: &OsStr, kind: DocumentKind) -> Result<Occupant, Unfit> {
    let taken = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => Unfit::Taken(strip_it(&error.to_string())),
        _ => Unfit::Unwritable(error),
    };
    if !kind.is_consented() && directory.replaceable(name).map_err(taken)?.is_none() {
        return Ok(Occupant::Nothing);
    }
    let mut file = match directory.open_existing(name, Access::READ) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Occupant::Nothing),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err(Unfit::Taken("exists and is not a regular file".into()));
        }
        // A file that can't be read may be empty, and can't be known for one's own.
        Err(error) => return Err(Unfit::Unwritable(error)),
    };
    let found = file.metadata()?;
    if !kind.is_consented() && (found.uid() != user() || found.nlink() != 1) {
        return Err(Unfit::Taken("exists, and another file has replaced it".into()));
    }
    let identity = Identity::of_open(&file)?;
    if found.len() == 0 {
        return Ok(Occupant::Empty(identity));
    }
    let mut beginning = Vec::new();
    (&mut file).take(LOOKED_AT as u64).read_to_end(&mut beginning)?;
    if !kind.is_of(&beginning) {
        return Err(Unfit::Taken(format!("exists, and is {}", kind.denied())));
    }
    Ok(Occupant::Replaceable { identity, mode: found.mode() & 0o7777, owner: (found.uid(), found.gid()) })
}

/// The reason without its subject, which is the path.
fn strip_it(why: &str) -> String {
    why.strip_prefix("it ").unwrap_or(why).to_string()
}

/// An empty file, to be filled: still that one, and still empty.
fn open_empty(directory: &Directory, name: &OsStr, identity: Identity) -> Result<File, Unfit> {
    let file = directory.open_existing(name, Access::APPEND)?;
    let is_same = Identity::of_open(&file)? == identity && file.metadata()?.len() == 0;
    if is_same { Ok(file) } else { Err(Unfit::Taken("was empty, and now has content".into())) }
}

/// Gives a new file the mode of the one that it replaces, and its owner as far as that may be.
fn take_over(file: &File, mode: u32, (user_id, group): (u32, u32)) -> io::Result<()> {
    use rustix::fs::{Gid, Uid};
    let has_owner = file.metadata().is_ok_and(|own| (own.uid(), own.gid()) == (user_id, group));
    let changed = rustix::fs::fchown(file, Some(Uid::from_raw(user_id)), Some(Gid::from_raw(group)));
    // Only root can change the owner of a file, and the bits for another group would then be for the wrong group.
    let mode = if has_owner || changed.is_ok() { mode & 0o777 } else { mode & 0o700 };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

fn allowed(directory: &Directory, name: &OsStr) -> Result<(), Unfit> {
    match directory.check_writable(name, true) {
        // Where the kernel can't tell by effective ids, writing tells.
        Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(Unfit::Unwritable(error)),
        _ => Ok(()),
    }
}

/// Opens a terminal, or a pipe as soon as it has a reader.
fn open_special(resolved: &Resolved, env: &Env) -> Result<File, Unfit> {
    loop {
        match resolved.open(Access { nonblocking: true, ..Access::WRITE }) {
            Ok(file) => {
                rustix::fs::fcntl_setfl(&file, OFlags::empty()).map_err(io::Error::from)?;
                return Ok(file);
            }
            // A pipe without a reader.
            Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) && !env.is_stopped() => {
                std::thread::sleep(AGAIN);
            }
            Err(error) => return Err(Unfit::Unwritable(error)),
        }
    }
}

/// A file that something is written to, by what it is and by where its name lies: also one that is not there yet.
#[derive(Clone, Debug)]
pub struct OutputClaim {
    shown: String,
    /// The directory and the name in it.
    entry: Option<(Identity, OsString)>,
    file: Option<Identity>,
}

impl fmt::Display for OutputClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl OutputClaim {
    /// Of a path; `None` where it leads nowhere.
    pub fn of_path(path: &Path) -> Option<OutputClaim> {
        OutputClaim::of_resolved(&path.display().to_string(), &resolve(path).ok()?)
    }

    fn of_resolved(shown: &str, resolved: &Resolved) -> Option<OutputClaim> {
        let directory = resolved.directory.identity().ok()?;
        let entry = Some((directory, resolved.name.clone()));
        Some(OutputClaim { shown: shown.into(), entry, file: resolved.identity() })
    }

    /// True if both are one file.
    pub fn is_same(&self, other: &OutputClaim) -> bool {
        let same_file = self.file.is_some() && self.file == other.file;
        same_file || (self.entry.is_some() && self.entry == other.entry)
    }
}

#[cfg(test)]
mod tests;
