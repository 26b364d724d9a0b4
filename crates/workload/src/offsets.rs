//! Random offsets by [`Distribution`]: each draw in constant time, without memory of the region.
//!
//! Offsets count from the start of the region. Skewed distributions (Zipf, Pareto) rank *grains*: the largest
//! block of the mix, rounded up to the alignment. A smaller I/O of the mix lands anywhere in its grain, so that
//! all sizes share their hot places; which places are hot depends on the seed and the target alone, so that all
//! threads and jobs share them too.

use iobound_units::{Op, TargetId};

use crate::alias::Alias;
use crate::map::BlockMap;
use crate::math::{ln, pow};
use crate::pass::Pass;
use crate::permutation::Permutation;
use crate::queue::Extent;
use crate::random::{Random, key_of};
use crate::slots::Slots;
use crate::zipf::Zipf;
use crate::zones::lay_zones;
use crate::{Distribution, Job, Share};

/// Marks the keys of scatters, so that they differ from every queue's.
const SCATTER: u64 = 0x5ca7_7e2d;

/// The grains of a region and how they are scattered.
#[derive(Clone, Debug)]
pub(crate) struct Grains {
    /// Bytes from one grain to the next.
    pub(crate) size: u64,
    /// Number of them; never zero.
    pub(crate) count: u64,
    /// Bytes of a grain that I/Os touch.
    pub(crate) used: u64,
    scatter: Permutation,
}

impl Grains {
    pub(crate) fn new(job: &Job, extent: &Extent, seed: u64) -> Grains {
        let used = job.mix.iter().map(|share| u64::from(share.block)).max().unwrap_or(0).max(1);
        // Every share finds its own boundaries in every grain.
        let aligns = job.mix.iter().filter_map(|share| share.align);
        let align = aligns.fold(1, |common, align| least_common_multiple(common, align.get()));
        let size = used.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        let count = (extent.len - used) / size + 1;
        let scatter = Permutation::new(count, scatter_key(seed, extent.target));
        Grains { size, count, used, scatter }
    }

    /// Start of the grain of this rank, from the region's start.
    pub(crate) fn offset(&self, rank: u64) -> u64 {
        self.scatter.apply(rank) * self.size
    }
}

/// The least common multiple of two numbers above zero; saturates at `u64::MAX`.
fn least_common_multiple(one: u64, other: u64) -> u64 {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a).saturating_mul(other)
}

fn scatter_key(seed: u64, target: TargetId) -> u64 {
    key_of(&[seed, SCATTER, u64::from(target.0)])
}

/// The exponent that gives rank = count × u^exponent the power `h`: ln h ÷ ln (1 − h), as in fio.
pub(crate) fn pareto_exponent(power: f64) -> f64 {
    ln(power) / ln(1.0 - power)
}

/// Draws the offsets of one queue on one target. The tables have one entry for each share of the mix.
#[derive(Clone, Debug)]
pub(crate) enum Jumps {
    /// Anywhere.
    Uniform(Vec<Slots>),
    /// Every place once before any twice; each share of the mix makes its own passes.
    OnceEach(Vec<Pass>),
    /// The same of several block sizes, which make their passes together.
    Mapped(BlockMap),
    /// Ranked grains.
    Ranked {
        law: Law,
        grains: Grains,
        /// The places of each share within a grain.
        within: Vec<Slots>,
    },
    /// Around the middle.
    Normal { deviation: f64, spare: Option<f64>, slots: Vec<Slots> },
    /// Zones by weight, then anywhere in the zone.
    Zones {
        zones: Alias,
        /// For each share, each zone's first place and number of places.
        places: Vec<Vec<(u64, u64)>>,
        units: Vec<u64>,
    },
}

/// Popularity of each rank.
#[derive(Clone, Debug)]
pub(crate) enum Law {
    Zipf(Zipf),
    Pareto { count: f64, exponent: f64 },
}

impl Law {
    fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Law::Zipf(zipf) => zipf.draw(random),
            Law::Pareto { count, exponent } => {
                (count * pow(random.unit(), *exponent)).min(count - 1.0) as u64
            }
        }
    }
}

