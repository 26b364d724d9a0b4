use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A path that cannot be opened, or must not be.
#[derive(Debug)]
pub enum PathError {
    /// The system refused.
    Io {
        /// The path as the user named it.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// Another user can change where the path leads.
    Untrusted {
        /// The path as the user named it.
        path: PathBuf,
        /// The component in question, and the user who can change it.
        found: String,
        /// Advice: how to fix it.
        help: String,
    },
}

impl PathError {
    pub(crate) fn io(path: &Path, error: impl Into<io::Error>) -> PathError {
        PathError::Io { path: path.to_path_buf(), error: error.into() }
    }

    /// The system's error, if it was one.
    pub fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            PathError::Io { error, .. } => Some(error.kind()),
            PathError::Untrusted { .. } => None,
        }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            PathError::Untrusted { path, found, help } => {
                write!(f, "{}: {found}; {help}", path.display())
            }
        }
    }
}

impl std::error::Error for PathError {}

impl From<PathError> for io::Error {
    fn from(error: PathError) -> io::Error {
        match error {
            PathError::Io { error, .. } => error,
            PathError::Untrusted { found, help, .. } => io::Error::other(format!("{found}; {help}")),
        }
    }
}

/// A function that this program has on other platforms only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOnThisPlatform {
    /// Unsupported operation.
    pub what: &'static str,
}

impl fmt::Display for NotOnThisPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not implemented on {}: use Linux", self.what, std::env::consts::OS)
    }
}

impl std::error::Error for NotOnThisPlatform {}

impl From<NotOnThisPlatform> for io::Error {
    fn from(error: NotOnThisPlatform) -> io::Error {
        io::Error::new(io::ErrorKind::Unsupported, error)
    }
}
