use std::fmt;

use iobound_units::Bytes;
use iobound_workload::{Note, Workload};

/// The load generator whose words were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Microsoft DiskSpd.
    DiskSpd,
    /// fio, the flexible I/O tester.
    Fio,
    /// Iometer with its workers, Dynamo.
    Iometer,
}

impl Tool {
    /// The tool's name as its authors write it.
    pub const fn name(self) -> &'static str {
        match self {
            Tool::DiskSpd => "DiskSpd",
            Tool::Fio => "fio",
            Tool::Iometer => "Iometer",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Request of another load generator, as a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    /// The tool.
    pub tool: Tool,
    /// Workload to run. Its jobs' targets are names as they were written (or [`iobound_workload::Targets::All`]
    /// where none was); whoever knows the volumes maps them. Where fio's jobs end with their work rather than
    /// with time, its duration is [`crate::fio::UNTIL_DONE`].
    pub workload: Workload,
    /// Workloads to run after it, one after the other, each with a warm-up and figures of its own: further time
    /// spans of a DiskSpd profile, further tests of an Iometer configuration. fio's stages are in `workload`.
    pub then: Vec<Workload>,
    /// Notes on differences, and on options without effect on the I/O.
    pub notes: Vec<Note>,
    /// The files that the tool would use, in the order of first mention.
    pub files: Vec<ForeignFile>,
}

impl Foreign {
    /// The workloads in the order in which they run.
    pub fn workloads(&self) -> impl Iterator<Item = &Workload> {
        std::iter::once(&self.workload).chain(&self.then)
    }
}

/// A file or device that the tool would use. Several files can be the parts of one target: fio gives each
/// clone of a job a file of its own, and a job's clones are the threads of one of our jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFile {
    /// The file's own name, as the tool would make it.
    pub name: String,
    /// The name of the target of the workload that it is a part of; often the same.
    pub target: String,
    /// Start in the target: zero unless the target has several files, laid end to end.
    pub offset: Bytes,
    /// Its size; `None` where only the file or device itself knows.
    pub size: Option<Bytes>,
    /// The tool creates it (DiskSpd's `-c` truncates one that exists; fio lays it out where it is missing or
    /// too small).
    pub create: bool,
    /// The tool removes it when it is done (fio's `unlink=1`).
    pub unlink: bool,
}
