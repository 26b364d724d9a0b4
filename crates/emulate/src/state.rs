//! Counters since the start: two looks, some time apart, say show the state.

use iobound_measure::Histogram;
use iobound_model::{Blueprint, CacheId, CacheState, DiskId, DiskState, LimiterId, LimiterState, Stack};
use iobound_units::{Bytes, Instant};

use crate::request::{Action, Errno, Request};

/// Latencies to two significant digits: a histogram that is cheap to keep for each export.
pub type Latencies = Histogram<2>;

/// Completions of one kind, since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// Number of that that succeeded.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The sum of their latencies, from submission to when they were due, in nanoseconds.
    pub latency_ns: u64,
}

/// Completions on one export.
#[derive(Clone, Debug, Default)]
pub struct ExportCounts {
    /// Reads.
    pub reads: Tally,
    /// Writes, those of zeroes among them.
    pub writes: Tally,
    /// Flushes and trims.
    pub others: Tally,
    /// Failures.
    pub errors: u64,
    /// Of reads and writes, since the last look.
    pub latencies: Latencies,
}

impl ExportCounts {
    /// Takes in a completion.
    pub(crate) fn count(&mut self, request: &Request, latency_ns: u64, failed: Option<Errno>) {
        if failed.is_some() {
            self.errors += 1;
            return;
        }
        let tally = match request.action {
            Action::Read => &mut self.reads,
            Action::Write { .. } | Action::Zero { .. } => &mut self.writes,
            Action::Flush | Action::Trim => &mut self.others,
        };
        tally.ios += 1;
        tally.bytes += u64::from(request.len);
        tally.latency_ns += latency_ns;
        if !matches!(request.action, Action::Flush | Action::Trim) {
            self.latencies.record(latency_ns);
        }
    }
}

/// All that is counted, at one time.
#[derive(Clone, Debug)]
pub struct Look {
    /// Time of the look.
    pub at: Instant,
    /// By limiter, in the blueprint's order.
    pub limiters: Vec<LimiterState>,
    /// By disk.
    pub disks: Vec<DiskState>,
    /// By cache.
    pub caches: Vec<CacheState>,
    /// By export.
    pub exports: Vec<ExportCounts>,
    /// Space of the data.
    pub held: Bytes,
    /// Requests that are not complete.
    pub under_way: usize,
}

impl Look {
    /// Looks at a stack, as of its last poll.
    pub(crate) fn at_stack(at: Instant, stack: &mut Stack, blueprint: &Blueprint) -> Look {
        let ids = |count: usize| 0..count as u16;
        Look {
            at,
            limiters: ids(blueprint.limiters.len()).map(|id| stack.limiter(LimiterId(id))).collect(),
            disks: ids(blueprint.disks.len()).map(|id| stack.disk(DiskId(id))).collect(),
            caches: ids(blueprint.caches.len()).map(|id| stack.cache(CacheId(id))).collect(),
            exports: Vec::new(),
            held: Bytes::ZERO,
            under_way: 0,
        }
    }
}
