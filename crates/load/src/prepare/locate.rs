use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iobound_machine::block::Geometry;
use iobound_machine::open::{
    Access, Directory, FileKind, Identity, PathError, Resolved, resolve, resolve_in,
};

use super::handle::Handle;
use super::refusal::{Because, Refusal};
use super::request::Request;

/// A target as it lies on the machine.
pub(super) struct Located {
    /// As it was named.
    pub(super) given: PathBuf,
    /// The path for messages: in a folder, that of the file of its own.
    pub(super) path: PathBuf,
    /// Existing file; `None` if a file is to be created.
    pub(super) found: Option<FoundTarget>,
    /// The directory that holds it.
    pub(super) directory: Arc<Directory>,
    /// The directory's identity and the name in it: two targets of one place are one.
    pub(super) place: (Option<Identity>, PathBuf),
}

pub(super) struct FoundTarget {
    /// Open for reading.
    pub(super) handle: Handle,
    /// Its size in bytes.
    pub(super) size: u64,
}

impl FoundTarget {
    pub(super) fn identity(&self) -> Identity {
        self.handle.identity()
    }

    pub(super) fn is_device(&self) -> bool {
        matches!(self.identity(), Identity::Device(_))
    }
}

/// The folder that a path lies in.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn unsuitable(path: &Path, found: impl Into<String>, help: impl Into<String>) -> Refusal {
    Refusal { path: path.to_path_buf(), because: Because::Unsuitable, found: found.into(), help: help.into() }
}

/// Locates and opens each target; targets that are the same folder get files of their own in it.
pub(super) fn locate(request: &Request) -> Vec<Result<Located, Refusal>> {
    let mut directories = Directories::default();
    request.targets.iter().map(|wanted| directories.locate(&wanted.path)).collect()
}

/// Directories of the targets so far.
#[derive(Default)]
struct Directories {
    /// Folders that were named as targets.
    folders: Vec<Identity>,
    /// Directories that hold targets: one descriptor serves all that are in it.
    holding: Vec<(Identity, Arc<Directory>)>,
}

impl Directories {
    fn locate(&mut self, given: &Path) -> Result<Located, Refusal> {
        let mut path = given.to_path_buf();
        let mut resolved = resolve(given).map_err(|error| unresolved(&path, error))?;
        let folder = resolved.as_directory(given).map_err(|error| unreadable(&path, &error))?;
        if let Some(folder) = folder {
            let identity = folder.identity().map_err(|error| unreadable(&path, &error))?;
            let before = self.folders.iter().filter(|folder| **folder == identity).count();
            self.folders.push(identity);
            let name = format!("iobound.{before}.data");
            path = given.join(&name);
            resolved = resolve_in(folder, Path::new(&name)).map_err(|error| unresolved(&path, error))?;
        }
        let directory = self.shared(&resolved.directory);
        let found = match resolved.kind() {
            Some(kind) => Some(open(&path, &resolved, kind, &directory)?),
            None => {
                check_new(&path, &resolved)?;
                None
            }
        };
        let place = (directory.identity().ok(), PathBuf::from(&resolved.name));
        Ok(Located { given: given.to_path_buf(), path, found, directory, place })
    }

    fn shared(&mut self, directory: &Arc<Directory>) -> Arc<Directory> {
        let Ok(identity) = directory.identity() else { return Arc::clone(directory) };
        if let Some((_, known)) = self.holding.iter().find(|(known, _)| *known == identity) {
            return Arc::clone(known);
        }
        self.holding.push((identity, Arc::clone(directory)));
        Arc::clone(directory)
    }
}

/// The place that a consent names: the entry, and the directory with its name.
pub(super) struct Named {
    pub(super) identity: Option<Identity>,
    pub(super) place: (Option<Identity>, PathBuf),
}

/// Resolves the path of a consent by the same rules as a target's, so that no other user can redirect it.
///
/// # Errors
/// Returns an error if another user can redirect the path.
pub(super) fn named(path: &Path) -> Result<Option<Named>, Refusal> {
    let resolved = match resolve(path) {
        Ok(resolved) => resolved,
        Err(PathError::Io { .. }) => return Ok(None),
        Err(error) => return Err(unresolved(path, error)),
    };
    let links = resolved.facts().map_or(1, |facts| facts.links);
    let is_file = resolved.kind() == Some(FileKind::File);
    if is_file && links > 1 {
        let others = resolved.directory.others_can_write().map_err(|error| unreadable(path, &error))?;
        if let Some(who) = others {
            return Err(Refusal {
                path: path.to_path_buf(),
                because: Because::Guarded,
                found: format!(
                    "it has {links} names (hard links), and of its directory {}: {who}: another user may have \
                     linked it to a file elsewhere",
                    resolved.directory.path().display()
                ),
                help: "name it by its path in a directory of your own".to_string(),
            });
        }
    }
    let place = (resolved.directory.identity().ok(), PathBuf::from(&resolved.name));
    Ok(Some(Named { identity: resolved.identity(), place }))
}

fn unresolved(path: &Path, error: PathError) -> Refusal {
    match error {
        PathError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => {
            let folder = folder(path);
            let found = format!("the folder {} does not exist", folder.display());
            unsuitable(path, found, "create the folder first, or name another path")
        }
        PathError::Io { error, .. } => unreadable(path, &error),
        PathError::Untrusted { found, help, .. } => {
            Refusal { path: path.to_path_buf(), because: Because::Guarded, found, help }
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Refusal {
    let help = match error.kind() {
        io::ErrorKind::PermissionDenied if cfg!(windows) => "run in an elevated prompt, as disks need it",
        io::ErrorKind::PermissionDenied => "change its permissions, or run as root",
        _ => "name a file, a folder or a block device that can be read",
    };
    unsuitable(path, format!("it cannot be read ({error})"), help)
}

/// A type of file in words.
pub(super) fn word_of(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Directory => "a directory",
        FileKind::CharacterDevice => "a character device",
        FileKind::Pipe => "a named pipe",
        FileKind::Socket => "a socket",
        _ => "of another kind",
    }
}

fn open(
    path: &Path,
    resolved: &Resolved,
    kind: FileKind,
    directory: &Arc<Directory>,
) -> Result<FoundTarget, Refusal> {
    if !matches!(kind, FileKind::File | FileKind::BlockDevice) {
        return Err(unsuitable(
            path,
            format!("it is {}", word_of(kind)),
            "name a file, a folder in which to create one, or a block device",
        ));
    }
    let look = || -> io::Result<FoundTarget> {
        let file = resolved.open(Access::READ)?;
        // The `stat` of a device has no size.
        let size = match kind {
            FileKind::BlockDevice => Geometry::of(&file)?.bytes,
            _ => (&file).seek(SeekFrom::End(0))?,
        };
        Ok(FoundTarget { handle: Handle::new(Arc::clone(directory), resolved.name.clone(), file)?, size })
    };
    look().map_err(|error| unreadable(path, &error))
}

fn check_new(path: &Path, resolved: &Resolved) -> Result<(), Refusal> {
    if resolved.is_link {
        return Err(unsuitable(
            path,
            "it is a symbolic link to a missing file",
            "correct or remove the link",
        ));
    }
    if path.file_name().is_none() || path.as_os_str().to_string_lossy().ends_with('/') {
        return Err(unsuitable(path, "there is no such folder", "create it first, or name a file"));
    }
    if path.starts_with("/dev") && !path.starts_with("/dev/shm") {
        return Err(unsuitable(
            path,
            "there is no such device",
            "list the devices with `lsblk`; a file in /dev would be in memory",
        ));
    }
    Ok(())
}
