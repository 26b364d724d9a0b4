//! Temporary folders: in the user's own temporary folder, with a unique name, and removed when their program ends. What a
//! killed program left stays.

use std::path::Path;

use tempfile::{Builder, TempDir};

use crate::{Env, Failure};

/// Purpose of folders; each is a part of their names.
pub(crate) const MEASURE: &str = "measure";
pub(crate) const COORDINATOR: &str = "coordinator";

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// A new folder in the temporary one.
///
/// # Errors
/// Returns an error if the temporary folder is full or not writable.
pub(crate) fn folder(purpose: &str, env: &Env) -> Result<Scratch, Failure> {
    let at = env.temporary_folder();
    let prefix = format!("iobound-{purpose}-{}-", std::process::id());
    Builder::new().prefix(&prefix).tempdir_in(&at).map(Scratch).map_err(|error| {
        Failure::io(format!("cannot create a folder in {}: {error}", at.display()))
            .help("set TMP to a folder with free space that you can write to")
    })
}

/// Nothing of a killed program holds anything here.
pub(crate) fn repair(_env: &Env) -> Vec<String> {
    Vec::new()
}
