use iobound_units::{Instant, Span};

use super::Layout;
use super::interval::{Interval, IntervalTally, Phase};
use crate::histogram::Bins;

/// Counters of one direction in the open interval.
#[derive(Clone)]
pub(crate) struct Side {
    pub(crate) bins: Bins<2>,
    count: u64,
    bytes: u64,
    errors: u64,
    sum_ns: u128,
    squares_ns2: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Side {
    fn new() -> Side {
        Side {
            bins: Bins::new(),
            count: 0,
            bytes: 0,
            errors: 0,
            sum_ns: 0,
            squares_ns2: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    /// Takes in completions that are alike; `bin` is that of the latency.
    #[inline]
    pub(crate) fn take(&mut self, bin: usize, latency_ns: u64, len: u32, ok: bool, count: u64) {
        if !ok {
            self.errors += count;
            return;
        }
        self.bins.add(bin, count);
        self.count += count;
        self.bytes += u64::from(len) * count;
        self.sum_ns += u128::from(latency_ns) * u128::from(count);
        let square = u128::from(latency_ns) * u128::from(latency_ns);
        self.squares_ns2 = self.squares_ns2.saturating_add(square.saturating_mul(u128::from(count)));
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    pub(crate) fn merge(&mut self, other: &Side) {
        if let Some((min_ns, max_ns)) = other.extremes_ns() {
            self.bins.merge(&other.bins, min_ns, max_ns);
        }
        self.count += other.count;
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.sum_ns += other.sum_ns;
        self.squares_ns2 = self.squares_ns2.saturating_add(other.squares_ns2);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Back to nothing, touching only the bins that may hold something.
    pub(crate) fn clear(&mut self) {
        if let Some((min_ns, max_ns)) = self.extremes_ns() {
            self.bins.clear_between(min_ns, max_ns);
        }
        (self.count, self.bytes, self.errors) = (0, 0, 0);
        (self.sum_ns, self.squares_ns2) = (0, 0);
        (self.min_ns, self.max_ns) = (u64::MAX, 0);
    }

    /// True if nothing completed, not even with an error.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.errors == 0
    }

    /// The shortest and the longest latency, where there is one.
    pub(crate) fn extremes_ns(&self) -> Option<(u64, u64)> {
        (self.count > 0).then_some((self.min_ns, self.max_ns))
    }

    fn snapshot(&self) -> IntervalTally {
        let (min_ns, max_ns) = self.extremes_ns().unwrap_or((0, 0));
        IntervalTally {
            count: self.count,
            bytes: self.bytes,
            errors: self.errors,
            sum_ns: self.sum_ns,
            squares_ns2: self.squares_ns2,
            min: Span::from_ns(min_ns),
            max: Span::from_ns(max_ns),
            p50: None,
            p99: None,
        }
    }
}

/// The interval that is being filled.
#[derive(Clone)]
pub(crate) struct OpenInterval {
    pub(crate) start: Instant,
    pub(crate) edge: Instant,
    pub(crate) phase: Phase,
    pub(crate) whole: bool,
    /// The first ns that belongs to it, and how many follow: one comparison tells whether a time does.
    first_ns: u64,
    width_ns: u64,
    /// Reads and writes; flush and discard have no place in a series of IOPS.
    pub(crate) sides: [Side; 2],
}

impl OpenInterval {
    /// The first interval of a run.
    pub(crate) fn first(layout: &Layout) -> OpenInterval {
        let mut open = OpenInterval {
            start: layout.begin,
            edge: layout.begin,
            phase: Phase::Warmup,
            whole: true,
            first_ns: 0,
            width_ns: 0,
            sides: [Side::new(), Side::new()],
        };
        open.begin(layout, layout.begin);
        open.first_ns = layout.begin.ns();
        open.width_ns = open.edge.ns() - open.first_ns;
        open
    }

    /// Moves on to the interval that begins where this one ended.
    pub(crate) fn next(&mut self, layout: &Layout) {
        self.begin(layout, self.edge);
    }

    fn begin(&mut self, layout: &Layout, start: Instant) {
        let limit;
        (self.phase, limit) = if start < layout.start {
            (Phase::Warmup, layout.start)
        } else if start < layout.end {
            (Phase::Counted, layout.end)
        } else {
            (Phase::Cooldown, Instant::MAX)
        };
        self.start = start;
        self.edge = (start + layout.interval).min(limit);
        self.whole = self.edge.since(start) == layout.interval;
        self.first_ns = start.ns().saturating_add(1);
        self.width_ns = self.edge.ns().saturating_sub(self.first_ns);
    }

    /// True if a completion at this time belongs here.
    #[inline]
    pub(crate) fn holds(&self, at: Instant) -> bool {
        at.ns().wrapping_sub(self.first_ns) <= self.width_ns
    }

    /// The interval as it stands, ended at `end`, without percentiles.
    pub(crate) fn snapshot(&self, end: Instant) -> Interval {
        let [read, write] = [0, 1].map(|direction| self.sides[direction].snapshot());
        Interval {
            start: self.start,
            end,
            phase: self.phase,
            whole: self.whole && end == self.edge,
            read,
            write,
        }
    }
}
