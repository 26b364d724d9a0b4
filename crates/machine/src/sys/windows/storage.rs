//! Disks and volumes: control codes of `DeviceIoControl`, the list of volumes, and the page files of the registry.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::{
    ERROR_FILE_NOT_FOUND, ERROR_MORE_DATA, ERROR_NO_MORE_FILES, ERROR_UNRECOGNIZED_VOLUME,
    INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_SHARE_READ, FILE_SHARE_WRITE, FindFirstVolumeW, FindNextVolumeW, FindVolumeClose,
    GetVolumeInformationW, GetVolumePathNamesForVolumeNameW,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_MULTI_SZ, RegGetValueW};
use windows_sys::Win32::System::SystemInformation::GetSystemWindowsDirectoryW;

use crate::sys::device::Geometry;
use crate::sys::storage::{
    DEVICE_NUMBER, DRIVE_GEOMETRY, LENGTH_INFO, Storage, disk_path, length, sector, volumes_on,
};

/// Room for the answer to a control code: 128 partitions of a GPT have 18 KiB.
const ANSWER: usize = 64 << 10;
/// Characters of a path, with its end.
const PATH: usize = 1 << 15;
/// `FSCTL_LOCK_VOLUME`.
const LOCK_VOLUME: u32 = 0x0009_0018;
/// `FILE_DEVICE_DISK`: the type of disks in [`DEVICE_NUMBER`].
const DISK: u32 = 7;

/// This machine.
pub(crate) struct ThisMachine;

/// Disks of this machine.
pub(crate) fn windows_storage() -> Option<&'static dyn Storage> {
    Some(&ThisMachine)
}

/// The answer of an open device to a control code without input.
///
/// # Errors
/// As `DeviceIoControl`.
fn control(device: &File, code: u32) -> io::Result<Vec<u8>> {
    let mut answer = vec![0_u8; ANSWER];
    let mut length = 0;
    // SAFETY: the handle is open; there is no input; the answer has as many bytes as are said; the handle is not overlapped.
    let done = unsafe {
        DeviceIoControl(
            device.as_raw_handle(),
            code,
            null(),
            0,
            answer.as_mut_ptr().cast(),
            answer.len() as u32,
            &raw mut length,
            null_mut(),
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    answer.truncate(length as usize);
    Ok(answer)
}

/// Opens a disk or a volume, which others may use as well.
fn open(device: &str, read: bool, write: bool, flags: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Without either right, control codes that need none can be sent, by any user.
    if read || write {
        options.read(read).write(write);
    } else {
        options.access_mode(0);
    }
    options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE).custom_flags(flags).open(device)
}

/// Number of the disk that a handle is of; `None` for a file, and for a volume or a partition.
pub(crate) fn disk_of(file: &File) -> Option<u32> {
    let answer = control(file, DEVICE_NUMBER).ok()?;
    let field = |at: usize| Some(u32::from_le_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    // A disk without partitions says -1 for the partition, other disks 0.
    let is_disk = field(0)? == DISK && matches!(field(8)?, 0 | u32::MAX);
    is_disk.then(|| field(4))?
}

/// Opens a disk once more; the disk keeps its number while a handle of it is open.
///
/// # Errors
/// As `CreateFileW`.
pub(crate) fn open_disk(number: u32, read: bool, write: bool, flags: u32) -> io::Result<File> {
    let file = open(&disk_path(number), read, write, flags)?;
    match disk_of(&file) {
        Some(found) if found == number => Ok(file),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, format!("disk {number} was replaced"))),
    }
}

/// Locks every volume on a disk for this process: Windows takes them away from all others, and does not allow it while one is
/// in use. Dropping a handle gives its volume back.
///
/// # Errors
/// Returns [`io::ErrorKind::ResourceBusy`] if a volume is in use, or the error of the system.
pub(crate) fn lock_volumes_on(number: u32) -> io::Result<Vec<File>> {
    let mut locked = Vec::new();
    for volume in volumes_on(&ThisMachine, number)? {
        let handle = open(volume.trim_end_matches('\\'), true, true, 0)?;
        control(&handle, LOCK_VOLUME).map_err(|error| match error.kind() {
            // `FSCTL_LOCK_VOLUME` fails so as long as a file of the volume is open.
            io::ErrorKind::PermissionDenied => io::Error::new(io::ErrorKind::ResourceBusy, error),
            _ => error,
        })?;
        locked.push(handle);
    }
    Ok(locked)
}

