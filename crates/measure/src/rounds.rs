//! The counted time of a run in stretches that can be compared.

use iobound_units::{Instant, Span};

use crate::recorder::{Interval, Phase};

/// A stretch of counted time made of whole intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Time of its start.
    pub start: Instant,
    /// Time of its end.
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

    /// Rate in this round, per second.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::recorder::{IntervalTally, Phase};

    /// Intervals of `length`, one after the other, in which so many reads and writes completed.
    pub(crate) fn series(phase: Phase, length: Span, counts: &[(u64, u64)]) -> Vec<Interval> {
        let tally = |count| IntervalTally { count, bytes: count * 4096, ..IntervalTally::default() };
        let interval = |(index, (reads, writes)): (usize, &(u64, u64))| Interval {
            start: Instant::from_ns(index as u64 * length.ns()),
            end: Instant::from_ns((index as u64 + 1) * length.ns()),
            phase,
            whole: true,
            read: tally(*reads),
            write: tally(*writes),
        };
        counts.iter().enumerate().map(interval).collect()
    }

    #[test]
    fn tenths_of_a_second_make_seconds_and_the_rest_is_left_out() {
        let tenths = series(Phase::Counted, Span::from_ms(100), &[(3, 1); 25]);
        let seconds = rounds_of(&tenths, Span::from_secs(1));
        assert_eq!(seconds.iter().map(Round::iops).collect::<Vec<_>>(), [40.0, 40.0]);
        assert_eq!(seconds[1].end, Instant::from_ns(2_000_000_000));
        assert_eq!(seconds[0].bytes, 40 * 4096);
    }

    #[test]
    fn intervals_longer_than_a_round_are_rounds() {
        let tens = series(Phase::Counted, Span::from_secs(10), &[(100, 0); 3]);
        assert_eq!(rounds_of(&tens, Span::from_secs(1)).len(), 3);
    }

    #[test]
    fn five_equal_rounds_leave_out_the_first_intervals_that_do_not_divide() {
        let seconds = series(Phase::Counted, Span::from_secs(1), &[(1, 0); 13]);
        let rounds = equal_rounds(&seconds, 5);
        assert_eq!(rounds.len(), 5);
        assert_eq!(rounds[0].start, Instant::from_ns(3_000_000_000));
        assert!(equal_rounds(&seconds[..4], 5).is_empty());
    }

    #[test]
    fn warm_up_cool_down_and_intervals_cut_short_are_not_compared() {
        let mut seconds = series(Phase::Counted, Span::from_secs(1), &[(1, 0); 6]);
        (seconds[0].phase, seconds[5].phase) = (Phase::Warmup, Phase::Cooldown);
        seconds[4].whole = false;
        assert_eq!(counted(&seconds), &seconds[1..4]);
        assert!(counted(&seconds[4..]).is_empty());
    }
}
