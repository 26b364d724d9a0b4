//! The memory that I/Os move data to and from: one region, a place for each outstanding I/O.

use std::io;

use iobound_units::{Bytes, Io, Tag, TargetId};
use memmap2::{MmapMut, MmapOptions};

use super::contents::Contents;

/// The largest part of the region that can be registered at once with io_uring.
const REGISTERED_PART: usize = 1 << 30;

/// Places are multiples of this: what any device asks of a buffer.
const PAGE: usize = 4096;

const NOTHING: Io = Io::flush(TargetId(0));

/// A buffer for each tag, page-aligned, and the I/O that it is of.
#[derive(Debug)]
pub struct Slots {
    region: MmapMut,
    stride: usize,
    per_part: usize,
    ios: Vec<Io>,
    filled: bool,
}

impl Slots {
    /// For `capacity` outstanding I/Os of at most `largest` bytes, of which some write or none does.
    ///
    /// # Errors
    /// Returns an error if the system does not have enough memory.
    pub fn new(capacity: usize, largest: u32, writes: bool) -> io::Result<Slots> {
        let stride = (largest as usize).max(1).next_multiple_of(PAGE);
        let bytes =
            capacity.max(1).checked_mul(stride).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let region = MmapOptions::new().len(bytes).map_anon()?;
        // Fewer page-table entries for the kernel to walk; without it, it is slower and nothing else.
        #[cfg(target_os = "linux")]
        let _ = region.advise(memmap2::Advice::HugePage);
        Ok(Slots {
            region,
            stride,
            per_part: (REGISTERED_PART / stride).max(1),
            ios: vec![NOTHING; capacity],
            filled: writes,
        })
    }

    /// Memory for the buffers of I/Os of that number and size.
    pub fn bytes_for(capacity: u64, largest: u32) -> Bytes {
        let stride = u64::from(largest.max(1)).next_multiple_of(PAGE as u64);
        Bytes(capacity.saturating_mul(stride))
    }

    /// Number of I/Os there that can be.
    pub fn capacity(&self) -> usize {
        self.ios.len()
    }

    /// Remembers the I/O of a tag.
    #[inline(always)]
    pub fn set(&mut self, tag: Tag, io: Io) {
        debug_assert!(!io.op.moves_data() || io.len as usize <= self.stride);
        // Field by field, and in registers so far: copied as a whole right after it was put together in memory, it would
        // wait in the processor's store buffer longer than all the rest takes.
        let Io { offset, len, target, op, fua } = io;
        let place = &mut self.ios[tag.0 as usize];
        place.offset = offset;
        place.len = len;
        place.target = target;
        place.op = op;
        place.fua = fua;
    }

    /// The I/O of a tag.
    #[inline]
    pub fn io(&self, tag: Tag) -> Io {
        self.ios[tag.0 as usize]
    }

    /// The buffer of a tag's I/O, as long as the I/O.
    #[inline]
    pub fn buffer(&mut self, tag: Tag) -> &mut [u8] {
        let io = self.ios[tag.0 as usize];
        let len = if io.op.moves_data() { io.len as usize } else { 0 };
        let start = tag.0 as usize * self.stride;
        &mut self.region[start..start + len]
    }

    /// Address of a tag's buffer, for the kernel.
    #[inline]
    pub fn address(&mut self, tag: Tag) -> *mut u8 {
        // The slice ends within the region, whatever the I/O's length.
        let start = tag.0 as usize * self.stride;
        self.region[start..start + self.stride].as_mut_ptr()
    }

    /// The part of the region that a tag's buffer is in, as [`Slots::parts`] has them.
    #[inline]
    pub fn part(&self, tag: Tag) -> u16 {
        if self.ios.len() <= self.per_part { 0 } else { (tag.0 as usize / self.per_part) as u16 }
    }

    /// The parts of the region, each small enough to be registered.
    pub fn parts(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.region.chunks_mut(self.per_part * self.stride)
    }

    /// Fills every buffer, where anything is written.
    pub fn fill(&mut self, contents: &mut impl Contents) {
        if !self.filled {
            return;
        }
        for (tag, buffer) in (0..).zip(self.region.chunks_mut(self.stride)) {
            contents.fill(Tag(tag), buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tag_has_a_page_aligned_place_of_its_own() {
        let mut slots = Slots::new(3, 5_000, false).unwrap();
        let places: Vec<usize> = (0..3).map(|tag| slots.address(Tag(tag)) as usize).collect();
        assert!(places.iter().all(|place| place % PAGE == 0));
        assert_eq!(places[1] - places[0], 8_192);
        assert_eq!(Slots::bytes_for(3, 5_000), Bytes(24_576));
    }

    #[test]
    fn a_region_above_a_gibibyte_is_registered_in_parts() {
        // 40 buffers of 64 MiB are 2.5 GiB of addresses: nothing touches them, so they take no memory.
        let mut slots = Slots::new(40, 64 << 20, false).unwrap();
        let parts: Vec<usize> = slots.parts().map(|part| part.len()).collect();
        assert_eq!(parts, [1 << 30, 1 << 30, 1 << 29]);
        assert_eq!([0, 15, 16, 39].map(|tag| slots.part(Tag(tag))), [0, 0, 1, 2]);
    }
}
