//! The use of each limit, as a share, from what was seen: by group of limiters, since an observation is mostly of all disks together.

use iobound_catalog::{CacheSetting, Resolved};
use iobound_model::{CacheMode, Dimension, DiskSpec, LimiterId};
use iobound_predict::asks_of;
use iobound_units::{Op, Percent, Span};
use iobound_workload::{Access as Jumps, Job, Targets, Workload};

use crate::observed::{Access, Figures, Observed};
use crate::thresholds::SHORT_RUN;

/// Part of an observation that surely passes a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// `disk`, `vm.uncached`, `vm.cached`, `account`.
    pub group: String,
    /// Its unit of count.
    pub dimension: Dimension,
    /// Number of limiters of the group that receive load.
    pub count: usize,
    /// Published, a second, of all of them.
    pub published: f64,
    /// The enforced limit.
    pub enforced: f64,
    /// The most that may be enforced: the largest factor, megabytes of 2^20 where that is not settled.
    pub enforced_high: f64,
    /// True if no source gives the limit: it is expected from the sizes alike.
    pub is_expected: bool,
    /// The least that passes it: what hits a cache does not.
    pub used_low: f64,
    /// Use if all reads hit, and writes to a cache are written back as they come.
    pub used_hits: f64,
    /// The most.
    pub used_high: f64,
    /// Estimate of the load on the limit, between the two: the lower one if the host caches hold the data.
    pub used: f64,
    /// The fullest of its limiters: the least and the most that passes ÷ published.
    pub fullest: [f64; 2],
    /// The one that that is, where there are several, and its published limit.
    pub fullest_limiter: (Option<String>, f64),
    /// Burst limit, and the seconds for which credits allow it.
    pub burst: Option<(f64, f64)>,
}

impl Usage {
    /// Used ÷ enforced, of all of it.
    pub fn share(&self) -> f64 {
        self.used / self.enforced
    }

    /// Used ÷ published.
    pub fn of_published(&self) -> f64 {
        self.used / self.published
    }

    /// True if all that was seen passes here, whatever hits a cache.
    pub fn is_certain(&self) -> bool {
        self.used_low >= self.used_high * 0.999
    }

    /// Its name as `predict` tells it: `vm.cached.throughput`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.group, self.dimension.name())
    }
}

/// Load that passes a limiter: minimum, estimate where reads hit, and maximum.
#[derive(Clone, Copy, Default)]
struct Range {
    low: f64,
    hits: f64,
    high: f64,
}

impl Range {
    fn reads(hit: f64, miss: f64) -> Range {
        Range { low: hit.min(miss), hits: hit, high: hit.max(miss) }
    }

    fn writes(now: f64, all: f64) -> Range {
        Range { low: now, hits: all, high: now.max(all) }
    }

    fn add(&mut self, share: f64, other: Range) {
        self.low += share * other.low;
        self.hits += share * other.hits;
        self.high += share * other.high;
    }

    /// Of a mix, or of an unknown one.
    fn mixed(read: Option<f64>, reads: Range, writes: Range) -> Range {
        let mut both = Range::default();
        match read {
            Some(read) => {
                both.add(read, reads);
                both.add(1.0 - read, writes);
                both
            }
            None => Range {
                low: reads.low.min(writes.low),
                hits: reads.hits.min(writes.hits),
                high: reads.high.max(writes.high),
            },
        }
    }
}

/// Share of a disk's own I/Os that passes a limiter: unknown read shares and unknown hits make it a range.
fn passes(disk: &DiskSpec, limiter: LimiterId, read: Option<f64>) -> Range {
    let on = |route: &[LimiterId]| f64::from(u8::from(route.contains(&limiter)));
    let routes = &disk.routes;
    let reads = match disk.cache {
        Some(_) => Range::reads(on(&routes.read_hit), on(&routes.read)),
        None => Range::reads(on(&routes.read), on(&routes.read)),
    };
    let writes = match disk.cache.map(|cache| cache.mode) {
        // Written-back data is merged: at most as many I/Os.
        Some(CacheMode::ReadWrite) => {
            let (ack, back) = (on(&routes.write_ack), on(&routes.write_back));
            Range::writes(ack, ack.max(back))
        }
        _ => Range::writes(on(&routes.write), on(&routes.write)),
    };
    Range::mixed(read, reads, writes)
}

