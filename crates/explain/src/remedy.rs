use iobound_catalog::{Assumption, CacheSetting, Configuration, PerformanceSetting, Resolved, What, resolve};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::{Age, Binding, CacheState, Counted, PredictError, Prediction, Question, predict};
use iobound_units::{Bytes, Op, Percent, Span};
use iobound_workload::{
    Access as Jumps, DEFAULT_BLOCK, DEFAULT_DEPTH, Job, Load, Region, Spread, Targets, Workload,
};

use crate::case::Case;
use crate::observed::{Access, Latency};
use crate::thresholds as of;
use crate::usage::{has_cache, sectors};

/// One change of the configuration or the workload.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Every data disk with this host-cache setting.
    Cache(CacheSetting),
    /// Every second disk without a host cache; the others unchanged.
    HalfUncached,
    /// Total of outstanding I/Os.
    Depth(u32),
    /// Number of disks in each volume.
    Disks(u16),
    /// Another disk in place of each.
    Disk(What, String),
    /// Another VM size.
    Vm(String),
    /// Another block size.
    Block(u32),
    /// The volume's stripe over all of its disks.
    AllColumns,
    /// The file system on a multiple of the interleave.
    Aligned,
    /// The same in another circumstance: `once all blocks have been read`.
    Again(&'static str, Circumstance),
}

/// In what circumstance the same is measured again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circumstance {
    /// As the model has it: media as others of its type, everything written, nothing else in the way.
    Usual,
    /// With all read data in the host cache.
    Warm,
    /// With spent credits.
    Lasting,
    /// With the requested reads only.
    RequestedOnly,
}

impl Change {
    /// The change in words.
    pub fn says(&self) -> String {
        match self {
            Change::Cache(setting) => format!("host cache {}", setting.name()),
            Change::HalfUncached => "every second disk with host cache none".into(),
            Change::Depth(depth) => format!("{depth} outstanding"),
            Change::Disks(1) => "1 disk".into(),
            Change::Disks(count) => format!("{count} disks"),
            Change::Disk(_, said) => format!("{said} disks"),
            Change::Vm(name) => format!("VM {name}"),
            Change::Block(block) => format!("block {}", Bytes(u64::from(*block))),
            Change::AllColumns => "as many columns as disks".into(),
            Change::Aligned => "the file system aligned to the stripe".into(),
            Change::Again(said, _) => (*said).into(),
        }
    }

    fn apply(&self, configuration: &mut Configuration, asked: &mut AssumedWorkload) {
        match self {
            Change::Cache(setting) => {
                configuration.volumes.iter_mut().for_each(|volume| volume.cache = *setting);
                // Without any data disk, the operating system's disk is meant.
                if let Some(os) = configuration.os_disk.as_mut().filter(|_| configuration.volumes.is_empty())
                {
                    os.cache = *setting;
                }
            }
            Change::HalfUncached => {
                let volumes = std::mem::take(&mut configuration.volumes);
                for volume in volumes {
                    let mut uncached = volume.clone();
                    uncached.count = volume.count / 2;
                    uncached.cache = CacheSetting::None;
                    uncached.name = volume.name.as_ref().map(|name| format!("{name}-none"));
                    let count = volume.count - uncached.count;
                    configuration.volumes.push(iobound_catalog::VolumeRequest { count, ..volume });
                    if uncached.count > 0 {
                        configuration.volumes.push(uncached);
                    }
                }
            }
            Change::Depth(depth) => asked.depth = *depth,
            Change::Disks(count) => {
                configuration.volumes.iter_mut().for_each(|volume| volume.count = *count);
            }
            Change::Disk(what, _) => {
                configuration.volumes.iter_mut().for_each(|volume| {
                    (volume.what, volume.setting) = (what.clone(), PerformanceSetting::OfSize);
                });
                if let Some(os) = configuration.os_disk.as_mut().filter(|_| configuration.volumes.is_empty())
                {
                    (os.what, os.setting) = (what.clone(), PerformanceSetting::OfSize);
                }
            }
            Change::Vm(name) => configuration.vm = name.clone(),
            Change::Block(block) => asked.block = *block,
            Change::AllColumns => configuration.columns = None,
            Change::Aligned => configuration.partition_offset = Bytes::ZERO,
            Change::Again(_, Circumstance::Usual | Circumstance::RequestedOnly) => {}
            Change::Again(_, Circumstance::Warm) => asked.cache = CacheState::Warm,
            Change::Again(_, Circumstance::Lasting) => asked.age = Age::Sustained,
        }
    }
}

