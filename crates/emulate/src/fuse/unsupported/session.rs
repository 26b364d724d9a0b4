//! FUSE of a build without the feature `fuse`: nothing is mounted.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use super::MountOptions;
use crate::lateness::Lateness;
use crate::request::FrontId;
use crate::shared::Shared;

/// There is no session.
#[derive(Debug)]
pub(super) enum FuseSession {}

impl FuseSession {
    pub(super) fn join(self) -> io::Result<()> {
        match self {}
    }
}

/// Mounts nothing.
///
/// # Errors
/// Always returns an error; it names the build that has FUSE.
pub(super) fn start(
    _: &Arc<Shared>,
    _: FrontId,
    _: &Path,
    _: &MountOptions,
) -> io::Result<(FuseSession, Arc<Lateness>)> {
    Err(io::Error::new(
        ErrorKind::Unsupported,
        "this build has no FUSE: build the full program (cargo build --release --features full), or serve NBD (--nbd)",
    ))
}
