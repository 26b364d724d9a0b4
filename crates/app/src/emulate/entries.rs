//! Entries of a folder of running programs, and the only one among them, on every platform.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;

/// Ending of the name of an emulator's entry; before it is its process.
pub(super) const ENDING: &str = ".ctl";

/// The entries of that ending, by name.
pub fn listed(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(listed) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ending)));
    paths.sort();
    paths
}

/// The control path of the only emulator that runs; `start` says how to start one.
///
/// # Errors
/// Returns an error if no emulator runs, or several do; it lists them.
pub(super) fn only_one_of(mut running: Vec<PathBuf>, start: &str) -> Result<PathBuf, Failure> {
    match running.len() {
        0 => Err(Failure::input("you have no running emulator").help(format!("start one: {start}"))),
        1 => Ok(running.remove(0)),
        n => {
            let lines: Vec<String> =
                running.iter().map(|path| format!("--control {}", path.display())).collect();
            Err(Failure::input(format!("{n} emulators run"))
                .help(format!("say which: {}", lines.join(", or "))))
        }
    }
}
