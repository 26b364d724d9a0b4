//! The answer of a probe: each limit with its evidence, and what was not reached.

use iobound_units::{Bytes, Instant, Span};

use crate::arithmetic::squared;

/// A figure with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best value.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// A value that may be this much smaller or larger.
    pub fn around(value: f64, error: f64) -> Estimate {
        Estimate { value, low: (value - error).max(0.0), high: value + error }
    }

    /// A value that is known to be reached, within this error, and may be exceeded.
    pub fn at_least(value: f64, error: f64) -> Estimate {
        Estimate { high: f64::INFINITY, ..Estimate::around(value, error) }
    }

    /// True if only the lower end is known.
    pub fn is_at_least(&self) -> bool {
        self.high.is_infinite()
    }

    /// Half of the interval as a share of the value.
    pub fn share(&self) -> f64 {
        if self.value > 0.0 { (self.high - self.low) / 2.0 / self.value } else { 0.0 }
    }
}

/// Unit that a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// I/Os, or units of large ones.
    Ios,
    /// Bytes.
    Bytes,
}

/// The I/Os that a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Reads; writes were not measured.
    Reads,
    /// Writes alone.
    Writes,
    /// Reads and writes together.
    Both,
    /// Reads that the cache serves.
    Hits,
}

impl Scope {
    /// The word in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Reads => "reads",
            Scope::Writes => "writes",
            Scope::Both => "reads and writes",
            Scope::Hits => "cache hits",
        }
    }
}

/// Enforcement of a limit in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Enforcement {
    /// A quota for each slice of time.
    Slice {
        /// Length in seconds.
        length: Estimate,
        /// I/Os or bytes a slice.
        quota: f64,
        /// Likeness of the slices, 1 at most.
        correlation: f64,
    },
    /// A token bucket.
    Bucket {
        /// Time in which the limit fills it, in seconds.
        depth: Estimate,
    },
    /// Not resolved: neither a slice nor a bucket that is deep enough to see.
    Unresolved,
}

/// A rate above the limit that lasts for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// Amount a second while it lasts.
    pub per_second: Estimate,
    /// Credits when full, in I/Os or bytes. What was used beyond the limit until the burst ended is a lower bound, unless a rest that
    /// earns more gave the same again.
    pub size: Estimate,
    /// End, on the disk's clock.
    pub ended: Instant,
}

impl Burst {
    /// A burst whose credits have not been counted.
    pub(crate) fn uncounted(per_second: Estimate, ended: Instant) -> Burst {
        Burst { per_second, size: Estimate::at_least(0.0, 0.0), ended }
    }

    /// True if its credits have been counted.
    pub(crate) fn is_counted(&self) -> bool {
        self.size.value > 0.0
    }
}

/// One point of a depth ramp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RampPoint {
    /// Outstanding I/Os.
    pub depth: u32,
    /// Amount a second.
    pub per_second: f64,
    /// Mean latency in seconds.
    pub latency: f64,
}

/// Evidence of a limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Rate against queue depth.
    pub ramp: Vec<RampPoint>,
    /// I/Os that completed in each millisecond, while the limit held, for at most 400 ms.
    pub staircase: Vec<u32>,
    /// Largest difference between the measured and the simulated number of completions in the first second of the experiment,
    /// as a share of a second's limit.
    pub misfit: Option<f64>,
}

/// A limit that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLimit {
    /// Unit that it counts.
    pub counts: Counts,
    /// Its I/Os.
    pub scope: Scope,
    /// Targets that share it, by index.
    pub targets: Vec<usize>,
    /// Amount a second that is sustained.
    pub per_second: Estimate,
    /// Its enforcement.
    pub enforcement: Enforcement,
    /// The burst above it, where one ended during the probe.
    pub burst: Option<Burst>,
    /// A burst that did not end within this time at this limit would not be seen.
    pub watched: Span,
    /// Evidence.
    pub evidence: Evidence,
}

impl FoundLimit {
    /// I/Os or bytes that pass at once at least, however the limit is enforced, when it was not used before.
    pub(crate) fn at_once(&self) -> f64 {
        match self.enforcement {
            Enforcement::Slice { quota, .. } => quota,
            Enforcement::Bucket { depth } => depth.low * self.per_second.value,
            Enforcement::Unresolved => 0.0,
        }
    }
}

/// Charge of large I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accounting {
    /// Each I/O counts as one, up to this size.
    EachUpTo(Bytes),
    /// An I/O counts one for each begun unit of this size.
    Unit(Bytes),
    /// The throughput limit holds I/Os of this size and more, so larger units cannot be seen.
    HiddenFrom(Bytes),
    /// Nothing limits I/Os per second, so that nothing is charged.
    NoLimit,
}

