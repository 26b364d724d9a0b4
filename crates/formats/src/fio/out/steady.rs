//! True if a job is steady by fio's rule, from a sample each second. Source: `steadystate.c` of fio 3.33.

use iobound_measure::{Interval, Phase};
use iobound_units::{Op, Span};

use super::direction::samples;
use crate::fio::SteadyGoal;

/// The samples that are judged, and what they came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// The goal.
    pub goal: SteadyGoal,
    /// It was met.
    pub attained: bool,
    /// Compared results with the goal's limit; zero before there are enough samples.
    pub criterion: f64,
    /// The slope of a line through the samples, per sample; zero where deviation is judged.
    pub slope: f64,
    /// The largest distance of a sample from the mean; zero where the slope is judged.
    pub deviation: f64,
    /// The samples' IOPS, as many as the goal has seconds; zeros where there are fewer.
    pub iops: Vec<u64>,
    /// The samples' bytes a second.
    pub bandwidth: Vec<u64>,
}

impl Steadiness {
    /// Judges a run's intervals: its first seconds that meet the goal, or its last ones.
    pub fn of(goal: SteadyGoal, series: &[Interval]) -> Steadiness {
        let begin = series.iter().find(|interval| interval.phase == Phase::Counted).map(|first| first.start);
        let second = Span::from_secs(1);
        let from =
            begin.map(|begin| begin + if goal.ramp.is_zero() { Span::ZERO } else { goal.ramp + second });
        let samples: Vec<(u64, u64)> = samples(series, &[Op::Read, Op::Write], second)
            .iter()
            .filter(|sample| from.is_some_and(|from| sample.end > from))
            .map(|sample| (sample.per_second(sample.count), sample.per_second(sample.bytes)))
            .collect();
        let len = goal.seconds as usize;
        let judged = samples.windows(len).map(|window| Steadiness::judge(goal, window));
        let mut last = None;
        for steadiness in judged {
            let attained = steadiness.attained;
            last = Some(steadiness);
            if attained {
                break;
            }
        }
        last.unwrap_or_else(|| {
            let mut few = samples;
            few.resize(len, (0, 0));
            let (iops, bandwidth) = few.into_iter().unzip();
            Steadiness { goal, attained: false, criterion: 0.0, slope: 0.0, deviation: 0.0, iops, bandwidth }
        })
    }

    fn judge(goal: SteadyGoal, window: &[(u64, u64)]) -> Steadiness {
        let (iops, bandwidth): (Vec<u64>, Vec<u64>) = window.iter().copied().unzip();
        let values = if goal.of_iops { &iops } else { &bandwidth };
        let n = values.len() as f64;
        let mean = values.iter().map(|value| *value as f64).sum::<f64>() / n;
        let (mut slope, mut deviation) = (0.0, 0.0);
        if goal.by_slope {
            let middle = (n - 1.0) / 2.0;
            let places = || (0..values.len()).map(|place| place as f64 - middle);
            let products: f64 = places().zip(values).map(|(x, y)| x * (*y as f64 - mean)).sum();
            let squares: f64 = places().map(|x| x * x).sum();
            slope = if squares > 0.0 { products / squares } else { 0.0 };
        } else {
            deviation = values.iter().map(|value| (*value as f64 - mean).abs()).fold(0.0, f64::max);
        }
        let figure = if goal.by_slope { slope } else { deviation };
        let share = if mean > 0.0 { 100.0 * figure / mean } else { 0.0 };
        let criterion = if goal.in_percent { share } else { figure };
        let attained = criterion.abs() < goal.limit;
        Steadiness { goal, attained, criterion, slope, deviation, iops, bandwidth }
    }

    /// The mean of the samples' IOPS and bytes a second.
    pub fn means(&self) -> (u64, u64) {
        let mean = |values: &[u64]| values.iter().sum::<u64>() / values.len().max(1) as u64;
        (mean(&self.iops), mean(&self.bandwidth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(by_slope: bool, limit: f64, in_percent: bool) -> SteadyGoal {
        SteadyGoal { of_iops: true, by_slope, limit, in_percent, seconds: 4, ramp: Span::ZERO }
    }

    fn judged(goal: SteadyGoal, iops: [u64; 4]) -> Steadiness {
        Steadiness::judge(goal, &iops.map(|iops| (iops, iops * 4096)))
    }

    #[test]
    fn a_slope_is_that_of_the_least_squares() {
        // 100, 110, 120, 130: ten a sample, of a mean of 115.
        let steadiness = judged(goal(true, 9.0, false), [100, 110, 120, 130]);
        assert_eq!((steadiness.slope, steadiness.criterion, steadiness.attained), (10.0, 10.0, false));
        assert!(judged(goal(true, 8.7, true), [100, 110, 120, 130]).attained);
        // Downward counts alike.
        assert!(!judged(goal(true, 9.0, false), [130, 120, 110, 100]).attained);
        assert!(judged(goal(true, 0.1, true), [100, 100, 100, 100]).attained);
    }

    #[test]
    fn a_deviation_is_the_largest_distance_from_the_mean() {
        let steadiness = judged(goal(false, 15.0, true), [90, 100, 100, 110]);
        assert_eq!((steadiness.deviation, steadiness.criterion, steadiness.attained), (10.0, 10.0, true));
        assert!(!judged(goal(false, 10.0, true), [90, 100, 100, 110]).attained);
        assert!(!judged(goal(false, 0.1, true), [0, 0, 0, 10]).attained);
    }

    #[test]
    fn too_few_samples_meet_no_goal() {
        let steadiness = Steadiness::of(goal(true, 50.0, true), &[]);
        assert_eq!((steadiness.attained, steadiness.iops.len(), steadiness.means()), (false, 4, (0, 0)));
    }
}
