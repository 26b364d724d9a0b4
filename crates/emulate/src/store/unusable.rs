use std::fmt;
use std::path::{Path, PathBuf};

/// A file that cannot be a disk, or be below one: the finding, and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The file.
    pub path: PathBuf,
    /// The problem.
    pub found: String,
    /// The fix.
    pub help: String,
}

impl Unusable {
    pub(super) fn new(path: &Path, found: impl fmt::Display, help: impl fmt::Display) -> Unusable {
        Unusable { path: path.to_owned(), found: found.to_string(), help: help.to_string() }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.path.display(), self.found, self.help)
    }
}

impl std::error::Error for Unusable {}
