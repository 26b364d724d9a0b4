//! `explain`: `iobound.explain/2`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::prediction::{DiskPart, ExpectedPart, LimiterPart, PredictedLatency};
use crate::quantity::{Amount, BytesPerSecond, Iops, Microseconds, Seconds, Share, Usd};

/// Causes of observed figures, with the changes that the model predicts for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ExplainDocument {
    /// Of figures that were given, or read from files.
    Observed(Box<ExplainObserved>),
    /// Of the counters of this machine (bare `explain`).
    Watched(Box<ExplainWatched>),
}

impl Contract for ExplainDocument {
    const ID: &'static str = "iobound.explain/2";
}

/// Causes of figures that were given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainObserved {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ExplainDocument>,
    /// VM size; `null` if unknown.
    pub vm: Option<String>,
    /// Disks, in a line; `null` if unknown.
    pub disks: Option<String>,
    /// Observed figures of all disks together, as given or as they follow from the given ones.
    pub observed: ObservedPart,
    /// Findings, the best first: by `confidence`, then by how well the figures fit.
    pub findings: Vec<FindingPart>,
    /// The model under the observed load: as the configuration is, and after the first change that gives more than was observed.
    /// Empty if the model cannot hold the load.
    pub stacks: Vec<StackPart>,
    /// Next measurement. If no finding is more than `possible`: the cheapest measurement that would decide. If the first two
    /// findings cannot be told apart: the measurement on which they disagree. Otherwise `null`.
    pub tell_apart: Option<String>,
    /// Limits that are not reached.
    pub ruled_out: Vec<RuledOutPart>,
    /// Changes that meet `--want`; `null` without it.
    pub want: Option<WantPart>,
    /// Region of the on-demand prices of changes; `null` if they are unknown.
    pub prices_region: Option<String>,
    /// Oldest date of the sources of these prices; `null` if unknown.
    pub prices_as_of: Option<String>,
    /// Values that were assumed or derived.
    pub assumed: Vec<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// Causes of what this machine's counters show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainWatched {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ExplainDocument>,
    /// VM size; `null` if unknown.
    pub vm: Option<String>,
    /// Disks, in a line; `null` if unknown.
    pub disks: Option<String>,
    /// Findings, the best first: by `confidence`, then by how well the figures fit.
    pub findings: Vec<FindingPart>,
    /// The model under the observed load: as the configuration is, and after the first change that gives more than was observed.
    /// Empty if the model cannot hold the load.
    pub stacks: Vec<StackPart>,
    /// Limits that are not reached.
    pub ruled_out: Vec<RuledOutPart>,
    /// Values that were assumed or derived.
    pub assumed: Vec<String>,
    /// Counters of this machine, without a load from iobound; only of bare `explain`. I/Os of a disk are requests as the kernel
    /// counts them (`/proc/diskstats`), after merges.
    pub watched: WatchedPart,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// Observed figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedFigures {
    /// Completed reads and writes per second, of counters the mean over the observed time; `null` if unknown.
    pub iops: Option<Iops>,
    /// Bytes per second of completed reads and writes; `null` if unknown.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// Mean latency, of several disks that of all their I/Os; `null` if unknown.
    pub mean_us: Option<Microseconds>,
    /// Median latency; `null` if unknown.
    pub p50_us: Option<Microseconds>,
    /// 95th percentile of latency; `null` if unknown.
    pub p95_us: Option<Microseconds>,
    /// 99th percentile of latency; `null` if unknown.
    pub p99_us: Option<Microseconds>,
    /// Mean size of an I/O: throughput ÷ IOPS; `null` if unknown.
    #[schemars(extend("x-unit" = "bytes"))]
    pub block_bytes: Option<Amount>,
    /// Mean number of outstanding I/Os, as given or else IOPS × mean latency (Little's law); `null` if unknown.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: Option<Amount>,
    /// Share of reads; `null` if unknown.
    pub read: Option<Share>,
}

/// Observed figures of all disks together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedPart {
    /// The figures.
    #[serde(flatten)]
    pub figures: ObservedFigures,
    /// Observed time; `null` if unknown.
    pub duration_s: Option<Seconds>,
    /// Disks and volumes that were observed separately.
    pub disks: Vec<ObservedDisk>,
}

/// Observed figures of a disk or a volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedDisk {
    /// The figures.
    #[serde(flatten)]
    pub figures: ObservedFigures,
    /// Name of the disk or volume in the configuration.
    pub name: String,
}

/// A possible cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingPart {
    /// Name of the cause: `vm-cached-throughput`. `above-every-limit`: more was observed than the limits and credits of the catalogue
    /// allow. `contradiction`: given figures exclude each other. `throttled`: I/Os wait at a limit, and it is not known at which: without a rate, or where the cloud counts them without the reason. `client-cpu`: a processor or a thread of the client is full. `device-block`: writes are smaller than a block of the
    /// device. `micro-burst`: bursts are shorter than the measured interval. `no-write-cache`: each write waits for the disk.
    /// `stalled-volume`: I/Os take half a second and more. `unexplained`: no known cause fits.
    pub rule: String,
    /// `strong`: the figures occur only with this cause. `likely`: there is separate evidence, such as a full limit, latency, depth,
    /// iowait or processor time. `possible`: the figures fit, and also fit other causes.
    pub confidence: String,
    /// The cause, as a sentence.
    pub claim: String,
    /// Reasons to believe it.
    pub evidence: Vec<String>,
    /// The first of `remedies` if it changes the configuration or the workload, otherwise `advice`.
    pub remedy: String,
    /// Prediction after the first of `remedies`, which may be the same configuration in another circumstance (`after all blocks have
    /// been read`); `null` without one, or if the finding is not among the first three.
    pub predicted_after: Option<OutcomePart>,
    /// Changes, each by itself.
    pub remedies: Vec<RemedyPart>,
    /// Advice: the action to take.
    pub advice: String,
    /// Measurement that distinguishes it from other causes; `null` if none is needed.
    pub to_be_sure: Option<String>,
}

