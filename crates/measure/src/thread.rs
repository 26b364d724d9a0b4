//! Figures of each real thread of a run, besides those of its recorder: for output formats that show threads, and for
//! the cost of an I/O.

use iobound_units::{Op, Span};

use crate::histogram::Histogram;
use crate::recorder::{Measured, MeasuredJob};

/// One real thread of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadMeasured {
    /// The index of its job: a thread runs one.
    pub job: u16,
    /// Figures of the thread alone: its job is the only one, its cells are the only ones. The series is the thread's own, where
    /// it was asked for.
    pub measured: Measured,
    /// Cost of it the machine while I/O ran.
    pub usage: Usage,
    /// Sizes of the batches in which I/Os were submitted and completed.
    pub batches: Batches,
    /// Submission and completion apart; `None` where they were not measured apart.
    pub apart: Option<Box<Apart>>,
}

impl ThreadMeasured {
    /// Figures of its job.
    pub fn own_job(&self) -> &MeasuredJob {
        &self.measured.jobs[0]
    }
}

/// Cost of a thread: of the system's accounting of it (`getrusage`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time on a processor in the program.
    pub user: Span,
    /// Time on a processor in the kernel.
    pub system: Span,
    /// Times it gave up its processor or was taken from it.
    pub context_switches: u64,
    /// Page faults served from memory.
    pub minor_faults: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Time that it was ready to run and had no processor; `None` where the system does not count it.
    pub waited: Option<Span>,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            user: self.user + other.user,
            system: self.system + other.system,
            context_switches: self.context_switches + other.context_switches,
            minor_faults: self.minor_faults + other.minor_faults,
            major_faults: self.major_faults + other.major_faults,
            waited: self.waited.into_iter().chain(other.waited).reduce(|one, other| one + other),
        }
    }
}

/// Number of buckets of [`Batches`]: 0, 1, 2 to 3, 4 to 7, and so on by powers of two, the last open.
pub const BATCH_BUCKETS: usize = 16;

/// Sizes of submission and completion batches: counts by powers of two. Bucket 0 is zero, bucket n is 2^(n-1) to 2^n - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batches {
    /// Calls to the kernel that submitted so many I/Os.
    pub submitted: [u64; BATCH_BUCKETS],
    /// Looks at the completions that found so many.
    pub completed: [u64; BATCH_BUCKETS],
    /// I/Os by how many were outstanding when their batch went out: themselves, and completions whose turn had not come yet.
    pub outstanding: [u64; BATCH_BUCKETS],
    /// I/Os whose submission was timed: those of every few batches.
    pub timed: u64,
    /// The sum of their times from issue until the kernel accepted them, in ns.
    pub timed_ns: u64,
}

impl Batches {
    /// The bucket of a number.
    #[inline]
    pub fn bucket(n: usize) -> usize {
        ((usize::BITS - n.leading_zeros()) as usize).min(BATCH_BUCKETS - 1)
    }

    /// Both together.
    #[must_use]
    pub fn plus(mut self, other: &Batches) -> Batches {
        let pairs = [
            (&mut self.submitted, &other.submitted),
            (&mut self.completed, &other.completed),
            (&mut self.outstanding, &other.outstanding),
        ];
        for (mine, theirs) in pairs {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self.timed += other.timed;
        self.timed_ns += other.timed_ns;
        self
    }

    /// Mean time from issue until the kernel accepted an I/O, in ns; `None` if none was timed.
    pub fn submission_ns(&self) -> Option<f64> {
        (self.timed > 0).then(|| self.timed_ns as f64 / self.timed as f64)
    }
}

/// The two parts of a thread's latencies: fio's slat and clat. For each I/O, their sum is the latency from issue.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// From issue until the kernel accepted the I/O: one job and one cell, with the intervals of the run.
    pub submission: Measured,
    /// From then to completion, likewise.
    pub completion: Measured,
}

impl Apart {
    /// Submission times of one operation.
    pub fn submission(&self, op: Op) -> &Histogram<3> {
        &self.submission.jobs[0].op(op).response
    }

    /// Completion times of one operation.
    pub fn completion(&self, op: Op) -> &Histogram<3> {
        &self.completion.jobs[0].op(op).response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_of_n_is_in_the_bucket_of_its_power_of_two() {
        let buckets: Vec<usize> = [0, 1, 2, 3, 4, 7, 8, 32, 64, 1 << 20].map(Batches::bucket).to_vec();
        assert_eq!(buckets, [0, 1, 2, 2, 3, 3, 4, 6, 7, 15]);
    }
}
