//! `plan`: `iobound.plan/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::plan_trace::PlanTrace;
use crate::quantity::{BytesPerSecond, Iops, Microseconds, Share, Usd};

/// Configurations to buy for a need. With `--hosts`, the need and all figures and prices are of all hosts together, except those in `cluster`
/// and those in `because`. A `configuration` is that of one host; `cluster.hosts` of them are bought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<PlanDocument>,
    /// The need that the plan is for. Of a range of IOPS, it has the IOPS of the build with the least regret.
    pub need: PlanNeed,
    /// Figures of one host, with `--hosts`; absent without it, and for one host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<PlanCluster>,
    /// True if the user interrupted the plan; absent otherwise. If the search was stopped, the ideas are `so_far`: `candidates` are then
    /// those that a simulation had passed by that time, and a cheaper one may pass too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Terms of the plan in words: operating system, processor, VM size if one is kept, bursts.
    pub terms: String,
    /// `price`, or `size` if prices are unknown or with `--rank size`: fewest vCPUs of the size, then least memory, then the
    /// smallest sum of GiB, IOPS and MB/s of the disks. With `size`, each `price` and `month` is `null`.
    pub ranked_by: RankedBy,
    /// Regions whose list prices are used.
    pub places: Vec<PlanPlace>,
    /// Candidates: the VM sizes that carry the `ideas`, in the order of the ideas, and the cheapest first in each. The first one is the cheapest of all, except those of `with_local_disks`. Of disks of one type on one VM size, one disk more must save
    /// at least 1 USD a month (`--per-disk`). Under a latency goal, every VM size is tried with every choice of disks in order of price,
    /// until a simulation keeps the goal; chosen figures go in steps of 1 % up to 30 % above the need, then coarser.
    pub candidates: Vec<PlanCandidate>,
    /// Different ideas of what to buy, the cheapest first; `with_local_disks` is last.
    pub ideas: Vec<PlanIdea>,
    /// Cheaper configurations that are not taken, the most expensive first; without candidates, all VM sizes.
    pub refused: Vec<PlanRefused>,
    /// VM sizes that were examined.
    #[schemars(extend("x-unit" = "sizes"))]
    pub sizes: u64,
    /// VM sizes that are not taken at any price, by reason.
    pub refused_counts: Vec<RefusedCount>,
    /// Price of 1,000 more IOPS for a month; `null` if nothing delivers them.
    pub next_1000_iops_month: Option<Usd>,
    /// Lowest price at 25 % to 400 % of the required IOPS of the data volume. If nothing meets the need, lower rates are still listed. If a latency is required, only with types of disks that keep it.
    pub frontier: Vec<FrontierPoint>,
    /// Commands that build and test a candidate, with `--build`.
    pub build: Vec<BuildScript>,
    /// Of a range of IOPS, where prices are known: the cheapest build at each of nine points, the least regret first.
    pub regret: Vec<RegretBuild>,
    /// Configurations on which the trace was replayed, with `--trace`; absent without it. The candidates are among them. If every cheaper one was left out by arithmetic, the next cheaper one is replayed too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<PlanTrace>,
    /// The configuration that is nearest to the need, if nothing meets it; otherwise `null`.
    pub miss: Option<PlanMiss>,
    /// Values that were assumed because they were not given.
    pub assumed: Vec<String>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

impl Contract for PlanDocument {
    const ID: &'static str = "iobound.plan/1";
}

/// An idea of what to buy, and the candidates that carry it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanIdea {
    /// `cheapest`, or with `ranked_by` `size` the smallest; `simplest`, the fewest disks among what costs at most 10 % more than the cheapest
    /// (absent without prices); `without_provisioned_disks`, the same among disks whose figures come with their size; `cheapest_on_azure`, `cheapest_on_aws` if several clouds are allowed; `with_local_disks`, the cheapest
    /// with data and log on the VM's own disks, which lose all data when the VM is stopped, moved or fails. This idea is absent if no
    /// local disks are known to be enough, with `--disk-types`, `--keep-disks` and `--trace`. A search that was interrupted has `so_far` alone: disks
    /// with which a simulation had passed.
    pub names: Vec<String>,
    /// Each `--disk` of the idea; `null` without a candidate.
    pub disks: Option<Vec<String>>,
    /// Numbers of the candidates that carry it, from 1, as `--build` takes them.
    #[schemars(extend("x-unit" = "numbers"))]
    pub candidates: Vec<u64>,
}

/// Order of the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankedBy {
    /// The price of a month.
    Price,
    /// The size of the VM, then its disks.
    Size,
}

/// A need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanNeed {
    /// Need of the data volume.
    pub data: PlanVolume,
    /// Need of the log volume; `null` without one.
    pub log: Option<PlanVolume>,
    /// Need of the temporary volume; `null` without one.
    pub temp: Option<PlanVolume>,
    /// Required latency; `null` if none is required.
    pub latency: Option<PlanLatency>,
    /// Share of each published limit that stays free at the required rate: 0.1 unless `--headroom` gives another, so that I/Os do not
    /// queue.
    pub headroom: Share,
}

