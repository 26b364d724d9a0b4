use crate::histogram::{Bins, Moments};

/// Counters of one operation in a cell.
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

    /// Takes in completions that are alike; `bin` is that of the latency.
    #[inline]
    pub(crate) fn take(&mut self, bin: usize, latency_ns: u64, len: u32, ok: bool, count: u64) {
        if ok {
            self.bins.add(bin, count);
            self.moments.add_n(latency_ns, count);
            self.bytes += u64::from(len) * count;
        } else {
            self.errors += count;
        }
    }

    pub(crate) fn merge(&mut self, other: &Tally) {
        if other.moments.count > 0 {
            self.bins.merge(&other.bins, other.moments.min_ns, other.moments.max_ns);
        }
        self.moments.merge(&other.moments);
        self.bytes += other.bytes;
        self.errors += other.errors;
    }
}
