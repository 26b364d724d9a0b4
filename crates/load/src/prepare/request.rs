use std::path::PathBuf;

use iobound_units::{Bandwidth, Bytes};

use super::filling::Filling;

/// A target as given, and the operations of the workload on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// A file, a folder (a file of its own is made in it) or a block device.
    pub path: PathBuf,
    /// Requested size; `None` for its present size.
    pub size: Option<Bytes>,
    /// The least that the workload can do with: its first offset and a block.
    pub least: Bytes,
    /// True if it is read.
    pub reads: bool,
    /// True if it is written, or discarded.
    pub writes: bool,
    /// True if a foreign line asks for it to be made anew (DiskSpd's `-c`): exactly `size`, whatever was there.
    pub recreate: bool,
}

impl Wanted {
    /// A target for reads, in its present size.
    pub fn read(path: impl Into<PathBuf>) -> Wanted {
        Wanted {
            path: path.into(),
            size: None,
            least: Bytes::ZERO,
            reads: true,
            writes: false,
            recreate: false,
        }
    }
}

/// Assumed speed of preparation, for the time that it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Measured on these targets.
    Measured(Bandwidth),
    /// Nobody has measured it.
    Assumed(Bandwidth),
}

impl Pace {
    /// The throughput itself.
    pub const fn bandwidth(self) -> Bandwidth {
        match self {
            Pace::Measured(bandwidth) | Pace::Assumed(bandwidth) => bandwidth,
        }
    }
}

/// Targets to prepare, and files that may be lost for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The targets, in the order of the run's.
    pub targets: Vec<Wanted>,
    /// Files that may be lost: each equals a target, or is a mistake.
    pub overwrite: Vec<PathBuf>,
    /// Content of new files and holes.
    pub filling: Filling,
    /// Default size of a new file.
    pub new_size: Option<Bytes>,
    /// True if what would make figures doubtful is refused, rather than told.
    pub strict: bool,
    /// The speed at which it will go.
    pub pace: Pace,
    /// Now, in seconds since 1970, for the marks.
    pub now: u64,
}
