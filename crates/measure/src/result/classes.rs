//! The latencies of each interval, in few classes: what a picture of latency over time is made of.

use std::collections::BTreeMap;

use iobound_units::Op;

use super::RunResult;
use super::point::PointFigures;
use crate::recorder::{LatencyCount, Measured};

/// The class of a latency: four to each power of two, so that a class is at most a quarter wider than its lowest value. All
/// of 2^62 ns and more, a century and a half, is one.
pub fn class_of(ns: u64) -> u32 {
    // Below 4 ns there are no quarters.
    let ns = ns.clamp(4, 1 << 62);
    let power = ns.ilog2();
    power * 4 + ((ns >> (power - 2)) & 3) as u32
}

/// The highest latency of a class, in ns.
pub fn highest_of(class: u32) -> u64 {
    let (power, quarter) = (class / 4, u64::from(class % 4));
    ((4 + quarter + 1) << power.saturating_sub(2)) - 1
}

/// The most intervals that are shown apart: a chart has no more pixels, and a table no more readers.
pub const MOST_SHOWN: usize = 360;

/// The most intervals that have latencies of their own: four hours of seconds. What grows with a run's length has an end, and
/// a longer run is looked at as a whole.
const MOST_APART: usize = 14_400;

/// Number of intervals that one shown interval covers.
pub fn shown_together(intervals: usize) -> usize {
    intervals.div_ceil(MOST_SHOWN).max(1)
}

/// Number of intervals that share their latencies: as many as are shown as one, so that no chart shows it.
fn kept_together(intervals: usize) -> usize {
    if intervals <= MOST_APART { 1 } else { shown_together(intervals) }
}

impl RunResult {
    /// Adds to each interval of the series how many I/Os were in each class of latencies. Nothing is added to intervals
    /// whose latencies were not kept. In a series of more than 14,400 intervals, those that are shown as one
    /// ([`shown_together`]) have them with the first of them.
    pub fn attach_latencies(&mut self, measured: &Measured) {
        // The series has no intervals without a length.
        let kept = measured.series.iter().enumerate().filter(|(_, interval)| interval.length().ns() > 0);
        let indices: Vec<usize> = kept.map(|(index, _)| index).collect();
        let together = kept_together(self.series.len());
        for (points, indices) in self.series.chunks_mut(together).zip(indices.chunks(together)) {
            let put = |figures: Option<&mut PointFigures>, op: Op| {
                if let Some(figures) = figures {
                    figures.latencies =
                        classes(indices.iter().filter_map(|index| measured.latencies.of(*index, op)));
                }
            };
            put(points[0].read.as_mut(), Op::Read);
            put(points[0].write.as_mut(), Op::Write);
        }
    }
}

/// The highest latency of each class that has any, in ns, and how many I/Os.
fn classes<'a>(intervals: impl Iterator<Item = &'a [LatencyCount]>) -> Vec<(u64, u64)> {
    let mut classes: BTreeMap<u64, u64> = BTreeMap::new();
    for latency in intervals.flatten() {
        *classes.entry(highest_of(class_of(latency.highest().ns()))).or_default() += latency.count();
    }
    classes.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_power_of_two_has_four_classes() {
        // 1,024 ns to 2,047 ns: four times 256.
        let highest: Vec<u64> =
            [1_024, 1_279, 1_280, 1_600, 2_047].map(|ns| highest_of(class_of(ns))).to_vec();
        assert_eq!(class_of(u64::MAX), class_of(1 << 62));
        assert_eq!(highest, [1_279, 1_279, 1_535, 1_791, 2_047]);
    }

    #[test]
    fn a_series_has_latencies_of_its_own_up_to_a_bound_and_then_as_it_is_shown() {
        assert_eq!([0, 1, 360, 361, 14_400].map(kept_together), [1; 5]);
        // 14,401 ÷ 360 = 40.003: 41 of them are one, which makes 352.
        assert_eq!((kept_together(14_401), 14_401usize.div_ceil(41)), (41, 352));
        assert_eq!([360, 361, 14_400, 131_072].map(shown_together), [1, 2, 40, 365]);
    }

    proptest! {
        #[test]
        fn a_latency_lies_in_its_class(ns in 4u64..1 << 42) {
            let class = class_of(ns);
            prop_assert!(ns <= highest_of(class) && ns > highest_of(class - 1));
            prop_assert_eq!(class_of(highest_of(class)), class);
        }
    }
}
