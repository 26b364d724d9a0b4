//! The other side of `run --vs`.

use crate::options::{FOREIGN, JobOptions, Options, WorkloadOptions, options};
use crate::run::RunFlags;

options! {
    /// The differences of the other side of `run --vs`: its own targets, workload options and engine options.
    pub struct VersusFlags {
        /// Targets of the other side
        targets: Vec<String> = Form::MaybeWords, "TARGET";
        /// Use the page cache
        buffered: bool = Form::Switch;
        /// Make each write durable before it completes
        write_through: bool = Form::Switch;
        /// I/O engine
        engine: Option<String> = Form::One, "ENGINE";
        /// Processors to which threads are bound
        cpus: Option<String> = Form::One, "LIST";
    }
    jobs: JobOptions;
}

/// Pairs of flags of which one says what the other would: what the other side says takes the place of both.
const INSTEAD: [(&str, &str); 3] = [("random", "sequential"), ("zipf", "hot"), ("rate", "cap")];

impl VersusFlags {
    /// The other side's flags laid over the first's.
    pub(super) fn over(&self, run: &RunFlags, workload: &WorkloadOptions) -> (RunFlags, WorkloadOptions) {
        let run = RunFlags {
            buffered: run.buffered || self.buffered,
            write_through: run.write_through || self.write_through,
            engine: self.engine.clone().or_else(|| run.engine.clone()),
            cpus: self.cpus.clone().or_else(|| run.cpus.clone()),
            ..run.clone()
        };
        let own = &self.jobs;
        let is_given = |name: &str| own.get(name).is_some();
        // A whole workload of its own takes the place of the first's flags and of its whole workload.
        let mut jobs = match FOREIGN.iter().any(|name| is_given(name)) {
            true => JobOptions {
                size: workload.jobs.size.clone(),
                map: workload.jobs.map.clone(),
                ..JobOptions::default()
            },
            false => workload.jobs.clone(),
        };
        for (one, other) in INSTEAD {
            for (said, unsaid) in [(one, other), (other, one)] {
                if is_given(said) {
                    jobs.set(unsaid, Vec::new());
                }
            }
        }
        jobs.lay_over(own);
        // Turns are as long as one another.
        (run, WorkloadOptions { jobs, times: workload.times.clone() })
    }
}
