use iobound_units::{Instant, Op};

use crate::histogram::{Bins, HIGHEST_NS, Repeated};

/// Completions that are alike, and came together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alike {
    /// Completion time.
    pub(crate) at: Instant,
    pub(crate) op: Op,
    /// True if they moved all their bytes without an error.
    pub(crate) ok: bool,
    /// Bytes of all of them.
    pub(crate) bytes: u64,
    /// Their latency, and their number.
    pub(crate) latency: Repeated,
    /// Bin of the latency.
    pub(crate) bin: usize,
}

impl Alike {
    /// Completions of `len` bytes each.
    #[inline]
    pub(crate) fn new(at: Instant, op: Op, ok: bool, len: u32, latency: Repeated) -> Alike {
        let bin = Bins::<2>::index(latency.value_ns.min(HIGHEST_NS));
        Alike { at, op, ok, bytes: u64::from(len) * latency.count, latency, bin }
    }
}
