//! What a ReadWrite cache has acknowledged and the media does not have yet.
//!
//! Dirty ranges of a disk are kept sorted and merged, so the flusher finds neighbours to write together; it goes
//! round in ascending order. A flush waits for what was dirty when it arrived: every dirty range belongs to an
//! epoch, an arriving flush closes the epoch, and it is done when the closed epochs hold nothing.

use std::collections::{BTreeMap, VecDeque};

/// A contiguous range on one disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) epoch: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Dirty {
    /// Offset to (end, epoch): disjoint; neighbours of one epoch are one range.
    ranges: BTreeMap<u64, (u64, u64)>,
    /// Where the flusher goes on.
    cursor: u64,
    /// Bytes dirty or on their way to the media, by epoch from `oldest` on.
    unclean: VecDeque<u64>,
    oldest: u64,
}

impl Dirty {
    fn account(&mut self, epoch: u64) -> &mut u64 {
        &mut self.unclean[(epoch - self.oldest) as usize]
    }

    /// The epoch that new dirty data belongs to.
    fn epoch(&mut self) -> u64 {
        if self.unclean.is_empty() {
            self.unclean.push_back(0);
        }
        self.oldest + self.unclean.len() as u64 - 1
    }

    /// Marks a range dirty; says how many bytes were not dirty before.
    pub(crate) fn mark(&mut self, offset: u64, len: u64) -> u64 {
        let epoch = self.epoch();
        let end = offset + len;
        let (mut at, mut fresh) = (offset, 0);
        while at < end {
            // What is dirty already stays in its own, older epoch.
            let over = self.ranges.range(..=at).next_back().map(|(_, (range_end, _))| *range_end);
            if let Some(range_end) = over.filter(|range_end| *range_end > at) {
                at = range_end;
                continue;
            }
            let next = self.ranges.range(at..end).next().map_or(end, |(start, _)| *start);
            fresh += next - at;
            self.insert(at, next, epoch);
            at = next;
        }
        *self.account(epoch) += fresh;
        fresh
    }

    fn insert(&mut self, mut start: u64, mut end: u64, epoch: u64) {
        let before = self.ranges.range(..start).next_back().map(|(s, (e, p))| (*s, *e, *p));
        if let Some((before_start, before_end, before_epoch)) = before
            && before_end == start
            && before_epoch == epoch
        {
            start = before_start;
        }
        if let Some((after_end, after_epoch)) = self.ranges.get(&end).copied()
            && after_epoch == epoch
        {
            self.ranges.remove(&end);
            end = after_end;
        }
        self.ranges.insert(start, (end, epoch));
    }

    /// Takes the next range for the flusher, at most `most` bytes: dirty no more, but not clean yet.
    pub(crate) fn take(&mut self, most: u64) -> Option<Extent> {
        let (start, (end, epoch)) = self
            .ranges
            .range(self.cursor..)
            .next()
            .or_else(|| self.ranges.iter().next())
            .map(|(start, range)| (*start, *range))?;
        self.ranges.remove(&start);
        let until = end.min(start + most);
        if until < end {
            self.ranges.insert(until, (end, epoch));
        }
        self.cursor = until;
        Some(Extent { offset: start, len: until - start, epoch })
    }

    /// The media has it.
    pub(crate) fn clean(&mut self, extent: Extent) {
        *self.account(extent.epoch) -= extent.len;
        while self.unclean.len() > 1 && self.unclean.front() == Some(&0) {
            self.unclean.pop_front();
            self.oldest += 1;
        }
    }

    /// A flush arrives: the epoch that has to be clean for it, or `None` if everything is.
    pub(crate) fn close_epoch(&mut self) -> Option<u64> {
        if self.unclean.iter().all(|bytes| *bytes == 0) {
            return None;
        }
        let epoch = self.epoch();
        if *self.account(epoch) > 0 {
            self.unclean.push_back(0);
            return Some(epoch);
        }
        Some(epoch - 1)
    }

    /// Whether everything up to that epoch has reached the media.
    pub(crate) fn is_clean_to(&self, epoch: u64) -> bool {
        epoch < self.oldest
            || self.unclean.iter().take((epoch - self.oldest) as usize + 1).all(|bytes| *bytes == 0)
    }

