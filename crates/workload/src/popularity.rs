//! Lines of a region that a least-recently-used cache holds once it is warm, without simulating the hours that
//! warming it takes.
//!
//! Che's approximation (Che, Tung and Wang, "Hierarchical web caching systems", IEEE JSAC 2002): a cache of `c`
//! lines holds what was touched in the last `d` I/Os, where `d` is such that so many I/Os touch `c` lines. Each
//! line is held independently, with the chance that one of those I/Os touched it.
//!
//! For each kind of access:
//! - uniform, once-each and sequential: any lines are as good as others, so the *last* of the region are held, as
//!   after a sequential pass; a second pass from the start then misses, as in a real cache that is too small;
//! - zones: the same within each zone, with the zone's own share of the lines;
//! - Zipf, Pareto and normal: ranks are chosen by their chances and put where the generator puts them (the same
//!   permutation), from a random stream of the seed and the target: the same lines each time.
//!
//! The I/Os counted are those of the job on this target. The sequential I/Os of a partly random job are counted
//! with the random ones: they follow on from where those landed. The work is in proportion to the lines held,
//! whatever the region's size.

use iobound_units::Op;

use crate::law::RankLaw;
use crate::math::{expm1_over, ln1p_over};
use crate::offsets::Grains;
use crate::queue::Extent;
use crate::random::Random;
use crate::zones::{ZoneExtent, lay_zones};
use crate::{Distribution, Job};

/// Marks the random streams that choose lines.
const RESIDENT: u64 = 0x4e51_de27;

/// Distribution of a job's I/Os over one target.
#[derive(Clone, Debug)]
pub struct Popularity {
    extent: Extent,
    seed: u64,
    /// The mean length of an I/O in bytes.
    mean_len: f64,
    spread: Places,
}

#[derive(Clone, Debug)]
enum Places {
    /// Zones, each alike within itself.
    Zones(Vec<ZoneExtent>),
    /// Ranked grains.
    Ranked { law: RankLaw, grains: Grains, scattered: bool },
}

impl Popularity {
    /// The popularity of a job's places on one [`Extent`] of its queues, under the workload's seed.
    pub fn new(job: &Job, extent: Extent, seed: u64) -> Popularity {
        let whole = || vec![ZoneExtent { start: 0, end: extent.len, ios: iobound_units::Percent::HUNDRED }];
        let spread = match &job.access.distribution {
            _ if !job.any_random() => Places::Zones(whole()),
            Distribution::Uniform => Places::Zones(whole()),
            Distribution::Zones(zones) => {
                Places::Zones(lay_zones(zones, extent.len).expect("the zones were checked with the queues"))
            }
            skewed => {
                let grains = Grains::new(job, &extent, seed);
                let law = RankLaw::new(skewed, grains.count).expect("it is neither uniform nor zones");
                let scattered = !matches!(skewed, Distribution::Normal { .. });
                Places::Ranked { law, grains, scattered }
            }
        };
        let moved = || job.mix.iter().filter(|share| share.op != Op::Flush);
        let weight: f64 = moved().map(|share| f64::from(share.weight)).sum();
        let bytes: f64 = moved().map(|share| f64::from(share.weight) * f64::from(share.block)).sum();
        Popularity { extent, seed, mean_len: if weight > 0.0 { bytes / weight } else { 0.0 }, spread }
    }

    /// Number of different that lines of `line` bytes so many I/Os touch, on average.
    pub fn distinct_lines(&self, line: u64, draws: f64) -> f64 {
        let per_io = (self.mean_len / line as f64).max(1.0);
        match &self.spread {
            Places::Zones(zones) => zones.iter().map(|zone| self.zone_lines(zone, line, draws)).sum(),
            Places::Ranked { law, grains, scattered } => {
                let lines_each = grains.size as f64 / line as f64;
                if lines_each >= 1.0 {
                    // An I/O touches so large a part of its grain's lines.
                    let used = (grains.used as f64 / line as f64).max(1.0);
                    let part = (per_io / used).min(1.0);
                    return used * law.sum(|p| hit(draws * p * part));
                }
                if !scattered {
                    // Neighbours share a line, and are alike.
                    return lines_each * law.sum(|p| hit(draws * p / lines_each));
                }
                // Several grains share a line, thrown together by the permutation: all must be missed.
                let count = grains.count as f64;
                let mean_hit = law.sum(|p| hit(draws * p)) / count;
                count * lines_each * power_complement(mean_hit, 1.0 / lines_each)
            }
        }
    }

