//! Every figure that a rule compares with, with the reason for it and its source. Shares are of 1.
//!
//! Two kinds of them are known from measurements: how far a full limit's figure scatters, and how far latencies do.
//! The others part what is obviously so from what may be scatter: a factor of 1.5 or 2 lies outside of both.

/// Used ÷ enforced from which a limit is full. A mean over minutes of a limiter that binds lies within 2 % of what it
/// enforces (published runs of 2019 to 2022: 1.0197 to 1.025 of published, where 1.02 is enforced); 4 % more are for
/// figures that people round and means with a start in them: 0.96 of what is published.
pub(crate) const FULL: f64 = 0.94;
/// Used ÷ enforced below which a full limit may be what an application happens to ask for, where nothing but a rate is
/// known: the lower half of the 6 % that [`FULL`] leaves for rounding and for pauses.
pub(crate) const FULL_ALONE: f64 = 0.97;
/// Used ÷ enforced from which a limit may bind at times: a one-minute average with pauses in it. Azure's own analysis
/// calls 95 % of *published* throttled, and severe throttling was seen at 80 % (azure-docs#85354).
pub(crate) const NEARLY: f64 = 0.87;
/// Short runs exceed what is enforced by so much (tkubica12/cloud-storage-tests, 30 s, 2022: 2 to 7 %).
pub(crate) const SHORT_RUN: f64 = 1.07;
/// A local disk's figures come from a benchmark, not from a throttle: another run gives up to 10 % more
/// (scylladb/scylladb#9301: 92,776 reads a second of 84,480).
pub(crate) const LOCAL_SCATTER: f64 = 1.12;
/// Ratio of enforced to published from which on either may hold (Standard HDD: 100 MB/s and 62 were seen of 60).
pub(crate) const UNSETTLED: f64 = 1.1;
/// Within so much of a burst's figure a limit with credits is at its burst: as [`SHORT_RUN`], on what is published.
pub(crate) const AT_BURST: f64 = 1.12;
/// A smaller burst, as a multiple of the base, is not worth a finding.
pub(crate) const BURST: f64 = 1.1;
/// Limits within so much of one another can't be told apart by how full they are: the scatter of [`FULL`].
pub(crate) const ALIKE: f64 = 0.03;

/// Latency at a depth of four and more is 6 to 20 % lower than at one, and media differ by VM; beyond the slowest seen
/// (catalogue, `media_*`) by so much, something else takes time.
pub(crate) const SLOW_MEDIA: f64 = 1.35;
/// The slowest that a local disk answers in ms with few outstanding: its media takes 0.07, the guest's path to it as much
/// again and more (Azure temporary disk, DS3_v2, January 2025: 0.29 at the median under a full limit).
pub(crate) const LOCAL_PATH_MS: f64 = 0.2;
/// No path of a guest takes this long in ms to a local disk that answers: an order above [`LOCAL_PATH_MS`] is media.
pub(crate) const LOCAL_SLOW_MS: f64 = 1.0;
/// Writes of so many times the media of a local disk wait for flushes and a journal: Azure-Samples/cassandra-on-azure-vms
/// has 4 ms with XFS and 2 with ext4, where the disk takes 0.07.
pub(crate) const FLUSHES: f64 = 10.0;
/// Flushes for each write from which a flush follows each write: ext4 and XFS send one for data and journal together, and a group of commits
/// shares one.
pub(crate) const FLUSH_A_WRITE: f64 = 0.5;
/// Writes of a log, and of what else is committed one by one, are no larger: SQL Server's log blocks have 60 KiB at most.
pub(crate) const LOG_BLOCK: f64 = 65_536.0;
/// The kernel hands sectors of this size to a device: a write of another size goes through the page cache and a file system.
pub(crate) const SECTOR: f64 = 512.0;
/// Below the fastest seen by so much, no media was met.
pub(crate) const FAST_MEDIA: f64 = 0.6;
/// As [`FAST_MEDIA`], where it has to be certain: half of what the fastest takes.
pub(crate) const NO_MEDIA: f64 = 0.5;
/// Vendors document single-digit milliseconds for remote SSDs (Microsoft: Premium SSD; AWS: gp3).
pub(crate) const SINGLE_DIGIT_MS: f64 = 10.0;
/// A first read of a snapshot's block fetches it: tens of ms where the media takes two (osrm-backend#3407,
/// osparc#3893: 300 a second at a depth that gives thousands).
pub(crate) const FETCHED: f64 = 3.0;
/// A snapshot's first pass gives 2 to 5 MB/s, 10 at most (osrm-backend#3407: 2 to 3).
pub(crate) const FETCHED_BYTES_PER_S: f64 = 10e6;
/// And no less than this in ms: the object store behind it is an order slower than any media of a remote SSD.
pub(crate) const FETCHED_MS: f64 = 5.0;
/// First reads a second of a volume (osparc#3893: 300; so many times that is beyond any scatter), and their size where only bytes are known: the kernel's read-ahead
/// (bottlerocket-images-cache#13: 15 GB in more than ten minutes).
pub(crate) const FETCHED_IOPS: f64 = 350.0;
pub(crate) const FETCHED_SCATTER: f64 = 3.0;
pub(crate) const FETCHED_BLOCK: f64 = 131_072.0;
/// A host-cache hit takes 50 to 70 µs (published runs): faster than this is the guest's own memory.
pub(crate) const MEMORY_US: f64 = 30.0;
/// No local disk answers faster than this in µs: its driver and its bus take as much.
pub(crate) const LOCAL_MEMORY_US: f64 = 8.0;
/// From so many times the media's latency most of it is waiting.
pub(crate) const WAITING: f64 = 3.0;
/// A wish for less than this of the fastest media can't be met by it.
pub(crate) const FASTEST: f64 = 0.9;
/// Outstanding I/Os for each disk from which latency is waiting, whatever binds: an order above the four that
/// saturate a disk's own concurrency.
pub(crate) const DEEP: f64 = 32.0;

