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
    /// True if the reading was stopped before the end: all figures are of the I/Os up to there.
    pub interrupted: bool,
    /// Error that ended the reading before the end, such as a truncated file: all figures are of the I/Os up to there.
    /// `null` without one.
    pub error: Option<String>,
    /// All recorded I/Os: reads, writes, flushes and discards.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Time from the first issue to the last recorded completion, or to the last issue if no latency was recorded.
    pub duration_s: Seconds,
    /// Mean rate: reads and writes per second, from the first issue to the last one, as `trace fit` and `plan --trace` take it; `null` if that time is zero.
    pub iops: Option<Iops>,
    /// Bytes read and written per second, over the same time; `null` if that time is zero.
    pub throughput_bytes_per_s: Option<BytesPerSecond>,
    /// Share of reads among reads and writes; `null` without any.
    pub reads: Option<Share>,
    /// Share of reads and writes that begin where the last one of the same operation on the same device ended.
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
    /// Unit in which the times were read; empty if the format states it, or if the files have different ones.
    pub time_unit: String,
    /// Lines, or events of a binary format.
    #[schemars(extend("x-unit" = "lines"))]
    pub lines: u64,
    /// Lines that are no I/O: headers, summaries, and events that begin or complete none.
    #[schemars(extend("x-unit" = "lines"))]
    pub passed: u64,
    /// Lines that can't be read. More than 10, and more than one in 1,000, are an error.
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
    /// I/Os that are earlier than one that stands more than 65,536 I/Os before them.
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
    /// First byte that is accessed.
    #[schemars(extend("x-unit" = "bytes"))]
    pub first_byte: u64,
    /// First byte behind all accesses: the device is at least this large.
    #[schemars(extend("x-unit" = "bytes"))]
    pub end_byte: u64,
    /// Share of reads that begin where the last read ended.
    pub sequential_reads: Share,
    /// Share of writes that begin where the last write ended.
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
    /// Mean of the windows. The last one may be partly behind the trace, and flushes and discards count: `iops` is the
    /// mean rate of the trace.
    pub mean_iops: Iops,
    /// 99th percentile of the windows' rates.
    pub p99_iops: Iops,
    /// Highest rate of a window.
    pub peak_iops: Iops,
    /// Burstiness: variance of the I/Os of a window divided by their mean. It is 1 of independent arrivals, 0 of even ones.
    pub dispersion: Share,
}

/// Outstanding I/Os.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceDepth {
    /// Mean over time: the sum of the recorded latencies divided by the duration.
    pub mean: Share,
    /// Median of the outstanding I/Os when one is issued, itself included.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub p50: u64,
    /// 99th percentile of the same.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub p99: u64,
    /// Maximum of the same.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub max: u64,
}

/// Reuse of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceReuse {
    /// Distinct blocks of 4 KiB that are read or written: the working set of the whole trace.
    #[schemars(extend("x-unit" = "bytes"))]
    pub working_set_bytes: u64,
    /// Share of the blocks that the figures are taken from (SHARDS): 1 if they are exact.
    pub sampled: Share,
    /// Hit rates by the size of the cache.
    pub hits: Vec<TraceHits>,
    /// Working set over time. Windows without I/O are left out.
    pub over_time: Vec<TraceWorkingSet>,
}

/// The hit rates of a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceHits {
    /// Size of the cache, which is empty at first and keeps what was last read or written, in blocks of 4 KiB.
    #[schemars(extend("x-unit" = "bytes"))]
    pub cache_bytes: u64,
    /// Share of the accessed blocks that it holds.
    pub all: Share,
    /// Share of the read blocks that it holds.
    pub reads: Share,
}

/// Working set of a window of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceWorkingSet {
    /// End of the window.
    pub at_s: Seconds,
    /// Distinct blocks of the window.
    #[schemars(extend("x-unit" = "bytes"))]
    pub window_bytes: u64,
    /// Distinct blocks up to the end of the window.
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
    /// Share of the reads and writes whose operation and length the workload has.
    pub covered: Share,
    /// Figures of the trace beside those of I/Os that were drawn from the workload.
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
    /// Format that was written: `iobound`, `fio`, `msr`, `alibaba` or `tencent`.
    pub format: String,
    /// I/Os that were written.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// I/Os that were left out because the format lacks their operation: flushes and discards in the CSV formats.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub left_out: u64,
    /// True if the work was stopped before the end: the file has the I/Os up to there.
    pub interrupted: bool,
}

impl Contract for TraceEditDocument {
    const ID: &'static str = "iobound.trace-edit/1";
}
