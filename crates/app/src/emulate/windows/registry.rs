//! The place of running emulators: a folder in the user's temporary folder, with the control file of each emulator. Files of
//! killed programs are removed by the next program that sees them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iobound_emulate::control;

pub use super::entries::listed;
use super::entries::{ENDING, only_one_of};
use crate::{Env, Failure};

/// The place of an emulator among those that run.
#[derive(Debug)]
pub(super) struct Entry(PathBuf);

impl Entry {
    /// A place for this process. An emulator with a control file elsewhere has none: its commands name that file.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(super) fn of_this_process(control: Option<&Path>, env: &Env) -> Result<Entry, Failure> {
        if let Some(control) = control {
            return Ok(Entry(control.to_path_buf()));
        }
        let folder = folder(env)?;
        running_in(&folder);
        Ok(Entry(folder.join(format!("{}{ENDING}", std::process::id()))))
    }

    /// Path of the control file.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// The control file of the only emulator that runs.
///
/// # Errors
/// Returns an error if no emulator runs, or several do; it lists them.
pub(super) fn only_one(env: &Env) -> Result<PathBuf, Failure> {
    let start = "iobound emulate --vm DS14 --disk 10xP30 --nbd tcp:127.0.0.1:10809, or name the control file of one: \
                 --control PATH";
    only_one_of(running_in(&folder(env)?), start)
}

/// The control files in the folder that an emulator answers for. Others are removed.
fn running_in(folder: &Path) -> Vec<PathBuf> {
    let mut paths = listed(folder, ENDING);
    paths.retain(|path| match control::ask(path, "") {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::InvalidData => false,
        Err(_) => {
            let _ = fs::remove_file(path);
            false
        }
    });
    paths
}

/// `iobound` in the temporary folder, which Windows gives each user.
fn folder(env: &Env) -> Result<PathBuf, Failure> {
    let path = env.temporary_folder().join("iobound");
    match fs::create_dir(&path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Failure::io(format!("{}: {error}", path.display())).help("set TMP to a folder of your own"))
        }
        _ => Ok(path),
    }
}