/// A mean size of I/Os as one that can be issued: whole sectors, and no more than 64 MiB, the largest of a workload.
pub(crate) fn sectors(block: f64) -> u32 {
    (((block / 512.0).round().min(131_072.0) as u32) * 512).max(512)
}

/// Demand of one I/O to a volume on every limit and dimension, after splitting and rounding to units.
struct Asks {
    of: Vec<[Range; 2]>,
}

impl Asks {
    /// `None` where the volume can't hold such I/Os.
    fn new(resolved: &Resolved, volume: usize, observed: &Observed, figures: &Figures) -> Option<Asks> {
        // Of an unknown block nothing is split and nothing is charged twice.
        let block = figures.block.map_or(4096, sectors);
        let of = |read: Percent, hits: f64| -> Option<Vec<[f64; 2]>> {
            let mut job = Job::new("seen");
            job.set_mix(block, read);
            job.targets = Targets::Named(vec![resolved.blueprint.volumes[volume].name.clone()]);
            if figures.access.or(observed.total.access) == Some(Access::Sequential) {
                job.access = Jumps::sequential();
            }
            asks_of(resolved, &Workload::new(vec![job], Span::from_secs(1)), hits).ok()
        };
        let hit = of(Percent::HUNDRED, 1.0)?;
        let miss = of(Percent::HUNDRED, 0.0)?;
        let write = of(Percent::ZERO, 0.0)?;
        let disks: Vec<&DiskSpec> = resolved.blueprint.volumes[volume]
            .disks
            .iter()
            .map(|disk| &resolved.blueprint.disks[usize::from(disk.0)])
            .collect();
        let later = |limiter: usize| {
            disks.iter().all(|disk| {
                disk.cache.is_some_and(|cache| cache.mode == CacheMode::ReadWrite)
                    && !disk.routes.write_ack.contains(&LimiterId(limiter as u16))
            })
        };
        let read = figures.read.or(observed.total.read);
        let of = (0..hit.len()).map(|limiter| {
            Dimension::ALL.map(|dimension| {
                let d = dimension as usize;
                // I/Os of an unknown block size are charged without rounding.
                let known = figures.block.is_some()
                    || resolved.blueprint.limiters[limiter].charge.bytes(1.0, 1.0) <= 1.0;
                let each = |asks: &Vec<[f64; 2]>| match dimension {
                    Dimension::Ios => asks[limiter][d],
                    Dimension::Bytes if known => asks[limiter][d] / f64::from(block),
                    Dimension::Bytes => asks[limiter][Dimension::Ios as usize],
                };
                let writes = Range::writes(if later(limiter) { 0.0 } else { each(&write) }, each(&write));
                Range::mixed(read, Range::reads(each(&hit), each(&miss)), writes)
            })
        });
        Some(Asks { of: of.collect() })
    }
}

/// Measurements of one figure: of disks by name, and of the volumes that are not seen disk by disk.
struct Rates {
    disks: Vec<Option<f64>>,
    volumes: Vec<f64>,
}

/// Volume of rates that name no disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bearers {
    /// The data disks; the operating system's disk if there is no other.
    Data,
    /// The data disks' and the operating system's.
    All,
}

/// Named disks and volumes have their own figures; the other disks share the rest evenly.
fn rates(
    resolved: &Resolved,
    observed: &Observed,
    bearers: Bearers,
    figure: fn(&Figures) -> Option<f64>,
) -> Option<Rates> {
    let blueprint = &resolved.blueprint;
    let mut disks: Vec<Option<f64>> = vec![None; resolved.disks.len()];
    let mut volumes: Vec<Option<f64>> = vec![None; blueprint.volumes.len()];
    for part in &observed.parts {
        let Some(value) = figure(&part.figures) else { continue };
        // A volume of one disk is that disk.
        if let Some(named) = resolved.volumes_of(&part.name) {
            let all: usize = named.iter().map(|volume| blueprint.volumes[*volume].disks.len()).sum();
            for volume in named {
                let part = blueprint.volumes[volume].disks.len() as f64 / all as f64;
                volumes[volume] = Some(value * part);
            }
        } else if let Some(disk) = resolved.disks.iter().position(|disk| disk.name == part.name) {
            disks[disk] = Some(value);
        }
    }
    let known: f64 = disks.iter().flatten().chain(volumes.iter().flatten()).sum();
    let left = match figure(&observed.total) {
        Some(total) => (total - known).max(0.0),
        None if known > 0.0 => 0.0,
        None => return None,
    };
    let is_os = |volume: usize| {
        blueprint.volumes[volume].disks.iter().all(|disk| resolved.disks[usize::from(disk.0)].is_os)
    };
    // The operating system's disk bears the load only where it is the only one or named.
    let data = bearers == Bearers::Data && resolved.disks.iter().any(|disk| !disk.is_os);
    let by_disk = |volume: usize| {
        blueprint.volumes[volume].disks.iter().any(|disk| disks[usize::from(disk.0)].is_some())
    };
    let open: Vec<usize> = (0..volumes.len())
        .filter(|volume| volumes[*volume].is_none() && !by_disk(*volume) && !(data && is_os(*volume)))
        .collect();
    let all: usize = open.iter().map(|volume| blueprint.volumes[*volume].disks.len()).sum();
    for volume in open {
        volumes[volume] = Some(left * blueprint.volumes[volume].disks.len() as f64 / all as f64);
    }
    Some(Rates { disks, volumes: volumes.into_iter().map(|rate| rate.unwrap_or(0.0)).collect() })
}

