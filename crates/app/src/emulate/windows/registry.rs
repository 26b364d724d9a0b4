//! The place of running emulators: a folder in the user's temporary folder, with the control file of each emulator. Files of
//! killed programs are removed by the next program that sees them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iobound_emulate::control;

use crate::{Env, Failure};

/// Ending of the name of an emulator's file; before it is its process.
const ENDING: &str = ".ctl";

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
    let mut running = running_in(&folder(env)?);
    match running.len() {
        0 => Err(Failure::input("you have no running emulator").help(
            "start one: iobound emulate --vm DS14 --disk 10xP30 --nbd tcp:127.0.0.1:10809, or name the control file of one: --control PATH",
        )),
        1 => Ok(running.remove(0)),
        n => {
            let lines: Vec<String> =
                running.iter().map(|path| format!("--control {}", path.display())).collect();
            Err(Failure::input(format!("{n} emulators run"))
                .help(format!("say which: {}", lines.join(", or "))))
        }
    }
}

/// The control files in the folder that an emulator answers for. Others are removed.
fn running_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(listed) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ENDING)));
    paths.sort();
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
