//! Data that a ReadWrite cache has acknowledged and the media does not have yet.
//!
//! A byte is on its way to the media at most once. If it is written again meanwhile, it is dirty again and waits until
//! that write-back is done. Otherwise the older data could arrive last.
//!
//! Dirty ranges of a disk are kept sorted and merged, so the flusher finds neighbours to write together; it goes
//! round in ascending order. A flush waits for what was dirty when it arrived: every dirty range belongs to an
//! epoch, an arriving flush closes the epoch, and it is done when the closed epochs hold nothing.

use std::collections::{BTreeMap, VecDeque};

/// A contiguous range on one disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirtyRange {
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) epoch: u64,
}

/// Ranges written between two flushes.
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
    /// Epochs from `oldest` on. New writes go to the last one. Only waiting flushes keep more than one.
    epochs: VecDeque<Epoch>,
    oldest: u64,
    /// Position at which the flusher continues.
    cursor: u64,
    /// Start and end of what is on its way to the media: no more than the flusher may have under way.
    under_way: Vec<(u64, u64)>,
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
            let (until, is_dirty) = self.until(at, end);
            // Data that is already dirty stays in its own, older epoch.
            if !is_dirty {
                fresh += until - at;
                self.last().insert(at, until);
            }
            at = until;
        }
        self.last().unclean += fresh;
        fresh
    }

    /// Takes the next range for the flusher, at most `most` bytes. The range is no longer dirty, but not clean yet.
    /// Ranges that a flush waits for come first. Otherwise a writer that is faster than the flusher would keep the
    /// flush waiting.
    pub(crate) fn take(&mut self, most: u64) -> Option<DirtyRange> {
        let next = |(n, epoch): (usize, &Epoch)| Some((n, self.next_of(epoch)?));
        let (n, (start, end)) = self.epochs.iter().enumerate().find_map(next)?;
        let until = end.min(start + most);
        self.epochs[n].cut(start, until);
        self.cursor = until;
        self.under_way.push((start, until));
        Some(DirtyRange { offset: start, len: until - start, epoch: self.oldest + n as u64 })
    }

    /// The first range from the cursor on, round, of which nothing is on its way.
    fn next_of(&self, epoch: &Epoch) -> Option<(u64, u64)> {
        let ranges = epoch.ranges.range(self.cursor..).chain(epoch.ranges.range(..self.cursor));
        ranges.map(|(start, end)| (*start, *end)).find_map(|(mut start, end)| {
            while let Some((_, over)) = self.under_way.iter().find(|(from, to)| (*from..*to).contains(&start))
            {
                start = *over;
            }
            let ahead = self.under_way.iter().map(|(from, _)| *from).filter(|from| *from > start);
            (start < end).then(|| (start, ahead.fold(end, u64::min)))
        })
    }

    /// The media now has the range as it was when the flusher took it.
    pub(crate) fn clean(&mut self, extent: DirtyRange) {
        self.under_way.retain(|range| *range != (extent.offset, extent.offset + extent.len));
        self.epochs[(extent.epoch - self.oldest) as usize].unclean -= extent.len;
        self.forget_clean_epochs();
    }

    /// End of the uniform range that begins at `at`, at most `end`, and true if it is dirty.
    fn until(&self, at: u64, end: u64) -> (u64, bool) {
        if let Some(over) = self.epochs.iter().find_map(|epoch| epoch.end_of(at)) {
            return (over.min(end), true);
        }
        let starts = self.epochs.iter().filter_map(|epoch| epoch.ranges.range(at..end).next());
        (starts.map(|(start, _)| *start).min().unwrap_or(end), false)
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

    /// True if everything up to that epoch has reached the media.
    pub(crate) fn is_clean_to(&self, epoch: u64) -> bool {
        let count = (epoch + 1).saturating_sub(self.oldest) as usize;
        self.epochs.iter().take(count).all(|epoch| epoch.unclean == 0)
    }

    /// True if the whole range is dirty: then a read of it is a hit.
    pub(crate) fn covers(&self, offset: u64, len: u64) -> bool {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            match self.until(at, end) {
                (until, true) => at = until,
                (_, false) => return false,
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
    use proptest::prelude::*;

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

    #[test]
    fn what_is_written_again_on_its_way_waits_until_that_has_arrived() {
        let mut dirty = Dirty::default();
        dirty.mark(0, 16_384);
        let first = dirty.take(262_144).expect("dirty");
        dirty.mark(4096, 4096);
        dirty.mark(12_288, 8192);
        assert_eq!(dirty.take(262_144).map(|e| (e.offset, e.len)), Some((16_384, 4096)));
        assert_eq!(dirty.take(262_144), None, "the older data might come later");
        dirty.clean(first);
        assert_eq!(dirty.take(262_144).map(|e| (e.offset, e.len)), Some((4096, 4096)));
        assert_eq!(dirty.take(262_144).map(|e| (e.offset, e.len)), Some((12_288, 4096)));
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Write(u64, u64),
        Discard(u64, u64),
        Flush,
        Take(u64),
        /// One of those under way arrives, not always the first.
        Arrive(usize),
    }

    const SPACE: u64 = 40;

    fn step() -> impl Strategy<Value = Step> {
        let range = || (0..SPACE, 1..9u64).prop_map(|(at, len)| (at, len.min(SPACE - at)));
        prop_oneof![
            6 => range().prop_map(|(at, len)| Step::Write(at, len)),
            1 => range().prop_map(|(at, len)| Step::Discard(at, len)),
            1 => Just(Step::Flush),
            5 => (1..12u64).prop_map(Step::Take),
            5 => (0..32usize).prop_map(Step::Arrive),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        /// The oracle knows each byte's version: what was written last, what is on its way, what the media has. Whatever
        /// arrives in whatever order, the media never goes back to an older version, a flush is done when it has all that
        /// was written before, and when nothing is left to do it has the last of everything.
        #[test]
        fn the_media_gets_what_was_written_last_and_flushes_wait_for_what_was_before(
            steps in prop::collection::vec(step(), 0..200),
        ) {
            let mut dirty = Dirty::default();
            let (mut written, mut media) = ([0u64; SPACE as usize], [0u64; SPACE as usize]);
            let mut wanted = [false; SPACE as usize];
            let mut under_way: Vec<(DirtyRange, Vec<u64>)> = Vec::new();
            let mut flushes: Vec<(u64, Vec<u64>)> = Vec::new();
            let bytes = |offset: u64, len: u64| offset as usize..(offset + len) as usize;
            let drain = [Step::Take(SPACE), Step::Arrive(0)].into_iter().cycle().take(400);
            for (version, step) in steps.into_iter().chain(drain).enumerate() {
                match step {
                    Step::Write(at, len) => {
                        dirty.mark(at, len);
                        written[bytes(at, len)].fill(version as u64 + 1);
                        wanted[bytes(at, len)].fill(true);
                    }
                    Step::Discard(at, len) => {
                        dirty.discard(at, len);
                        wanted[bytes(at, len)].fill(false);
                        // A flush need not wait for it any more.
                        flushes.iter_mut().for_each(|(_, before)| before[bytes(at, len)].fill(0));
                    }
                    Step::Flush => {
                        let before = (0..SPACE as usize).map(|at| if wanted[at] { written[at] } else { 0 });
                        let before: Vec<u64> = before.collect();
                        match dirty.close_epoch() {
                            Some(epoch) => flushes.push((epoch, before)),
                            None => prop_assert!(before.iter().zip(&media).all(|(before, there)| there >= before)),
                        }
                    }
                    Step::Take(most) => if let Some(extent) = dirty.take(most) {
                        let data = written[bytes(extent.offset, extent.len)].to_vec();
                        for (other, _) in &under_way {
                            let apart = other.offset + other.len <= extent.offset
                                || extent.offset + extent.len <= other.offset;
                            prop_assert!(apart, "{other:?} and {extent:?} are under way together");
                        }
                        under_way.push((extent, data));
                    },
                    Step::Arrive(which) if !under_way.is_empty() => {
                        let (extent, data) = under_way.remove(which % under_way.len());
                        for (at, version) in bytes(extent.offset, extent.len).zip(data) {
                            prop_assert!(version >= media[at], "the media goes back to an older version");
                            media[at] = version;
                        }
                        dirty.clean(extent);
                    }
                    Step::Arrive(_) => {}
                }
                // A discard may have taken the last that a flush waited for.
                let is_done = |(epoch, _): &(u64, Vec<u64>)| dirty.is_clean_to(*epoch);
                let (done, wait): (Vec<_>, Vec<_>) = flushes.into_iter().partition(is_done);
                flushes = wait;
                for (_, before) in done {
                    prop_assert!(before.iter().zip(&media).all(|(before, there)| there >= before));
                }
            }
            prop_assert_eq!((dirty.unclean_bytes(), flushes.len()), (0, 0));
            for at in 0..SPACE as usize {
                prop_assert!(!wanted[at] || media[at] == written[at], "byte {} never arrives", at);
            }
        }
    }
}
