use iobound_catalog::{Catalog, Configuration, PriceList, Resolved};
use iobound_model::{CacheMode, Dimension};
use iobound_predict::{Age, CacheState};
use iobound_units::{Bytes, Op, Span};

use crate::observed::{Figures, Observed};
use crate::thresholds as of;
use crate::usage::{Bearers, Usage, has_cache, usages_of, usages_of_one_direction};
use crate::want::Want;

/// The use of a limit, as a share.
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

/// Case to judge: a configuration, its measurements, and its state.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The request.
    pub configuration: &'a Configuration,
    /// Date of the figures.
    pub catalog: &'a Catalog,
    /// Its meaning.
    pub resolved: &'a Resolved,
    /// The measurements.
    pub observed: &'a Observed,
    /// The goal.
    pub want: Option<Want>,
    /// Content of host caches, as far as it is known.
    pub cache: CacheState,
    /// Remaining burst credits, as far as they are known.
    pub age: Age,
    /// Prices of what changes cost, where they are known.
    pub prices: Option<&'a PriceList>,
    /// Every limit with what of the observation passes it.
    pub usages: Vec<Usage>,
    /// The direction that all I/Os are taken to have, where limits differ by direction and the mix is not known.
    pub taken_for: Option<Op>,
    /// True if the operating system's disk is taken to bear its part: the data disks alone do not let so much through.
    pub with_os: bool,
    /// True if all reads may miss: no limit behind a cache would be exceeded by it.
    misses_fit: bool,
}