/// Size and sectors of an open disk.
///
/// # Errors
/// As `DeviceIoControl`.
pub(crate) fn geometry(disk: &File) -> io::Result<Geometry> {
    let logical_sector = sector(&control(disk, DRIVE_GEOMETRY)?)?;
    Ok(Geometry {
        bytes: length(&control(disk, LENGTH_INFO)?)?,
        logical_sector,
        // It is not asked for: nothing here depends on it.
        physical_sector: logical_sector,
    })
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

/// The text before the first zero.
fn text(wide: &[u16]) -> String {
    let length = wide.iter().position(|unit| *unit == 0).unwrap_or(wide.len());
    String::from_utf16_lossy(&wide[..length])
}

/// The texts of a list that ends with an empty one.
fn texts(wide: &[u16]) -> Vec<String> {
    wide.split(|unit| *unit == 0).take_while(|text| !text.is_empty()).map(String::from_utf16_lossy).collect()
}

/// Lines of a value of the memory manager in the registry; none if there is no such value.
fn of_memory_manager(value: &str) -> io::Result<Vec<String>> {
    let key = wide(r"SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management");
    let value = wide(value);
    let mut found = vec![0_u16; PATH];
    let mut bytes = (found.len() * 2) as u32;
    // SAFETY: both names end with a zero, and `found` has as many bytes as are said.
    let error = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            value.as_ptr(),
            RRF_RT_REG_MULTI_SZ,
            null_mut(),
            found.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    match error {
        0 => Ok(texts(&found[..bytes as usize / 2])),
        ERROR_FILE_NOT_FOUND => Ok(Vec::new()),
        error => Err(io::Error::from_raw_os_error(error as i32)),
    }
}

impl Storage for ThisMachine {
    fn control(&self, device: &str, code: u32) -> io::Result<Vec<u8>> {
        // The size of a disk is told to those who may read it.
        control(&open(device, code == LENGTH_INFO, false, 0)?, code)
    }

    fn volumes(&self) -> io::Result<Vec<String>> {
        let mut name = [0_u16; 64];
        // SAFETY: `name` has as many characters as are said.
        let search = unsafe { FindFirstVolumeW(name.as_mut_ptr(), name.len() as u32) };
        if search == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        let mut found = vec![text(&name)];
        let ended = loop {
            // SAFETY: the search is open, and `name` has as many characters as are said.
            if unsafe { FindNextVolumeW(search, name.as_mut_ptr(), name.len() as u32) } == 0 {
                break io::Error::last_os_error();
            }
            found.push(text(&name));
        };
        // SAFETY: the search is open, and is closed once.
        unsafe { FindVolumeClose(search) };
        match ended.raw_os_error() {
            Some(code) if code == ERROR_NO_MORE_FILES as i32 => Ok(found),
            _ => Err(ended),
        }
    }

    fn mount_points(&self, volume: &str) -> io::Result<Vec<String>> {
        let volume = wide(volume);
        let mut found = vec![0_u16; PATH];
        let mut length = 0;
        // SAFETY: the name ends with a zero, and `found` has as many characters as are said.
        let done = unsafe {
            GetVolumePathNamesForVolumeNameW(
                volume.as_ptr(),
                found.as_mut_ptr(),
                found.len() as u32,
                &raw mut length,
            )
        };
        if done == 0 {
            let error = io::Error::last_os_error();
            // More than has room are certainly some.
            let is_more = error.raw_os_error() == Some(ERROR_MORE_DATA as i32);
            return if is_more { Ok(vec![text(&volume)]) } else { Err(error) };
        }
        Ok(texts(&found[..(length as usize).min(found.len())]))
    }

    fn filesystem(&self, volume: &str) -> io::Result<Option<String>> {
        let volume = wide(volume);
        let mut name = [0_u16; 261];
        // SAFETY: the name of the volume ends with a zero; `name` has as many characters as are said; nothing else is wanted.
        let done = unsafe {
            GetVolumeInformationW(
                volume.as_ptr(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                null_mut(),
                name.as_mut_ptr(),
                name.len() as u32,
            )
        };
        if done != 0 {
            return Ok(Some(text(&name)));
        }
        let error = io::Error::last_os_error();
        let is_raw = error.raw_os_error() == Some(ERROR_UNRECOGNIZED_VOLUME as i32);
        if is_raw { Ok(None) } else { Err(error) }
    }

    fn windows_folder(&self) -> io::Result<String> {
        let mut found = [0_u16; 261];
        // SAFETY: `found` has as many characters as are said.
        let length = unsafe { GetSystemWindowsDirectoryW(found.as_mut_ptr(), found.len() as u32) };
        match length as usize {
            0 => Err(io::Error::last_os_error()),
            length if length < found.len() => Ok(text(&found)),
            _ => Err(io::Error::other("the path of the folder of Windows is too long")),
        }
    }

    fn page_files(&self) -> io::Result<Vec<String>> {
        // `\??\C:\pagefile.sys`, those in use; and `C:\pagefile.sys 0 0`, those of the next start.
        let used = of_memory_manager("ExistingPageFiles")?.into_iter();
        let used = used.map(|line| line.strip_prefix(r"\??\").map(str::to_string).unwrap_or(line));
        let planned = of_memory_manager("PagingFiles")?.into_iter();
        let planned = planned.map(|line| match line.to_ascii_lowercase().find(".sys") {
            Some(at) => line[..at + 4].to_string(),
            None => line,
        });
        Ok(used.chain(planned).collect())
    }

    fn read(&self, disk: &str, offset: u64, into: &mut [u8]) -> io::Result<()> {
        super::files::read_exact_at(&open(disk, true, false, 0)?, into, offset)
    }
}
