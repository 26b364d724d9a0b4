//! The figures of a prediction, under the keys that every document uses for them.

use iobound_measure::result::LoopLabel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::doctor::LimitUnit;
use crate::plan::CeilingPart;
use crate::quantity::{Amount, BytesPerSecond, Iops, Microseconds, Seconds, Share};

/// Expected performance of a configuration under a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictionPart {
    /// Highest rate that the enforced limits allow for this block size, mix and requested rate, at any queue depth, with the host
    /// cache in its declared state. It is computed, not simulated.
    pub ceiling: PredictedCeiling,
    /// Expected figures, from the simulation.
    pub expected: ExpectedPart,
    /// Latency of reads and writes together, from the simulation of the expected figures; `null` if nothing completed.
    pub latency_us: Option<PredictedLatency>,
    /// Bands of latency: the model's own bands times the factors of published runs.
    pub latency_bands_us: LatencyBandsPart,
    /// Limit of the expected figure: the one that is used to 98 % or more and held I/Os longest (`disk.iops`,
    /// `disk.throughput`; on Azure `vm.uncached.iops`, `vm.uncached.throughput`, `vm.cached.iops`, `vm.cached.throughput`,
    /// `account.iops`; on AWS `vm.ebs.iops`, `vm.ebs.throughput`), `cache.dirty` (writes wait until a cache is written back),
    /// `queue_depth` (no limit is full), `rate` (the requested rate is reached), `client` or `unknown`.
    pub binding: Option<String>,
    /// `binding`, and all limits that held I/Os at least half as long.
    pub bindings: Vec<String>,
    /// Limits. All limits of one family are one entry: the ten disks of one `--disk` are one entry.
    pub limits: Vec<LimiterPart>,
    /// Rate while full burst credits last; `null` if credits change nothing.
    pub burst: Option<BurstPart>,
    /// Smallest concurrency that reaches the ceiling, without the job's rate and pauses: ceiling × latency of one I/O alone, or by
    /// simulation with `--find-knee`; `null` if unknown.
    pub knee: Option<KneePart>,
    /// Requested outstanding I/Os, over all jobs, threads and targets.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: u64,
    /// Mean latency of a single I/O of each job, with no other I/O outstanding.
    pub latency_alone_us: Microseconds,
    /// Share of the reads that host caches serve; `null` without cached reads.
    pub hit_rate: Option<Share>,
    /// Figures of each volume.
    pub volumes: Vec<VolumePart>,
    /// Figures of each disk.
    pub disks: Vec<DiskPart>,
}

/// The highest rate that the limits allow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictedCeiling {
    /// The rate.
    #[serde(flatten)]
    pub rate: CeilingPart,
    /// Limits that are full at this rate.
    pub bindings: Vec<String>,
}

/// The expected rate and its band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedPart {
    /// Mean IOPS of the counted time, known to 0.5 % (95 % confidence) or over 400,000 I/Os (200,000 where a cache acknowledges
    /// writes). With `--duration`, of a run of that length from idle. Of a second run, the mean over its parts.
    pub iops: Iops,
    /// Lower end of the band: the model's own band times the factors of published runs with the same binding limit (see
    /// `docs/measured.md`). The band of throughput is this times the bytes of an I/O.
    pub low_iops: Iops,
    /// Upper end of the band.
    pub high_iops: Iops,
    /// Throughput of these I/Os.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Origin of the band.
    pub band: BandPart,
}

/// The origin of a band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BandPart {
    /// Regime, which decides by which published runs the band was made: `limit`, `burst` (a limit that credits lift), `assumed` (a limit
    /// whose enforcement is an assumption), `device` (local disks that no limiter holds), `minimum` (local disks of which only the least
    /// that they read is published), `cache` (the host cache serves at least half of the I/Os), `depth` (no limit is full, or none with the slowest
    /// media that were observed), `rate` (the requested rate is reached) or `unknown`.
    pub regime: String,
    /// Published runs that calibrate the band; `null` if there are none, and the band is the model's own.
    pub coverage: Option<CoveragePart>,
    /// One VM in this many is slower than the band, because its host is bad; `null` if nobody published such a VM in this cloud.
    #[schemars(extend("x-unit" = "VMs"))]
    pub one_slow_vm_in: Option<Amount>,
    /// Lower end of the model's own band: the same simulation with the slowest media and the smallest enforcement that were
    /// observed; of a Premium stripe, also with disks that differ and stall.
    pub mechanism_low_iops: Iops,
    /// Upper end of the model's own band: the same simulation with the fastest media, the largest enforcement that was observed,
    /// and token buckets that are full at the start.
    pub mechanism_high_iops: Iops,
}

/// The published runs that calibrate a band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoveragePart {
    /// Share of these runs that the band claims to contain, if each source counts the same.
    pub claimed: Share,
    /// Independent sources of the runs.
    #[schemars(extend("x-unit" = "sources"))]
    pub sources: u32,
    /// Published runs.
    #[schemars(extend("x-unit" = "runs"))]
    pub runs: u32,
    /// Number of disks of the runs: `one` or `several`; `null` for any.
    pub disks: Option<String>,
}

