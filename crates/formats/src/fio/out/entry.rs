//! The entries of fio's report: a thread each, or the threads of a group together.

use iobound_measure::{Batches, ThreadMeasured, Usage};
use iobound_units::{Op, Span};
use iobound_workload::{Job, Load};

use super::direction::{DirectionReport, from_issue};
use super::distribution::Distribution;
use super::spread::Latency;
use super::steady::Steadiness;
use crate::Ran;
use crate::fio::{JobReporting, Reporting, Unified};

/// `EIO`, what fio reports of an I/O that a device failed; which error it was is not kept.
const EIO: u32 = 5;

/// `EILSEQ`, what fio reports where a block does not hold what was written.
const EILSEQ: u32 = 84;

/// fio's directions in its order.
pub(super) const DIRECTIONS: [(&str, Op); 3] =
    [("read", Op::Read), ("write", Op::Write), ("trim", Op::Discard)];

/// One entry of the report.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    /// The first thread's job.
    pub job: &'a Job,
    /// Requests to its report.
    pub asked: &'a JobReporting,
    /// The section whose options are shown: that of the last thread, as fio has it.
    pub section: usize,
    /// The group it belongs to.
    pub group: usize,
    /// The number of its first thread, from 1.
    pub thread: usize,
    /// Number of threads it that is made of.
    pub members: u64,
    /// Start of its first thread: ms since 1970-01-01 UTC.
    pub began_unix_ms: u64,
    /// Zero, or the number of an error.
    pub error: u32,
    /// Reads, writes, trims; where they are unified, all of them in the first.
    pub directions: [DirectionReport; 3],
    /// All of them, where they are asked for beside.
    pub mixed: Option<DirectionReport>,
    /// Flushes.
    pub sync: Latency,
    /// The sum of the threads' times in ms.
    pub runtime_ms: u64,
    pub usage: Usage,
    pub batches: Batches,
    /// Distribution of completion latencies.
    pub distribution: Distribution,
    /// Outstanding I/Os asked of each thread.
    pub depth: u32,
    /// True if its stage became steady, where it was to.
    pub steady: Option<Steadiness>,
}

impl Entry<'_> {
    /// The directions with the names under which they are reported.
    pub(super) fn named(&self) -> Vec<(&'static str, &DirectionReport)> {
        match self.asked.unified {
            Unified::Mixed => vec![("mixed", &self.directions[0])],
            _ => DIRECTIONS.iter().map(|(name, _)| *name).zip(&self.directions).collect(),
        }
    }

    /// I/Os of all directions.
    pub(super) fn ios(&self) -> u64 {
        self.directions.iter().map(|direction| direction.ios).sum()
    }
}

/// A thread with its place in the report.
pub(super) struct Numbered<'a> {
    pub stage: usize,
    pub ran: &'a Ran<'a>,
    pub thread: &'a ThreadMeasured,
    /// The section of the job file that it is a clone of.
    pub section: usize,
    /// Its number in the whole report, from 1.
    pub number: usize,
}

/// The threads of all stages in fio's order: the clones of each section after those of the one before. The jobs of
/// the stages' workloads are the sections of the job file, in order.
pub(super) fn threads<'a>(stages: &'a [Ran<'a>], reporting: &Reporting) -> Vec<Numbered<'a>> {
    let jobs: usize = stages.iter().map(|ran| ran.workload.jobs.len()).sum();
    assert_eq!(jobs, reporting.jobs.len(), "every section of the job file is a job of one stage");
    let mut all: Vec<Numbered<'a>> = Vec::new();
    let mut first = 0;
    for (stage, ran) in stages.iter().enumerate() {
        let mut threads: Vec<&ThreadMeasured> = ran.threads.iter().collect();
        threads.sort_by_key(|thread| thread.job);
        for thread in threads {
            let section = first + usize::from(thread.job);
            all.push(Numbered { stage, ran, thread, section, number: all.len() + 1 });
        }
        first += ran.workload.jobs.len();
    }
    all
}

/// The entries of all stages.
pub(super) fn entries<'a>(stages: &'a [Ran<'a>], reporting: &'a Reporting) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let (mut group, mut before) = (0, None);
    for numbered in threads(stages, reporting) {
        let Numbered { stage, section, .. } = numbered;
        let asked = &reporting.jobs[section];
        // A group ends with its stage, and where a job says so; the very first job opens none.
        group += usize::from(before.is_some_and(|(last_stage, last_section)| {
            last_stage != stage || (last_section != section && asked.new_group)
        }));
        before = Some((stage, section));
        if !asked.stats {
            continue;
        }
        let one = entry(&numbered, asked, group);
        match entries.last_mut().filter(|last| asked.group_reporting && last.group == group) {
            Some(last) => last.merge(one),
            None => entries.push(one),
        }
    }
    entries
}

