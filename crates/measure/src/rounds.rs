//! The counted time of a run in stretches that can be compared.

use iobound_units::{Instant, Span};

use crate::recorder::{Interval, Phase};

/// A stretch of counted time made of whole intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// When it began.
    pub start: Instant,
    /// When it ended.
    pub end: Instant,
    /// Reads that completed in it.
    pub reads: u64,
    /// Writes that completed in it.
    pub writes: u64,
    /// Bytes read and written in it.
    pub bytes: u64,
}

impl Round {
    /// Reads and writes a second.
    pub fn iops(&self) -> f64 {
        self.per_second(self.reads + self.writes)
    }

    /// So many in this round, as a rate per second.
    pub fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.end.since(self.start).secs_f64()
    }

    fn of(intervals: &[Interval]) -> Round {
        let (first, last) = (intervals[0], intervals[intervals.len() - 1]);
        Round {
            start: first.start,
            end: last.end,
            reads: intervals.iter().map(|interval| interval.read.count).sum(),
            writes: intervals.iter().map(|interval| interval.write.count).sum(),
            bytes: intervals.iter().map(Interval::bytes).sum(),
        }
    }
}

/// The counted intervals that have their full length: the only ones whose rates can be compared.
pub fn counted(series: &[Interval]) -> &[Interval] {
    let usable = |interval: &Interval| interval.phase == Phase::Counted && interval.whole;
    let first = series.iter().position(usable).unwrap_or(series.len());
    let count = series[first..].iter().take_while(|interval| usable(interval)).count();
    &series[first..first + count]
}

/// The counted intervals in rounds of `length`, or of one interval where that is longer; what is left over at
/// the end is left out.
pub fn rounds_of(series: &[Interval], length: Span) -> Vec<Round> {
    let intervals = counted(series);
    let each = intervals.first().map_or(1, |first| length.ns().div_ceil(first.length().ns()).max(1));
    intervals.chunks_exact(usize::try_from(each).unwrap_or(usize::MAX)).map(Round::of).collect()
}

/// The counted intervals divided into `count` rounds of equal length, the first of them left out where they
/// do not divide; none where there are fewer intervals than rounds.
pub fn equal_rounds(series: &[Interval], count: usize) -> Vec<Round> {
    let intervals = counted(series);
    let each = intervals.len() / count;
    if each == 0 {
        return Vec::new();
    }
    intervals[intervals.len() - each * count..].chunks_exact(each).map(Round::of).collect()
}
