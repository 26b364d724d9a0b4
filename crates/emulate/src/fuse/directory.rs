//! The mount point: checked at the start, repaired after a killed server, and returned at the end.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount};

use super::NotMounted;
use super::mountinfo::{MountPoint, mount_at, mounts_in};

/// Name of our mounts in the kernel's list.
pub(super) const FSTYPE: &str = iobound_machine::EMULATED;

/// The files of a program that has just ended may be closed only then: the kernel does it behind the program's back, once its
/// last I/O is complete.
const LAST_CLOSE: Duration = Duration::from_millis(500);
/// Number of times that it is tried.
const GLANCE: Duration = Duration::from_millis(20);

/// Result of an unmount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmounted {
    /// Nobody used it.
    Clean,
    /// Files in it are open still: it is out of sight, and gone when they are closed or the program ends.
    InUse,
}

/// An empty directory.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    /// It was not there: it goes when the mount goes.
    is_made: bool,
    /// Action that emptied it.
    pub(super) repaired: Option<String>,
}

impl Directory {
    /// Finds the directory fit to be mounted on, or makes it so: a dead mount of ours is taken away, and a directory whose
    /// parent is there is made.
    pub(super) fn prepare(wanted: &Path) -> Result<Directory, NotMounted> {
        let refuse = |why: String| NotMounted(format!("{}: {why}", wanted.display()));
        let mut repaired = None;
        let mut is_made = false;
        // Killed more than once, it is mounted as often; more than that is not ours to understand.
        for _ in 0..16 {
            match std::fs::metadata(wanted) {
                Ok(found) if found.is_dir() => {
                    let path = wanted.canonicalize().map_err(|error| refuse(error.to_string()))?;
                    refuse_live(&path).map_err(refuse)?;
                    refuse_full(&path).map_err(refuse)?;
                    return Ok(Directory { path, is_made, repaired });
                }
                Ok(_) => {
                    return Err(refuse(
                        "this is not a directory; name an empty directory for the files".into(),
                    ));
                }
                Err(error) if error.raw_os_error() == Some(Errno::NOTCONN.raw_os_error()) => {
                    let path = dead_path(wanted).map_err(|error| refuse(error.to_string()))?;
                    take_away(&path).map_err(refuse)?;
                    repaired = Some("removed the mount of a program that was killed".into());
                }
                Err(error) if error.kind() == ErrorKind::NotFound && !is_made => {
                    std::fs::create_dir(wanted).map_err(|error| refuse(not_made(&error)))?;
                    is_made = true;
                }
                Err(error) => return Err(refuse(error.to_string())),
            }
        }
        Err(refuse("several mounts are stacked here; unmount them with `umount`".into()))
    }

    /// Takes the mount away.
    pub(super) fn unmount(&self) -> io::Result<Unmounted> {
        let began = Instant::now();
        loop {
            match unmount_with(&self.path, Leaving::Idle) {
                Ok(()) => return Ok(Unmounted::Clean),
                // Somebody was faster: `umount` by hand.
                Err(_) if mount_at(&self.path)?.is_none_or(|mount| mount.fstype != FSTYPE) => {
                    return Ok(Unmounted::Clean);
                }
                Err(_) if began.elapsed() < LAST_CLOSE => std::thread::sleep(GLANCE),
                Err(_) => return unmount_with(&self.path, Leaving::Used).map(|()| Unmounted::InUse),
            }
        }
    }