/// A change with what the model says would come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// Changes, one after the other; all else stays.
    pub changes: Vec<Change>,
    /// Expected figures; `None` if they were not requested or the configuration cannot be built.
    pub outcome: Option<Outcome>,
}

/// Against what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// More.
    Better,
    /// Within the scatter of two runs.
    Same,
    /// Less.
    Worse,
}

impl Effect {
    /// The word of documents and screens.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Better => "better",
            Effect::Same => "same",
            Effect::Worse => "worse",
        }
    }
}

/// Expected figures after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// I/Os a second.
    pub iops: f64,
    /// The low end of their band.
    pub low_iops: f64,
    /// The high end.
    pub high_iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
    /// Latency.
    pub latency_us: Latency,
    /// The binding limit then: `disk.iops`, `queue_depth`.
    pub binding: Vec<String>,
    /// Outstanding I/Os that it takes to reach the limits.
    pub needs_outstanding: Option<u64>,
    /// Against what was seen; `None` where no rate and no latency was seen.
    pub effect: Option<Effect>,
    /// True if the wish is met, where there is one.
    pub meets_want: Option<bool>,
    /// Price of the changed configuration less that of today's, in USD a month; `None` where a part of one is unknown.
    pub price_change: Option<f64>,
}

impl Remedy {
    /// One change.
    pub fn of(change: Change) -> Remedy {
        Remedy { changes: vec![change], outcome: None }
    }

    /// Several changes at once.
    pub fn all(changes: Vec<Change>) -> Remedy {
        Remedy { changes, outcome: None }
    }

    /// The same measured again in another circumstance.
    pub(crate) fn again(said: &'static str, circumstance: Circumstance) -> Remedy {
        Remedy::of(Change::Again(said, circumstance))
    }

    /// True if the configuration or the workload is another one, and not the same in another circumstance.
    pub fn is_change(&self) -> bool {
        self.changes.iter().any(|change| !matches!(change, Change::Again(..)))
    }

    /// True if money is spent on it and nothing is gained, because another limit holds the I/O back then.
    pub(crate) fn is_waste(&self) -> bool {
        let buys = |change: &Change| matches!(change, Change::Disks(_) | Change::Disk(..) | Change::Vm(_));
        let Some(outcome) = &self.outcome else { return false };
        self.changes.iter().any(buys)
            && matches!(outcome.effect, Some(Effect::Same | Effect::Worse))
            && outcome.meets_want != Some(true)
            && outcome.price_change.is_none_or(|usd| usd > 0.0)
    }

    /// Price of one more I/O or byte a second; of a change without a price its saving, as a negative figure. `None` if the
    /// price or the outcome is unknown.
    pub(crate) fn price_of_gain(&self, case: &Case<'_>) -> Option<f64> {
        let outcome = self.outcome.as_ref()?;
        let usd = outcome.price_change?;
        if usd <= 0.0 {
            return Some(usd);
        }
        let seen = &case.observed.total;
        let gained = match (seen.throughput_bytes_per_s, seen.iops) {
            (Some(bytes), _) => outcome.throughput_bytes_per_s - bytes,
            (None, iops) => outcome.iops - iops.unwrap_or(0.0),
        };
        Some(if gained > 0.0 { usd / gained } else { f64::MAX })
    }

    /// The changes in words.
    pub fn says(&self) -> String {
        self.changes.iter().map(Change::says).collect::<Vec<_>>().join(", ")
    }

    /// The same change with the outstanding I/Os that reach its limits; `None` if the queue depth does not bind after it.
    pub(crate) fn deepened(&self) -> Option<Remedy> {
        let outcome = self.outcome.as_ref()?;
        let needs =
            outcome.needs_outstanding.filter(|_| outcome.binding.iter().any(|one| one == "queue_depth"))?;
        let needs = u32::try_from(needs).ok()?.min(DEEPEST);
        let mut changes: Vec<Change> =
            self.changes.iter().filter(|change| !matches!(change, Change::Depth(_))).cloned().collect();
        changes.push(Change::Depth(needs));
        Some(Remedy::all(changes))
    }
}

/// A workload in the few words that an observation has, and the state in which it runs.
#[derive(Clone, Copy, Debug)]
struct AssumedWorkload {
    block: u32,
    depth: u32,
    read: Percent,
    access: Access,
    cache: CacheState,
    age: Age,
    /// Used of each volume.
    size: Option<Bytes>,
}

/// Largest number of outstanding I/Os of a workload here.
const DEEPEST: u32 = 65_536;
/// AssumedWorkload block size if only a throughput was observed. In blocks of [`DEFAULT_BLOCK`] most disks reach their IOPS limit
/// before such a throughput.
pub(crate) const BLOCK_OF_BYTES: u32 = 131_072;
/// AssumedWorkload working set of a volume behind a host cache: any cache holds it.
const HELD: Bytes = Bytes::gib(1);

