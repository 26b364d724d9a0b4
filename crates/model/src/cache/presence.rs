//! Which parts of which lines a cache holds: bounded memory at any capacity.
//!
//! A set-associative table of 32 ways a set, least recently used first out. Lines go to sets in rows, each row
//! turned by a hash of its own: a contiguous working set fills the table evenly (one that fits stays whole, and a
//! sequential pass over one that does not hits nothing, as with an exact LRU), and a strided one is scattered.
//! A test compares it with an exact LRU. Presence is tracked in sixteenths of a
//! line, because a miss of 4 KiB does not bring the other 60 KiB along: a cold sequential pass hits nothing.
//! Eight bytes a line: 76 MB for 576 GiB in lines of 64 KiB, less where the disks in use are smaller.

use crate::random::Draws;

const WAYS: usize = 32;
const SECTORS: u32 = 16;

/// `tag << 16 | present sectors`; zero is an empty way.
type Way = u64;

#[derive(Debug)]
pub(crate) struct Presence {
    sets: Vec<[Way; WAYS]>,
    line_shift: u32,
    ways: usize,
    /// How many sets, the first ones, use one way more.
    larger: usize,
}

impl Presence {
    /// A cold cache of `capacity` bytes for disks of `used` bytes in all.
    pub(crate) fn new(capacity: u64, used: u64, line: u64) -> Presence {
        let lines = (capacity.min(used.div_ceil(line) * line) / line) as usize;
        let sets = lines.div_ceil(WAYS);
        let (ways, larger) = if capacity >= used {
            // Everything fits: no set is smaller than its share.
            (WAYS, 0)
        } else {
            (lines / sets.max(1), lines % sets.max(1))
        };
        Presence { sets: vec![[0; WAYS]; sets], line_shift: line.trailing_zeros(), ways, larger }
    }

    /// How many ways a set uses, so that they are `capacity` in all.
    #[inline]
    fn ways(&self, set: usize) -> usize {
        self.ways + usize::from(set < self.larger)
    }

    /// The sectors of `line` that `[offset, end)` touches.
    #[inline]
    fn mask(&self, line: u64, offset: u64, end: u64) -> u64 {
        let sector_shift = self.line_shift - SECTORS.trailing_zeros();
        let start = line << self.line_shift;
        let first = offset.saturating_sub(start) >> sector_shift;
        let last = ((end - start - 1) >> sector_shift).min(u64::from(SECTORS - 1));
        (0xffff >> (15 - last)) & (0xffff << first) & 0xffff
    }

    #[inline]
    fn lines(&self, offset: u64, len: u64) -> std::ops::RangeInclusive<u64> {
        (offset >> self.line_shift)..=((offset + len - 1) >> self.line_shift)
    }

    /// Whether all of the range is present; what is, counts as used.
    #[inline]
    pub(crate) fn lookup(&mut self, offset: u64, len: u64) -> bool {
        if self.sets.is_empty() {
            return false;
        }
        let mut all = true;
        for line in self.lines(offset, len) {
            let wanted = self.mask(line, offset, offset + len);
            let (set, tag) = self.place(line);
            let used = self.ways(set);
            let ways = &mut self.sets[set][..used];
            match ways.iter().position(|way| *way >> 16 == tag) {
                Some(way) => {
                    ways[..=way].rotate_right(1);
                    all &= ways[0] & wanted == wanted;
                }
                None => all = false,
            }
        }
        all
    }

    /// Makes the range present, at the cost of what was used longest ago.
    #[inline]
    pub(crate) fn insert(&mut self, offset: u64, len: u64) {
        if self.sets.is_empty() || len == 0 {
            return;
        }
        for line in self.lines(offset, len) {
            let wanted = self.mask(line, offset, offset + len);
            let (set, tag) = self.place(line);
            let used = self.ways(set);
            let ways = &mut self.sets[set][..used];
            let way = ways.iter().position(|way| *way >> 16 == tag);
            let present = way.map_or(0, |way| ways[way] & 0xffff);
            ways[..=way.unwrap_or(used - 1)].rotate_right(1);
            ways[0] = (tag << 16) | present | wanted;
        }
    }

    /// Forgets the range: discarded data is not worth a place.
    pub(crate) fn remove(&mut self, offset: u64, len: u64) {
        if self.sets.is_empty() || len == 0 {
            return;
        }
        // A discard may be larger than the whole cache: then it is the cache that is walked.
        let lines = self.lines(offset, len);
        if lines.end() - lines.start() > (self.sets.len() * WAYS) as u64 {
            let sets = self.sets.len() as u64;
            for (index, set) in self.sets.iter_mut().enumerate() {
                for way in set.iter_mut().filter(|way| **way != 0) {
                    let row = (*way >> 16) - 1;
                    let line = row * sets + (index as u64 + sets - turn(row, sets)) % sets;
                    if lines.contains(&line) {
                        *way = 0;
                    }
                }
            }
            return;
        }
        for line in lines {
            let gone = self.mask(line, offset, offset + len);
            let (set, tag) = self.place(line);
            if let Some(way) = self.sets[set].iter_mut().find(|way| **way >> 16 == tag) {
                *way &= !gone;
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.sets.fill([0; WAYS]);
    }

    /// The set of a line, and its tag there: never zero, so that an empty way matches nothing.
    #[inline]
    fn place(&self, line: u64) -> (usize, u64) {
        let sets = self.sets.len() as u64;
        let row = line / sets;
        (((line % sets + turn(row, sets)) % sets) as usize, row + 1)
    }
}

/// By how many sets a row is turned.
#[inline]
fn turn(row: u64, sets: u64) -> u64 {
    ((Draws::new(0, 0).bits(row) >> 32) * sets) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_table_of_576_gib_takes_eight_bytes_a_line_and_less_where_the_disks_are_smaller() {
        let bytes = |capacity, used| size_of_val(&Presence::new(capacity, used, LINE).sets[..]) as u64;
        assert_eq!(bytes(576 << 30, 32 << 40), (576 << 30) / LINE * 8);
        assert_eq!(bytes(576 << 30, 1 << 30), (1 << 30) / LINE * 8);
    }

    #[test]
    fn no_capacity_is_no_hit() {
        let mut cache = Presence::new(0, 1 << 30, LINE);
        cache.insert(0, 4096);
        assert!(!cache.lookup(0, 4096));
    }
}
