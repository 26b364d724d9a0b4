use std::collections::BTreeSet;

use iobound_measure::{Cell, JobLayout, Layout, Loop};
use iobound_units::{Instant, Span};
use iobound_workload::{Load, Queue, Target, Workload};

/// The times of a run: when it begins, what is counted, when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Start of I/O.
    pub begin: Instant,
    /// Start of the counted time.
    pub start: Instant,
    /// End of the counted time.
    pub end: Instant,
    /// End of I/O, after the cool-down.
    pub until: Instant,
}

impl Window {
    /// Of a workload that begins at `begin`: warm-up, a duration for each stage of jobs, cool-down.
    pub fn of(workload: &Workload, begin: Instant) -> Window {
        let stages = workload.jobs.iter().map(|job| job.stage).max().map_or(1, |last| u64::from(last) + 1);
        let start = begin + workload.warmup;
        let end = start + Span::from_ns(workload.duration.ns().saturating_mul(stages));
        Window { begin, start, end, until: end + workload.cooldown }
    }
}

/// The same with all threads of a job counted together, for a worker that [`crate::Worker::count_by_job`]: a cell for each job
/// and target, in the order in which queues come to them. Its size does not grow with the threads.
pub fn layout_by_job(
    workload: &Workload,
    queues: &[Queue],
    targets: &[Target],
    window: Window,
    interval: Span,
) -> Layout {
    let mut seen = BTreeSet::new();
    let cells = queues.iter().flat_map(|queue| queue.targets().map(|target| (queue.job, target)));
    let cells = cells.filter(|cell| seen.insert(*cell)).map(|(job, target)| Cell { job, thread: 0, target });
    let cells = cells.collect();
    Layout { threads: 1, cells, ..layout_of(workload, queues, targets, window, interval) }
}

/// Groups that a recorder of these queues counts apart. The cells follow the queues, and each queue's targets.
pub fn layout_of(
    workload: &Workload,
    queues: &[Queue],
    targets: &[Target],
    window: Window,
    interval: Span,
) -> Layout {
    let depth_of = |index: usize| -> u64 {
        queues
            .iter()
            .filter(|queue| usize::from(queue.job) == index)
            .map(|queue| u64::from(queue.depth))
            .sum()
    };
    let jobs = workload.jobs.iter().enumerate().map(|(index, job)| {
        let (kind, requested_iops) = match job.load {
            Load::Closed { .. } => (Loop::Closed, None),
            Load::Open { rate, .. } => (Loop::Open, Some(rate.iops_f64(job.mean_block()))),
        };
        JobLayout { name: job.name.clone(), kind, requested_depth: Some(depth_of(index)), requested_iops }
    });
    Layout {
        jobs: jobs.collect(),
        threads: queues.iter().map(|queue| queue.thread + 1).max().unwrap_or(0),
        targets: targets.iter().map(|target| target.name.clone()).collect(),
        cells: queues
            .iter()
            .flat_map(|queue| {
                queue.targets().map(|target| Cell { job: queue.job, thread: queue.thread, target })
            })
            .collect(),
        begin: window.begin,
        start: window.start,
        end: window.end,
        interval,
    }
}
