//! FUSE, which Windows does not have: nothing is mounted.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lateness::Lateness;
use crate::request::FrontId;
use crate::shared::Shared;

/// True if this build can mount.
pub const IS_BUILT: bool = false;

/// Reason why nothing is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotMounted(pub String);

impl fmt::Display for NotMounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotMounted {}

/// Users who may use the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Users {
    /// Only the user who started the program.
    #[default]
    Owner,
    /// All users that the mode of the files permits.
    OwnerAndRoot,
}

/// Mount options of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountOptions {
    /// The directory.
    pub directory: PathBuf,
    /// Users who may use the files.
    pub users: Users,
}

impl MountOptions {
    /// For the user who starts the program.
    pub fn of(directory: impl Into<PathBuf>) -> MountOptions {
        MountOptions { directory: directory.into(), users: Users::Owner }
    }
}

/// The end of a mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmounted {
    /// Nobody used it.
    Clean,
    /// A process still used it.
    InUse,
}

/// A directory that is served; never exists on Windows.
#[derive(Debug)]
pub struct Mounted(Infallible);

impl Mounted {
    /// Mounts nothing.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn start(_: &Arc<Shared>, _: FrontId, options: &MountOptions) -> Result<Mounted, NotMounted> {
        let folder = options.directory.display();
        Err(NotMounted(format!("{folder}: FUSE is Linux's: serve NBD (--nbd tcp:127.0.0.1:10809)")))
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        match self.0 {}
    }

    /// The delay with which replies went out.
    pub fn lateness(&self) -> &Arc<Lateness> {
        match self.0 {}
    }

    /// Earlier action on the directory.
    pub fn help_text(&self) -> Option<&str> {
        match self.0 {}
    }

    /// Unmounts.
    ///
    /// # Errors
    /// Never called: nothing is mounted.
    pub fn unmount(self) -> io::Result<Unmounted> {
        match self.0 {}
    }
}
