use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, SeekFrom};

use super::identity::Identity;
use super::refusal::{Because, Refusal};
use super::request::Request;

/// A target as it lies on the machine.
pub(super) struct Located {
    /// As it was named.
    pub(super) given: PathBuf,
    /// What is opened: in a folder, the file of its own.
    pub(super) path: PathBuf,
    /// What is there; `None` where a file is to be made.
    pub(super) found: Option<Found>,
    /// The folder that holds it, and the name in it: one place has one.
    pub(super) place: (Option<Identity>, PathBuf),
}

pub(super) struct Found {
    /// Open for reading.
    pub(super) file: File,
    pub(super) identity: Identity,
    /// Its size in bytes.
    pub(super) size: u64,
}

impl Found {
    pub(super) fn is_device(&self) -> bool {
        matches!(self.identity, Identity::Device(_))
    }
}

/// The folder that a path lies in.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn unsuitable(path: &Path, found: impl Into<String>, mend: impl Into<String>) -> Refusal {
    Refusal { path: path.to_path_buf(), because: Because::Unsuitable, found: found.into(), mend: mend.into() }
}

/// Where each target lies; targets that are the same folder get files of their own in it.
pub(super) fn locate(request: &Request) -> Vec<Result<Located, Refusal>> {
    let mut folders: Vec<Identity> = Vec::new();
    request.targets.iter().map(|wanted| located(&wanted.path, &mut folders)).collect()
}

fn located(given: &Path, folders: &mut Vec<Identity>) -> Result<Located, Refusal> {
    let mut path = given.to_path_buf();
    if let Some(identity) = Identity::at(given).filter(|_| given.is_dir()) {
        let before = folders.iter().filter(|folder| **folder == identity).count();
        folders.push(identity);
        path = given.join(format!("iobound.{before}.data"));
    }
    let found = match rustix::fs::stat(&path) {
        Ok(stat) => Some(open(&path, FileType::from_raw_mode(stat.st_mode))?),
        Err(rustix::io::Errno::NOENT) => {
            check_new(&path)?;
            None
        }
        Err(error) => return Err(unreadable(&path, &error.into())),
    };
    let place = (Identity::at(folder(&path)), path.file_name().unwrap_or_default().into());
    Ok(Located { given: given.to_path_buf(), path, found, place })
}

fn unreadable(path: &Path, error: &io::Error) -> Refusal {
    let mend = match error.kind() {
        io::ErrorKind::PermissionDenied => "give yourself the right to read it, or run this as root",
        _ => "name a file, a folder or a block device that can be read",
    };
    unsuitable(path, format!("it can't be read ({error})"), mend)
}

fn open(path: &Path, kind: FileType) -> Result<Found, Refusal> {
    if !matches!(kind, FileType::RegularFile | FileType::BlockDevice) {
        let kind = match kind {
            FileType::Directory => "a folder",
            FileType::CharacterDevice => "a character device",
            FileType::Fifo => "a named pipe",
            FileType::Socket => "a socket",
            _ => "of another kind",
        };
        return Err(unsuitable(
            path,
            format!("it is {kind}"),
            "name a file, a folder to make one in, or a block device",
        ));
    }
    let look = || -> io::Result<Found> {
        let file = File::from(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?);
        let identity = Identity::of_open(&file)?;
        // A device's `stat` has no size.
        let size = rustix::fs::seek(&file, SeekFrom::End(0))?;
        Ok(Found { file, identity, size })
    };
    look().map_err(|error| unreadable(path, &error))
}

fn check_new(path: &Path) -> Result<(), Refusal> {
    if path.is_symlink() {
        return Err(unsuitable(
            path,
            "it is a link to something that is not there",
            "mend or remove the link",
        ));
    }
    if path.file_name().is_none() || path.as_os_str().to_string_lossy().ends_with('/') {
        return Err(unsuitable(path, "there is no such folder", "make it first, or name a file"));
    }
    let folder = folder(path);
    if !folder.is_dir() {
        let found = format!("there is no folder {} to make it in", folder.display());
        return Err(unsuitable(path, found, "make the folder first, or name another place"));
    }
    if path.starts_with("/dev") && !path.starts_with("/dev/shm") {
        return Err(unsuitable(
            path,
            "there is no such device",
            "list what there is with `lsblk`; a file in /dev would lie in memory",
        ));
    }
    Ok(())
}
