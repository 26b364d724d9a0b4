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

/// What was written between two flushes.
#[derive(Debug, Default)]
struct Epoch {
    /// Start to end: disjoint, also from those of other epochs; neighbours are one range.
    ranges: BTreeMap<u64, u64>,
    /// Bytes dirty or on their way to the media.
    unclean: u64,
}

impl Epoch {
    /// The end of the range that holds `at`.
    fn end_of(&self, at: u64) -> Option<u64> {
        self.ranges.range(..=at).next_back().map(|(_, end)| *end).filter(|end| *end > at)
    }

    fn insert(&mut self, mut start: u64, mut end: u64) {
        if let Some((before, before_end)) = self.ranges.range(..start).next_back()
            && *before_end == start
        {
            start = *before;
        }
        if let Some(after_end) = self.ranges.remove(&end) {
            end = after_end;
        }
        self.ranges.insert(start, end);
    }

    /// Takes what lies between out of the ranges; says how much it was.
    fn cut(&mut self, start: u64, end: u64) -> u64 {
        let mut gone = 0;
        let first = self.ranges.range(..=start).next_back().map_or(start, |(first, _)| *first);
        let touched: Vec<(u64, u64)> = self.ranges.range(first..end).map(|(s, e)| (*s, *e)).collect();
        for (range_start, range_end) in touched {
            let (cut_start, cut_end) = (range_start.max(start), range_end.min(end));
            if cut_start >= cut_end {
                continue;
            }
            self.ranges.remove(&range_start);
            if range_start < cut_start {
                self.ranges.insert(range_start, cut_start);
            }
            if cut_end < range_end {
                self.ranges.insert(cut_end, range_end);
            }
            gone += cut_end - cut_start;
        }
        gone
    }
}

#[derive(Debug, Default)]
pub(crate) struct Dirty {
    /// From `oldest` on; the last takes what is written now. Only flushes that wait keep more than one.
    epochs: VecDeque<Epoch>,
    oldest: u64,
    /// Where the flusher goes on.
    cursor: u64,
}

impl Dirty {
    fn last(&mut self) -> &mut Epoch {
        if self.epochs.is_empty() {
            self.epochs.push_back(Epoch::default());
        }
        self.epochs.back_mut().expect("just made")
    }

    /// Marks a range dirty; says how many bytes were not dirty before.
    pub(crate) fn mark(&mut self, offset: u64, len: u64) -> u64 {
        let end = offset + len;
        let (mut at, mut fresh) = (offset, 0);
        while at < end {
            // What is dirty already stays in its own, older epoch.
            if let Some(over) = self.epochs.iter().find_map(|epoch| epoch.end_of(at)) {
                at = over;
                continue;
            }
            let starts = self.epochs.iter().filter_map(|epoch| epoch.ranges.range(at..end).next());
            let next = starts.map(|(start, _)| *start).min().unwrap_or(end);
            fresh += next - at;
            self.last().insert(at, next);
            at = next;
        }
        self.last().unclean += fresh;
        fresh
    }

    /// Takes the next range for the flusher, at most `most` bytes: dirty no more, but not clean yet. What a flush waits
    /// for goes first, or a writer that keeps ahead of the flusher would keep the flush waiting.
    pub(crate) fn take(&mut self, most: u64) -> Option<Extent> {
        let (n, epoch) = self.epochs.iter_mut().enumerate().find(|(_, epoch)| !epoch.ranges.is_empty())?;
        let ranges = &mut epoch.ranges;
        let (start, end) = ranges.range(self.cursor..).next().or_else(|| ranges.iter().next())?;
        let (start, end) = (*start, *end);
        ranges.remove(&start);
        let until = end.min(start + most);
        if until < end {
            ranges.insert(until, end);
        }
        self.cursor = until;
        Some(Extent { offset: start, len: until - start, epoch: self.oldest + n as u64 })
    }

    /// The media has it.
    pub(crate) fn clean(&mut self, extent: Extent) {
        self.epochs[(extent.epoch - self.oldest) as usize].unclean -= extent.len;
        self.forget_clean_epochs();
    }

    fn forget_clean_epochs(&mut self) {
        while self.epochs.len() > 1 && self.epochs[0].unclean == 0 {
            self.epochs.pop_front();
            self.oldest += 1;
        }
    }

    /// A flush arrives: the epoch that has to be clean for it, or `None` if everything is.
    pub(crate) fn close_epoch(&mut self) -> Option<u64> {
        if self.unclean_bytes() == 0 {
            return None;
        }
        let last = self.oldest + self.epochs.len() as u64 - 1;
        if self.last().unclean == 0 {
            return Some(last - 1);
        }
        self.epochs.push_back(Epoch::default());
        Some(last)
    }

    /// Whether everything up to that epoch has reached the media.
    pub(crate) fn is_clean_to(&self, epoch: u64) -> bool {
        let count = (epoch + 1).saturating_sub(self.oldest) as usize;
        self.epochs.iter().take(count).all(|epoch| epoch.unclean == 0)
    }

    /// Whether the whole range is dirty: then a read of it is a hit.
    pub(crate) fn covers(&self, offset: u64, len: u64) -> bool {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            match self.epochs.iter().find_map(|epoch| epoch.end_of(at)) {
                Some(range_end) => at = range_end,
                None => return false,
            }
        }
        true
    }

    /// Forgets the dirty parts of a discarded range; says how many bytes they were.
    pub(crate) fn discard(&mut self, offset: u64, len: u64) -> u64 {
        let mut gone = 0;
        for epoch in &mut self.epochs {
            let cut = epoch.cut(offset, offset + len);
            epoch.unclean -= cut;
            gone += cut;
        }
        self.forget_clean_epochs();
        gone
    }

    /// Bytes dirty or on their way to the media.
    pub(crate) fn unclean_bytes(&self) -> u64 {
        self.epochs.iter().map(|epoch| epoch.unclean).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.epochs.iter().all(|epoch| epoch.ranges.is_empty())
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
