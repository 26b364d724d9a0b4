//! Probability of each rank of a skewed distribution, and sums over all ranks without visiting them.

use crate::Distribution;
use crate::math::{exp, expm1_over, ln1p_over, pow};
use crate::offsets::pareto_exponent;
use crate::random::Random;

/// Ranks of one segment are summed one by one up to this many, and by Simpson's rule above.
const ONE_BY_ONE: u64 = 64;
/// Panels of Simpson's rule on a segment, within which popularities differ little.
const PANELS: u32 = 4;

/// The probability of every rank `0..count`.
#[derive(Clone, Debug)]
pub(crate) struct RankLaw {
    shape: Shape,
    /// Normalising constant of the shape, so that all probabilities add up to one.
    total: f64,
    /// Runs of ranks on which the shape is monotone, the most popular first.
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// (rank + 1)^−theta.
    Zipf { theta: f64 },
    /// The part of a power distribution between a rank and the next.
    Pareto { count: f64, inverse: f64 },
    /// A bell around the middle rank.
    Normal { middle: f64, deviation: f64 },
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    first: u64,
    count: u64,
}

impl RankLaw {
    /// The law of a skewed distribution over `count` ranks; `None` for the others. A normal's ranks are places in
    /// order, those of the others are ordered by popularity.
    pub(crate) fn new(distribution: &Distribution, count: u64) -> Option<RankLaw> {
        let (shape, segments) = match distribution {
            Distribution::Uniform | Distribution::Zones(_) => return None,
            Distribution::Zipf { theta } => (Shape::Zipf { theta: theta.as_f64() }, growing(count)),
            Distribution::Pareto { power } => {
                let inverse = 1.0 / pareto_exponent(power.as_f64());
                let mut segments = growing(count);
                if inverse > 1.0 {
                    // A power above one half makes the last ranks the popular ones.
                    segments.reverse();
                }
                (Shape::Pareto { count: count as f64, inverse }, segments)
            }
            Distribution::Normal { deviation } => {
                let (places, deviation) = (count as f64, deviation.as_f64());
                // A bell narrower than a place is as wide as half of it: the curve is asked at places' middles.
                let wide = (deviation * places).max(0.5);
                let shape = Shape::Normal { middle: places / 2.0, deviation: wide };
                (shape, around_the_middle(count, deviation))
            }
        };
        let mut law = RankLaw { shape, total: 1.0, segments };
        law.total = law.sum(|weight| weight);
        Some(law)
    }

    /// The probability of a rank; between ranks, a smooth curve through them.
    fn probability(&self, rank: f64) -> f64 {
        let weight = match self.shape {
            Shape::Zipf { theta } => pow(rank + 1.0, -theta),
            Shape::Pareto { count, inverse } => {
                let below = |ranks: f64| if ranks > 0.0 { pow(ranks / count, inverse) } else { 0.0 };
                if rank > 1e6 {
                    // The difference of two near numbers would keep few digits: the curve's slope instead.
                    inverse / count * pow((rank + 0.5) / count, inverse - 1.0)
                } else {
                    below(rank + 1.0) - below(rank)
                }
            }
            Shape::Normal { middle, deviation } => {
                let z = (rank + 0.5 - middle) / deviation;
                exp(-0.5 * z * z)
            }
        };
        weight / self.total
    }

    /// The sum of `f(probability)` over all ranks.
    pub(crate) fn sum(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.segments.iter().map(|segment| self.sum_segment(*segment, &f)).sum()
    }

    fn sum_segment(&self, segment: Segment, f: &impl Fn(f64) -> f64) -> f64 {
        let at = |rank: f64| f(self.probability(rank));
        if segment.count <= ONE_BY_ONE {
            return (segment.first..segment.first + segment.count).map(|rank| at(rank as f64)).sum();
        }
        // A sum over whole ranks is the integral from half a rank before the first to half a rank after the last.
        let start = segment.first as f64 - 0.5;
        let step = segment.count as f64 / f64::from(2 * PANELS);
        let inner: f64 =
            (1..2 * PANELS).map(|i| f64::from(2 + 2 * (i % 2)) * at(start + step * f64::from(i))).sum();
        (at(start) + inner + at(start + segment.count as f64)) * step / 3.0
    }

    /// Expected number of `draws` I/Os that touch a rank.
    pub(crate) fn touches(&self, rank: u64, draws: f64) -> f64 {
        draws * self.probability(rank as f64)
    }

    /// The chance that `draws` I/Os touch a rank: 1 − e^(−draws × probability).
    pub(crate) fn chance(&self, rank: u64, draws: f64) -> f64 {
        let x = self.touches(rank, draws);
        if x > 700.0 { 1.0 } else { x * expm1_over(-x) }
    }

