//! `fleet --dry-run`: `iobound.fleet/1`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::{Contract, Version};

/// The commands that a fleet would start. The result of a fleet that ran is `iobound.result/1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FleetDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<FleetDocument>,
    /// `dry-run`.
    pub kind: String,
    /// Meeting point of the ranks: `through ssh`, or an address.
    pub meet: String,
    /// Hosts in the order of their ranks.
    pub hosts: Vec<FleetHost>,
    /// Words that each rank would run, from the verb on.
    pub words: Vec<String>,
}

impl Contract for FleetDocument {
    const ID: &'static str = "iobound.fleet/1";
}

/// A host of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FleetHost {
    /// Rank of the host, from 0.
    pub rank: u64,
    /// Name of the host.
    pub host: String,
    /// Command line for a shell that would start the rank.
    pub command: String,
}
