//! A workload's jobs spread over threads and targets: one lane for each queue of outstanding I/Os.

use iobound_units::{Bytes, Rate, Span, TargetId};

use crate::check::check_job;
use crate::error::LaneError;
use crate::{Arrivals, Job, Load, Region, Spread, Targets, Think, Workload};

/// What a job can run on: a volume of the model, a file or a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name that jobs use.
    pub name: String,
    /// What I/Os carry.
    pub id: TargetId,
    /// Its address space.
    pub size: Bytes,
    /// The name it is a member of, beside its own: `data` of `data.0`.
    pub members_of: Option<String>,
}

/// One target of a lane and the part of it that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The target.
    pub target: TargetId,
    /// The first byte used.
    pub start: u64,
    /// How many bytes are used.
    pub len: u64,
}

/// One queue of outstanding I/Os: a thread's on one target, or on several in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// The index in [`Workload::jobs`].
    pub job: u16,
    /// The thread's index in the whole workload, dense from zero. Lanes of one thread follow each other.
    pub thread: u16,
    /// The index among the job's threads that share this lane's targets: which sequential stream it is.
    pub stream: u16,
    /// Where its I/Os go, dealt in this order; never empty.
    pub extents: Vec<Extent>,
    /// The most outstanding I/Os of the lane.
    pub depth: u32,
    /// When its I/Os are issued.
    pub load: LaneLoad,
    /// Lanes of one stage run together.
    pub stage: u16,
    /// How long after its stage's start it begins.
    pub start_after: Span,
    /// A bound on its time.
    pub runtime: Option<Span>,
    /// A bound on the bytes it moves.
    pub stop_after: Option<Bytes>,
    /// Its pauses.
    pub think: Option<Think>,
    /// A flush after this many of its writes.
    pub flush_every: Option<u64>,
}

/// When a lane's I/Os are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneLoad {
    /// As soon as one completes, no faster than the cap.
    Closed {
        /// The lane's own cap.
        cap: Option<Rate>,
    },
    /// At times of its own: this lane's are the `turn`-th of every `of` of the job.
    Open {
        /// The rate of the whole job.
        rate: Rate,
        /// How the times are spaced.
        arrivals: Arrivals,
        /// Which of the job's lanes this is, from zero.
        turn: u32,
        /// How many lanes share the rate.
        of: u32,
    },
}

impl Lane {
    /// The targets its I/Os go to, in turn.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = TargetId> + '_ {
        self.extents.iter().map(|extent| extent.target)
    }
}

/// What a job means by one name: a target, or all members of one name.
type Group<'a> = Vec<&'a Target>;

impl Workload {
    /// Spreads the jobs over threads and targets, in the order job, thread, target ([`Spread::PerTarget`]: job,
    /// target, thread).
    ///
    /// # Errors
    /// What the jobs ask for and these targets, or no target, can give.
    pub fn lanes(&self, targets: &[Target]) -> Result<Vec<Lane>, LaneError> {
        if self.jobs.is_empty() {
            return Err(LaneError::NoJobs);
        }
        let mut lanes = Vec::new();
        let mut threads_before = 0u32;
        for (index, job) in self.jobs.iter().enumerate() {
            let number =
                u16::try_from(index).map_err(|_| LaneError::TooManyJobs { jobs: self.jobs.len() })?;
            let groups = resolve(job, targets)?;
            check_job(job, groups.iter().flatten().copied())?;
            let first = lanes.len();
            threads_before = spread(job, number, &groups, threads_before, &mut lanes)?;
            share_rate(&mut lanes[first..]);
        }
        Ok(lanes)
    }
}

/// The targets that a job names, each name a group.
fn resolve<'a>(job: &Job, targets: &'a [Target]) -> Result<Vec<Group<'a>>, LaneError> {
    let names = match &job.targets {
        Targets::All if targets.is_empty() => return Err(LaneError::NoTargets { job: job.name.clone() }),
        Targets::All => return Ok(targets.iter().map(|target| vec![target]).collect()),
        Targets::Named(names) if names.is_empty() => {
            return Err(LaneError::NoTargets { job: job.name.clone() });
        }
        Targets::Named(names) => names,
    };
    names.iter().map(|name| group_of(name, targets).ok_or_else(|| unknown(job, name, targets))).collect()
}

