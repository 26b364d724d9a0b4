//! The documents of `trace`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::quantity::{BytesPerSecond, Iops, Microseconds, Seconds, Share};

/// The answer of `trace info`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<TraceDocument>,
    /// Files that were read, with their format and what was counted.
    pub read: TraceRead,
    /// True if the user stopped the reading before the end. All figures are then of the I/Os that were read.
    pub interrupted: bool,
    /// Error that ended the reading early, such as a truncated file. All figures are then of the I/Os that were read. `null`
    /// without an error.
    pub error: Option<String>,
    /// All recorded I/Os: reads, writes, flushes and discards.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Time from the first issue to the last recorded completion, or to the last issue if no latency was recorded.
    pub duration_s: Seconds,
    /// Mean rate: number of reads and writes, divided by the time from the first issue to the last one. `trace fit` and `plan --trace`
    /// use this rate. `null` if that time is zero.
    pub iops: Option<Iops>,
    /// Mean throughput: bytes read and written, divided by the same time; `null` if that time is zero.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// Share of reads among reads and writes; `null` without any.
    pub reads: Option<Share>,
    /// Share of sequential I/Os among reads and writes. A read is sequential if it begins at the end of the previous read on the same
    /// device; a write, at the end of the previous write.
    pub sequential: Share,
    /// Each operation that the trace has.
    pub ops: Vec<TraceOp>,
    /// Each device.
    pub devices: Vec<TraceDevice>,
    /// I/Os issued in windows of one second, empty ones included.
    pub per_second: TraceRate,
    /// I/Os issued in windows of 10 ms, empty ones included.
    pub per_10ms: TraceRate,
    /// Outstanding I/Os; `null` if no latency was recorded.
    pub depth: Option<TraceDepth>,
    /// Distinct blocks of 4 KiB, and the hit rates of caches.
    pub reuse: TraceReuse,
    /// Rates over time.
    pub series: Vec<TracePoint>,
}

impl Contract for TraceDocument {
    const ID: &'static str = "iobound.trace/1";
}

/// Reading of the files of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRead {
    /// Files of the trace.
    pub files: Vec<String>,
    /// Recognised format.
    pub format: String,
    /// Unit in which the times were read; empty if the format states the unit, or if the files have different units.
    pub time_unit: String,
    /// Lines, or events of a binary format.
    #[schemars(extend("x-unit" = "lines"))]
    pub lines: u64,
    /// Lines without an I/O: headers, summaries, and events that neither begin nor complete an I/O.
    #[schemars(extend("x-unit" = "lines"))]
    pub passed: u64,
    /// Lines that cannot be read. It is an error if they are more than 10 and more than one in 1,000.
    #[schemars(extend("x-unit" = "lines"))]
    pub malformed: u64,
    /// First malformed line, with its number and the problem; `null` if there is none.
    pub first_malformed: Option<String>,
    /// Lines of operations that are neither read, write, flush nor discard.
    #[schemars(extend("x-unit" = "lines"))]
    pub other_ops: u64,
    /// Reads, writes and discards of length zero.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub zero_length: u64,
    /// I/Os out of order: an I/O that stands more than 65,536 I/Os earlier in the file has a later time. They keep their place.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub unsorted: u64,
    /// Remarks on how the files were read, and on what a written format does not keep.
    pub notes: Vec<String>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceOp {
    /// Operation: `read`, `write`, `flush` or `discard`.
    pub op: String,
    /// I/Os.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Sum of the lengths.
    #[schemars(extend("x-unit" = "bytes"))]
    pub bytes: u64,
    /// Most frequent lengths, at most 8.
    pub sizes: Vec<TraceSize>,
    /// Recorded latencies; `null` if there are none.
    pub latency: Option<TraceLatency>,
}

/// A length of I/Os.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSize {
    /// Length.
    #[schemars(extend("x-unit" = "bytes"))]
    pub bytes: u64,
    /// I/Os of this length.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
}

/// A distribution of latencies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceLatency {
    /// I/Os that have a latency.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Mean.
    pub mean_us: Microseconds,
    /// Median.
    pub p50_us: Microseconds,
    /// 90th percentile.
    pub p90_us: Microseconds,
    /// 95th percentile.
    pub p95_us: Microseconds,
    /// 99th percentile.
    pub p99_us: Microseconds,
    /// 99.9th percentile.
    pub p999_us: Microseconds,
    /// Maximum.
    pub max_us: Microseconds,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceDevice {
    /// Name in the trace.
    pub name: String,
    /// I/Os.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Reads.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub reads: u64,
    /// Writes.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub writes: u64,
    /// Flushes.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub flushes: u64,
    /// Discards.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub discards: u64,
    /// Bytes read.
    #[schemars(extend("x-unit" = "bytes"))]
    pub read_bytes: u64,
    /// Bytes written.
    #[schemars(extend("x-unit" = "bytes"))]
    pub written_bytes: u64,
    /// Lowest offset of a read, a write or a discard.
    #[schemars(extend("x-unit" = "bytes"))]
    pub first_byte: u64,
    /// Largest end of a read, a write or a discard. The device has at least this size.
    #[schemars(extend("x-unit" = "bytes"))]
    pub end_byte: u64,
    /// Share of reads that begin at the end of the previous read.
    pub sequential_reads: Share,
    /// Share of writes that begin at the end of the previous write.
    pub sequential_writes: Share,
    /// Recorded latencies of reads; `null` if there are none.
    pub read_latency: Option<TraceLatency>,
    /// Recorded latencies of writes; `null` if there are none.
    pub write_latency: Option<TraceLatency>,
}

