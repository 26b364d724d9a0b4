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
    GetFileInformationByHandleEx, GetFileType, GetFinalPathNameByHandleW, ReOpenFile,
};

use crate::sys::facts::{Access, Facts, FileKind, Identity};

/// Seconds between 1601, where Windows counts from, and 1970.
const EPOCH_SECONDS: i128 = 11_644_473_600;

/// Attribute bits of a file (`FILE_ATTRIBUTE_...` of the Windows SDK).
const DIRECTORY: u32 = 0x10;
const REPARSE_POINT: u32 = 0x400;

/// The facts of an open file or folder.
///
/// # Errors
/// Returns an error if the handle is of a device or a pipe, or the file system does not answer.
pub(crate) fn facts(file: &File) -> io::Result<Facts> {
    let handle = file.as_raw_handle();
    // SAFETY: the handle is open as long as `file`.
    if unsafe { GetFileType(handle) } != FILE_TYPE_DISK {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "it is not a file on a disk"));
    }
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and `found` is a value of the structure that the call fills.
    if unsafe { GetFileInformationByHandle(handle, &raw mut found) } == 0 {
        return Err(io::Error::last_os_error());
    }
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
        owner: 0,
        mode: 0,
        device: 0,
        modified_ns: i128::from(written) * 100 - EPOCH_SECONDS * 1_000_000_000,
    })
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

/// Opens an open file once more, for another access: the same file, whatever happened to its name.
///
/// # Errors
/// As `ReOpenFile`.
pub(crate) fn open_again(file: &File, access: Access, more_flags: u32) -> io::Result<File> {
    let mut rights = 0;
    let wanted = [(access.read, GENERIC_READ), (access.write, GENERIC_WRITE)];
    wanted.into_iter().filter(|(is_wanted, _)| *is_wanted).for_each(|(_, right)| rights |= right);
    let flags = if access.direct { FILE_FLAG_NO_BUFFERING } else { 0 } | more_flags;
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
