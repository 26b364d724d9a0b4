//! The file of a store, looked at before SQLite writes to it.
//!
//! SQLite opens a file by its name. So the name is resolved first, what has it is decided on an open descriptor, and once
//! SQLite has opened it, and before anything is written, it must be that same file.

use std::path::{Path, PathBuf};

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Place;
#[cfg(target_os = "linux")]
pub(crate) use linux::Place;

/// Files that SQLite keeps beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Reason why a file is no place for a store.
#[derive(Debug)]
pub(crate) enum NoPlace {
    /// There is nothing.
    Missing,
    /// Its real kind, or the user who could redirect it.
    Unfit(String),
    /// The system refuses.
    Io(std::io::Error),
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::io::{ErrorKind, Read};
    use std::os::fd::AsRawFd;

    use iobound_machine::open::{Access, Directory, FileKind, Identity, PathError, Resolved, resolve, user};

    use super::{BESIDE, NoPlace, Path, PathBuf};

    /// `O_PATH` in `/proc/self/fdinfo`: a descriptor that nothing is read or written by.
    const O_PATH: u32 = 0o10_000_000;

    /// A regular file, held open so that its number stays its own.
    #[derive(Debug)]
    pub(crate) struct Place {
        /// Keeps the number of the file its own.
        _held: Resolved,
        identity: Identity,
        path: PathBuf,
    }

    impl Place {
        /// A file that is there.
        ///
        /// # Errors
        /// Returns an error if it does not exist, is not a regular file, or another user can redirect its name or the
        /// files beside it.
        pub(crate) fn existing(path: &Path) -> Result<Place, NoPlace> {
            let resolved = resolve(path).map_err(unresolved)?;
            // SQLite opens the files beside it by their names.
            if let Some(who) = resolved.directory.others_can_redirect().map_err(NoPlace::Io)? {
                return Err(NoPlace::Unfit(format!("another user could replace it: {who}")));
            }
            if resolved.directory.is_of_the_kernel().map_err(NoPlace::Io)? {
                return Err(NoPlace::Unfit("it is a file of the kernel's own file system".into()));
            }
            for ending in BESIDE {
                beside_is_fit(&resolved, ending)?;
            }
            let Some((kind, identity)) = resolved.kind().zip(resolved.identity()) else {
                return Err(NoPlace::Missing);
            };
            let unfit =
                |what: &str| Err(NoPlace::Unfit(format!("it is {what}, and a store must be a regular file")));
            match kind {
                FileKind::File => {}
                FileKind::Directory => return unfit("a folder"),
                FileKind::BlockDevice => return unfit("a block device"),
                FileKind::CharacterDevice => return unfit("a character device"),
                FileKind::Pipe => return unfit("a pipe"),
                FileKind::Socket => return unfit("a socket"),
                FileKind::Link | FileKind::Other => return unfit("something else"),
            }
            let path = real(&resolved.directory).join(&resolved.name);
            Ok(Place { _held: resolved, identity, path })
        }

        /// A file that is there, or a new and empty one.
        ///
        /// # Errors
        /// As [`Place::existing`]; also if the file cannot be created.
        pub(crate) fn existing_or_new(path: &Path) -> Result<Place, NoPlace> {
            match Place::existing(path) {
                Err(NoPlace::Missing) => {}
                found => return found,
            }
            let resolved = resolve(path).map_err(unresolved)?;
            match resolved.directory.create_new(&resolved.name, 0o644) {
                // Another process has just made it: then it is looked at as it is.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => drop(made.map_err(NoPlace::Io)?),
            }
            Place::existing(path)
        }

        /// Its path without any link.
        pub(crate) fn path(&self) -> &Path {
            &self.path
        }

        /// Sees that this very file is open in this process now.
        ///
        /// # Errors
        /// Returns an error if another file is in its place now.
        pub(crate) fn confirm(&self) -> Result<(), NoPlace> {
            let is_open = match std::fs::read_dir("/proc/self/fd") {
                Ok(listed) => listed.flatten().any(|entry| self.is_open_as(&entry.file_name())),
                // Without /proc its name must lead to it still.
                Err(_) => Identity::at(&self.path) == Some(self.identity),
            };
            match is_open {
                true => Ok(()),
                false => Err(NoPlace::Unfit("another file has replaced it".into())),
            }
        }

        fn is_open_as(&self, number: &OsString) -> bool {
            if Identity::at(&Path::new("/proc/self/fd").join(number)) != Some(self.identity) {
                return false;
            }
            let info =
                std::fs::read_to_string(Path::new("/proc/self/fdinfo").join(number)).unwrap_or_default();
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
            let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
            flags.is_some_and(|flags| flags & O_PATH == 0)
        }
    }

