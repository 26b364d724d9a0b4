//! Random I/Os of several sizes that touch every block of a region once before any twice (fio's random map).
//!
//! The unit is the smallest block size. Starts come in the order of a permutation, and those that an earlier I/O has
//! covered are passed over. An I/O that meets a covered unit ends before it, as in `get_next_rand_block` of fio's `io_u.c`.

use crate::pass::Pass;
use crate::slots::Slots;

/// Regions of more units make a pass of their own for each size: a map takes a bit for each unit and queue.
const MOST_UNITS: u64 = 1 << 30;

/// Units of a region that are not touched yet.
#[derive(Clone, Debug)]
pub(crate) struct BlockMap {
    pass: Pass,
    unit: u64,
    units: u64,
    taken: Vec<u64>,
    left: u64,
}

impl BlockMap {
    /// The map of a region of `len` bytes; `None` where it has too many units.
    pub(crate) fn new(len: u64, unit: u64, key: u64) -> Option<BlockMap> {
        let units = len / unit;
        if units > MOST_UNITS {
            return None;
        }
        let pass = Pass::new(Slots { unit: 1, count: units }, key);
        let taken = vec![0; usize::try_from(units.div_ceil(64)).ok()?];
        Some(BlockMap { pass, unit, units, taken, left: units })
    }

    /// Start and length of the next I/O of at most `len` bytes.
    pub(crate) fn draw(&mut self, len: u32) -> (u64, u32) {
        if self.left == 0 {
            self.restart();
        }
        let mut first = self.pass.draw();
        while self.is_taken(first) {
            first = self.pass.draw();
        }
        let wanted = u64::from(len).div_ceil(self.unit).min(self.units - first);
        let run = (first..first + wanted).take_while(|unit| !self.is_taken(*unit)).count() as u64;
        (first..first + run).for_each(|unit| self.taken[(unit / 64) as usize] |= 1 << (unit % 64));
        self.left -= run;
        let room = run * self.unit;
        (first * self.unit, u64::from(len).min(room) as u32)
    }

    /// Forgets which units were touched.
    pub(crate) fn restart(&mut self) {
        self.taken.fill(0);
        self.left = self.units;
        self.pass.restart();
    }

    fn is_taken(&self, unit: u64) -> bool {
        self.taken[(unit / 64) as usize] >> (unit % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_covers_every_unit_exactly_once() {
        // 100 units of 512 B; sizes of 1 to 8 units in turn.
        let mut map = BlockMap::new(51_200, 512, 7).expect("100 units are few");
        for _ in 0..3 {
            let mut touched = vec![0; 100];
            let mut len = 0;
            while map.left > 0 {
                len = len % 4_096 + 512;
                let (offset, len) = map.draw(len);
                assert!(len > 0 && offset.is_multiple_of(512) && offset + u64::from(len) <= 51_200);
                (offset / 512..(offset + u64::from(len)) / 512).for_each(|unit| touched[unit as usize] += 1);
            }
            assert_eq!(touched, vec![1; 100]);
            map.restart();
        }
    }

    #[test]
    fn a_region_of_too_many_units_has_no_map() {
        assert!(BlockMap::new(1 << 50, 512, 0).is_none());
    }
}
