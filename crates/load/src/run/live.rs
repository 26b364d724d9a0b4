//! The intervals of all threads put together while the run is on.

use std::collections::VecDeque;

use iobound_measure::Together;

use super::counted::CountedThread;

/// Status of a running thread.
pub(super) enum Said {
    /// One of its intervals has ended.
    Interval { thread: u16, interval: Box<Together> },
    /// Its counters so far.
    SoFar { thread: u16, counted: Box<CountedThread> },
    /// It will say nothing more.
    Over { thread: u16 },
    /// It flushes what it wrote: that takes as long as it takes.
    Flushing,
    /// It has.
    Flushed,
}

/// The intervals that not every thread has told yet.
pub(super) struct Live {
    /// For each thread, how many intervals it has told; `None` once it is over.
    told: Vec<Option<usize>>,
    open: VecDeque<Option<Together>>,
    /// The number of the first open interval.
    first: usize,
}

impl Live {
    pub(super) fn new(threads: u16) -> Live {
        Live { told: vec![Some(0); usize::from(threads)], open: VecDeque::new(), first: 0 }
    }

    /// Takes in what a thread says; hands out the intervals that are complete with it.
    pub(super) fn take(&mut self, said: Said, mut hand_out: impl FnMut(&Together)) {
        match said {
            Said::Interval { thread, interval } => {
                let Some(told) = &mut self.told[usize::from(thread)] else { return };
                let place = *told - self.first;
                *told += 1;
                if self.open.len() <= place {
                    self.open.resize_with(place + 1, || None);
                }
                match &mut self.open[place] {
                    Some(together) => together.merge(&interval),
                    empty => *empty = Some(*interval),
                }
            }
            Said::Over { thread } => self.told[usize::from(thread)] = None,
            Said::SoFar { .. } | Said::Flushing | Said::Flushed => return,
        }
        // Where every thread is over, all that is open is complete.
        let complete = self.told.iter().flatten().min().copied().unwrap_or(usize::MAX);
        while self.first < complete {
            let Some(interval) = self.open.pop_front() else { break };
            self.first += 1;
            if let Some(interval) = interval {
                hand_out(&interval);
            }
        }
    }
}
