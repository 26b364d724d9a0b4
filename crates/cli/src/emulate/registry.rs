//! Where emulators that run are found: a folder of the user's own, with the control socket of each.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// How the name of an entry ends; before it is the number of the process.
const ENDING: &str = ".ctl";

/// The place of an emulator among those that run, until it is dropped.
#[derive(Debug)]
pub(super) struct Entry {
    path: PathBuf,
    is_link: bool,
}

impl Entry {
    /// A place for this process. With a control socket elsewhere, it is a link to that.
    ///
    /// # Errors
    /// The folder is somebody else's, or can't be made.
    pub(super) fn of_this_process(control: Option<&Path>) -> Result<Entry, Failure> {
        let path = folder()?.join(format!("{}{ENDING}", std::process::id()));
        // A killed process of the same number left it.
        let _ = fs::remove_file(&path);
        let Some(control) = control else { return Ok(Entry { path, is_link: false }) };
        let told = |error: std::io::Error| Failure::io(format!("{}: {error}", path.display()));
        let target = std::path::absolute(control).map_err(told)?;
        symlink(target, &path).map_err(told)?;
        Ok(Entry { path, is_link: true })
    }

    /// Where the control socket is if it is nowhere else.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if self.is_link {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The emulators of this user that run: the number of each one's process, and its control socket.
///
/// # Errors
/// The folder is somebody else's, or can't be made.
pub(crate) fn running() -> Result<Vec<(u32, PathBuf)>, Failure> {
    let number = |path: &Path| path.file_stem()?.to_str()?.parse().ok();
    Ok(entries(&folder()?).into_iter().filter_map(|path| Some((number(&path)?, path))).collect())
}

/// The control socket of the only emulator that runs.
///
/// # Errors
/// None runs, or several do: then they are listed.
pub(super) fn only_one() -> Result<PathBuf, Failure> {
    let mut running: Vec<PathBuf> = entries(&folder()?);
    match running.len() {
        0 => Err(Failure::input("no emulator of yours runs")
            .mend("start one: iobound emulate --vm DS14 --disk 10xP30 --fuse disks")),
        1 => Ok(running.remove(0)),
        n => {
            let lines: Vec<String> =
                running.iter().map(|path| format!("--control {}", path.display())).collect();
            Err(Failure::input(format!("{n} emulators run"))
                .mend(format!("say which: {}", lines.join(", or "))))
        }
    }
}

/// The sockets in the folder that somebody listens at; what killed programs left is taken away.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(listed) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ENDING)));
    paths.sort();
    paths.retain(|path| {
        let lives = UnixStream::connect(path).is_ok();
        if !lives && !runs(path) {
            let _ = fs::remove_file(path);
        }
        lives
    });
    paths
}

/// Whether the process of an entry does: one that is about to listen does not yet.
pub(crate) fn runs(entry: &Path) -> bool {
    entry.file_stem().is_some_and(|process| Path::new("/proc").join(process).exists())
}

/// `$XDG_RUNTIME_DIR/iobound`, or `/tmp/iobound-UID` without one: this user's, and nobody else's.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let user = rustix::process::geteuid().as_raw();
    let own = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| Path::new(folder).is_dir());
    let path = match own {
        Some(folder) => Path::new(&folder).join("iobound"),
        None => std::env::temp_dir().join(format!("iobound-{user}")),
    };
    let told = |error: std::io::Error| Failure::io(format!("{}: {error}", path.display()));
    match fs::DirBuilder::new().mode(0o700).create(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(told(error)),
        _ => {}
    }
    let there = fs::symlink_metadata(&path).map_err(told)?;
    if !there.is_dir() || there.uid() != user || there.permissions().mode() & 0o077 != 0 {
        return Err(Failure::refused(format!(
            "{} is not a folder that is yours alone: who can write there could speak for your emulators",
            path.display()
        ))
        .mend("remove it, or set XDG_RUNTIME_DIR to a folder of yours"));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_taken_away_and_one_that_starts_is_left_alone() {
        let folder = tempfile::tempdir().expect("there is room");
        let own = folder.path().join(format!("{}{ENDING}", std::process::id()));
        // No process has a number beyond the kernel's largest, 2^22.
        let dead = folder.path().join(format!("4194305{ENDING}"));
        for path in [&own, &dead] {
            symlink(folder.path().join("nobody listens"), path).expect("it is free");
        }
        assert!(entries(folder.path()).is_empty());
        assert_eq!((own.is_symlink(), dead.is_symlink()), (true, false));
    }
}