/// A latency distribution of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictedLatency {
    /// Mean latency.
    pub mean: Option<Microseconds>,
    /// Median latency.
    pub p50: Option<Microseconds>,
    /// 90th percentile of latency.
    pub p90: Option<Microseconds>,
    /// 95th percentile of latency.
    pub p95: Option<Microseconds>,
    /// 99th percentile of latency.
    pub p99: Option<Microseconds>,
    /// Maximum latency, exact.
    pub max: Option<Microseconds>,
    /// Minimum latency, exact.
    pub min: Option<Microseconds>,
    /// Standard deviation of the latencies, not of their mean.
    pub stdev: Option<Microseconds>,
    /// Definition of the latency: `closed` from issue, `open` from the intended time, `mixed` if the jobs differ.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LoopLabel>,
}

/// The bands of latency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyBandsPart {
    /// Band of the mean: the inverse of the band of IOPS, because a closed loop has a constant number of outstanding I/Os; `null` if
    /// nothing was timed.
    pub mean: Option<LatencyBandPart>,
    /// Band of the median; `null` if nothing was timed.
    pub p50: Option<LatencyBandPart>,
    /// Band of the 99th percentile; `null` if nothing was timed.
    pub p99: Option<LatencyBandPart>,
}

/// A band of latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyBandPart {
    /// Lower end.
    pub low: Microseconds,
    /// Upper end.
    pub high: Microseconds,
    /// Published runs that calibrate the band; `null` if there are none, and the band is the model's own.
    pub coverage: Option<CoveragePart>,
}

/// A limit, and what the I/Os use of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimiterPart {
    /// Name of the limit, as in `binding`.
    pub name: String,
    /// Family of the limit where the name stands for several: the name of the `--disk`, or the direction; otherwise `null`.
    pub of: Option<String>,
    /// Limits of this family.
    #[schemars(extend("x-unit" = "limits"))]
    pub count: u64,
    /// Unit of the figures: `iops` (I/O units per second) or `bytes_per_s`.
    pub unit: LimitUnit,
    /// Limit in the documentation of the cloud, such as 5,000 IOPS for a P30.
    #[schemars(extend("x-unit" = "by `unit`"))]
    pub limit: Amount,
    /// Published burst limit while credits are left; otherwise `null`.
    #[schemars(extend("x-unit" = "by `unit`"))]
    pub burst: Option<Amount>,
    /// Enforced limit: the burst limit, or else the limit, times the factor; or a measured figure.
    #[schemars(extend("x-unit" = "by `unit`"))]
    pub enforced: Amount,
    /// I/O units or bytes that were charged per second.
    #[schemars(extend("x-unit" = "by `unit`"))]
    pub used: Amount,
    /// Used ÷ enforced of the fullest limit of the family.
    pub share: Share,
    /// Time that an I/O waited for this limit, the mean over all I/Os.
    pub held_us: Microseconds,
}

/// A rate while burst credits last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BurstPart {
    /// I/Os per second while credits last.
    pub iops: Iops,
    /// Throughput while credits last.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Time until the first credits are spent, from full; `null` if this workload does not spend them.
    pub seconds: Option<Seconds>,
}

/// The smallest concurrency that reaches the ceiling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KneePart {
    /// Outstanding I/Os of each queue.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub depth: u64,
    /// Number of queues. A queue is a thread on a target, or a thread that deals I/Os to several targets.
    #[schemars(extend("x-unit" = "queues"))]
    pub threads: u64,
    /// Outstanding I/Os of all queues.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: u64,
    /// I/Os per second at this concurrency.
    pub iops: Iops,
    /// Simulated points of the search; only with `--find-knee`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<KneePoint>>,
}

/// A simulated point of the search for the knee.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KneePoint {
    /// Outstanding I/Os.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub outstanding: u64,
    /// I/Os per second.
    pub iops: Iops,
    /// Mean latency: outstanding ÷ IOPS.
    pub latency_us: Microseconds,
}

/// A volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VolumePart {
    /// Name of the volume.
    pub name: String,
    /// I/Os per second on the volume.
    pub iops: Iops,
    /// Throughput of the volume.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Size of the volume; absent in the prediction beside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Disks of the volume; absent in the prediction beside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "disks"))]
    pub disks: Option<u64>,
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskPart {
    /// Name of the disk.
    pub name: String,
    /// Fragments of I/Os per second that reach the media of the disk: without cache hits, with write-back.
    pub iops: Iops,
    /// Throughput that reaches the media of the disk: without cache hits, with write-back.
    pub throughput_bytes_per_s: BytesPerSecond,
    /// Description of the disk; absent in the prediction beside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    /// Era of the disk's figures, which may differ from `configuration.era`; absent in the prediction beside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<String>,
    /// Host-cache setting of the disk; absent in the prediction beside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// Size of the disk; absent in the prediction beside a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
}
