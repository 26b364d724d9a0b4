use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::FileExt;
use std::path::Path;

use super::handle::{free_space, sector};
use crate::sys::device::Free;
use crate::sys::error::NotOnThisPlatform;

const ATTRIBUTES: NotOnThisPlatform = NotOnThisPlatform { what: "a mark in a file's attributes" };

/// Opens a file for reading. Devices cannot be taken for this program alone here.
pub(crate) fn open_to_look(path: &Path, exclusive: bool) -> io::Result<File> {
    if exclusive {
        return Err(ErrorKind::Unsupported.into());
    }
    OpenOptions::new().read(true).open(path)
}

/// Reads a whole buffer at an offset.
///
/// # Errors
/// Returns an error if the file is too short or cannot be read.
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match file.seek_read(&mut buffer[done..], offset + done as u64) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => done += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes a part of a buffer at an offset; how much of it.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_at(file: &File, data: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(data, offset)
}

/// Writes a whole buffer at an offset.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_all_at(file: &File, data: &[u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < data.len() {
        match write_at(file, &data[done..], offset + done as u64)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => done += written,
        }
    }
    Ok(())
}

/// The multiple that offsets and lengths of unbuffered I/O must be: the disk's logical sector. `None` where the system does
/// not say.
pub fn direct_alignment(file: &File) -> Option<u64> {
    sector(file).map(u64::from)
}

/// There is no such hint for an open file.
pub fn expect_random(_file: &File) {}

/// Makes a file durable. An unbuffered handle then reads it from the disk.
///
/// # Errors
/// As `FlushFileBuffers`.
pub fn leave_page_cache(file: &File) -> io::Result<()> {
    file.sync_data()
}

/// Makes a file longer with space set aside for it. NTFS and ReFS allocate the clusters; reading them takes no I/O until they
/// are written, so a caller has to fill them.
///
/// # Errors
/// Returns an error if there is not enough space or the file cannot be written.
pub fn set_space_aside(file: &File, from: u64, length: u64) -> io::Result<bool> {
    let wanted = from.checked_add(length).ok_or(ErrorKind::InvalidInput)?;
    if file.metadata()?.len() < wanted {
        file.set_len(wanted)?;
    }
    Ok(true)
}

/// There are no attributes.
pub fn attribute(_file: &File, _name: &str, _buffer: &mut [u8]) -> Option<usize> {
    None
}

/// Sets an attribute.
///
/// # Errors
/// Always returns an error.
pub fn set_attribute(_file: &File, _name: &str, _value: &[u8]) -> io::Result<()> {
    Err(ATTRIBUTES.into())
}

/// Removes an attribute.
///
/// # Errors
/// Always returns an error.
pub fn remove_attribute(_file: &File, _name: &str) -> io::Result<()> {
    Err(ATTRIBUTES.into())
}

/// Error numbers of a device itself: `ERROR_CRC`, `ERROR_SECTOR_NOT_FOUND`, `ERROR_IO_DEVICE`.
const MEDIA_ERRORS: [i32; 3] = [23, 27, 1117];

/// True if an error is the device's own, and not the file system's.
pub fn is_media_error(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| MEDIA_ERRORS.contains(&number))
}

/// There is no limit that could be raised.
pub fn allow_descriptors() {}

/// A random number from the system, by way of the standard library's keys for maps.
///
/// # Errors
/// Never fails.
pub fn random_number() -> io::Result<u64> {
    Ok(RandomState::new().build_hasher().finish())
}

/// The room on the volume of a path.
pub(crate) fn room(path: &Path) -> io::Result<Free> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let text: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let (available_bytes, total_bytes) = free_space(&text)?;
    Ok(Free { available_bytes, total_bytes, read_only: false })
}
