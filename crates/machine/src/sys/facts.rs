//! Known facts about a file, and how it is opened, without the types of any platform.

use std::ops::Range;

/// The way in which an existing file or device is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// It is read.
    pub read: bool,
    /// It is written.
    pub write: bool,
    /// Each write goes to the end.
    pub append: bool,
    /// I/O goes past the page cache.
    pub direct: bool,
    /// A block device is taken for this program alone.
    pub exclusive: bool,
    /// Neither opening nor I/O waits: a pipe without a reader is an error.
    pub nonblocking: bool,
}

impl Access {
    const NONE: Access = Access {
        read: false,
        write: false,
        append: false,
        direct: false,
        exclusive: false,
        nonblocking: false,
    };
    /// Reading only.
    pub const READ: Access = Access { read: true, ..Access::NONE };
    /// Reading and writing.
    pub const READ_WRITE: Access = Access { read: true, write: true, ..Access::NONE };
    /// Writing only.
    pub const WRITE: Access = Access { write: true, ..Access::NONE };
    /// Writing only, at the end.
    pub const APPEND: Access = Access { write: true, append: true, ..Access::NONE };
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharacterDevice,
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// Anything else.
    Other,
}

/// The system's facts about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its kind.
    pub kind: FileKind,
    /// Its identity while it is open or mounted.
    pub identity: Identity,
    /// Number of the file system that it is on.
    pub filesystem: u64,
    /// Its size in bytes; 0 for a device.
    pub size: u64,
    /// Number of names it that has.
    pub links: u64,
    /// Number of its owner.
    pub owner: u32,
    /// Permission bits.
    pub mode: u32,
    /// Number of the device that it is; 0 for anything else.
    pub device: u64,
    /// Modification time in ns since 1970.
    pub modified_ns: i128,
}

/// The identity of a file or device while it is open or mounted: equal for every name and link of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// A file of a file system.
    File {
        /// Device number of the file system.
        filesystem: u64,
        /// Inode number.
        inode: u64,
    },
    /// A block device, by its number.
    Device(u64),
}

/// The identity of a file that outlives mounts and restarts: the file system, the inode, the birth time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth {
    /// Number of the file system. Most take it from their UUID; others have their device number.
    pub filesystem: u64,
    /// Inode number.
    pub inode: u64,
    /// Birth time in ns since 1970; `None` where the file system keeps none.
    pub born_ns: Option<i128>,
}

/// A part of a file that reads as zeros without a look at the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// Range in bytes.
    pub range: Range<u64>,
    /// True if the file system has set space aside for it.
    pub allocated: bool,
}

/// Method by which it was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The file system's own map of extents: exact.
    Fiemap,
    /// `SEEK_HOLE`: holes, and what a file system counts as such; one without holes says that all is written.
    SeekHole,
}