/// Rate of one size of I/O.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizePoint {
    /// Size in bytes.
    pub block: u32,
    /// I/Os a second.
    pub iops: f64,
}

/// Latency of one operation and size below every limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundLatency {
    /// The operation: true for writes.
    pub is_write: bool,
    /// Size in bytes.
    pub block: u32,
    /// The least, in seconds.
    pub floor: f64,
    /// The mean, in seconds.
    pub mean: Estimate,
    /// 99th percentile, in seconds.
    pub p99: f64,
    /// Number of I/Os.
    pub count: usize,
}

impl FoundLatency {
    /// Both measurements as one.
    pub(crate) fn with(&self, other: &FoundLatency) -> FoundLatency {
        let (one, two) = (self.count as f64, other.count as f64);
        let mean = |of: fn(&FoundLatency) -> f64| (of(self) * one + of(other) * two) / (one + two);
        let half = |of: &FoundLatency, count: f64| squared(of.mean.share() * of.mean.value * count);
        let error = (half(self, one) + half(other, two)).sqrt() / (one + two);
        FoundLatency {
            floor: self.floor.min(other.floor),
            mean: Estimate::around(mean(|of| of.mean.value), error),
            p99: mean(|of| of.p99),
            count: self.count + other.count,
            ..*self
        }
    }
}

/// A read cache before the media.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundCache {
    /// Mean latency of a hit of 4 KiB, in seconds.
    pub hit: Estimate,
    /// Its size in bytes; `None` where it is larger than what was read.
    pub size: Option<Estimate>,
    /// Bytes that it holds at least.
    pub at_least: u64,
}

/// Findings about one target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetAnswer {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Median latency of small reads at queue depth 1 of the depth ramp, in seconds; `None` before the ramp ends.
    pub unloaded: Option<f64>,
    /// Latencies by operation and size.
    pub latencies: Vec<FoundLatency>,
    /// Charge of large I/Os; `None` where it was not measured.
    pub accounting: Option<Accounting>,
    /// Size up to which sequential reads are charged as one; `None` where they are charged one by one or it was not measured.
    pub merges_up_to: Option<Bytes>,
    /// Rates by size, the evidence of the accounting.
    pub sizes: Vec<SizePoint>,
    /// The cache, where there is one.
    pub cache: Option<FoundCache>,
    /// True if the depth ramp of small reads ended, and that of large ones.
    pub ramps_ended: [bool; 2],
    /// Most I/Os a second that were reached where no limit is known.
    pub reached_iops: f64,
    /// Most bytes a second that were reached where no limit is known.
    pub reached_bytes: f64,
}

/// Drift and disturbance during the probe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// Difference between two measurements of the same experiment at the start and at the end, as a share.
    pub drift: f64,
    /// Variation of the median latency between intervals of 50 ms, as a share.
    pub variation: f64,
}

/// Cost of the probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time.
    pub time: Span,
    /// I/Os.
    pub ios: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

/// End of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every experiment that the disk calls for was done.
    Complete,
    /// The budget was used up.
    Budget,
    /// The user interrupted it.
    Stopped,
    /// Other work kept processors from the client, so that some experiments say nothing.
    Starved,
    /// The disk failed.
    Failed(String),
}

/// All that a probe found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Each target.
    pub targets: Vec<TargetAnswer>,
    /// All limits, of one target or of several.
    pub limits: Vec<FoundLimit>,
    /// Figures that were not reached, a sentence each, with the means to reach them.
    pub not_reached: Vec<String>,
    /// Questions that are open because the budget was too short or the probe was interrupted, as parts of a sentence.
    pub open: Vec<String>,
    /// Budget that would have answered them; `None` where none is open.
    pub budget_for_open: Option<Span>,
    /// Drift and disturbance; `None` where the first experiment was not repeated.
    pub noise: Option<Noise>,
    /// Cost.
    pub cost: Cost,
    /// The least share of the processor time it wanted that the client got, over experiments that say nothing for that reason;
    /// `None` if it always had enough.
    pub starved: Option<f64>,
    /// Kind of its end.
    pub ending: Ending,
}

impl Answer {
    /// True if no figure of any target is known.
    pub fn has_nothing(&self) -> bool {
        let is_bare = |target: &TargetAnswer| target.unloaded.is_none() && target.latencies.is_empty();
        self.limits.is_empty() && self.targets.iter().all(is_bare)
    }

    /// The limit of a target by itself.
    pub fn limit(&self, target: usize, counts: Counts, scope: Scope) -> Option<&FoundLimit> {
        let is_it =
            |limit: &&FoundLimit| limit.targets == [target] && limit.counts == counts && limit.scope == scope;
        self.limits.iter().find(is_it)
    }
}