impl<'a> Case<'a> {
    /// Group of the limit that all remote disks of the VM share.
    pub fn remote_limiter(&self) -> &'static str {
        self.resolved.vm.cloud.rules().remote_limiter
    }

    /// A case of these, with credits spent.
    pub fn new(
        configuration: &'a Configuration,
        catalog: &'a Catalog,
        resolved: &'a Resolved,
        observed: &'a Observed,
        want: Option<Want>,
        cache: CacheState,
    ) -> Case<'a> {
        let of = |bearers| Case::of(configuration, catalog, resolved, observed, want, cache, bearers);
        let case = of(Bearers::Data);
        let is_beyond = |case: &Case<'_>| {
            case.usages.iter().any(|usage| usage.group == "disk" && case.excess(usage).is_some())
        };
        let [os, data] = [true, false].map(|is_os| resolved.disks.iter().any(|disk| disk.is_os == is_os));
        if !(os && data && observed.parts.is_empty() && is_beyond(&case)) {
            return case;
        }
        let together = of(Bearers::All);
        if is_beyond(&together) { case } else { together }
    }

    fn of(
        configuration: &'a Configuration,
        catalog: &'a Catalog,
        resolved: &'a Resolved,
        observed: &'a Observed,
        want: Option<Want>,
        cache: CacheState,
        bearers: Bearers,
    ) -> Case<'a> {
        let (taken_for, usages) = match usages_of_one_direction(resolved, observed, bearers) {
            Some((op, usages)) => (Some(op), usages),
            None => (None, usages_of(resolved, observed, bearers)),
        };
        let age = Age::Sustained;
        let mut case = Case {
            configuration,
            catalog,
            resolved,
            observed,
            want,
            cache,
            age,
            prices: None,
            usages,
            taken_for,
            with_os: bearers == Bearers::All,
            misses_fit: false,
        };
        case.settle_uses();
        case
    }

    /// The same, that long after full credits (`--at`).
    #[must_use]
    pub fn aged(self, age: Age) -> Case<'a> {
        let mut case = Case { age, ..self };
        case.settle_uses();
        case
    }

    /// The same with prices of what changes cost.
    #[must_use]
    pub fn priced(self, prices: Option<&'a PriceList>) -> Case<'a> {
        Case { prices, ..self }
    }

    /// With unknown hits, the use of a limit behind a cache is a range. The rules assume no misses if the caches hold
    /// the data. But a limit that would be exactly full if all reads missed, or if all writes were written back as they
    /// come, is no coincidence. While credits last, the limit is that of the burst.
    fn settle_uses(&mut self) {
        let hits = !self.misses();
        let held = self.held_share();
        let mut usages = std::mem::take(&mut self.usages);
        let burst_of = |case: &Case<'_>, usage: &Usage| {
            usage.burst.filter(|_| case.has_credits(usage)).map(|(rate, _)| rate)
        };
        self.misses_fit = usages.iter().all(|usage| {
            let most = burst_of(self, usage).map_or(0.0, |rate| of::AT_BURST * rate);
            usage.is_certain() || usage.used_high <= most.max(of::SHORT_RUN * usage.enforced_high)
        });
        for usage in &mut usages {
            let burst = burst_of(self, usage);
            let fits = |used: f64| match burst {
                Some(rate) => (of::FULL..=of::AT_BURST).contains(&(used / rate)),
                None => (of::FULL..=of::SHORT_RUN).contains(&(used / usage.enforced)),
            };
            let fitting =
                [usage.used_low, usage.used_hits, usage.used_high].into_iter().find(|used| fits(*used));
            usage.used = match fitting {
                _ if usage.is_certain() => usage.used_high,
                // Of random reads the cache holds its share, and no more.
                _ if !hits => usage.used_high - held * (usage.used_high - usage.used_hits).max(0.0),
                Some(used) if used < usage.used_high || self.misses_fit => used,
                _ => usage.used_low,
            };
        }
        self.usages = usages;
    }

    /// Names in the observation that are not volumes or disks of the configuration.
    pub fn unknown_parts(&self) -> Vec<&str> {
        let is_known = |name: &str| {
            self.resolved.disks.iter().any(|disk| disk.name == name)
                || self.resolved.volumes_of(name).is_some()
        };
        let names = self.observed.parts.iter().map(|part| part.name.as_str());
        names.filter(|name| !is_known(name)).collect()
    }

    /// The use of a limit; `None` if there is no such limit, or the load on it is unknown.
    pub fn usage(&self, group: &str, dimension: Dimension) -> Option<&Usage> {
        self.usages.iter().find(|usage| usage.group == group && usage.dimension == dimension)
    }

    /// Used ÷ enforced: of the fullest of its limiters where disks or volumes were seen apart.
    pub fn share(&self, usage: &Usage) -> f64 {
        if self.observed.parts.is_empty() {
            return usage.share();
        }
        let [low, high] = usage.fullest;
        let fullest = if usage.used < usage.used_high { low } else { high };
        fullest * usage.published / usage.enforced
    }

    /// True if it is known how much passes, whatever hits a cache: of the fullest limiter where several were seen apart.
    pub fn is_certain(&self, usage: &Usage) -> bool {
        let [low, high] = usage.fullest;
        usage.is_certain() || !self.observed.parts.is_empty() && low >= 0.999 * high
    }

    /// The use of a limit, as a share.
    pub fn level(&self, usage: &Usage) -> Level {
        let share = self.share(usage);
        let certain = self.is_certain(usage);
        let as_if_all_miss = !certain && usage.used > usage.used_low;
        let of_published = share * usage.enforced / usage.published;
        if !certain && usage.used > usage.used_hits && !self.misses_fit && !self.misses() {
            return Level::Below;
        }
        let most = self.steady_most(usage) / usage.enforced;
        match share {
            // While credits last, the base holds nothing.
            share if share <= most && self.has_credits(usage) => Level::Below,
            // Cache hits do not pass a limit behind the cache, so a rate above that limit is possible.
            share if share > most && as_if_all_miss && !self.misses() && !self.is_at_burst(usage) => {
                Level::Below
            }
            // A rate that is exactly the burst limit is not scatter of the base.
            share if share > of::SHORT_RUN && certain && self.is_at_burst(usage) => Level::Above,
            share if share > most => Level::Above,
            share if share >= of::FULL && !self.may_be_unit(usage) => Level::Full,
            share if share >= of::NEARLY => Level::Nearly,
            _ if usage.enforced > of::UNSETTLED * usage.published
                && (of::FULL..=of::SHORT_RUN).contains(&of_published) =>
            {
                Level::Nearly
            }
            _ => Level::Below,
        }
    }

    /// True if credits let more than the base through: the balance says so, or full credits have not ended yet at the time
    /// that is asked about (`--at`).
    pub fn has_credits(&self, usage: &Usage) -> bool {
        let Some((rate, lasts)) = usage.burst else { return false };
        if rate <= of::BURST * usage.published || self.has_spent_credits(usage) {
            return false;
        }
        let has_begun = self.after().is_some_and(|after| after.secs_f64() < of::LASTED * lasts);
        self.are_credits_left(usage) || has_begun && self.age != Age::Sustained
    }

    /// Used ÷ what is in force: the burst's figure while credits last, else as [`Case::share`].
    pub fn share_in_force(&self, usage: &Usage) -> f64 {
        match usage.burst {
            Some((rate, _)) if self.has_credits(usage) => {
                self.share(usage) * usage.enforced / rate.max(usage.enforced)
            }
            _ => self.share(usage),
        }
    }

    /// The least that passes ÷ the most that the catalogue knows to be let through, short runs and credits included;
    /// `None`: no more than that.
    pub fn excess(&self, usage: &Usage) -> Option<f64> {
        let least = match self.observed.parts.is_empty() {
            true => usage.used_low,
            false => usage.fullest[0] * usage.published,
        };
        let steady = self.steady_most(usage);
        let most = match usage.burst {
            Some((rate, _)) if self.credits_may_last(usage) => steady.max(of::AT_BURST * rate),
            _ => steady,
        };
        (least > most).then_some(least / most)
    }

    /// True if clearly more was seen than the disks let through, credits included.
    pub(crate) fn is_beyond_disks(&self) -> bool {
        let mut disks = self.usages.iter().filter(|usage| usage.group == "disk");
        disks.any(|usage| self.excess(usage).is_some_and(|times| times > of::MORE_THAN_SHORT))
    }

    /// The most that a limit lets through without credits, short runs included.
    pub(crate) fn steady_most(&self, usage: &Usage) -> f64 {
        match self.is_local_disk(usage) {
            true => usage.enforced_high.max(of::LOCAL_SCATTER * usage.enforced),
            false => of::SHORT_RUN * usage.enforced_high,
        }
    }

    /// True if full credits outlast the observation at its rate. If its duration is unknown, they do.
    fn credits_may_last(&self, usage: &Usage) -> bool {
        let Some((rate, lasts)) = usage.burst else { return false };
        if self.has_spent_credits(usage) {
            return false;
        }
        let capacity = lasts * (rate - usage.published).max(0.0);
        let spent = (usage.used_low - usage.published).max(1.0);
        let watched = self.after().max(self.observed.duration);
        watched.is_none_or(|watched| of::LASTED * watched.secs_f64() <= capacity / spent)
    }

    /// True if the cloud's metrics say that the credits of a limit are spent, and no other credits can be meant.
    pub fn has_spent_credits(&self, usage: &Usage) -> bool {
        let used = self.observed.credits_used.of(&usage.group);
        // Credits for IOPS and for bytes are apart, and the metric does not say which are spent.
        let mut limiters =
            self.resolved.blueprint.limiters.iter().filter(|limiter| limiter.name.group == usage.group);
        let are_both =
            limiters.any(|limiter| Dimension::ALL.into_iter().all(|of| limiter.credit(of).is_some()));
        used.is_some_and(|used| used >= of::SPENT) && !are_both
    }

    /// True if no limit is nearly full, with the credits that lift it.
    pub fn has_room_by_credits(&self) -> bool {
        self.usages.iter().all(|usage| match (self.level(usage), usage.burst) {
            (Level::Below, _) => true,
            (_, Some((rate, _))) => self.credits_may_last(usage) && usage.used < of::FAR * rate,
            (_, None) => false,
        })
    }

    /// True if a limit is that of local disks, which are not throttled.
    fn is_local_disk(&self, usage: &Usage) -> bool {
        usage.group == "disk" && self.is_local()
    }

    /// True if the data is on the VM's local disks.
    pub fn is_local(&self) -> bool {
        let data: Vec<_> = self.resolved.disks.iter().filter(|disk| !disk.is_os).collect();
        !data.is_empty() && data.iter().all(|disk| disk.disk.is_none())
    }

    /// Mean number of processors that wait for I/O. `iowait` is a share of all processors' time, and counts only
    /// processors without other work, so it is a lower bound. The kernel's I/O pressure is an upper bound. `None` if
    /// unknown.
    pub fn waiting(&self) -> Option<f64> {
        Some(self.observed.iowait? * self.resolved.vm.vcpus_available? as f64)
    }

    /// True if processors wait for I/O: most of their time, or as much as a thread that does nothing else.
    pub fn waits(&self) -> bool {
        self.observed.iowait.is_some_and(|share| share >= of::WAITS)
            || self.waiting().is_some_and(|waiting| waiting >= of::IDLE_HELD)
    }

    /// True if processors do not wait for I/O.
    pub fn is_calm(&self) -> bool {
        self.observed.iowait.is_some_and(|share| share < of::CALM)
            && self.waiting().is_none_or(|waiting| waiting < of::ONE_THREAD)
    }

    /// True if the workload is stated: the size of its I/Os, and how many are outstanding, how long they take, or for
    /// how long they were issued.
    pub fn is_stated(&self) -> bool {
        let total = &self.observed.total;
        let timed = self.observed.duration.is_some() || self.observed.after.is_some();
        let queued = total.depth.or(total.queue).is_some();
        total.block.is_some() && (queued || total.latency_us.typical().is_some() || timed)
    }

    /// True if a full limit may be a coincidence: a rate somewhat below it, and nothing else is known of the load. The
    /// published figure itself, in either unit, is none.
    pub fn may_be_asked(&self, usage: &Usage) -> bool {
        let share = self.share(usage);
        let of_published = share * usage.enforced / usage.published;
        let is_published = [of_published, of_published * of::MIB_PER_MB]
            .into_iter()
            .any(|times| (times - 1.0).abs() <= of::SAME_FIGURE);
        share < of::FULL_ALONE && !is_published && !self.is_stated() && !self.waits()
    }

    /// True if what passes is what credits allow while they last, to the figure.
    pub fn is_at_burst(&self, usage: &Usage) -> bool {
        usage.burst.is_some_and(|(rate, _)| (of::FULL..=of::AT_BURST).contains(&(usage.used / rate)))
    }

    /// The use of the limit of that name, as a share; `Below` where it is unknown.
    pub fn level_of(&self, group: &str, dimension: Dimension) -> Level {
        self.usage(group, dimension).map_or(Level::Below, |usage| self.level(usage))
    }

    /// True if the figures follow from what is declared, and not from a guess at what missed a cache.
    pub fn is_as_declared(&self, usage: &Usage) -> bool {
        self.is_certain(usage) || usage.used == usage.used_low || self.misses()
    }

    /// True if reads have to hit for the figures to be what they are: limits behind the caches let less through.
    pub fn must_hit(&self) -> bool {
        !self.misses_fit
    }

    /// True if reads have to miss for the figures to be what they are, whatever was said of the cache.
    pub fn must_miss(&self) -> bool {
        self.full().any(|usage| !self.is_as_declared(usage) && usage.used > usage.used_hits)
    }

    /// True if the VM has a limit that no source gives: room below all others then says little, for it may be the one that binds.
    pub fn has_unknown_limits(&self) -> bool {
        !self.resolved.left_out.is_empty()
    }

    /// True if no limit is nearly full.
    pub fn has_room(&self) -> bool {
        self.usages.iter().all(|usage| self.level(usage) == Level::Below)
    }

    /// The most that any limit is used, as a share of what is enforced.
    pub fn fullest(&self) -> f64 {
        self.usages.iter().map(|usage| self.share_in_force(usage)).fold(0.0, f64::max)
    }

    /// Outstanding I/Os: asked for, counted, or by Little's law.
    pub fn outstanding(&self) -> Option<f64> {
        self.observed.total.outstanding()
    }

    /// True if so much is outstanding that latency is waiting, whatever the disks take.
    pub fn is_deep(&self) -> bool {
        self.outstanding().unwrap_or(0.0) > of::DEEP * self.resolved.disks.len() as f64
    }

    /// The limits that are full.
    pub fn full(&self) -> impl Iterator<Item = &Usage> {
        self.usages.iter().filter(|usage| self.level(usage) == Level::Full)
    }

    /// Time that the load had run: as observed, or as asked about.
    pub fn after(&self) -> Option<Span> {
        match self.age {
            Age::At(span) => self.observed.after.or(Some(span)),
            Age::Sustained => self.observed.after,
        }
    }

    /// The memory of the host caches.
    pub fn cache_size(&self) -> Bytes {
        Bytes(self.resolved.blueprint.caches.iter().map(|cache| cache.capacity.get()).sum())
    }

    /// Share of the used data that warm host caches hold; 0 where they are cold or the size is unknown.
    fn held_share(&self) -> f64 {
        match self.observed.size {
            Some(size) if self.cache != CacheState::Cold && size > Bytes::ZERO => {
                (self.cache_size().get() as f64 / size.get() as f64).min(1.0)
            }
            _ => 0.0,
        }
    }

    /// True if the host caches cannot hold what is used, however warm they are.
    pub fn outgrows_cache(&self) -> bool {
        has_cache(self.resolved)
            && self.observed.size.is_some_and(|size| size.get() > self.cache_size().get())
    }

    /// True if I/Os take longer than the media does, so that they wait for something; `None` without a latency.
    pub fn is_slow(&self) -> Option<bool> {
        let [_, _, slow] = self.media_ms()?;
        Some(self.observed.total.latency_us.typical()? / 1e3 > of::SLOW_MEDIA * slow)
    }

    /// True if nearly all I/Os are writes.
    pub fn writes(&self) -> bool {
        self.observed.total.read.is_some_and(|read| read <= 1.0 - of::MOSTLY)
    }

    /// Reason to believe that each write waits for a flush: the user says so, or the device completes at least one flush for two writes.
    /// A count of zero proves nothing: the kernel sends no flush to a device without a volatile cache. Beside reads, flushes say nothing
    /// about them.
    pub(crate) fn syncs(&self) -> Option<String> {
        let total = &self.observed.total;
        match (self.observed.synced, self.observed.flushes_per_s) {
            (Some(true), _) => Some("a flush follows each write (fsync, fdatasync, O_SYNC)".to_string()),
            (None, Some(flushes)) if total.read? < of::MOSTLY => {
                let writes = total.iops? * (1.0 - total.read?);
                let is_each = flushes > 0.0 && flushes >= of::FLUSH_A_WRITE * writes;
                is_each
                    .then(|| format!("{flushes:.0} flushes a second for {writes:.0} writes (iostat -x: f/s)"))
            }
            _ => None,
        }
    }

    /// True if reads of cached disks miss: the cache is cold, or can't hold what is used.
    pub fn misses(&self) -> bool {
        has_cache(self.resolved) && self.cache == CacheState::Cold || self.outgrows_cache()
    }

    /// Mean latency in ms of a single I/O on the disks' media: the fastest, the typical and the slowest measured, for
    /// the observed mix and block size; `None` without a disk. For an unknown block size, the slowest is that of a
    /// large block.
    pub fn media_ms(&self) -> Option<[f64; 3]> {
        let data = self.resolved.disks.iter().position(|disk| !disk.is_os).unwrap_or(0);
        self.media_ms_of(data, &self.observed.total)
    }

    /// The same of one disk, for the mix and the block size of what was observed of it.
    pub(crate) fn media_ms_of(&self, data: usize, figures: &Figures) -> Option<[f64; 3]> {
        const LARGE: f64 = 262_144.0;
        let blueprint = &self.resolved.blueprint;
        let (read, seen) = (figures.read, figures.block);
        let (band, typical) = (self.resolved.media_bands.get(data)?, blueprint.disks.get(data)?);
        // A stripe reads the fragments of an I/O at the same time.
        let volume = blueprint
            .volumes
            .iter()
            .find(|volume| volume.disks.iter().any(|id| usize::from(id.0) == data))?;
        let interleave = volume.interleave.get() as f64;
        let fragment = |block: f64| match volume.columns {
            1 => block,
            columns => block.min(interleave.max(block / f64::from(columns))),
        };
        let of = |media: &iobound_model::Media, block: f64, pick: fn(f64, f64) -> f64| {
            let kib = (fragment(block) / 1024.0 - 4.0).max(0.0);
            let one = |latency: &iobound_model::Latency| {
                (latency.mean.us_f64() + kib * latency.per_kib.us_f64()) / 1e3
            };
            match read {
                Some(read) => read * one(&media.read) + (1.0 - read) * one(&media.write),
                None => pick(one(&media.read), one(&media.write)),
            }
        };
        // A read may hit, and a write may be acknowledged, before any media.
        let acknowledges = typical.cache.is_some_and(|cache| cache.mode == CacheMode::ReadWrite);
        let instant = typical.cache.is_some() && (acknowledges || read.is_none_or(|read| read > 0.0));
        let small = seen.unwrap_or(4096.0);
        let fast = if instant { 0.0 } else { of(&band.fast, small, f64::min) };
        // Media are slower at depth one, so an observation at that depth may have the slower figure.
        let large = seen.unwrap_or(LARGE);
        let slow = of(&band.slow, large, f64::max).max(of(&band.depth_1, large, f64::max));
        // Deeper queues hide the guest's own path to a local disk.
        let few = self.outstanding().is_none_or(|held| held <= of::FEW * self.resolved.disks.len() as f64);
        let slow = if self.is_local() && few { slow.max(of::LOCAL_PATH_MS) } else { slow };
        Some([fast, of(&typical.media, small, f64::max), slow])
    }
}
