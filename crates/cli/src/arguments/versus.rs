use clap::Parser;
use iobound_app::options::{FOREIGN, JobOptions, Options, WorkloadOptions};

use super::{JobArgs, RunArgs, Typed, WorkloadArgs};

/// The differences of the other side of `run --vs`: its own targets, workload options and engine options.
#[derive(Clone, Debug, Default, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct VersusArgs {
    /// Targets of the other side
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Use the page cache
    #[arg(long)]
    pub(crate) buffered: bool,
    /// Make each write durable before it completes
    #[arg(long)]
    pub(crate) write_through: bool,
    /// I/O engine
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<String>,
    /// Processors to which threads are bound
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    #[command(flatten)]
    pub(crate) jobs: JobArgs,
}

/// Pairs of flags of which one says what the other would: what the other side says takes the place of both.
const INSTEAD: [(&str, &str); 3] = [("random", "sequential"), ("zipf", "hot"), ("rate", "cap")];

impl VersusArgs {
    /// The other side's flags laid over the first's.
    pub(crate) fn over(&self, run: &RunArgs, workload: &WorkloadArgs) -> (RunArgs, WorkloadArgs) {
        let run = RunArgs {
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
        (run, Typed(WorkloadOptions { jobs, times: workload.times.clone() }))
    }
}