    /// Takes the directory away if it was made for the mount.
    pub(super) fn give_back(&self) {
        if self.is_made {
            // Somebody has put something there since: then it is theirs.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

fn not_made(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "neither the directory nor its parent exists".into(),
        _ => format!("it does not exist and cannot be created: {error}"),
    }
}

/// A dead mount can't be looked at: its place is found through its parent.
fn dead_path(wanted: &Path) -> io::Result<PathBuf> {
    let name = wanted.file_name().ok_or(ErrorKind::NotFound)?;
    let parent = wanted.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    Ok(parent.canonicalize()?.join(name))
}

fn take_away(path: &Path) -> Result<(), String> {
    let mount = mount_at(path).map_err(|error| error.to_string())?;
    match mount {
        Some(MountPoint { fstype, .. }) if fstype == FSTYPE => {
            unmount_with(path, Leaving::Used).map_err(|error| {
                format!("a program that was killed left its mount, and unmounting failed: {error}")
            })
        }
        Some(MountPoint { fstype, source, .. }) => Err(format!(
            "a mount of {source} ({fstype}), whose program has ended, is here and was not made by iobound; unmount it \
             with `fusermount -u`"
        )),
        None => Err("the path leads to a mount whose program has ended; name the mount point itself".into()),
    }
}

/// Takes away what programs that were killed left mounted in a folder of ours, and says how many mounts that were.
///
/// # Errors
/// Returns an error if another file system is mounted there, the emulator still runs, or the unmount fails.
pub fn take_away_dead(folder: &Path) -> Result<usize, NotMounted> {
    let refuse = |path: &Path, why: String| NotMounted(format!("{}: {why}", path.display()));
    let folder = folder.canonicalize().map_err(|error| refuse(folder, error.to_string()))?;
    let mounts = mounts_in(&folder).map_err(|error| refuse(&folder, error.to_string()))?;
    for (path, mount) in &mounts {
        let is_dead = std::fs::metadata(path)
            .is_err_and(|error| error.raw_os_error() == Some(Errno::NOTCONN.raw_os_error()));
        let is_ours = mount.fstype == FSTYPE;
        if !is_ours || !is_dead {
            let whose =
                if is_ours { "its program still runs" } else { "the mount here was not made by iobound" };
            return Err(refuse(path, whose.into()));
        }
        take_away(path).map_err(|why| refuse(path, why))?;
    }
    Ok(mounts.len())
}

/// Ends the connections of our mounts in a folder whose program was killed and does not end: a thread of it waits for a reply of
/// its own, which keeps the device open, which keeps the connection. Who waits gets an error.
pub fn abort_in(folder: &Path) {
    let Ok(mounts) = folder.canonicalize().and_then(|folder| mounts_in(&folder)) else { return };
    for (path, mount) in mounts.iter().filter(|(_, mount)| mount.fstype == FSTYPE) {
        abort(path, mount);
    }
}

/// State of a mount whose program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Nothing of ours is mounted there.
    Gone,
    /// It answers still: its program has not quite ended, or another one serves there by now.
    Alive,
}

/// Takes away the mount of a program that has ended. The path is absolute and has no links in it.
///
/// `is_stuck`: the program was killed and can't end, since it waits for a reply of its own. Its connection is ended first.
///
/// # Errors
/// Returns an error if the directory cannot be unmounted.
pub fn take_away_left(path: &Path, is_stuck: bool) -> Result<Leftover, NotMounted> {
    let refuse = |why: String| NotMounted(format!("{}: {why}", path.display()));
    let ours = |mount: &MountPoint| mount.fstype == FSTYPE;
    let Some(mount) = mount_at(path).map_err(|error| refuse(error.to_string()))?.filter(ours) else {
        return Ok(Leftover::Gone);
    };
    if is_stuck {
        abort(path, &mount);
    }
    match std::fs::metadata(path) {
        Err(error) if error.raw_os_error() == Some(Errno::NOTCONN.raw_os_error()) => {}
        _ => return Ok(Leftover::Alive),
    }
    take_away(path).map(|()| Leftover::Gone).map_err(refuse)
}

/// Ends the connection of a mount.
fn abort(path: &Path, mount: &MountPoint) {
    // Root's way fails if the directory is in use, but ends the connection. Then the way of the mounting user follows,
    // if there is one.
    let _ = unmount(path, UnmountFlags::NOFOLLOW | UnmountFlags::FORCE);
    let _ = std::fs::write(format!("/sys/fs/fuse/connections/{}/abort", mount.minor), "1");
}

fn refuse_live(path: &Path) -> Result<(), String> {
    match mount_at(path).map_err(|error| error.to_string())? {
        Some(mount) if mount.fstype == FSTYPE => {
            Err("a running program already serves disks here; end it, or name another directory".into())
        }
        _ => Ok(()),
    }
}

fn refuse_full(path: &Path) -> Result<(), String> {
    let mut entries = std::fs::read_dir(path).map_err(|error| error.to_string())?;
    match entries.next() {
        None => Ok(()),
        Some(entry) => {
            let name = entry.map_err(|error| error.to_string())?.file_name();
            let name = name.to_string_lossy();
            Err(format!(
                "it contains {name:?}, which the mount would hide; name an empty directory, or a new one"
            ))
        }
    }
}

/// True if what is in use stays mounted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaving {
    Idle,
    Used,
}

/// By the system call, or by the helper that lets people unmount what is theirs.
fn unmount_with(path: &Path, leaving: Leaving) -> io::Result<()> {
    let flags = match leaving {
        Leaving::Idle => UnmountFlags::NOFOLLOW,
        Leaving::Used => UnmountFlags::NOFOLLOW | UnmountFlags::DETACH,
    };
    match unmount(path, flags) {
        Err(Errno::PERM) => {}
        done => return Ok(done?),
    }
    let mut last = io::Error::from(ErrorKind::NotFound);
    // Where it was found when it mounted: by name, or where systems keep it.
    for helper in ["fusermount3", "fusermount", "/bin/fusermount3", "/bin/fusermount"] {
        let lazy: &[&str] = if leaving == Leaving::Used { &["-z"] } else { &[] };
        let mut command = Command::new(helper);
        command.arg("-u").args(lazy).arg("--").arg(path).stdin(Stdio::null());
        match command.output() {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
            }
            Err(error) => last = io::Error::new(error.kind(), format!("{helper}: {error}")),
        }
    }
    Err(last)
}