/// A change and its prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RemedyPart {
    /// The change in words.
    pub change: String,
    /// Prediction after the change; `null` if it was not predicted.
    pub predicted_after: Option<OutcomePart>,
}

/// The prediction after a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomePart {
    /// Expected I/Os per second, sustained or at `--at`.
    pub iops: Iops,
    /// Lower end of the band of IOPS.
    pub low_iops: Iops,
    /// Upper end of the band of IOPS.
    pub high_iops: Iops,
    /// Expected throughput.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Expected mean latency; `null` if unknown.
    pub latency_us: Option<Microseconds>,
    /// Expected median latency; `null` if unknown.
    pub p50_us: Option<Microseconds>,
    /// Expected 95th percentile of latency; `null` if unknown.
    pub p95_us: Option<Microseconds>,
    /// Expected 99th percentile of latency; `null` if unknown.
    pub p99_us: Option<Microseconds>,
    /// Limits that bind after the change.
    pub binding: Vec<String>,
    /// Outstanding I/Os that reach the limits after the change; `null` if unknown.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: Option<u64>,
    /// Effect against what was observed, in bytes, else in I/Os, else in time: `better` from 5 % more, `worse` from 5 % less,
    /// otherwise `same`; of less read-ahead, against what the application received; `null` if unknown.
    pub effect: Option<String>,
    /// True if `--want` is met; `null` without it.
    pub meets_want: Option<bool>,
    /// Price of the changed configuration minus that of the present one, by the on-demand prices of `--region`; `null` if a price is
    /// unknown.
    #[schemars(extend("x-unit" = "USD a month"))]
    pub price_change_usd_per_month: Option<Usd>,
}

/// The model under the observed load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackPart {
    /// The change in words; `null` for the present configuration.
    pub change: Option<String>,
    /// Expected figures, from the simulation.
    pub expected: ExpectedPart,
    /// Latency of reads and writes together; `null` if nothing completed.
    pub latency_us: Option<PredictedLatency>,
    /// Requested outstanding I/Os.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: u64,
    /// Limits that bind, as in a prediction.
    pub bindings: Vec<String>,
    /// Limits, and what the I/Os use of them by the model.
    pub limits: Vec<SeenLimiter>,
    /// Figures of each disk.
    pub disks: Vec<DiskPart>,
}

/// A limit, with what was observed of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeenLimiter {
    /// The limit by the model.
    #[serde(flatten)]
    pub limiter: LimiterPart,
    /// Observed rate ÷ enforced limit, of the fullest disk if disks were observed separately; `null` if unknown, and after a change.
    pub seen: Option<Share>,
}

/// A limit that is not reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuledOutPart {
    /// Name of the limit.
    pub limit: String,
    /// Used ÷ enforced; with `--at`, while credits last, of the burst limit.
    pub used: Share,
    /// Reason why it is not the cause.
    pub because: String,
}

/// Changes that meet the wish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WantPart {
    /// Changes of the first three findings that meet it, in words.
    pub met_by: Vec<String>,
    /// If none does: several changes at once (VM size, disks, cache, depth), the best that was found; otherwise, or if there is none,
    /// `null`.
    pub otherwise: Option<RemedyPart>,
}

/// Counters of a machine over some seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedPart {
    /// Time between the two readings of the counters.
    pub seconds: Seconds,
    /// True if the machine was idle: less than 10 IOPS, 1 MB/s and 1 % of waiting, and no limit exceeded. If so, `findings` has only
    /// problems that show without a load.
    pub idle: bool,
    /// Each disk.
    pub disks: Vec<WatchedDiskPart>,
    /// Each volume of Windows (`LogicalDisk`), whose I/Os are those of its disks once more; absent on other systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<WatchedDiskPart>,
    /// Share of the time in which at least one task waited for I/O (`some` in `/proc/pressure/io`); `null` if the kernel does not say.
    pub io_pressure: Option<Share>,
    /// Share of its time that the busiest processor was in use; `null` if unknown.
    pub busiest_cpu: Option<Share>,
}

/// A disk or a volume of the machine while it is watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedDiskPart {
    /// Kernel name.
    pub device: String,
    /// Name of the disk in the configuration; `null` if it is unknown, and of a volume.
    pub disk: Option<String>,
    /// Completed reads and writes per second, after merges.
    pub iops: Iops,
    /// Throughput.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Share of reads; `null` without I/O.
    pub read: Option<Share>,
    /// Mean time of an I/O in the queue and the device; `null` without I/O.
    pub latency_us: Option<Microseconds>,
    /// Mean number of outstanding I/Os.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub queue: Amount,
}
