use std::fmt;
use std::path::PathBuf;

/// Reason why a store can't be used.
#[derive(Debug)]
pub enum StoreError {
    /// There is no such file.
    Missing(PathBuf),
    /// The file is no SQLite database, or another program's.
    NotAStore {
        /// The file.
        path: PathBuf,
        /// Its real kind.
        what: String,
    },
    /// A later version of the program has written it.
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its tables.
        version: i64,
    },
    /// The file can't be read or written.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The action taken.
        doing: &'static str,
        /// SQLite's reason.
        cause: rusqlite::Error,
    },
    /// Stored data of a run can't be read.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The run.
        id: crate::RunId,
        /// Reason.
        why: String,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Missing(path) => write!(f, "{}: there is no such file", path.display()),
            StoreError::NotAStore { path, what } => {
                write!(f, "{} is not a results store: {what}", path.display())
            }
            StoreError::Newer { path, version } => write!(
                f,
                "{} was written by a later version of iobound: its schema version is {version}, and this \
                 program supports up to {}",
                path.display(),
                crate::VERSION
            ),
            StoreError::Sqlite { path, doing, cause } => {
                write!(f, "{} cannot be {doing}: {cause}", path.display())
            }
            StoreError::Damaged { path, id, why } => {
                write!(f, "{}: cannot read the stored run {id}: {why}", path.display())
            }
        }
    }
}

impl std::error::Error for StoreError {}
