"""The answers as types: each is the document of --json, so that editors complete and check its keys.

Written from the documents of the program by `IOBOUND_REFRESH=1 cargo test -p iobound-documents`; not by hand. Figures
have their unit in brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

__all__ = [
    "AtRateGoal",
    "AtRateLatency",
    "AtRatePart",
    "AuditPart",
    "BandPart",
    "BuildScript",
    "BurstPart",
    "CandidateCluster",
    "CandidateHost",
    "CandidatePrediction",
    "CandidatePrice",
    "CatalogEntry",
    "CatalogListing",
    "CatalogOverview",
    "CatalogPreset",
    "CatalogPresets",
    "CeilingPart",
    "CellResult",
    "Change",
    "Check",
    "ClusterExpected",
    "ClusterPart",
    "ClusterPrice",
    "CompareDocument",
    "ComparedFigure",
    "ComparedWithBand",
    "ComparisonPart",
    "ConditionPart",
    "Confidence",
    "ConfigurationPart",
    "CoveragePart",
    "Cpu",
    "Delivered",
    "Depth",
    "DeviceCounters",
    "DeviceFacts",
    "DisagreementPart",
    "DiskPart",
    "DiskPriceRow",
    "DiskRow",
    "DiskTypePart",
    "EraPart",
    "ExpectedPart",
    "ExplainObserved",
    "ExplainWatched",
    "FigurePart",
    "Figures",
    "FindingPart",
    "Fleet",
    "FrontierPoint",
    "Histogram",
    "Histograms",
    "HostLimit",
    "HostResult",
    "ImportChange",
    "ImportDocument",
    "ImportFile",
    "ImportGone",
    "ImportLeftOut",
    "ImportRestricted",
    "JobPart",
    "JobResult",
    "KeptRun",
    "KneePart",
    "KneePoint",
    "Latency",
    "LatencyBandPart",
    "LatencyBandsPart",
    "LimiterPart",
    "MachineRow",
    "MissingRank",
    "ModelPart",
    "ObservedDisk",
    "ObservedPart",
    "OutcomePart",
    "PartResult",
    "PerHost",
    "PerSecond",
    "PlanCandidate",
    "PlanCluster",
    "PlanConfiguration",
    "PlanDocument",
    "PlanIdea",
    "PlanLatency",
    "PlanMiss",
    "PlanNeed",
    "PlanOnHosts",
    "PlanPlace",
    "PlanRefused",
    "PlanReplay",
    "PlanTrace",
    "PlanVolume",
    "PlanVolumes",
    "Point",
    "PointFigures",
    "PredictDocument",
    "PredictedCeiling",
    "PredictedLatency",
    "PredictionPart",
    "PreparedPart",
    "PresetJob",
    "PresetPart",
    "PricePart",
    "Processor",
    "RanksDone",
    "RefusedCount",
    "RefusedPrice",
    "RegionRow",
    "RegretBuild",
    "RemedyPart",
    "ReplayCredits",
    "ReplayFacts",
    "ResultsDocument",
    "RoundsPart",
    "RuledOutPart",
    "RunDocument",
    "RunStagePart",
    "ScanPart",
    "ScanRate",
    "SeenLimiter",
    "SeveralVms",
    "ShiftGap",
    "ShiftPart",
    "ShiftSlice",
    "SidePart",
    "SizesCount",
    "SlowHostScan",
    "SlowestHost",
    "SourcePart",
    "Spread",
    "StackPart",
    "StagePart",
    "StandardError",
    "Start",
    "Steady",
    "SteadyDirection",
    "Straggler",
    "Tool",
    "TraceRead",
    "Unreachable",
    "VmPriceRow",
    "VmRow",
    "VolumePart",
    "WantPart",
    "WatchedDiskPart",
    "WatchedPart",
    "WorkloadPart",
    "CatalogDocument",
    "CatalogRows",
    "DecidedBy",
    "Direction",
    "ExplainDocument",
    "Figure",
    "LimitUnit",
    "LoopLabel",
    "Method",
    "Outcome",
    "PhaseLabel",
    "RankedBy",
    "Source",
    "VerdictWord",
]


class AtRateGoal(TypedDict):
    """A required latency at the required rate. A candidate keeps it as expected; `sure` says whether it
    does at the end of the band."""

    expected_us: float
    """The required statistic as the model expects it. It decides which configurations are candidates.
    [µs]"""

    high_us: float
    """Upper end of its band, as `latency_bands_us` of `predict`: a simulation of at most 30,000 I/Os
    (with a trace: a replay) on the slowest disks and limits that were measured, times the factors of
    published runs. No published run calibrates p90 and p95: they have no factors. [µs]"""

    sure: bool
    """True if the upper end of the band keeps the required latency too."""


class AtRateLatency(TypedDict):
    """Latency at the required rate; `null` where too few I/Os completed."""

    mean: float | None
    """Mean latency. [µs]"""

    p50: float | None
    """Median latency. [µs]"""

    p99: float | None
    """99th percentile of latency. [µs]"""


class AtRatePart(TypedDict):
    """A simulation at the required rate."""

    iops: float
    """Completed I/Os per second. [IOPS]"""

    latency_us: AtRateLatency
    """Latency from the intended start of each I/O (open loop), of reads and writes of all volumes
    together."""

    goal: AtRateGoal | None
    """The required latency and its band; `null` if none is required, or if too few I/Os completed for
    its statistic."""


class AuditPart(TypedDict):
    """VM sizes with a doubtful figure."""

    doubt: str
    """`unknown`: no source states the figure. `old`: the source is from before `--before`, or has no
    date. `contradictory`: two sources differ."""

    cloud: str
    """The cloud."""

    figure: str
    """The figure; of old ones, the date of the source."""

    of: str
    """Family of the sizes, key of the source, or region of a price."""

    sizes: int
    """Number of VM sizes. [sizes]"""

    example: str
    """The first of them."""


class BandPart(TypedDict):
    """The origin of a band."""

    regime: str
    """Regime, which decides by which published runs the band was made: `limit`, `burst` (a limit that
    credits lift), `assumed` (a limit whose enforcement is an assumption), `device` (local disks that no
    limiter holds), `minimum` (local disks of which only the least that they read is published), `cache`
    (the host cache serves at least half of the I/Os), `depth` (no limit is full, or none with the
    slowest media that were observed), `rate` (the requested rate is reached) or `unknown`."""

    coverage: CoveragePart | None
    """Published runs that calibrate the band; `null` if there are none, and the band is the model's
    own."""

    one_slow_vm_in: float | None
    """One VM in this many is slower than the band, because its host is bad; `null` if nobody published
    such a VM in this cloud. [VMs]"""

    mechanism_low_iops: float
    """Lower end of the model's own band: the same simulation with the slowest media and the smallest
    enforcement that were observed; of a Premium stripe, also with disks that differ and stall. [IOPS]"""

    mechanism_high_iops: float
    """Upper end of the model's own band: the same simulation with the fastest media, the largest
    enforcement that was observed, and token buckets that are full at the start. [IOPS]"""


class BuildScript(TypedDict):
    """Commands to copy."""

    tool: str
    """Tool that the commands are for."""

    commands: str
    """The commands."""


class BurstPart(TypedDict):
    """A rate while burst credits last."""

    iops: float
    """I/Os per second while credits last. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput while credits last. [bytes/s]"""

    seconds: float | None
    """Time until the first credits are spent, from full; `null` if this workload does not spend them.
    [s]"""


class CandidateCluster(TypedDict):
    """A candidate's hosts."""

    hosts: int
    """Number of hosts. [hosts]"""

    host: CandidateHost
    """Figures of one host."""

    scan: Delivered
    """Rate of a scan that waits for a host with `slow_host` of its limits."""


class CandidateHost(TypedDict):
    """Figures of one host."""

    month: float | None
    """Price of one host for a month; `null` if the price of a part is unknown. [USD]"""

    iops: float
    """Sustained IOPS of one host on published limits. [IOPS]"""

    throughput_bytes_per_s: float
    """Sustained throughput of one host on published limits. [bytes/s]"""


class CandidatePrediction(TypedDict):
    """The model's figures for a candidate."""

    delivers: Delivered
    """Highest sustained rate of the data volume on published limits; with `--burst`, while credits
    last."""

    ceiling: CeilingPart
    """Highest rate of all volumes on enforced limits, as `ceiling` of `predict`."""

    at_rate: AtRatePart | None
    """Simulation at the required rate with independent arrivals, of all volumes together; `null` if not
    simulated."""


class CandidatePrice(TypedDict):
    """The price of a candidate."""

    month: float
    """List price on demand of VM and disks for 730 hours, without the disk of the operating system.
    Disks that bill I/Os are billed for the required I/Os all month, up to the hourly maximum. [USD]"""

    currency: str
    """Currency."""

    as_of: str | None
    """Oldest date of the sources of the prices; `null` if unknown."""

    per_1000_iops: float
    """Price per 1,000 delivered IOPS. [USD]"""

    per_mb_per_s: float
    """Price per delivered MB/s. [USD]"""


