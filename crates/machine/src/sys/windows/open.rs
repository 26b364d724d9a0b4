//! Folders, files and disks, opened by paths without links.
//!
//! The folders of a path are followed to their final path; a path that itself ends in a link is refused. An open
//! [`Directory`] holds its handle without the right of others to rename or delete it, so the folder and all above it keep
//! their names. Access lists are not read: a folder counts as one that others can write to.

use std::borrow::Cow;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::storage::{disk_of, lock_volumes_on};
pub use super::temporary::Temporary;
use super::{handle, owner};
use crate::sys::error::{NotOnThisPlatform, PathError};
use crate::sys::facts::{Access, Birth, Facts, FileKind, Identity};
use crate::sys::storage::{disk_number, disk_path};

const WATCH: NotOnThisPlatform = NotOnThisPlatform { what: "a watch for other openers" };
const SOCKETS: NotOnThisPlatform = NotOnThisPlatform { what: "a named socket" };

/// `FILE_FLAG_BACKUP_SEMANTICS`: opens folders as well.
const FOLDERS_TOO: u32 = 0x0200_0000;
/// `FILE_FLAG_OPEN_REPARSE_POINT`: opens a link itself.
const LINK_ITSELF: u32 = 0x0020_0000;
/// `FILE_SHARE_READ` and `FILE_SHARE_WRITE`, not `FILE_SHARE_DELETE`: of folders.
const KEEPS_ITS_NAME: u32 = 3;
/// With `FILE_SHARE_DELETE`: a file is removed while the run's own handles of it are open.
const SHARED: u32 = 7;

/// A drive without a path: `E:`.
fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// A volume or another device: `\\.\E:`, and all behind `\\?\` but paths of drives and shares.
fn is_device(text: &str) -> bool {
    let is_verbatim_device = text.strip_prefix(r"\\?\").is_some_and(|rest| {
        let is_path = rest.get(..2).is_some_and(is_drive) && rest.as_bytes().get(2) == Some(&b'\\');
        let is_share = rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case(r"UNC\"));
        !is_path && !is_share
    });
    text.starts_with(r"\\.\") || text.starts_with("//./") || is_verbatim_device
}

/// True if a path names a disk or a volume by its form alone; whether there is one is not asked.
pub fn names_device(path: &Path) -> bool {
    let text = path.as_os_str().to_string_lossy();
    disk_number(&text).is_some() || is_device(&text)
}

/// The path by which Windows knows what a path names: DiskSpd's `#2` is a disk.
fn true_path(path: &Path) -> Cow<'_, Path> {
    match path.to_str().and_then(disk_number) {
        Some(number) => Cow::Owned(disk_path(number).into()),
        None => Cow::Borrowed(path),
    }
}

/// An open folder. Names in it are single components. That of a disk has the disk alone.
#[derive(Debug)]
pub struct Directory {
    handle: File,
    /// The final path, without links.
    path: PathBuf,
    shown: PathBuf,
    /// Locked volumes of a disk that is written to.
    locks: Mutex<Vec<File>>,
}

/// The folder of Windows' devices.
const DEVICES: &str = r"\\.\";

impl Directory {
    /// Opens a folder by its path.
    ///
    /// # Errors
    /// Returns an error if it does not exist or is not a folder.
    pub fn open(path: &Path) -> Result<Directory, PathError> {
        Directory::at(path).map_err(|error| PathError::io(path, error))
    }

    fn at(path: &Path) -> io::Result<Directory> {
        let shown = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let handle =
            OpenOptions::new().read(true).share_mode(KEEPS_ITS_NAME).custom_flags(FOLDERS_TOO).open(shown)?;
        if handle::facts(&handle)?.kind != FileKind::Directory {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let path = handle::path_of(&handle)?;
        Ok(Directory { handle, path, shown: shown.to_path_buf(), locks: Mutex::default() })
    }

    /// Another handle of the same folder.
    ///
    /// # Errors
    /// Returns an error if no handle is available.
    pub fn try_clone(&self) -> io::Result<Directory> {
        let handle = self.handle.try_clone()?;
        let (path, shown) = (self.path.clone(), self.shown.clone());
        Ok(Directory { handle, path, shown, locks: Mutex::default() })
    }

    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.shown
    }

