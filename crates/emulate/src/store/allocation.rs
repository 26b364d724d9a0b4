//! Parts of a disk with data, and parts that read as zeroes without any.

use std::fs::File;

use super::sectors::SECTOR;
use crate::sys::{NextData, next_data, next_hole};

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
    let data = match next_data(file, at) {
        NextData::At(data) => data / SECTOR * SECTOR,
        NextData::Nowhere => return (Allocation::Hole, end),
        NextData::Unknown => return (Allocation::Data, end),
    };
    if data > at {
        return (Allocation::Hole, data.min(end));
    }
    // An image may end within a sector.
    let hole = next_hole(file, at).map_or(end, |hole| hole.next_multiple_of(SECTOR));
    (Allocation::Data, hole.clamp(at + 1, end))
}
