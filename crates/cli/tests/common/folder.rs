//! A folder for a test's files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A folder that only this user can enter; it is removed at the test's end.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        // A socket that others can reach is refused.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        Folder(folder)
    }

    /// The folder's path.
    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// The path of a file in it, as a word of a command line.
    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// The folder itself, as a word of a command line.
    pub(crate) fn here(&self) -> String {
        self.root().display().to_string()
    }

    /// Writes a file, and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        self.text(name)
    }
}