/// Outstanding I/Os for each disk that wait for nothing but its media.
pub(crate) const FEW: f64 = 4.0;
/// Fewer I/Os than this are outstanding on average: less than one thread that waits for each.
pub(crate) const IDLE_HELD: f64 = 0.8;
/// One thread that reads, works and reads again is in the disk for more than this share of its time, or the disk is not
/// what it waits for (bnb-chain/reth-bsc#517: 0.77).
pub(crate) const ONE_THREAD: f64 = 0.5;
/// Fewer I/Os than this are outstanding on average: with a disk that takes no time at all, one thread would be a third
/// faster at the most (1 / (1 - 0.25)).
pub(crate) const HARDLY_HELD: f64 = 0.25;
/// IOPS × latency above this of the asked depth: one of the figures is wrong. N = XR holds within 5 %; 10 % more are for
/// latencies that people round (3.5 ms for 3.3 ms).
pub(crate) const OVERFILLED: f64 = 1.15;
/// A figure with two digits is rounded by no more than this.
pub(crate) const ROUNDED: f64 = 0.05;
/// IOPS × latency below this of the asked depth: the queue is not kept full (N = XR within 5 % otherwise).
pub(crate) const UNFILLED: f64 = 0.7;
/// A share of the time that processors wait for I/O from which I/O is what they wait for.
pub(crate) const WAITS: f64 = 0.5;
/// And below which they do not.
pub(crate) const CALM: f64 = 0.02;
/// A processor in use for this share of its time is full: the counters have whole ticks.
pub(crate) const CPU_FULL: f64 = 0.95;
/// And from this share on it is busy enough to hold a rate back at times: a mean hides seconds at the full.
pub(crate) const CPU_BUSY: f64 = 0.8;
/// One process of a client, or a few processors, get so many I/Os a second of disks that have more
/// (GoogleCloudPlatform/PerfKitBenchmarker#1307: 290,000 with one job; redpanda-data/redpanda#17261: 550,798).
pub(crate) const CLIENT_IOPS: f64 = 100_000.0;
/// And so many bytes a second (scylladb/seastar#2802: 8,186 MB/s written by one shard; scylladb/scylla-machine-image#1003: 6,372
/// MB/s read by 32 processors, 10,159 by 64).
pub(crate) const CLIENT_BYTES_PER_S: f64 = 5e9;
/// VMs with so many processors and more span several NUMA nodes: a socket of the hosts has fewer.
pub(crate) const SEVERAL_NODES: u64 = 96;
/// Flash is written in pages of this and more (physical_block_size of local NVMe disks).
pub(crate) const DEVICE_BLOCK: f64 = 4_096.0;
/// Below this of every limit, no limit is near.
pub(crate) const FAR: f64 = 0.7;
/// And below this none is anywhere near.
pub(crate) const FURTHER: f64 = 0.5;

