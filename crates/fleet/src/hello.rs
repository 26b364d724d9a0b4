//! Self-description of a rank when it comes.

/// Self-description of a rank when it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The machine that it is on.
    pub host: Host,
    /// A digest of what all ranks must have alike: the workload, stage by stage. Ranks that differ are refused.
    pub fingerprint: String,
    /// Number of stages the workload that has.
    pub stages: u32,
    /// The version of the program; a rank of another is refused.
    pub version: String,
}

/// A machine, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Name that it gives itself.
    pub name: String,
    /// The process.
    pub pid: u32,
    /// Further facts, as a JSON object that only the coordinator's caller reads; empty without any.
    pub facts: String,
}
