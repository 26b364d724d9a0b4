//! The places where an I/O of one size may begin.

use iobound_units::Bytes;

use crate::Share;

/// Places at multiples of `unit` from the region's start, such that the I/O ends inside the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    /// From one place to the next, in bytes.
    pub(crate) unit: u64,
    /// Number of places; never zero.
    pub(crate) count: u64,
}

impl Slots {
    /// The places of the I/Os of a share in a region of `len` bytes, which holds at least one. As in DiskSpd,
    /// multiples count from the region's start.
    pub(crate) fn new(len: u64, share: &Share) -> Slots {
        let block = u64::from(share.block);
        // A flush in a mix has no length; it takes the place of a sector.
        let unit = share.align.map_or(block.max(1), Bytes::get);
        Slots { unit, count: (len - block) / unit + 1 }
    }

    /// The first place that begins at or after `start`, and how many begin before `end`.
    pub(crate) fn between(self, start: u64, end: u64) -> (u64, u64) {
        let first = start.div_ceil(self.unit);
        (first, end.div_ceil(self.unit).min(self.count).saturating_sub(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_io_ends_inside_the_region() {
        for (len, block, align, count) in [
            (16_384, 4_096, None, 4),
            (16_383, 4_096, None, 3),
            (16_384, 8_192, Some(4_096), 3),
            (4_096, 4_096, None, 1),
        ] {
            let align = align.map(Bytes);
            let share = Share { weight: 1, op: iobound_units::Op::Read, block, random: None, align };
            let slots = Slots::new(len, &share);
            assert_eq!(slots.count, count);
            assert!((slots.count - 1) * slots.unit + u64::from(block) <= len);
        }
    }

    #[test]
    fn a_zone_has_the_places_that_begin_in_it() {
        let slots = Slots { unit: 10, count: 10 };
        assert_eq!(slots.between(0, 25), (0, 3));
        assert_eq!(slots.between(25, 100), (3, 7));
        assert_eq!(slots.between(25, 30), (3, 0));
    }
}
