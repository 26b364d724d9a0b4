//! The part of `plan` that `--trace` adds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{Microseconds, Seconds, Usd};
use crate::replay::ReplayCredits;
use crate::trace::TraceRead;

/// A trace that a plan is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanTrace {
    /// Files that were read, with their format and what was counted.
    pub read: TraceRead,
    /// I/Os of the trace.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
    /// Goal: `p99:5ms`. Reads and writes count from their recorded times.
    pub goal: String,
    /// Configurations on which the trace was replayed, the cheapest first.
    pub replayed: Vec<PlanReplay>,
}

/// A configuration on which a trace was replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanReplay {
    /// VM size.
    pub vm: String,
    /// Disks, as `--disk` takes them.
    pub disks: Vec<String>,
    /// Price of a month; `null` if a part of it has no known price, or if it fails in place of weaker ones that are cheaper.
    pub month: Option<Usd>,
    /// True if it fails in place of weaker VM sizes with the same disks, which are cheaper and cannot keep the goal either.
    pub weaker_fail_too: bool,
    /// True if its published limits are below the mean rate of the trace with the headroom: it is no candidate, and was replayed to show when it fails.
    /// Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub below_mean_rate: bool,
    /// True if the trace keeps the goal on it.
    pub holds: bool,
    /// The goal's statistic of the replay. If the configuration fails, the replay ends then, and the statistic is of the I/Os up to
    /// that second.
    pub latency_us: Microseconds,
    /// Second in which the configuration fails: from then on too many I/Os have exceeded the goal's latency for the goal to be kept.
    /// `null` if it holds, or if the goal is a mean.
    pub fails_at_s: Option<Seconds>,
    /// First second in which a limit held I/Os back and the goal's statistic of that second exceeded the goal; `null` if there is none.
    pub throttled_at_s: Option<Seconds>,
    /// Limit that held I/Os back longest in that second; `null` if none did.
    pub bound_by: Option<String>,
    /// Credits that ran out.
    pub credits: Vec<ReplayCredits>,
}