    fn unresolved(error: PathError) -> NoPlace {
        match error {
            PathError::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound => NoPlace::Missing,
            PathError::Io { error, .. } => NoPlace::Io(error),
            untrusted @ PathError::Untrusted { .. } => NoPlace::Unfit(untrusted.to_string()),
        }
    }

    /// SQLite writes to these too: each must be a file that only this store has.
    fn beside_is_fit(store: &Resolved, ending: &str) -> Result<(), NoPlace> {
        let mut name = store.name.clone();
        name.push(ending);
        let Some(beside) = store.directory.entry(&name).map_err(NoPlace::Io)? else { return Ok(()) };
        let owner = store.facts().map(|facts| facts.owner);
        let is_ours = beside.owner == user() || beside.owner == 0 || Some(beside.owner) == owner;
        let unfit = |why: &str| {
            let path = store.directory.path_of(&name);
            Err(NoPlace::Unfit(format!("SQLite would write to {}, which is {why}", path.display())))
        };
        if !beside.is_file() || beside.links != 1 || !is_ours {
            return unfit("a link, not a regular file, or owned by another user");
        }
        let mut beginning = Vec::new();
        match store.directory.open_existing(&name, Access::READ) {
            Ok(file) => drop(file.take(8).read_to_end(&mut beginning).map_err(NoPlace::Io)?),
            // A store that is being closed takes it away.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(NoPlace::Io(error)),
        }
        if is_of_sqlite(ending, &beginning) { Ok(()) } else { unfit("not a file of SQLite") }
    }

    /// True if a file beside a database begins as SQLite writes it (sqlite.org/fileformat2.html and walformat.html): an empty
    /// file and one that begins with zeros do.
    fn is_of_sqlite(ending: &str, beginning: &[u8]) -> bool {
        const JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
        const LOG: [u32; 2] = [0x377f_0682, 0x377f_0683];
        const INDEX: u32 = 3_007_000;
        let first: Option<[u8; 4]> = beginning.get(..4).and_then(|bytes| bytes.try_into().ok());
        match first {
            None => beginning.is_empty(),
            Some([0, 0, 0, 0]) => true,
            Some(first) if ending == "-wal" => LOG.contains(&u32::from_be_bytes(first)),
            Some(first) if ending == "-shm" => u32::from_ne_bytes(first) == INDEX,
            Some(_) => beginning == JOURNAL,
        }
    }

    /// The path of an open directory as the kernel has it.
    fn real(directory: &Directory) -> PathBuf {
        use std::os::fd::AsFd;
        let number = directory.as_fd().as_raw_fd();
        let found = std::fs::read_link(format!("/proc/self/fd/{number}"));
        found.or_else(|_| directory.path().canonicalize()).unwrap_or_else(|_| directory.path().to_path_buf())
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{BESIDE, NoPlace, Path, PathBuf};

    /// A regular file.
    #[derive(Debug)]
    pub(crate) struct Place {
        path: PathBuf,
    }

    impl Place {
        /// A file that is there.
        ///
        /// # Errors
        /// Returns an error if it does not exist or is not a regular file.
        pub(crate) fn existing(path: &Path) -> Result<Place, NoPlace> {
            let found = std::fs::metadata(path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => NoPlace::Missing,
                _ => NoPlace::Io(error),
            })?;
            if !found.is_file() {
                return Err(NoPlace::Unfit("it is not a regular file".into()));
            }
            for ending in BESIDE {
                let mut beside = path.as_os_str().to_owned();
                beside.push(ending);
                if Path::new(&beside).is_symlink() {
                    return Err(NoPlace::Unfit(format!("{} is a link", Path::new(&beside).display())));
                }
            }
            Ok(Place { path: path.to_path_buf() })
        }

        /// A file that is there, or a new and empty one.
        ///
        /// # Errors
        /// As [`Place::existing`]; also if the file cannot be created.
        pub(crate) fn existing_or_new(path: &Path) -> Result<Place, NoPlace> {
            match std::fs::File::create_new(path) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(NoPlace::Io(error));
                }
                _ => Place::existing(path),
            }
        }

        /// Its path.
        pub(crate) fn path(&self) -> &Path {
            &self.path
        }

        /// Nothing more can be seen here.
        ///
        /// # Errors
        /// Never fails.
        pub(crate) fn confirm(&self) -> Result<(), NoPlace> {
            Ok(())
        }
    }
}