    /// Whether the whole range is dirty: then a read of it is a hit.
    pub(crate) fn covers(&self, offset: u64, len: u64) -> bool {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            match self.ranges.range(..=at).next_back() {
                Some((_, (range_end, _))) if *range_end > at => at = *range_end,
                _ => return false,
            }
        }
        true
    }

    /// Forgets the dirty parts of a discarded range; says how many bytes they were.
    pub(crate) fn discard(&mut self, offset: u64, len: u64) -> u64 {
        let end = offset + len;
        let mut gone = 0;
        let first = self.ranges.range(..=offset).next_back().map_or(offset, |(start, _)| *start);
        let touched: Vec<(u64, (u64, u64))> =
            self.ranges.range(first..end).map(|(start, range)| (*start, *range)).collect();
        for (start, (range_end, epoch)) in touched {
            let (cut_start, cut_end) = (start.max(offset), range_end.min(end));
            if cut_start >= cut_end {
                continue;
            }
            self.ranges.remove(&start);
            if start < cut_start {
                self.ranges.insert(start, (cut_start, epoch));
            }
            if cut_end < range_end {
                self.ranges.insert(cut_end, (range_end, epoch));
            }
            gone += cut_end - cut_start;
            self.clean(Extent { offset: cut_start, len: cut_end - cut_start, epoch });
        }
        gone
    }

    /// Bytes dirty or on their way to the media.
    pub(crate) fn unclean_bytes(&self) -> u64 {
        self.unclean.iter().sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_written_together_up_to_the_largest_transfer() {
        let mut dirty = Dirty::default();
        for sector in [3u64, 1, 0, 2, 9] {
            assert_eq!(dirty.mark(sector * 4096, 4096), 4096);
        }
        assert_eq!(dirty.take(262_144).map(|e| (e.offset, e.len)), Some((0, 4 * 4096)));
        assert_eq!(dirty.take(2_048).map(|e| (e.offset, e.len)), Some((9 * 4096, 2_048)));
        assert_eq!(dirty.take(2_048).map(|e| (e.offset, e.len)), Some((9 * 4096 + 2_048, 2_048)));
        assert_eq!(dirty.take(262_144), None);
    }

    #[test]
    fn writing_dirty_data_again_dirties_nothing_more() {
        let mut dirty = Dirty::default();
        assert_eq!(dirty.mark(0, 8192), 8192);
        assert_eq!(dirty.mark(4096, 8192), 4096);
        assert!(dirty.covers(0, 12_288));
        assert!(!dirty.covers(0, 12_289));
    }

    #[test]
    fn a_flush_waits_for_what_was_dirty_when_it_arrived_and_for_nothing_later() {
        let mut dirty = Dirty::default();
        assert_eq!(dirty.close_epoch(), None);
        dirty.mark(0, 4096);
        let barrier = dirty.close_epoch().expect("something is dirty");
        dirty.mark(8192, 4096);
        assert!(!dirty.is_clean_to(barrier));
        let first = dirty.take(262_144).expect("dirty");
        assert!(!dirty.is_clean_to(barrier), "on its way is not there yet");
        dirty.clean(first);
        assert!(dirty.is_clean_to(barrier));
        assert!(!dirty.is_empty());
        let second = dirty.close_epoch().expect("the later write");
        assert!(!dirty.is_clean_to(second));
        let later = dirty.take(262_144).expect("dirty");
        dirty.clean(later);
        assert!(dirty.is_clean_to(second));
        assert_eq!(dirty.close_epoch(), None);
    }

    #[test]
    fn discarded_data_is_not_written_back() {
        let mut dirty = Dirty::default();
        dirty.mark(0, 16_384);
        assert_eq!(dirty.discard(4096, 4096), 4096);
        assert_eq!(dirty.take(262_144).map(|e| (e.offset, e.len)), Some((0, 4096)));
        assert_eq!(dirty.take(262_144).map(|e| (e.offset, e.len)), Some((8192, 8192)));
    }
}
