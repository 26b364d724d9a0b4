//! Temporary folders: private to this user, with a unique name, and removed when their program ends, however it ends.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use iobound_emulate::fuse::{abort_in, take_away_dead};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use tempfile::{Builder, TempDir};

use crate::{Env, Failure};

/// Purpose of folders; each is a part of their names.
pub(crate) const MEASURE: &str = "measure";
pub(crate) const REHEARSAL: &str = "rehearsal";
pub(crate) const COORDINATOR: &str = "coordinator";
pub(crate) const RANK: &str = "rank";

/// A folder that is removed when this is dropped. If the program is killed, [`repair`] of the next start removes the
/// folder and its mounts; a free lock tells it that the program has ended.
#[derive(Debug)]
pub(crate) struct Scratch {
    // Removed before the lock, so that no other program takes it for an abandoned folder.
    folder: TempDir,
    _lock: Option<File>,
}

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A new folder in the temporary one.
///
/// # Errors
/// Returns an error if the temporary folder is full or not writable.
pub(crate) fn folder(purpose: &str, env: &Env) -> Result<Scratch, Failure> {
    let at = env.temporary_folder();
    folder_in(&at, purpose).map_err(|error| {
        Failure::io(format!("cannot create a folder in {}: {error}", at.display()))
            .help("set TMPDIR to a folder with free space that you can write to")
    })
}

fn folder_in(at: &Path, purpose: &str) -> io::Result<Scratch> {
    loop {
        let mut builder = Builder::new();
        builder.permissions(Permissions::from_mode(0o700));
        let prefix = format!("{}{}-", prefix(purpose), std::process::id());
        let folder = builder.prefix(&prefix).tempdir_in(at)?;
        match locked(folder.path()) {
            Ok(lock) => return Ok(Scratch { folder, _lock: Some(lock) }),
            // Between its creation and its lock, another start has found it and removes it.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::WouldBlock) => {}
            // A file system without locks: no other process gets one either, so the folder is never taken for an
            // abandoned one.
            Err(_) => return Ok(Scratch { folder, _lock: None }),
        }
    }
}

fn prefix(purpose: &str) -> String {
    format!("iobound-{purpose}-")
}

/// The lock of a folder that is ours alone and still has its name; the kernel gives it back when its program ends.
fn locked(path: &Path) -> io::Result<File> {
    let folder = File::from(open(
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?);
    let there = folder.metadata()?;
    if there.uid() != rustix::process::geteuid().as_raw() || there.mode() & 0o077 != 0 {
        return Err(ErrorKind::PermissionDenied.into());
    }
    flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
    let named = fs::symlink_metadata(path)?;
    if (named.dev(), named.ino()) != (there.dev(), there.ino()) {
        return Err(ErrorKind::NotFound.into());
    }
    Ok(folder)
}

/// Takes away what programs of this user left in the temporary folder when they were killed: their folders, and the dead mounts in
/// them. Says what was done, or why it was not.
pub(crate) fn repair(env: &Env) -> Vec<String> {
    mend_in(&env.temporary_folder())
}

fn mend_in(at: &Path) -> Vec<String> {
    // Who can't list it can't have left anything there.
    let Ok(listed) = fs::read_dir(at) else { return Vec::new() };
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        [MEASURE, REHEARSAL, COORDINATOR, RANK].iter().any(|purpose| name.starts_with(&prefix(purpose)))
    };
    let mut left: Vec<PathBuf> =
        listed.filter_map(|entry| Some(entry.ok()?.path())).filter(is_ours).collect();
    left.sort();
    left.iter().filter_map(|path| repaired(path)).collect()
}

/// Note on the removal of one of them, if there was any.
fn repaired(path: &Path) -> Option<String> {
    // Somebody else's, or of a program that runs.
    let _lock = locked(path).or_else(|error| after_its_end(path, error)).ok()?;
    let what = path.display();
    // A mount there that cannot be removed belongs to another program.
    let gone = take_away_dead(path).map_err(|error| error.to_string());
    match gone.and_then(|_| fs::remove_dir_all(path).map_err(|error| error.to_string())) {
        Ok(()) => Some(format!("{what}: removed the remains of a program that was killed")),
        Err(why) => Some(format!("{what}: a program that was killed left it, and removing it failed: {why}")),
    }
}

/// Time that a program may take to end, once nothing holds it.
const LAST_CLOSE: Duration = Duration::from_secs(2);
/// Number of times that it is looked whether it did.
const GLANCE: Duration = Duration::from_millis(10);

/// The lock of a folder whose program was killed and can't end: of its own files it waits for a reply that nobody sends.
fn after_its_end(path: &Path, error: io::Error) -> io::Result<File> {
    if error.kind() != ErrorKind::WouldBlock || !process_of(path).is_some_and(is_dead) {
        return Err(error);
    }
    abort_in(path);
    let began = Instant::now();
    loop {
        match locked(path) {
            Err(error) if error.kind() == ErrorKind::WouldBlock && began.elapsed() < LAST_CLOSE => {
                std::thread::sleep(GLANCE);
            }
            done => return done,
        }
    }
}

