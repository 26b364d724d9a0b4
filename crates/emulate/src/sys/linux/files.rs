use std::fs::{File, OpenOptions};
use std::io::{self, IoSliceMut};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::SeekFrom;
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use crate::sys::reads::{CachedRead, NextData};

/// Opens a file or a block device for reading only; `None` if it is neither. Opening a pipe does not wait.
pub(crate) fn open_image(path: &Path) -> io::Result<Option<File>> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    Ok((kind.is_file() || kind.is_block_device()).then_some(file))
}

/// Reads at an offset, and waits; fewer bytes than asked for are possible.
pub(crate) fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(into, offset)
}

/// Reads at an offset what the page cache has.
pub(crate) fn read_cached(file: &File, into: &mut [u8], offset: u64) -> io::Result<CachedRead> {
    match preadv2(file, &mut [IoSliceMut::new(into)], offset, ReadWriteFlags::NOWAIT) {
        Ok(len) => Ok(CachedRead::Got(len)),
        Err(Errno::AGAIN) => Ok(CachedRead::Cold),
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(CachedRead::Unsupported),
        Err(error) => Err(error.into()),
    }
}

/// The next data from an offset. Place that was taken and not written counts as a hole: the kernel says no more.
pub(crate) fn next_data(file: &File, at: u64) -> NextData {
    match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(data) => NextData::At(data),
        // No data from there on, or beyond the end.
        Err(Errno::NXIO) => NextData::Nowhere,
        Err(_) => NextData::Unknown,
    }
}

/// The next hole from an offset, the end of the file included; `None` if the file system does not say.
pub(crate) fn next_hole(file: &File, at: u64) -> Option<u64> {
    rustix::fs::seek(file, SeekFrom::Hole(at)).ok()
}