/// The need of each volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanVolumes {
    /// Need of the data volume.
    pub data: PlanVolume,
    /// Need of the log volume; `null` without one.
    pub log: Option<PlanVolume>,
    /// Need of the temporary volume; `null` without one.
    pub temp: Option<PlanVolume>,
}

/// The need of a volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanVolume {
    /// I/Os of the block size per second.
    pub iops: u64,
    /// Throughput that is required in addition to the I/Os. The part beyond the throughput of the I/Os moves in units of 256 KiB.
    pub throughput_bytes_per_s: u64,
    /// Size of an I/O; offsets are random multiples of it. Of a workload with several sizes, the mean.
    pub block_bytes: u32,
    /// Share of reads.
    pub read: Share,
    /// Capacity of the volume.
    pub capacity_bytes: u64,
    /// Working set. The plan counts on a host cache only if the cache holds the complete working set.
    pub working_set_bytes: u64,
}

/// A required latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanLatency {
    /// Statistic at the required rate: `mean`, `p50`, `p90`, `p95` or `p99`.
    pub statistic: String,
    /// Largest value of the statistic.
    pub most_us: Microseconds,
}

/// A region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanPlace {
    /// Name of the region.
    pub region: String,
    /// Oldest date of the sources of its prices; `null` if unknown.
    pub as_of: Option<String>,
}

/// Figures of one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanCluster {
    /// Hosts that share the need.
    #[schemars(extend("x-unit" = "hosts"))]
    pub hosts: u64,
    /// Share of its limits that a slow host has (`--slow-host`). Such a host still meets its part of the need, and so does a scan
    /// that waits for it. The rest of each limit stays free.
    pub slow_host: Share,
    /// The need of one host, rounded up.
    pub need: PlanVolumes,
    /// Lowest price for each number of hosts, as the search finds it, if several numbers were given. The plan takes the cheapest number that
    /// a simulation confirms, of at most eight.
    pub by_hosts: Vec<PlanOnHosts>,
}

/// The lowest price on a number of hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanOnHosts {
    /// Number of hosts.
    #[schemars(extend("x-unit" = "hosts"))]
    pub hosts: u64,
    /// Price of all hosts for a month; `null` if nothing meets the need.
    pub month: Option<Usd>,
    /// Configuration of one host; `null` if nothing meets the need.
    pub configuration: Option<PlanConfiguration>,
}

/// A VM size and its disks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanConfiguration {
    /// VM size.
    pub vm: String,
    /// Cloud that sells it.
    pub cloud: String,
    /// Usable virtual processors; `null` if unknown.
    #[schemars(extend("x-unit" = "vCPUs"))]
    pub vcpus: Option<u64>,
    /// Memory; `null` if unknown.
    pub memory_bytes: Option<u64>,
    /// Disks, each as `--disk` takes it.
    pub disks: Vec<String>,
    /// Interleave of the stripe.
    pub stripe_bytes: u64,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanCandidate {
    /// Configuration of one host.
    pub configuration: PlanConfiguration,
    /// Price; `null` if the price of a part is unknown.
    pub price: Option<CandidatePrice>,
    /// Limit that binds at the ceiling, as `binding` of `predict`.
    pub binding: String,
    /// Figures from the model.
    pub predicted: CandidatePrediction,
    /// Amount by which the disks' own limits together exceed the limits of the VM size: paid for, but never reached.
    pub unreachable: Unreachable,
    /// Figures of one host, with `--hosts`; absent without it, and for one host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<CandidateCluster>,
}

/// The price of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidatePrice {
    /// List price on demand of VM and disks for 730 hours, without the disk of the operating system. Disks that bill I/Os are billed for the
    /// required I/Os all month, up to the hourly maximum.
    pub month: Usd,
    /// Currency.
    pub currency: String,
    /// Oldest date of the sources of the prices; `null` if unknown.
    pub as_of: Option<String>,
    /// Price per 1,000 delivered IOPS.
    pub per_1000_iops: Usd,
    /// Price per delivered MB/s.
    pub per_mb_per_s: Usd,
}

/// The model's figures for a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidatePrediction {
    /// Highest sustained rate of the data volume on published limits; with `--burst`, while credits last.
    pub delivers: Delivered,
    /// Highest rate of all volumes on enforced limits, as `ceiling` of `predict`.
    pub ceiling: CeilingPart,
    /// Simulation at the required rate with independent arrivals, of all volumes together; `null` if not simulated.
    pub at_rate: Option<AtRatePart>,
}

/// A rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delivered {
    /// I/Os of the required size per second.
    pub iops: Iops,
    /// Throughput of these I/Os.
    pub throughput_bytes_per_s: BytesPerSecond,
}

/// A ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CeilingPart {
    /// I/Os per second; `null` if no limit binds.
    pub iops: Option<Iops>,
    /// Throughput; `null` if no limit binds.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
}

