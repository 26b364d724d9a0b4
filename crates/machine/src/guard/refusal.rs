use std::fmt;
use std::path::PathBuf;

/// Reason why something is not written over, for programs; the sentence is [`Refusal`]'s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// It is not there, and can't be made there.
    Missing,
    /// It is a character device, a pipe or a socket.
    NotAFile,
    /// It is a folder.
    Directory,
    /// Its file system or device is read-only.
    ReadOnly,
    /// It is a file of the kernel's own, as in `/proc`.
    Kernel,
    /// Its content cannot be determined, so it may be anything.
    Unexamined,
    /// A file system on it, or on what belongs to it, is mounted.
    Mounted,
    /// The machine swaps to it.
    Swap,
    /// An active array, volume or cache is built on it.
    BuiltOn,
    /// A loop device shows it as a disk.
    Loop,
    /// It is a member of an array, volume group or pool, active or not.
    Member,
    /// It has partitions, on a platform whose partitions are not looked into.
    Partitioned,
    /// It is an encrypted volume, or has one, which may be in use without being visible.
    Encrypted,
    /// A process has it open for writing.
    Process,
    /// A process has locked it.
    Locked,
    /// Something holds it for itself.
    Held,
}

/// Target that must not be overwritten, the finding, and the fix. Consent does not lift it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Target to overwrite, as named.
    pub path: PathBuf,
    /// Reason.
    pub because: Because,
    /// The findings: `sdb1, a partition of sdb, is mounted at /data`.
    pub found: String,
    /// Fix: `unmount it first (umount /data)`.
    pub help: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must not be overwritten: {}; {}", self.path.display(), self.found, self.help)
    }
}

impl std::error::Error for Refusal {}

/// A refusal before it knows which path it is about.
#[derive(Debug)]
pub(super) struct Reason {
    pub(super) because: Because,
    pub(super) found: String,
    pub(super) help: String,
}

impl Reason {
    pub(super) fn new(because: Because, found: impl Into<String>, help: impl Into<String>) -> Reason {
        Reason { because, found: found.into(), help: help.into() }
    }

    pub(super) fn of(self, path: PathBuf) -> Refusal {
        Refusal { path, because: self.because, found: self.found, help: self.help }
    }
}
