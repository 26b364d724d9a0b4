use iobound_units::{Instant, Op, Span};

use super::alike::Alike;
use super::interval::{Interval, IntervalTally, LatencyCount, Tick};
use super::layout::Layout;
use super::open::OpenInterval;
use crate::histogram::Bins;
use crate::percentile::{rank, supported};

/// The most intervals that are kept: 36 hours of seconds.
pub(crate) const MOST_INTERVALS: usize = 1 << 17;

/// The bins kept for each interval, on average, so that the percentiles of several recorders' intervals can
/// be merged; a second's reads and writes over three decades fill no more, and what does not fit loses its percentiles
/// in a merge. Memory that is not filled is never touched.
const BINS_PER_INTERVAL: usize = 2048;
pub(super) const MOST_BINS: usize = 1 << 23;

/// Part of a handed-out interval that a recorder keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Nothing: whoever takes them keeps them. The recorder's memory does not grow with time.
    #[default]
    Nothing,
    /// The intervals, without the counts behind their percentiles.
    Intervals,
    /// Everything.
    All,
}

/// The closed intervals of a run, with the counts behind their percentiles.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    keep: Keep,
    /// Number of intervals that before the first of `intervals` were handed out and dropped.
    dropped: usize,
    intervals: Vec<Interval>,
    /// For each interval and direction, where its bins are; `None` where they did not fit.
    places: Vec<[Option<Place>; 2]>,
    bins: Vec<LatencyCount>,
    left_out: u64,
    most_intervals: usize,
    most_bins: usize,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    first: u32,
    count: u32,
}

impl Series {
    /// Intervals that are there from the start where what is handed out is dropped; more are added where a thread was
    /// held up for as many intervals, since it closes all of them at once.
    const LEAST_INTERVALS: usize = 16;
    /// An interval's reads and writes with every bin of both filled.
    const LEAST_BINS: usize = 2 * Bins::<2>::COUNT;
    /// The memory that is there from the start where what is handed out is dropped.
    pub(crate) const LEAST_BYTES: u64 = (Self::LEAST_INTERVALS * size_of::<(Interval, [Option<Place>; 2])>()
        + Self::LEAST_BINS * size_of::<LatencyCount>()) as u64;

    /// Room for all intervals from the layout's begin to its end and a few more, up to the most there can be.
    pub(crate) fn new(layout: &Layout, keep: Keep) -> Series {
        let most_intervals = room_for(layout);
        let most_bins = (most_intervals * BINS_PER_INTERVAL).min(MOST_BINS);
        let (intervals, bins) = match keep {
            Keep::Nothing => (Self::LEAST_INTERVALS.min(most_intervals), Self::LEAST_BINS.min(most_bins)),
            Keep::Intervals => (most_intervals, Self::LEAST_BINS.min(most_bins)),
            Keep::All => (most_intervals, most_bins),
        };
        Series {
            keep,
            dropped: 0,
            intervals: Vec::with_capacity(intervals),
            places: Vec::with_capacity(intervals),
            bins: Vec::with_capacity(bins),
            left_out: 0,
            most_intervals,
            most_bins,
        }
    }

    /// Number of intervals that were closed and kept, those that were dropped since included.
    pub(crate) fn closed(&self) -> usize {
        self.dropped + self.intervals.len()
    }

    /// Number of intervals there that was no room for.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Drops what need not be kept once all closed intervals have been handed out.
    pub(crate) fn drop_reported(&mut self) {
        match self.keep {
            Keep::All => return,
            Keep::Intervals => {
                // The places of earlier intervals were emptied before.
                let filled =
                    self.places.iter_mut().rev().take_while(|places| places.iter().any(Option::is_some));
                filled.for_each(|places| *places = [None; 2]);
            }
            Keep::Nothing => {
                self.dropped += self.intervals.len();
                self.intervals.clear();
                self.places.clear();
            }
        }
        self.bins.clear();
    }

    /// As if so many intervals had been closed and handed out; those that are kept are given.
    pub(crate) fn pass_over(&mut self, count: usize, kept: Option<Vec<Interval>>) {
        match kept {
            Some(intervals) => {
                self.places = vec![[None; 2]; intervals.len()];
                self.intervals = intervals;
            }
            None => self.dropped += count,
        }
    }

