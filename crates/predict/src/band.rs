//! The band of a prediction: the model's own, with the slowest and the fastest media and enforcement that were seen, times
//! the factors by which published figures of the same regime differ from it.

use iobound_catalog::{
    BandCell, BandFigure, COVERAGE, Discrepancy, DiskLayout, Regime, Resolved, ResolvedDisk, discrepancies,
    discrepancy_of, slow_vms,
};
use iobound_measure::result::Latency;
use iobound_model::{Blueprint, CacheMode, LimiterId};

use crate::answer::{Prediction, latency_of};
use crate::binding::Binding;
use crate::question::Question;
use crate::simulate::Simulated;
use crate::uses::LimiterUse;

/// The least and the most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl Ends {
    /// Ends that contain a figure.
    fn around(self, figure: f64) -> Ends {
        Ends { low: self.low.min(figure), high: self.high.max(figure) }
    }
}

/// Claim of a band, and the published runs behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// The share of the runs that it claims to contain, each source with equal weight.
    pub claimed: f64,
    /// The independent sources of the runs.
    pub sources: u32,
    /// The published runs.
    pub runs: u32,
    /// Their number of disks; `None`: any.
    pub layout: Option<DiskLayout>,
}

impl Coverage {
    fn of(factors: &Discrepancy) -> Coverage {
        let Discrepancy { of, sources, runs, .. } = *factors;
        Coverage { claimed: COVERAGE, sources, runs, layout: of.layout }
    }
}

/// Origin of the band of a prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandBasis {
    /// Regime that binds: published runs of the same regime calibrate the band.
    pub regime: Regime,
    /// The number of disks.
    pub layout: DiskLayout,
    /// Claim of the band of IOPS and of throughput; `None`: no published runs calibrate it.
    pub coverage: Option<Coverage>,
    /// One VM in this many is slower than the band, because its host is bad; `None`: nobody published one in this cloud.
    pub one_slow_vm_in: Option<f64>,
    /// The model's own band of IOPS, before the factors.
    pub mechanism: Ends,
    /// The model's own bands of latency: mean, p50 and p99, in µs; `None` where nothing was timed.
    pub latency_mechanism: [Option<Ends>; 3],
}

/// The band of a latency, in µs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyBand {
    /// The band.
    pub us: Ends,
    /// Its claim; `None`: no published runs calibrate it.
    pub coverage: Option<Coverage>,
}

/// The bands of a prediction's latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatencyBands {
    /// Of the mean.
    pub mean: Option<LatencyBand>,
    /// Of the median.
    pub p50: Option<LatencyBand>,
    /// Of the 99th percentile.
    pub p99: Option<LatencyBand>,
}

/// The factors that calibrate a prediction: those of published runs that the same binds, with as many disks.
#[derive(Clone, Copy, Debug)]
pub struct BandRule<'a> {
    /// The factors.
    pub factors: &'a [Discrepancy],
    /// Regime that binds.
    pub regime: Regime,
    /// The number of disks.
    pub layout: DiskLayout,
}

