//! The front that speaks FUSE: a directory with a file for each volume and each disk, without anything to attach.
//!
//! Every read and write of such a file passes the model, past the page cache, as a disk's with direct I/O: a file opened
//! with `O_DIRECT` takes whole sectors only. Other users of the file (`cp`, a loop device, `mkfs`) read and write what they
//! like: sectors that they begin or end in are completed from the data.

mod directory;
#[cfg(feature = "fuse")]
mod files;
mod mountinfo;
#[cfg(feature = "fuse")]
mod replies;
#[cfg(feature = "fuse")]
mod server;
#[cfg_attr(not(feature = "fuse"), path = "unsupported/session.rs")]
mod session;

use std::fmt;
use std::io::{self, ErrorKind};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use directory::{Leftover, Unmounted, abort_in, take_away_dead, take_away_left};

use crate::lateness::Lateness;
use crate::request::FrontId;
use crate::shared::Shared;
use directory::Directory;
use session::{FuseSession, start};

/// True if this build can mount: it has the feature `fuse`.
pub const IS_BUILT: bool = cfg!(feature = "fuse");

/// Reason why nothing is mounted, in a sentence that begins with the directory.
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
    /// Only the user who started the program; not even root, if that is another user.
    #[default]
    Owner,
    /// All users that the mode of the files permits: their owner (0600), and root. A loop device of a directory that
    /// another user mounted needs it, and `user_allow_other` in /etc/fuse.conf.
    OwnerAndRoot,
}

/// Mount options of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountOptions {
    /// Empty, or not there; then it is made, and taken away at the end.
    pub directory: PathBuf,
    /// Users who may use the files.
    pub users: Users,
    /// Number of threads that read the kernel's requests, at least one. More than one helps where clients are many and the model's
    /// work for a request is small.
    pub threads: usize,
}

impl MountOptions {
    /// One thread, for the user who starts the program.
    pub fn of(directory: impl Into<PathBuf>) -> MountOptions {
        MountOptions { directory: directory.into(), users: Users::Owner, threads: 1 }
    }
}

/// A directory that is served; it is unmounted when this is dropped.
#[derive(Debug)]
pub struct Mounted {
    directory: Directory,
    session: Option<FuseSession>,
    lateness: Arc<Lateness>,
}

impl Mounted {
    /// Mounts the exports of an emulator, as its front of that id.
    ///
    /// # Errors
    /// Returns an error if the directory is not empty or already in use, mounting is not permitted, FUSE is missing, or
    /// a name is not a valid file name.
    pub fn start(shared: &Arc<Shared>, id: FrontId, options: &MountOptions) -> Result<Mounted, NotMounted> {
        assert!(options.threads > 0, "a thread that reads requests");
        check_names(shared)?;
        // The guardian of a killed program removes the directory that the program had made, and may do so just now.
        const TRIES: usize = 3;
        let mut tries = 0;
        loop {
            tries += 1;
            let directory = Directory::prepare(&options.directory)?;
            match start(shared, id, &directory.path, options) {
                Ok((session, lateness)) => {
                    return Ok(Mounted { directory, session: Some(session), lateness });
                }
                Err(_) if tries < TRIES && !directory.path.exists() => {}
                Err(error) => {
                    directory.give_back();
                    return Err(NotMounted(format!("{}: {}", directory.path.display(), words(&error))));
                }
            }
        }
    }

    /// The directory, as an absolute path without links.
    pub fn directory(&self) -> &Path {
        &self.directory.path
    }

    /// The delay with which replies went out.
    pub fn lateness(&self) -> &Arc<Lateness> {
        &self.lateness
    }

    /// Earlier action on the directory, if there was any, in a sentence.
    pub fn help_text(&self) -> Option<&str> {
        self.directory.repaired.as_deref()
    }

    /// Unmounts; true if a process still used it. Open files then work until the program ends.
    ///
    /// # Errors
    /// Returns an error if the directory is still mounted.
    pub fn unmount(mut self) -> io::Result<Unmounted> {
        self.end()
    }

    fn end(&mut self) -> io::Result<Unmounted> {
        let Some(session) = self.session.take() else { return Ok(Unmounted::Clean) };
        let unmounted = match self.directory.unmount() {
            Ok(unmounted) => unmounted,
            Err(error) => {
                self.session = Some(session);
                return Err(error);
            }
        };
        match unmounted {
            Unmounted::Clean => session.join()?,
            // Its end would unmount by the path, where something else may be by now.
            Unmounted::InUse => {
                let _left = ManuallyDrop::new(session);
            }
        }
        self.directory.give_back();
        Ok(unmounted)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // No client is left. The end of the program closes the device, and the next start repairs the rest.
        let _ = self.end();
    }
}

fn check_names(shared: &Shared) -> Result<(), NotMounted> {
    let emulator = shared.lock();
    let is_no_name =
        |name: &str| matches!(name, "" | "." | "..") || name.len() > 255 || name.contains(['/', '\0']);
    match emulator.exports().iter().find(|export| is_no_name(&export.name)) {
        None => Ok(()),
        Some(export) => Err(NotMounted(format!(
            "{:?} is not a file name; the name of a volume or disk must have 1 to 255 bytes without a slash",
            export.name
        ))),
    }
}

/// Explanation of a failed mount.
fn words(error: &io::Error) -> String {
    let said = error.to_string();
    match error.kind() {
        ErrorKind::NotFound => {
            format!(
                "FUSE is not available ({}): the kernel's module is missing (`modprobe fuse`), or without root the helper \
                 fusermount3 (package fuse3)",
                said.trim()
            )
        }
        _ => format!("mounting failed: {}", said.trim()),
    }
}
