use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use iobound_machine::open::Directory;
use iobound_units::{Bytes, Span};

use super::filling::Filling;
use super::handle::Handle;
use super::mark::Mark;
use super::request::Pace;
use super::sample::Sample;

/// Kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A file that is not there yet.
    New,
    /// A file that was made here, by its mark.
    Made,
    /// A file that iobound did not create.
    Foreign,
    /// A block device.
    Device,
}

impl What {
    /// The words for it.
    pub const fn name(self) -> &'static str {
        match self {
            What::New => "new file",
            What::Made => "file made here",
            What::Foreign => "file not made here",
            What::Device => "block device",
        }
    }
}

/// Doubts about a target's figures, which forbid nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It lies in memory, for this reason.
    InMemory(String),
    /// The whole device has never been written: reads need not reach it.
    Blank,
    /// Blocks that were looked at hold zeros, which storage need not keep.
    Zeros(Sample),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::InMemory(why) => write!(f, "{why}: figures do not describe a disk"),
            Doubt::Blank => f.write_str("its blocks were never written: reads may not reach the media"),
            Doubt::Zeros(Sample { blocks, zeros }) => write!(
                f,
                "{zeros} of {blocks} sampled blocks hold zeros: unwritten blocks are read without the media"
            ),
        }
    }
}

/// Plan for one target.
#[derive(Clone, Debug)]
pub struct Step {
    /// As it was named.
    pub given: PathBuf,
    /// Path that the run opens.
    pub path: PathBuf,
    /// Its kind.
    pub what: What,
    /// The open file or device; `None` for a new file.
    pub handle: Option<Handle>,
    /// The directory that holds it, or in which it is created.
    pub(super) directory: Arc<Directory>,
    /// Its name there.
    pub(super) name: OsString,
    /// True if the run writes to it.
    pub(super) writes: bool,
    /// Used size, from its start.
    pub size: Bytes,
    /// The size that the file is given first, where it has another.
    pub resize: Option<Bytes>,
    /// Ranges to write, in order, in bytes.
    pub ranges: Vec<Range<u64>>,
    /// Existing bytes that were never written.
    pub unwritten: Bytes,
    /// The mark that it gets, or keeps.
    pub mark: Option<Mark>,
    /// Doubts about its figures.
    pub doubts: Vec<Doubt>,
    /// File systems and the like that are lost when it is overwritten.
    pub lost: Vec<String>,
    /// True if it is an emulated disk.
    pub emulated: bool,
    /// The place of the target before it that is the same.
    pub same_as: Option<usize>,
}

impl Step {
    /// True if nothing has to be done.
    pub fn is_ready(&self) -> bool {
        self.ranges.is_empty() && self.resize.is_none()
    }

    /// Bytes to write.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.ranges.iter().map(|range| range.end - range.start).sum())
    }
}

/// Room on a file system that files are made on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// A target on it.
    pub path: PathBuf,
    /// Space that the plan needs.
    pub needed: Bytes,
    /// Space that is free to this user.
    pub free: Bytes,
    /// Space that stays free in any case.
    pub kept: Bytes,
}

/// Complete, permitted plan: made by [`super::survey`], carried out by [`super::carry_out`].
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) rooms: Vec<Room>,
    pub(super) filling: Filling,
    pub(super) pace: Pace,
}

impl Plan {
    /// A step for each target, in their order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The file systems that grow fuller.
    pub fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// Total of bytes to write.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.steps.iter().map(|step| step.bytes().get()).sum())
    }

    /// For how long, at the request's pace.
    pub fn takes(&self) -> Span {
        self.pace.bandwidth().time_for(self.bytes())
    }

    /// True if nothing has to be done.
    pub fn is_ready(&self) -> bool {
        self.steps.iter().all(Step::is_ready)
    }
}

impl fmt::Display for Plan {
    /// Output of `--dry-run`: a line a target, its doubts, and the sum.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            let Step { path, what, size, unwritten, .. } = step;
            write!(f, "{}  {}, {size}", path.display(), what.name())?;
            if let Some(first) = step.same_as {
                writeln!(f, "; the same as {}", self.steps[first].given.display())?;
                continue;
            }
            if unwritten.get() > 0 {
                write!(f, ", of which {unwritten} never written")?;
            }
            match step.bytes() {
                Bytes(0) => writeln!(f, "; nothing to write")?,
                bytes => {
                    let time = self.pace.bandwidth().time_for(bytes);
                    writeln!(f, "; {bytes} to write, about {time}")?;
                }
            }
            for lost in &step.lost {
                writeln!(f, "  lost   {lost}")?;
            }
            for doubt in &step.doubts {
                writeln!(f, "  check  {doubt}")?;
            }
        }
        for Room { path, needed, free, kept } in &self.rooms {
            writeln!(f, "room   {needed} of {free} free beside {}; {kept} stay free", path.display())?;
        }
        if self.bytes() == Bytes::ZERO {
            return write!(f, "in all nothing to write");
        }
        let pace = match self.pace {
            Pace::Measured(bandwidth) => format!("{bandwidth}, measured"),
            Pace::Assumed(bandwidth) => format!("{bandwidth}, assumed"),
        };
        write!(f, "in all {} to write, about {} at {pace}", self.bytes(), self.takes())
    }
}
