//! End of the warm-up, and steadiness of what follows.

use iobound_units::Instant;

use crate::recorder::{Interval, Phase};
use crate::rounds::{Round, equal_rounds};

/// Number of rounds that the rule of the SNIA looks at.
pub const ROUNDS: usize = 5;

/// The range of the rounds may be this share of their mean.
pub const MOST_RANGE: f64 = 0.20;

/// The best-fit line through the rounds may rise or fall by this share of their mean.
pub const MOST_EXCURSION: f64 = 0.10;

/// The fewest batches of five that a warm-up is looked for in.
const FEWEST_BATCHES: usize = 10;

/// Distance between five rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// Their mean.
    pub mean: f64,
    /// (highest - lowest) ÷ mean.
    pub range: f64,
    /// Rise (or, if negative, fall) of the best-fit line through them from first to last, ÷ mean.
    pub excursion: f64,
}

impl Steadiness {
    /// The rule of the SNIA's Solid State Storage Performance Test Specification: over a window of five
    /// rounds the values range over at most 20 % of their mean, and the best-fit line's excursion is at most
    /// 10 % of it. `None` where nothing happened at all.
    pub fn of(rounds: &[f64; ROUNDS]) -> Option<Steadiness> {
        let mean = rounds.iter().sum::<f64>() / ROUNDS as f64;
        if mean == 0.0 {
            return None;
        }
        let highest = rounds.iter().copied().fold(f64::MIN, f64::max);
        let lowest = rounds.iter().copied().fold(f64::MAX, f64::min);
        // Least squares over x = -2, -1, 0, 1, 2: the slope is Σ x y ÷ Σ x², and the window is four long.
        let slope = (2.0 * (rounds[4] - rounds[0]) + (rounds[3] - rounds[1])) / 10.0;
        Some(Steadiness { mean, range: (highest - lowest) / mean, excursion: slope * 4.0 / mean })
    }

    /// True if both bounds are met.
    pub fn is_steady(&self) -> bool {
        self.range <= MOST_RANGE && self.excursion.abs() <= MOST_EXCURSION
    }
}

/// True if the counted time of a run was steady, each direction judged by itself.
///
/// The five rounds are the counted time in five equal parts: a burst that runs out anywhere within it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyVerdict {
    /// The five rounds.
    pub rounds: Vec<Round>,
    /// The IOPS of the reads; `None` where there were none.
    pub read: Option<Steadiness>,
    /// The IOPS of the writes; `None` where there were none.
    pub write: Option<Steadiness>,
}

impl SteadyVerdict {
    /// Judges the counted, whole intervals of a series; `None` where there are fewer than five, or where
    /// nothing completed in them.
    pub fn of(series: &[Interval]) -> Option<SteadyVerdict> {
        let rounds = equal_rounds(series, ROUNDS);
        let judge = |count: fn(&Round) -> u64| {
            let iops: Vec<f64> = rounds.iter().map(|round| round.per_second(count(round))).collect();
            Steadiness::of(&iops.try_into().ok()?)
        };
        let (read, write) = (judge(|round| round.reads), judge(|round| round.writes));
        (read.is_some() || write.is_some()).then_some(SteadyVerdict { rounds, read, write })
    }

    /// True if every direction that was used is steady.
    pub fn is_steady(&self) -> bool {
        [self.read, self.write].into_iter().flatten().all(|direction| direction.is_steady())
    }
}

/// Number of first values that are warm-up, by the rule MSER-5: batches of five, and the truncation that
/// minimises the half-width of the confidence interval of what remains (White, Cobb and Spratt, "A comparison
/// of five steady-state truncation heuristics for simulation", Winter Simulation Conference 2000).
///
/// `None` below 50 values, and where the minimum is only reached by cutting half of them or more: then the
/// series has not settled.
pub fn mser5(values: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = values.chunks_exact(5).map(|batch| batch.iter().sum::<f64>() / 5.0).collect();
    if batches.len() < FEWEST_BATCHES {
        return None;
    }
    let spread = |rest: &[f64]| {
        let n = rest.len() as f64;
        let mean = rest.iter().sum::<f64>() / n;
        rest.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n * n)
    };
    let most = batches.len() / 2;
    let mut best = (0, spread(&batches));
    for cut in 1..=most {
        let spread = spread(&batches[cut..]);
        if spread < best.1 {
            best = (cut, spread);
        }
    }
    (best.0 < most).then_some(best.0 * 5)
}

