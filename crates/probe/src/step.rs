//! An experiment, and what it recorded.

use iobound_units::{Bytes, Instant, Op, Problem, Rate, Span};
use iobound_workload::{Access, Job, Load, Region, Share, Target, Targets, Think, Workload};

/// Size of small I/Os.
pub(crate) const SMALL: u32 = 4_096;
/// Size of large I/Os.
pub(crate) const LARGE: u32 = 256 << 10;
/// Size of the largest I/Os.
pub(crate) const LARGEST: u32 = 1 << 20;

/// Operations of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// Reads only.
    Reads,
    /// Writes only: the targets lose their data.
    Writes,
    /// Reads and writes in equal numbers: the targets lose their data.
    Half,
}

/// Pace of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// This many I/Os outstanding on each target.
    Depth(u32),
    /// I/Os one after the other on each target, at most this many a second.
    OneByOne(u64),
    /// Trains of this many I/Os, one after the other, on each target. A train begins this long after the issue of the last I/O before it.
    Trains(u64, Span),
}

/// One experiment: I/Os of one size at one pace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Targets by their index.
    pub targets: Vec<usize>,
    /// Operations.
    pub mix: Mix,
    /// Size of each I/O in bytes.
    pub block: u32,
    /// True if each I/O follows on from the one before it.
    pub sequential: bool,
    /// First byte and length of the part that is used; `None`: all of it.
    pub region: Option<(u64, u64)>,
    /// True if each block is touched once, and the experiment ends after the last.
    pub once: bool,
    /// True if hits of a cache are wanted; otherwise they are left out of the recording, because no limit of the disk holds them.
    pub with_hits: bool,
    /// Pace.
    pub pace: Pace,
    /// Length of the experiment.
    pub time: Span,
}

impl Step {
    /// Random reads of this size at this queue depth on one target.
    pub fn reads(target: usize, block: u32, depth: u32, time: Span) -> Step {
        Step {
            targets: vec![target],
            mix: Mix::Reads,
            block,
            sequential: false,
            region: None,
            once: false,
            with_hits: false,
            pace: Pace::Depth(depth),
            time,
        }
    }

    /// The experiment as a workload on these targets, with this seed.
    pub fn workload(&self, targets: &[Target], seed: u64) -> Workload {
        let mut job = Job::new("probe");
        job.targets = Targets::Named(self.targets.iter().map(|at| targets[*at].name.clone()).collect());
        let share = |op| Share { weight: 1, op, block: self.block, random: None, align: None };
        job.mix = match self.mix {
            Mix::Reads => vec![share(Op::Read)],
            Mix::Writes => vec![share(Op::Write)],
            Mix::Half => vec![share(Op::Read), share(Op::Write)],
        };
        job.access = if self.sequential { Access::sequential() } else { Access::random() };
        job.access.once_each = self.once && !self.sequential;
        if let Some((offset, size)) = self.region {
            job.region = Region { offset: Bytes(offset), size: Some(Bytes(size)) };
            if self.once {
                job.stop_after = Some(Bytes(size));
            }
        }
        let (depth, cap) = match self.pace {
            Pace::Depth(depth) => (depth, None),
            Pace::OneByOne(count) => (1, Some(Rate::Ios { count, per: Span::from_secs(1) })),
            Pace::Trains(..) => (1, None),
        };
        job.load = Load::Closed { depth, cap };
        if let Pace::Trains(burst, time) = self.pace {
            job.think = Some(Think { burst, time, after_completion: false });
        }
        Workload { seed, ..Workload::new(vec![job], self.time) }
    }
}

/// A completed I/O, in the time of the disk that ran it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Time of its issue.
    pub issued: Instant,
    /// Time of its completion.
    pub end: Instant,
    /// Its operation.
    pub op: Op,
    /// Its length in bytes.
    pub len: u32,
    /// Its target, by index.
    pub target: u16,
    /// Its place in the target, in bytes.
    pub offset: u64,
}

/// Recording of an experiment.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Time at which the first I/O could be issued.
    pub began: Instant,
    /// End of the experiment.
    pub ended: Instant,
    /// I/Os that completed, in the order of completion.
    pub ios: Vec<Completed>,
    /// Share of the processor time it wanted that the client got, where it got too little to load the disk; `None` where it
    /// got enough.
    pub starved: Option<f64>,
}

/// Disks that experiments run on: the model in virtual time, or real files and devices.
pub trait Disk {
    /// Targets by id, with their sizes.
    fn targets(&self) -> &[Target];

    /// The time, on a clock that goes on between experiments.
    fn now(&mut self) -> Instant;

    /// Lets this time pass without I/O.
    fn rest(&mut self, time: Span);

    /// Runs an experiment to its end. No I/O is outstanding when it returns.
    ///
    /// # Errors
    /// Returns an error if an I/O fails or the run cannot begin.
    fn run(&mut self, workload: &Workload) -> Result<Recording, Problem>;

    /// True if the user wants the probe to end.
    fn is_stopped(&self) -> bool;
}
