//! The zones of a region that a queue visits one after the other (fio's `zonemode=strided`).

use crate::StridedZones;

/// Position of a queue in its zones.
#[derive(Debug)]
pub(crate) struct Tour {
    zones: StridedZones,
    /// The length of the region.
    len: u64,
    /// Start of the zone, from the region's start.
    pub(crate) at: u64,
    /// Bytes of I/O in this zone.
    pub(crate) moved: u64,
}

impl Tour {
    /// In the first zone of a region of `len` bytes, which holds at least one.
    pub(crate) fn new(zones: StridedZones, len: u64) -> Tour {
        Tour { zones, len, at: 0, moved: 0 }
    }

    /// Goes on to the next zone when this one has had its bytes; whether offsets begin anew. A zone that does not fit
    /// into the region whole is left out.
    pub(crate) fn next_zone(&mut self) -> bool {
        if self.moved < self.zones.size.get() {
            // A zone that is gone over again begins anew.
            return self.moved > 0 && self.moved.is_multiple_of(self.zones.range.get());
        }
        self.moved = 0;
        let next = self.at.saturating_add(self.zones.range.get()).saturating_add(self.zones.skip.get());
        let fits = next.checked_add(self.zones.range.get()).is_some_and(|end| end <= self.len);
        self.at = if fits { next } else { 0 };
        true
    }
}

#[cfg(test)]
mod tests {
    use iobound_units::Bytes;

    use super::*;

    /// The zones of the first I/Os of 4 KiB.
    fn visited(range: u64, size: u64, skip: u64, len: u64) -> Vec<u64> {
        let zones = StridedZones { range: Bytes(range), size: Bytes(size), skip: Bytes(skip) };
        let mut tour = Tour::new(zones, len);
        (0..8)
            .map(|_| {
                tour.next_zone();
                tour.moved += 4_096;
                tour.at / 4_096
            })
            .collect()
    }

    #[test]
    fn a_zone_is_left_after_its_bytes_and_the_last_is_followed_by_the_first() {
        assert_eq!(visited(4_096, 4_096, 0, 3 * 4_096), [0, 1, 2, 0, 1, 2, 0, 1]);
        // Half of each zone, then all of it twice.
        assert_eq!(visited(8_192, 4_096, 0, 4 * 4_096), [0, 2, 0, 2, 0, 2, 0, 2]);
        assert_eq!(visited(4_096, 8_192, 0, 2 * 4_096), [0, 0, 1, 1, 0, 0, 1, 1]);
        // A gap between zones; the third would end beyond the region.
        assert_eq!(visited(4_096, 4_096, 4_096, 4 * 4_096), [0, 2, 0, 2, 0, 2, 0, 2]);
    }
}
