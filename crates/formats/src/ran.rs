//! What the writers of this crate need to know of a run to say it in another tool's form.

use iobound_measure::result::{Check, Cpu, DeviceFacts};
use iobound_measure::{Measured, ThreadMeasured};
use iobound_units::{Bytes, Span};
use iobound_workload::{Lane, Workload};

/// A run, as the writers of other tools' forms take it: all of it borrowed, nothing computed twice.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'a> {
    /// What was asked.
    pub workload: &'a Workload,
    /// Its lanes, in order: which job, thread and targets belong together.
    pub lanes: &'a [Lane],
    /// The targets by their id, as the tool's own words named them.
    pub targets: &'a [RanTarget],
    /// All that was measured.
    pub total: &'a Measured,
    /// The real threads, by number.
    pub threads: &'a [ThreadMeasured],
    /// The machine.
    pub machine: &'a RanMachine,
    /// Findings about the run itself.
    pub checks: &'a [Check],
}

/// A target as the foreign words named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanTarget {
    /// The path or the name.
    pub path: String,
    /// Its size.
    pub size: Bytes,
}

/// The machine, and when and how the run was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RanMachine {
    /// The name of the host.
    pub host: String,
    /// The operating system and its release, as `uname -sr` has it.
    pub system: String,
    /// The command line as it was given, the program's name included.
    pub command: String,
    /// The version of this program.
    pub version: String,
    /// When the run began: ms since 1970-01-01 UTC.
    pub began_unix_ms: u64,
    /// When it ended.
    pub ended_unix_ms: u64,
    /// How long the preparation took, where there was any.
    pub prepared_for: Option<Span>,
    /// The processors while counting was on.
    pub cpu: Cpu,
    /// The block devices below the targets.
    pub devices: Vec<DeviceFacts>,
}
