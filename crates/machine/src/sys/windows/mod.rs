//! Windows. Files and folders of NTFS, ReFS and the like are looked at and opened, and so are disks; volumes and named pipes
//! are not.
//!
//! Not implemented: marks in attributes, notices of other openers, sparse ranges.

pub(crate) mod files;
pub(crate) mod handle;
pub(crate) mod open;
mod owner;
mod pdh;
pub(crate) mod process;
mod storage;
mod temporary;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_OVERLAPPED, FILE_FLAG_WRITE_THROUGH, FILE_SHARE_DELETE, FILE_SHARE_READ,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

use crate::sys::device::{DeviceNumber, LoopStatus, Node, NodeKind, Page, PhysicalMemory, WorldSystem};
use crate::sys::error::NotOnThisPlatform;
use crate::sys::facts::{Access, FileKind, Identity, Method, Unwritten};

pub(crate) use files::{open_to_look, room};
pub(crate) use pdh::{disk_performance, processor_performance};
pub(crate) use storage::{geometry, windows_storage};

const DEVICES: NotOnThisPlatform = NotOnThisPlatform { what: "inspecting block devices" };

/// A path of a device that does not exist: what Linux has in `/proc` and `/sys` is not looked for on a drive, where any user
/// may make such folders.
pub(crate) const ROOT: &str = r"\\?\iobound-has-no-root";

pub(crate) const SYSTEM: WorldSystem = WorldSystem::Windows;

/// True if another handle can write to a file. The file is opened without sharing it with writers, which the system refuses
/// as long as there is one; handles of this process count as well.
///
/// # Errors
/// The file cannot be opened for reading.
pub(crate) fn is_written_by_others(path: &Path) -> io::Result<bool> {
    let opened = OpenOptions::new().read(true).share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE).open(path);
    match opened {
        Ok(_) => Ok(false),
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION as i32) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Physical memory; `None` if the system does not say.
pub(crate) fn memory() -> Option<PhysicalMemory> {
    let mut found =
        MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure has the size that it says, and outlives the call.
    let done = unsafe { GlobalMemoryStatusEx(&raw mut found) };
    (done != 0)
        .then_some(PhysicalMemory { total_bytes: found.ullTotalPhys, available_bytes: found.ullAvailPhys })
}

/// The serial number of a volume, as the device number of its file system; of a disk its type and number.
pub(crate) fn device_number(raw: u64) -> DeviceNumber {
    DeviceNumber { major: (raw >> 32) as u32, minor: raw as u32 }
}

refused! { DEVICES:
    pub(crate) fn admin_page(_device: &File, _page: Page) -> io::Result<Vec<u8>>;
    pub(crate) fn dm_status(_control: &File, _number: DeviceNumber) -> io::Result<(Vec<u8>, u32)>;
    pub(crate) fn loop_status(_device: &File) -> io::Result<LoopStatus>;
}

pub(crate) fn node(path: &Path) -> io::Result<Node> {
    let found = open::facts_at(path)?;
    let (filesystem, inode) = match found.identity {
        Identity::File { filesystem, inode } => (filesystem, inode),
        Identity::Device(_) => (0, 0),
    };
    let kind = match found.kind {
        FileKind::File => NodeKind::File,
        FileKind::Directory => NodeKind::Directory,
        FileKind::BlockDevice => NodeKind::Block(device_number(found.device)),
        _ => {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "it is neither a file, a folder nor a disk",
            ));
        }
    };
    Ok(Node {
        kind,
        filesystem: device_number(filesystem),
        inode,
        mount: None,
        bytes: found.size,
        allocated_bytes: found.size,
        read_only: false,
    })
}

/// Opens an open file once more for overlapped I/O: past the cache if `direct`, and past the disk's own if `write_through`.
///
/// # Errors
/// As `ReOpenFile`.
pub fn open_overlapped(of: &File, writes: bool, direct: bool, write_through: bool) -> io::Result<File> {
    let access = Access { write: writes, direct, ..Access::READ };
    let flags = FILE_FLAG_OVERLAPPED | if write_through { FILE_FLAG_WRITE_THROUGH } else { 0 };
    handle::open_again(of, access, flags)
}

/// Parts of a file that were never written: none are known. Windows tells of holes of sparse files only, and not up to where
/// a file was written (its valid data length).
///
/// # Errors
/// Never fails.
pub fn unwritten(_file: &File, _size: u64) -> io::Result<(Vec<Unwritten>, Method)> {
    Ok((Vec::new(), Method::SeekHole))
}

/// The path of an open file, from its handle.
pub(crate) fn path_of_open(file: &File) -> PathBuf {
    handle::path_of(file).unwrap_or_default()
}

/// The path of a text of another machine.
pub(crate) fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
