//! Request of a workload and cannot have: what was read, what was expected, how to fix it.

use iobound_units::Bytes;
use thiserror::Error;

/// Reason why a workload does not fit its targets, or contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QueueError {
    /// A workload without jobs.
    #[error("the workload has no job: add one (`[[job]]`, or flags such as --random --block 4KiB)")]
    NoJobs,
    /// More jobs than a queue can number.
    #[error("{jobs} jobs are more than 65,535: run them in parts")]
    TooManyJobs {
        /// Their number.
        jobs: usize,
    },
    /// More threads than a queue can number.
    #[error(
        "{}with it the workload has {threads} threads, more than 65,535: use fewer threads and a greater depth",
        of_job(job)
    )]
    TooManyThreads {
        /// The job that exceeds it.
        job: String,
        /// Threads so far.
        threads: u64,
    },
    /// Nothing to run on.
    #[error("{}there is no target: name a volume, a file or a device", of_job(job))]
    NoTargets {
        /// The job.
        job: String,
    },
    /// A name that no target has.
    #[error("{}no target is called `{name}`: {}", of_job(job), known_names(known))]
    UnknownTarget {
        /// The job.
        job: String,
        /// The name as given.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A region that ends beyond its target.
    #[error("{}", region_text(job, *offset, *size, target, *target_size))]
    RegionTooLarge {
        /// The job.
        job: String,
        /// Start of the region.
        offset: Bytes,
        /// Time that it is; `None`: to the end.
        size: Option<Bytes>,
        /// The target's name.
        target: String,
        /// The target's size.
        target_size: Bytes,
    },
    /// A field whose value cannot be run.
    #[error("{}{what} is {value}: {help}", of_job(job))]
    Value {
        /// The job.
        job: String,
        /// The field in words.
        what: &'static str,
        /// Its value as printed.
        value: String,
        /// Valid values.
        help: String,
    },
    /// Two fields that exclude each other.
    #[error("{}{one} does not go with {other}: {help}", of_job(job))]
    Conflict {
        /// The job.
        job: String,
        /// One of them.
        one: &'static str,
        /// The other.
        other: &'static str,
        /// The option to drop.
        help: &'static str,
    },
}

fn known_names(known: &[String]) -> String {
    if known.is_empty() {
        return "there is no target: add a disk, a file or a device".to_string();
    }
    format!("use {}", known.join(", "))
}

/// The name of the only job of a command line, which nobody gave it.
pub(crate) const UNNAMED: &str = "job";

/// The job that an error is about; nothing of one without a name of its own.
fn of_job(job: &str) -> String {
    if job == UNNAMED { String::new() } else { format!("job {job}: ") }
}

fn region_text(job: &str, offset: Bytes, size: Option<Bytes>, target: &str, target_size: Bytes) -> String {
    let job = of_job(job);
    match size {
        Some(size) if offset.0 == 0 => format!(
            "{job}working set {size} is larger than volume {target} ({target_size}): make --size smaller or the disk larger"
        ),
        Some(size) => format!(
            "{job}working set {size} from offset {offset} ends beyond volume {target} ({target_size}): make --size or --offset smaller or the disk larger"
        ),
        None => format!(
            "{job}offset {offset} lies beyond the end of volume {target} ({target_size}): make --offset smaller or the disk larger"
        ),
    }
}
