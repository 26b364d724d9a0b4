//! Layer over the data of a disk: some of its sectors.

use super::Backing;
use super::allocation::Allocation;
use super::memory::Memory;
use super::sectors::{SECTOR, Sectors};
use super::slab::PAGE;
use crate::request::Errno;

/// Data that moves from a layer.
pub(super) enum Part<'a> {
    Data(&'a [u8]),
    /// Number of bytes.
    Zeroes(u64),
}

impl Part<'_> {
    /// Puts it on a backing.
    pub(super) fn write_to(&self, backing: &mut dyn Backing, offset: u64) -> Result<(), Errno> {
        match *self {
            Part::Data(data) => backing.write(offset, data),
            Part::Zeroes(len) => backing.zero(offset, len),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Part::Data(data) => data.len() as u64,
            Part::Zeroes(len) => *len,
        }
    }
}

/// Sectors of a disk that are newer than those of the layer below.
#[derive(Debug)]
pub(super) struct Layer {
    data: Memory,
    sectors: Sectors,
}

impl Layer {
    /// No sector, in that memory.
    pub(super) fn new(data: Memory) -> Layer {
        Layer { sectors: Sectors::new(data.pool().clone()), data }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sectors.is_empty()
    }

    /// Bytes of the disk in this layer.
    pub(super) fn bytes(&self) -> u64 {
        self.sectors.count() * SECTOR
    }

    /// Puts data over the layer below.
    ///
    /// # Errors
    /// Returns an error if there is no room. A part may have been stored.
    pub(super) fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let len = data.len() as u64;
        let result = self.data.write(offset, data).and_then(|()| self.sectors.insert(offset, len));
        if result.is_err() {
            self.free_empty_pages(offset, len);
        }
        result
    }

    /// Puts data of another layer over the layer below.
    ///
    /// # Errors
    /// As [`Layer::write`].
    pub(super) fn put(&mut self, offset: u64, part: &Part<'_>) -> Result<(), Errno> {
        match *part {
            Part::Data(data) => self.write(offset, data),
            Part::Zeroes(len) => self.zero(offset, len),
        }
    }

    /// Puts zeroes over the layer below.
    ///
    /// # Errors
    /// Returns an error if there is no room. A part may have been stored.
    pub(super) fn zero(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.sectors.insert(offset, len)?;
        self.data.cut(offset, len);
        Ok(())
    }

    /// Uncovers the layer below.
    pub(super) fn remove(&mut self, offset: u64, len: u64) {
        if self.sectors.is_empty() {
            return;
        }
        self.sectors.remove(offset, len);
        self.free_empty_pages(offset, len);
    }

    /// A page whose last sector was taken out is free, also where the range ends within it.
    fn free_empty_pages(&mut self, offset: u64, len: u64) {
        let page = PAGE as u64;
        let (mut at, end) = (offset / page * page, (offset + len).next_multiple_of(page));
        while at < end {
            let (from, to) = self.sectors.next_run(at, end).unwrap_or((end, end));
            let empty = from / page * page - at;
            self.data.cut(at, empty);
            at = to.next_multiple_of(page);
        }
    }

    /// Reads this layer; `below` reads the rest.
    ///
    /// # Errors
    /// Returns the error of `below`.
    pub(super) fn read(
        &mut self,
        offset: u64,
        into: &mut [u8],
        mut below: impl FnMut(u64, &mut [u8]) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let end = offset + into.len() as u64;
        let mut at = offset;
        while at < end {
            let (from, to) = self.sectors.next_run(at, end).unwrap_or((end, end));
            let part = |from: u64, to: u64| (from - offset) as usize..(to - offset) as usize;
            if at < from {
                below(at, &mut into[part(at, from)])?;
            }
            self.data.read(from, &mut into[part(from, to)])?;
            at = to;
        }
        Ok(())
    }

    /// Content of this layer at `offset`, and its extent up to `end` at most; without content, the layer below shows up
    /// to there.
    pub(super) fn allocation(&self, offset: u64, end: u64) -> (Option<Allocation>, u64) {
        match self.sectors.next_run(offset, end) {
            None => (None, end),
            Some((from, _)) if from > offset => (None, from),
            Some((_, to)) => {
                let (has_page, until) = self.data.run(offset, to);
                // What zeroes hide may take place.
                (Some(if has_page { Allocation::Data } else { Allocation::Zero }), until)
            }
        }
    }

    /// Moves this layer's data of a range elsewhere, at most a page at a time, or any number of zeroes. Its place is
    /// freed before `to` stores it, so that a full pool is not an obstacle.
    ///
    /// # Errors
    /// Returns the error of `to` for the first page that it refuses. That page and the following ones stay here.
    pub(super) fn move_to(
        &mut self,
        offset: u64,
        len: u64,
        mut to: impl FnMut(u64, Part<'_>) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let mut buffer = [0; PAGE];
        let (mut at, end) = (offset, offset + len);
        while let Some((from, run_end)) = self.sectors.next_run(at, end) {
            let (has_page, until) = self.data.run(from, run_end);
            if !has_page {
                self.remove(from, until - from);
                if let Err(errno) = to(from, Part::Zeroes(until - from)) {
                    self.zero(from, until - from).expect("the bits that were free just now");
                    return Err(errno);
                }
                at = until;
                continue;
            }
            let until = run_end.min((from / PAGE as u64 + 1) * PAGE as u64);
            let data = &mut buffer[..(until - from) as usize];
            self.data.read(from, data)?;
            self.remove(from, until - from);
            if let Err(errno) = to(from, Part::Data(data)) {
                self.write(from, data).expect("the place that was free just now");
                return Err(errno);
            }
            at = until;
        }
        Ok(())
    }

    /// Lets all that is below be seen again.
    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.sectors.clear();
    }
}
