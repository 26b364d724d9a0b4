//! Presence of the parts of each line in a cache: bounded memory at any capacity.
//!
//! A set-associative table of at most 32 ways a set, least recently used first out. Lines go to sets in rows, each row
//! turned by a hash of its own: a contiguous working set fills the table evenly (one that fits stays whole, and a
//! sequential pass over one that does not hits nothing, as with an exact LRU), and a strided one is scattered.
//! A test compares it with an exact LRU. Presence is tracked in sixteenths of a
//! line, because a miss of 4 KiB does not bring the other 60 KiB along: a cold sequential pass hits nothing.
//! Four bytes a line: 38 MB for 576 GiB in lines of 64 KiB, less where the disks in use are smaller.

use crate::random::spread;

const WAYS: usize = 32;
const SECTORS: u32 = 16;
const MOST_ROWS: usize = u16::MAX as usize;

/// A set's place in the table: its tags, and behind them the sectors present of each.
const SET: usize = 2 * WAYS;

/// The lines of a set in order of use, the last used first.
struct Set<'a> {
    /// Row + 1; zero is an empty way.
    tags: &'a mut [u16],
    present: &'a mut [u16],
}

impl Set<'_> {
    #[inline]
    fn find(&self, tag: u16) -> Option<usize> {
        // Sixteen at a time without a branch, which compiles to vector comparisons.
        let chunk = self
            .tags
            .chunks_exact(16)
            .position(|tags| tags.iter().fold(false, |any, t| any | (*t == tag)))?;
        self.tags[chunk * 16..].iter().position(|t| *t == tag).map(|way| chunk * 16 + way)
    }

    /// Makes a way the last used.
    #[inline]
    fn touch(&mut self, way: usize, tag: u16, present: u16) {
        self.tags.copy_within(..way, 1);
        self.present.copy_within(..way, 1);
        self.tags[0] = tag;
        self.present[0] = present;
    }
}

#[derive(Debug)]
pub(crate) struct Presence {
    /// Zeros from the allocator: memory that is never touched costs nothing.
    table: Vec<u16>,
    /// Index of the first set in the table: two of the processor's cache lines hold a set.
    start: usize,
    sets: usize,
    /// All that the disks hold is present; the table does not say so yet.
    complete: bool,
    /// The lines that the disks hold.
    used: u64,
    fits: bool,
    line_shift: u32,
    ways: usize,
    /// Number of sets, the first ones, that use one way more.
    larger: usize,
}

impl Presence {
    /// A cold cache of `capacity` bytes for disks of `used` bytes in all.
    pub(crate) fn new(capacity: u64, used: u64, line: u64) -> Presence {
        let lines = (capacity.min(used.div_ceil(line) * line) / line) as usize;
        // Enough sets for a row's number to fit its tag, whatever the disks' size.
        let rows = (used.div_ceil(line) as usize).div_ceil(MOST_ROWS);
        // A cache of less than a 65,535th of its disks counts as no cache.
        let sets = if rows > lines { 0 } else { lines.div_ceil(WAYS).max(rows) };
        let (ways, larger) = if capacity >= used {
            // Everything fits: no set is smaller than its share.
            (WAYS, 0)
        } else {
            (lines / sets.max(1), lines % sets.max(1))
        };
        let table = vec![0u16; sets * SET + SET];
        let start = table.as_ptr().align_offset(2 * SET);
        let line_shift = line.trailing_zeros();
        let (used, fits) = (used.div_ceil(line), capacity >= used);
        Presence { table, start, sets, complete: false, used, fits, line_shift, ways, larger }
    }

    /// The same contents in a table for another capacity, or for disks of another size: what was used longest ago goes
    /// first where there is less room. Ages are known within a set only; those of different sets are taken to be alike.
    pub(crate) fn laid_out(&mut self, capacity: u64, used: u64) -> Presence {
        if self.complete {
            self.write_out();
        }
        let mut other = Presence::new(capacity, used, 1 << self.line_shift);
        if other.sets == 0 {
            return other;
        }
        for way in (0..WAYS).rev() {
            for index in 0..self.sets {
                let set = self.set(index);
                let (tag, present) = (set.tags[way], set.present[way]);
                if present != 0 {
                    other.put(self.line_of(index, tag), present);
                }
            }
        }
        other
    }