impl Jumps {
    /// The offsets of a job on one target; `queue_key` belongs to the queue and the target.
    pub(crate) fn new(job: &Job, extent: &Extent, seed: u64, queue_key: u64) -> Jumps {
        let slots_in = |len: u64| job.mix.iter().map(|share| Slots::new(len, share)).collect();
        let slots: Vec<Slots> = slots_in(extent.len);
        match &job.access.distribution {
            Distribution::Uniform if job.access.once_each => {
                if let Some(map) = map_of(job, extent, queue_key) {
                    return Jumps::Mapped(map);
                }
                let key = |index: usize| key_of(&[queue_key, index as u64]);
                Jumps::OnceEach(slots.iter().enumerate().map(|(i, s)| Pass::new(*s, key(i))).collect())
            }
            Distribution::Uniform => Jumps::Uniform(slots),
            Distribution::Zipf { theta } => {
                let grains = Grains::new(job, extent, seed);
                let law = Law::Zipf(Zipf::new(grains.count, theta.as_f64()));
                let within = slots_in(grains.used);
                Jumps::Ranked { law, grains, within }
            }
            Distribution::Pareto { power } => {
                let grains = Grains::new(job, extent, seed);
                let exponent = pareto_exponent(power.as_f64());
                let law = Law::Pareto { count: grains.count as f64, exponent };
                let within = slots_in(grains.used);
                Jumps::Ranked { law, grains, within }
            }
            Distribution::Normal { deviation } => {
                Jumps::Normal { deviation: deviation.as_f64(), spare: None, slots }
            }
            Distribution::Zones(zones) => {
                let laid = lay_zones(zones, extent.len).expect("the zones were checked with the queues");
                let weights: Vec<u32> = laid.iter().map(|zone| zone.ios.ppm()).collect();
                let places =
                    slots.iter().map(|s| laid.iter().map(|z| s.between(z.start, z.end)).collect()).collect();
                let units = slots.iter().map(|s| s.unit).collect();
                Jumps::Zones { zones: Alias::new(&weights), places, units }
            }
        }
    }

    /// Forgets which places were touched.
    pub(crate) fn restart(&mut self) {
        match self {
            Jumps::OnceEach(passes) => passes.iter_mut().for_each(Pass::restart),
            Jumps::Mapped(map) => map.restart(),
            _ => {}
        }
    }

    /// The next offset for an I/O of this share of the mix, and its length: `len`, or less where a map says so.
    #[inline]
    pub(crate) fn draw(&mut self, share: usize, len: u32, random: &mut Random) -> (u64, u32) {
        let offset = match self {
            Jumps::Mapped(map) => return map.draw(len),
            Jumps::Uniform(slots) => random.below(slots[share].count) * slots[share].unit,
            Jumps::OnceEach(passes) => passes[share].draw(),
            Jumps::Ranked { law, grains, within } => {
                let inner = within[share];
                let inside = if inner.count > 1 { random.below(inner.count) * inner.unit } else { 0 };
                grains.offset(law.draw(random)) + inside
            }
            Jumps::Normal { deviation, spare, slots } => {
                let place = normal_place(*deviation, spare, random);
                let slots = slots[share];
                ((place * slots.count as f64) as u64).min(slots.count - 1) * slots.unit
            }
            Jumps::Zones { zones, places, units } => {
                let (first, count) = places[share][zones.choose(random)];
                (first + random.below(count)) * units[share]
            }
        };
        (offset, len)
    }
}

/// The map of a job whose I/Os have several sizes and any alignment.
fn map_of(job: &Job, extent: &Extent, key: u64) -> Option<BlockMap> {
    let is_drawn = |share: &&Share| share.weight > 0 && (!job.access.trim_first || share.op == Op::Discard);
    let sizes = || job.mix.iter().filter(is_drawn).map(|share| u64::from(share.block)).filter(|b| *b > 0);
    let smallest = sizes().min()?;
    let several = sizes().any(|block| block != smallest);
    let several = several && job.mix.iter().all(|share| share.align.is_none());
    if several { BlockMap::new(extent.len, smallest, key) } else { None }
}

/// A place in 0..1, normal around the middle; what falls outside is drawn again.
fn normal_place(deviation: f64, spare: &mut Option<f64>, random: &mut Random) -> f64 {
    loop {
        let place = 0.5 + deviation * standard_normal(spare, random);
        if (0.0..1.0).contains(&place) {
            return place;
        }
    }
}

/// Marsaglia's polar method, which gives two at a time.
fn standard_normal(spare: &mut Option<f64>, random: &mut Random) -> f64 {
    if let Some(kept) = spare.take() {
        return kept;
    }
    loop {
        let (x, y) = (2.0 * random.unit() - 1.0, 2.0 * random.unit() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            let scale = (-2.0 * ln(square) / square).sqrt();
            *spare = Some(y * scale);
            return x * scale;
        }
    }
}
