//! A disk in sparse memory: the pages that were written, with something else than zeroes.

use std::ops::Range;

use iobound_units::Bytes;

use super::Backing;
use super::allocation::Allocation;
use super::pool::Pool;
use super::slab::PAGE;
use super::table::{Table, within};
use crate::request::Errno;

/// The pages of one disk, in a pool.
#[derive(Debug)]
pub struct Memory {
    pool: Pool,
    table: Table,
}

impl Memory {
    pub(super) fn new(pool: Pool) -> Memory {
        Memory { pool, table: Table::default() }
    }

    /// Pool that it is a part of.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Makes a range zeroes: whole pages are free, but their memory stays in the pool, for later writes.
    pub(super) fn cut(&mut self, offset: u64, len: u64) {
        self.table.cut(&mut self.pool.lock(), offset, len);
    }

    /// True if `offset` has a page, and up to where, `end` at most, that is so.
    pub(super) fn run(&self, offset: u64, end: u64) -> (bool, u64) {
        let page = PAGE as u64;
        let (has_page, until) = self.table.run(&self.pool.lock(), offset / page, end.div_ceil(page));
        (has_page, (until * page).min(end))
    }

    /// Makes everything zeroes, and gives the memory back to the machine.
    pub(super) fn clear(&mut self) {
        let slab = &mut *self.pool.lock();
        let mark = slab.freed();
        self.table.clear(slab);
        slab.give_back(mark);
    }
}

/// The parts of a range by page: the page, and which of its bytes.
fn parts(offset: u64, len: u64) -> impl Iterator<Item = (u64, Range<usize>)> {
    let end = offset + len;
    (offset / PAGE as u64..end.div_ceil(PAGE as u64)).map(move |page| (page, within(page, offset, end)))
}

impl Backing for Memory {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        let slab = &*self.pool.lock();
        let mut done = 0;
        for (page, range) in parts(offset, into.len() as u64) {
            let part = &mut into[done..done + range.len()];
            done += range.len();
            match self.table.find(slab, page) {
                Some(found) => part.copy_from_slice(&slab.page(found)[range]),
                None => part.fill(0),
            }
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let slab = &mut *self.pool.lock();
        let mut done = 0;
        for (page, range) in parts(offset, data.len() as u64) {
            let part = &data[done..done + range.len()];
            done += range.len();
            let found = match self.table.find(slab, page) {
                Some(found) => found,
                // Most write-backs of a new file system.
                None if part.iter().all(|byte| *byte == 0) => continue,
                None => self.table.place(slab, page, range.len() == PAGE)?,
            };
            slab.page_mut(found)[range].copy_from_slice(part);
        }
        Ok(())
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        let slab = &mut *self.pool.lock();
        let mark = slab.freed();
        self.table.cut(slab, offset, len);
        slab.give_back(mark);
        Ok(())
    }

    fn zero(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        let slab = &mut *self.pool.lock();
        for (page, range) in parts(offset, len) {
            // A range without a page already reads as zeroes. A reserved page takes memory when it is written, not when
            // it is read.
            if let Some(found) = self.table.find(slab, page)
                && slab.page(found)[range.clone()].iter().any(|byte| *byte != 0)
            {
                slab.page_mut(found)[range].fill(0);
            }
        }
        Ok(())
    }

    fn reserve(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        let slab = &mut *self.pool.lock();
        for (page, _) in parts(offset, len) {
            if self.table.find(slab, page).is_none() {
                self.table.place(slab, page, false)?;
            }
        }
        Ok(())
    }

    fn allocation(&mut self, offset: u64, end: u64) -> Result<(Allocation, u64), Errno> {
        let (has_page, until) = self.run(offset, end);
        Ok((if has_page { Allocation::Data } else { Allocation::Hole }, until))
    }

    fn held(&self) -> Bytes {
        Bytes(self.table.pages() * PAGE as u64)
    }

    fn volatile(&self) -> Memory {
        self.pool.disk()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.clear();
    }
}