impl BandRule<'_> {
    fn factors(&self, regime: Regime, figure: BandFigure) -> Option<Discrepancy> {
        discrepancy_of(self.factors, &BandCell { regime, figure, layout: Some(self.layout) })
    }

    /// The band of a rate, in its unit. A queue that no limit holds still ends at the ceiling.
    pub fn rate(&self, mechanism: Ends, expected: f64, ceiling: Option<f64>) -> (Ends, Option<Coverage>) {
        let Some(factors) = self.factors(self.regime, BandFigure::Rate) else {
            return (mechanism.around(expected), None);
        };
        let mut high = mechanism.high * factors.high;
        if let Some(ceiling) = ceiling.filter(|_| self.regime == Regime::Depth) {
            let at_limit =
                self.factors(Regime::Limit, BandFigure::Rate).map_or(1.0, |limit| limit.high.max(1.0));
            high = high.min((ceiling * at_limit).max(mechanism.high));
        }
        let ends = Ends { low: mechanism.low * factors.low, high };
        (ends.around(expected), Some(Coverage::of(&factors)))
    }

    /// The band of a mean latency: the inverse of the rate's, because a closed loop has a constant number of I/Os outstanding.
    pub fn mean(&self, mechanism: Ends, expected: f64) -> (Ends, Option<Coverage>) {
        let Some(factors) = self.factors(self.regime, BandFigure::Rate) else {
            return (mechanism.around(expected), None);
        };
        let ends = Ends { low: mechanism.low / factors.high, high: mechanism.high / factors.low };
        (ends.around(expected), Some(Coverage::of(&factors)))
    }

    /// The band of a percentile of latency.
    pub fn percentile(&self, figure: BandFigure, mechanism: Ends, expected: f64) -> (Ends, Option<Coverage>) {
        let Some(factors) = self.factors(self.regime, figure) else {
            return (mechanism.around(expected), None);
        };
        let ends = Ends { low: mechanism.low * factors.low, high: mechanism.high * factors.high };
        (ends.around(expected), Some(Coverage::of(&factors)))
    }
}

/// Puts the bands into a prediction: of the simulated ends of the scatter, slowest first, times the factors that ship with the
/// program.
pub(crate) fn put_bands(
    question: &Question<'_>,
    prediction: &mut Prediction,
    mechanism: Ends,
    [slow, fast]: &[Simulated; 2],
) {
    let rule =
        BandRule { factors: discrepancies(), regime: prediction.band.regime, layout: prediction.band.layout };
    let expected = &mut prediction.expected;
    let mechanism = mechanism.around(expected.iops);
    let (rate, coverage) = rule.rate(mechanism, expected.iops, prediction.ceiling.iops);
    (expected.low_iops, expected.high_iops) = (rate.low, rate.high);
    let (at_slow, at_fast) = (three(latency_of(&slow.measured)), three(latency_of(&fast.measured)));
    let middle = three(prediction.latency);
    let ends = |of: usize| {
        let (middle, slow, fast) = (middle[of]?, at_slow[of]?, at_fast[of]?);
        Some(Ends { low: slow.min(fast), high: slow.max(fast) }.around(middle))
    };
    let latency_mechanism = [ends(0), ends(1), ends(2)];
    let band = |of: usize, figure: Option<BandFigure>| {
        let (mechanism, expected) = (latency_mechanism[of]?, middle[of]?);
        let (us, coverage) = match figure {
            None => rule.mean(mechanism, expected),
            Some(figure) => rule.percentile(figure, mechanism, expected),
        };
        Some(LatencyBand { us, coverage })
    };
    prediction.latency_bands = LatencyBands {
        mean: band(0, None),
        p50: band(1, Some(BandFigure::P50)),
        p99: band(2, Some(BandFigure::P99)),
    };
    let slow =
        slow_vms().into_iter().filter(|vms| vms.cloud == question.resolved.vm.cloud).map(|vms| vms.one_in());
    let one_slow_vm_in = slow.reduce(f64::min);
    prediction.band = BandBasis { coverage, one_slow_vm_in, mechanism, latency_mechanism, ..prediction.band };
}

/// The mean, the median and the 99th percentile.
fn three(latency: Option<Latency>) -> [Option<f64>; 3] {
    let latency = latency.unwrap_or_default();
    [latency.mean, latency.p50, latency.p99]
}

/// The number of remote disks that carry the workload: those that did I/Os, the operating system's too where it is a target; where a
/// host cache answers all, the data disks.
pub(crate) fn layout_of(resolved: &Resolved, simulated: &Simulated) -> DiskLayout {
    let is_busy = |disk: &&ResolvedDisk| simulated.disks[usize::from(disk.id.0)].ios > 0;
    let remote = resolved.disks.iter().filter(|disk| disk.disk.is_some());
    let is_from_cache = !resolved.disks.iter().any(|disk| is_busy(&disk));
    DiskLayout::of(remote.filter(|disk| if is_from_cache { !disk.is_os } else { is_busy(disk) }).count())
}

