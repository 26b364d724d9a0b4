//! Pages of a slab that a disk has.

use std::ops::Range;

use super::slab::{PAGE, Slab};
use crate::request::Errno;

/// Number of pages that one table finds: it is a page itself, of four bytes for each.
const REGION: u64 = (PAGE / 4) as u64;

/// The pages of one disk. Two looks find one: in the region's entry here, then in the region's table, which is a page of the
/// same slab, so that the limit holds for it as well.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Table of each region of 4 MiB: a page's number plus one; zero for no page.
    tables: Vec<u32>,
    /// Number of pages that each table finds.
    used: Vec<u32>,
    /// Pages taken, tables among them.
    pages: u64,
}

impl Table {
    /// Pages taken, tables among them.
    pub(super) fn pages(&self) -> u64 {
        self.pages
    }

    pub(super) fn find(&self, slab: &Slab, page: u64) -> Option<u32> {
        let table = self.tables.get((page / REGION) as usize)?.checked_sub(1)?;
        slot(slab, table, page).checked_sub(1)
    }

    /// True if there is a page, and up to which one, `end` at most, that is so.
    pub(super) fn run(&self, slab: &Slab, page: u64, end: u64) -> (bool, u64) {
        let is_there = self.find(slab, page).is_some();
        let mut at = page;
        while at < end {
            let region = (at / REGION) as usize;
            let until = end.min((region as u64 + 1) * REGION);
            match self.used.get(region) {
                None => return (is_there, if is_there { at } else { end }),
                // All of it is like this, or none.
                Some(used) if u64::from(*used) == if is_there { REGION } else { 0 } => at = until,
                Some(_) => {
                    let differs = |page: &u64| self.find(slab, *page).is_some() != is_there;
                    match (at..until).find(differs) {
                        Some(other) => return (is_there, other),
                        None => at = until,
                    }
                }
            }
        }
        (is_there, end)
    }

    /// A page for a place without one; `is_whole` if all of it is going to be written.
    pub(super) fn place(&mut self, slab: &mut Slab, page: u64, is_whole: bool) -> Result<u32, Errno> {
        let region = (page / REGION) as usize;
        if region >= self.tables.len() {
            // Zeroes from the allocator are not touched: a large disk costs what of it is used.
            self.tables = grown(&self.tables, region);
            self.used = grown(&self.used, region);
        }
        let has_table = self.tables[region] > 0;
        if slab.left() < if has_table { 1 } else { 2 } {
            return Err(Errno::NoSpace);
        }
        if !has_table {
            let table = taken(slab, false)?;
            self.tables[region] = table + 1;
            self.pages += 1;
        }
        let new = taken(slab, is_whole)?;
        set_slot(slab, self.tables[region] - 1, page, new + 1);
        self.used[region] += 1;
        self.pages += 1;
        Ok(new)
    }

    /// Makes a range zeroes: whole pages are free, tables that find nothing as well.
    pub(super) fn cut(&mut self, slab: &mut Slab, offset: u64, len: u64) {
        let end = offset + len;
        let mut page = offset / PAGE as u64;
        while page * (PAGE as u64) < end {
            let region = (page / REGION) as usize;
            match self.tables.get(region) {
                None => return,
                Some(0) => page = (region as u64 + 1) * REGION,
                Some(_) => {
                    if let Some(found) = self.find(slab, page) {
                        let range = within(page, offset, end);
                        if range.len() == PAGE {
                            self.drop_page(slab, page, found);
                        } else {
                            slab.page_mut(found)[range].fill(0);
                        }
                    }
                    page += 1;
                }
            }
        }
    }

    /// Frees all pages.
    pub(super) fn clear(&mut self, slab: &mut Slab) {
        self.cut(slab, 0, self.tables.len() as u64 * REGION * PAGE as u64);
    }

    fn drop_page(&mut self, slab: &mut Slab, page: u64, found: u32) {
        let region = (page / REGION) as usize;
        let table = self.tables[region] - 1;
        set_slot(slab, table, page, 0);
        slab.free(found);
        self.used[region] -= 1;
        self.pages -= 1;
        if self.used[region] == 0 {
            self.tables[region] = 0;
            slab.free(table);
            self.pages -= 1;
        }
    }
}

fn grown(old: &[u32], index: usize) -> Vec<u32> {
    let mut new = vec![0; (index + 1).next_power_of_two()];
    new[..old.len()].copy_from_slice(old);
    new
}

fn taken(slab: &mut Slab, is_whole: bool) -> Result<u32, Errno> {
    let taken = slab.take().ok_or(Errno::NoSpace)?;
    if !taken.is_zero && !is_whole {
        slab.page_mut(taken.page).fill(0);
    }
    Ok(taken.page)
}

fn slot_bytes(page: u64) -> Range<usize> {
    let at = (page % REGION) as usize * 4;
    at..at + 4
}

fn slot(slab: &Slab, table: u32, page: u64) -> u32 {
    let bytes = slab.page(table)[slot_bytes(page)].try_into();
    u32::from_ne_bytes(bytes.expect("four bytes"))
}

fn set_slot(slab: &mut Slab, table: u32, page: u64, to: u32) {
    slab.page_mut(table)[slot_bytes(page)].copy_from_slice(&to.to_ne_bytes());
}

/// Bytes of a page in between.
pub(super) fn within(page: u64, offset: u64, end: u64) -> Range<usize> {
    let start = page * PAGE as u64;
    (offset.max(start) - start) as usize..(end.min(start + PAGE as u64) - start) as usize
}
