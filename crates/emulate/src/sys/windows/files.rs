use std::fs::File;
use std::io;
use std::os::windows::fs::FileExt;
use std::path::Path;

use iobound_machine::open::names_device;

use crate::sys::reads::{CachedRead, NextData};

/// Opens a file for reading only; `None` if it is anything else. A disk or a volume is not opened.
pub(crate) fn open_image(path: &Path) -> io::Result<Option<File>> {
    if names_device(path) {
        return Ok(None);
    }
    let file = File::open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Reads at an offset, and waits; fewer bytes than asked for are possible.
pub(crate) fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(into, offset)
}

/// Windows has no reads of its cache alone.
pub(crate) fn read_cached(_file: &File, _into: &mut [u8], _offset: u64) -> io::Result<CachedRead> {
    Ok(CachedRead::Unsupported)
}

/// The file systems are not asked for holes.
pub(crate) fn next_data(_file: &File, _at: u64) -> NextData {
    NextData::Unknown
}

/// The file systems are not asked for holes.
pub(crate) fn next_hole(_file: &File, _at: u64) -> Option<u64> {
    None
}
