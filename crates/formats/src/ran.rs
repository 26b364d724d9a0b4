//! Facts about a run that the writers of other tools' formats need.

use iobound_measure::result::{Check, Cpu, DeviceFacts};
use iobound_measure::{Measured, ThreadMeasured};
use iobound_units::{Bytes, Instant, Op, Span};
use iobound_workload::{Queue, Workload};

/// A run, as the writers of other tools' forms take it: all of it borrowed, nothing computed twice.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'a> {
    /// The request.
    pub workload: &'a Workload,
    /// Its queues, in order: which job, thread and targets belong together.
    pub queues: &'a [Queue],
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
    /// The threads of the pass that read back what was written, in the order of `threads`; empty where there was none.
    pub read_back: &'a [ThreadMeasured],
    /// Every I/O of each thread, in the order of `threads`; empty where they were not recorded.
    pub ios: &'a [Vec<RanIo>],
    /// The numbers of the threads that read something else than was written.
    pub wrong: &'a [u16],
}

/// One I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RanIo {
    /// Time of its completion.
    pub end: Instant,
    /// The time from issue to completion.
    pub lat: Span,
    /// The part of it that submission took; zero where that is not known.
    pub slat: Span,
    /// Its activity.
    pub op: Op,
    /// Its length in bytes.
    pub len: u32,
    /// The index of its target in [`Ran::targets`].
    pub target: u16,
    /// Offset in its target, in bytes.
    pub offset: u64,
}

/// A target as the foreign words named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanTarget {
    /// The path or the name.
    pub path: String,
    /// Its size.
    pub size: Bytes,
    /// The files that it is made of, end to end and all of one size; empty where it is one file of its own name.
    pub files: Vec<String>,
}

impl RanTarget {
    /// The file that holds a byte of the target, and where in it that is.
    pub fn place(&self, offset: u64) -> (&str, u64) {
        let size = self.size.get() / self.files.len().max(1) as u64;
        let index = offset.checked_div(size).unwrap_or(0);
        match usize::try_from(index).ok().and_then(|index| self.files.get(index)) {
            Some(file) => (file, offset - index * size),
            None => (&self.path, offset),
        }
    }
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
    /// Start of the run: ms since 1970-01-01 UTC.
    pub began_unix_ms: u64,
    /// Time of its end.
    pub ended_unix_ms: u64,
    /// Time that the preparation took, where there was any.
    pub prepared_for: Option<Span>,
    /// The processors while counting was on.
    pub cpu: Cpu,
    /// The block devices below the targets.
    pub devices: Vec<DeviceFacts>,
    /// Notes beside the figures: options without effect, preparation, where the result is kept.
    pub notes: Vec<String>,
}
