use iobound_catalog::{CacheSetting, Configuration, What, resolve};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::{Age, PredictError, Prediction, Question, predict};
use iobound_units::{Bytes, Percent};
use iobound_workload::{Access as Jumps, Job, Load, Region, Spread, Targets, Workload};

use crate::case::Case;
use crate::observed::Access;

/// One change of the configuration or the workload.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Every data disk with this host-cache setting.
    Cache(CacheSetting),
    /// Every second disk without a host cache, the others as they are.
    HalfUncached,
    /// So many outstanding I/Os in all.
    Depth(u32),
    /// So many disks in each volume.
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
        }
    }

    fn apply(&self, configuration: &mut Configuration, asked: &mut Asked) {
        match self {
            Change::Cache(setting) => {
                configuration.volumes.iter_mut().for_each(|volume| volume.cache = *setting);
                // Where there is no other disk, it is the operating system's that is meant.
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
                configuration.volumes.iter_mut().for_each(|volume| volume.what = what.clone());
            }
            Change::Vm(name) => configuration.vm = name.clone(),
            Change::Block(block) => asked.block = *block,
            Change::AllColumns => configuration.columns = None,
            Change::Aligned => configuration.partition_offset = Bytes::ZERO,
        }
    }
}

/// A change with what the model says would come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// What is changed, one after the other; all else stays.
    pub changes: Vec<Change>,
    /// What is to be expected; `None` where it was not asked or can't be built.
    pub outcome: Option<Outcome>,
}

/// What is to be expected after a change.
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
    /// Mean latency in µs.
    pub mean_us: Option<f64>,
    /// What binds then: `disk.iops`, `queue_depth`.
    pub binding: Vec<String>,
    /// Outstanding I/Os that it takes to reach the limits.
    pub needs_outstanding: Option<u64>,
    /// Whether the wish is met, where there is one.
    pub meets_want: Option<bool>,
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

    /// The changes in words.
    pub fn says(&self) -> String {
        self.changes.iter().map(Change::says).collect::<Vec<_>>().join(", ")
    }
}

/// A workload in the few words that an observation has.
#[derive(Clone, Copy, Debug)]
struct Asked {
    block: u32,
    depth: u32,
    read: Percent,
    access: Access,
}

/// Outstanding I/Os taken where nothing is known of them: what fills any disk's limit.
const DEEP: u32 = 64;
/// The block size taken where nothing is known of it.
const BLOCK: u32 = 8192;
/// The working set of a volume that its host cache holds.
const HELD: Bytes = Bytes::gib(1);

/// The workload that was seen; what is not known of it is assumed.
fn asked(case: &Case<'_>) -> Asked {
    let total = &case.observed.total;
    let depth = total.depth.or(total.held()).map(|depth| depth.round().clamp(1.0, 65_536.0) as u32);
    let sector = |block: f64| (((block / 512.0).round() as u32) * 512).clamp(512, 1 << 26);
    Asked {
        block: total.block.map_or(BLOCK, sector),
        depth: depth.unwrap_or(DEEP * case.resolved.disks.len().max(1) as u32),
        read: Percent::from_ppm((total.read.unwrap_or(1.0) * 1e6).round() as u32).unwrap_or(Percent::HUNDRED),
        access: total.access.unwrap_or(Access::Random),
    }
}

/// What the prediction of remedies assumes, in sentences.
pub fn assumed(case: &Case<'_>) -> Vec<String> {
    let total = &case.observed.total;
    let asked = asked(case);
    let mut said = Vec::new();
    if total.block.is_none() {
        said.push(format!("block {}", Bytes(u64::from(asked.block))));
    }
    if total.depth.or(total.held()).is_none() {
        said.push(format!("{} outstanding", asked.depth));
    }
    if total.read.is_none() {
        said.push("reads only".into());
    }
    if total.access.is_none() {
        said.push("random".into());
    }
    if crate::usage::has_cache(case.resolved) {
        said.push(format!("cache {}, {HELD} used of each volume", case.cache.name()));
    }
    said
}

/// Predicts a remedy. A configuration that can't be built has no outcome.
///
/// # Errors
/// Whoever watched ended it.
pub(crate) fn judge(
    case: &Case<'_>,
    remedy: &mut Remedy,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<(), PredictError> {
    let mut configuration = case.configuration.clone();
    let mut asked = asked(case);
    for change in &remedy.changes {
        change.apply(&mut configuration, &mut asked);
    }
    let Ok(resolved) = resolve(&configuration, case.catalog) else { return Ok(()) };
    let mut job = Job::new("seen");
    job.set_mix(asked.block, asked.read);
    job.spread = Spread::Dealt;
    job.load = Load::Closed { depth: asked.depth, cap: None };
    if asked.access == Access::Sequential {
        job.access = Jumps::sequential();
    }
    let data: Vec<String> =
        resolved.names.iter().map(|named| named.name.clone()).filter(|name| name != "os").collect();
    if !data.is_empty() {
        job.targets = Targets::Named(data);
    }
    if crate::usage::has_cache(&resolved) {
        job.region = Region { offset: Bytes::ZERO, size: Some(HELD) };
    }
    let workload = Workload::new(vec![job], iobound_units::Span::from_secs(30));
    let question =
        Question { resolved: &resolved, workload: &workload, cache: case.cache, age: Age::Sustained };
    match predict(&question, watch) {
        Ok(prediction) => {
            remedy.outcome = Some(outcome(case, &prediction));
            Ok(())
        }
        Err(PredictError::Interrupted) => Err(PredictError::Interrupted),
        Err(_) => Ok(()),
    }
}

fn outcome(case: &Case<'_>, prediction: &Prediction) -> Outcome {
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
        mean_us: latency.mean,
        binding: prediction.binding.iter().map(ToString::to_string).collect(),
        needs_outstanding: prediction.knee.as_ref().map(|knee| knee.depth * knee.threads),
        meets_want,
    }
}
