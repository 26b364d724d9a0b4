//! Findings of the search, as configurations: predicted by the model that everything else is predicted by.

use iobound_catalog::{
    Band, Catalog, CatalogError, Configuration, DiskLayout, Enforcement, Price, PriceList, Redundancy,
    Resolved, VmLimit, parse_spec, resolve, type_spec,
};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_measure::result::Latency;
use iobound_predict::{
    Age, Binding, BurstCredits, CacheState, Ceiling, Counted, Effort, PredictError, Question, ROUGHLY,
    Simulated, ceiling_of, latency_of, simulate,
};
use iobound_units::{Rate, Span};
use iobound_workload::{Arrivals, Job, Load, Region, Targets, Workload};

use crate::build::{Build, Disks, Volume};
use crate::goal::GoalBand;
use crate::local::LocalFit;
use crate::market::{Market, Vm};
use crate::need::{LatencyTarget, Need, Statistic, VolumeNeed};
use crate::offer::Law;
use crate::refusal::Because;

/// Source of the figures of a build.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The configuration.
    pub build: Build,
    /// The same as every verb takes it.
    pub configuration: Configuration,
    /// The same, looked up.
    pub resolved: Resolved,
    /// Its price.
    pub price: Price,
    /// The most of the data volume on the limits as published: what is paid for.
    pub delivers: Delivers,
    /// The most on the limits as enforced.
    pub ceiling: Ceiling,
    /// The binding limit there.
    pub binding: Vec<Binding>,
    /// The asked rate, simulated; `None`: not looked at.
    pub simulated: Option<AtRate>,
    /// The band of the latency goal; `None`: there is no goal, or not enough I/Os for its statistic.
    pub goal: Option<GoalBand>,
    /// True if bursts are counted on.
    pub credits: BurstCredits,
    /// Excess of the disks' figures over the VM's limits: units and bytes a second.
    pub unreachable: [u64; 2],
}

/// Figures of a data volume for long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivers {
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second of these I/Os.
    pub bytes: f64,
}

/// The asked rate, simulated: an open loop of independent arrivals.
#[derive(Clone, Debug, PartialEq)]
pub struct AtRate {
    /// I/Os a second that completed, of both volumes.
    pub iops: f64,
    /// From the intended start.
    pub latency: Option<Latency>,
}

/// Reason why a build is no candidate, after all.
#[derive(Clone, Debug)]
pub enum Unconfirmed {
    /// The catalogue refuses it.
    Catalog(CatalogError),
    /// The model can't run it.
    Predict(PredictError),
}

/// A tier with the redundancy of the market, before its performance setting: `P30-ZRS+performance-plus`.
pub fn tier_text(market: &Market, name: &str) -> String {
    let (tier, setting) = name.split_at(name.find('+').unwrap_or(name.len()));
    let zrs = if market.redundancy == Redundancy::Zrs { "-ZRS" } else { "" };
    format!("{tier}{zrs}{setting}")
}

/// `17xpremiumv2@241GiB+3000iops+125MB/s`: the disks of a volume as `--disk` takes them.
pub fn disk_text(market: &Market, volume: &Volume) -> String {
    let (fit, offer) = (volume.fit, &market.offers[volume.offer]);
    let what = match &offer.law {
        Law::Tier { name, .. } => tier_text(market, name),
        Law::Provisioned(provision) => {
            let mut text = format!("{}@{}GiB", type_spec(offer.disk, market.redundancy), fit.gib);
            if provision.bounds.has_own_ios() {
                text.push_str(&format!("+{}iops", fit.ios));
            }
            if provision.bounds.has_own_bytes() {
                let unit = if provision.bounds.megabyte == 1_000_000 { "MB/s" } else { "MiB/s" };
                text.push_str(&format!("+{}{unit}", fit.bytes / provision.bounds.megabyte));
            }
            text
        }
    };
    let count = if fit.count == 1 { String::new() } else { format!("{}x", fit.count) };
    format!("{count}{what}:{}", if volume.cached { "readonly" } else { "none" })
}

/// A build as every verb takes it.
///
/// # Errors
/// Never fails for builds of the market's own rows.
pub fn configuration_of(market: &Market, need: &Need, build: &Build) -> Result<Configuration, CatalogError> {
    let mut configuration = Configuration::of(&market.vms[build.vm].name);
    configuration.interleave = need.interleave();
    for spec in disk_specs(market, build) {
        configuration.volumes.push(parse_spec(&spec)?);
    }
    Ok(configuration)
}

/// `data=2xP30:none`, `temp=2xnvme`: the disks of a build as `--disk` takes them.
pub fn disk_specs(market: &Market, build: &Build) -> Vec<String> {
    let mut specs = Vec::new();
    if let Disks::Bought(bought) = &build.disks {
        let named = ["data", "log"].into_iter().zip(bought.volumes());
        specs.extend(named.map(|(name, volume)| format!("{name}={}", disk_text(market, volume))));
    }
    let vm = &market.vms[build.vm];
    specs.extend(build.local().map(|(name, fit)| format!("{name}={}", local_text(vm, fit))));
    specs
}

