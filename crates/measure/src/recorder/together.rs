use super::interval::{Interval, IntervalTally, LatencyCount, Tick};
use super::restored::check_interval;
use super::series::{interleave, set_percentiles, tally_of};

/// An interval of one or of several threads, to be put together with the same interval of others.
#[derive(Clone, Debug)]
pub struct Together {
    interval: Interval,
    latencies: [Vec<LatencyCount>; 2],
}

impl From<Tick<'_>> for Together {
    fn from(tick: Tick<'_>) -> Together {
        Together { interval: *tick.interval, latencies: tick.latencies.map(<[LatencyCount]>::to_vec) }
    }
}

impl Together {
    /// An interval and the latencies of its reads and writes, which may be empty where they were not kept.
    ///
    /// # Errors
    /// Returns an error if they contradict each other: a sentence.
    pub fn new(interval: Interval, latencies: [Vec<LatencyCount>; 2]) -> Result<Together, String> {
        check_interval(&interval, [Some(&latencies[0]), Some(&latencies[1])])?;
        Ok(Together { interval, latencies })
    }

    /// The same without the latencies behind its percentiles.
    pub(super) fn without_latencies(&self) -> Together {
        Together { interval: self.interval, latencies: [Vec::new(), Vec::new()] }
    }

    /// Takes in reads and writes that came after the interval was closed: exact but for the percentiles.
    pub(super) fn add_late(&mut self, late: &[IntervalTally; 2]) {
        for (direction, late) in late.iter().enumerate() {
            tally_of(&mut self.interval, direction).merge(late);
        }
    }

    /// Takes in the same interval of another thread. Percentiles are those of all latencies together; they are
    /// absent where one of both did not keep its own.
    pub fn merge(&mut self, other: &Together) {
        for direction in [0, 1] {
            let theirs = *tally_of(&mut other.interval.clone(), direction);
            let mine = tally_of(&mut self.interval, direction);
            let kept = |count: u64, latencies: &[LatencyCount]| count == 0 || !latencies.is_empty();
            let all_kept = kept(mine.count, &self.latencies[direction])
                && kept(theirs.count, &other.latencies[direction]);
            mine.merge(&theirs);
            (mine.p50, mine.p99) = (None, None);
            let mut both = Vec::new();
            if all_kept {
                interleave(&self.latencies[direction], &other.latencies[direction], &mut both);
                set_percentiles(mine, both.iter().copied());
            }
            self.latencies[direction] = both;
        }
    }

    /// The interval goes on as long as this one, where that is longer.
    pub fn reach(&mut self, other: &Interval) {
        if other.end > self.interval.end {
            (self.interval.end, self.interval.whole) = (other.end, other.whole);
        }
    }

    /// The interval, of all threads that were put together.
    pub fn interval(&self) -> &Interval {
        &self.interval
    }

    /// The latencies of reads and of writes, in ascending order; empty where one of the threads did not keep its own.
    pub fn latencies(&self) -> [&[LatencyCount]; 2] {
        [&self.latencies[0], &self.latencies[1]]
    }
}
