//! Pages of memory, taken and given back one by one.

use std::io;
use std::ops::Range;

use crate::sys::Pages;

/// Unit of allocation: the machine's own page, so that one can be given back to it.
pub(super) const PAGE: usize = 4096;

/// Pages that lie together and are free: from here on their memory goes back to the machine with one call, which costs
/// what a few dozen copies of a page do.
const RUN: usize = 16;

/// Number of calls that a discard makes beyond those for long runs. The rest stays allocated and is used first.
const CALLS: usize = 256;

/// A number of pages in one anonymous mapping that reserves nothing: only pages that were written take memory.
#[derive(Debug)]
pub(super) struct Slab {
    map: Pages,
    limit: u32,
    /// Pages from here on were never taken.
    fresh: u32,
    /// Free, and their memory is the machine's again: they read as zeroes.
    clean: Vec<u32>,
    /// Free, with whatever was in them.
    warm: Vec<u32>,
    taken: u32,
    /// Bytes that are kept elsewhere and count.
    charged: u64,
}

/// A page that was free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) page: u32,
    /// True if it reads as zeroes.
    pub(super) is_zero: bool,
}

impl Slab {
    pub(super) fn new(limit: u32) -> io::Result<Slab> {
        let map = Pages::new(limit.max(1) as usize * PAGE)?;
        Ok(Slab { map, limit, fresh: 0, clean: Vec::new(), warm: Vec::new(), taken: 0, charged: 0 })
    }

    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    /// Pages that are in use, and those that what is charged would fill.
    pub(super) fn used(&self) -> u64 {
        u64::from(self.taken) + self.charged.div_ceil(PAGE as u64)
    }

    /// Number of pages that can be taken.
    pub(super) fn left(&self) -> u64 {
        u64::from(self.limit).saturating_sub(self.used())
    }

    /// A page: rather one whose memory is here already.
    pub(super) fn take(&mut self) -> Option<Taken> {
        if self.left() == 0 {
            return None;
        }
        if let Some(page) = self.warm.pop() {
            self.taken += 1;
            return Some(Taken { page, is_zero: false });
        }
        let page = match self.clean.pop() {
            Some(page) => page,
            None if self.map.reach((self.fresh as usize + 1) * PAGE) => {
                self.fresh += 1;
                self.fresh - 1
            }
            None => return None,
        };
        self.taken += 1;
        Some(Taken { page, is_zero: true })
    }

    /// The page is free; its memory stays here.
    pub(super) fn free(&mut self, page: u32) {
        self.taken -= 1;
        self.warm.push(page);
    }

    pub(super) fn page(&self, page: u32) -> &[u8] {
        self.map.get(page as usize * PAGE, PAGE)
    }

    pub(super) fn page_mut(&mut self, page: u32) -> &mut [u8] {
        self.map.get_mut(page as usize * PAGE, PAGE)
    }

    /// A mark in what has been freed, for [`Slab::give_back`].
    pub(super) fn freed(&self) -> usize {
        self.warm.len()
    }

    /// Gives the memory of what was freed since `mark` back to the machine: all that lies together, and some of the rest.
    pub(super) fn give_back(&mut self, mark: usize) {
        self.warm[mark..].sort_unstable();
        let (mut at, mut kept, mut calls) = (mark, mark, 0);
        while at < self.warm.len() {
            let first = self.warm[at];
            let run = self.warm[at..].iter().zip(first..).take_while(|(page, next)| *page == next).count();
            let is_given = (run >= RUN || calls < CALLS) && self.drop_memory(first..first + run as u32);
            if is_given {
                calls += usize::from(run < RUN);
                self.clean.extend_from_slice(&self.warm[at..at + run]);
            } else {
                self.warm.copy_within(at..at + run, kept);
                kept += run;
            }
            at += run;
        }
        self.warm.truncate(kept);
    }

    fn drop_memory(&mut self, pages: Range<u32>) -> bool {
        self.map.give_back(pages.start as usize * PAGE, pages.len() * PAGE)
    }

    /// Counts bytes that are kept elsewhere, if there is room for them.
    pub(super) fn charge(&mut self, bytes: u64) -> bool {
        let fits =
            (self.charged + bytes).div_ceil(PAGE as u64) + u64::from(self.taken) <= u64::from(self.limit);
        if fits {
            self.charged += bytes;
        }
        fits
    }

    /// Counts bytes that are kept elsewhere already.
    pub(super) fn charge_in_any_case(&mut self, bytes: u64) {
        self.charged += bytes;
    }

    /// Counts bytes no more.
    pub(super) fn refund(&mut self, bytes: u64) {
        self.charged -= bytes;
    }
}
