use iobound_catalog::{Catalog, Configuration, Resolved};
use iobound_model::Dimension;
use iobound_predict::CacheState;

use crate::observed::Observed;
use crate::usage::{Usage, usages};
use crate::want::Want;

/// Used ÷ enforced from which a limit is full: a mean over minutes that a 50 ms gate has cut.
const FULL: f64 = 0.95;
/// From which it may be: a one-minute average with pauses in it.
const NEARLY: f64 = 0.87;
/// Short runs exceed what is enforced by up to so much (tkubica12/cloud-storage-tests, 30 s, 2022: 2 to 7 %).
const SHORT_RUN: f64 = 1.07;

/// How full a limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Room is left.
    Below,
    /// It may bind at times.
    Nearly,
    /// It binds.
    Full,
    /// More than it lets through for long.
    Above,
}

/// What is judged: a configuration, what was seen of it, and the state it was in.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// What was asked for.
    pub configuration: &'a Configuration,
    /// Whose figures.
    pub catalog: &'a Catalog,
    /// What that is.
    pub resolved: &'a Resolved,
    /// What was seen.
    pub observed: &'a Observed,
    /// What is wished for.
    pub want: Option<Want>,
    /// What host caches held, as far as it was said.
    pub cache: CacheState,
    /// Every limit with what of the observation passes it.
    pub usages: Vec<Usage>,
    /// Whether all reads may miss: no limit behind a cache would be exceeded by it.
    misses_fit: bool,
}

impl<'a> Case<'a> {
    /// A case of these.
    pub fn new(
        configuration: &'a Configuration,
        catalog: &'a Catalog,
        resolved: &'a Resolved,
        observed: &'a Observed,
        want: Option<Want>,
        cache: CacheState,
    ) -> Case<'a> {
        let usages = usages(resolved, observed);
        let misses_fit = usages
            .iter()
            .all(|usage| usage.is_certain() || usage.used_high <= SHORT_RUN * usage.enforced_high);
        Case { configuration, catalog, resolved, observed, want, cache, usages, misses_fit }
    }

    /// What was named in the observation and is no volume or disk of the configuration.
    pub fn unknown_parts(&self) -> Vec<&str> {
        let is_known = |name: &str| {
            self.resolved.disks.iter().any(|disk| disk.name == name)
                || self.resolved.volumes_of(name).is_some()
        };
        let names = self.observed.parts.iter().map(|part| part.name.as_str());
        names.filter(|name| !is_known(name)).collect()
    }

    /// The use of a limit; `None`: there is none, or it is not known what passes it.
    pub fn usage(&self, group: &str, dimension: Dimension) -> Option<&Usage> {
        self.usages.iter().find(|usage| usage.group == group && usage.dimension == dimension)
    }

    /// How full a limit is: the fullest of its gates where disks were seen apart.
    pub fn level(&self, usage: &Usage) -> Level {
        let scale = usage.enforced / usage.published;
        let share = if self.observed.parts.is_empty() { usage.share() } else { usage.fullest / scale };
        let most = SHORT_RUN * usage.enforced_high / usage.enforced;
        if !self.misses_fit && !usage.is_certain() {
            return Level::Below;
        }
        match share {
            // What hits a cache does not pass a limit behind it: there, more than the limit is no wonder.
            share if share > most => {
                if usage.is_certain() {
                    Level::Above
                } else {
                    Level::Below
                }
            }
            share if share >= FULL => Level::Full,
            share if share >= NEARLY => Level::Nearly,
            _ => Level::Below,
        }
    }

    /// How full the limit of that name is; `Below` where it is unknown.
    pub fn level_of(&self, group: &str, dimension: Dimension) -> Level {
        self.usage(group, dimension).map_or(Level::Below, |usage| self.level(usage))
    }

    /// Whether no limit is nearly full.
    pub fn has_room(&self) -> bool {
        self.usages.iter().all(|usage| self.level(usage) == Level::Below)
    }

    /// Whether so much is outstanding that latency is waiting, whatever the disks take.
    pub fn is_deep(&self) -> bool {
        const DEEP: f64 = 32.0;
        let total = &self.observed.total;
        let outstanding = total.depth.or(total.held()).unwrap_or(0.0);
        outstanding > DEEP * self.resolved.disks.len() as f64
    }

    /// The limits that are full.
    pub fn full(&self) -> impl Iterator<Item = &Usage> {
        self.usages.iter().filter(|usage| self.level(usage) == Level::Full)
    }

    /// Mean latency in ms of an I/O alone on the disks' media: the fastest, the typical and the slowest seen, of the
    /// observed mix and block; `None` where there is no disk.
    pub fn media_ms(&self) -> Option<[f64; 3]> {
        let read = self.observed.total.read.unwrap_or(1.0);
        let kib = self.observed.total.block.map_or(0.0, |block| (block / 1024.0 - 4.0).max(0.0));
        let band = self.resolved.media_bands.first()?;
        let of = |media: &iobound_model::Media| {
            let one = |latency: &iobound_model::Latency| {
                (latency.mean.us_f64() + kib * latency.per_kib.us_f64()) / 1e3
            };
            read * one(&media.read) + (1.0 - read) * one(&media.write)
        };
        let mut ends = [of(&band.fast), of(&self.resolved.blueprint.disks.first()?.media), of(&band.slow)];
        // At a depth of one the media is slower; whoever is seen at it may be as slow as that.
        ends[2] = ends[2].max(of(&band.depth_1));
        Some(ends)
    }
}