/// The target of this name, or the members of it.
fn group_of<'a>(name: &str, targets: &'a [Target]) -> Option<Group<'a>> {
    if let Some(target) = targets.iter().find(|target| target.name == name) {
        return Some(vec![target]);
    }
    let members: Group = targets.iter().filter(|target| target.members_of.as_deref() == Some(name)).collect();
    (!members.is_empty()).then_some(members)
}

fn unknown(job: &Job, name: &str, targets: &[Target]) -> LaneError {
    let mut known: Vec<String> = Vec::new();
    for target in targets {
        for name in target.members_of.iter().chain([&target.name]) {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
    }
    LaneError::UnknownTarget { job: job.name.clone(), name: name.to_string(), known }
}

/// The part of a target that a job uses; `check_job` has seen that it lies inside.
fn extent_of(region: Region, target: &Target) -> Extent {
    let len = region.size.unwrap_or(Bytes(target.size.0 - region.offset.0));
    Extent { target: target.id, start: region.offset.0, len: len.0 }
}

/// Appends the lanes of one job; the number of threads so far.
fn spread(
    job: &Job,
    number: u16,
    groups: &[Group<'_>],
    threads_before: u32,
    lanes: &mut Vec<Lane>,
) -> Result<u32, LaneError> {
    let threads = match job.spread {
        Spread::PerTarget => u64::from(job.threads) * groups.len() as u64,
        Spread::Every | Spread::Dealt => u64::from(job.threads),
    };
    let threads_after = u64::from(threads_before) + threads;
    if threads_after > u64::from(u16::MAX) {
        return Err(LaneError::TooManyThreads { job: job.name.clone(), threads: threads_after });
    }
    let extents = |group: &Group<'_>| group.iter().map(|target| extent_of(job.region, target)).collect();
    let mut thread = threads_before as u16;
    match job.spread {
        Spread::PerTarget => {
            for group in groups {
                for stream in 0..job.threads as u16 {
                    lanes.push(lane(job, number, thread, stream, extents(group)));
                    thread = thread.wrapping_add(1);
                }
            }
        }
        Spread::Every => {
            for stream in 0..job.threads as u16 {
                lanes.extend(groups.iter().map(|group| lane(job, number, thread, stream, extents(group))));
                thread = thread.wrapping_add(1);
            }
        }
        Spread::Dealt => {
            for stream in 0..job.threads as u16 {
                let all = groups.iter().flat_map(|group| extents(group) as Vec<Extent>).collect();
                lanes.push(lane(job, number, thread, stream, all));
                thread = thread.wrapping_add(1);
            }
        }
    }
    Ok(threads_after as u32)
}

fn lane(job: &Job, number: u16, thread: u16, stream: u16, extents: Vec<Extent>) -> Lane {
    let (depth, load) = match job.load {
        Load::Closed { depth, cap } => (depth, LaneLoad::Closed { cap }),
        Load::Open { rate, arrivals, depth } => (depth, LaneLoad::Open { rate, arrivals, turn: 0, of: 1 }),
    };
    Lane {
        job: number,
        thread,
        stream,
        extents,
        depth,
        load,
        stage: job.stage,
        start_after: job.start_after,
        runtime: job.runtime,
        stop_after: job.stop_after,
        think: job.think,
        flush_every: job.flush_every,
    }
}

/// Tells each lane of one job its turn of the job's rate.
fn share_rate(lanes: &mut [Lane]) {
    let count = lanes.len() as u32;
    for (index, lane) in lanes.iter_mut().enumerate() {
        if let LaneLoad::Open { turn, of, .. } = &mut lane.load {
            (*turn, *of) = (index as u32, count);
        }
    }
}
