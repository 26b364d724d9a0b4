use iobound_units::{Instant, Op, Span};

use super::alike::Alike;
use super::tally::Tally;
use crate::histogram::{Bins, Repeated};

/// Phase of the run that an interval belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Before counting starts.
    Warmup,
    /// While counting is on.
    Counted,
    /// After counting has ended.
    Cooldown,
}

/// I/Os completed in one interval of time, over the whole run: more than `start`, at most `end` (the first
/// interval of a run holds its start as well).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Time of its start.
    pub start: Instant,
    /// Time of its end.
    pub end: Instant,
    /// Phase of the run; an interval belongs to one phase only.
    pub phase: Phase,
    /// True if it has its full length: the last before an edge of the counting may be cut short.
    pub whole: bool,
    /// The reads.
    pub read: IntervalTally,
    /// The writes.
    pub write: IntervalTally,
}

/// An interval that has closed, with the counts behind its percentiles, so that those of several threads can be
/// put together.
#[derive(Clone, Copy, Debug)]
pub struct Tick<'a> {
    /// The interval.
    pub interval: &'a Interval,
    /// The latencies of reads and of writes; empty where there was no room to keep them.
    pub latencies: [&'a [LatencyCount]; 2],
}

impl std::ops::Deref for Tick<'_> {
    type Target = Interval;

    fn deref(&self) -> &Interval {
        self.interval
    }
}

/// Number of times that a latency was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyCount {
    /// The number of the bin, of a histogram of two digits.
    pub(crate) index: u32,
    /// An interval's count of a bin beyond 2^32 - 1 would need four billion I/Os in it.
    pub(crate) count: u32,
}

impl LatencyCount {
    /// Count of the bin with this number; `None` if there is no such bin, or no I/O.
    pub fn new(index: u32, count: u32) -> Option<LatencyCount> {
        ((index as usize) < Bins::<2>::COUNT && count > 0).then_some(LatencyCount { index, count })
    }

    /// The number of the bin.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The highest latency of the bin.
    pub fn highest(&self) -> Span {
        Span::from_ns(Bins::<2>::highest(self.index as usize))
    }

    /// Number of I/Os.
    pub fn count(&self) -> u64 {
        u64::from(self.count)
    }
}

/// I/Os completed in one direction in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct IntervalTally {
    /// I/Os completed without an error.
    pub count: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Sum of their latencies (response time in an open loop), in ns.
    pub sum_ns: u128,
    /// Sum of their squares, in ns².
    pub squares_ns2: u128,
    /// The shortest latency; zero without I/Os.
    pub min: Span,
    /// The longest latency; zero without I/Os.
    pub max: Span,
    /// The median to two digits; absent below 20 I/Os.
    pub p50: Option<Span>,
    /// The 99th percentile to two digits; absent below 1,000 I/Os.
    pub p99: Option<Span>,
}

impl Interval {
    /// Time that it lasted.
    pub fn length(&self) -> Span {
        self.end.since(self.start)
    }

    /// Reads and writes that completed.
    pub fn count(&self) -> u64 {
        self.read.count + self.write.count
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.read.bytes + self.write.bytes
    }

    /// The tally of a direction; `None` for flush and discard.
    pub(crate) fn direction_mut(&mut self, op: Op) -> Option<&mut IntervalTally> {
        match op {
            Op::Read => Some(&mut self.read),
            Op::Write => Some(&mut self.write),
            Op::Flush | Op::Discard => None,
        }
    }
}

impl IntervalTally {
    /// The tally so far, without percentiles.
    pub(super) fn of(tally: &Tally) -> IntervalTally {
        let (min_ns, max_ns) = tally.extremes_ns().unwrap_or((0, 0));
        IntervalTally {
            count: tally.moments.count,
            bytes: tally.bytes,
            errors: tally.errors,
            sum_ns: tally.moments.sum_ns,
            squares_ns2: tally.moments.squares_ns2,
            min: Span::from_ns(min_ns),
            max: Span::from_ns(max_ns),
            p50: None,
            p99: None,
        }
    }

    /// The mean latency in ns; `None` without I/Os.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// The standard deviation of the latencies in ns, of all I/Os; `None` without I/Os.
    pub fn stdev_ns(&self) -> Option<f64> {
        let mean = self.mean_ns()?;
        let variance = self.squares_ns2 as f64 / self.count as f64 - mean * mean;
        Some(variance.max(0.0).sqrt())
    }

    /// Takes in completions that came after the interval was closed: exact but for the percentiles.
    pub(super) fn add_late(&mut self, ios: &Alike) {
        let Repeated { value_ns, count, sum_ns, squares_ns2 } = ios.latency;
        if !ios.ok {
            self.errors += count;
            return;
        }
        let latency = Span::from_ns(value_ns);
        self.min = if self.count == 0 { latency } else { self.min.min(latency) };
        self.max = self.max.max(latency);
        self.count += count;
        self.bytes += ios.bytes;
        self.sum_ns += sum_ns;
        self.squares_ns2 = self.squares_ns2.saturating_add(squares_ns2);
    }

    /// Takes in all that another recorder's tally of the same interval took in, but for the percentiles.
    pub(crate) fn merge(&mut self, other: &IntervalTally) {
        if other.count > 0 {
            self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
            self.max = self.max.max(other.max);
        }
        self.count += other.count;
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.sum_ns += other.sum_ns;
        self.squares_ns2 = self.squares_ns2.saturating_add(other.squares_ns2);
    }
}
