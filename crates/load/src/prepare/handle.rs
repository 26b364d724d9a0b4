use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_machine::files::expect_random;
use iobound_machine::open::{Access, Directory, FileKind, Identity, OpenWatch, PathError, reopen, resolve};

/// A target that stays open for reading from the survey to the end of the run. Every other descriptor of it is opened
/// from this one, so the run writes to the inspected file.
#[derive(Clone, Debug)]
pub struct Handle(Arc<Held>);

#[derive(Debug)]
struct Held {
    directory: Arc<Directory>,
    name: OsString,
    file: File,
    identity: Identity,
    /// Notices other openers.
    watch: Option<OpenWatch>,
    opened_by_others: AtomicBool,
}

impl PartialEq for Handle {
    fn eq(&self, other: &Handle) -> bool {
        self.0.identity == other.0.identity
    }
}

impl Eq for Handle {}

impl Handle {
    /// Opens an existing file or block device by its path, through links that no other user can redirect.
    ///
    /// # Errors
    /// As [`resolve`]; also if it is not a file or a block device.
    pub fn open(path: &Path) -> Result<Handle, PathError> {
        let failed = |error: io::Error| PathError::Io { path: path.to_path_buf(), error };
        let found = resolve(path)?;
        let open = || match found.kind() {
            // Opening a pipe or a character device could block, or do something.
            Some(FileKind::File | FileKind::BlockDevice) => found.open(Access::READ),
            Some(other) => Err(io::Error::other(format!(
                "it is {}, not a file or a block device",
                super::locate::word_of(other)
            ))),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        let file = open().map_err(failed)?;
        Handle::new(Arc::clone(&found.directory), found.name.clone(), file).map_err(failed)
    }

    pub(super) fn new(directory: Arc<Directory>, name: OsString, file: File) -> io::Result<Handle> {
        let identity = Identity::of_open(&file)?;
        // A few blocks are read of it: the page cache needs no more of the file.
        expect_random(&file);
        // The watch begins before the first look at the content, so that later writes are noticed.
        let is_file = matches!(identity, Identity::File { .. });
        let watch = if is_file { OpenWatch::begin(&file).ok() } else { None };
        let opened_by_others = AtomicBool::new(false);
        Ok(Handle(Arc::new(Held { directory, name, file, identity, watch, opened_by_others })))
    }

    /// The open file; only for reading.
    pub fn file(&self) -> &File {
        &self.0.file
    }

    /// The identity of the open file.
    pub fn identity(&self) -> Identity {
        self.0.identity
    }

    pub(super) fn directory(&self) -> &Directory {
        &self.0.directory
    }

    pub(super) fn name(&self) -> &OsString {
        &self.0.name
    }

    /// Opens the same file once more, for another access.
    ///
    /// # Errors
    /// As `open`.
    pub fn reopen(&self, access: Access) -> io::Result<File> {
        self.look_for_others();
        let opened = reopen(&self.0.file, access, &self.0.directory, &self.0.name);
        if let Some(watch) = &self.0.watch {
            // Of this very call.
            let _ = watch.was_opened();
        }
        opened
    }

    /// True if another process has opened the file since this handle exists; `None` where that can't be known.
    pub(super) fn was_opened_by_others(&self) -> Option<bool> {
        self.0.watch.as_ref()?;
        self.look_for_others();
        Some(self.0.opened_by_others.load(Ordering::Relaxed))
    }

    fn look_for_others(&self) {
        // Events that can't be read count as an opener.
        if self.0.watch.as_ref().is_some_and(|watch| watch.was_opened().unwrap_or(true)) {
            self.0.opened_by_others.store(true, Ordering::Relaxed);
        }
    }

    /// Removes the file and its mark, if it still has its name; whether it had.
    ///
    /// # Errors
    /// As `unlink`.
    pub fn remove(&self) -> io::Result<bool> {
        let Held { directory, name, identity, .. } = &*self.0;
        super::sidecar::remove(self);
        directory.remove_same(name, *identity)
    }
}
