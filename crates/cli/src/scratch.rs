//! Folders for a while: of this user alone, and of nobody else's name.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use tempfile::{Builder, TempDir};

use crate::failure::Failure;

/// A new folder in the temporary one, which goes when this is dropped.
///
/// # Errors
/// There is no room for one, or no right.
pub(crate) fn folder(purpose: &str) -> Result<TempDir, Failure> {
    let at = std::env::temp_dir();
    let mut builder = Builder::new();
    builder.permissions(Permissions::from_mode(0o700));
    builder.prefix(&format!("iobound-{purpose}-")).tempdir_in(&at).map_err(|error| {
        Failure::io(format!("no folder can be made in {}: {error}", at.display()))
            .mend("set TMPDIR to a folder that you may write to")
    })
}
