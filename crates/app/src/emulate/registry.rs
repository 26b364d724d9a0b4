//! The place of running emulators and runs: a folder of the user, with the control socket of each emulator and the
//! status file of each run. Entries of killed programs are removed by the next program that sees them.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

pub use super::entries::listed;
use super::entries::{ENDING, only_one_of};
use crate::{Env, Failure};

/// Ending of the name of a run's status file.
pub const STATUS: &str = ".run";
/// Ending of the name of a status file while it is written.
pub(crate) const PART: &str = ".part";

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
    /// Returns an error if the folder belongs to another user or cannot be created.
    pub(super) fn of_this_process(control: Option<&Path>, env: &Env) -> Result<Entry, Failure> {
        let folder = folder(env)?;
        prune(&folder);
        let path = folder.join(ProcessKey::own().name(ENDING));
        let Some(control) = control else { return Ok(Entry { path, is_link: false }) };
        let told = |error: std::io::Error| Failure::io(format!("{}: {error}", path.display()));
        let target = std::path::absolute(control).map_err(told)?;
        symlink(target, &path).map_err(told)?;
        Ok(Entry { path, is_link: true })
    }

    /// Path of the control socket, unless another is given.
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
/// Returns an error if the folder belongs to another user or cannot be created.
pub fn running(env: &Env) -> Result<Vec<(u32, PathBuf)>, Failure> {
    let number = |path: &Path| Some(ProcessKey::of_entry(path)?.process);
    Ok(entries(&folder(env)?).into_iter().filter_map(|path| Some((number(&path)?, path))).collect())
}

/// The control socket of the only emulator that runs.
///
/// # Errors
/// Returns an error if no emulator runs, or several do; it lists them.
pub(super) fn only_one(env: &Env) -> Result<PathBuf, Failure> {
    let running = entries(&folder(env)?);
    only_one_of(running, "iobound emulate --vm DS14 --disk 10xP30 --fuse disks")
}

/// The sockets in the folder with a listening process.
fn entries(folder: &Path) -> Vec<PathBuf> {
    prune(folder);
    let mut paths = listed(folder, ENDING);
    paths.retain(|path| UnixStream::connect(path).is_ok());
    paths
}

/// Removes entries of processes that have ended. A socket that answers stays.
pub fn prune(folder: &Path) {
    for ending in [ENDING, STATUS, PART] {
        for path in listed(folder, ending) {
            let is_left = ProcessKey::of_entry(&path).is_some_and(|key| !key.runs());
            if is_left && (ending != ENDING || UnixStream::connect(&path).is_err()) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// A process, told from another one that has its number later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessKey {
    /// Its number.
    pub process: u32,
    /// Start time in the kernel's ticks since the boot of the machine, and the id of that boot; `None` without `/proc`.
    began: Option<(u64, String)>,
}

impl ProcessKey {
    /// This process.
    pub(crate) fn own() -> ProcessKey {
        let began = began_of("self").map(|(began, _)| began).zip(boot());
        ProcessKey { process: std::process::id(), began }
    }

    /// The name of its entry.
    pub(crate) fn name(&self, ending: &str) -> String {
        match &self.began {
            Some((ticks, boot)) => format!("{}-{ticks}-{boot}{ending}", self.process),
            None => format!("{}{ending}", self.process),
        }
    }

    /// The process of an entry; `None` if its name has another form.
    pub fn of_entry(path: &Path) -> Option<ProcessKey> {
        let mut parts = path.file_stem()?.to_str()?.split('-');
        let process = parts.next()?.parse().ok()?;
        let began = match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => None,
            (Some(ticks), Some(boot), None) => Some((ticks.parse().ok()?, boot.to_string())),
            _ => return None,
        };
        Some(ProcessKey { process, began })
    }

    /// True if it does: the process of that number began when this one did, and has not ended.
    pub(crate) fn runs(&self) -> bool {
        let Some((began, state)) = began_of(&self.process.to_string()) else {
            // Without /proc nobody can be known to have ended.
            return !Path::new("/proc/self/stat").exists();
        };
        let is_same = self
            .began
            .as_ref()
            .is_none_or(|(ticks, boot_id)| *ticks == began && boot().is_none_or(|now| now == *boot_id));
        is_same && !matches!(state, 'Z' | 'X')
    }
}

/// Start time and state of a process: proc(5), `/proc/PID/stat`, the fields after the name, which may contain any character.
fn began_of(process: &str) -> Option<(u64, char)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(19)?.parse().ok()?, fields.first()?.chars().next()?))
}

/// The beginning of the id that the kernel gives each start of the machine.
fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.chars().filter(char::is_ascii_hexdigit).take(8).collect())
}

/// `$XDG_RUNTIME_DIR/iobound`, or `/tmp/iobound-UID` without one: a folder of this user only.
pub fn folder(env: &Env) -> Result<PathBuf, Failure> {
    let user = rustix::process::geteuid().as_raw();
    let own = env.variable("XDG_RUNTIME_DIR").filter(|folder| Path::new(folder).is_dir());
    let path = match own {
        Some(folder) => Path::new(folder).join("iobound"),
        None => env.temporary_folder().join(format!("iobound-{user}")),
    };
    let told = |error: std::io::Error| Failure::io(format!("{}: {error}", path.display()));
    match fs::DirBuilder::new().mode(0o700).create(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(told(error)),
        _ => {}
    }
    let there = fs::symlink_metadata(&path).map_err(told)?;
    if !there.is_dir() || there.uid() != user || there.permissions().mode() & 0o077 != 0 {
        return Err(Failure::refused(format!(
            "{} is not a private folder: other users could impersonate your emulators",
            path.display()
        ))
        .help("remove it, or set XDG_RUNTIME_DIR to your own folder"));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_removed_also_if_its_number_was_given_again() {
        let folder = tempfile::tempdir().expect("there is room");
        let own = ProcessKey::own();
        let (ticks, boot) = own.began.clone().expect("this test needs /proc");
        let other_boot = if boot == "00000000" { "00000001" } else { "00000000" };
        let left = [
            // No process has a number beyond the kernel's largest, 2^22.
            "4194305".to_string(),
            format!("4194305-{ticks}-{boot}"),
            // Another process had this number before: it began at another time, or before the machine started.
            format!("{}-{}-{boot}", own.process, ticks - 1),
            format!("{}-{ticks}-{other_boot}", own.process),
        ];
        for ending in [ENDING, STATUS, PART] {
            for stem in &left {
                fs::write(folder.path().join(format!("{stem}{ending}")), "").expect("there is room");
            }
        }
        let kept = [own.name(ENDING), own.name(STATUS), own.name(PART), "notes.run".into(), "a.txt".into()];
        for name in &kept {
            fs::write(folder.path().join(name), "").expect("there is room");
        }
        assert!(entries(folder.path()).is_empty(), "nobody listens");
        let mut there: Vec<String> = fs::read_dir(folder.path())
            .expect("it is there")
            .map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned())
            .collect();
        there.sort();
        let mut expected = kept.to_vec();
        expected.sort();
        assert_eq!(there, expected);
        assert_eq!(ProcessKey::of_entry(Path::new(&own.name(ENDING))), Some(own));
    }

    #[test]
    fn a_process_that_was_killed_and_not_waited_for_does_not_run() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("sleep is there");
        let (ticks, _) = began_of(&child.id().to_string()).expect("it runs");
        let key = ProcessKey { process: child.id(), began: boot().map(|boot| (ticks, boot)) };
        assert!(key.runs());
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert!(!key.runs());
    }
}