    /// Closes the open interval at `end`, empties its tallies and keeps it where there is room.
    pub(crate) fn close(&mut self, open: &mut OpenInterval, end: Instant) -> Interval {
        let mut interval = open.snapshot(end);
        let room = self.closed() < self.most_intervals;
        let mut places = [None; 2];
        for (direction, place) in places.iter_mut().enumerate() {
            let side = &mut open.sides[direction];
            if let Some((min_ns, max_ns)) = side.extremes_ns() {
                let filled = || {
                    side.bins.filled(min_ns, max_ns).map(|(index, count)| LatencyCount {
                        index: index as u32,
                        count: u32::try_from(count).unwrap_or(u32::MAX),
                    })
                };
                set_percentiles(tally_of(&mut interval, direction), filled());
                let first = self.bins.len();
                if room && first + filled().count() <= self.most_bins {
                    self.bins.extend(filled());
                    *place = Some(Place { first: first as u32, count: (self.bins.len() - first) as u32 });
                }
            } else {
                *place = Some(Place { first: 0, count: 0 });
            }
            side.clear();
        }
        if room {
            self.intervals.push(interval);
            self.places.push(places);
        } else {
            self.left_out += 1;
        }
        interval
    }

    /// Takes in completions that are alike and belong to an interval closed before; returns a number that is below the
    /// interval's index plus one, and exact where the interval was not dropped.
    pub(super) fn add_late(&mut self, ios: &Alike) -> usize {
        let is_dropped = self.dropped > 0 && self.intervals.first().is_none_or(|first| ios.at <= first.start);
        if is_dropped {
            return self.dropped - 1;
        }
        let index = self.intervals.partition_point(|interval| interval.end < ios.at);
        if let Some(tally) = self.intervals.get_mut(index).and_then(|i| i.direction_mut(ios.op)) {
            tally.add_late(ios);
        }
        self.dropped + index
    }

    /// Takes in the intervals of a recorder with the same layout that has closed as many.
    pub(crate) fn merge(&mut self, other: &Series) {
        assert_eq!(self.intervals.len(), other.intervals.len(), "series of different lengths");
        assert!(self.dropped + other.dropped == 0, "series whose intervals were dropped");
        let mut bins = Vec::with_capacity(self.bins.len() + other.bins.len());
        for index in 0..self.intervals.len() {
            let mut places = [None; 2];
            for (direction, place) in places.iter_mut().enumerate() {
                let merged = tally_of(&mut self.intervals[index], direction);
                merged.merge(tally_of(&mut other.intervals[index].clone(), direction));
                (merged.p50, merged.p99) = (None, None);
                let (Some(mine), Some(theirs)) =
                    (self.filled(index, direction), other.filled(index, direction))
                else {
                    continue;
                };
                let first = bins.len();
                interleave(mine, theirs, &mut bins);
                let filled = bins[first..].iter().copied();
                set_percentiles(tally_of(&mut self.intervals[index], direction), filled);
                *place = Some(Place { first: first as u32, count: (bins.len() - first) as u32 });
            }
            self.places[index] = places;
        }
        self.bins = bins;
        self.left_out = self.left_out.max(other.left_out);
    }

    fn filled(&self, index: usize, direction: usize) -> Option<&[LatencyCount]> {
        let place = self.places[index][direction]?;
        Some(&self.bins[place.first as usize..(place.first + place.count) as usize])
    }

    /// One closed interval, with its latencies.
    pub(crate) fn tick(&self, index: usize) -> Option<Tick<'_>> {
        let index = index.checked_sub(self.dropped)?;
        let interval = self.intervals.get(index)?;
        let latencies = [0, 1].map(|direction| self.filled(index, direction).unwrap_or_default());
        Some(Tick { interval, latencies })
    }

    /// The intervals, the counts behind their percentiles, and how many more there were than could be kept.
    pub(crate) fn into_parts(self) -> (Vec<Interval>, SeriesLatencies, u64) {
        (self.intervals, SeriesLatencies { places: self.places, bins: self.bins }, self.left_out)
    }
}

/// The latencies of a series, interval by interval.
#[derive(Clone, Debug, Default)]
pub struct SeriesLatencies {
    places: Vec<[Option<Place>; 2]>,
    bins: Vec<LatencyCount>,
}