/// Every limit of the configuration that something of what was seen passes.
pub fn usages(resolved: &Resolved, observed: &Observed) -> Vec<Usage> {
    usages_of(resolved, observed, Bearers::Data)
}

pub(crate) fn usages_of(resolved: &Resolved, observed: &Observed, bearers: Bearers) -> Vec<Usage> {
    let mut parts: Vec<(LimiterId, Usage)> = Vec::new();
    let figures_of =
        |name: &str| observed.parts.iter().find(|part| part.name == name).map(|part| &part.figures);
    let iops = rates(resolved, observed, bearers, |figures| figures.iops);
    let bytes = rates(resolved, observed, bearers, |figures| figures.throughput_bytes_per_s);
    let asks: Vec<Option<Asks>> = (0..resolved.blueprint.volumes.len())
        .map(|volume| {
            let named = resolved.names.iter().find(|named| named.volumes.contains(&volume));
            let own = figures_of(&resolved.blueprint.volumes[volume].name);
            let own = own.or_else(|| figures_of(&named?.name));
            let mut figures = own.cloned().unwrap_or_default();
            figures.block = figures.block.or(observed.total.block);
            Asks::new(resolved, volume, observed, &figures)
        })
        .collect();
    for (index, limiter) in resolved.blueprint.limiters.iter().enumerate() {
        let band = &resolved.limiter_bands[index];
        for dimension in Dimension::ALL {
            let Some(limit) = limiter.limit(dimension) else { continue };
            let rates = match dimension {
                Dimension::Ios => &iops,
                Dimension::Bytes => &bytes,
            };
            let Some(rates) = rates else { continue };
            let mut used = Range::default();
            for (rate, asks) in rates.volumes.iter().zip(&asks) {
                if let Some(asks) = asks {
                    used.add(*rate, asks.of[index][dimension as usize]);
                }
            }
            for (disk, rate) in rates.disks.iter().enumerate() {
                let Some(rate) = rate else { continue };
                let named = figures_of(&resolved.disks[disk].name);
                let read = named.and_then(|figures| figures.read).or(observed.total.read);
                let block = named.and_then(|figures| figures.block).or(observed.total.block);
                let block = block.unwrap_or(4096.0).round().max(1.0);
                let units = limiter.charge.units(block as u64) as f64;
                let each = if dimension == Dimension::Ios { rate * units } else { *rate };
                used.add(each, passes(&resolved.blueprint.disks[disk], LimiterId(index as u16), read));
            }
            if used.high <= 0.0 {
                continue;
            }
            let published = limit.published as f64;
            let enforced = limit.enforced_micro(limiter.factor) as f64 / 1e6;
            let mut most = limit.enforced.map_or(published * band.factor_high.as_f64(), |own| own as f64);
            if let (Dimension::Bytes, Some(high)) = (dimension, band.bytes_high) {
                most = most.max(band.factor_high.of(high) as f64);
            }
            let burst = limiter.credit(dimension).map(|credit| {
                let above = (credit.burst as f64 - published).max(1.0);
                (credit.burst as f64, credit.capacity as f64 / above)
            });
            let one = Usage {
                group: limiter.name.group.clone(),
                dimension,
                count: 1,
                published,
                enforced,
                enforced_high: most,
                is_expected: band.is_expected,
                used_low: used.low,
                used_hits: used.hits,
                used_high: used.high,
                used: used.high,
                fullest: [used.low / published, used.high / published],
                fullest_limiter: (limiter.name.instance.clone(), published),
                burst,
            };
            // Limits that one I/O passes one after the other do not add up: the fuller one counts.
            let limiter = LimiterId(index as u16);
            let same = |(other, of): &(LimiterId, Usage)| {
                (&of.group, of.dimension) == (&one.group, dimension) && in_series(resolved, *other, limiter)
            };
            match parts.iter_mut().find(|part| same(part)) {
                None => parts.push((limiter, one)),
                Some(part) if one.fullest[1] > part.1.fullest[1] => *part = (limiter, one),
                Some(_) => {}
            }
        }
    }
    let mut usages = Vec::new();
    parts.into_iter().for_each(|(_, one)| add(&mut usages, one));
    usages
}

