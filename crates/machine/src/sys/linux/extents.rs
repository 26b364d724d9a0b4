//! The parts of a file that were never written.

use std::fs::File;
use std::io;

use rustix::fs::SeekFrom;
use rustix::ioctl::{Opcode, Updater, ioctl};

use crate::sys::facts::{Method, Unwritten};

/// `struct fiemap` of `linux/fiemap.h`, with room for its extents.
#[repr(C)]
struct Fiemap {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [Extent; EXTENTS],
}

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    reserved_too: [u32; 3],
}

/// Extents asked for at a time.
const EXTENTS: usize = 128;

/// `FS_IOC_FIEMAP`: `_IOWR('f', 11, struct fiemap)`, where the struct is 32 bytes without extents.
const FS_IOC_FIEMAP: Opcode = 0xc020_660b;
/// Write back first what is only in memory, so that it has its extents.
const FIEMAP_FLAG_SYNC: u32 = 1;
const FIEMAP_EXTENT_LAST: u32 = 1;
const FIEMAP_EXTENT_UNWRITTEN: u32 = 0x800;

/// Ranges of the first `size` bytes of a file that were never written, in order.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn unwritten(file: &File, size: u64) -> io::Result<(Vec<Unwritten>, Method)> {
    match by_fiemap(file, size) {
        Ok(found) => Ok((found, Method::Fiemap)),
        Err(_) => Ok((by_seeking(file, size)?, Method::SeekHole)),
    }
}

/// Collects parts in order, joining those that touch.
struct Parts {
    size: u64,
    found: Vec<Unwritten>,
}

impl Parts {
    fn add(&mut self, from: u64, to: u64, allocated: bool) {
        let to = to.min(self.size);
        if from >= to {
            return;
        }
        match self.found.last_mut() {
            Some(last) if last.range.end == from && last.allocated == allocated => last.range.end = to,
            _ => self.found.push(Unwritten { range: from..to, allocated }),
        }
    }
}

fn by_fiemap(file: &File, size: u64) -> io::Result<Vec<Unwritten>> {
    let mut parts = Parts { size, found: Vec::new() };
    let mut at = 0;
    while at < size {
        let nothing =
            Extent { logical: 0, physical: 0, length: 0, reserved: [0; 2], flags: 0, reserved_too: [0; 3] };
        let mut map = Fiemap {
            start: at,
            length: size - at,
            flags: FIEMAP_FLAG_SYNC,
            mapped: 0,
            count: EXTENTS as u32,
            reserved: 0,
            extents: [nothing; EXTENTS],
        };
        // SAFETY: the request takes a `struct fiemap` with room for `count` extents, which this is, and keeps
        // no pointer to it.
        let updater = unsafe { Updater::<FS_IOC_FIEMAP, Fiemap>::new(&mut map) };
        // SAFETY: the updater above fits its request, and the descriptor is open.
        unsafe { ioctl(file, updater) }?;
        let extents = &map.extents[..(map.mapped as usize).min(EXTENTS)];
        if extents.is_empty() {
            break;
        }
        let (mut last, before) = (false, at);
        for extent in extents {
            parts.add(at, extent.logical, false);
            let end = extent.logical.saturating_add(extent.length);
            if extent.flags & FIEMAP_EXTENT_UNWRITTEN != 0 {
                parts.add(extent.logical.max(at), end, true);
            }
            at = at.max(end);
            last |= extent.flags & FIEMAP_EXTENT_LAST != 0;
        }
        if last {
            break;
        }
        if at == before {
            return Err(io::Error::other("the map of extents ends early"));
        }
    }
    parts.add(at, size, false);
    Ok(parts.found)
}

fn by_seeking(file: &File, size: u64) -> io::Result<Vec<Unwritten>> {
    let mut parts = Parts { size, found: Vec::new() };
    let mut at = 0;
    while at < size {
        let data = match rustix::fs::seek(file, SeekFrom::Data(at)) {
            Ok(data) => data,
            // Nothing but a hole up to the end.
            Err(rustix::io::Errno::NXIO) => size,
            Err(error) => return Err(error.into()),
        };
        parts.add(at, data, false);
        if data >= size {
            break;
        }
        at = rustix::fs::seek(file, SeekFrom::Hole(data))?;
    }
    Ok(parts.found)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use rustix::fs::FallocateFlags;

    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn holes_and_space_set_aside_are_told_from_what_was_written() {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(8 * MIB).expect("it is sparse");
        file.write_all_at(&vec![7; MIB as usize], MIB).expect("it takes data");
        rustix::fs::fallocate(&file, FallocateFlags::empty(), 4 * MIB, MIB).expect("it takes space");
        file.sync_all().expect("it is kept");
        let hole = |from: u64, to: u64, allocated| Unwritten { range: from * MIB..to * MIB, allocated };
        let (found, method) = unwritten(&file, 8 * MIB).expect("it can be read");
        if method == Method::Fiemap {
            assert_eq!(found, [hole(0, 1, false), hole(2, 4, false), hole(4, 5, true), hole(5, 8, false)]);
        }
        let seeking = by_seeking(&file, 8 * MIB).expect("it can be read");
        assert_eq!(seeking.first(), Some(&hole(0, 1, false)));
        assert_eq!(seeking.iter().map(|part| part.range.end).max(), Some(8 * MIB));
        assert!(seeking.iter().all(|part| part.range.end <= MIB || part.range.start >= 2 * MIB));
    }

    #[test]
    fn more_extents_than_one_look_takes_are_all_found() {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(400 * 8192).expect("it is sparse");
        for n in 0..400u64 {
            file.write_all_at(&[1; 4096], n * 8192).expect("it takes data");
        }
        file.sync_all().expect("it is kept");
        for found in
            [unwritten(&file, 400 * 8192).expect("a map").0, by_seeking(&file, 400 * 8192).expect("holes")]
        {
            assert_eq!(found.len(), 400);
            assert!((0u64..).zip(&found).all(|(n, part)| part.range == (n * 8192 + 4096..(n + 1) * 8192)));
        }
    }

    #[test]
    fn a_written_file_has_none_and_an_empty_one_is_all_hole() {
        let file = tempfile::tempfile().expect("a file");
        assert_eq!(unwritten(&file, 0).expect("nothing").0, []);
        file.set_len(MIB).expect("it is sparse");
        let whole = Unwritten { range: 0..MIB, allocated: false };
        assert_eq!(unwritten(&file, MIB).expect("a hole").0, std::slice::from_ref(&whole));
        assert_eq!(by_seeking(&file, MIB).expect("a hole"), [whole]);
        file.write_all_at(&vec![7; MIB as usize], 0).expect("it takes data");
        assert_eq!(unwritten(&file, MIB).expect("data").0, []);
        assert_eq!(by_seeking(&file, MIB).expect("data"), []);
    }
}
