//! What each real thread of a run did, beside what its recorder holds: for the forms that show threads, and for
//! the cost of an I/O.

use iobound_units::{Op, Span};

use crate::histogram::Histogram;
use crate::recorder::Measured;

/// One real thread of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadMeasured {
    /// The index of its job: a thread runs one.
    pub job: u16,
    /// What it measured alone: only its own cells hold anything, the series is its own.
    pub measured: Measured,
    /// What it cost the machine while I/O ran.
    pub usage: Usage,
    /// How I/Os went out and came back.
    pub batches: Batches,
    /// Submission and completion apart, by operation in the order of [`Op::ALL`]; `None` where they were not
    /// measured apart.
    pub apart: Option<Box<[Apart; Op::ALL.len()]>>,
}

/// What a thread cost: of the system's accounting of it (`getrusage`).
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
        }
    }
}

/// How many buckets of [`Batches`] there are: 0, 1, 2 to 3, 4 to 7, and so on by powers of two, the last open.
pub const BATCH_BUCKETS: usize = 16;

/// How I/Os went out and came back: counts by powers of two. Bucket 0 is zero, bucket n is 2^(n-1) to 2^n - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batches {
    /// Calls to the kernel that submitted so many I/Os.
    pub submitted: [u64; BATCH_BUCKETS],
    /// Looks at the completions that found so many.
    pub completed: [u64; BATCH_BUCKETS],
    /// I/Os by how many were outstanding, themselves included, when their batch went out.
    pub outstanding: [u64; BATCH_BUCKETS],
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
        self
    }
}

/// The two parts of one operation's latency: fio's slat and clat. Their sum is the latency from issue.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// From issue until the call that submitted it returned.
    pub submission: Histogram<3>,
    /// From then to completion.
    pub completion: Histogram<3>,
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