/// `2xnvme`: local disks of a VM size as `--disk` takes them.
pub fn local_text(vm: &Vm, fit: LocalFit) -> String {
    let word = vm.local[fit.kind].word();
    if fit.count == 1 { word.to_string() } else { format!("{}x{word}", fit.count) }
}

/// Outstanding I/Os that hide no limit: a closed loop of so many finds the ceiling.
const DEEP: u32 = 1_024;

fn job_of(name: &str, need: &VolumeNeed, load: Load) -> Job {
    let mut job = Job::new(name);
    job.targets = Targets::Named(vec![name.to_string()]);
    job.set_mix(need.shape.block, need.shape.read);
    job.region = Region { size: Some(need.working_set), ..Region::default() };
    job.load = load;
    job
}

/// Outstanding I/Os beyond which arrivals wait, and are counted: 40 ms of them.
pub(crate) fn depth_of(need: &VolumeNeed) -> u32 {
    (need.iops.get() / 25).clamp(64, 1 << 15) as u32
}

fn open(need: &VolumeNeed, arrivals: Arrivals) -> Load {
    let depth = depth_of(need);
    Load::Open { rate: Rate::Ios { count: need.iops.get(), per: Span::from_secs(1) }, arrivals, depth }
}

/// The need as a workload: the log at its rate; the data at its own, or as fast as it goes.
pub fn workload_of(need: &Need, data_at_rate: bool) -> Workload {
    let data = if data_at_rate {
        open(&need.data, Arrivals::Poisson)
    } else {
        Load::Closed { depth: DEEP, cap: None }
    };
    let mut jobs = vec![job_of("data", &need.data, data)];
    for (name, part) in [("log", &need.log), ("temp", &need.temp)] {
        jobs.extend(part.as_ref().map(|part| job_of(name, part, open(part, Arrivals::Poisson))));
    }
    Workload::new(jobs, Span::from_secs(30))
}

/// Looks a build up, and finds its ceiling by arithmetic.
///
/// # Errors
/// Returns an error if the catalogue refuses it or its volumes cannot hold the working set: a defect of the search.
pub fn confirm(
    catalog: &Catalog,
    market: &Market,
    lists: &[(iobound_catalog::Cloud, PriceList)],
    need: &Need,
    build: &Build,
) -> Result<Candidate, Unconfirmed> {
    let configuration = configuration_of(market, need, build).map_err(Unconfirmed::Catalog)?;
    let mut published = configuration.clone();
    published.enforcement = Enforcement::Published;
    let published = resolve(&published, catalog).map_err(Unconfirmed::Catalog)?;
    let resolved = resolve(&configuration, catalog).map_err(Unconfirmed::Catalog)?;
    let workload = workload_of(need, false);
    // What is cached holds all of the working set.
    let ceiling = |resolved: &Resolved| {
        ceiling_of(resolved, &workload, 1.0, market.credits).map_err(Unconfirmed::Predict)
    };
    let (at_published, _) = ceiling(&published)?;
    let (at_enforced, binding) = ceiling(&resolved)?;
    let iops = at_published.shares.iter().find(|share| share.job == 0).and_then(|share| share.iops);
    let iops = iops.unwrap_or(0.0);
    let vm = &market.vms[build.vm];
    let list = lists.iter().find(|(cloud, _)| *cloud == vm.cloud).map(|(_, list)| list);
    let price = match list {
        Some(list) => list.price_of(&resolved),
        None => return Err(Unconfirmed::Predict(PredictError::Nothing)),
    };
    Ok(Candidate {
        build: *build,
        delivers: Delivers { iops, bytes: iops * f64::from(need.data.shape.block) },
        ceiling: at_enforced,
        binding,
        simulated: None,
        goal: None,
        unreachable: unreachable(vm, build),
        credits: market.credits,
        configuration,
        resolved,
        price,
    })
}

/// Excess of the disks' own figures over the VM's limit, with all disks active at once.
fn unreachable(vm: &Vm, build: &Build) -> [u64; 2] {
    // Local disks of a VM have no limits beyond those that it has for them.
    let Some(bought) = build.bought() else { return [0; 2] };
    let sum = |v2: bool, figure: fn(&Volume) -> u64| -> u64 {
        let of = |volume: &&Volume| (volume.disk.kind().limit == VmLimit::UncachedV2 && vm.v2_apart) == v2;
        bought.volumes().filter(of).map(|volume| figure(volume).saturating_mul(volume.fit.count)).sum()
    };
    let mut kept = [0, 0];
    // Where each kind has its own limit, it is that of the data's.
    let plain = if vm.kinds.is_empty() { vm.plain } else { vm.limit(bought.data.disk) };
    for (v2, limit) in [(false, plain), (true, vm.v2)] {
        let Some(limit) = limit else { continue };
        kept[0] += sum(v2, |volume| volume.fit.ios).saturating_sub(limit.ios);
        kept[1] += sum(v2, |volume| volume.fit.bytes).saturating_sub(limit.bytes);
    }
    kept
}

