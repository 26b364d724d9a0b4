//! Figures that an HTML page derives from its document: `iobound.page/1`. No verb prints it; it has the definitions of
//! these figures.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::{Contract, Version};
use crate::quantity::{Amount, Microseconds, Share};

/// Figures that a page (`--html`) adds to those of its document.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageDocument {
    /// Name and version of the figures.
    pub schema: Version<PageDocument>,
    /// Of a limit in a chart: expected figure ÷ share of the limit, so the IOPS (or the throughput) at which these I/Os fill it.
    #[schemars(extend("x-unit" = "IOPS or bytes/s"))]
    pub level: Amount,
    /// The limit that an interval filled most.
    pub fullest: FullestLimit,
    /// Share of the I/Os that do not exceed the latency beside it.
    #[schemars(extend("x-unit" = "%"))]
    pub percentile: Amount,
    /// Classes of latencies.
    pub latency: LatencyClasses,
    /// IOPS of one ÷ mean IOPS of all.
    pub evenness: Share,
    /// Time since a probe put a limit under load.
    #[schemars(extend("x-unit" = "ms"))]
    pub millisecond: u64,
}

impl Contract for PageDocument {
    const ID: &'static str = "iobound.page/1";
}

/// The limit that an interval filled most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FullestLimit {
    /// IOPS of the interval ÷ level of the limit; of a limit of bytes, throughput ÷ level. The limit counts as full from 95 %. If
    /// intervals are shown together, it is of their mean.
    pub share: Share,
}

/// Classes of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatencyClasses {
    /// Ends of a class, four to a power of two: above the first, up to the second.
    pub class: LatencyClass,
}

/// A class of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatencyClass {
    /// Latency that the class reaches up to.
    pub up_to_us: Microseconds,
    /// I/Os with a latency of the class, over all intervals, including warm-up and cool-down.
    #[schemars(extend("x-unit" = "I/Os"))]
    pub ios: u64,
}
