//! DiskSpd's own options, complete: what its command line and its XML profile can say.

use std::collections::BTreeMap;

use super::switch::Knob;
use crate::error::At;

/// A profile: everything one invocation asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Run one after the other.
    pub time_spans: Vec<TimeSpan>,
    /// `-v`.
    pub verbose: bool,
    /// `-vs`: wait statistics.
    pub wait_statistics: bool,
    /// `-P`: a dot for every so many I/Os of a thread.
    pub progress: Option<u32>,
    /// `-R`.
    pub result_format: ResultFormat,
    /// `-Rp`: print the profile, run nothing.
    pub profile_only: bool,
    /// `-e`.
    pub etw: Option<Etw>,
    /// `-y`, in the order given.
    pub events: Vec<NamedEvent>,
    /// `-:<flags>`, experimental; bit 1 sleeps longer than 1 ms when throttled.
    pub flags: Option<u32>,
    /// `PrecreateFiles` of the XML profile.
    pub precreate_files: Option<String>,
}

/// Format of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFormat {
    /// The text report.
    #[default]
    Text,
    /// XML.
    Xml,
}

/// Event tracing, by the names of its switches and elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Etw {
    /// Traced events and method: `DISK_IO`, `q`, `UseCyclesCounter`, …
    pub words: Vec<String>,
}

/// A named event to signal or to wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedEvent {
    /// The action on it.
    pub kind: EventKind,
    /// Its name.
    pub name: String,
}

/// Action on a named event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// `-ys`: signalled before the run.
    Started,
    /// `-yf`: signalled after it.
    Finished,
    /// `-yr`: waited for before it.
    WaitToRun,
    /// `-yp`: ends it.
    Stop,
    /// `-ye`: set, and nothing is run.
    SetAndQuit,
}

/// One warm-up, measurement and cool-down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    /// Its targets.
    pub targets: Vec<Target>,
    /// `-d`, seconds.
    pub duration_s: u32,
    /// `-W`, seconds.
    pub warmup_s: u32,
    /// `-C`, seconds.
    pub cooldown_s: u32,
    /// `-z<seed>`; `None` is a bare `-z`: drawn from the time since boot.
    pub seed: Option<u64>,
    /// `-Zr`: fresh random data for every write.
    pub random_write_data: bool,
    /// `-F`: threads in all; zero where threads are counted per target.
    pub thread_count: u32,
    /// `-O`: outstanding I/Os of a thread over all targets; zero where they are counted per target.
    pub request_count: u32,
    /// `-a`, `-n`.
    pub affinity: Affinity,
    /// `-x`.
    pub completion_routines: bool,
    /// `-L`.
    pub measure_latency: bool,
    /// `-D`.
    pub iops_deviation: bool,
    /// `-D<ms>`, milliseconds.
    pub bucket_ms: u32,
}

/// The processors threads that are bound to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// Round robin over the groups: the default, `-a`, `-ag`.
    #[default]
    Groups,
    /// `-n`.
    None,
    /// Round robin over these.
    Processors(Vec<Processor>),
}

/// One processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Its group.
    pub group: u16,
    /// Its number in the group.
    pub core: u8,
}

/// A file, volume or drive and the I/O on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// A path, `#<drive>`, `<letter>:`, or `*<n>` of a template.
    pub path: String,
    /// `-b`, bytes.
    pub block_bytes: u32,
    /// `-r`, `-rs`: percent of I/Os that are random; zero is sequential.
    pub random_percent: u32,
    /// `-r<align>`, `-s<stride>`, bytes; `None` is the block size.
    pub align_bytes: Option<u64>,
    /// `-si`.
    pub interlocked: bool,
    /// `-p`.
    pub parallel: bool,
    /// `-rd`.
    pub zones: Option<RandomZones>,
    /// `-B`, bytes.
    pub base_bytes: u64,
    /// `-f<size>` (from the target's start) or the end of `-B<base>:<length>`, bytes.
    pub end_bytes: Option<u64>,
    /// `-c`, bytes.
    pub create_bytes: Option<u64>,
    /// `-S`, `-h`.
    pub cache: CacheMode,
    /// `-Sw`, `-h`.
    pub write_through: bool,
    /// `-Sm`.
    pub memory_mapped: bool,
    /// `-N`.
    pub flush: Option<FlushMode>,
    /// `-w`, percent.
    pub write_percent: u32,
    /// `-o`.
    pub requests: u32,
    /// `-t`; `None` where nothing was said: one.
    pub threads_per_target: Option<u32>,
    /// `-T`, bytes; zero is none.
    pub thread_stride_bytes: u64,
    /// `-g`.
    pub throttle: Option<Throttle>,
    /// `-i`; zero is none.
    pub burst: u32,
    /// `-j`, milliseconds; zero is none.
    pub think_ms: u32,
    /// `-I`: 1 very low, 2 low, 3 normal.
    pub priority: u32,
    /// `-l`.
    pub large_pages: bool,
    /// `-f[rst]`.
    pub hints: Hints,
    /// `-Z`.
    pub buffers: WriteBuffers,
    /// XML only: how often `-O` deals an I/O to this target, relative to the others.
    pub weight: u32,
    /// XML only: the threads of `-F -O` that use this target; empty is all.
    pub thread_targets: Vec<ThreadTarget>,
}