impl SeriesLatencies {
    /// Those of ranges of intervals of several series, one after the other.
    pub(super) fn joined<'a>(
        parts: impl IntoIterator<Item = (&'a SeriesLatencies, std::ops::Range<usize>)>,
    ) -> SeriesLatencies {
        let mut all = SeriesLatencies { places: Vec::new(), bins: Vec::new() };
        for (latencies, intervals) in parts {
            for places in &latencies.places[intervals] {
                let placed = places.map(|place| {
                    let Place { first, count } = place?;
                    let own = Place { first: all.bins.len() as u32, count };
                    all.bins.extend_from_slice(&latencies.bins[first as usize..(first + count) as usize]);
                    Some(own)
                });
                all.places.push(placed);
            }
        }
        all
    }

    /// From the latencies of each interval's reads and writes; `None` stands where they were not kept.
    ///
    /// # Errors
    /// Returns an error if there are more intervals than can be kept: a sentence.
    pub fn from_lists<'a>(
        intervals: impl IntoIterator<Item = [Option<&'a [LatencyCount]>; 2]>,
    ) -> Result<SeriesLatencies, String> {
        let mut all = SeriesLatencies { places: Vec::new(), bins: Vec::new() };
        for lists in intervals {
            let mut places = [None; 2];
            for (place, list) in places.iter_mut().zip(lists) {
                let Some(list) = list else { continue };
                let first = all.bins.len();
                all.bins.extend_from_slice(list);
                u32::try_from(all.bins.len()).map_err(|_| "more latencies than a series keeps")?;
                *place = Some(Place { first: first as u32, count: list.len() as u32 });
            }
            all.places.push(places);
        }
        Ok(all)
    }

    /// Of how many intervals.
    pub fn intervals(&self) -> usize {
        self.places.len()
    }

    /// The latencies of the reads or writes of an interval, rising; `None` where there was no room to keep them, and of
    /// flushes and discards, which a series has not.
    pub fn of(&self, interval: usize, op: Op) -> Option<&[LatencyCount]> {
        let direction = match op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Flush | Op::Discard => return None,
        };
        let place = (*self.places.get(interval)?)[direction]?;
        Some(&self.bins[place.first as usize..(place.first + place.count) as usize])
    }
}

/// Equal if all intervals are; the position of the bins does not matter.
impl PartialEq for SeriesLatencies {
    fn eq(&self, other: &SeriesLatencies) -> bool {
        let same = |interval, op| self.of(interval, op) == other.of(interval, op);
        self.places.len() == other.places.len()
            && (0..self.places.len()).all(|interval| same(interval, Op::Read) && same(interval, Op::Write))
    }
}

/// Number of intervals of a that run are kept: all from its begin to its end and a few more, up to the most there can be.
pub(super) fn room_for(layout: &Layout) -> usize {
    let spans = layout.end.since(layout.begin).ns() / layout.interval.ns();
    spans.saturating_add(8).min(MOST_INTERVALS as u64) as usize
}

pub(super) fn tally_of(interval: &mut Interval, direction: usize) -> &mut IntervalTally {
    if direction == 0 { &mut interval.read } else { &mut interval.write }
}

/// Both lists in order of index, counts of the same index added.
pub(super) fn interleave(mut left: &[LatencyCount], mut right: &[LatencyCount], out: &mut Vec<LatencyCount>) {
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        if a.index == b.index {
            out.push(LatencyCount { index: a.index, count: a.count.saturating_add(b.count) });
            (left, right) = (&left[1..], &right[1..]);
        } else if a.index < b.index {
            out.push(*a);
            left = &left[1..];
        } else {
            out.push(*b);
            right = &right[1..];
        }
    }
    out.extend_from_slice(left);
    out.extend_from_slice(right);
}

pub(super) fn set_percentiles(tally: &mut IntervalTally, bins: impl Iterator<Item = LatencyCount> + Clone) {
    // Not the tally's count: completions that came late are not in the bins.
    let count = bins.clone().map(|bin| u64::from(bin.count)).sum();
    let (half, most) = (rank(50.0, count), rank(99.0, count));
    let max_ns = tally.max.ns();
    let mut seen = 0;
    let (mut p50, mut p99) = (None, None);
    for bin in bins {
        seen += u64::from(bin.count);
        let value = Span::from_ns(Bins::<2>::highest(bin.index as usize).min(max_ns));
        if seen >= half {
            p50.get_or_insert(value);
        }
        if seen >= most {
            p99.get_or_insert(value);
            break;
        }
    }
    tally.p50 = p50.filter(|_| supported(50.0, count));
    tally.p99 = p99.filter(|_| supported(99.0, count));
}
