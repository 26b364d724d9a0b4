//! A workload's jobs spread over threads and targets: one queue for each queue of outstanding I/Os.

use iobound_units::{Bytes, Rate, Span, TargetId};

use crate::check::check_job;
use crate::error::QueueError;
use crate::{Arrivals, CapOf, Flow, Job, Load, Region, Spread, Targets, Think, Workload, Written};

/// Target of a job: a volume of the model, a file or a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name that jobs use.
    pub name: String,
    /// Content of written blocks.
    pub id: TargetId,
    /// Its address space.
    pub size: Bytes,
    /// The name it is a member of, beside its own: `data` of `data.0`.
    pub members_of: Option<String>,
}

/// One target of a queue and the part of it that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The target.
    pub target: TargetId,
    /// The first byte used.
    pub start: u64,
    /// Number of bytes that are used.
    pub len: u64,
}

/// One queue of outstanding I/Os: a thread's on one target, or on several in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// The index in [`Workload::jobs`].
    pub job: u16,
    /// The thread's index in the whole workload, dense from zero. Queues of one thread follow each other.
    pub thread: u16,
    /// The index among the job's threads that share this queue's targets: which sequential stream it is.
    pub stream: u16,
    /// Extents of its I/Os, dealt in this order; never empty.
    pub extents: Vec<Extent>,
    /// The most outstanding I/Os of the queue.
    pub depth: u32,
    /// Rule by which its I/Os are issued.
    pub load: QueueLoad,
    /// Queues of one stage run together.
    pub stage: u16,
    /// Time that after its stage's start it begins.
    pub start_after: Span,
    /// A bound on its time.
    pub runtime: Option<Span>,
    /// A bound on the bytes it moves.
    pub stop_after: Option<Bytes>,
    /// The operation that its cap holds; `None`: all.
    pub cap_of: Option<CapOf>,
    /// Its share of the I/Os of a group.
    pub flow: Option<Flow>,
    /// Its pauses.
    pub think: Option<Think>,
    /// A flush after this many of its writes.
    pub flush_every: Option<u64>,
    /// Number of its first writes that it does not read back, because they were read back before.
    pub passes_over: Bytes,
}

/// Rule by which a queue's I/Os are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLoad {
    /// As soon as one completes, no faster than the cap.
    Closed {
        /// The queue's own cap.
        cap: Option<Rate>,
    },
    /// At times of its own: this queue's are the `turn`-th of every `of` of the job.
    Open {
        /// The rate of the whole job.
        rate: Rate,
        /// Spacing of the arrival times.
        arrivals: Arrivals,
        /// The one of the job's queues this is, from zero.
        turn: u32,
        /// Number of queues that share the rate.
        of: u32,
    },
}

impl Queue {
    /// The targets its I/Os go to, in turn.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = TargetId> + '_ {
        self.extents.iter().map(|extent| extent.target)
    }
}

/// Meaning of a name in a job: one target, or all members of a name.
type Group<'a> = Vec<&'a Target>;

impl Workload {
    /// Spreads the jobs over threads and targets, in the order job, thread, target ([`Spread::PerTarget`]: job,
    /// target, thread).
    ///
    /// # Errors
    /// Returns an error if these targets, or no target, can do what the jobs need.
    pub fn queues(&self, targets: &[Target]) -> Result<Vec<Queue>, QueueError> {
        if self.jobs.is_empty() {
            return Err(QueueError::NoJobs);
        }
        let mut queues = Vec::new();
        let mut threads_before = 0u32;
        for (index, job) in self.jobs.iter().enumerate() {
            let number =
                u16::try_from(index).map_err(|_| QueueError::TooManyJobs { jobs: self.jobs.len() })?;
            let groups = resolve(job, targets)?;
            check_job(job, groups.iter().flatten().copied())?;
            let first = queues.len();
            threads_before = spread(job, number, &groups, threads_before, &mut queues)?;
            share_rate(&mut queues[first..]);
            if let Some(written) = &job.reads_back {
                let written = written.iter().copied().chain(std::iter::repeat(Written::default()));
                for (queue, Written { read_back, left }) in queues[first..].iter_mut().zip(written) {
                    (queue.passes_over, queue.stop_after) = (read_back, Some(left));
                }
            }
        }
        Ok(queues)
    }
}