fn entry<'a>(numbered: &Numbered<'a>, asked: &'a JobReporting, group: usize) -> Entry<'a> {
    let Numbered { ran, thread, section, number, .. } = *numbered;
    let job = &ran.workload.jobs[usize::from(thread.job)];
    let measured = thread.own_job();
    let runtime = runtime(job, thread);
    let index = ran.threads.iter().position(|other| std::ptr::eq(other, thread));
    // Reads of the pass that reads back what was written are reads of the job.
    let back = index.and_then(|index| ran.read_back.get(index));
    let direction = |ops: &[Op]| {
        let mut direction = DirectionReport::of(thread, ops, runtime, asked);
        if let Some(back) = back.filter(|_| ops.contains(&Op::Read)) {
            direction.follow(&DirectionReport::of(back, ops, self::runtime(job, back), asked));
        }
        direction
    };
    let all = DIRECTIONS.map(|(_, op)| op);
    let directions = match asked.unified {
        Unified::Mixed => [direction(&all), DirectionReport::default(), DirectionReport::default()],
        _ => all.map(|op| direction(&[op])),
    };
    let mut sync = Latency::default();
    sync.add(from_issue(measured.op(Op::Flush)));
    let mut distribution = Distribution::default();
    if !asked.disable_clat {
        for op in all {
            for thread in std::iter::once(thread).chain(back) {
                let measured = thread.own_job();
                let apart = thread.apart.as_ref().map(|apart| apart.completion(op));
                distribution.add(apart.unwrap_or(from_issue(measured.op(op))));
            }
        }
    }
    let is_wrong = index.is_some_and(|index| ran.wrong.iter().any(|wrong| usize::from(*wrong) == index));
    let failed = measured.by_op.iter().any(|op| op.errors > 0);
    // The job ends when it has read back what it wrote (`total_run_time` of fio's backend.c).
    let whole = runtime + back.map_or(Span::ZERO, |back| self::runtime(job, back));
    let (Load::Closed { depth, .. } | Load::Open { depth, .. }) = job.load;
    Entry {
        job,
        asked,
        section,
        group,
        thread: number,
        members: 1,
        began_unix_ms: ran.machine.began_unix_ms + job.start_after.ns() / 1_000_000,
        error: match (failed, is_wrong) {
            (_, true) => EILSEQ,
            (true, false) => EIO,
            (false, false) => 0,
        },
        directions,
        mixed: (asked.unified == Unified::Both).then(|| direction(&all)),
        sync,
        runtime_ms: (whole.ns() + 500_000) / 1_000_000,
        usage: back.map_or(thread.usage, |back| thread.usage.plus(back.usage)),
        batches: back.map_or(thread.batches, |back| thread.batches.plus(&back.batches)),
        distribution,
        depth,
        steady: asked.steady.map(|goal| Steadiness::of(goal, &ran.total.series)),
    }
}

/// Time that a job was counted: the counted time from its own start to its own end.
fn runtime(job: &Job, thread: &ThreadMeasured) -> Span {
    let measured = &thread.measured;
    let begins = (measured.layout.begin + job.start_after).max(measured.start);
    let counted = if measured.end > begins { measured.end.since(begins) } else { Span::ZERO };
    job.runtime.map_or(counted, |own| own.min(counted))
}

impl Entry<'_> {
    fn merge(&mut self, other: Entry<'_>) {
        self.section = other.section;
        self.members += other.members;
        self.error = self.error.max(other.error);
        for (mine, theirs) in self.directions.iter_mut().zip(&other.directions) {
            mine.merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.mixed, &other.mixed) {
            mine.merge(theirs);
        }
        self.sync.merge(&other.sync);
        self.runtime_ms += other.runtime_ms;
        self.usage = self.usage.plus(other.usage);
        self.batches = self.batches.plus(&other.batches);
        self.distribution.merge(&other.distribution);
        self.depth = other.depth;
    }
}
