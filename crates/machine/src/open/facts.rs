use std::fs::File;
use std::io;
use std::path::Path;

use crate::sys;
pub use crate::sys::facts::{Access, Birth, Facts, FileKind, Identity};

impl Facts {
    /// The facts of an open file.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn of(file: &File) -> io::Result<Facts> {
        sys::open::facts(file)
    }

    /// The facts of what a path leads to, all links followed.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn at(path: &Path) -> io::Result<Facts> {
        sys::open::facts_at(path)
    }

    /// True if it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == FileKind::File
    }
}

impl Identity {
    /// The identity of an open file.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn of_open(file: &File) -> io::Result<Identity> {
        Ok(Facts::of(file)?.identity)
    }

    /// The identity of what a path leads to, all links followed; `None` if nothing is there. For comparisons that
    /// protect no data.
    pub fn at(path: &Path) -> Option<Identity> {
        Some(Facts::at(path).ok()?.identity)
    }
}

impl Birth {
    /// The identity of an open file.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn of(file: &File) -> io::Result<Birth> {
        sys::open::birth(file)
    }
}