/// I/Os of the windows of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRate {
    /// Windows.
    #[schemars(extend("x-unit" = "windows"))]
    pub windows: u64,
    /// Mean of the windows' rates. Flushes and discards count, and the last window may reach beyond the end of the trace. `iops` is the
    /// mean rate without these two effects.
    pub mean_iops: Iops,
    /// 99th percentile of the windows' rates.
    pub p99_iops: Iops,
    /// Highest rate of a window.
    pub peak_iops: Iops,
    /// Burstiness: variance of the windows' numbers of I/Os, divided by their mean. It is 0 if all windows have the same number, 1 if
    /// I/Os arrive independently (Poisson), and larger if they arrive in bursts.
    pub dispersion: Share,
}

/// Outstanding I/Os.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceDepth {
    /// Mean over time: the sum of the recorded latencies divided by the duration.
    pub mean: Share,
    /// Median of the queue depth at issue: the I/Os that are outstanding when an I/O is issued, this one included.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub p50: u64,
    /// 99th percentile of the queue depth at issue.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub p99: u64,
    /// Maximum of the queue depth at issue.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub max: u64,
}

/// Reuse of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceReuse {
    /// Working set of the whole trace: blocks of 4 KiB that are read or written at least once.
    #[schemars(extend("x-unit" = "bytes"))]
    pub working_set_bytes: u64,
    /// Share of the blocks that were counted (SHARDS). The other figures are estimated from these; 1 means that they are exact.
    pub sampled: Share,
    /// Hit rates by the size of the cache.
    pub hits: Vec<TraceHits>,
    /// Working set over time. Windows without I/O are left out.
    pub over_time: Vec<TraceWorkingSet>,
}

/// The hit rates of a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceHits {
    /// Size of the cache. The cache is empty at the start and keeps the most recently used blocks of 4 KiB (LRU).
    #[schemars(extend("x-unit" = "bytes"))]
    pub cache_bytes: u64,
    /// Hit rate of reads and writes: share of the accessed blocks that are in the cache.
    pub all: Share,
    /// Hit rate of reads: share of the blocks read that are in the cache.
    pub reads: Share,
}

/// Working set of a window of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceWorkingSet {
    /// End of the window.
    pub at_s: Seconds,
    /// Blocks that are read or written in the window, each counted once.
    #[schemars(extend("x-unit" = "bytes"))]
    pub window_bytes: u64,
    /// Blocks that are read or written from the start to the end of the window, each counted once.
    #[schemars(extend("x-unit" = "bytes"))]
    pub total_bytes: u64,
}

/// I/Os of a window of time. Windows have one second, and more if the trace is longer than 10,000 seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TracePoint {
    /// Begin of the window.
    pub start_s: Seconds,
    /// I/Os issued per second.
    pub iops: Iops,
    /// Bytes read and written per second.
    pub throughput_bytes_per_s: BytesPerSecond,
}

/// The answer of `trace fit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFitDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<TraceFitDocument>,
    /// Files that were read, with their format and what was counted.
    pub read: TraceRead,
    /// The workload in TOML, for `--workload`.
    pub workload: String,
    /// Share of the reads and writes of the trace whose operation and length are in the workload's mix.
    pub covered: Share,
    /// Figures of the trace, each beside the figure of I/Os that the program generated from the workload.
    pub errors: Vec<TraceFitError>,
}

impl Contract for TraceFitDocument {
    const ID: &'static str = "iobound.trace-fit/1";
}

/// A figure of a trace beside that of the fitted workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFitError {
    /// Name of the figure.
    pub figure: String,
    /// Unit of the figure; empty of a share.
    pub unit: String,
    /// Figure of the trace.
    pub trace: Share,
    /// Figure of the fitted workload.
    pub workload: Share,
    /// Difference divided by the figure of the trace; `null` if that is zero.
    pub error: Option<Share>,
}

/// The answer of `trace cut`, `scale`, `merge` and `convert`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceEditDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<TraceEditDocument>,
    /// Files that were read, with their format and what was counted.
    pub read: TraceRead,
    /// File that was written.
    pub file: String,
    /// Format that was written, as `--to` takes it: `iobound`, `fio`, `msr`, `alibaba` or `tencent`.
    pub format: String,
    /// I/Os that were written.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// I/Os that were left out because the format lacks their operation: flushes and discards in the CSV formats.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub left_out: u64,
    /// True if the user stopped the work before the end. The file then has the I/Os that were read.
    pub interrupted: bool,
}

impl Contract for TraceEditDocument {
    const ID: &'static str = "iobound.trace-edit/1";
}