/// Length of a simulation at the requested rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// For figures that are shown, and for close decisions.
    Full,
    /// For an end of a band, and for a decision that is not close.
    Short,
}

impl Length {
    /// The most I/Os, and the time before they are counted.
    fn effort(self) -> Effort {
        let (most_ios, warmup) = match self {
            Length::Full => (150_000, Span::from_ms(500)),
            Length::Short => (30_000, Span::from_ms(100)),
        };
        Effort::Settle { most_ios, within: ROUGHLY, warmup }
    }
}

/// Amount of the asked rate has to be reached: the rest is the scatter of the arrivals.
const REACHED: f64 = 0.985;

impl AtRate {
    pub(crate) fn of(simulated: &Simulated) -> AtRate {
        AtRate { iops: simulated.iops(), latency: latency_of(&simulated.measured) }
    }

    /// Reason why it is not enough.
    pub(crate) fn fails(&self, need: &Need) -> Option<Because> {
        self.fails_within(need, 1.0)
    }

    /// The same with a goal that is this many times as strict.
    pub(crate) fn fails_within(&self, need: &Need, times: f64) -> Option<Because> {
        let slow = need.latency.and_then(|target| too_slow(&target, times, self.latency.as_ref()));
        let missed = (self.iops < REACHED * need.iops() as f64).then_some(Because::Rate(self.iops));
        missed.or(slow)
    }
}

impl Candidate {
    /// Simulates the asked rate.
    ///
    /// # Errors
    /// Returns an error if the caller's callback ends the work.
    pub fn simulate(
        &mut self,
        need: &Need,
        seed: u64,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Option<Because>, PredictError> {
        let at_rate = AtRate::of(&self.run(need, Length::Full, seed, watch)?);
        let because = at_rate.fails(need);
        self.simulated = Some(at_rate);
        Ok(because)
    }

    /// A simulation of a need.
    pub(crate) fn run(
        &self,
        need: &Need,
        length: Length,
        seed: u64,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Simulated, PredictError> {
        let mut workload = workload_of(need, true);
        workload.seed = seed;
        let question = Question {
            resolved: &self.resolved,
            workload: &workload,
            cache: CacheState::Warm,
            age: match self.credits {
                BurstCredits::Spent => Age::Sustained,
                BurstCredits::Full => Age::At(Span::ZERO),
            },
            counted: Counted::Lasting,
        };
        simulate(&question, &self.resolved.blueprint, length.effort(), watch)
    }

    /// The candidate at the slow end of its band: on the slowest disks and limits that were measured.
    pub(crate) fn at_the_slow_end(&self) -> Candidate {
        let mut slow = self.clone();
        slow.resolved.blueprint = self.resolved.with_band(Band::Low);
        slow
    }

    /// The candidate with the fastest media in the range of each assumed latency; `None`: no latency is assumed.
    pub(crate) fn at_the_fastest_assumed_media(&self) -> Option<Candidate> {
        let blueprint = self.resolved.at_the_fastest_assumed_media()?;
        let mut fast = self.clone();
        fast.resolved.blueprint = blueprint;
        Some(fast)
    }

    /// The number of its disks.
    pub(crate) fn layout(&self) -> DiskLayout {
        DiskLayout::of(self.resolved.disks.iter().filter(|disk| !disk.is_os).count())
    }

    /// A month of a thousand I/Os a second, in dollars, of a price in billionths.
    pub fn per_thousand_iops(&self, price: u64) -> f64 {
        price as f64 / 1e9 / (self.delivers.iops / 1e3)
    }

    /// A month of a MB/s of the asked I/Os, in dollars, of a price in billionths.
    pub fn per_megabyte(&self, price: u64) -> f64 {
        price as f64 / 1e9 / (self.delivers.bytes / 1e6)
    }
}

fn too_slow(target: &LatencyTarget, times: f64, latency: Option<&Latency>) -> Option<Because> {
    let us = figure_of(target.of, latency?)?;
    (us * times > target.most.us_f64()).then_some(Because::Latency(us))
}

/// This statistic of a latency, in µs.
pub fn figure_of(statistic: Statistic, latency: &Latency) -> Option<f64> {
    match statistic {
        Statistic::Mean => latency.mean,
        Statistic::P50 => latency.p50,
        Statistic::P90 => latency.p90,
        Statistic::P95 => latency.p95,
        Statistic::P99 => latency.p99,
    }
}

/// The candidates up to a price, cheapest first, without those that differ from another in their disk interface only.
pub(crate) fn distinct<'c>(
    market: &Market,
    candidates: impl Iterator<Item = &'c Candidate>,
    most: u64,
) -> Vec<&'c Candidate> {
    let mut sorted: Vec<&Candidate> = candidates.filter(|candidate| candidate.build.price <= most).collect();
    sorted.sort_by(|one, other| one.build.order(market).cmp(&other.build.order(market)));
    let mut kept: Vec<&Candidate> = Vec::new();
    for candidate in sorted {
        if !kept.iter().any(|kept| kept.build.is_alike(market, &candidate.build)) {
            kept.push(candidate);
        }
    }
    kept
}