/// Time at which a run had settled, by [`mser5`] on the IOPS of its whole series without the cool-down; `None` where the series
/// is too short to tell, or never settled.
pub fn settled(series: &[Interval]) -> Option<Instant> {
    let before_cooldown: Vec<&Interval> =
        series.iter().filter(|interval| interval.phase != Phase::Cooldown).collect();
    let iops: Vec<f64> = before_cooldown
        .iter()
        .map(|interval| interval.count() as f64 / interval.length().secs_f64())
        .collect();
    mser5(&iops).map(|cut| before_cooldown[cut].start)
}

#[cfg(test)]
mod tests {
    use iobound_units::Span;

    use super::*;
    use crate::recorder::Phase;
    use crate::rounds::tests::series;

    #[test]
    fn a_level_series_is_steady() {
        let level = Steadiness::of(&[100.0; 5]).unwrap();
        assert_eq!((level.mean, level.range, level.excursion), (100.0, 0.0, 0.0));
        assert!(level.is_steady());
    }

    #[test]
    fn a_range_of_twenty_percent_is_the_most() {
        // Mean 100 and no slope: 90 and 110 in the middle cancel out to a slope of (110 - 90) / 10 × 4 = 8 %.
        assert!(Steadiness::of(&[100.0, 90.0, 100.0, 110.0, 100.0]).unwrap().is_steady());
        assert!(!Steadiness::of(&[100.0, 89.0, 100.0, 111.0, 100.0]).unwrap().is_steady());
        // A lone outlier in the middle has no slope at all.
        let outlier = Steadiness::of(&[100.0, 100.0, 130.0, 100.0, 100.0]).unwrap();
        assert_eq!(outlier.excursion, 0.0);
        assert!(!outlier.is_steady());
    }

    #[test]
    fn a_slope_of_ten_percent_is_the_most() {
        // y = 100 + k x: range and excursion are both 4 k %.
        assert!(Steadiness::of(&[95.0, 97.5, 100.0, 102.5, 105.0]).unwrap().is_steady());
        let falling = Steadiness::of(&[106.0, 103.0, 100.0, 97.0, 94.0]).unwrap();
        assert!((falling.excursion + 0.12).abs() < 1e-12);
        assert!(!falling.is_steady());
    }

    #[test]
    fn nothing_at_all_is_neither_steady_nor_not() {
        assert_eq!(Steadiness::of(&[0.0; 5]), None);
    }

    #[test]
    fn mser5_cuts_a_warm_up_where_it_ends() {
        // A burst of 20 values at 170, then a level with a ripple of ±1.
        let series = |n: usize| if n < 20 { 170.0 } else { 100.0 + [0.0, 1.0, -1.0][n % 3] };
        let values: Vec<f64> = (0..100).map(series).collect();
        assert_eq!(mser5(&values), Some(20));
    }

    #[test]
    fn mser5_cuts_nothing_of_a_level_series() {
        assert_eq!(mser5(&[7.0; 60]), Some(0));
    }

    #[test]
    fn mser5_says_nothing_of_a_series_that_is_short_or_never_settles() {
        assert_eq!(mser5(&[7.0; 49]), None);
        let rising: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(mser5(&rising), None);
    }

    #[test]
    fn each_direction_is_judged_by_itself() {
        // Reads stay, and credits for writes run out after 30 of 60 seconds: 170 MB/s become 100.
        let counts: Vec<_> = (0..60).map(|second| (5_000, if second < 30 { 680 } else { 400 })).collect();
        let verdict = SteadyVerdict::of(&series(Phase::Counted, Span::from_secs(1), &counts)).unwrap();
        assert!(verdict.read.unwrap().is_steady());
        let write = verdict.write.unwrap();
        assert!(!write.is_steady() && write.excursion < 0.0);
        assert!(!verdict.is_steady());
    }

    #[test]
    fn a_direction_that_was_not_used_is_not_judged() {
        let reads = series(Phase::Counted, Span::from_secs(1), &[(100, 0); 5]);
        let verdict = SteadyVerdict::of(&reads).unwrap();
        assert!(verdict.is_steady() && verdict.write.is_none());
        assert_eq!(SteadyVerdict::of(&reads[..4]), None);
    }
}