/// The operating system's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Used: the default, `-Sb`.
    #[default]
    Cached,
    /// Not used: `-Su`, `-S`, `-Sh`, `-h`.
    Unbuffered,
    /// Not used here, used by the server of a remote file system: `-Sr`.
    RemoteOnly,
}

/// Flush method of memory-mapped writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushMode {
    /// `-Nv`.
    ViewOfFile,
    /// `-Nn`.
    NonVolatileMemory,
    /// `-Ni`.
    NonVolatileMemoryNoDrain,
}

/// A cap per thread and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throttle {
    /// `-g<n>`.
    BytesPerMs(u32),
    /// `-g<n>i`.
    Iops(u32),
}

/// Hints given when the target is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `-fr`.
    pub random: bool,
    /// `-fs`.
    pub sequential: bool,
    /// `-ft`.
    pub temporary: bool,
}

/// The written data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WriteBuffers {
    /// Bytes 0 to 255, again and again.
    #[default]
    Counting,
    /// `-Z`.
    Zeros,
    /// `-Z<size>[,<file>]`: from a buffer of random data or of a file's.
    Source(Fill),
}

/// The buffer that writes are taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Its size in bytes.
    pub bytes: u64,
    /// The file it is filled from; `None` is random data.
    pub file: Option<String>,
}

/// Zones of random I/O.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomZones {
    /// Unit of count of the targets of the ranges.
    pub unit: RangeUnit,
    /// In the order of the target. What is left of the I/Os goes to what is left of the target.
    pub ranges: Vec<OffsetRange>,
}

/// Unit of count of a zone's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeUnit {
    /// `pct`: percent of the target.
    Percent,
    /// `abs`: bytes.
    Bytes,
}

/// One zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetRange {
    /// Percent of the I/Os.
    pub io_percent: u32,
    /// Its size; zero in bytes, in the last place, is all that is left.
    pub size: u64,
}

/// A thread that uses a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTarget {
    /// The thread, from zero.
    pub thread: u32,
    /// Its own weight for this target; `None` is the target's.
    pub weight: Option<u32>,
}

impl Default for TimeSpan {
    fn default() -> TimeSpan {
        TimeSpan {
            targets: Vec::new(),
            duration_s: 10,
            warmup_s: 5,
            cooldown_s: 0,
            seed: Some(0),
            random_write_data: false,
            thread_count: 0,
            request_count: 0,
            affinity: Affinity::Groups,
            completion_routines: false,
            measure_latency: false,
            iops_deviation: false,
            bucket_ms: 1000,
        }
    }
}

impl Default for Target {
    fn default() -> Target {
        Target {
            path: String::new(),
            block_bytes: 64 << 10,
            random_percent: 0,
            align_bytes: None,
            interlocked: false,
            parallel: false,
            zones: None,
            base_bytes: 0,
            end_bytes: None,
            create_bytes: None,
            cache: CacheMode::Cached,
            write_through: false,
            memory_mapped: false,
            flush: None,
            write_percent: 0,
            requests: 2,
            threads_per_target: None,
            thread_stride_bytes: 0,
            throttle: None,
            burst: 0,
            think_ms: 0,
            priority: 3,
            large_pages: false,
            hints: Hints::default(),
            buffers: WriteBuffers::Counting,
            weight: 1,
            thread_targets: Vec::new(),
        }
    }
}

impl Target {
    /// Number of threads it that has of its own.
    pub fn threads(&self) -> u32 {
        self.threads_per_target.unwrap_or(1)
    }

    /// The step between sequential I/Os, and what random ones are aligned to, in bytes.
    pub fn align(&self) -> u64 {
        self.align_bytes.unwrap_or(u64::from(self.block_bytes))
    }
}

/// A profile as it was read, and where each thing of it stands.
#[derive(Debug)]
pub(super) struct ReadProfile {
    pub profile: Profile,
    /// Places of its switches or elements: by time span and target, or by time span alone, or neither.
    pub places: BTreeMap<(Option<usize>, Option<usize>, Knob), At>,
    /// Place of the whole.
    pub whole: At,
    /// From a command line (all targets alike, words of switches) rather than from XML.
    pub switches: bool,
}

impl ReadProfile {
    /// Place of a knob of a target; failing that of its time span, failing that of any.
    pub(super) fn place(&self, span: usize, target: usize, knob: Knob) -> At {
        [(Some(span), Some(target)), (Some(span), None), (None, None)]
            .into_iter()
            .find_map(|(span, target)| self.places.get(&(span, target, knob)).copied())
            .unwrap_or(self.whole)
    }

    /// True if a knob was turned at all, for the target, its time span or the whole.
    pub(super) fn said(&self, span: usize, target: usize, knob: Knob) -> bool {
        [(Some(span), Some(target)), (Some(span), None), (None, None)]
            .into_iter()
            .any(|(span, target)| self.places.contains_key(&(span, target, knob)))
    }

    /// A knob by the name that the reader wrote it by.
    pub(super) fn name(&self, knob: Knob) -> &'static str {
        if self.switches { knob.switch() } else { knob.element() }
    }
}