/// AssumedWorkload outstanding I/Os: the default of every verb, or more if the observed rate takes more.
fn assumed_depth(case: &Case<'_>, block: u32) -> u32 {
    let total = &case.observed.total;
    let iops = total.iops.or(total.throughput_bytes_per_s.map(|bytes| bytes / f64::from(block)));
    // Little's law, at the latency of the media alone.
    let takes = iops.zip(case.media_ms()).map_or(0.0, |(iops, [_, typical, _])| iops * typical / 1e3);
    (takes.ceil() as u32).clamp(DEFAULT_DEPTH, DEEPEST)
}

/// State of burst credits: a balance or a rate that shows credits outweighs the state that is asked about.
fn age_of(case: &Case<'_>) -> Age {
    match case.age {
        Age::Sustained if case.shows_credits() => Age::At(Span::ZERO),
        age => age,
    }
}

/// The observed workload. Unknown parts are assumed.
fn asked(case: &Case<'_>) -> AssumedWorkload {
    let total = &case.observed.total;
    let depth = case.outstanding().map(|depth| (depth.round() as u32).clamp(1, DEEPEST));
    let volumes = case.resolved.blueprint.volumes.iter().filter(|volume| volume.name != "os").count().max(1);
    let each = case.observed.size.map(|size| Bytes(size.get() / volumes as u64));
    // As in a prediction the whole volume is used, unless only reads that hit explain the figures.
    let missing = case.cache == CacheState::Cold || case.must_miss();
    let held = has_cache(case.resolved) && !missing && case.must_hit();
    let (rate, latency) = (total.throughput_bytes_per_s.or(total.iops), total.latency_us.typical());
    // A latency without a rate is that of a single I/O, if the media can have it.
    let alone = rate.is_none()
        && latency.zip(case.media_ms()).is_some_and(|(us, [_, _, slow])| us / 1e3 <= of::SLOW_MEDIA * slow);
    let block = match total.throughput_bytes_per_s {
        Some(_) => BLOCK_OF_BYTES,
        None => DEFAULT_BLOCK,
    };
    let block = total.block.map_or(block, sectors);
    let taken = if case.taken_for == Some(Op::Write) { 0.0 } else { 1.0 };
    let read = total.read.unwrap_or(taken);
    AssumedWorkload {
        block,
        depth: depth.unwrap_or_else(|| if alone { 1 } else { assumed_depth(case, block) }),
        read: Percent::from_ppm((read * 1e6).round() as u32).unwrap_or(Percent::HUNDRED),
        access: total.access.unwrap_or(Access::Random),
        cache: if missing { CacheState::Cold } else { case.cache },
        age: age_of(case),
        size: each.or(held.then_some(HELD)),
    }
}

/// Assumptions of the prediction of remedies, in sentences.
pub fn assumed(case: &Case<'_>) -> Vec<String> {
    let total = &case.observed.total;
    let asked = asked(case);
    let guessed = case.resolved.guesses().filter(|guess| guess.property.kind.is_media());
    let mut said = Assumption::sentences(guessed);
    if total.block.is_none() {
        said.push(format!("block {}", Bytes(u64::from(asked.block))));
    }
    if case.outstanding().is_none() {
        let why = if asked.depth > DEFAULT_DEPTH { ", which this rate takes" } else { "" };
        said.push(format!("{} outstanding{why}", asked.depth));
    }
    if total.read.is_none() && case.taken_for.is_none() {
        said.push("reads only".into());
    }
    if total.access.is_none() {
        said.push("random".into());
    }
    if has_cache(case.resolved) {
        let used = match (case.observed.size, asked.size) {
            (Some(size), each) => {
                let holds = case.resolved.blueprint.volumes.iter().map(|volume| volume.size).min();
                match holds.filter(|holds| each.is_some_and(|each| each > *holds)) {
                    Some(holds) => {
                        format!("all {holds} of each volume used, because they are smaller than {size}")
                    }
                    None => format!("{size} used"),
                }
            }
            (None, Some(size)) => format!("{size} used of each volume (size=)"),
            (None, None) => "all of each volume used (size=)".into(),
        };
        said.push(format!("cache {}, {used}", asked.cache.name()));
    }
    if case.resolved.blueprint.has_credits() {
        said.push(match asked.age {
            _ if case.age == Age::Sustained && asked.age != Age::Sustained => match case.lifted() {
                Some(usage) => format!(
                    "burst credits not spent: the rate is {:.2} x what {} lets through without them",
                    usage.used_low / usage.enforced,
                    usage.name()
                ),
                None => "burst credits not spent (credits-left=)".into(),
            },
            Age::Sustained => "burst credits spent (--at)".into(),
            Age::At(after) => format!("{after} after full burst credits"),
        });
    }
    said
}