/// The process that a folder is named for.
fn process_of(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.split('-').nth(2)?.parse().ok()
}

/// True if a process was killed and is not gone. That it has our name sees to it that another system's number, where a folder is
/// shared, is not taken for this one's.
fn is_dead(process: u32) -> bool {
    let of = |process: &str| fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let (status, own) = (of(&process.to_string()), of("self"));
    field(&status, "Name") == field(&own, "Name") && says_dead(&status)
}

/// True if a process was killed and can't end.
pub(crate) fn was_killed(process: u32) -> bool {
    says_dead(&fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default())
}

/// By proc(5), `/proc/PID/status`: its first thread is gone while others are not, or SIGKILL waits for it. Without other threads
/// nothing of it is left but its exit code, and its files are closed.
fn says_dead(status: &str) -> bool {
    const KILL: u64 = 1 << (9 - 1);
    let has_kill = |name| {
        let pending = field(status, name).and_then(|mask| u64::from_str_radix(mask, 16).ok());
        pending.is_some_and(|mask| mask & KILL != 0)
    };
    let state = field(status, "State").and_then(|state| state.split_whitespace().next());
    let threads: Option<u32> = field(status, "Threads").and_then(|count| count.parse().ok());
    match state {
        Some("Z" | "X") => threads.is_some_and(|count| count > 1),
        _ => has_kill("SigPnd") || has_kill("ShdPnd"),
    }
}

/// A field of a status, without the space around it.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = status.lines().filter_map(|line| line.split_once(':'));
    fields.find(|(of, _)| *of == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_program_left_is_taken_away_and_what_is_in_use_or_of_another_name_is_not() {
        let at = tempfile::tempdir().expect("there is room");
        let used = folder_in(at.path(), MEASURE).expect("there is room");
        // The lock is the kernel's to give back: a folder of which it did is as that of a killed program.
        let left = at.path().join("iobound-rehearsal-left");
        let other = at.path().join("iobound-else");
        let file = at.path().join("iobound-measure-file");
        let open_to_all = at.path().join("iobound-measure-open");
        for folder in [&left, &other, &open_to_all] {
            fs::create_dir(folder).expect("it is new");
        }
        fs::write(&file, "").expect("it is new");
        fs::set_permissions(&left, Permissions::from_mode(0o700)).expect("ours");
        fs::set_permissions(&open_to_all, Permissions::from_mode(0o777)).expect("ours");
        fs::write(left.join("0.sock"), "").expect("it is new");
        let said = mend_in(at.path());
        assert_eq!(said, [format!("{}: removed the remains of a program that was killed", left.display())]);
        assert!(!left.exists());
        assert!(used.path().is_dir() && other.is_dir() && file.is_file() && open_to_all.is_dir());
        assert!(mend_in(at.path()).is_empty());
        let path = used.path().to_path_buf();
        drop(used);
        assert!(!path.exists());
    }

    /// The lines are those of a program that was killed while it read from its own mount, and of one that runs.
    #[test]
    fn a_process_that_was_killed_is_dead_before_it_is_gone() {
        let of_threads = |state: &str, own: &str, shared: &str, threads: u32| {
            format!(
                "Name:\tiobound\nState:\t{state}\nThreads:\t{threads}\nSigPnd:\t{own}\nShdPnd:\t{shared}\n"
            )
        };
        let status = |state: &str, own: &str, shared: &str| of_threads(state, own, shared, 2);
        let (none, kill) = ("0000000000000000", "0000000000000100");
        assert!(says_dead(&status("D (disk sleep)", kill, none)));
        assert!(says_dead(&status("D (disk sleep)", none, kill)));
        assert!(says_dead(&status("Z (zombie)", none, none)));
        // It is gone, and only its exit code waits: what is mounted now is not its mount.
        assert!(!says_dead(&of_threads("Z (zombie)", none, none, 1)));
        assert!(!says_dead(&of_threads("Z (zombie)", none, kill, 1)));
        // SIGINT is bit 1.
        assert!(!says_dead(&status("D (disk sleep)", "0000000000000002", none)));
        assert!(!says_dead(&status("S (sleeping)", none, none)) && !says_dead(""));
        assert!(!is_dead(std::process::id()));
        assert_eq!(process_of(Path::new("/tmp/iobound-measure-123-aB")), Some(123));
        assert_eq!(process_of(Path::new("/tmp/iobound-measure-aB")), None);
    }

    #[test]
    fn a_link_of_such_a_name_is_not_followed() {
        let at = tempfile::tempdir().expect("there is room");
        let elsewhere = tempfile::tempdir().expect("there is room");
        fs::set_permissions(elsewhere.path(), Permissions::from_mode(0o700)).expect("ours");
        std::os::unix::fs::symlink(elsewhere.path(), at.path().join("iobound-measure-link"))
            .expect("it is new");
        assert!(mend_in(at.path()).is_empty());
        assert!(elsewhere.path().is_dir());
    }
}
