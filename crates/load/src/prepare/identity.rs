use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{FileType, Stat};

/// What a file or device is, whatever it is called: links and other names of it are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// A file of a file system.
    File {
        /// The file system's device number.
        filesystem: u64,
        /// The file's number in it.
        inode: u64,
    },
    /// A block device, by its number.
    Device(u64),
}

impl Identity {
    pub(super) fn of(stat: &Stat) -> Identity {
        if FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice {
            return Identity::Device(stat.st_rdev);
        }
        Identity::File { filesystem: stat.st_dev, inode: stat.st_ino }
    }

    /// What an open file is.
    ///
    /// # Errors
    /// What `fstat` says.
    pub fn of_open(file: impl AsFd) -> std::io::Result<Identity> {
        Ok(Identity::of(&rustix::fs::fstat(file)?))
    }

    /// What a path leads to; `None` where it leads to nothing.
    pub fn at(path: &Path) -> Option<Identity> {
        rustix::fs::stat(path).ok().map(|stat| Identity::of(&stat))
    }
}
