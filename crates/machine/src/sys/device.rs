//! Devices and what is at a path, without the types of any platform.

/// A device's number: what it is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// The driver.
    pub major: u32,
    /// The one of its devices.
    pub minor: u32,
}

/// Kind of thing that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A block device.
    Block(DeviceNumber),
    /// A character device.
    Character(DeviceNumber),
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
}

/// Identity of a path's target, links followed: two paths with the same file system and inode are one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Kind of thing.
    pub kind: NodeKind,
    /// The file system that it is in, by its device's number.
    pub filesystem: DeviceNumber,
    /// Its number there.
    pub inode: u64,
    /// The mount that it was reached by, where the kernel tells (5.8 and later).
    pub mount: Option<u64>,
    /// Its length in bytes; 0 for a device.
    pub bytes: u64,
    /// Allocated bytes.
    pub allocated_bytes: u64,
    /// True if its file system is mounted read-only.
    pub read_only: bool,
}

/// Self-description of an open block device, where `/sys` may be out of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Its size in bytes.
    pub bytes: u64,
    /// The smallest I/O that it takes, in bytes.
    pub logical_sector: u32,
    /// The smallest I/O that it writes without reading, in bytes.
    pub physical_sector: u32,
}

/// Bytes of a [`Page`].
pub(crate) const PAGE_BYTES: usize = 4096;

/// A page of 4 KiB that a device has about itself. Reading one changes nothing and does no I/O on its media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// The controller's own (NVM Express Base Specification, Identify, CNS 01h).
    IdentifyController,
    /// A namespace's (CNS 00h).
    IdentifyNamespace(u32),
    /// The statistics of an EBS volume (amazonlinux/amazon-ec2-utils, `ebsnvme`).
    EbsStatistics,
}

/// The identity of the file or the device that a loop device shows, by numbers of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoopStatus {
    /// Number of the device that the file is on.
    pub(crate) device: u64,
    /// Number of the file on it.
    pub(crate) inode: u64,
    /// Number of the device that is shown; some kernels repeat `device` for a file.
    pub(crate) shown_device: u64,
}

/// Physical memory, where the system tells it by a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhysicalMemory {
    /// All of it, in bytes.
    pub(crate) total_bytes: u64,
    /// Memory available without paging, in bytes.
    pub(crate) available_bytes: u64,
}

/// The room on a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Free {
    /// Bytes that this user can allocate.
    pub available_bytes: u64,
    /// All of it, in bytes.
    pub total_bytes: u64,
    /// It is mounted for reading only.
    pub read_only: bool,
}

/// Operating system whose facts a [`World`](crate::World) has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldSystem {
    /// Linux: `/proc`, `/sys` and `/dev`.
    Linux,
    /// Windows: storage cmdlets and performance counters.
    Windows,
    /// A system whose disks and counters this program does not read.
    Other,
}