/// The targets that a job names, each name a group.
fn resolve<'a>(job: &Job, targets: &'a [Target]) -> Result<Vec<Group<'a>>, QueueError> {
    let names = match &job.targets {
        Targets::All if targets.is_empty() => return Err(QueueError::NoTargets { job: job.name.clone() }),
        Targets::All => return Ok(targets.iter().map(|target| vec![target]).collect()),
        Targets::Named(names) if names.is_empty() => {
            return Err(QueueError::NoTargets { job: job.name.clone() });
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

fn unknown(job: &Job, name: &str, targets: &[Target]) -> QueueError {
    let mut known: Vec<String> = Vec::new();
    for target in targets {
        for name in target.members_of.iter().chain([&target.name]) {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
    }
    QueueError::UnknownTarget { job: job.name.clone(), name: name.to_string(), known }
}

/// The part of a target that a job uses; `check_job` has seen that it lies inside.
fn extent_of(region: Region, target: &Target) -> Extent {
    let len = region.size.unwrap_or(Bytes(target.size.0 - region.offset.0));
    Extent { target: target.id, start: region.offset.0, len: len.0 }
}

/// The part of a target that one thread of a job uses; `check_job` has seen that the last thread has some.
fn extent_of_thread(job: &Job, stream: u16, target: &Target) -> Extent {
    let whole = extent_of(job.region, target);
    let Some(size) = job.access.thread_size else { return whole };
    let before = job.access.thread_stride.map_or(0, |stride| stride.0 * u64::from(stream));
    Extent { start: whole.start + before, len: (whole.len - before).min(size.0), ..whole }
}

/// The bound on a queue's bytes: of a thread whose part the end of the region cuts short, the same share of it.
fn work_of(job: &Job, extents: &[Extent]) -> Option<Bytes> {
    let (bound, Some(size)) = (job.stop_after?, job.access.thread_size) else { return job.stop_after };
    let own: u128 = extents.iter().map(|extent| u128::from(extent.len)).sum();
    let whole = u128::from(size.0) * extents.len() as u128;
    Some(if own < whole { Bytes((u128::from(bound.0) * own / whole) as u64) } else { bound })
}

/// Appends the queues of one job; the number of threads so far.
fn spread(
    job: &Job,
    number: u16,
    groups: &[Group<'_>],
    threads_before: u32,
    queues: &mut Vec<Queue>,
) -> Result<u32, QueueError> {
    let threads = match job.spread {
        Spread::PerTarget => u64::from(job.threads) * groups.len() as u64,
        Spread::Every | Spread::Dealt => u64::from(job.threads),
    };
    let threads_after = u64::from(threads_before) + threads;
    if threads_after > u64::from(u16::MAX) {
        return Err(QueueError::TooManyThreads { job: job.name.clone(), threads: threads_after });
    }
    let extents = |group: &Group<'_>, stream: u16| -> Vec<Extent> {
        group.iter().map(|target| extent_of_thread(job, stream, target)).collect()
    };
    let mut thread = threads_before as u16;
    match job.spread {
        Spread::PerTarget => {
            for group in groups {
                for stream in 0..job.threads as u16 {
                    queues.push(queue(job, number, thread, stream, extents(group, stream)));
                    thread = thread.wrapping_add(1);
                }
            }
        }
        Spread::Every => {
            for stream in 0..job.threads as u16 {
                let own = |group| queue(job, number, thread, stream, extents(group, stream));
                queues.extend(groups.iter().map(own));
                thread = thread.wrapping_add(1);
            }
        }
        Spread::Dealt => {
            for stream in 0..job.threads as u16 {
                let all = groups.iter().flat_map(|group| extents(group, stream)).collect();
                queues.push(queue(job, number, thread, stream, all));
                thread = thread.wrapping_add(1);
            }
        }
    }
    Ok(threads_after as u32)
}

fn queue(job: &Job, number: u16, thread: u16, stream: u16, extents: Vec<Extent>) -> Queue {
    let (depth, load) = match job.load {
        Load::Closed { depth, cap } => (depth, QueueLoad::Closed { cap }),
        Load::Open { rate, arrivals, depth } => (depth, QueueLoad::Open { rate, arrivals, turn: 0, of: 1 }),
    };
    Queue {
        job: number,
        thread,
        stream,
        stop_after: work_of(job, &extents),
        extents,
        depth,
        load,
        stage: job.stage,
        start_after: job.start_after,
        runtime: job.runtime,
        cap_of: job.cap_of,
        flow: job.flow,
        think: job.think,
        flush_every: job.flush_every,
        passes_over: Bytes::ZERO,
    }
}

/// Tells each queue of one job its turn of the job's rate.
fn share_rate(queues: &mut [Queue]) {
    let count = queues.len() as u32;
    for (index, queue) in queues.iter_mut().enumerate() {
        if let QueueLoad::Open { turn, of, .. } = &mut queue.load {
            (*turn, *of) = (index as u32, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str, id: u16, size: Bytes) -> Target {
        Target { name: name.into(), id: TargetId(id), size, members_of: None }
    }

    /// `data` as two separate disks, and `log`.
    fn targets() -> Vec<Target> {
        let member =
            |name: &str, id| Target { members_of: Some("data".into()), ..target(name, id, Bytes::gib(1)) };
        vec![member("data.0", 0), member("data.1", 1), target("log", 2, Bytes::gib(1))]
    }

    fn job(names: &[&str]) -> Job {
        let mut job = Job::new("test");
        job.targets = Targets::Named(names.iter().map(ToString::to_string).collect());
        job.threads = 2;
        job.load = Load::Closed { depth: 8, cap: None };
        job
    }

    fn shape(job: Job) -> Vec<(u16, u16, Vec<u16>)> {
        let queues = Workload::new(vec![job], Span::from_secs(1)).queues(&targets()).unwrap();
        assert!(queues.iter().all(|queue| queue.depth == 8));
        queues.iter().map(|l| (l.thread, l.stream, l.targets().map(|t| t.0).collect())).collect()
    }

    fn error(job: Job) -> String {
        Workload::new(vec![job], Span::from_secs(1)).queues(&targets()).unwrap_err().to_string()
    }

    #[test]
    fn threads_of_each_target_have_a_queue_each() {
        assert_eq!(
            shape(job(&["data.0", "log"])),
            [(0, 0, vec![0]), (1, 1, vec![0]), (2, 0, vec![2]), (3, 1, vec![2])]
        );
    }

    #[test]
    fn threads_on_every_target_have_a_queue_for_each() {
        let job = Job { spread: Spread::Every, ..job(&["data.0", "log"]) };
        assert_eq!(shape(job), [(0, 0, vec![0]), (0, 0, vec![2]), (1, 1, vec![0]), (1, 1, vec![2])]);
    }

    #[test]
    fn dealing_threads_have_one_queue_over_all_targets() {
        let job = Job { spread: Spread::Dealt, ..job(&["data.0", "log"]) };
        assert_eq!(shape(job), [(0, 0, vec![0, 2]), (1, 1, vec![0, 2])]);
    }

    #[test]
    fn a_name_with_members_is_one_target_dealt_over_them() {
        assert_eq!(shape(job(&["data"])), [(0, 0, vec![0, 1]), (1, 1, vec![0, 1])]);
        let every = Job { spread: Spread::Every, threads: 1, ..job(&["data", "log"]) };
        assert_eq!(shape(every), [(0, 0, vec![0, 1]), (0, 0, vec![2])]);
    }

    #[test]
    fn a_job_without_targets_runs_on_each() {
        let job = Job { targets: Targets::All, threads: 1, ..job(&[]) };
        assert_eq!(shape(job), [(0, 0, vec![0]), (1, 0, vec![1]), (2, 0, vec![2])]);
    }

    #[test]
    fn threads_are_numbered_through_all_jobs() {
        let workload = Workload::new(vec![job(&["log"]), job(&["data"])], Span::from_secs(1));
        let queues = workload.queues(&targets()).unwrap();
        assert_eq!(
            queues.iter().map(|queue| (queue.job, queue.thread)).collect::<Vec<_>>(),
            [(0, 0), (0, 1), (1, 2), (1, 3)]
        );
    }

    #[test]
    fn the_rate_of_a_job_is_shared_by_its_queues() {
        let rate = Rate::Ios { count: 100, per: Span::from_secs(1) };
        let load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 4 };
        let job = Job { load, ..job(&["data.0", "log"]) };
        let queues = Workload::new(vec![job], Span::from_secs(1)).queues(&targets()).unwrap();
        let turns: Vec<QueueLoad> = queues.iter().map(|queue| queue.load).collect();
        let expected: Vec<QueueLoad> =
            (0..4).map(|turn| QueueLoad::Open { rate, arrivals: Arrivals::Fixed, turn, of: 4 }).collect();
        assert_eq!(turns, expected);
    }

    #[test]
    fn a_thread_with_a_part_of_its_own_has_what_is_left_at_the_end() {
        // Five parts of 300 MiB, 200 MiB apart: the last two meet the end of 1 GiB.
        let mut job = Job { threads: 5, stop_after: Some(Bytes::mib(600)), ..job(&["log"]) };
        (job.access.thread_stride, job.access.thread_size) = (Some(Bytes::mib(200)), Some(Bytes::mib(300)));
        let queues = Workload::new(vec![job.clone()], Span::from_secs(1)).queues(&targets()).unwrap();
        let mib = |bytes: u64| bytes >> 20;
        let parts: Vec<(u64, u64)> =
            queues.iter().map(|queue| (mib(queue.extents[0].start), mib(queue.extents[0].len))).collect();
        assert_eq!(parts, [(0, 300), (200, 300), (400, 300), (600, 300), (800, 224)]);
        let work: Vec<u64> = queues.iter().map(|queue| mib(queue.stop_after.unwrap().get())).collect();
        assert_eq!(work, [600, 600, 600, 600, 448]);
        job.threads = 7;
        assert!(error(job).contains("the last thread would start beyond the end"));
    }

    #[test]
    fn what_cannot_run_says_why_and_how_to_mend_it() {
        assert_eq!(
            error(job(&["dta"])),
            "job test: no target is called `dta`: use data, data.0, data.1, log"
        );
        let size = |size| Job { region: Region { size: Some(size), ..Region::default() }, ..job(&["log"]) };
        assert_eq!(
            error(size(Bytes::gib(2))),
            "job test: working set 2 GiB is larger than volume log (1 GiB): make --size smaller or the disk larger"
        );
        assert!(error(size(Bytes(512))).contains("block smaller or --size larger"));
        let mut far = job(&["log"]);
        far.region.offset = Bytes::gib(1);
        assert!(error(far).contains("beyond the end"));
        assert!(error(Job { threads: 0, ..job(&["log"]) }).contains("threads is 0"));
        assert!(error(Job { threads: 70_000, ..job(&["log"]) }).contains("fewer threads"));
        assert!(error(Job { mix: vec![], ..job(&["log"]) }).contains("mix is empty"));
        assert!(
            error(Job { load: Load::Closed { depth: 0, cap: None }, ..job(&["log"]) }).contains("depth is 0")
        );
        let rate = Rate::Ios { count: 0, per: Span::from_secs(1) };
        let open = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 1 };
        assert!(error(Job { load: open, ..job(&["log"]) }).contains("rate is 0"));
        let rate = Rate::Ios { count: 9, per: Span::from_secs(1) };
        let mut flushes = Job { load: Load::Closed { depth: 1, cap: Some(rate) }, ..job(&["log"]) };
        flushes.mix = vec![crate::Share {
            weight: 1,
            op: iobound_units::Op::Flush,
            block: 0,
            random: None,
            align: None,
        }];
        assert!(error(flushes).contains("drop the rate"));
        let mut odd = job(&["log"]);
        odd.set_mix(2_300, iobound_units::Percent::ZERO);
        assert_eq!(
            error(odd.clone()),
            "job test: a block size is 2,300 B: make it a multiple of 512 B (2,048 B or 2,560 B), or use the page cache (buffered)"
        );
        let mut far = job(&["log"]);
        far.set_align(Some(Bytes(u64::MAX)));
        assert!(error(far).contains("a multiple of 512 B (18,446,744,073,709,551,104 B), or"));
        odd.buffered = true;
        assert!(Workload::new(vec![odd], Span::from_secs(1)).queues(&targets()).is_ok());
        let no_jobs = Workload::new(vec![], Span::from_secs(1)).queues(&targets()).unwrap_err();
        assert!(no_jobs.to_string().contains("[[job]]"));
        let nowhere = Workload::new(vec![Job::new("test")], Span::from_secs(1)).queues(&[]).unwrap_err();
        assert!(nowhere.to_string().contains("no target"));
    }
}