/// A simulation at the required rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtRatePart {
    /// Completed I/Os per second.
    pub iops: Iops,
    /// Latency from the intended start of each I/O (open loop), of reads and writes of all volumes together.
    pub latency_us: AtRateLatency,
    /// The required latency and its band; `null` if none is required, or if too few I/Os completed for its statistic.
    pub goal: Option<AtRateGoal>,
}

/// A required latency at the required rate. A candidate keeps it as expected; `sure` says whether it does at the end of the band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtRateGoal {
    /// The required statistic as the model expects it. It decides which configurations are candidates.
    pub expected_us: Microseconds,
    /// Upper end of its band, as `latency_bands_us` of `predict`: a simulation of at most 30,000 I/Os (with a trace: a replay) on the slowest
    /// disks and limits that were measured, times the factors of published runs. No published run calibrates p90 and p95: they have no factors.
    pub high_us: Microseconds,
    /// True if the upper end of the band keeps the required latency too.
    pub sure: bool,
}

/// Latency at the required rate; `null` where too few I/Os completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtRateLatency {
    /// Mean latency.
    pub mean: Option<Microseconds>,
    /// Median latency.
    pub p50: Option<Microseconds>,
    /// 99th percentile of latency.
    pub p99: Option<Microseconds>,
}

/// Limits that are paid for and not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unreachable {
    /// IOPS of the disks beyond the limit of the VM size.
    pub iops: u64,
    /// Throughput of the disks beyond the limit of the VM size.
    pub throughput_bytes_per_s: u64,
}

/// A candidate's hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateCluster {
    /// Number of hosts.
    #[schemars(extend("x-unit" = "hosts"))]
    pub hosts: u64,
    /// Figures of one host.
    pub host: CandidateHost,
    /// Rate of a scan that waits for a host with `slow_host` of its limits.
    pub scan: Delivered,
}

/// Figures of one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateHost {
    /// Price of one host for a month; `null` if the price of a part is unknown.
    pub month: Option<Usd>,
    /// Sustained IOPS of one host on published limits.
    pub iops: Iops,
    /// Sustained throughput of one host on published limits.
    pub throughput_bytes_per_s: BytesPerSecond,
}

/// A configuration that is not taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRefused {
    /// VM size.
    pub vm: String,
    /// Cheapest configuration with this VM size; `null` if no price is known.
    pub configuration: Option<PlanConfiguration>,
    /// Its price; `null` if unknown.
    pub price: Option<RefusedPrice>,
    /// Reason as a word: the name of a limit, `unknown`, `arch`, `previous_generation`, `restricted` (not offered in the region, by an
    /// imported list), `zone` (in no zone there), `local` (no local disk that is sufficient for `--temp`), `latency_unknown` (the goal
    /// is missed with an assumed latency of the disks, and kept at the fast end of its range), and others.
    pub rule: String,
    /// The reason as a sentence.
    pub because: String,
}

/// A price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedPrice {
    /// List price on demand for 730 hours.
    pub month: Usd,
    /// Currency.
    pub currency: String,
}

/// VM sizes that are not taken, by reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedCount {
    /// Reason as a word, as in `refused`.
    pub rule: String,
    /// VM sizes.
    #[schemars(extend("x-unit" = "sizes"))]
    pub sizes: u64,
}

/// The lowest price of a rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrontierPoint {
    /// I/Os per second of the data volume.
    pub iops: u64,
    /// Lowest price for a month; `null` if nothing delivers them.
    pub month: Option<Usd>,
    /// Configuration with this price; `null` if nothing delivers them.
    pub configuration: Option<PlanConfiguration>,
}

/// Commands to copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BuildScript {
    /// Tool that the commands are for.
    pub tool: String,
    /// The commands.
    pub commands: String,
}

/// A build for one point of a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegretBuild {
    /// The point.
    pub iops: u64,
    /// Configuration of one host.
    pub configuration: PlanConfiguration,
    /// Price for a month; `null` if the price of a part is unknown.
    pub month: Option<Usd>,
    /// Regret at the worst point: the additional price over the cheapest sufficient build, or the complete price if it is not sufficient.
    pub worst_month: Usd,
    /// Mean regret over the points.
    pub mean_month: Usd,
}

/// Configuration nearest to a need that nothing meets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanMiss {
    /// Share of the need that the nearest configuration reaches; `null` if it reaches the need and fails by its latency.
    pub reached: Option<Share>,
    /// The nearest configuration, with the limit that it fails by; `null` if there is none.
    pub nearest: Option<PlanRefused>,
    /// Fewest equal VMs, up to 16, that share the need; `null` if none do.
    pub several: Option<SeveralVms>,
}

/// Equal VMs that share a need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeveralVms {
    /// Number of VMs.
    #[schemars(extend("x-unit" = "VMs"))]
    pub vms: u64,
    /// Configuration of each VM.
    pub configuration: PlanConfiguration,
    /// Price of all VMs for a month; `null` if the price of a part is unknown.
    pub month: Option<Usd>,
}