    /// The full path of an entry.
    pub fn path_of(&self, name: &OsStr) -> PathBuf {
        self.path.join(name)
    }

    /// Other users who can add, remove and rename its entries.
    ///
    /// # Errors
    /// Never fails.
    pub fn others_can_write(&self) -> io::Result<Option<String>> {
        Ok(Some("its access list is not read on Windows".to_string()))
    }

    /// Other users who can put a file of this process's owner in the place of another one: nobody. The owner of a file is compared,
    /// and whoever can move a file of this owner can lose it anyway.
    ///
    /// # Errors
    /// None.
    pub fn others_can_plant(&self) -> io::Result<Option<String>> {
        Ok(None)
    }

    /// Its identity.
    ///
    /// # Errors
    /// Returns an error if the volume does not answer.
    pub fn identity(&self) -> io::Result<Identity> {
        Ok(handle::facts(&self.handle)?.identity)
    }

    /// True if this process may write to an entry. Of a folder (`.`) only a try tells: creating a file in it.
    ///
    /// # Errors
    /// Returns an error if it may not.
    pub fn check_writable(&self, name: &OsStr, _as_effective_user: bool) -> io::Result<()> {
        if name == "." {
            return Ok(());
        }
        OpenOptions::new().write(true).open(self.path_of(name)).map(drop)
    }