/// Simulated load: one load over all data volumes. If some have a host cache and others have none, each group has a
/// load, so that waiting for one does not hold back the other.
fn jobs(resolved: &Resolved, asked: AssumedWorkload) -> Vec<Job> {
    let data = |cached: bool| -> Vec<String> {
        let has_cache = |volume: &usize| {
            let disks = &resolved.blueprint.volumes[*volume].disks;
            disks.iter().any(|disk| resolved.disks[usize::from(disk.0)].cache != CacheSetting::None)
        };
        let named = resolved.names.iter().filter(|named| named.name != "os");
        let named = named.filter(|named| named.volumes.iter().any(has_cache) == cached);
        named.map(|named| named.name.clone()).collect()
    };
    let (with, without) = (data(true), data(false));
    // Disks that are smaller after the change hold no more than they hold.
    let smallest = resolved.blueprint.volumes.iter().map(|volume| volume.size).min();
    let size = asked.size.map(|size| smallest.map_or(size, |smallest| size.min(smallest)));
    let one = |name: &str, targets: Vec<String>, depth: u32| {
        let mut job = Job::new(name);
        job.set_mix(asked.block, asked.read);
        job.spread = Spread::Dealt;
        job.load = Load::Closed { depth, cap: None };
        if asked.access == Access::Sequential {
            job.access = Jumps::sequential();
        }
        if !targets.is_empty() {
            job.targets = Targets::Named(targets);
        }
        job.region = Region { offset: Bytes::ZERO, size };
        job
    };
    match (with.is_empty(), without.is_empty()) {
        (false, false) => {
            let half = asked.depth.div_ceil(2);
            vec![one("seen", with, half), one("seen-none", without, (asked.depth - half).max(1))]
        }
        _ => vec![one("seen", [with, without].concat(), asked.depth)],
    }
}

