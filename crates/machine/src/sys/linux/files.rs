use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, AtFlags, FallocateFlags, OFlags, StatVfsMountFlags, StatxFlags, XattrFlags};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::sys::device::Free;

/// Opens a file or a device for reading, without waiting for anybody; `exclusive` takes a block device for this program
/// alone, and fails if another one has it.
pub(crate) fn open_to_look(path: &Path, exclusive: bool) -> io::Result<File> {
    let mut flags = OFlags::NONBLOCK | OFlags::CLOEXEC;
    // On a block device O_EXCL without O_CREAT asks to be its only user of that kind (open(2)): mounts, swap, arrays and
    // volumes ask the same, of a partition also on behalf of its disk.
    flags.set(OFlags::EXCL, exclusive);
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// A path that leads to an open file, whatever its name does.
pub(crate) fn path_of_open(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// The path that the kernel writes as these bytes.
pub(crate) fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

/// Reads a whole buffer at an offset.
///
/// # Errors
/// Returns an error if the file is too short or cannot be read.
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(buffer, offset)
}

/// Writes a part of a buffer at an offset; how much of it.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_at(file: &File, data: &[u8], offset: u64) -> io::Result<usize> {
    file.write_at(data, offset)
}

/// Writes a whole buffer at an offset.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_all_at(file: &File, data: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(data, offset)
}

/// The multiple that offsets and lengths of direct I/O must be (`STATX_DIOALIGN`, Linux 6.1); `None` where the file
/// system does not say.
pub fn direct_alignment(file: &File) -> Option<u64> {
    let found = rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    let is_known = found.stx_mask & StatxFlags::DIOALIGN.bits() != 0 && found.stx_dio_offset_align > 0;
    is_known.then(|| u64::from(found.stx_dio_offset_align))
}

/// Tells the page cache that a file is read in random order. File systems without support ignore it.
pub fn expect_random(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, Advice::Random);
}

/// Takes what is durable of a file out of the page cache.
///
/// # Errors
/// Returns an error if the system refuses.
pub fn leave_page_cache(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, 0, None, Advice::DontNeed)?)
}

/// Makes a file longer with space set aside for it; whether the file system can.
///
/// # Errors
/// Returns an error if there is not enough space or the file cannot be written.
pub fn set_space_aside(file: &File, from: u64, length: u64) -> io::Result<bool> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), from, length) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads an attribute of a file into a buffer; its length, `None` if it does not exist or is longer.
pub fn attribute(file: &File, name: &str, buffer: &mut [u8]) -> Option<usize> {
    rustix::fs::fgetxattr(file, name, buffer).ok()
}

/// Sets an attribute of a file.
///
/// # Errors
/// Returns an error if the file system has no attributes or refuses.
pub fn set_attribute(file: &File, name: &str, value: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::fsetxattr(file, name, value, XattrFlags::empty())?)
}

/// Removes an attribute of a file.
///
/// # Errors
/// Returns an error if the file has no such attribute or the file system refuses.
pub fn remove_attribute(file: &File, name: &str) -> io::Result<()> {
    Ok(rustix::fs::fremovexattr(file, name)?)
}

/// True if an error is the device's own, and not the file system's (`EIO`).
pub fn is_media_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error())
}

/// Lets this process open as many files as the system allows it; where that is refused, opening says so.
pub fn allow_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// A random number from the system.
///
/// # Errors
/// Returns an error if the system has no random numbers.
pub fn random_number() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(u64::from_le_bytes(bytes))
}

/// The room on the file system of a path.
pub(crate) fn room(path: &Path) -> io::Result<Free> {
    let found = rustix::fs::statvfs(path)?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Ok(Free {
        available_bytes: bytes(found.f_bavail),
        total_bytes: bytes(found.f_blocks),
        read_only: found.f_flag.contains(StatVfsMountFlags::RDONLY),
    })
}