    /// Facts of an entry itself; of a link, not of its target. `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the entry cannot be opened.
    pub fn entry(&self, name: &OsStr) -> io::Result<Option<Facts>> {
        match look_at(&self.path_of(name)) {
            Ok((_, facts)) => Ok(Some(facts)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens an existing regular file; `ErrorKind::InvalidInput` for anything else.
    ///
    /// # Errors
    /// As `CreateFileW`.
    pub fn open_existing(&self, name: &OsStr, access: Access) -> io::Result<File> {
        let (found, facts) = look_at(&self.path_of(name))?;
        if facts.kind != FileKind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        handle::open_again(&found, access, 0)
    }

    /// Creates a file, open for reading and writing; fails if the name exists.
    ///
    /// # Errors
    /// As `CreateFileW`.
    pub fn create_new(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).share_mode(SHARED).open(self.path_of(name))
    }

    /// Creates a folder and opens it; fails if the name exists.
    ///
    /// # Errors
    /// As `CreateDirectoryW`.
    pub fn create_directory(&self, name: &OsStr) -> io::Result<Directory> {
        let path = self.path_of(name);
        std::fs::create_dir(&path)?;
        Directory::at(&path)
    }

    /// Removes a folder if it is empty.
    ///
    /// # Errors
    /// As `RemoveDirectoryW`.
    pub fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_dir(self.path_of(name))
    }

    /// Removes an entry if it still is that file; whether it was.
    ///
    /// # Errors
    /// As `DeleteFileW`.
    pub fn remove_same(&self, name: &OsStr, identity: Identity) -> io::Result<bool> {
        match self.entry(name)? {
            Some(facts) if facts.identity == identity => {
                std::fs::remove_file(self.path_of(name))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The identity of an entry that may be replaced: a regular file with one name. `None` if there is no entry.
    ///
    /// # Errors
    /// Returns `ErrorKind::AlreadyExists` if the entry is anything else.
    pub fn replaceable(&self, name: &OsStr) -> io::Result<Option<Identity>> {
        let Some(found) = self.entry(name)? else { return Ok(None) };
        if found.kind != FileKind::File || found.links != 1 {
            let why = "it exists and is not a regular file with one name";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        Ok(Some(found.identity))
    }

    /// Starts a file that takes its name when it is complete.
    ///
    /// # Errors
    /// As `CreateFileW`.
    pub fn temporary(&self, mode: u32) -> io::Result<Temporary<'_>> {
        Temporary::create(self, mode)
    }

    /// Writes a whole file at once: a new one, or in place of one that may be replaced.
    ///
    /// # Errors
    /// Returns `ErrorKind::AlreadyExists` if the name belongs to anything else, or the error of the file system.
    pub fn replace_own(&self, name: &OsStr, mode: u32, content: &[u8]) -> io::Result<()> {
        let old = self.replaceable(name)?;
        let mut new = self.temporary(mode)?;
        io::Write::write_all(new.file(), content)?;
        new.commit(name, old)
    }

    /// NTFS and ReFS keep a journal of names: there is nothing to do.
    pub fn sync(&self) {}
}

/// Opens what has a name, a link itself, and says what it is.
fn look_at(path: &Path) -> io::Result<(File, Facts)> {
    let file = OpenOptions::new()
        .read(true)
        .share_mode(SHARED)
        .custom_flags(FOLDERS_TOO | LINK_ITSELF)
        .open(path)?;
    let facts = handle::facts(&file)?;
    Ok((file, facts))
}

/// A path that was resolved: the folder, the name in it, and what has that name.
#[derive(Debug)]
pub struct Resolved {
    /// The folder that holds the entry.
    pub directory: Arc<Directory>,
    /// The name of the entry; `.` for a path without one.
    pub name: OsString,
    /// The path ends in a link. It never does: such a path is refused.
    pub is_link: bool,
    found: Option<(File, Facts)>,
}

impl Resolved {
    /// True if something has that name.
    pub fn exists(&self) -> bool {
        self.found.is_some()
    }

    /// The facts of what has that name.
    pub fn facts(&self) -> Option<&Facts> {
        self.found.as_ref().map(|(_, facts)| facts)
    }

    /// The kind of what has that name.
    pub fn kind(&self) -> Option<FileKind> {
        self.facts().map(|facts| facts.kind)
    }

    /// The identity of what has that name.
    pub fn identity(&self) -> Option<Identity> {
        self.facts().map(|facts| facts.identity)
    }

    /// Opens what was found, and nothing else.
    ///
    /// # Errors
    /// Returns an error if nothing was found or the system refuses.
    pub fn open(&self, access: Access) -> io::Result<File> {
        match &self.found {
            Some((found, _)) => handle::open_again(found, access, 0),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The folder that was found under that name; `None` if something else or nothing was.
    ///
    /// # Errors
    /// As `CreateFileW`.
    pub fn as_directory(&self, path: &Path) -> io::Result<Option<Directory>> {
        match self.kind() {
            Some(FileKind::Directory) => {
                let opened = Directory::at(&self.directory.path_of(&self.name))?;
                Ok(Some(Directory { shown: path.to_path_buf(), ..opened }))
            }
            _ => Ok(None),
        }
    }
}

/// Resolves a path whose last component need not exist.
///
/// # Errors
/// Returns an error if a folder does not exist, the path is a device, or it ends in a link.
pub fn resolve(path: &Path) -> Result<Resolved, PathError> {
    if path.as_os_str().is_empty() {
        return Err(PathError::io(path, io::ErrorKind::NotFound));
    }
    let text = path.as_os_str().to_string_lossy();
    if let Some(number) = disk_number(&text) {
        return resolve_disk(path, number);
    }
    if is_device(&text) {
        return Err(PathError::Untrusted {
            path: path.to_path_buf(),
            found: "it is a volume or another device, which this program does not open on Windows"
                .to_string(),
            help: r"name a file on it, such as E:\io.dat, a folder such as E:\, or a disk such as #2"
                .to_string(),
        });
    }
    if is_drive(&text) {
        // For Windows this is the current folder on that drive.
        return resolve_in(Directory::open(Path::new(&format!(r"{text}\")))?, Path::new("."));
    }
    if path.file_name().is_some_and(|name| name.to_string_lossy().contains(':')) {
        return Err(PathError::Untrusted {
            path: path.to_path_buf(),
            found: "it is a stream of another file".to_string(),
            help: "name a file without a colon in its name".to_string(),
        });
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => resolve_in(Directory::open(folder)?, Path::new(name)),
        // A path without a name of its own: `E:\`, `..`.
        _ => resolve_in(Directory::open(path)?, Path::new(".")),
    }
}

fn resolve_disk(path: &Path, number: u32) -> Result<Resolved, PathError> {
    let at = disk_path(number);
    let (disk, facts) = look_at(Path::new(&at)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            PathError::io(path, io::Error::other(format!("Windows has no disk {number}")))
        }
        _ => PathError::io(path, error),
    })?;
    let name = OsString::from(&at[DEVICES.len()..]);
    let handle = disk.try_clone().map_err(|error| PathError::io(path, error))?;
    let (folder, locks) = (PathBuf::from(DEVICES), Mutex::default());
    let directory = Directory { handle, path: folder.clone(), shown: folder, locks };
    Ok(Resolved { directory: Arc::new(directory), name, is_link: false, found: Some((disk, facts)) })
}

/// Resolves a name in an open folder.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_in(directory: Directory, path: &Path) -> Result<Resolved, PathError> {
    let name = path.as_os_str().to_os_string();
    let full = directory.path_of(&name);
    let found = match look_at(&full) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(PathError::io(path, error)),
    };
    if found.as_ref().is_some_and(|(_, facts)| facts.kind == FileKind::Link) {
        return Err(PathError::Untrusted {
            path: full,
            found: "it is a link".to_string(),
            help: "name the file that it leads to".to_string(),
        });
    }
    Ok(Resolved { directory: Arc::new(directory), name, is_link: false, found })
}

/// Opens an open file or disk once more, for another access: the same, whatever happened to its name. A disk that is taken
/// for this program alone has its volumes locked until the directory is dropped.
///
/// # Errors
/// As `ReOpenFile`; [`io::ErrorKind::ResourceBusy`] if a volume of a disk is in use.
pub fn reopen(of: &File, access: Access, directory: &Directory, _name: &OsStr) -> io::Result<File> {
    if access.exclusive
        && let Some(number) = disk_of(of)
    {
        let mut locks = directory.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if locks.is_empty() {
            *locks = lock_volumes_on(number)?;
        }
    }
    handle::open_again(of, access, 0)
}

/// Reason why a file has no identity that outlives restarts: then nothing is remembered of it. NTFS and ReFS number their files once
/// and for all (`BY_HANDLE_FILE_INFORMATION`); the numbers of FAT change when a file moves.
///
/// # Errors
/// As `GetVolumeInformationByHandleW`.
pub fn unstable_identity(file: &File) -> io::Result<Option<String>> {
    let name = handle::filesystem(file)?;
    if !matches!(name.as_str(), "NTFS" | "ReFS") {
        return Ok(Some(format!("files of {name} have no lasting numbers")));
    }
    // A mark beside it would not be believed later.
    let is_own = owner::owner(file) == owner::user();
    Ok((!is_own).then(|| "the system does not name this user as its owner".to_string()))
}

/// Number of this user.
pub fn user() -> u32 {
    owner::user()
}

pub(crate) fn facts(file: &File) -> io::Result<Facts> {
    handle::facts(file)
}

pub(crate) fn facts_at(path: &Path) -> io::Result<Facts> {
    let file = OpenOptions::new().access_mode(0).custom_flags(FOLDERS_TOO).open(true_path(path))?;
    handle::facts(&file)
}

pub(crate) fn birth(file: &File) -> io::Result<Birth> {
    match handle::facts(file)?.identity {
        // The number of a file has a count of how often it was given (NTFS), so that it needs no time of birth.
        Identity::File { filesystem, inode } => Ok(Birth { filesystem, inode, born_ns: Some(0) }),
        Identity::Device(_) => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Notices that a file is opened; never exists on Windows.
#[derive(Debug)]
pub struct OpenWatch(Infallible);

impl OpenWatch {
    refused! { WATCH: pub fn begin(_file: &File) -> io::Result<OpenWatch>; }
    never! { 0: pub fn was_opened(&self) -> io::Result<bool>; }
}

/// The name of a unix socket; never exists on Windows.
#[derive(Debug)]
pub struct SocketName(Infallible);

impl SocketName {
    refused! { SOCKETS:
        pub fn clear(_path: &Path) -> io::Result<()>;
        pub fn of(_path: &Path) -> io::Result<SocketName>;
    }
}