    /// The number of I/Os that touch `lines` different lines on average; infinite where the region has no more.
    pub fn draws_to_touch(&self, line: u64, lines: f64) -> f64 {
        let mut high = lines.max(1.0);
        while self.distinct_lines(line, high) < lines {
            high *= 4.0;
            if high > 1e30 {
                return f64::INFINITY;
            }
        }
        let mut low = 0.0;
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.distinct_lines(line, middle) < lines { low = middle } else { high = middle }
        }
        high
    }

    /// Calls `held` with the offset (in the target) of each line that the last `draws` I/Os touched, and how long ago
    /// the last one did, as a share of the draws. A line may come again. A cache filled from the longest ago on gives up lines as it would after
    /// all these I/Os: not the least popular first, which would make it hit more and more.
    ///
    /// For caches that several jobs share, whose draws go with their rates.
    pub fn lines_after(&self, line: u64, draws: f64, mut held: impl FnMut(u64, f64)) {
        match &self.spread {
            Places::Zones(zones) => self.zone_lines_after(zones, line, draws, held),
            _ if draws == f64::INFINITY => {
                let (first, end) = self.line_range(0, self.extent.len, line);
                (first..end)
                    .for_each(|number| held(number * line, (end - number) as f64 / (end - first) as f64));
            }
            Places::Ranked { law, grains, scattered } => {
                let key = [self.seed, RESIDENT, u64::from(self.extent.target.0)];
                let mut random = Random::keyed(&key);
                let mut lines = Random::keyed(&[key[0], key[1], key[2], 1]);
                let used = (grains.used as f64 / line as f64).max(1.0);
                let part = ((self.mean_len / line as f64).max(1.0) / used).min(1.0);
                let mut ages = Random::keyed(&[key[0], key[1], key[2], 2]);
                law.touched(draws, &mut random, |rank| {
                    let age = age_of(law.touches(rank, draws), ages.unit());
                    let offset = if *scattered { grains.offset(rank) } else { rank * grains.size };
                    let (first, end) = self.line_range(offset, offset + grains.used, line);
                    if part >= 1.0 {
                        return (first..end).for_each(|number| held(number * line, age));
                    }
                    // Given that the grain was touched, each of its lines was with the chance of its own part.
                    let chance = law.chance(rank, draws);
                    let own = power_complement(chance, part) / chance;
                    (first..end).filter(|_| lines.unit() < own).for_each(|number| held(number * line, age));
                });
            }
        }
    }

    fn zone_lines_after(&self, zones: &[ZoneExtent], line: u64, draws: f64, mut held: impl FnMut(u64, f64)) {
        let density = |zone: &ZoneExtent| zone.ios.fraction() / (zone.end - zone.start).max(1) as f64;
        let mut order: Vec<&ZoneExtent> = zones.iter().filter(|zone| zone.ios.ppm() > 0).collect();
        order.sort_by(|a, b| density(a).total_cmp(&density(b)));
        for zone in order {
            let (first, end) = self.line_range(zone.start, zone.end, line);
            let count = (self.zone_lines(zone, line, draws) + 0.5) as u64;
            let count = count.min(end - first);
            let per_io = (self.mean_len / line as f64).max(1.0);
            let touches = draws * zone.ios.fraction() * per_io / (end - first).max(1) as f64;
            // In order, as a sequential pass leaves them.
            for nth in 0..count {
                let since = (count - nth) as f64 / count as f64;
                held((end - count + nth) * line, age_of(touches, since));
            }
        }
    }

    /// Lines of a zone that so many I/Os of the job touch.
    fn zone_lines(&self, zone: &ZoneExtent, line: u64, draws: f64) -> f64 {
        let (first, end) = self.line_range(zone.start, zone.end, line);
        let lines = (end - first) as f64;
        let per_io = (self.mean_len / line as f64).max(1.0);
        lines * hit(draws * zone.ios.fraction() * per_io / lines.max(1.0))
    }

    /// The numbers of the target's lines that bytes `start..end` of the region lie on.
    fn line_range(&self, start: u64, end: u64, line: u64) -> (u64, u64) {
        ((self.extent.start + start) / line, (self.extent.start + end).div_ceil(line))
    }
}

/// Time that ago a line was touched last that `touches` of the last I/Os are expected to touch, and one did: as a share
/// of those I/Os. The time since is exponential, cut off where they began; `part` of such lines are younger.
fn age_of(touches: f64, part: f64) -> f64 {
    let below = hit(touches) * part;
    // −ln(1 − below) ÷ touches.
    if below == 0.0 {
        // So rare that one time is as likely as another.
        return part;
    }
    if below >= 1.0 { 1.0 } else { (below * ln1p_over(-below) / touches).min(1.0) }
}

/// 1 − e^−x.
fn hit(x: f64) -> f64 {
    if x > 700.0 { 1.0 } else { x * expm1_over(-x) }
}

/// 1 − (1 − p)^exponent.
fn power_complement(p: f64, exponent: f64) -> f64 {
    if p >= 1.0 { 1.0 } else { hit(exponent * p * ln1p_over(-p)) }
}
