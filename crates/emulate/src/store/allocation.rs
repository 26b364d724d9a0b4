//! Parts of a disk with data, and parts that read as zeroes without any.

use std::fs::File;

use rustix::fs::SeekFrom;

use super::sectors::SECTOR;

/// Known facts about a range without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// It reads as zeroes, and takes no place.
    Hole,
    /// It reads as zeroes; what lies below may take place.
    Zero,
    /// It takes place. It may be zeroes all the same: nobody looked.
    Data,
}

/// A range of an export that is alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Time that it is, in bytes.
    pub len: u64,
    /// Its kind.
    pub allocation: Allocation,
}

/// Content of a file at `at`, and its extent, at most to `end`, in whole sectors. Place that was taken and not written counts as a
/// hole: the kernel says no more.
pub(super) fn in_file(file: &File, at: u64, end: u64) -> (Allocation, u64) {
    let data = match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(data) => data / SECTOR * SECTOR,
        // No data from there on, or beyond the end.
        Err(rustix::io::Errno::NXIO) => return (Allocation::Hole, end),
        // It does not say.
        Err(_) => return (Allocation::Data, end),
    };
    if data > at {
        return (Allocation::Hole, data.min(end));
    }
    // An image may end within a sector.
    let hole = rustix::fs::seek(file, SeekFrom::Hole(at)).map_or(end, |hole| hole.next_multiple_of(SECTOR));
    (Allocation::Data, hole.clamp(at + 1, end))
}
