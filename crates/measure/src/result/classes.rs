//! The latencies of each interval, in few classes: what a picture of latency over time is made of.

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

impl RunResult {
    /// Adds to each interval of the series how many I/Os were in each class of latencies. Nothing is added to intervals
    /// whose latencies were not kept.
    pub fn attach_latencies(&mut self, measured: &Measured) {
        // The series has no intervals without a length.
        let kept = measured.series.iter().enumerate().filter(|(_, interval)| interval.length().ns() > 0);
        for (point, (index, _)) in self.series.iter_mut().zip(kept) {
            let of = |op: Op| measured.latencies.of(index, op).map(classes).unwrap_or_default();
            let put = |figures: &mut Option<PointFigures>, op: Op| {
                if let Some(figures) = figures {
                    figures.latencies = of(op);
                }
            };
            put(&mut point.read, Op::Read);
            put(&mut point.write, Op::Write);
        }
    }
}

/// The highest latency of each class that has any, in ns, and how many I/Os.
fn classes(latencies: &[LatencyCount]) -> Vec<(u64, u64)> {
    let mut classes: Vec<(u64, u64)> = Vec::new();
    for latency in latencies {
        let highest = highest_of(class_of(latency.highest().ns()));
        match classes.last_mut() {
            Some((last, count)) if *last == highest => *count += latency.count(),
            _ => classes.push((highest, latency.count())),
        }
    }
    classes
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

    proptest! {
        #[test]
        fn a_latency_lies_in_its_class(ns in 4u64..1 << 42) {
            let class = class_of(ns);
            prop_assert!(ns <= highest_of(class) && ns > highest_of(class - 1));
            prop_assert_eq!(class_of(highest_of(class)), class);
        }
    }
}