class CatalogEntry(TypedDict):
    """One VM size, disk or type of disk, with every figure."""

    schema: Literal["iobound.catalog/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    kind: str
    """Kind of the document or its entries."""

    cloud: str
    """Cloud that sells it."""

    name: str
    """Full name."""

    era: str
    """Era of the figures."""

    figures: list[FigurePart]
    """All figures."""

    figures_without_date: int
    """Figures whose source states no date. [figures]"""

    unknown: list[str]
    """Figures that a prediction needs and that are not recorded."""

    disagreements: list[DisagreementPart]
    """Figures on which sources differ."""

    notes: list[str]
    """Other facts to know."""


class CatalogListing(TypedDict):
    """A list of rows."""

    schema: Literal["iobound.catalog/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    kind: str
    """Kind of the document or its entries."""

    count: int
    """Rows in the list. [rows]"""

    rows: CatalogRows
    """The rows. Their keys are the columns of the CSV form."""

    notes: list[str]
    """Other facts to know."""


class CatalogOverview(TypedDict):
    """The size and the age of the catalogue."""

    schema: Literal["iobound.catalog/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    kind: str
    """Kind of the document or its entries."""

    azure: SizesCount
    """VM sizes of Azure."""

    aws: SizesCount
    """VM sizes of AWS."""

    gcp: SizesCount
    """Machine types of Google Cloud."""

    disk_tiers: int
    """Tiers of disks, of all eras. [rows]"""

    disk_types: list[DiskTypePart]
    """Types of disk."""

    eras: list[EraPart]
    """Eras of the catalogue. Figures that changed are kept with the era in which they were published."""

    regions: list[str]
    """Regions with prices."""

    as_of: str | None
    """Newest date of a source; `null` if no source has one."""

    sources_without_date: int
    """Sources that state no date. [sources]"""

    sources: list[SourcePart]
    """Sources of the figures."""


class CatalogPreset(TypedDict):
    """One preset."""

    schema: Literal["iobound.catalog/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    kind: str
    """Kind of the document or its entries."""

    name: str
    """Name, as `--preset` takes it."""

    about: str
    """The system and its workload, in a sentence."""

    source: str
    """Publication that the figures come from."""

    confidence: str
    """Share of the figures that the source carries: `published` (all), `partly`, `memory` (few)."""

    note: str
    """Other facts to know."""

    jobs: list[PresetJob]
    """The jobs of the workload."""

    toml: str
    """The workload, as `--workload` reads it."""


class CatalogPresets(TypedDict):
    """All presets."""

    schema: Literal["iobound.catalog/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    kind: str
    """Kind of the document or its entries."""

    count: int
    """Rows in the list. [rows]"""

    rows: list[PresetPart]
    """The presets."""


class CeilingPart(TypedDict):
    """A ceiling."""

    iops: float | None
    """I/Os per second; `null` if no limit binds. [IOPS]"""

    throughput_bytes_per_s: float | None
    """Throughput; `null` if no limit binds. [bytes/s]"""


class CellResult(TypedDict):
    """Figures of one job on one target by one thread. Percentiles are to two digits."""

    job: str
    """Name of the job."""

    thread: int
    """Number of the thread. [number]"""

    target: str
    """Name of the target."""

    ios: NotRequired[int]
    """Completed I/Os without an error. [I/Os]"""

    bytes: NotRequired[int]
    """Bytes that they transferred. [bytes]"""

    errors: NotRequired[int]
    """I/Os that failed. They count nowhere else. [I/Os]"""

    iops: NotRequired[float]
    """Completed I/Os ÷ counted time."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes ÷ counted time."""

    latency_us: NotRequired[Latency]
    """Response time: in a closed loop from issue, in an open loop from the intended time."""

    service_us: NotRequired[Latency]
    """In an open loop, time from issue to completion."""

    read: NotRequired[Figures]
    """The reads; absent without reads."""

    write: NotRequired[Figures]
    """The writes; absent without writes."""

    flush: NotRequired[Figures]
    """The flushes. They are in no other IOPS or throughput."""

    discard: NotRequired[Figures]
    """The discards. They are in no other IOPS or throughput."""


class Change(TypedDict):
    """A known difference between two runs that is not a figure."""

    part: str
    """`workload`, `configuration`, `machine` or `run`."""

    what: str
    """Name of the setting or property."""

    a: str | None
    """Its value in a; `null` if absent."""

    b: str | None
    """Its value in b; `null` if absent."""


class Check(TypedDict):
    """A named finding about the run itself."""

    name: str
    """Name of the check."""

    outcome: Outcome
    """`ok`, `warning`, `failed` or `unknown`."""

    says: str
    """The finding, as a sentence."""


class ClusterExpected(TypedDict):
    """Expected figures of all hosts together."""

    iops: float
    """I/Os per second. [IOPS]"""

    low_iops: float
    """IOPS if all hosts are at the lower end of the band. [IOPS]"""

    high_iops: float
    """IOPS if all hosts are at the upper end of the band. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput. [bytes/s]"""

    low_throughput_bytes_per_s: float
    """Throughput if all hosts are at the lower end of the band. [bytes/s]"""

    high_throughput_bytes_per_s: float
    """Throughput if all hosts are at the upper end of the band. [bytes/s]"""


class ClusterPart(TypedDict):
    """Several hosts with the same configuration and workload each."""

    hosts: int
    """Number of hosts. [hosts]"""

    ceiling: CeilingPart
    """Sum of the hosts' ceilings."""

    expected: ClusterExpected
    """Sum of the hosts' expected figures, of queries that do not wait for another host."""

    burst: BurstPart | None
    """Sum of the hosts' bursts, if all begin with full credits; `null` if credits change nothing."""

    slowest: SlowestHost
    """The slowest host. Its figure is the mean of the minimum over clusters whose hosts are drawn
    independently: one draw for all media of a host, one for all its limits. Half of the hosts are slower
    than typical, and few are near the slowest and the fastest that were observed. Hosts are simulated at
    27 points of that distribution, with straight lines between them."""

    scan: ScanPart
    """A scan of all data. Each host scans its part, and the scan ends with the last host."""

    price: NotRequired[ClusterPrice]
    """Price of all hosts; only with `--region`."""


class ClusterPrice(TypedDict):
    """Price of all hosts."""

    month: float | None
    """Price of all hosts for 730 hours; `null` if the price of a part is unknown. [USD]"""

    known_month: float
    """Price of the parts whose price is known. [USD]"""


class CompareDocument(TypedDict):
    """Two or more results side by side. The first is *a*; each other result is a *b* that is compared
    with it. Differences are b - a."""

    schema: Literal["iobound.compare/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    method: Method
    """`independent`: each result is a run by itself. `paired`: the two took turns (`run --vs`)."""

    level: float
    """Confidence level of the intervals."""

    rounds: RoundsPart | None
    """Order of the two in turns; `null` for independent results."""

    sides: list[SidePart]
    """The results that are compared."""

    comparisons: list[ComparisonPart]
    """One comparison with the first result for each other result."""

    fail_if: list[ConditionPart]
    """The conditions of `--fail-if`, each with its outcome."""

    next: list[str]
    """Commands that continue from here."""


class ComparedFigure(TypedDict):
    """A figure of both results."""

    operation: Direction
    """I/Os that the figure is of: `all` (reads and writes), `read` or `write`."""

    figure: Figure
    """Key of the figure in a result, with its unit: `iops`, `p99_us`."""

    a: float
    """The figure of *a*. [by the figure]"""

    b: float
    """The figure of *b*. [by the figure]"""

    difference: float
    """b - a. [by the figure]"""

    low: float | None
    """Lower end of the confidence interval of `difference`, which holds with 95 % for all figures of the
    comparison together (Bonferroni); `null` without one. [by the figure]"""

    high: float | None
    """Upper end of that interval; `null` without one. [by the figure]"""

    relative: float | None
    """b ÷ a - 1; `null` if a is zero."""

    relative_low: float | None
    """Lower end of the confidence interval of `relative`; `null` without one, or if a cannot be told
    from zero."""

    relative_high: float | None
    """Upper end of the confidence interval of `relative`; `null` without one, or if a cannot be told
    from zero."""

    differs: bool | None
    """True if the interval of the difference leaves out 0: the difference is more than chance; `null`
    without an interval."""

    seen_from: float | None
    """Smallest difference, as a share of a, that this comparison would have detected; `null` if
    unknown."""

    independent: bool | None
    """True if the samples behind the interval look independent. If not, the interval may be too narrow.
    `null` without an interval."""


class ComparedWithBand(TypedDict):
    """A figure beside the band."""

    iops: float | None
    """IOPS as given; `null` if not given. [IOPS]"""

    throughput_bytes_per_s: float | None
    """Throughput as given; `null` if not given. [bytes/s]"""

    verdict: str
    """Position of the figure: `inside` the band from `expected.low_iops` to `expected.high_iops` (of
    throughput: times the bytes of an I/O), `above` or `below` it. Of two figures, the position of the
    one that is outside."""


class ComparisonPart(TypedDict):
    """A result compared with the first."""

    of: str
    """Name of the result that is compared, *b*."""

    against: str
    """Name of the first result, *a*."""

    verdict: VerdictWord
    """`differs`: at least one figure differs. `no_difference`: no figure differs. `not_known`: no figure
    has an interval."""

    says: str
    """The verdict as a sentence."""

    figures: list[ComparedFigure]
    """The figures that both results have."""

    shift: ShiftPart | None
    """Parts of the latency distribution that moved, of reads and writes together; `null` without the
    histograms of both. Kept runs have histograms, files do not."""

    changed: list[Change]
    """Other known differences between the runs."""

    cautions: list[str]
    """Reasons to trust the comparison less, as sentences."""


class ConditionPart(TypedDict):
    """A condition of `--fail-if` and its outcome."""

    condition: str
    """The condition as given."""

    of: str | None
    """Name of the result that is judged, where there are several; otherwise `null`."""

    holds: bool
    """True if the condition holds."""

    value: float
    """The value that is compared with the bound: a figure, a difference, or a share of a, in the unit of
    the bound. [by the figure]"""

    low: float | None
    """Lower end of the 95 % interval of `value`; `null` without one. [by the figure]"""

    high: float | None
    """Upper end of the 95 % interval of `value`; `null` without one. [by the figure]"""

    significant: bool | None
    """True if the complete interval lies on the same side of the bound as `value`; `null` without an
    interval."""

    decided_by: DecidedBy
    """Decisive figure: `value`, or `interval` if the condition begins with `surely`."""


class Confidence(TypedDict):
    """Confidence in the mean IOPS of the counted time."""

    level: float
    """Confidence level of the interval."""

    low_iops: float
    """Lower end of the interval of the mean IOPS, at least zero."""

    high_iops: float
    """Upper end of the interval of the mean IOPS."""

    relative: float
    """Half the width of the interval ÷ the mean."""

    batches: int
    """Batches of the counted time. [batches]"""

    batch_s: float
    """Length of a batch."""

    independent: bool
    """True if the batches look independent. If not, the true interval is wider."""


class ConfigurationPart(TypedDict):
    """A configuration."""

    vm: str
    """Full name of the VM size."""

    cloud: str
    """Cloud that sells it."""

    era: str
    """Era of the figures."""

    disks: list[str]
    """Each `--disk` as given."""

    os_disk: str | None
    """`--os-disk` as given; `null` if not given."""

    stripe_bytes: int
    """Interleave of the stripe."""

    columns: int | None
    """Disks that one stripe spans; `null` for all. [disks]"""

    separate: bool
    """True if each disk is a volume of its own."""

    partition_offset_bytes: int
    """Offset of the file system on its volume."""

    cache_state: str
    """Content of host caches at the start: `warm`, `cold` or `second-run`."""

    at_seconds: float | None
    """Time that the workload has run from full credits; `null` for sustained figures, with credits
    spent. [s]"""


class CoveragePart(TypedDict):
    """The published runs that calibrate a band."""

    claimed: float
    """Share of these runs that the band claims to contain, if each source counts the same."""

    sources: int
    """Independent sources of the runs. [sources]"""

    runs: int
    """Published runs. [runs]"""

    disks: str | None
    """Number of disks of the runs: `one` or `several`; `null` for any."""


class Cpu(TypedDict):
    """Cost of a run in processor time, and what the machine had besides."""

    online: int
    """Online processors. [processors]"""

    user_s: NotRequired[float]
    """Time of the run's own threads in the program."""

    system_s: NotRequired[float]
    """Time of the run's own threads in the kernel."""

    us_per_io: NotRequired[float]
    """Processor time of the run's own threads ÷ completed I/Os. [µs]"""

    steal: NotRequired[float]
    """Share of all processor time that the hypervisor gave to others while a processor had work."""

    processors: NotRequired[list[Processor]]
    """Each processor during the counted time."""


class Delivered(TypedDict):
    """A rate."""

    iops: float
    """I/Os of the required size per second. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput of these I/Os. [bytes/s]"""


class Depth(TypedDict):
    """Number of I/Os that were outstanding."""

    requested: NotRequired[int]
    """Requested outstanding I/Os. [I/Os]"""

    achieved: NotRequired[float]
    """Mean number of outstanding I/Os in the counted time, of every operation, also failed ones: the
    integral of outstanding I/Os ÷ its length. [I/Os]"""

    at_device: NotRequired[float]
    """Mean number of I/Os at the device, of a closed loop on real targets: the kernel's queue length if
    it counts the run's I/Os alone, else `achieved` - IOPS × mean submission time, and no more than the
    queue that the run shares with others. Absent if other work kept processors from the client and no
    counter tells. [I/Os]"""


class DeviceCounters(TypedDict):
    """The kernel's counters of a device (`/proc/diskstats`), the difference of two looks."""

    seconds: float
    """Time between the readings. [s]"""

    reads: int
    """Completed reads, as requests after splits and merges. [requests]"""

    reads_merged: int
    """Reads that were merged into others before they were sent. [requests]"""

    read_bytes: int
    """Bytes read."""

    writes: int
    """Completed writes, as requests after splits and merges. [requests]"""

    writes_merged: int
    """Writes that were merged into others before they were sent. [requests]"""

    written_bytes: int
    """Bytes written."""

    flushes: int
    """Completed flushes. [requests]"""

    discards: int
    """Completed discards. [requests]"""

    read_us: NotRequired[float]
    """Mean time of a read in the queue and the device; absent without reads."""

    write_us: NotRequired[float]
    """Mean time of a write in the queue and the device; absent without writes."""

    queue: float
    """Mean number of requests in the queue and the device. [requests]"""

    busy: float
    """Share of the time with at least one request."""


class DeviceFacts(TypedDict):
    """Facts about a block device below a target."""

    name: str
    """Kernel name: `nvme0n1`, `md0`."""

    targets: NotRequired[list[str]]
    """Targets on the device."""

    kind: NotRequired[str]
    """Kind of attachment: `nvme`, `scsi`, `virtio`, `md`, `dm`, `loop`, `zram`, `ram`, else the name of
    the driver."""

    model: NotRequired[str]
    """Model that the device reports."""

    size_bytes: NotRequired[int]
    """Size of the device."""

    scheduler: NotRequired[str]
    """I/O scheduler in use."""

    read_ahead_kib: NotRequired[int]
    """Read-ahead of buffered reads."""

    queue_requests: NotRequired[int]
    """Requests that each queue takes. [requests]"""

    hardware_queues: NotRequired[int]
    """Hardware queues. [queues]"""

    max_request_kib: NotRequired[int]
    """Largest request that the kernel sends; larger I/Os are split."""

    max_hardware_request_kib: NotRequired[int]
    """Largest request that the device would take."""

    rotational: NotRequired[bool]
    """True if the device is a rotating disk."""

    logical_sector: NotRequired[int]
    """Smallest I/O of the device. [bytes]"""

    physical_sector: NotRequired[int]
    """Smallest write that needs no read. [bytes]"""

    write_cache: NotRequired[str]
    """Write cache: `write back` (volatile) or `write through`, in the kernel's words."""

    made_of: NotRequired[list[str]]
    """Devices that the device is built from."""

    counters: NotRequired[DeviceCounters]
    """Kernel counters of the device (`/proc/diskstats`) during the measurement: the difference of two
    readings."""


class DisagreementPart(TypedDict):
    """A figure on which sources differ."""

    field: str
    """Name of the figure."""

    value: str
    """Value of the other source."""

    kept: str
    """Value that is kept."""

    kind: str
    """Kind of disagreement."""

    source: SourcePart
    """The other source."""


class DiskPart(TypedDict):
    """A disk."""

    name: str
    """Name of the disk."""

    iops: float
    """Fragments of I/Os per second that reach the media of the disk: without cache hits, with
    write-back. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput that reaches the media of the disk: without cache hits, with write-back. [bytes/s]"""

    disk: NotRequired[str]
    """Description of the disk; absent in the prediction beside a run."""

    era: NotRequired[str]
    """Era of the disk's figures, which may differ from `configuration.era`; absent in the prediction
    beside a run."""

    cache: NotRequired[str]
    """Host-cache setting of the disk; absent in the prediction beside a run."""

    size_bytes: NotRequired[int]
    """Size of the disk; absent in the prediction beside a run."""


class DiskPriceRow(TypedDict):
    """A meter of a disk."""

    name: str
    """Name of the tier, otherwise the type of disk."""

    type: str
    """Type of disk."""

    redundancy: str
    """Redundancy: `LRS` or `ZRS`; `-` if the cloud offers no choice."""

    meter: str
    """Meter, with the seller's own name: `Disk`, `provisioned IOPS`."""

    unit: str
    """Billed unit, with the seller's own name: `1/Month`, `GB-month`. A unit by the hour is given as one
    of a month of 730 hours."""

    usd: float
    """List price of one unit. [USD]"""

    as_of: str | None
    """Date of the price; `null` if the source states none."""

    source: str
    """Key of the source."""


class DiskRow(TypedDict):
    """A tier of disks."""

    name: str
    """Name of the tier."""

    type: str
    """Type of disk."""

    max_size_bytes: int
    """Largest disk of the tier."""

    iops: int | None
    """Published IOPS limit; `null` if unknown."""

    bytes_per_s: int | None
    """Published throughput limit; `null` if unknown."""

    burst_iops: int | None
    """Published IOPS limit while credits last; `null` without burst."""

    burst_bytes_per_s: int | None
    """Published throughput limit while credits last; `null` without burst."""

    enforced_bytes_per_s: int | None
    """Measured throughput limit, where it differs from the published one; otherwise `null`."""

    redundancy: str
    """Redundancy: `LRS` or `ZRS`."""

    era: str
    """Era of the figures."""

    cloud: str
    """Cloud that sells it."""

    source: str
    """Key of the source."""


class DiskTypePart(TypedDict):
    """A type of disk."""

    name: str
    """Name of the type, as `--disk` takes it."""

    title: str
    """The vendor's name for it."""

    cloud: str
    """Cloud that sells it."""

    example: str | None
    """A disk of the type, as `--disk` takes it; `null` for a type with tiers."""


class EraPart(TypedDict):
    """An era of the catalogue."""

    name: str
    """Name of the era, as `--era` takes it."""

    what: str
    """Description of the era."""

    source: str
    """Key of the source."""


class ExpectedPart(TypedDict):
    """The expected rate and its band."""

    iops: float
    """Mean IOPS of the counted time, known to 0.5 % (95 % confidence) or over 400,000 I/Os (200,000
    where a cache acknowledges writes). With `--duration`, of a run of that length from idle. Of a second
    run, the mean over its parts. [IOPS]"""

    low_iops: float
    """Lower end of the band: the model's own band times the factors of published runs with the same
    binding limit (see `docs/measured.md`). The band of throughput is this times the bytes of an I/O.
    [IOPS]"""

    high_iops: float
    """Upper end of the band. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput of these I/Os. [bytes/s]"""

    band: BandPart
    """Origin of the band."""


class ExplainObserved(TypedDict):
    """Causes of figures that were given."""

    schema: Literal["iobound.explain/2"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    vm: str | None
    """VM size; `null` if unknown."""

    disks: str | None
    """Disks, in a line; `null` if unknown."""

    observed: ObservedPart
    """Observed figures of all disks together, as given or as they follow from the given ones."""

    findings: list[FindingPart]
    """Findings, the best first: by `confidence`, then by how well the figures fit."""

    stacks: list[StackPart]
    """The model under the observed load: as the configuration is, and after the first change that gives
    more than was observed. Empty if the model cannot hold the load."""

    tell_apart: str | None
    """Next measurement. If no finding is more than `possible`: the cheapest measurement that would
    decide. If the first two findings cannot be told apart: the measurement on which they disagree.
    Otherwise `null`."""

    ruled_out: list[RuledOutPart]
    """Limits that are not reached."""

    want: WantPart | None
    """Changes that meet `--want`; `null` without it."""

    prices_region: str | None
    """Region of the on-demand prices of changes; `null` if they are unknown."""

    prices_as_of: str | None
    """Oldest date of the sources of these prices; `null` if unknown."""

    assumed: list[str]
    """Values that were assumed or derived."""

    notes: list[str]
    """Other facts to know."""


class ExplainWatched(TypedDict):
    """Causes of what this machine's counters show."""

    schema: Literal["iobound.explain/2"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    vm: str | None
    """VM size; `null` if unknown."""

    disks: str | None
    """Disks, in a line; `null` if unknown."""

    findings: list[FindingPart]
    """Findings, the best first: by `confidence`, then by how well the figures fit."""

    stacks: list[StackPart]
    """The model under the observed load: as the configuration is, and after the first change that gives
    more than was observed. Empty if the model cannot hold the load."""

    ruled_out: list[RuledOutPart]
    """Limits that are not reached."""

    assumed: list[str]
    """Values that were assumed or derived."""

    watched: WatchedPart
    """Counters of this machine, without a load from iobound; only of bare `explain`. I/Os of a disk are
    requests as the kernel counts them (`/proc/diskstats`), after merges."""

    notes: list[str]
    """Other facts to know."""


class FigurePart(TypedDict):
    """A figure of an entry."""

    name: str
    """Name of the figure."""

    value: str
    """Value, as the table of the catalogue has it."""

    unit: str
    """Unit of the value; empty for words."""

    source: SourcePart
    """Source of the figure."""


class Figures(TypedDict):
    """Figures of a run, or of a part of it: I/Os that completed without an error during the measurement.
    A foreign tool may not tell all of them; what nobody knows is absent."""

    ios: NotRequired[int]
    """Completed I/Os without an error. [I/Os]"""

    bytes: NotRequired[int]
    """Bytes that they transferred. [bytes]"""

    errors: NotRequired[int]
    """I/Os that failed. They count nowhere else. [I/Os]"""

    iops: NotRequired[float]
    """Completed I/Os ÷ counted time."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes ÷ counted time."""

    latency_us: NotRequired[Latency]
    """Response time: in a closed loop from issue, in an open loop from the intended time."""

    service_us: NotRequired[Latency]
    """In an open loop, time from issue to completion."""


class FindingPart(TypedDict):
    """A possible cause."""

    rule: str
    """Name of the cause: `vm-cached-throughput`. `above-every-limit`: more was observed than the limits
    and credits of the catalogue allow. `contradiction`: given figures exclude each other. `throttled`:
    I/Os wait at a limit, and it is not known at which: without a rate, or where the cloud counts them
    without the reason. `client-cpu`: a processor or a thread of the client is full. `device-block`:
    writes are smaller than a block of the device. `micro-burst`: bursts are shorter than the measured
    interval. `no-write-cache`: each write waits for the disk. `stalled-volume`: I/Os take half a second
    and more. `unexplained`: no known cause fits."""

    confidence: str
    """`strong`: the figures occur only with this cause. `likely`: there is separate evidence, such as a
    full limit, latency, depth, iowait or processor time. `possible`: the figures fit, and also fit other
    causes."""

    claim: str
    """The cause, as a sentence."""

    evidence: list[str]
    """Reasons to believe it."""

    remedy: str
    """The first of `remedies` if it changes the configuration or the workload, otherwise `advice`."""

    predicted_after: OutcomePart | None
    """Prediction after the first of `remedies`, which may be the same configuration in another
    circumstance (`after all blocks have been read`); `null` without one, or if the finding is not among
    the first three."""

    remedies: list[RemedyPart]
    """Changes, each by itself."""

    advice: str
    """Advice: the action to take."""

    to_be_sure: str | None
    """Measurement that distinguishes it from other causes; `null` if none is needed."""


class Fleet(TypedDict):
    """Facts about the ranks of a run, besides the figures of all of them."""

    launcher: str
    """Launcher that started the ranks: `open_mpi`, `pmi`, `slurm`, `kubernetes`, `ssh`, or `given` with
    `--rank`."""

    ranks: int
    """Expected ranks. [ranks]"""

    reported: int
    """Ranks that reported their figures. [ranks]"""

    missing: list[MissingRank]
    """Ranks that did not report."""

    first_done: NotRequired[RanksDone]
    """All that the ranks did from the start of counting until the first of them was done, ÷ that time,
    by whole intervals."""

    last_done: NotRequired[RanksDone]
    """All that was counted ÷ the time until the last rank was done."""

    per_host: NotRequired[PerHost]
    """Spread over the ranks; absent if none has figures."""

    stragglers: list[Straggler]
    """Ranks with less than 0.9 of the median IOPS, the slowest first; of three ranks or more."""

    start_skew_ms: NotRequired[float]
    """Time from when the first rank could issue its first I/O to when the last could, by the
    coordinator's clock. [ms]"""

    start_skew_uncertainty_ms: NotRequired[float]
    """Uncertainty of `start_skew_ms`: half the shortest round trip of each of the two ranks. [ms]"""

    clock: NotRequired[str]
    """Method of the clock comparison, and the drift of the clocks, as a sentence."""


class FrontierPoint(TypedDict):
    """The lowest price of a rate."""

    iops: int
    """I/Os per second of the data volume."""

    month: float | None
    """Lowest price for a month; `null` if nothing delivers them. [USD]"""

    configuration: PlanConfiguration | None
    """Configuration with this price; `null` if nothing delivers them."""


class Histogram(TypedDict):
    """A histogram as it stands in a result: the bins that are not empty, and the exact moments. The sums
    exceed what a number of JSON holds safely in other languages, so they are decimal strings."""

    digits: int
    """Significant digits of the bins. [digits]"""

    count: int
    """I/Os in all bins. [I/Os]"""

    min_ns: NotRequired[int]
    """Minimum latency, exact; absent without I/Os. [ns]"""

    max_ns: NotRequired[int]
    """Maximum latency, exact; absent without I/Os. [ns]"""

    sum_ns: str
    """Sum of the latencies in ns, in decimal digits."""

    sum_of_squares_ns2: str
    """Sum of the squares of the latencies in ns², in decimal digits."""

    saturated: NotRequired[int]
    """I/Os beyond the last bin; absent if there are none. [I/Os]"""

    bins: list[list[Any]]
    """Bins that are not empty: index and I/Os, in order of index."""


class Histograms(TypedDict):
    """The latencies of a job by operation (response time in an open loop), each where there were any."""

    read: NotRequired[Histogram]
    """Latencies of the reads."""

    write: NotRequired[Histogram]
    """Latencies of the writes."""

    flush: NotRequired[Histogram]
    """Latencies of the flushes."""

    discard: NotRequired[Histogram]
    """Latencies of the discards."""


class HostLimit(TypedDict):
    """Limit of a host."""

    by: str
    """Limit of the rank. With the configuration, as `binding` of a prediction, by the share of each
    limit that it used. Else `client` if its check says so, `rate` if 98 % of the requested rate was
    reached, `device` if a device was busy 95 % of the time or more with 4 requests or more on average,
    `queue_depth` if none was, `unknown` without counters."""

    says: str
    """Reason, as a sentence."""


class HostResult(TypedDict):
    """Figures of one rank."""

    rank: int
    """Number of the rank."""

    host: str
    """Machine of the rank."""

    label: str
    """Name of the rank among the others: its machine, or `machine:rank` if several ranks share the
    machine."""

    ios: NotRequired[int]
    """Completed I/Os without an error. [I/Os]"""

    bytes: NotRequired[int]
    """Bytes that they transferred. [bytes]"""

    errors: NotRequired[int]
    """I/Os that failed. They count nowhere else. [I/Os]"""

    iops: NotRequired[float]
    """Completed I/Os ÷ counted time."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes ÷ counted time."""

    latency_us: NotRequired[Latency]
    """Response time: in a closed loop from issue, in an open loop from the intended time."""

    service_us: NotRequired[Latency]
    """In an open loop, time from issue to completion."""

    depth: NotRequired[Depth]
    """Outstanding I/Os."""

    start_offset_ms: NotRequired[float]
    """Time from the agreed start to when the rank could issue its first I/O, by the coordinator's clock;
    it can be negative within the uncertainty of the clock offset. [ms]"""

    ended: str
    """End of the rank: `complete`, `interrupted` or `failed`."""

    error: NotRequired[str]
    """Reason why it failed; absent if it did not."""

    bound: NotRequired[HostLimit]
    """Limit of the rank; absent if unknown."""

    engine: NotRequired[str]
    """I/O engine."""

    kernel: NotRequired[str]
    """Release of the kernel."""

    files: NotRequired[list[str]]
    """Paths of its targets on its machine."""

    cpu: NotRequired[Cpu]
    """Processor time that the run took, without `processors`."""

    devices: NotRequired[list[DeviceFacts]]
    """Block devices below the targets."""

    checks: NotRequired[list[Check]]
    """Checks of the rank that are not `ok`."""


class ImportChange(TypedDict):
    """A figure that changed."""

    of: str
    """VM size or price."""

    figure: str
    """Column of the catalogue."""

    old: str
    """Value before, in the unit of the column; `unknown` if there was none."""

    new: str
    """Value after, in the unit of the column."""

    old_source: str | None
    """Key of the source of the old value; `null` if unknown."""

    old_as_of: str | None
    """Date of the old value; `null` if unknown."""


class ImportDocument(TypedDict):
    """The changes that an import makes to a catalogue file."""

    schema: Literal["iobound.catalog-import/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    files: list[ImportFile]
    """Files that were read."""

    sizes: int
    """VM sizes that were imported. [sizes]"""

    prices: int
    """Prices that were imported: list prices on demand, in US dollars. [prices]"""

    added: list[str]
    """VM sizes and prices that neither the catalogue nor the file had."""

    changed: list[ImportChange]
    """Figures that differ from the catalogue and the file."""

    gone: list[ImportGone]
    """Entries that an earlier list of the region had and this list does not have."""

    restricted: list[ImportRestricted]
    """VM sizes that are not offered in a region. No plan uses them there."""

    left_out: list[ImportLeftOut]
    """Entries that were not imported, by kind."""

    into: str | None
    """Catalogue file that was named (`--into`); otherwise `null`."""

    written: bool
    """True if the file was written. It is not written if nothing changed, or if no file was named."""

    notes: list[str]
    """Other facts to know."""


class ImportFile(TypedDict):
    """A file that was read."""

    name: str
    """Name of the file."""

    as_of: str
    """Date of its figures: `--as-of`, otherwise the day of the file."""

    sizes: int
    """Entries that are VM sizes. [entries]"""

    prices: int
    """Entries that are prices. [entries]"""


class ImportGone(TypedDict):
    """An entry that is not in the list any more."""

    of: str
    """VM size or price."""

    region: str
    """Region of the list."""

    offered: bool
    """True if the entry still counts as offered, with its older date. With `--complete` it does not."""


class ImportLeftOut(TypedDict):
    """Entries that were not imported."""

    what: str
    """Kind of entry."""

    entries: int
    """Entries of this kind. [entries]"""


class ImportRestricted(TypedDict):
    """A VM size that is not offered in a region."""

    name: str
    """Name of the VM size."""

    region: str
    """The region."""

    reason: str
    """Reason, in the words of the seller."""


class JobPart(TypedDict):
    """A job of a workload."""

    name: str
    """Name of the job."""

    description: str
    """Description of the job, in a line."""


class JobResult(TypedDict):
    """Figures of a job."""

    name: str
    """Name of the job."""

    loop: NotRequired[LoopLabel]
    """Loop of the job: `closed` or `open`."""

    ios: NotRequired[int]
    """Completed I/Os without an error. [I/Os]"""

    bytes: NotRequired[int]
    """Bytes that they transferred. [bytes]"""

    errors: NotRequired[int]
    """I/Os that failed. They count nowhere else. [I/Os]"""

    iops: NotRequired[float]
    """Completed I/Os ÷ counted time."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes ÷ counted time."""

    latency_us: NotRequired[Latency]
    """Response time: in a closed loop from issue, in an open loop from the intended time."""

    service_us: NotRequired[Latency]
    """In an open loop, time from issue to completion."""

    read: NotRequired[Figures]
    """The reads; absent without reads."""

    write: NotRequired[Figures]
    """The writes; absent without writes."""

    flush: NotRequired[Figures]
    """The flushes. They are in no other IOPS or throughput."""

    discard: NotRequired[Figures]
    """The discards. They are in no other IOPS or throughput."""

    depth: NotRequired[Depth]
    """Outstanding I/Os."""

    requested_iops: NotRequired[float]
    """IOPS that the job requested."""

    unfinished: NotRequired[int]
    """I/Os that were issued before the end of the counted time and not completed by then. [I/Os]"""

    never_issued: NotRequired[int]
    """I/Os of open loops that were intended before the end and never issued: the backlog. [I/Os]"""

    histograms: NotRequired[Histograms]
    """Every latency by operation, in ns, in the bins of HdrHistogram; only with `--html`, in kept runs,
    and of a run on the model."""


class KeptRun(TypedDict):
    """A kept run. The keys are the columns of its CSV form as well."""

    id: str
    """Id of the run: `r-142`."""

    first_of_command: str
    """Id of the first run of the same command."""

    at: str
    """Start of the run, UTC (RFC 3339)."""

    verb: str
    """Verb that ran it."""

    name: str | None
    """Name of the row of a lab; otherwise `null`."""

    side: str | None
    """Side of `run --vs`, `a` or `b`; otherwise `null`."""

    source: str
    """Origin of the figures: `measured`, `simulated`, `rehearsed` or `foreign` (another tool)."""

    ended: str
    """End of the run: `complete`, `interrupted` or `failed`."""

    target: str | None
    """File, device or volume that the I/O went to; `null` if unknown."""

    engine: str | None
    """Engine that issued the I/O; `null` if unknown."""

    host: str | None
    """Name of the machine; `null` if unknown."""

    workload: str | None
    """Description of the jobs; `null` if unknown."""

    counted_s: float | None
    """Counted time of the run; `null` if unknown. [s]"""

    depth_requested: int | None
    """Requested outstanding I/Os; `null` if unknown. [I/Os]"""

    iops: float | None
    """Completed reads and writes per second; `null` if unknown. [IOPS]"""

    throughput_bytes_per_s: float | None
    """Bytes that completed reads and writes transferred per second; `null` if unknown. [bytes/s]"""

    mean_us: float | None
    """Mean latency; `null` if unknown. [µs]"""

    p50_us: float | None
    """Median latency; `null` if unknown. [µs]"""

    p99_us: float | None
    """99th percentile of latency; `null` if unknown. [µs]"""

    max_us: float | None
    """Maximum latency; `null` if unknown. [µs]"""

    errors: int | None
    """I/Os that failed; `null` if unknown. [I/Os]"""


class KneePart(TypedDict):
    """The smallest concurrency that reaches the ceiling."""

    depth: int
    """Outstanding I/Os of each queue. [I/Os]"""

    threads: int
    """Number of queues. A queue is a thread on a target, or a thread that deals I/Os to several targets.
    [queues]"""

    outstanding: int
    """Outstanding I/Os of all queues. [I/Os]"""

    iops: float
    """I/Os per second at this concurrency. [IOPS]"""

    curve: NotRequired[list[KneePoint]]
    """Simulated points of the search; only with `--find-knee`."""


class KneePoint(TypedDict):
    """A simulated point of the search for the knee."""

    outstanding: int
    """Outstanding I/Os. [I/Os]"""

    iops: float
    """I/Os per second. [IOPS]"""

    latency_us: float
    """Mean latency: outstanding ÷ IOPS. [µs]"""


class Latency(TypedDict):
    """Latency in µs. Percentiles that fewer than ten I/Os exceed are absent; see
    [`percentile`](crate::percentile)."""

    loop: NotRequired[LoopLabel]
    """Definition of the latency: `closed` from issue, `open` from the intended time, `mixed` if the jobs
    differ."""

    mean: NotRequired[float]
    """Mean latency, exact. [µs]"""

    stdev: NotRequired[float]
    """Standard deviation of the latencies, not of their mean. [µs]"""

    min: NotRequired[float]
    """Minimum latency, exact. [µs]"""

    p50: NotRequired[float]
    """Median latency; absent if fewer than ten I/Os exceed it. [µs]"""

    p90: NotRequired[float]
    """90th percentile of latency; absent if fewer than ten I/Os exceed it. [µs]"""

    p95: NotRequired[float]
    """95th percentile of latency; absent if fewer than ten I/Os exceed it. [µs]"""

    p99: NotRequired[float]
    """99th percentile of latency; absent if fewer than ten I/Os exceed it. [µs]"""

    p99_9: NotRequired[float]
    """99.9th percentile of latency; absent if fewer than ten I/Os exceed it. [µs]"""

    p99_99: NotRequired[float]
    """99.99th percentile of latency; absent if fewer than ten I/Os exceed it. [µs]"""

    p99_999: NotRequired[float]
    """99.999th percentile of latency; absent if fewer than ten I/Os exceed it. [µs]"""

    p99_9999: NotRequired[float]
    """99.9999th percentile of latency; absent if fewer than ten I/Os exceed it. [µs]"""

    max: NotRequired[float]
    """Maximum latency, exact. [µs]"""


class LatencyBandPart(TypedDict):
    """A band of latency."""

    low: float
    """Lower end. [µs]"""

    high: float
    """Upper end. [µs]"""

    coverage: CoveragePart | None
    """Published runs that calibrate the band; `null` if there are none, and the band is the model's
    own."""


class LatencyBandsPart(TypedDict):
    """The bands of latency."""

    mean: LatencyBandPart | None
    """Band of the mean: the inverse of the band of IOPS, because a closed loop has a constant number of
    outstanding I/Os; `null` if nothing was timed."""

    p50: LatencyBandPart | None
    """Band of the median; `null` if nothing was timed."""

    p99: LatencyBandPart | None
    """Band of the 99th percentile; `null` if nothing was timed."""


class LimiterPart(TypedDict):
    """A limit, and what the I/Os use of it."""

    name: str
    """Name of the limit, as in `binding`."""

    of: str | None
    """Family of the limit where the name stands for several: the name of the `--disk`, or the direction;
    otherwise `null`."""

    count: int
    """Limits of this family. [limits]"""

    unit: LimitUnit
    """Unit of the figures: `iops` (I/O units per second) or `bytes_per_s`."""

    limit: float
    """Limit in the documentation of the cloud, such as 5,000 IOPS for a P30. [by `unit`]"""

    burst: float | None
    """Published burst limit while credits are left; otherwise `null`. [by `unit`]"""

    enforced: float
    """Enforced limit: the burst limit, or else the limit, times the factor; or a measured figure. [by
    `unit`]"""

    used: float
    """I/O units or bytes that were charged per second. [by `unit`]"""

    share: float
    """Used ÷ enforced of the fullest limit of the family."""

    held_us: float
    """Time that an I/O waited for this limit, the mean over all I/Os. [µs]"""


class MachineRow(TypedDict):
    """A machine of Google Cloud with a type of disk."""

    name: str
    """Name of the machine type."""

    type: str
    """Type of disk that the limits are for."""

    read_iops: int | None
    """Published IOPS limit of reads; `null` if unknown."""

    read_bytes_per_s: int | None
    """Published throughput limit of reads; `null` if unknown."""

    write_iops: int | None
    """Published IOPS limit of writes; `null` if unknown."""

    write_bytes_per_s: int | None
    """Published throughput limit of writes; `null` if unknown."""

    as_of: str | None
    """Date of the source; `null` if it states none."""

    source: str
    """Key of the source."""


class MissingRank(TypedDict):
    """A rank that told nothing of what it measured."""

    rank: int
    """Number of the rank."""

    host: NotRequired[str]
    """Machine of the rank; absent if it never joined."""

    why: str
    """Reason."""


class ModelPart(TypedDict):
    """Figures of the model about its own run."""

    configuration: ConfigurationPart
    """The configuration, with defaults filled in."""

    ceiling: PredictedCeiling
    """Highest rate that the enforced limits allow, as in a prediction."""

    latency_bands_us: LatencyBandsPart
    """Bands of latency, as in a prediction."""

    binding: str | None
    """Limit of the run, as in a prediction."""

    bindings: list[str]
    """`binding`, and all limits that held I/Os at least half as long."""

    limits: list[LimiterPart]
    """Limits, as in a prediction."""

    outstanding: int
    """Requested outstanding I/Os, over all jobs, threads and targets. [I/Os]"""

    latency_alone_us: float
    """Mean latency of a single I/O of each job, with no other I/O outstanding. [µs]"""

    hit_rate: float | None
    """Share of the reads that host caches served; `null` without cached reads."""

    volumes: list[VolumePart]
    """Figures of each volume."""

    disks: list[DiskPart]
    """Figures of each disk."""

    assumed: list[str]
    """Values that were assumed because they were not given: name, value, and reason."""

    notes: list[str]
    """Other facts to know."""


class ObservedDisk(TypedDict):
    """Observed figures of a disk or a volume."""

    iops: float | None
    """Completed reads and writes per second, of counters the mean over the observed time; `null` if
    unknown. [IOPS]"""

    throughput_bytes_per_s: float | None
    """Bytes per second of completed reads and writes; `null` if unknown. [bytes/s]"""

    mean_us: float | None
    """Mean latency, of several disks that of all their I/Os; `null` if unknown. [µs]"""

    p50_us: float | None
    """Median latency; `null` if unknown. [µs]"""

    p95_us: float | None
    """95th percentile of latency; `null` if unknown. [µs]"""

    p99_us: float | None
    """99th percentile of latency; `null` if unknown. [µs]"""

    block_bytes: float | None
    """Mean size of an I/O: throughput ÷ IOPS; `null` if unknown. [bytes]"""

    outstanding: float | None
    """Mean number of outstanding I/Os, as given or else IOPS × mean latency (Little's law); `null` if
    unknown. [I/Os]"""

    read: float | None
    """Share of reads; `null` if unknown."""

    name: str
    """Name of the disk or volume in the configuration."""


class ObservedPart(TypedDict):
    """Observed figures of all disks together."""

    iops: float | None
    """Completed reads and writes per second, of counters the mean over the observed time; `null` if
    unknown. [IOPS]"""

    throughput_bytes_per_s: float | None
    """Bytes per second of completed reads and writes; `null` if unknown. [bytes/s]"""

    mean_us: float | None
    """Mean latency, of several disks that of all their I/Os; `null` if unknown. [µs]"""

    p50_us: float | None
    """Median latency; `null` if unknown. [µs]"""

    p95_us: float | None
    """95th percentile of latency; `null` if unknown. [µs]"""

    p99_us: float | None
    """99th percentile of latency; `null` if unknown. [µs]"""

    block_bytes: float | None
    """Mean size of an I/O: throughput ÷ IOPS; `null` if unknown. [bytes]"""

    outstanding: float | None
    """Mean number of outstanding I/Os, as given or else IOPS × mean latency (Little's law); `null` if
    unknown. [I/Os]"""

    read: float | None
    """Share of reads; `null` if unknown."""

    duration_s: float | None
    """Observed time; `null` if unknown. [s]"""

    disks: list[ObservedDisk]
    """Disks and volumes that were observed separately."""


class OutcomePart(TypedDict):
    """The prediction after a change."""

    iops: float
    """Expected I/Os per second, sustained or at `--at`. [IOPS]"""

    low_iops: float
    """Lower end of the band of IOPS. [IOPS]"""

    high_iops: float
    """Upper end of the band of IOPS. [IOPS]"""

    throughput_bytes_per_s: float
    """Expected throughput. [bytes/s]"""

    latency_us: float | None
    """Expected mean latency; `null` if unknown. [µs]"""

    p50_us: float | None
    """Expected median latency; `null` if unknown. [µs]"""

    p95_us: float | None
    """Expected 95th percentile of latency; `null` if unknown. [µs]"""

    p99_us: float | None
    """Expected 99th percentile of latency; `null` if unknown. [µs]"""

    binding: list[str]
    """Limits that bind after the change."""

    outstanding: int | None
    """Outstanding I/Os that reach the limits after the change; `null` if unknown. [I/Os]"""

    effect: str | None
    """Effect against what was observed, in bytes, else in I/Os, else in time: `better` from 5 % more,
    `worse` from 5 % less, otherwise `same`; of less read-ahead, against what the application received;
    `null` if unknown."""

    meets_want: bool | None
    """True if `--want` is met; `null` without it."""

    price_change_usd_per_month: float | None
    """Price of the changed configuration minus that of the present one, by the on-demand prices of
    `--region`; `null` if a price is unknown. [USD a month]"""


class PartResult(TypedDict):
    """Figures of a thread or a target, over all jobs. Percentiles are to two digits."""

    name: str
    """Number of the thread, or name of the target."""

    ios: NotRequired[int]
    """Completed I/Os without an error. [I/Os]"""

    bytes: NotRequired[int]
    """Bytes that they transferred. [bytes]"""

    errors: NotRequired[int]
    """I/Os that failed. They count nowhere else. [I/Os]"""

    iops: NotRequired[float]
    """Completed I/Os ÷ counted time."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes ÷ counted time."""

    latency_us: NotRequired[Latency]
    """Response time: in a closed loop from issue, in an open loop from the intended time."""

    service_us: NotRequired[Latency]
    """In an open loop, time from issue to completion."""

    read: NotRequired[Figures]
    """The reads; absent without reads."""

    write: NotRequired[Figures]
    """The writes; absent without writes."""

    flush: NotRequired[Figures]
    """The flushes. They are in no other IOPS or throughput."""

    discard: NotRequired[Figures]
    """The discards. They are in no other IOPS or throughput."""


class PerHost(TypedDict):
    """Distance between the hosts."""

    iops: Spread
    """IOPS of a rank."""

    throughput_bytes_per_s: Spread
    """Throughput of a rank."""


class PerSecond(TypedDict):
    """The slowest and the fastest second of the counted time; only whole ones."""

    min: float
    """IOPS of the slowest second. [IOPS]"""

    max: float
    """IOPS of the fastest second. [IOPS]"""


class PlanCandidate(TypedDict):
    """A candidate."""

    configuration: PlanConfiguration
    """Configuration of one host."""

    price: CandidatePrice | None
    """Price; `null` if the price of a part is unknown."""

    binding: str
    """Limit that binds at the ceiling, as `binding` of `predict`."""

    predicted: CandidatePrediction
    """Figures from the model."""

    unreachable: Unreachable
    """Amount by which the disks' own limits together exceed the limits of the VM size: paid for, but
    never reached."""

    cluster: NotRequired[CandidateCluster]
    """Figures of one host, with `--hosts`; absent without it, and for one host."""


class PlanCluster(TypedDict):
    """Figures of one host."""

    hosts: int
    """Hosts that share the need. [hosts]"""

    slow_host: float
    """Share of its limits that a slow host has (`--slow-host`). Such a host still meets its part of the
    need, and so does a scan that waits for it. The rest of each limit stays free."""

    need: PlanVolumes
    """The need of one host, rounded up."""

    by_hosts: list[PlanOnHosts]
    """Lowest price for each number of hosts, as the search finds it, if several numbers were given. The
    plan takes the cheapest number that a simulation confirms, of at most eight."""


class PlanConfiguration(TypedDict):
    """A VM size and its disks."""

    vm: str
    """VM size."""

    cloud: str
    """Cloud that sells it."""

    vcpus: int | None
    """Usable virtual processors; `null` if unknown. [vCPUs]"""

    memory_bytes: int | None
    """Memory; `null` if unknown."""

    disks: list[str]
    """Disks, each as `--disk` takes it."""

    stripe_bytes: int
    """Interleave of the stripe."""


class PlanDocument(TypedDict):
    """Configurations to buy for a need. With `--hosts`, the need and all figures and prices are of all
    hosts together, except those in `cluster` and those in `because`. A `configuration` is that of one
    host; `cluster.hosts` of them are bought."""

    schema: Literal["iobound.plan/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    need: PlanNeed
    """The need that the plan is for. Of a range of IOPS, it has the IOPS of the build with the least
    regret."""

    cluster: NotRequired[PlanCluster]
    """Figures of one host, with `--hosts`; absent without it, and for one host."""

    interrupted: NotRequired[bool]
    """True if the user interrupted the plan; absent otherwise. If the search was stopped, the ideas are
    `so_far`: `candidates` are then those that a simulation had passed by that time, and a cheaper one
    may pass too."""

    terms: str
    """Terms of the plan in words: operating system, processor, VM size if one is kept, bursts."""

    ranked_by: RankedBy
    """`price`, or `size` if prices are unknown or with `--rank size`: fewest vCPUs of the size, then
    least memory, then the smallest sum of GiB, IOPS and MB/s of the disks. With `size`, each `price` and
    `month` is `null`."""

    places: list[PlanPlace]
    """Regions whose list prices are used."""

    candidates: list[PlanCandidate]
    """Candidates: the VM sizes that carry the `ideas`, in the order of the ideas, and the cheapest first
    in each. The first one is the cheapest of all, except those of `with_local_disks`. Of disks of one
    type on one VM size, one disk more must save at least 1 USD a month (`--per-disk`). Under a latency
    goal, every VM size is tried with every choice of disks in order of price, until a simulation keeps
    the goal; chosen figures go in steps of 1 % up to 30 % above the need, then coarser."""

    ideas: list[PlanIdea]
    """Different ideas of what to buy, the cheapest first; `with_local_disks` is last."""

    refused: list[PlanRefused]
    """Cheaper configurations that are not taken, the most expensive first; without candidates, all VM
    sizes."""

    sizes: int
    """VM sizes that were examined. [sizes]"""

    refused_counts: list[RefusedCount]
    """VM sizes that are not taken at any price, by reason."""

    next_1000_iops_month: float | None
    """Price of 1,000 more IOPS for a month; `null` if nothing delivers them. [USD]"""

    frontier: list[FrontierPoint]
    """Lowest price at 25 % to 400 % of the required IOPS of the data volume. If nothing meets the need,
    lower rates are still listed. If a latency is required, only with types of disks that keep it."""

    build: list[BuildScript]
    """Commands that build and test a candidate, with `--build`."""

    regret: list[RegretBuild]
    """Of a range of IOPS, where prices are known: the cheapest build at each of nine points, the least
    regret first."""

    trace: NotRequired[PlanTrace]
    """Configurations on which the trace was replayed, with `--trace`; absent without it. The candidates
    are among them. If every cheaper one was left out by arithmetic, the next cheaper one is replayed
    too."""

    miss: PlanMiss | None
    """The configuration that is nearest to the need, if nothing meets it; otherwise `null`."""

    assumed: list[str]
    """Values that were assumed because they were not given."""

    notes: list[str]
    """Other facts to know."""


class PlanIdea(TypedDict):
    """An idea of what to buy, and the candidates that carry it."""

    names: list[str]
    """`cheapest`, or with `ranked_by` `size` the smallest; `simplest`, the fewest disks among what costs
    at most 10 % more than the cheapest (absent without prices); `without_provisioned_disks`, the same
    among disks whose figures come with their size; `cheapest_on_azure`, `cheapest_on_aws` if several
    clouds are allowed; `with_local_disks`, the cheapest with data and log on the VM's own disks, which
    lose all data when the VM is stopped, moved or fails. This idea is absent if no local disks are known
    to be enough, with `--disk-types`, `--keep-disks` and `--trace`. A search that was interrupted has
    `so_far` alone: disks with which a simulation had passed."""

    disks: list[str] | None
    """Each `--disk` of the idea; `null` without a candidate."""

    candidates: list[int]
    """Numbers of the candidates that carry it, from 1, as `--build` takes them. [numbers]"""


class PlanLatency(TypedDict):
    """A required latency."""

    statistic: str
    """Statistic at the required rate: `mean`, `p50`, `p90`, `p95` or `p99`."""

    most_us: float
    """Largest value of the statistic. [µs]"""


class PlanMiss(TypedDict):
    """Configuration nearest to a need that nothing meets."""

    reached: float | None
    """Share of the need that the nearest configuration reaches; `null` if it reaches the need and fails
    by its latency."""

    nearest: PlanRefused | None
    """The nearest configuration, with the limit that it fails by; `null` if there is none."""

    several: SeveralVms | None
    """Fewest equal VMs, up to 16, that share the need; `null` if none do."""


class PlanNeed(TypedDict):
    """A need."""

    data: PlanVolume
    """Need of the data volume."""

    log: PlanVolume | None
    """Need of the log volume; `null` without one."""

    temp: PlanVolume | None
    """Need of the temporary volume; `null` without one."""

    latency: PlanLatency | None
    """Required latency; `null` if none is required."""

    headroom: float
    """Share of each published limit that stays free at the required rate: 0.1 unless `--headroom` gives
    another, so that I/Os do not queue."""


class PlanOnHosts(TypedDict):
    """The lowest price on a number of hosts."""

    hosts: int
    """Number of hosts. [hosts]"""

    month: float | None
    """Price of all hosts for a month; `null` if nothing meets the need. [USD]"""

    configuration: PlanConfiguration | None
    """Configuration of one host; `null` if nothing meets the need."""


class PlanPlace(TypedDict):
    """A region."""

    region: str
    """Name of the region."""

    as_of: str | None
    """Oldest date of the sources of its prices; `null` if unknown."""


class PlanRefused(TypedDict):
    """A configuration that is not taken."""

    vm: str
    """VM size."""

    configuration: PlanConfiguration | None
    """Cheapest configuration with this VM size; `null` if no price is known."""

    price: RefusedPrice | None
    """Its price; `null` if unknown."""

    rule: str
    """Reason as a word: the name of a limit, `unknown`, `arch`, `previous_generation`, `restricted` (not
    offered in the region, by an imported list), `zone` (in no zone there), `local` (no local disk that
    is sufficient for `--temp`), `latency_unknown` (the goal is missed with an assumed latency of the
    disks, and kept at the fast end of its range), and others."""

    because: str
    """The reason as a sentence."""


class PlanReplay(TypedDict):
    """A configuration on which a trace was replayed."""

    vm: str
    """VM size."""

    disks: list[str]
    """Disks, as `--disk` takes them."""

    month: float | None
    """Price of a month; `null` if a part of it has no known price, or if it fails in place of weaker
    ones that are cheaper. [USD]"""

    weaker_fail_too: bool
    """True if it fails in place of weaker VM sizes with the same disks, which are cheaper and cannot
    keep the goal either."""

    below_mean_rate: NotRequired[bool]
    """True if its published limits are below the mean rate of the trace with the headroom: it is no
    candidate, and was replayed to show when it fails. Absent otherwise."""

    holds: bool
    """True if the trace keeps the goal on it."""

    latency_us: float
    """The goal's statistic of the replay. If the configuration fails, the replay ends then, and the
    statistic is of the I/Os up to that second. [µs]"""

    fails_at_s: float | None
    """Second in which the configuration fails: from then on too many I/Os have exceeded the goal's
    latency for the goal to be kept. `null` if it holds, or if the goal is a mean. [s]"""

    throttled_at_s: float | None
    """First second in which a limit held I/Os back and the goal's statistic of that second exceeded the
    goal; `null` if there is none. [s]"""

    bound_by: str | None
    """Limit that held I/Os back longest in that second; `null` if none did."""

    credits: list[ReplayCredits]
    """Credits that ran out."""


class PlanTrace(TypedDict):
    """A trace that a plan is for."""

    read: TraceRead
    """Files that were read, with their format and what was counted."""

    ios: int
    """I/Os of the trace. [I/Os]"""

    goal: str
    """Goal: `p99:5ms`. Reads and writes count from their recorded times."""

    replayed: list[PlanReplay]
    """Configurations on which the trace was replayed, the cheapest first."""


class PlanVolume(TypedDict):
    """The need of a volume."""

    iops: int
    """I/Os of the block size per second."""

    throughput_bytes_per_s: int
    """Throughput that is required in addition to the I/Os. The part beyond the throughput of the I/Os
    moves in units of 256 KiB."""

    block_bytes: int
    """Size of an I/O; offsets are random multiples of it. Of a workload with several sizes, the mean."""

    read: float
    """Share of reads."""

    capacity_bytes: int
    """Capacity of the volume."""

    working_set_bytes: int
    """Working set. The plan counts on a host cache only if the cache holds the complete working set."""


class PlanVolumes(TypedDict):
    """The need of each volume."""

    data: PlanVolume
    """Need of the data volume."""

    log: PlanVolume | None
    """Need of the log volume; `null` without one."""

    temp: PlanVolume | None
    """Need of the temporary volume; `null` without one."""


class Point(TypedDict):
    """One interval of the series."""

    start_s: float
    """Start of the interval since the start of I/O. The interval has what completed after it."""

    end_s: float
    """End of the interval, which belongs to it."""

    phase: PhaseLabel
    """`warmup`, `counted` or `cooldown`."""

    cut_short: NotRequired[bool]
    """True if the interval is shorter than the others; absent if not."""

    iops: float
    """Completed reads and writes per second."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes per second."""

    read: NotRequired[PointFigures]
    """The reads; absent in a run without reads."""

    write: NotRequired[PointFigures]
    """The writes; absent in a run without writes."""


class PointFigures(TypedDict):
    """One direction in an interval. Latencies in µs are absent where nothing completed."""

    iops: float
    """Completed I/Os per second."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes per second."""

    errors: NotRequired[int]
    """I/Os that failed; absent if none did. [I/Os]"""

    mean_us: NotRequired[float]
    """Mean latency; absent if nothing completed."""

    min_us: NotRequired[float]
    """Minimum latency; absent if nothing completed."""

    p50_us: NotRequired[float]
    """Median latency, to two digits; absent below 20 I/Os."""

    p99_us: NotRequired[float]
    """99th percentile of latency, to two digits; absent below 1,000 I/Os."""

    max_us: NotRequired[float]
    """Maximum latency; absent if nothing completed."""

    latencies: NotRequired[list[list[Any]]]
    """Highest latency of each class in ns, and the I/Os in the class; four classes to a power of two.
    Only with `--html` and in kept runs. In a series of more than 14,400 intervals, the first of those
    that a page shows as one has those of all."""


class PredictDocument(TypedDict):
    """Expected performance of a configuration under a workload. The figures at the top are of the first
    stage of the workload."""

    schema: Literal["iobound.predict/2"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    configuration: ConfigurationPart
    """The configuration, with defaults filled in."""

    workload: WorkloadPart
    """The jobs."""

    ceiling: PredictedCeiling
    """Highest rate that the enforced limits allow for this block size, mix and requested rate, at any
    queue depth, with the host cache in its declared state. It is computed, not simulated."""

    expected: ExpectedPart
    """Expected figures, from the simulation."""

    latency_us: PredictedLatency | None
    """Latency of reads and writes together, from the simulation of the expected figures; `null` if
    nothing completed."""

    latency_bands_us: LatencyBandsPart
    """Bands of latency: the model's own bands times the factors of published runs."""

    binding: str | None
    """Limit of the expected figure: the one that is used to 98 % or more and held I/Os longest
    (`disk.iops`, `disk.throughput`; on Azure `vm.uncached.iops`, `vm.uncached.throughput`,
    `vm.cached.iops`, `vm.cached.throughput`, `account.iops`; on AWS `vm.ebs.iops`, `vm.ebs.throughput`),
    `cache.dirty` (writes wait until a cache is written back), `queue_depth` (no limit is full), `rate`
    (the requested rate is reached), `client` or `unknown`."""

    bindings: list[str]
    """`binding`, and all limits that held I/Os at least half as long."""

    limits: list[LimiterPart]
    """Limits. All limits of one family are one entry: the ten disks of one `--disk` are one entry."""

    burst: BurstPart | None
    """Rate while full burst credits last; `null` if credits change nothing."""

    knee: KneePart | None
    """Smallest concurrency that reaches the ceiling, without the job's rate and pauses: ceiling ×
    latency of one I/O alone, or by simulation with `--find-knee`; `null` if unknown."""

    outstanding: int
    """Requested outstanding I/Os, over all jobs, threads and targets. [I/Os]"""

    latency_alone_us: float
    """Mean latency of a single I/O of each job, with no other I/O outstanding. [µs]"""

    hit_rate: float | None
    """Share of the reads that host caches serve; `null` without cached reads."""

    volumes: list[VolumePart]
    """Figures of each volume."""

    disks: list[DiskPart]
    """Figures of each disk."""

    cluster: NotRequired[ClusterPart]
    """Figures of several hosts with the same configuration and workload each; only with `--hosts`. Every
    other key is of one host."""

    assumed: list[str]
    """Values that were assumed because they were not given: name, value, and reason."""

    notes: list[str]
    """Other facts to know."""

    published: NotRequired[ComparedWithBand]
    """Figure to compare with the band; only with `--observed`."""

    price: NotRequired[PricePart]
    """List price on demand of the VM size and all disks for 730 hours; only with `--region`."""

    stages: NotRequired[list[StagePart]]
    """All stages of the workload, if it has several."""


class PredictedCeiling(TypedDict):
    """The highest rate that the limits allow."""

    iops: float | None
    """I/Os per second; `null` if no limit binds. [IOPS]"""

    throughput_bytes_per_s: float | None
    """Throughput; `null` if no limit binds. [bytes/s]"""

    bindings: list[str]
    """Limits that are full at this rate."""


class PredictedLatency(TypedDict):
    """A latency distribution of the simulation."""

    mean: float | None
    """Mean latency. [µs]"""

    p50: float | None
    """Median latency. [µs]"""

    p90: float | None
    """90th percentile of latency. [µs]"""

    p95: float | None
    """95th percentile of latency. [µs]"""

    p99: float | None
    """99th percentile of latency. [µs]"""

    max: float | None
    """Maximum latency, exact. [µs]"""

    min: float | None
    """Minimum latency, exact. [µs]"""

    stdev: float | None
    """Standard deviation of the latencies, not of their mean. [µs]"""

    loop: NotRequired[LoopLabel]
    """Definition of the latency: `closed` from issue, `open` from the intended time, `mixed` if the jobs
    differ."""


class PredictionPart(TypedDict):
    """Expected performance of a configuration under a workload."""

    ceiling: PredictedCeiling
    """Highest rate that the enforced limits allow for this block size, mix and requested rate, at any
    queue depth, with the host cache in its declared state. It is computed, not simulated."""

    expected: ExpectedPart
    """Expected figures, from the simulation."""

    latency_us: PredictedLatency | None
    """Latency of reads and writes together, from the simulation of the expected figures; `null` if
    nothing completed."""

    latency_bands_us: LatencyBandsPart
    """Bands of latency: the model's own bands times the factors of published runs."""

    binding: str | None
    """Limit of the expected figure: the one that is used to 98 % or more and held I/Os longest
    (`disk.iops`, `disk.throughput`; on Azure `vm.uncached.iops`, `vm.uncached.throughput`,
    `vm.cached.iops`, `vm.cached.throughput`, `account.iops`; on AWS `vm.ebs.iops`, `vm.ebs.throughput`),
    `cache.dirty` (writes wait until a cache is written back), `queue_depth` (no limit is full), `rate`
    (the requested rate is reached), `client` or `unknown`."""

    bindings: list[str]
    """`binding`, and all limits that held I/Os at least half as long."""

    limits: list[LimiterPart]
    """Limits. All limits of one family are one entry: the ten disks of one `--disk` are one entry."""

    burst: BurstPart | None
    """Rate while full burst credits last; `null` if credits change nothing."""

    knee: KneePart | None
    """Smallest concurrency that reaches the ceiling, without the job's rate and pauses: ceiling ×
    latency of one I/O alone, or by simulation with `--find-knee`; `null` if unknown."""

    outstanding: int
    """Requested outstanding I/Os, over all jobs, threads and targets. [I/Os]"""

    latency_alone_us: float
    """Mean latency of a single I/O of each job, with no other I/O outstanding. [µs]"""

    hit_rate: float | None
    """Share of the reads that host caches serve; `null` without cached reads."""

    volumes: list[VolumePart]
    """Figures of each volume."""

    disks: list[DiskPart]
    """Figures of each disk."""


class PreparedPart(TypedDict):
    """Preparation of a target before a run."""

    target: str
    """The target."""

    did: str
    """`created`, `overwritten`, `filled` (blocks that had never been written), `reused` (of an earlier
    run) or `untouched`."""

    size_bytes: int
    """Size of the target."""

    written_bytes: int
    """Bytes that were written."""

    seconds: float
    """Time that the writing took. [s]"""

    content: str | None
    """Content of written blocks; `null` if nothing was written."""


class PresetJob(TypedDict):
    """A job of a preset."""

    name: str
    """Name of the job."""

    description: str
    """Description of the job."""


class PresetPart(TypedDict):
    """A workload of a real system."""

    name: str
    """Name, as `--preset` takes it."""

    about: str
    """The system and its workload, in a sentence."""

    source: str
    """Publication that the figures come from."""

    confidence: str
    """Share of the figures that the source carries: `published` (all), `partly`, `memory` (few)."""

    note: str
    """Other facts to know."""

    jobs: list[PresetJob]
    """The jobs of the workload."""

    toml: str
    """The workload, as `--workload` reads it."""


class PricePart(TypedDict):
    """The list price of a configuration."""

    month: float | None
    """Price for 730 hours; `null` if the price of a part is unknown. [USD]"""

    known_month: float
    """Price of the parts whose price is known. [USD]"""

    currency: str
    """Currency."""

    as_of: str | None
    """Oldest date of the sources of the prices; `null` if unknown."""

    unknown: list[str]
    """Parts whose price is unknown."""

    by_use: list[str]
    """Parts that are billed by use. They are not in the sum."""


class Processor(TypedDict):
    """One processor while counting was on; shares of its time between 0 and 1."""

    cpu: int
    """Number of the processor. [number]"""

    core: NotRequired[int]
    """Number of its core within the socket; absent if unknown. [number]"""

    socket: NotRequired[int]
    """Number of its socket; absent if unknown. [number]"""

    node: NotRequired[int]
    """Number of its NUMA node; absent if unknown. [number]"""

    efficiency_class: NotRequired[int]
    """Kind of its core, from 0; a faster kind has a higher number; absent if unknown. [number]"""

    user: float
    """Share of its time in programs."""

    system: float
    """Share of its time in the kernel, including interrupts."""

    idle: float
    """Share of its time without work, including waits for I/O."""

    steal: float
    """Share of its time that the hypervisor took."""


class RanksDone(TypedDict):
    """Sum of all ranks until a moment."""

    iops: float
    """Reads and writes per second."""

    throughput_bytes_per_s: float
    """Bytes per second."""

    seconds: float
    """Time since the start of counting. [s]"""


class RefusedCount(TypedDict):
    """VM sizes that are not taken, by reason."""

    rule: str
    """Reason as a word, as in `refused`."""

    sizes: int
    """VM sizes. [sizes]"""


class RefusedPrice(TypedDict):
    """A price."""

    month: float
    """List price on demand for 730 hours. [USD]"""

    currency: str
    """Currency."""


class RegionRow(TypedDict):
    """A region with prices."""

    region: str
    """Name of the region, as `--region` takes it."""


class RegretBuild(TypedDict):
    """A build for one point of a range."""

    iops: int
    """The point."""

    configuration: PlanConfiguration
    """Configuration of one host."""

    month: float | None
    """Price for a month; `null` if the price of a part is unknown. [USD]"""

    worst_month: float
    """Regret at the worst point: the additional price over the cheapest sufficient build, or the
    complete price if it is not sufficient. [USD]"""

    mean_month: float
    """Mean regret over the points. [USD]"""


class RemedyPart(TypedDict):
    """A change and its prediction."""

    change: str
    """The change in words."""

    predicted_after: OutcomePart | None
    """Prediction after the change; `null` if it was not predicted."""


class ReplayCredits(TypedDict):
    """Credits that ran out."""

    limit: str
    """Limit that the credits let I/Os exceed."""

    at_s: float
    """First second at whose end the credits were spent. [s]"""


class ReplayFacts(TypedDict):
    """A replay of a trace beside the recording."""

    trace: str
    """Name of the job: the files of the trace."""

    mode: str
    """Mode: `timed` issues each I/O at its recorded time; `dependent` waits for the I/Os that had
    completed before it; `eager` ignores the times of the log (fio's `replay_no_stall`)."""

    speed: float
    """Factor on the recorded speed."""

    complete: bool
    """True if the trace was replayed to its end."""

    issued: int
    """I/Os that were issued. [I/Os]"""

    recorded_s: float
    """Time from the first recorded issue to the last, divided by the speed."""

    issued_s: float
    """Time from the intended issue of the first I/O to the last issue. The time until the last
    completion is not part of it: `start.counted_s`, and with it the IOPS, has that too."""

    rate: NotRequired[float]
    """Issue rate ÷ recorded rate: `recorded_s` ÷ `issued_s`. Absent if the trace was not replayed to its
    end, has fewer than ten I/Os or is shorter than 0.1 s."""

    most_outstanding: NotRequired[int]
    """The most I/Os that could be outstanding. Absent in results of earlier versions. [I/Os]"""

    held_back: int
    """I/Os that waited because `most_outstanding` others were outstanding. Their latency counts from the
    intended time. [I/Os]"""

    wrapped: int
    """I/Os beyond the end of their target; their offsets were wrapped. [I/Os]"""

    rounded: int
    """I/Os whose offset or length was rounded to what the target takes. [I/Os]"""

    left_out: int
    """I/Os that were left out: of length zero, or longer than their target or than a buffer. [I/Os]"""


class ResultsDocument(TypedDict):
    """Kept runs: a list, an export, or the ids of deleted ones. `results show` prints the result's own
    document instead."""

    schema: Literal["iobound.results/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    place: str
    """File of the results store."""

    count: int
    """Runs in this document. [runs]"""

    runs: NotRequired[list[KeptRun]]
    """Runs, the newest first; only of `results list`."""

    results: NotRequired[list[Any]]
    """Complete documents of runs (`iobound.result/1`), each with its histograms, the latencies of its
    intervals, its `verb`, and its `configuration` in TOML; only of `results export`."""

    deleted: NotRequired[list[str]]
    """Ids of the runs that were deleted; only of `results delete`."""


class RoundsPart(TypedDict):
    """The turns of `run --vs`."""

    count: int
    """Complete rounds. A round has four turns, in the order ABBA or BAAB. [rounds]"""

    turn_s: float
    """Counted time of each turn. [s]"""

    warmup_s: float
    """Warm-up time before the counted time of each turn. [s]"""


class RuledOutPart(TypedDict):
    """A limit that is not reached."""

    limit: str
    """Name of the limit."""

    used: float
    """Used ÷ enforced; with `--at`, while credits last, of the burst limit."""

    because: str
    """Reason why it is not the cause."""


class RunDocument(TypedDict):
    """The result of a run, with what was asked, expected and prepared. The figures at the top are of the
    first stage. It reads back as a result."""

    schema: Literal["iobound.result/1"]
    """Name and version of the document. The version changes when a key changes its meaning."""

    id: NotRequired[str]
    """Id under which the run is kept: `r-142`; absent if it is not kept."""

    source: Source
    """Origin of the figures: `simulated`, `rehearsed`, `measured` or `foreign` (another tool)."""

    tool: NotRequired[Tool]
    """Tool that wrote a foreign result."""

    engine: NotRequired[str]
    """I/O engine: `io_uring`, `libaio`, `model`."""

    device: NotRequired[str]
    """Target of the I/O."""

    devices: NotRequired[list[DeviceFacts]]
    """Block devices below the targets."""

    cpu: NotRequired[Cpu]
    """Processor time that the run took."""

    kernel: NotRequired[str]
    """Release of the kernel."""

    start: NotRequired[Start]
    """Circumstances of the run, as far as they are known."""

    ios: NotRequired[int]
    """Completed I/Os without an error. [I/Os]"""

    bytes: NotRequired[int]
    """Bytes that they transferred. [bytes]"""

    errors: NotRequired[int]
    """I/Os that failed. They count nowhere else. [I/Os]"""

    iops: NotRequired[float]
    """Completed I/Os ÷ counted time."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes ÷ counted time."""

    latency_us: NotRequired[Latency]
    """Response time: in a closed loop from issue, in an open loop from the intended time."""

    service_us: NotRequired[Latency]
    """In an open loop, time from issue to completion."""

    read: NotRequired[Figures]
    """The reads; absent without reads."""

    write: NotRequired[Figures]
    """The writes; absent without writes."""

    flush: NotRequired[Figures]
    """The flushes. They are in no other IOPS or throughput."""

    discard: NotRequired[Figures]
    """The discards. They are in no other IOPS or throughput."""

    depth: NotRequired[Depth]
    """Outstanding I/Os."""

    per_second: NotRequired[PerSecond]
    """Slowest and fastest whole second of the counted time."""

    unfinished: NotRequired[int]
    """I/Os that were issued before the end of the counted time and not completed by then. [I/Os]"""

    never_issued: NotRequired[int]
    """I/Os of open loops that were intended before the end and never issued: the backlog. [I/Os]"""

    steady: NotRequired[Steady]
    """True if the counted time was steady, by SNIA's rule: of five equal rounds, in each direction, the
    range is at most 20 % of the mean, and the best-fit line rises at most 10 %."""

    confidence: NotRequired[Confidence]
    """Confidence interval of the mean IOPS, by batch means."""

    standard_errors: NotRequired[list[StandardError]]
    """Standard errors of the figures, by sectioning (see `compare`), of figures with ten sections that
    have enough I/Os. `all` I/Os and, if both were used, each direction."""

    replays: NotRequired[list[ReplayFacts]]
    """Replays of traces beside their recordings, by thread."""

    checks: list[Check]
    """Findings about the run itself. `alone`: a warning if several runs do not know of each other.
    `completed`: failed if no I/O completed in the counted time. `find-load`: with `--find-load`, the
    highest depth at which the share of the goal's I/Os met its bound in a probe of 2 s, found by
    doubling and then by halving to a sixteenth; all other figures are of the run at that depth.
    `replay`: of a trace, the time from the first issue to the last beside that of the recording at this
    speed; a warning if they are more than 1 % apart. `replay-changes`: I/Os of a trace that were
    wrapped, rounded or left out. `recorded-latency`: latencies of reads and writes beside those of the
    recording, from the intended time. `schedule`: in an open loop, the time from when an I/O could be
    issued to when it was, warm-up and cool-down included; a warning above 5 % of the mean latency or 100
    µs. `splits`: requests that an I/O becomes. `warm-up`: IOPS before and after the run settled by
    MSER-5; a warning above 5 %."""

    notes: list[str]
    """Other facts to know."""

    jobs: list[JobResult]
    """Figures of each job."""

    threads: NotRequired[list[PartResult]]
    """Figures of each thread, over all jobs and targets. Percentiles have two digits."""

    targets: NotRequired[list[PartResult]]
    """Figures of each target, over all jobs and threads; of a fleet, of each machine. Percentiles have
    two digits."""

    cells: NotRequired[list[CellResult]]
    """Figures of each job on each target by each thread; of a fleet, of each job on each machine.
    Percentiles have two digits."""

    series: list[Point]
    """Intervals in order of time, from the start of I/O."""

    fleet: NotRequired[Fleet]
    """Facts about the ranks of a run on several machines; absent on one machine. The figures above are
    of all ranks together: histograms, counts and intervals are added, never percentiles. `start.at` is
    the start of the first rank, `start.host` the coordinator. A check has the gravest outcome of any
    host; `ranks`, `start-skew` (a warning above 5 ms) and `stragglers` are about the fleet."""

    hosts: NotRequired[list[HostResult]]
    """Figures of each rank that reported, in the order of ranks; only of a run on several machines."""

    workload: WorkloadPart
    """The jobs."""

    ended: str
    """End of the run: `complete`; `interrupted`, with figures of the time until then; or `failed`."""

    error: str | None
    """Reason why the run failed; `null` if it did not."""

    predicted: PredictionPart | None
    """Prediction of the run; `null` if the configuration is unknown."""

    measured_to_predicted: float | None
    """`iops` ÷ `predicted.expected.iops`, of several machines ÷ their number as well; `null` without a
    prediction."""

    model: NotRequired[ModelPart]
    """Figures of the counted time that only the model knows; only of Python's `simulate`."""

    prepared: NotRequired[list[PreparedPart]]
    """Preparation of each target before the run; absent of a run on the model."""

    next: NotRequired[list[str]]
    """Commands that continue from here; absent of a run on the model."""

    fail_if: NotRequired[list[ConditionPart]]
    """The conditions of `--fail-if`, each with its outcome; absent without it."""

    stages: NotRequired[list[RunStagePart]]
    """All stages of the workload, if it has several."""


class RunStagePart(TypedDict):
    """A stage of a run: jobs that ran together."""

    id: NotRequired[str]
    """Id under which the run is kept: `r-142`; absent if it is not kept."""

    source: Source
    """Origin of the figures: `simulated`, `rehearsed`, `measured` or `foreign` (another tool)."""

    tool: NotRequired[Tool]
    """Tool that wrote a foreign result."""

    engine: NotRequired[str]
    """I/O engine: `io_uring`, `libaio`, `model`."""

    device: NotRequired[str]
    """Target of the I/O."""

    devices: NotRequired[list[DeviceFacts]]
    """Block devices below the targets."""

    cpu: NotRequired[Cpu]
    """Processor time that the run took."""

    kernel: NotRequired[str]
    """Release of the kernel."""

    start: NotRequired[Start]
    """Circumstances of the run, as far as they are known."""

    ios: NotRequired[int]
    """Completed I/Os without an error. [I/Os]"""

    bytes: NotRequired[int]
    """Bytes that they transferred. [bytes]"""

    errors: NotRequired[int]
    """I/Os that failed. They count nowhere else. [I/Os]"""

    iops: NotRequired[float]
    """Completed I/Os ÷ counted time."""

    throughput_bytes_per_s: NotRequired[float]
    """Bytes ÷ counted time."""

    latency_us: NotRequired[Latency]
    """Response time: in a closed loop from issue, in an open loop from the intended time."""

    service_us: NotRequired[Latency]
    """In an open loop, time from issue to completion."""

    read: NotRequired[Figures]
    """The reads; absent without reads."""

    write: NotRequired[Figures]
    """The writes; absent without writes."""

    flush: NotRequired[Figures]
    """The flushes. They are in no other IOPS or throughput."""

    discard: NotRequired[Figures]
    """The discards. They are in no other IOPS or throughput."""

    depth: NotRequired[Depth]
    """Outstanding I/Os."""

    per_second: NotRequired[PerSecond]
    """Slowest and fastest whole second of the counted time."""

    unfinished: NotRequired[int]
    """I/Os that were issued before the end of the counted time and not completed by then. [I/Os]"""

    never_issued: NotRequired[int]
    """I/Os of open loops that were intended before the end and never issued: the backlog. [I/Os]"""

    steady: NotRequired[Steady]
    """True if the counted time was steady, by SNIA's rule: of five equal rounds, in each direction, the
    range is at most 20 % of the mean, and the best-fit line rises at most 10 %."""

    confidence: NotRequired[Confidence]
    """Confidence interval of the mean IOPS, by batch means."""

    standard_errors: NotRequired[list[StandardError]]
    """Standard errors of the figures, by sectioning (see `compare`), of figures with ten sections that
    have enough I/Os. `all` I/Os and, if both were used, each direction."""

    replays: NotRequired[list[ReplayFacts]]
    """Replays of traces beside their recordings, by thread."""

    checks: list[Check]
    """Findings about the run itself. `alone`: a warning if several runs do not know of each other.
    `completed`: failed if no I/O completed in the counted time. `find-load`: with `--find-load`, the
    highest depth at which the share of the goal's I/Os met its bound in a probe of 2 s, found by
    doubling and then by halving to a sixteenth; all other figures are of the run at that depth.
    `replay`: of a trace, the time from the first issue to the last beside that of the recording at this
    speed; a warning if they are more than 1 % apart. `replay-changes`: I/Os of a trace that were
    wrapped, rounded or left out. `recorded-latency`: latencies of reads and writes beside those of the
    recording, from the intended time. `schedule`: in an open loop, the time from when an I/O could be
    issued to when it was, warm-up and cool-down included; a warning above 5 % of the mean latency or 100
    µs. `splits`: requests that an I/O becomes. `warm-up`: IOPS before and after the run settled by
    MSER-5; a warning above 5 %."""

    notes: list[str]
    """Other facts to know."""

    jobs: list[JobResult]
    """Figures of each job."""

    threads: NotRequired[list[PartResult]]
    """Figures of each thread, over all jobs and targets. Percentiles have two digits."""

    targets: NotRequired[list[PartResult]]
    """Figures of each target, over all jobs and threads; of a fleet, of each machine. Percentiles have
    two digits."""

    cells: NotRequired[list[CellResult]]
    """Figures of each job on each target by each thread; of a fleet, of each job on each machine.
    Percentiles have two digits."""

    series: list[Point]
    """Intervals in order of time, from the start of I/O."""

    fleet: NotRequired[Fleet]
    """Facts about the ranks of a run on several machines; absent on one machine. The figures above are
    of all ranks together: histograms, counts and intervals are added, never percentiles. `start.at` is
    the start of the first rank, `start.host` the coordinator. A check has the gravest outcome of any
    host; `ranks`, `start-skew` (a warning above 5 ms) and `stragglers` are about the fleet."""

    hosts: NotRequired[list[HostResult]]
    """Figures of each rank that reported, in the order of ranks; only of a run on several machines."""

    workload: WorkloadPart
    """The jobs."""

    ended: str
    """End of the run: `complete`; `interrupted`, with figures of the time until then; or `failed`."""

    error: str | None
    """Reason why the run failed; `null` if it did not."""

    predicted: PredictionPart | None
    """Prediction of the run; `null` if the configuration is unknown."""

    measured_to_predicted: float | None
    """`iops` ÷ `predicted.expected.iops`, of several machines ÷ their number as well; `null` without a
    prediction."""

    model: NotRequired[ModelPart]
    """Figures of the counted time that only the model knows; only of Python's `simulate`."""


class ScanPart(TypedDict):
    """A scan that waits for the last host."""

    data_bytes: int
    """Bytes that the jobs cover, of all hosts."""

    equal: ScanRate
    """The scan if all hosts are as expected."""

    waiting: ScanRate
    """The scan at the rate of the slowest host."""

    slow_host: SlowHostScan
    """The scan with one slow host."""

    seconds_from_full_credits: float | None
    """Duration if all hosts are as expected and begin with full credits; `null` if credits change
    nothing. [s]"""


class ScanRate(TypedDict):
    """Rate and duration of a scan."""

    throughput_bytes_per_s: float
    """Throughput of all hosts together. [bytes/s]"""

    seconds: float | None
    """Duration of the scan; `null` if the rate does not last (`--at`, with credits). [s]"""


class SeenLimiter(TypedDict):
    """A limit, with what was observed of it."""

    name: str
    """Name of the limit, as in `binding`."""

    of: str | None
    """Family of the limit where the name stands for several: the name of the `--disk`, or the direction;
    otherwise `null`."""

    count: int
    """Limits of this family. [limits]"""

    unit: LimitUnit
    """Unit of the figures: `iops` (I/O units per second) or `bytes_per_s`."""

    limit: float
    """Limit in the documentation of the cloud, such as 5,000 IOPS for a P30. [by `unit`]"""

    burst: float | None
    """Published burst limit while credits are left; otherwise `null`. [by `unit`]"""

    enforced: float
    """Enforced limit: the burst limit, or else the limit, times the factor; or a measured figure. [by
    `unit`]"""

    used: float
    """I/O units or bytes that were charged per second. [by `unit`]"""

    share: float
    """Used ÷ enforced of the fullest limit of the family."""

    held_us: float
    """Time that an I/O waited for this limit, the mean over all I/Os. [µs]"""

    seen: float | None
    """Observed rate ÷ enforced limit, of the fullest disk if disks were observed separately; `null` if
    unknown, and after a change."""


class SeveralVms(TypedDict):
    """Equal VMs that share a need."""

    vms: int
    """Number of VMs. [VMs]"""

    configuration: PlanConfiguration
    """Configuration of each VM."""

    month: float | None
    """Price of all VMs for a month; `null` if the price of a part is unknown. [USD]"""


class ShiftGap(TypedDict):
    """The largest distance between two distribution functions."""

    at_us: float
    """The latency. [µs]"""

    a: float
    """Share of the I/Os of a with at most this latency."""

    b: float
    """Share of the I/Os of b with at most this latency."""


class ShiftPart(TypedDict):
    """Shift of the latency distribution."""

    slices: list[ShiftSlice]
    """The I/Os in order of latency, the fastest first, in ranges of percent."""

    gap: ShiftGap
    """The latency at which the two distribution functions differ most (Kolmogorov-Smirnov distance)."""


class ShiftSlice(TypedDict):
    """The I/Os of a range of percent."""

    from_percent: float
    """Start of the range."""

    to_percent: float
    """End of the range."""

    a_us: float
    """Mean latency of these I/Os in a. [µs]"""

    b_us: float
    """Mean latency of these I/Os in b. [µs]"""

    adds_us: float
    """Contribution of these I/Os to the difference of the means of all I/Os. The contributions sum to
    that difference. [µs]"""


SidePart = TypedDict(
    "SidePart",
    {
        # Name of the result in this comparison: `A`, `B`, and so on.
        "name": "str",
        # Source of the result as given: an id, a file, or the words of `--vs`.
        "from": "str",
        # Id under which the result is kept; `null` if it is not kept.
        "id": "str | None",
        # Start of the run, UTC (RFC 3339); `null` if unknown.
        "at": "str | None",
        # Origin of the figures: `measured`, `simulated`, `rehearsed` or `foreign` (another tool).
        "source": "Source",
        # File, device or volume that the I/O went to; `null` if unknown.
        "target": "str | None",
        # Description of the jobs; `null` if it was not kept.
        "workload": "str | None",
        # Counted time of the run; `null` if unknown.
        "counted_s": "float | None",
        # Completed I/Os in the counted time; `null` if unknown. [I/Os]
        "ios": "int | None",
        # Data of the charts, only with `--html`: the keys `latency_us`, `read`, `write`, `series` and
        # `jobs` of the result (`iobound.result/1`).
        "result": "NotRequired[Any]",
    },
)


class SizesCount(TypedDict):
    """VM sizes of a cloud."""

    vm_sizes: int
    """VM sizes in the catalogue. [sizes]"""

    limits_known: int
    """VM sizes whose disk limits are known. [sizes]"""


SlowHostScan = TypedDict(
    "SlowHostScan",
    {
        # Share of the expected figure that the slow host delivers.
        "share": "float",
        # Origin of `share`: `asked` (`--slow-host`); `band` (assumed: the slowest media and the smallest
        # enforcement that were observed); `credits` (with `--at`: the credits of this host are spent).
        "from": "str",
        # Throughput of all hosts together: hosts × the slower of the slow host and the slowest host.
        # [bytes/s]
        "throughput_bytes_per_s": "float",
        # Duration of the scan; `null` if the rate does not last (`--at`, with credits). [s]
        "seconds": "float | None",
        # Throughput that the scan loses against equal hosts, as a share.
        "lost": "float",
        # The same loss as a number of hosts. [hosts]
        "lost_hosts": "float",
        # Throughput that queries lose that do not wait for another host, as a share.
        "lost_independent": "float",
    },
)


class SlowestHost(TypedDict):
    """The slowest host of a cluster."""

    iops: float
    """I/Os per second, the mean over clusters. [IOPS]"""

    low_iops: float
    """One cluster in twenty has a slowest host with fewer IOPS. [IOPS]"""

    high_iops: float
    """One cluster in twenty has a slowest host with more IOPS. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput, the mean over clusters. [bytes/s]"""


class SourcePart(TypedDict):
    """A source of figures."""

    key: str
    """Key of the source, as the rows have it."""

    as_of: str | None
    """Date for which the source holds; `null` if it states none."""

    title: str
    """Title of the source."""


class Spread(TypedDict):
    """The least, the mean and the most of a figure, and whose they are."""

    min: float
    """Lowest figure. [by the figure]"""

    min_host: str
    """Label of the rank that has it."""

    mean: float
    """Mean over all ranks. [by the figure]"""

    max: float
    """Highest figure. [by the figure]"""

    max_host: str
    """Label of the rank that has it."""


class StackPart(TypedDict):
    """The model under the observed load."""

    change: str | None
    """The change in words; `null` for the present configuration."""

    expected: ExpectedPart
    """Expected figures, from the simulation."""

    latency_us: PredictedLatency | None
    """Latency of reads and writes together; `null` if nothing completed."""

    outstanding: int
    """Requested outstanding I/Os. [I/Os]"""

    bindings: list[str]
    """Limits that bind, as in a prediction."""

    limits: list[SeenLimiter]
    """Limits, and what the I/Os use of them by the model."""

    disks: list[DiskPart]
    """Figures of each disk."""


class StagePart(TypedDict):
    """A stage of a workload: jobs that run together."""

    workload: WorkloadPart
    """The jobs."""

    ceiling: PredictedCeiling
    """Highest rate that the enforced limits allow for this block size, mix and requested rate, at any
    queue depth, with the host cache in its declared state. It is computed, not simulated."""

    expected: ExpectedPart
    """Expected figures, from the simulation."""

    latency_us: PredictedLatency | None
    """Latency of reads and writes together, from the simulation of the expected figures; `null` if
    nothing completed."""

    latency_bands_us: LatencyBandsPart
    """Bands of latency: the model's own bands times the factors of published runs."""

    binding: str | None
    """Limit of the expected figure: the one that is used to 98 % or more and held I/Os longest
    (`disk.iops`, `disk.throughput`; on Azure `vm.uncached.iops`, `vm.uncached.throughput`,
    `vm.cached.iops`, `vm.cached.throughput`, `account.iops`; on AWS `vm.ebs.iops`, `vm.ebs.throughput`),
    `cache.dirty` (writes wait until a cache is written back), `queue_depth` (no limit is full), `rate`
    (the requested rate is reached), `client` or `unknown`."""

    bindings: list[str]
    """`binding`, and all limits that held I/Os at least half as long."""

    limits: list[LimiterPart]
    """Limits. All limits of one family are one entry: the ten disks of one `--disk` are one entry."""

    burst: BurstPart | None
    """Rate while full burst credits last; `null` if credits change nothing."""

    knee: KneePart | None
    """Smallest concurrency that reaches the ceiling, without the job's rate and pauses: ceiling ×
    latency of one I/O alone, or by simulation with `--find-knee`; `null` if unknown."""

    outstanding: int
    """Requested outstanding I/Os, over all jobs, threads and targets. [I/Os]"""

    latency_alone_us: float
    """Mean latency of a single I/O of each job, with no other I/O outstanding. [µs]"""

    hit_rate: float | None
    """Share of the reads that host caches serve; `null` without cached reads."""

    volumes: list[VolumePart]
    """Figures of each volume."""

    disks: list[DiskPart]
    """Figures of each disk."""

    cluster: NotRequired[ClusterPart]
    """Figures of several hosts with the same configuration and workload each; only with `--hosts`. Every
    other key is of one host."""


class StandardError(TypedDict):
    """Confidence in a figure: with so many sections its confidence interval of 95 % is the figure ± t
    times this, t Student's with one degree of freedom less than sections."""

    operation: Direction
    """I/Os that the figure is of: `all` (reads and writes), `read` or `write`."""

    figure: Figure
    """Key of the figure, with its unit."""

    error: float
    """Standard error of the figure. [by the figure]"""

    sections: int
    """Sections of the counted time. [sections]"""

    section_s: float
    """Length of a section."""

    independent: bool
    """True if neighbouring sections look independent. If not, the error may be too small."""


class Start(TypedDict):
    """Known facts about the circumstances."""

    at: NotRequired[str]
    """Start of the run by the wall clock (RFC 3339)."""

    host: NotRequired[str]
    """Machine that it ran on."""

    command: NotRequired[str]
    """Command line as it was given."""

    configuration: NotRequired[str]
    """Configuration: VM size, disks, volume."""

    seed: NotRequired[int]
    """Seed of every random choice."""

    warmup_s: NotRequired[float]
    """Time of I/O before the counted time."""

    counted_s: NotRequired[float]
    """Counted time."""

    interval_s: NotRequired[float]
    """Length of an interval of the series."""


class Steady(TypedDict):
    """True if the counted time was steady: five equal rounds, in each direction a range of at most 20 %
    of the mean and an excursion of the best-fit line of at most 10 % (the SNIA's rule)."""

    steady: bool
    """True if every used direction is steady."""

    from_s: NotRequired[float]
    """Time since the start of I/O at which the warm-up ended in fact, by MSER-5 on the complete series;
    absent if the series is too short or never settled."""

    round_s: float
    """Length of each of the five rounds."""

    read: NotRequired[SteadyDirection]
    """The reads; absent without reads."""

    write: NotRequired[SteadyDirection]
    """The writes; absent without writes."""


class SteadyDirection(TypedDict):
    """Distance between the five rounds of a direction."""

    steady: bool
    """True if both bounds are met."""

    range: float
    """(Highest - lowest) ÷ mean of the rounds."""

    excursion: float
    """Rise of the best-fit line from the first to the last round ÷ mean; negative if it falls."""


class Straggler(TypedDict):
    """A host that was much slower than the others."""

    rank: int
    """Number of the rank."""

    host: str
    """Label of the rank."""

    of_median: float
    """IOPS of the rank ÷ median IOPS of all ranks."""


class Tool(TypedDict):
    """The tool whose output this was."""

    name: str
    """Name of the tool: `fio`, `diskspd`, `iometer`."""

    version: NotRequired[str]
    """Version of the tool; absent if unknown."""


class TraceRead(TypedDict):
    """Reading of the files of a trace."""

    files: list[str]
    """Files of the trace."""

    format: str
    """Recognised format."""

    time_unit: str
    """Unit in which the times were read; empty if the format states the unit, or if the files have
    different units."""

    lines: int
    """Lines, or events of a binary format. [lines]"""

    passed: int
    """Lines without an I/O: headers, summaries, and events that neither begin nor complete an I/O.
    [lines]"""

    malformed: int
    """Lines that cannot be read. It is an error if they are more than 10 and more than one in 1,000.
    [lines]"""

    first_malformed: str | None
    """First malformed line, with its number and the problem; `null` if there is none."""

    other_ops: int
    """Lines of operations that are neither read, write, flush nor discard. [lines]"""

    zero_length: int
    """Reads, writes and discards of length zero. [I/Os]"""

    unsorted: int
    """I/Os out of order: an I/O that stands more than 65,536 I/Os earlier in the file has a later time.
    They keep their place. [I/Os]"""

    notes: list[str]
    """Remarks on how the files were read, and on what a written format does not keep."""


class Unreachable(TypedDict):
    """Limits that are paid for and not reached."""

    iops: int
    """IOPS of the disks beyond the limit of the VM size."""

    throughput_bytes_per_s: int
    """Throughput of the disks beyond the limit of the VM size."""


class VmPriceRow(TypedDict):
    """The price of a VM size."""

    name: str
    """Name of the VM size."""

    vcpus: int | None
    """Usable virtual processors; `null` if unknown. [vCPUs]"""

    uncached_iops: int | None
    """Published IOPS limit without host cache; `null` if unknown."""

    usd_per_month: float | None
    """List price for 730 hours, on demand; `null` if unknown. [USD]"""

    check: str | None
    """`checked`: two sources agree. `single`: there is one source. Otherwise, what two sources disagree
    on. `null` if the price is unknown."""

    as_of: str | None
    """Date of the price; `null` if unknown."""

    source: str | None
    """Key of the source; `null` if the price is unknown."""


class VmRow(TypedDict):
    """A VM size."""

    name: str
    """Name of the VM size."""

    vcpus: int | None
    """Usable virtual processors; `null` if unknown. [vCPUs]"""

    memory_bytes: int | None
    """Memory; `null` if unknown."""

    max_data_disks: int | None
    """Largest number of data disks; `null` if unknown. [disks]"""

    uncached_iops: int | None
    """Published IOPS limit without host cache; `null` if unknown."""

    uncached_bytes_per_s: int | None
    """Published throughput limit without host cache; `null` if unknown."""

    cached_iops: int | None
    """Published IOPS limit with host cache; `null` if unknown, or without a host cache."""

    cached_bytes_per_s: int | None
    """Published throughput limit with host cache; `null` if unknown, or without a host cache."""

    cache_bytes: int | None
    """Size of the host cache; `null` if unknown, or without a host cache."""

    premium: bool | None
    """True if the VM size takes premium disks; `null` if unknown."""

    cloud: str
    """Cloud that sells it."""

    source: str | None
    """Key of the source of its limits; `null` if they are unknown."""


class VolumePart(TypedDict):
    """A volume."""

    name: str
    """Name of the volume."""

    iops: float
    """I/Os per second on the volume. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput of the volume. [bytes/s]"""

    size_bytes: NotRequired[int]
    """Size of the volume; absent in the prediction beside a run."""

    disks: NotRequired[int]
    """Disks of the volume; absent in the prediction beside a run. [disks]"""


class WantPart(TypedDict):
    """Changes that meet the wish."""

    met_by: list[str]
    """Changes of the first three findings that meet it, in words."""

    otherwise: RemedyPart | None
    """If none does: several changes at once (VM size, disks, cache, depth), the best that was found;
    otherwise, or if there is none, `null`."""


class WatchedDiskPart(TypedDict):
    """A disk or a volume of the machine while it is watched."""

    device: str
    """Kernel name."""

    disk: str | None
    """Name of the disk in the configuration; `null` if it is unknown, and of a volume."""

    iops: float
    """Completed reads and writes per second, after merges. [IOPS]"""

    throughput_bytes_per_s: float
    """Throughput. [bytes/s]"""

    read: float | None
    """Share of reads; `null` without I/O."""

    latency_us: float | None
    """Mean time of an I/O in the queue and the device; `null` without I/O. [µs]"""

    queue: float
    """Mean number of outstanding I/Os. [I/Os]"""


class WatchedPart(TypedDict):
    """Counters of a machine over some seconds."""

    seconds: float
    """Time between the two readings of the counters. [s]"""

    idle: bool
    """True if the machine was idle: less than 10 IOPS, 1 MB/s and 1 % of waiting, and no limit exceeded.
    If so, `findings` has only problems that show without a load."""

    disks: list[WatchedDiskPart]
    """Each disk."""

    volumes: NotRequired[list[WatchedDiskPart]]
    """Each volume of Windows (`LogicalDisk`), whose I/Os are those of its disks once more; absent on
    other systems."""

    io_pressure: float | None
    """Share of the time in which at least one task waited for I/O (`some` in `/proc/pressure/io`);
    `null` if the kernel does not say."""

    busiest_cpu: float | None
    """Share of its time that the busiest processor was in use; `null` if unknown."""


class WorkloadPart(TypedDict):
    """A workload."""

    jobs: list[JobPart]
    """The jobs."""

    seed: int
    """Seed of every random choice."""

    toml: str
    """The complete workload, as `--workload` reads it."""


CatalogDocument = Union[CatalogOverview, CatalogListing, CatalogPresets, CatalogEntry, CatalogPreset]

CatalogRows = list[dict[str, Any]]

DecidedBy = Literal["value", "interval"]

Direction = Literal["all", "read", "write"]

ExplainDocument = Union[ExplainObserved, ExplainWatched]

Figure = Literal["iops", "throughput_bytes_per_s", "mean_us", "p50_us", "p90_us", "p95_us", "p99_us", "p99_9_us", "p99_99_us", "max_us", "errors"]

LimitUnit = Literal["iops", "bytes_per_s"]

LoopLabel = Literal["closed", "open", "mixed"]

Method = Literal["independent", "paired"]

Outcome = Literal["ok", "warning", "failed", "unknown"]

PhaseLabel = Literal["warmup", "counted", "cooldown"]

RankedBy = Literal["price", "size"]

Source = Literal["simulated", "rehearsed", "measured", "foreign"]

VerdictWord = Literal["differs", "no_difference", "not_known"]