/// Predicts a remedy. A configuration that can't be built has no outcome.
///
/// # Errors
/// Returns [`PredictError::Interrupted`] if `watch` ends a simulation.
pub(crate) fn judge(
    case: &Case<'_>,
    remedy: &mut Remedy,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(), PredictError> {
    remedy.outcome = judged(case, &remedy.changes, watch)?;
    if let Some(outcome) = &mut remedy.outcome {
        outcome.price_change = price_change(case, &remedy.changes);
    }
    Ok(())
}

/// Expected figures after some changes, without their price.
///
/// # Errors
/// Returns [`PredictError::Interrupted`] if `watch` ends a simulation.
pub(crate) fn judged(
    case: &Case<'_>,
    changes: &[Change],
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Option<Outcome>, PredictError> {
    Ok(predicted(case, changes, watch)?.map(|prediction| outcome(case, changes, prediction)))
}

/// Price that changes of the configuration add, in USD a month.
fn price_change(case: &Case<'_>, changes: &[Change]) -> Option<f64> {
    let list = case.prices?;
    let mut configuration = case.configuration.clone();
    let mut asked = asked(case);
    changes.iter().for_each(|change| change.apply(&mut configuration, &mut asked));
    let changed = resolve(&configuration, case.catalog).ok()?;
    let [before, after] =
        [case.resolved, &changed].map(|resolved| list.price_of(resolved).per_month.map(|usd| usd.as_f64()));
    Some(after? - before?)
}

/// The model's prediction of the observed workload after some changes; `None` if the configuration cannot be built or
/// does not hold the workload.
///
/// # Errors
/// Returns [`PredictError::Interrupted`] if `watch` ends a simulation.
pub(crate) fn predicted(
    case: &Case<'_>,
    changes: &[Change],
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Option<Prediction>, PredictError> {
    let mut configuration = case.configuration.clone();
    let mut asked = asked(case);
    for change in changes {
        change.apply(&mut configuration, &mut asked);
    }
    let Ok(resolved) = resolve(&configuration, case.catalog) else { return Ok(None) };
    let workload = Workload::new(jobs(&resolved, asked), Span::from_secs(30));
    let question = Question {
        resolved: &resolved,
        workload: &workload,
        cache: asked.cache,
        age: asked.age,
        counted: Counted::Lasting,
    };
    match predict(&question, watch) {
        Ok(prediction) => Ok(Some(prediction)),
        Err(PredictError::Interrupted) => Err(PredictError::Interrupted),
        Err(_) => Ok(None),
    }
}

/// Against what was seen: in bytes where they are known, else in I/Os, else in time.
fn effect(case: &Case<'_>, changes: &[Change], prediction: &Prediction) -> Option<Effect> {
    let total = &case.observed.total;
    let expected = &prediction.expected;
    let asked = |change: &Change| matches!(change, Change::Again(_, Circumstance::RequestedOnly));
    if changes.iter().any(asked) {
        // The device moved more than the requested data, without any use.
        let times = expected.throughput_bytes_per_s / case.observed.application_bytes_per_s?;
        return Some(if times >= of::HELPS { Effect::Better } else { Effect::Same });
    }
    // Of another block size, and where I/Os are what is wished for, I/Os count.
    let block = changes.iter().any(|change| matches!(change, Change::Block(_)));
    let wished = case.want.is_some_and(|want| want.iops.is_some() && want.throughput_bytes_per_s.is_none());
    let bytes = total.throughput_bytes_per_s.filter(|_| !(block || wished) || total.iops.is_none());
    let times = match (bytes, total.iops, total.latency_us.typical()) {
        (Some(bytes), _, _) => expected.throughput_bytes_per_s / bytes,
        (None, Some(iops), _) => expected.iops / iops,
        (None, None, Some(us)) => us / prediction.latency?.mean?,
        (None, None, None) => return None,
    };
    Some(match times {
        times if times >= of::HELPS => Effect::Better,
        times if times >= of::WORSE => Effect::Same,
        _ => Effect::Worse,
    })
}

/// The prediction of another depth where no limit binds, at the measured latency if that differs from the model's, up to the ceiling:
/// what makes I/Os slow or fast now does so then.
fn at_measured_latency(case: &Case<'_>, changes: &[Change], mut prediction: Prediction) -> Prediction {
    let total = &case.observed.total;
    let is_depth = changes.iter().all(|change| matches!(change, Change::Depth(_)));
    let waits_for_media = prediction.binding.first() == Some(&Binding::QueueDepth) && case.has_room();
    let measured = total.latency_us.mean.filter(|_| is_depth && waits_for_media && !changes.is_empty());
    let (Some(us), Some(latency)) = (measured, prediction.latency.as_mut()) else { return prediction };
    let expected = &mut prediction.expected;
    let most = prediction.ceiling.iops.map_or(f64::INFINITY, |most| most / expected.iops);
    let longer = (us / latency.mean.unwrap_or(us)).max(1.0 / most.max(1.0));
    if (1.0 / of::HELPS..=of::HELPS).contains(&longer) {
        return prediction;
    }
    for time in [&mut latency.mean, &mut latency.p50, &mut latency.p95, &mut latency.p99] {
        *time = time.map(|us| us * longer);
    }
    for rate in [
        &mut expected.iops,
        &mut expected.low_iops,
        &mut expected.high_iops,
        &mut expected.throughput_bytes_per_s,
    ] {
        *rate /= longer;
    }
    if let Some(knee) = &mut prediction.knee {
        knee.outstanding = (knee.outstanding as f64 * longer).ceil() as u64;
    }
    prediction
}

fn outcome(case: &Case<'_>, changes: &[Change], prediction: Prediction) -> Outcome {
    let prediction = &at_measured_latency(case, changes, prediction);
    let expected = &prediction.expected;
    let latency = prediction.latency.unwrap_or_default();
    let meets_want = case.want.map(|want| {
        let at_least = |want: Option<f64>, got: f64| want.is_none_or(|want| got >= want);
        let at_most =
            |want: Option<f64>, got: Option<f64>| want.is_none_or(|want| got.is_some_and(|got| got <= want));
        at_least(want.iops, expected.iops)
            && at_least(want.throughput_bytes_per_s, expected.throughput_bytes_per_s)
            && at_most(want.latency_us.mean, latency.mean)
            && at_most(want.latency_us.p50, latency.p50)
            && at_most(want.latency_us.p95, latency.p95)
            && at_most(want.latency_us.p99, latency.p99)
    });
    Outcome {
        iops: expected.iops,
        low_iops: expected.low_iops,
        high_iops: expected.high_iops,
        throughput_bytes_per_s: expected.throughput_bytes_per_s,
        latency_us: Latency { mean: latency.mean, p50: latency.p50, p95: latency.p95, p99: latency.p99 },
        binding: prediction.binding.iter().map(ToString::to_string).collect(),
        needs_outstanding: prediction.knee.as_ref().map(|knee| knee.outstanding),
        effect: effect(case, changes, prediction),
        meets_want,
        price_change: None,
    }
}
