//! Calls on open handles that the standard library lacks.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::path::PathBuf;

use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_NO_BUFFERING, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
    FILE_STORAGE_INFO, FILE_TYPE_DISK, FileStorageInfo, GetDiskFreeSpaceExW, GetFileInformationByHandle,
    GetFileInformationByHandleEx, GetFileType, GetFinalPathNameByHandleW, GetVolumeInformationByHandleW,
    ReOpenFile,
};

use super::owner::owner;
use super::storage::{disk_of, open_disk};
use crate::sys::facts::{Access, Facts, FileKind, Identity};

/// Seconds between 1601, where Windows counts from, and 1970.
const EPOCH_SECONDS: i128 = 11_644_473_600;

/// Attribute bits of a file (`FILE_ATTRIBUTE_...` of the Windows SDK).
const DIRECTORY: u32 = 0x10;
const REPARSE_POINT: u32 = 0x400;

/// `FILE_DEVICE_DISK`, the type of disks.
const DISK: u64 = 7;

/// The system's facts about an open file or folder.
fn information(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let handle = file.as_raw_handle();
    // SAFETY: the handle is open as long as `file`.
    if unsafe { GetFileType(handle) } != FILE_TYPE_DISK {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "it is not a file on a disk"));
    }
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and `found` is a value of the structure that the call fills.
    match unsafe { GetFileInformationByHandle(handle, &raw mut found) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(found),
    }
}

/// Number of the disk that a handle is of; `None` for a file or a folder.
fn disk(file: &File) -> Option<u32> {
    if information(file).is_ok() { None } else { disk_of(file) }
}

/// The facts of an open file, folder or disk.
///
/// # Errors
/// Returns an error if the handle is of another device or a pipe, or the file system does not answer.
pub(crate) fn facts(file: &File) -> io::Result<Facts> {
    let found = match information(file) {
        Ok(found) => found,
        Err(error) => return disk_of(file).map(facts_of_disk).ok_or(error),
    };
    let kind = match found.dwFileAttributes {
        bits if bits & REPARSE_POINT != 0 => FileKind::Link,
        bits if bits & DIRECTORY != 0 => FileKind::Directory,
        _ => FileKind::File,
    };
    let both = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let filesystem = u64::from(found.dwVolumeSerialNumber);
    let written = both(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime);
    Ok(Facts {
        kind,
        identity: Identity::File { filesystem, inode: both(found.nFileIndexHigh, found.nFileIndexLow) },
        filesystem,
        size: both(found.nFileSizeHigh, found.nFileSizeLow),
        links: u64::from(found.nNumberOfLinks),
        owner: owner(file),
        mode: 0,
        device: 0,
        modified_ns: i128::from(written) * 100 - EPOCH_SECONDS * 1_000_000_000,
    })
}

fn facts_of_disk(number: u32) -> Facts {
    let device = DISK << 32 | u64::from(number);
    Facts {
        kind: FileKind::BlockDevice,
        identity: Identity::Device(device),
        filesystem: 0,
        size: 0,
        links: 1,
        owner: 0,
        mode: 0,
        device,
        modified_ns: 0,
    }
}

/// The full path of an open file, without links.
///
/// # Errors
/// Returns an error if the file no longer has a path or the path is too long.
pub(crate) fn path_of(file: &File) -> io::Result<PathBuf> {
    let mut text = vec![0_u16; 1 << 15];
    // SAFETY: the handle is open, and `text` has room for as many characters as are said.
    let length =
        unsafe { GetFinalPathNameByHandleW(file.as_raw_handle(), text.as_mut_ptr(), text.len() as u32, 0) };
    match length as usize {
        0 => Err(io::Error::last_os_error()),
        length if length < text.len() => Ok(OsString::from_wide(&text[..length]).into()),
        _ => Err(io::Error::other("the path of the file is too long")),
    }
}

/// Opens an open file or disk once more, for another access: the same, whatever happened to its name.
///
/// # Errors
/// As `ReOpenFile`; of a disk as `CreateFileW`.
pub(crate) fn open_again(file: &File, access: Access, more_flags: u32) -> io::Result<File> {
    let mut rights = 0;
    let wanted = [(access.read, GENERIC_READ), (access.write, GENERIC_WRITE)];
    wanted.into_iter().filter(|(is_wanted, _)| *is_wanted).for_each(|(_, right)| rights |= right);
    let flags = if access.direct { FILE_FLAG_NO_BUFFERING } else { 0 } | more_flags;
    if let Some(number) = disk(file) {
        return open_disk(number, access.read, access.write, flags);
    }
    // SAFETY: the handle is open as long as `file`.
    let handle = unsafe {
        ReOpenFile(
            file.as_raw_handle(),
            rights,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            flags,
        )
    };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Bytes available to this user and all bytes of the volume that a folder is on. `folder` ends with a zero.
///
/// # Errors
/// As `GetDiskFreeSpaceExW`.
pub(crate) fn free_space(folder: &[u16]) -> io::Result<(u64, u64)> {
    assert_eq!(folder.last(), Some(&0), "the text ends with a zero");
    let (mut available, mut total) = (0_u64, 0_u64);
    // SAFETY: `folder` ends with a zero, and the two numbers outlive the call.
    let done = unsafe {
        GetDiskFreeSpaceExW(folder.as_ptr(), &raw mut available, &raw mut total, std::ptr::null_mut())
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok((available, total)) }
}

/// The name of the file system that a file is on: `NTFS`.
///
/// # Errors
/// As `GetVolumeInformationByHandleW`.
pub(crate) fn filesystem(file: &File) -> io::Result<String> {
    // `MAX_PATH` and the zero behind it: the room that the call asks for.
    let mut name = [0_u16; 261];
    // SAFETY: the handle is open, `name` has room for as many characters as are said, and the rest is not wanted.
    let done = unsafe {
        GetVolumeInformationByHandleW(
            file.as_raw_handle(),
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            name.as_mut_ptr(),
            name.len() as u32,
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let length = name.iter().position(|unit| *unit == 0).unwrap_or(name.len());
    Ok(String::from_utf16_lossy(&name[..length]))
}

/// The logical sector of the disk that a file is on, in bytes; `None` where the system does not say.
pub(crate) fn sector(file: &File) -> Option<u32> {
    let mut found = FILE_STORAGE_INFO::default();
    // SAFETY: the handle is open, and `found` has the size that is said.
    let done = unsafe {
        GetFileInformationByHandleEx(
            file.as_raw_handle(),
            FileStorageInfo,
            (&raw mut found).cast(),
            size_of::<FILE_STORAGE_INFO>() as u32,
        )
    };
    (done != 0 && found.LogicalBytesPerSector > 0).then_some(found.LogicalBytesPerSector)
}
