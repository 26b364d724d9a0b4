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
    /// True if the trace keeps the goal on it.
    pub holds: bool,
    /// Figure of the goal. Of a replay that was ended because the goal could not be met any more, it is of the I/Os up to then.
    pub latency_us: Microseconds,
    /// Second in which so many I/Os had taken too long that the goal could not be met any more; `null` if it holds, or if the
    /// goal is a mean.
    pub fails_at_s: Option<Seconds>,
    /// First second in which a limit held I/Os back, and its figure of the goal was exceeded; `null` if there is none.
    pub throttled_at_s: Option<Seconds>,
    /// Limit that held I/Os back longest in that second; `null` if none did.
    pub bound_by: Option<String>,
    /// Credits that ran out.
    pub credits: Vec<ReplayCredits>,
}
