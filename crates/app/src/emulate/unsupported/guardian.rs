//! The process that removes a FUSE mount: Windows has no such mounts.

use std::io;
use std::path::Path;

use crate::{Env, Exit, Failure};

/// A guardian of a mount; never exists on Windows.
#[derive(Debug)]
pub(crate) enum Guardian {}

impl Guardian {
    /// No guardian: nothing is mounted.
    ///
    /// # Errors
    /// Never returns an error.
    pub(crate) fn over(_directory: &Path, _env: &Env) -> io::Result<Option<Guardian>> {
        Ok(None)
    }
}

/// Waits for the end of the process that mounts.
///
/// # Errors
/// Always returns an error.
pub fn guard(directory: &Path, _made: bool) -> Result<Exit, Failure> {
    Err(Failure::input(format!("{}: nothing is mounted on Windows", directory.display()))
        .help("serve NBD: iobound emulate --vm DS14 --disk 10xP30 --nbd tcp:127.0.0.1:10809"))
}
