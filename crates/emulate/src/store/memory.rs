//! Sparse memory: pages that were written, under one limit for all disks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_units::Bytes;

use super::Backing;
use crate::request::Errno;

const PAGE: u64 = 4096;

/// What all disks together may hold.
#[derive(Debug)]
pub(super) struct Allowance {
    left: AtomicU64,
}

/// The pages of one disk.
#[derive(Debug)]
pub struct Memory {
    pages: BTreeMap<u64, Box<[u8; PAGE as usize]>>,
    allowance: Arc<Allowance>,
}

impl Memory {
    /// One memory for each of `disks` disks, which hold at most `limit` together.
    pub fn of_disks(disks: usize, limit: Bytes) -> Vec<Memory> {
        let allowance = Arc::new(Allowance { left: AtomicU64::new(limit.get() / PAGE) });
        (0..disks).map(|_| Memory { pages: BTreeMap::new(), allowance: Arc::clone(&allowance) }).collect()
    }
}

/// The parts of a range by page: the page, and which of its bytes.
fn parts(offset: u64, len: u64) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let end = offset + len;
    (offset / PAGE..end.div_ceil(PAGE)).map(move |page| {
        let from = offset.max(page * PAGE) - page * PAGE;
        let to = end.min((page + 1) * PAGE) - page * PAGE;
        (page, from as usize..to as usize)
    })
}

impl Backing for Memory {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        let mut done = 0;
        for (page, range) in parts(offset, into.len() as u64) {
            let part = &mut into[done..done + range.len()];
            done += range.len();
            match self.pages.get(&page) {
                Some(bytes) => part.copy_from_slice(&bytes[range]),
                None => part.fill(0),
            }
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let mut done = 0;
        for (page, range) in parts(offset, data.len() as u64) {
            let part = &data[done..done + range.len()];
            done += range.len();
            if !self.pages.contains_key(&page) {
                let left = &self.allowance.left;
                let taken =
                    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                taken.map_err(|_| Errno::NoSpace)?;
                self.pages.insert(page, Box::new([0; PAGE as usize]));
            }
            self.pages.get_mut(&page).expect("it is there").as_mut()[range].copy_from_slice(part);
        }
        Ok(())
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        let whole = offset.div_ceil(PAGE)..(offset + len) / PAGE;
        for (page, range) in [offset / PAGE, (offset + len) / PAGE].into_iter().flat_map(|page| {
            parts(offset, len).find(|(part, range)| *part == page && range.len() < PAGE as usize)
        }) {
            if let Some(bytes) = self.pages.get_mut(&page) {
                bytes[range].fill(0);
            }
        }
        if !whole.is_empty() {
            let gone: Vec<u64> = self.pages.range(whole).map(|(page, _)| *page).collect();
            self.allowance.left.fetch_add(gone.len() as u64, Ordering::Relaxed);
            gone.iter().for_each(|page| drop(self.pages.remove(page)));
        }
        Ok(())
    }

    fn held(&self) -> Bytes {
        Bytes(self.pages.len() as u64 * PAGE)
    }
}