/// True if an I/O passes both limiters.
fn in_series(resolved: &Resolved, one: LimiterId, other: LimiterId) -> bool {
    let passes_both = |route: &[LimiterId]| route.contains(&one) && route.contains(&other);
    resolved.blueprint.disks.iter().any(|disk| disk.routes.all().into_iter().any(passes_both))
}

/// The usages of one direction, if limits differ by direction and the mix is unknown: of the possible directions, the
/// one that reaches its limits first. `None` if the mix is known or makes no difference.
pub(crate) fn usages_of_one_direction(
    resolved: &Resolved,
    observed: &Observed,
    bearers: Bearers,
) -> Option<(Op, Vec<Usage>)> {
    let figures = observed.parts.iter().map(|part| &part.figures).chain([&observed.total]);
    if figures.into_iter().any(|figures| figures.read.is_some()) || !differs_by_direction(resolved) {
        return None;
    }
    let of = |op: Op, read: f64| {
        let mut seen = observed.clone();
        seen.total.read = Some(read);
        (op, usages_of(resolved, &seen, bearers))
    };
    let fullest = |usages: &[Usage]| {
        usages.iter().map(|usage| usage.used_low / usage.enforced_high).fold(0.0_f64, f64::max)
    };
    let [reads, writes] = [of(Op::Read, 1.0), of(Op::Write, 0.0)];
    let (of_reads, of_writes) = (fullest(&reads.1), fullest(&writes.1));
    let writes_first = match (of_reads <= SHORT_RUN, of_writes <= SHORT_RUN) {
        (true, true) => of_writes > of_reads,
        (false, true) => true,
        (true, false) => false,
        (false, false) => of_writes < of_reads,
    };
    Some(if writes_first { writes } else { reads })
}

/// True if some limiter is passed by reads and not by writes, or the other way round.
fn differs_by_direction(resolved: &Resolved) -> bool {
    (0..resolved.blueprint.limiters.len() as u16).map(LimiterId).any(|limiter| {
        resolved.blueprint.disks.iter().any(|disk| {
            let of = |read| passes(disk, limiter, Some(read)).high > 0.0;
            of(1.0) != of(0.0)
        })
    })
}

/// Adds a limiter to its group.
fn add(usages: &mut Vec<Usage>, one: Usage) {
    let same = |usage: &&mut Usage| usage.group == one.group && usage.dimension == one.dimension;
    let Some(sum) = usages.iter_mut().find(same) else {
        usages.push(one);
        return;
    };
    sum.count += one.count;
    sum.published += one.published;
    sum.enforced += one.enforced;
    sum.enforced_high += one.enforced_high;
    sum.is_expected |= one.is_expected;
    sum.used_low += one.used_low;
    sum.used_hits += one.used_hits;
    sum.used_high += one.used_high;
    sum.used = sum.used_high;
    if one.fullest[1] > sum.fullest[1] {
        (sum.fullest, sum.fullest_limiter) = (one.fullest, one.fullest_limiter);
    }
    sum.burst = match (sum.burst, one.burst) {
        (Some((rate, seconds)), Some((other, others))) => Some((rate + other, seconds.min(others))),
        _ => None,
    };
}

/// True if any disk has a host cache.
pub(crate) fn has_cache(resolved: &Resolved) -> bool {
    resolved.disks.iter().any(|disk| disk.cache != CacheSetting::None)
}