    #[inline]
    fn set(&mut self, index: usize) -> Set<'_> {
        let at = self.start + index * SET;
        let (tags, present) = self.table[at..at + SET].split_at_mut(WAYS);
        Set { tags, present }
    }

    /// Holds what another of the same size holds.
    pub(crate) fn hold_what(&mut self, other: &Presence) {
        let size = |of: &Presence| (of.sets, of.used, of.line_shift, of.ways, of.larger);
        assert_eq!(size(self), size(other), "the contents of a cache of another size");
        self.complete = other.complete;
        // Each table begins where its own allocation is aligned.
        let len = self.sets * SET;
        self.table[self.start..self.start + len]
            .copy_from_slice(&other.table[other.start..other.start + len]);
    }

    /// Makes everything present: for disks that the cache holds whole.
    pub(crate) fn complete(&mut self) {
        assert!(self.fits, "a cache smaller than its disks holds all they do");
        self.complete = true;
    }

    /// Writes into the table that all is present, before something no longer is.
    #[cold]
    fn write_out(&mut self) {
        self.complete = false;
        for line in 0..self.used {
            self.insert(line << self.line_shift, 1 << self.line_shift);
        }
    }

    /// Number of ways that a set uses, so that they are `capacity` in all.
    #[inline]
    fn ways(&self, set: usize) -> usize {
        self.ways + usize::from(set < self.larger)
    }

    #[inline]
    fn lines(&self, offset: u64, len: u64) -> std::ops::RangeInclusive<u64> {
        (offset >> self.line_shift)..=((offset + len - 1) >> self.line_shift)
    }

    /// True if all of the range is present; what is, counts as used.
    #[inline]
    pub(crate) fn lookup(&mut self, offset: u64, len: u64) -> bool {
        if self.complete || self.sets == 0 {
            return self.complete;
        }
        let mut all = true;
        for line in self.lines(offset, len) {
            let wanted = mask_of(self.line_shift, line, offset, offset + len);
            let (set, tag) = self.place(line);
            let mut set = self.set(set);
            match set.find(tag) {
                Some(way) => {
                    let present = set.present[way];
                    set.touch(way, tag, present);
                    all &= present & wanted == wanted;
                }
                None => all = false,
            }
        }
        all
    }

    /// Makes the range present, at the cost of what was used longest ago.
    #[inline]
    pub(crate) fn insert(&mut self, offset: u64, len: u64) {
        if self.complete || self.sets == 0 || len == 0 {
            return;
        }
        for line in self.lines(offset, len) {
            self.put(line, mask_of(self.line_shift, line, offset, offset + len));
        }
    }

    #[inline]
    fn put(&mut self, line: u64, wanted: u16) {
        let (index, tag) = self.place(line);
        let used = self.ways(index);
        let mut set = self.set(index);
        match set.find(tag) {
            Some(way) => set.touch(way, tag, set.present[way] | wanted),
            None => set.touch(used - 1, tag, wanted),
        }
    }

    /// Forgets the range: discarded data is not worth a place.
    pub(crate) fn remove(&mut self, offset: u64, len: u64) {
        if self.sets == 0 || len == 0 {
            return;
        }
        if self.complete {
            self.write_out();
        }
        // A discard may be larger than the whole cache: then it is the cache that is walked.
        let lines = self.lines(offset, len);
        if lines.end() - lines.start() > (self.sets * WAYS) as u64 {
            for index in 0..self.sets {
                for way in 0..WAYS {
                    let tag = self.set(index).tags[way];
                    if tag == 0 {
                        continue;
                    }
                    let line = self.line_of(index, tag);
                    if lines.contains(&line) {
                        let gone = mask_of(self.line_shift, line, offset, offset + len);
                        self.set(index).present[way] &= !gone;
                    }
                }
            }
            return;
        }
        for line in lines {
            let gone = mask_of(self.line_shift, line, offset, offset + len);
            let (set, tag) = self.place(line);
            let set = self.set(set);
            if let Some(way) = set.find(tag) {
                set.present[way] &= !gone;
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.complete = false;
        self.table.fill(0);
    }

    /// The set of a line, and its tag there: never zero, so that an empty way matches nothing.
    #[inline]
    fn place(&self, line: u64) -> (usize, u16) {
        let sets = self.sets as u64;
        let row = line / sets;
        (((line % sets + turn(row, sets)) % sets) as usize, row as u16 + 1)
    }

    /// The line that a set's tag stands for: [`Presence::place`] the other way round.
    fn line_of(&self, set: usize, tag: u16) -> u64 {
        let (sets, row) = (self.sets as u64, u64::from(tag) - 1);
        row * sets + (set as u64 + sets - turn(row, sets)) % sets
    }
}

/// The sectors of `line` that `[offset, end)` touches.
#[inline]
fn mask_of(line_shift: u32, line: u64, offset: u64, end: u64) -> u16 {
    let sector_shift = line_shift - SECTORS.trailing_zeros();
    let start = line << line_shift;
    let first = offset.saturating_sub(start) >> sector_shift;
    let last = ((end - start - 1) >> sector_shift).min(u64::from(SECTORS - 1));
    (0xffff >> (15 - last)) & (0xffff << first)
}

/// By how many sets a row is turned.
#[inline]
fn turn(row: u64, sets: u64) -> u64 {
    ((spread(row) >> 32) * sets) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draws;

    const LINE: u64 = 65536;

    /// The exact thing that the table stands for: a list in order of use.
    struct ExactLru {
        capacity: usize,
        lines: Vec<u64>,
    }

    impl ExactLru {
        fn touch(&mut self, line: u64) -> bool {
            let hit = self.lines.iter().position(|l| *l == line);
            if let Some(at) = hit {
                self.lines.remove(at);
            } else if self.lines.len() == self.capacity {
                self.lines.pop();
            }
            self.lines.insert(0, line);
            hit.is_some()
        }
    }

    fn hits(lines: u64, capacity: u64, touches: impl Iterator<Item = u64> + Clone) -> (f64, f64) {
        let mut table = Presence::new(capacity * LINE, lines * LINE, LINE);
        let mut exact = ExactLru { capacity: capacity as usize, lines: Vec::new() };
        let (mut in_table, mut in_exact, mut n) = (0u32, 0u32, 0u32);
        for line in touches {
            let hit = table.lookup(line * LINE, LINE);
            if !hit {
                table.insert(line * LINE, LINE);
            }
            in_table += u32::from(hit);
            in_exact += u32::from(exact.touch(line));
            n += 1;
        }
        (f64::from(in_table) / f64::from(n), f64::from(in_exact) / f64::from(n))
    }

    fn random(n: u64) -> impl Iterator<Item = u64> + Clone {
        let draws = Draws::new(5, 5);
        (0..n).map(move |i| draws.bits(i))
    }

    #[test]
    fn uniform_access_hits_as_often_as_with_an_exact_lru() {
        let (table, exact) = hits(1_000, 400, random(40_000).map(|r| r % 1_000));
        assert!((table - exact).abs() < 0.01, "{table} {exact}");
    }

    #[test]
    fn skewed_access_hits_as_often_as_with_an_exact_lru() {
        // 90 % of the I/Os on 10 % of the lines, which are scattered (every tenth).
        let skewed = random(60_000).map(|r| {
            let line = (r >> 8) % 200;
            if r % 10 < 9 { line * 10 } else { (r >> 8) % 2_000 }
        });
        let (table, exact) = hits(2_000, 320, skewed);
        assert!((table - exact).abs() < 0.02, "{table} {exact}");
    }

    #[test]
    fn a_working_set_that_fits_is_kept_whole() {
        let (table, exact) = hits(400, 400, random(8_000).map(|r| r % 400));
        assert!((table - exact).abs() < 1e-9, "{table} {exact}");
    }

    #[test]
    fn a_sequential_pass_over_more_than_the_cache_hits_nothing() {
        assert_eq!(hits(1_000, 900, (0..5_000).map(|i| i % 1_000)), (0.0, 0.0));
    }

    #[test]
    fn a_miss_brings_only_what_was_read() {
        let mut cache = Presence::new(1 << 30, 1 << 30, LINE);
        cache.insert(0, 4096);
        assert!(cache.lookup(0, 4096));
        assert!(!cache.lookup(4096, 4096));
        assert!(!cache.lookup(0, 8192));
        cache.insert(LINE - 4096, 8192);
        assert!(cache.lookup(LINE - 4096, 8192));
    }

    #[test]
    fn what_is_discarded_is_gone_and_its_neighbours_are_not() {
        let mut cache = Presence::new(4 * LINE, 64 * LINE, LINE);
        cache.insert(0, 3 * LINE);
        cache.remove(LINE, 4096);
        assert!(!cache.lookup(LINE, 4096) && cache.lookup(LINE + 4096, 4096) && cache.lookup(0, LINE));
        cache.remove(0, 64 * LINE);
        assert!(!cache.lookup(0, 4096));
    }

    #[test]
    fn the_table_of_576_gib_takes_four_bytes_a_line_and_less_where_the_disks_are_smaller() {
        let bytes = |capacity, used| size_of_val(&Presence::new(capacity, used, LINE).table[..]) as u64;
        // And one set more, to begin where a cache line of the processor does.
        assert_eq!(bytes(576 << 30, 32 << 40), (576 << 30) / LINE * 4 + 128);
        assert_eq!(bytes(576 << 30, 1 << 30), (1 << 30) / LINE * 4 + 128);
    }

    #[test]
    fn a_small_cache_before_huge_disks_tells_their_lines_apart() {
        let (capacity, used) = (43 << 30, 256 << 40);
        let mut cache = Presence::new(capacity, used, LINE);
        cache.insert(0, LINE);
        let same_place = (1..used / LINE).step_by(cache.sets).filter(|line| cache.lookup(line * LINE, LINE));
        assert_eq!(same_place.count(), 0);
        let last = used - LINE;
        cache.insert(last, LINE);
        assert!(cache.lookup(last, LINE) && cache.lookup(0, LINE));
    }

    #[test]
    fn a_copy_holds_the_same_lines_and_forgets_the_same_ones_next() {
        let touched = || random(600).map(|r| r % 1_000);
        let mut one = Presence::new(400 * LINE, 1_000 * LINE, LINE);
        touched().for_each(|line| one.insert(line * LINE, LINE));
        let mut other = Presence::new(400 * LINE, 1_000 * LINE, LINE);
        other.insert(0, LINE);
        other.hold_what(&one);
        for line in touched().chain(0..1_000) {
            one.insert((line ^ 1) * LINE, LINE);
            other.insert((line ^ 1) * LINE, LINE);
            assert_eq!(one.lookup(line * LINE, LINE), other.lookup(line * LINE, LINE), "{line}");
        }
    }

    #[test]
    fn no_capacity_is_no_hit() {
        let mut cache = Presence::new(0, 1 << 30, LINE);
        cache.insert(0, 4096);
        assert!(!cache.lookup(0, 4096));
    }
}
