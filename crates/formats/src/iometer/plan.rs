//! The tests of a configuration: who does what in each.

use iobound_workload::Job;

/// A test: one workload of the configuration, and the workers whose I/O it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The place of its access specification in the workers' lists, from 0: tests of the same one follow each other.
    pub spec: usize,
    /// The workers that take part, in the order of the configuration.
    pub workers: Vec<TestWorker>,
}

/// A worker in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestWorker {
    /// The index of its manager.
    pub manager: usize,
    /// Its index among the manager's workers.
    pub worker: usize,
    /// The thread of the workload that it is.
    pub thread: u16,
    /// The name of its access specification.
    pub spec: String,
    /// Its outstanding I/Os on each target.
    pub depth: u32,
}

/// A job, and the workers that are its threads, in their order.
pub(super) struct Planned {
    pub job: Job,
    pub workers: Vec<TestWorker>,
}

impl Test {
    /// The workers of some jobs: a workload counts its threads job by job.
    pub(super) fn of(spec: usize, planned: &[Planned]) -> Test {
        let mut workers: Vec<TestWorker> = planned
            .iter()
            .flat_map(|planned| &planned.workers)
            .zip(0..)
            .map(|(worker, thread)| TestWorker { thread, ..worker.clone() })
            .collect();
        workers.sort_by_key(|worker| (worker.manager, worker.worker));
        Test { spec, workers }
    }
}
