//! Output files on systems without descriptors of directories: by their names.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::Unfit;
use super::kind::{DocumentKind, LOOKED_AT};
use crate::Env;

/// The path of a file.
#[derive(Clone, Debug)]
pub(super) struct OutPlace(PathBuf);

impl OutPlace {
    pub(super) fn of(path: &str, kind: DocumentKind) -> Result<OutPlace, Unfit> {
        if path == "-" || path.starts_with("fd:") {
            return Err(Unfit::Nameless("it stands for an open descriptor, and this system has none".into()));
        }
        let place = OutPlace(PathBuf::from(path));
        place.is_free(kind)?;
        Ok(place)
    }

    fn is_free(&self, kind: DocumentKind) -> Result<bool, Unfit> {
        match self.0.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(Unfit::Unwritable(error)),
            Ok(found) if !found.is_file() => {
                return Err(Unfit::Taken("exists and is not a regular file".into()));
            }
            Ok(_) => {}
        }
        let mut beginning = Vec::new();
        let read =
            File::open(&self.0).and_then(|file| file.take(LOOKED_AT as u64).read_to_end(&mut beginning));
        read.map_err(Unfit::Unwritable)?;
        if beginning.is_empty() || kind.is_of(&beginning) {
            return Ok(false);
        }
        Err(Unfit::Taken(format!("exists, and is {}", kind.denied())))
    }

    pub(super) fn claim(&self, shown: &str) -> Option<OutputClaim> {
        Some(OutputClaim { shown: shown.into(), path: std::path::absolute(&self.0).ok()? })
    }

    pub(super) fn write(&self, kind: DocumentKind, content: &[u8], env: &Env) -> Result<(), Unfit> {
        self.open(kind, env)?.write_all(content).map_err(Unfit::Unwritable)
    }

    pub(super) fn open(&self, kind: DocumentKind, _: &Env) -> Result<File, Unfit> {
        let opened = if self.is_free(kind)? { File::create_new(&self.0) } else { File::create(&self.0) };
        opened.map_err(Unfit::Unwritable)
    }
}

/// A file that something is written to, by its path.
#[derive(Clone, Debug)]
pub struct OutputClaim {
    shown: String,
    path: PathBuf,
}

impl fmt::Display for OutputClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl OutputClaim {
    /// Of a path; `None` where it has no absolute form.
    pub fn of_path(path: &Path) -> Option<OutputClaim> {
        Some(OutputClaim { shown: path.display().to_string(), path: std::path::absolute(path).ok()? })
    }

    /// True if both are one file.
    pub fn is_same(&self, other: &OutputClaim) -> bool {
        self.path == other.path
    }
}
