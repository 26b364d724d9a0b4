use crate::histogram::{Bins, Moments};

use super::alike::Alike;

/// Counters of one operation in a cell, or of one direction in an interval.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) moments: Moments,
    pub(crate) bytes: u64,
    pub(crate) errors: u64,
    pub(crate) bins: Bins<2>,
}

impl Tally {
    pub(crate) fn new() -> Tally {
        Tally { moments: Moments::NONE, bytes: 0, errors: 0, bins: Bins::new() }
    }

    #[inline]
    pub(crate) fn take(&mut self, ios: &Alike) {
        if ios.ok {
            self.bins.add(ios.bin, ios.latency.count);
            self.moments.add_repeated(&ios.latency);
            self.bytes += ios.bytes;
        } else {
            self.errors += ios.latency.count;
        }
    }

    pub(crate) fn merge(&mut self, other: &Tally) {
        if let Some((min_ns, max_ns)) = other.extremes_ns() {
            self.bins.merge(&other.bins, min_ns, max_ns);
        }
        self.moments.merge(&other.moments);
        self.bytes += other.bytes;
        self.errors += other.errors;
    }
    /// Back to nothing, touching only the bins that may hold something.
    pub(crate) fn clear(&mut self) {
        if let Some((min_ns, max_ns)) = self.extremes_ns() {
            self.bins.clear_between(min_ns, max_ns);
        }
        (self.moments, self.bytes, self.errors) = (Moments::NONE, 0, 0);
    }

    /// True if nothing completed, not even with an error.
    pub(crate) fn is_empty(&self) -> bool {
        self.moments.count == 0 && self.errors == 0
    }

    /// The shortest and the longest latency, where there is one.
    pub(crate) fn extremes_ns(&self) -> Option<(u64, u64)> {
        (self.moments.count > 0).then_some((self.moments.min_ns, self.moments.max_ns))
    }
}