/// A disk with less than this of the busiest one's rate is idle.
pub(crate) const IDLE: f64 = 0.1;
/// A disk at this multiple of the mean is beyond scatter: a stripe evens out to a few per cent (4,748 to 4,907 of four,
/// Azure-Samples/cassandra-on-azure-vms).
pub(crate) const HOT: f64 = 1.5;
/// A run whose end is less than this of its beginning has stepped down: the smallest burst of the catalogue is 1.25.
pub(crate) const STEP: f64 = 0.78;
/// Each level of a step has at least so many moments: one or two are a pause or a peak.
pub(crate) const STEP_MOMENTS: usize = 3;
/// Mean deviation from a level that is steady: seconds at a limit are within a few percent, with the second of the step itself.
pub(crate) const STEADY: f64 = 0.15;
/// Credits of which so much was used are spent: what is earned again in a minute is used at once.
pub(crate) const SPENT: f64 = 0.9;
/// Credits that should last so long may be gone after this of it: the size of Azure's buckets is not published.
pub(crate) const LASTED: f64 = 0.9;
/// Below this, a bucket of one second and the first slices are a large part of a run.
pub(crate) const TOO_SHORT_S: f64 = 5.0;
/// A run shorter than this may ride on what a limit lets through at first, where nothing is known of credits
/// (scylladb/seastar#1030: half a minute at twice the volume's figure).
pub(crate) const SHORT_S: f64 = 120.0;

/// Mostly: so many of the I/Os are of one kind.
pub(crate) const MOSTLY: f64 = 0.8;
/// Hardly: no more than so many are.
pub(crate) const HARDLY: f64 = 0.3;
/// The device moves this multiple of the requested data: read-ahead, because a block is rounded to a page at most once.
pub(crate) const AMPLIFIED: f64 = 1.8;
/// Read-ahead from 1 MiB is not the kernel's own choice (128 KiB).
pub(crate) const LARGE_READ_AHEAD: u64 = 1 << 20;
/// A flush that stalls takes so many times the mean (aks-engine PR 4332), or this long.
pub(crate) const STALL: f64 = 20.0;
/// p99 in µs.
pub(crate) const STALL_US: f64 = 100e3;
/// An I/O that takes so many ms, and so many times the media, has stalled (Microsoft's I/O analysis of SQL Server VMs: 500 ms).
pub(crate) const STALLED_MS: f64 = 500.0;
pub(crate) const STALLED: f64 = 20.0;
/// Fewer I/Os a second than this are what a volume with stalled I/Os answers (cockroachdb/cockroach#32199: single digits).
pub(crate) const STALLED_IOPS: f64 = 20.0;
/// Means with so many outstanding I/Os for each disk hide a queue: a slow disk alone holds about [`FEW`].
pub(crate) const MICRO_BURST_HELD: f64 = 8.0;
/// Fewer intervals than this show no bursts.
pub(crate) const SEVERAL_SECONDS: usize = 8;
/// From so many seconds at a limit it is the limit, and not a burst that a mean of a minute hides (AWS, micro-bursting). A minute that
/// begins within a second has 59 whole seconds.
pub(crate) const STRETCH_S: f64 = 59.0;
/// Means below this of every limit hide no burst that fills one.
pub(crate) const MICRO_BURST: f64 = 0.1;
/// The raw device gives so many times more than the file system: outside any scatter of two runs.
pub(crate) const RAW_MORE: f64 = 1.3;
/// A load with larger blocks than this is about bytes, not IOPS.
pub(crate) const IOPS_BLOCK: f64 = 131_072.0;
/// Disks with so many times what the VM lets through are paid for in vain; the scatter of enforcement is far less.
pub(crate) const OVER: f64 = 1.1;
/// A VM limit so many times the disks' is mostly unused.
pub(crate) const UNUSED: f64 = 2.0;
/// 2^20 / 10^6.
pub(crate) const MIB_PER_MB: f64 = 1.048_576;
/// A figure that is a limit in the other unit is so near to it: people give three digits.
pub(crate) const SAME_FIGURE: f64 = 0.004;
/// A difference of 4.9 % can come from the other unit.
pub(crate) const UNIT_APART: std::ops::RangeInclusive<f64> = 1.02..=1.06;
/// Default of drivers and tools for an Ultra disk (azuredisk-csi-driver#1442), and the least that a
/// size had in 2020 (catalogue, `iops_per_gib_min`): 512 GiB may have 400,000.
pub(crate) const ULTRA_DEFAULT_IOPS: f64 = 500.0;
pub(crate) const ULTRA_IOPS_A_GIB: f64 = 2.0;
/// Memory has answered what is so many times a limit.
pub(crate) const TIMES_A_LIMIT: f64 = 3.0;
/// More than a limit by this is more than short runs have.
pub(crate) const MORE_THAN_SHORT: f64 = 1.2;

/// A larger VM or disk is worth its name from so many times the figure.
pub(crate) const LARGER: f64 = 1.25;
/// A change helps from so much more than was seen: outside the scatter of two runs.
pub(crate) const HELPS: f64 = 1.05;
/// Predicted rates of which one is at least this share of the other are the same: the simulator's end of a run.
pub(crate) const ALIKE_RATES: f64 = 0.998;
/// Less than this is worse.
pub(crate) const WORSE: f64 = 0.95;
/// Queues a little deeper than Little's law has it: they are not kept full all the time.
pub(crate) const DEEPER: f64 = 1.2;
