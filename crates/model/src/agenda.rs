//! Agenda: events by time, and by the order they were booked where times are equal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Ids below are fragments; those from here on are limiters.
const LIMITER_BASE: u32 = 1 << 23;
const ID_BITS: u32 = 24;

/// Subject of an agenda entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The fragment's media time is over.
    Fragment(u32),
    /// The limiter's head may pass.
    Limiter(u16),
}

/// A plain binary heap was the fastest agenda of those tried; ties go by booking order, so that the same
/// inputs give the same order everywhere.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// `time << 64 | order << 24 | id`: one comparison without a branch.
    heap: BinaryHeap<Reverse<u128>>,
    booked: u64,
}

impl Agenda {
    pub(crate) fn with_capacity(capacity: usize) -> Agenda {
        Agenda { heap: BinaryHeap::with_capacity(capacity), booked: 0 }
    }

    /// Forgets all that was to happen.
    pub(crate) fn clear(&mut self) {
        self.heap.clear();
    }

    /// Makes room for so many entries in all, ahead of time.
    pub(crate) fn make(&mut self, room: usize) {
        self.heap.reserve(room.saturating_sub(self.heap.len()));
    }

    /// The most fragments an agenda can tell apart.
    pub(crate) const MAX_FRAGMENTS: usize = LIMITER_BASE as usize;

    #[inline]
    fn push(&mut self, at_ns: u64, id: u32) {
        // 2^40 bookings before an order could repeat: 30 hours at ten million a second.
        let key = (self.booked << ID_BITS) | u64::from(id);
        self.booked = self.booked.wrapping_add(1);
        self.heap.push(Reverse((u128::from(at_ns) << 64) | u128::from(key)));
    }

    #[inline]
    pub(crate) fn fragment(&mut self, at_ns: u64, fragment: u32) {
        self.push(at_ns, fragment);
    }

    #[inline]
    pub(crate) fn limiter(&mut self, at_ns: u64, limiter: u16) {
        self.push(at_ns, LIMITER_BASE + u32::from(limiter));
    }

    #[inline]
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| (entry >> 64) as u64)
    }

    /// The next entry due at `now_ns` or before, with its own time.
    #[inline]
    pub(crate) fn pop_due(&mut self, now_ns: u64) -> Option<(u64, Entry)> {
        if self.next_ns()? > now_ns {
            return None;
        }
        let Reverse(key) = self.heap.pop()?;
        let (at_ns, id) = ((key >> 64) as u64, key as u32 & ((1 << ID_BITS) - 1));
        let entry =
            if id < LIMITER_BASE { Entry::Fragment(id) } else { Entry::Limiter((id - LIMITER_BASE) as u16) };
        Some((at_ns, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_by_time_and_then_by_booking_order() {
        let mut agenda = Agenda::with_capacity(4);
        agenda.fragment(20, 1);
        agenda.limiter(10, 7);
        agenda.fragment(10, 3);
        assert_eq!(agenda.next_ns(), Some(10));
        assert_eq!(agenda.pop_due(9), None);
        assert_eq!(agenda.pop_due(20), Some((10, Entry::Limiter(7))));
        assert_eq!(agenda.pop_due(20), Some((10, Entry::Fragment(3))));
        assert_eq!(agenda.pop_due(20), Some((20, Entry::Fragment(1))));
        assert_eq!(agenda.pop_due(20), None);
    }
}