/// The share of I/Os that host caches serve: read hits, and writes where every cached disk acknowledges them.
fn served(blueprint: &Blueprint, simulated: &Simulated) -> f64 {
    let count =
        |op: usize| simulated.measured.jobs.iter().map(|job| job.by_op[op].count()).sum::<u64>() as f64;
    let (reads, writes) = (count(0), count(1));
    let acknowledges =
        blueprint.disks.iter().all(|disk| disk.cache.is_some_and(|used| used.mode == CacheMode::ReadWrite));
    let hits = simulated.hit_rate().unwrap_or(0.0) * reads;
    (hits + if acknowledges { writes } else { 0.0 }) / (reads + writes).max(1.0)
}

/// Regime that binds a prediction, in the words of the published runs.
pub(crate) fn regime_of(
    resolved: &Resolved,
    blueprint: &Blueprint,
    simulated: &Simulated,
    binding: &[Binding],
    limiters: &[LimiterUse],
) -> Regime {
    let from_cache = served(blueprint, simulated) >= 0.5;
    match binding.first() {
        Some(Binding::Rate) => Regime::Rate,
        Some(Binding::CacheDirty) => Regime::Cache,
        Some(Binding::QueueDepth) if from_cache => Regime::Cache,
        Some(Binding::QueueDepth) => Regime::Depth,
        Some(first @ Binding::Limit(group, _)) => {
            let serves = blueprint.disks.iter().any(|disk| {
                let routes = disk.routes.read_hit.iter().chain(&disk.routes.write_ack);
                disk.cache.is_some()
                    && routes
                        .map(|limiter| &blueprint.limiters[usize::from(limiter.0)])
                        .any(|limiter| limiter.name.group == *group)
            });
            let name = first.to_string();
            let bursts = limiters.iter().any(|limiter| limiter.name == name && limiter.burst.is_some());
            if from_cache && serves {
                Regime::Cache
            } else if bursts {
                Regime::Burst
            } else {
                regime_of_limit(resolved, blueprint, simulated, group)
            }
        }
        Some(Binding::Client | Binding::Unknown) | None => Regime::Unknown,
    }
}

/// The regime of a run that this group of limiters binds, without credits and without a host cache.
fn regime_of_limit(resolved: &Resolved, blueprint: &Blueprint, simulated: &Simulated, group: &str) -> Regime {
    let is_of_group = |limiter: &LimiterId| blueprint.limiters[usize::from(limiter.0)].name.group == group;
    let passes = |disk: &ResolvedDisk| {
        let routes = &blueprint.disks[usize::from(disk.id.0)].routes;
        routes.read.iter().chain(&routes.write).any(is_of_group)
    };
    let is_busy = |disk: &ResolvedDisk| simulated.disks[usize::from(disk.id.0)].ios > 0;
    let mut busy = resolved.disks.iter().filter(|disk| is_busy(disk) && passes(disk)).peekable();
    let is_local = busy.peek().is_some() && busy.clone().all(|disk| disk.disk.is_none());
    if is_local && !resolved.vm.cloud.rules().limits_local_disks {
        return Regime::Device;
    }
    // Of these disks the cloud publishes only the least that they read.
    if is_local && !resolved.vm.nvme.write.known() && busy.all(|disk| disk.is_nvme) {
        return Regime::Minimum;
    }
    let mut bands = blueprint.limiters.iter().zip(&resolved.limiter_bands);
    match bands.any(|(limiter, band)| limiter.name.group == group && band.is_assumed) {
        true => Regime::Assumed,
        false => Regime::Limit,
    }
}

/// The regime, where the slowest media that were seen are known too: if the queue depth binds with them, the rate lies near the knee,
/// and published runs of that kind scatter as media do.
pub(crate) fn regime_near_the_knee(regime: Regime, at_slowest: Option<&Binding>) -> Regime {
    match (regime, at_slowest) {
        (Regime::Limit | Regime::Burst | Regime::Assumed | Regime::Device, Some(Binding::QueueDepth)) => {
            Regime::Depth
        }
        _ => regime,
    }
}