    /// Calls `chosen` with each rank that `draws` I/Os touch, each rank by its own chance: the least popular
    /// segments first. The work is in proportion to the ranks chosen, not to all.
    pub(crate) fn touched(&self, draws: f64, random: &mut Random, mut chosen: impl FnMut(u64)) {
        for segment in self.segments.iter().rev() {
            let end = segment.first + segment.count;
            // Monotone on the segment, so that every chance lies between those of its ends.
            let ends = [self.chance(segment.first, draws), self.chance(end - 1, draws)];
            let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let trials = Trials::new(most);
            let mut rank = segment.first.saturating_add(trials.failures(random));
            while rank < end {
                let height = random.unit() * most;
                if height < least || height < self.chance(rank, draws) {
                    chosen(rank);
                }
                rank = rank.saturating_add(1).saturating_add(trials.failures(random));
            }
        }
    }
}

/// Trials that all succeed by the same chance.
#[derive(Clone, Copy, Debug)]
struct Trials {
    chance: f64,
    /// The logarithm of failing, where it is the more likely: as costly as a draw, and the same for all.
    ln_failure: f64,
}

impl Trials {
    fn new(chance: f64) -> Trials {
        let ln_failure = if chance > 0.5 { 0.0 } else { -chance * ln1p_over(-chance) };
        Trials { chance, ln_failure }
    }

    /// Number that fail before the next succeeds.
    fn failures(&self, random: &mut Random) -> u64 {
        if self.chance > 0.5 {
            let mut failures = 0;
            while random.unit() > self.chance {
                failures += 1;
            }
            return failures;
        }
        if self.chance < 1e-18 {
            return u64::MAX;
        }
        // ln u ÷ ln (1 − chance); a float beyond the integers becomes the greatest of them.
        (crate::math::ln(random.unit()) / self.ln_failure) as u64
    }
}

/// Single ranks first, then segments of a quarter of all before them.
fn growing(count: u64) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut first = 0;
    while first < count {
        let taken = (first / 4).clamp(1, count - first);
        segments.push(Segment { first, count: taken });
        first += taken;
    }
    segments
}

/// Pairs of segments left and right of the middle, outwards, none wider than a quarter of a deviation.
fn around_the_middle(count: u64, deviation: f64) -> Vec<Segment> {
    let middle = count / 2;
    let width = ((deviation * count as f64 / 4.0) as u64).max(1);
    let mut segments = Vec::new();
    let mut out = 0;
    // Beyond forty deviations nothing ever lands; the rest of the range is one segment on each side.
    while out < middle.max(count - middle) {
        let wide = if segments.len() < 320 { width } else { count };
        let (right, left) = (middle + out, middle - out.min(middle));
        if right < count {
            segments.push(Segment { first: right, count: wide.min(count - right) });
        }
        if left > 0 {
            let taken = wide.min(left);
            segments.push(Segment { first: left - taken, count: taken });
        }
        out = out.saturating_add(wide);
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Ppm;

    fn laws() -> Vec<Distribution> {
        vec![
            Distribution::Zipf { theta: Ppm(0) },
            Distribution::Zipf { theta: Ppm(990_000) },
            Distribution::Zipf { theta: Ppm(2_000_000) },
            Distribution::Pareto { power: Ppm(200_000) },
            Distribution::Pareto { power: Ppm(700_000) },
            Distribution::Normal { deviation: Ppm(100_000) },
            Distribution::Normal { deviation: Ppm(2_000) },
        ]
    }

    #[test]
    fn sums_over_segments_are_the_sums_over_all_ranks() {
        for distribution in laws() {
            for count in [1u64, 2, 3, 64, 1_000, 50_000] {
                let law = RankLaw::new(&distribution, count).unwrap();
                let covered: u64 = law.segments.iter().map(|segment| segment.count).sum();
                assert_eq!(covered, count, "{distribution:?}");
                let exact =
                    |f: &dyn Fn(f64) -> f64| (0..count).map(|k| f(law.probability(k as f64))).sum::<f64>();
                let total = exact(&|p| p);
                assert!((total - 1.0).abs() < 1e-4, "{distribution:?} of {count}: {total}");
                let draws = count as f64;
                let misses = |p: f64| exp(-draws * p);
                let (fast, slow) = (law.sum(misses), exact(&misses));
                assert!(
                    (fast - slow).abs() < 1e-3 * slow.max(1.0),
                    "{distribution:?} of {count}: {fast} {slow}"
                );
            }
        }
    }

    #[test]
    fn each_rank_is_touched_with_its_own_chance() {
        for distribution in laws() {
            let law = RankLaw::new(&distribution, 200).unwrap();
            let mut random = Random::keyed(&[11]);
            let mut counts = [0u32; 200];
            let rounds = 4_000;
            for _ in 0..rounds {
                law.touched(60.0, &mut random, |rank| counts[rank as usize] += 1);
            }
            for (rank, count) in counts.iter().enumerate() {
                let chance = 1.0 - exp(-60.0 * law.probability(rank as f64));
                let deviation = (f64::from(rounds) * chance * (1.0 - chance)).sqrt();
                let error = (f64::from(*count) - f64::from(rounds) * chance).abs();
                assert!(error <= 5.0 * deviation + 1.0, "{distribution:?} rank {rank}: {count}");
            }
        }
    }
}
