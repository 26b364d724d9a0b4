//! `fleet -- probe`: `iobound.fleet-probe/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::probe::ProbeDocument;
use crate::quantity::{Amount, Share};

/// The limits of the disks of several machines, each as it was measured there, and how far the machines differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetProbeDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<FleetProbeDocument>,
    /// Machines in the order of their ranks.
    pub hosts: Vec<FleetProbeHost>,
    /// Figures that two machines or more have, beside each other.
    pub figures: Vec<FleetProbeFigure>,
}

impl Contract for FleetProbeDocument {
    const ID: &'static str = "iobound.fleet-probe/1";
}

/// A machine of a fleet that was probed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetProbeHost {
    /// Rank of the machine, from 0.
    pub rank: u32,
    /// Name of the machine.
    pub host: String,
    /// Reason why it has no answer; `null` where it has one.
    pub failure: Option<String>,
    /// Its answer, as `iobound probe --json` prints it there; `null` without one.
    pub probe: Option<ProbeDocument>,
}

/// A figure of several machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetProbeFigure {
    /// The figure in words: `iops of reads`, `throughput of reads`, `latency of 4KiB reads`.
    pub figure: String,
    /// Number of the target on each machine, from 0.
    #[schemars(extend("x-unit" = "targets"))]
    pub target: u32,
    /// Unit of the values: `IOPS`, `bytes/s` or `us`.
    pub unit: String,
    /// Least value.
    pub low: Amount,
    /// Machine that has it.
    pub low_host: String,
    /// Median of all machines.
    pub median: Amount,
    /// Greatest value.
    pub high: Amount,
    /// Machine that has it.
    pub high_host: String,
    /// Difference between the greatest and the least value, as a share of the median.
    pub spread: Share,
    /// Machines whose value differs from the median by more than the precision of a probe: 2 % of a limit, 3 % of a latency.
    pub outliers: Vec<String>,
}
