//! The memory of a run, known before it begins.

use iobound_measure::{Loop, Recorder};
use iobound_units::Bytes;
use iobound_workload::{Load, QueueError, Target, Workload};

use super::{largest_block, thread};
use crate::engine::Slots;

/// The most memory that a run takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryNeeded {
    /// The buffers of all outstanding I/Os.
    pub buffers: Bytes,
    /// The threads themselves, and what they count.
    pub figures: Bytes,
    /// The number of threads.
    pub threads: u64,
}

impl MemoryNeeded {
    /// Stack and engine of a thread: the used part (measured: 40 to 60 KiB).
    const THREAD: u64 = 64 << 10;

    /// Memory for a workload on these targets. `apart`: submission and completion are timed apart.
    ///
    /// # Errors
    /// Returns an error if the jobs do not fit the targets.
    pub fn of(workload: &Workload, targets: &[Target], apart: bool) -> Result<MemoryNeeded, QueueError> {
        let mut needed = MemoryNeeded::default();
        let mut last_thread = None;
        for queue in &workload.queues(targets)? {
            let job = &workload.jobs[usize::from(queue.job)];
            let kind = match job.load {
                Load::Closed { .. } => Loop::Closed,
                Load::Open { .. } => Loop::Open,
            };
            let (ops, cells) = (thread::ops_of(job).len() as u64, queue.extents.len() as u64);
            // Queues of one thread follow each other, and have one job.
            let figures = if last_thread == Some(queue.thread) {
                Recorder::bytes_of_cells(cells, ops)
            } else {
                let thread = Recorder::bytes_of_thread(cells, ops, kind) + MemoryNeeded::THREAD;
                // Submission and completion have a recorder of one cell each.
                thread + if apart { 2 * Recorder::bytes_of_thread(1, ops, Loop::Closed) } else { 0 }
            };
            // The figures of all threads together are kept beside each thread's own.
            let figures = figures.saturating_add(Recorder::bytes_of_cells(cells, ops));
            let buffers = Slots::bytes_for(u64::from(queue.depth), largest_block(workload, queue.job));
            needed.threads += u64::from(last_thread.replace(queue.thread) != Some(queue.thread));
            needed.figures = Bytes(needed.figures.get().saturating_add(figures));
            needed.buffers = Bytes(needed.buffers.get().saturating_add(buffers.get()));
        }
        Ok(needed)
    }

    /// All of it.
    pub fn total(&self) -> Bytes {
        Bytes(self.buffers.get().saturating_add(self.figures.get()))
    }
}

#[cfg(test)]
mod tests {
    use iobound_units::{Percent, Rate, Span, TargetId};
    use iobound_workload::{Arrivals, Job};

    use super::*;

    fn needed(threads: u32, jobs: usize, read: u32) -> MemoryNeeded {
        needed_of(threads, jobs, read, Load::Closed { depth: 4, cap: None })
    }

    fn needed_of(threads: u32, jobs: usize, read: u32, load: Load) -> MemoryNeeded {
        let mut job = Job::new("job");
        job.set_mix(4_096, Percent::whole(read).expect("a percentage"));
        job.threads = threads;
        job.load = load;
        let workload = Workload::new(vec![job; jobs], Span::from_secs(60));
        let target = Target { name: "disk".into(), id: TargetId(0), size: Bytes::gib(1), members_of: None };
        MemoryNeeded::of(&workload, &[target], false).expect("they fit")
    }

    #[test]
    fn a_thread_of_an_open_loop_takes_less_than_a_mebibyte_as_well() {
        let rate = Rate::Ios { count: 500, per: Span::from_secs(1) };
        let load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 4 };
        let open = needed_of(1, 1, 70, load);
        assert!(open.figures <= Bytes(1 << 20) && open.figures > needed(1, 1, 70).figures, "{open:?}");
    }

    #[test]
    fn memory_grows_with_the_threads_whatever_jobs_they_are_of() {
        let one = needed(1, 1, 70);
        assert_eq!(one.threads, 1);
        assert!(one.figures <= Bytes(1 << 20), "{one:?}");
        for (threads, jobs) in [(4_096, 1), (1, 1_000), (16, 64)] {
            let many = needed(threads, jobs, 70);
            let count = u64::from(threads) * jobs as u64;
            assert_eq!((many.threads, many.figures.get()), (count, count * one.figures.get()));
            assert_eq!(many.buffers.get(), count * one.buffers.get());
        }
        assert!(needed(1, 1, 100).figures < one.figures, "reads alone take less");
    }
}
